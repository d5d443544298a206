/* A session that no line can take along.
 *
 * Before a typed line runs, the session makes a copy of itself by fork: the spare, which waits.
 * When the line is over the spare goes. When the line kills the process (a fault in a library, the
 * kernel short of memory) or cannot be stopped otherwise (LAPACK, a pattern that backtracks for
 * ever, a write to a slow disk), the process ends and the spare takes its place: the session is as
 * it was before the line, and goes on.
 *
 *   shell --- keeper --- session --- spare      the keeper is the process that the shell started;
 *                                               it only waits, and inherits the spare
 *
 * Pipes and sockets are closed in the spare, so that programs at their other ends see the end of
 * what the session sends when the session closes it.
 */
#ifndef HOST_SPARE_H
#define HOST_SPARE_H

/* From here on the session runs in a child of this process; where that cannot be had, nothing
 * changes and there are no spares. */
void host_spare_open(void);

/* 1 when there are spares */
int host_spare_open_now(void);

/* Before a line: makes the spare. Returns 0, and later once more in the spare when it takes over:
 * then the number of the signal that ended the line. */
int host_spare_make(void);

/* after a line: the spare goes */
void host_spare_drop(void);

#endif
