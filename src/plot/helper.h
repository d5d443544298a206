/* A process that starts gnuplot for one that may not start programs any more (--sandbox).
 *
 * It is forked before the lock and understands one sentence: "start gnuplot in the folder of this
 * name, below the private one, on these three descriptors" (input, output, status). Each gnuplot is
 * locked in as well: it reads the system's libraries and fonts, writes in its folder, and executes
 * nothing. On the status descriptor the helper sends one plot_helper_word when gnuplot has started
 * (or has not), and one when it has ended; whoever closes it ends gnuplot. When the program itself
 * is gone, however it ended, the helper ends what is left and removes the private folder.
 */
#ifndef PLOT_HELPER_H
#define PLOT_HELPER_H

#include <sys/types.h>

#include "core/status.h"

typedef struct plot_helper_word {
  pid_t pid;  /* of gnuplot, 0 when it did not start */
  int number; /* errno of a start that failed, or the exit status (-1: killed) */
} plot_helper_word;

/* forks it; TMPDIR becomes the private folder, whose path is *folder */
core_status plot_helper_start(const char **folder, core_error *err);

/* is there a helper? Then gnuplot comes from it. */
int plot_helper_there(void);

/* Asks for a gnuplot in `folder` on fd[0..2] (input, output, status). 0, or an errno. */
int plot_helper_ask(const char *folder, const int fd[3]);

#endif
