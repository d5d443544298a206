/* gnuplot as a child process: started without a shell, fed through a socket, heard on one pipe.
 *
 * Its standard output and error come back in one stream, which is read while commands are written,
 * so that neither side can block the other. Writing to a dead gnuplot is an error code, never a
 * SIGPIPE. Ctrl-C at the terminal does not reach it (its own process group); whoever waits here
 * polls core_interrupted().
 */
#ifndef PLOT_PROCESS_H
#define PLOT_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

#include "core/status.h"

typedef struct plot_process {
  pid_t pid;   /* 0: none */
  pid_t owner; /* who started it: a forked copy must not touch it */
  int in, out; /* our ends */
  int status;  /* what a helper says about it, -1: it is our own child */
  char *heard; /* what it said and nobody took yet, closed by a zero */
  size_t n, room;
} plot_process;

/* starts `program` with the working folder `folder`; CORE_NO_TOOL when there is none */
core_status plot_process_start(plot_process *p, const char *program, const char *folder,
                               core_error *err);
core_status plot_no_tool(const char *program, core_error *err); /* says it, with a hint */
int plot_process_stop(plot_process *p); /* its exit status, -1 when there is none */

/* writes everything, reading meanwhile */
core_status plot_process_send(plot_process *p, const char *text, size_t n, core_error *err);

/* reads what is there, waiting at most wait_ms for something; *open becomes 0 at its end */
core_status plot_process_hear(plot_process *p, int wait_ms, int *open, core_error *err);

/* the environment for gnuplot, in new memory; what is in it is shared */
char **plot_process_environment(void);

/* gnuplot's name: KNOCK_GNUPLOT, or "gnuplot" */
const char *plot_program(void);

/* what it said so far is of no interest any more */
void plot_process_forget(plot_process *p);

#endif
