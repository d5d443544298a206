#include "sweep/progress.h"
#include "core/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BAR = 30 };

/* quiet for the first half second on a terminal and the first ten seconds elsewhere */
void sweep_progress_start(sweep_progress *p, size_t n, size_t before) {
  const char *term = getenv("TERM");
  *p = (sweep_progress){.n = n, .before = before};
  double t = core_seconds();
  p->terminal = isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb"));
  p->next = t + (p->terminal ? 0.5 : 10);
}

/* "3 s", "4 min", "2.5 h" */
static void duration(double s, char *text, size_t size) {
  if (!isfinite(s))
    snprintf(text, size, "? s");
  else if (s < 100)
    snprintf(text, size, "%.0f s", s);
  else if (s < 6000)
    snprintf(text, size, "%.0f min", s / 60);
  else
    snprintf(text, size, "%.1f h", s / 3600);
}

/* samples per second since the first results came; 0 when that is not known yet */
static double rate_of(sweep_progress *p, size_t done, double t) {
  if (!p->counting && done > p->before) {
    p->counting = 1;
    p->before = done;
    p->start = t;
  }
  return p->counting && t > p->start ? (double)(done - p->before) / (t - p->start) : 0;
}

void sweep_progress_show(sweep_progress *p, size_t done) {
  double t = core_seconds(), rate = rate_of(p, done, t);
  if (t < p->next) return;
  p->next = t + (p->terminal ? 0.2 : 30);
  char left[24], bar[BAR + 1];
  duration((double)(p->n - done) / rate, left, sizeof left);
  int filled = p->n ? (int)((double)BAR * (double)done / (double)p->n) : BAR;
  memset(bar, '.', BAR);
  memset(bar, '#', (size_t)filled);
  bar[BAR] = '\0';
  if (p->terminal)
    fprintf(stderr, "\r[%s] %zu/%zu  %.4g/s  %s left \033[K", bar, done, p->n, rate, left);
  else
    fprintf(stderr, "sweep: %zu of %zu, %.4g/s, %s left\n", done, p->n, rate, left);
  fflush(stderr);
  p->shown = 1;
}

void sweep_progress_end(sweep_progress *p) {
  if (p->terminal && p->shown) fputs("\r\033[K", stderr);
  p->shown = 0;
}
