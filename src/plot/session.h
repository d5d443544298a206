/* A plotting session: one gnuplot for many figures, and a private folder for their data.
 *
 * Figures are files in the folder under plain names ("data", "out.svg"): gnuplot runs in it, so no
 * name of a user ever reaches gnuplot. A script passes plot_check, is sent, and a handshake with a
 * random word tells when it is drawn and whether gnuplot complained. A gnuplot that died is started
 * anew for the next figure.
 *
 *   plot_session *s;
 *   plot_session_open(&s, &err);
 *   plot_session_data(s, "data", 2, columns, n, &err);
 *   plot_session_run(s, script, strlen(script), &err);     // waits until it is drawn
 *   plot_session_take(s, "out.svg", &bytes, &n, &err);     // reads the file and removes it
 */
#ifndef PLOT_SESSION_H
#define PLOT_SESSION_H

#include <stddef.h>

#include "core/status.h"

typedef struct plot_session plot_session;

/* makes the folder; gnuplot itself is started by the first script */
core_status plot_session_open(plot_session **s, core_error *err);
void plot_session_close(plot_session *s);

/* ncol columns of n doubles each, written row by row as doubles of the machine */
core_status plot_session_data(plot_session *s, const char *name, int ncol,
                              const double *const *columns, size_t n, core_error *err);

/* sends a script; `run` waits until it is drawn, `begin` does not */
core_status plot_session_run(plot_session *s, const char *script, size_t n, core_error *err);
core_status plot_session_begin(plot_session *s, const char *script, size_t n, core_error *err);

/* after `begin`: *busy is 0 when it is drawn; never waits. `wait` waits. */
core_status plot_session_poll(plot_session *s, int *busy, core_error *err);
core_status plot_session_wait(plot_session *s, core_error *err);

/* what gnuplot warned of in the last script, one line; "" when of nothing */
const char *plot_session_warning(const plot_session *s);

/* reads a file of the folder (closed by a zero beyond n) and removes it; free(*bytes) */
core_status plot_session_take(plot_session *s, const char *name, char **bytes, size_t *n,
                              core_error *err);

/* how many times gnuplot was started, and the words it can draw with ("dumb pngcairo svg ...") */
int plot_session_starts(const plot_session *s);
core_status plot_session_terminals(plot_session *s, const char **words, core_error *err);

#endif
