/* How far a sweep is: a bar with rate and time left on a terminal, a line now and then elsewhere.
 */
#ifndef SWEEP_PROGRESS_H
#define SWEEP_PROGRESS_H

#include <stddef.h>

typedef struct sweep_progress {
  size_t n;      /* samples in all */
  size_t before; /* done when the clock for the rate was started */
  int counting;  /* that clock runs: from the first result on, so that start-up is left out */
  int terminal;  /* standard error is one */
  int shown;     /* something is on the line */
  double start;  /* [s] */
  double next;   /* [s] when to show again */
} sweep_progress;

void sweep_progress_start(sweep_progress *p, size_t n, size_t before);
void sweep_progress_show(sweep_progress *p, size_t done);
void sweep_progress_end(sweep_progress *p); /* clears the bar */

#endif
