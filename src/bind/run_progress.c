/* How far a run is, for runs that take long: one line on a terminal that is written over, a line
 * now and then elsewhere. Workers of a sweep say nothing: the sweep does. */
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bind/run.h"
#include "core/clock.h"

typedef struct progress {
  void (*then)(void *self, double t, const double *y); /* who else wants to know; may be NULL */
  void *then_self;
  double t_start, t_end; /* of the run [s] */
  long calls;            /* steps so far */
  double next;           /* when to show it again [s] */
  int terminal;          /* standard error is one */
  int shown;
} progress;

static pid_t home; /* the process that is not a worker */

static void show(progress *p, double t) {
  double part = (t - p->t_start) / (p->t_end - p->t_start);
  p->next = core_seconds() + (p->terminal ? 0.2 : 30);
  fprintf(stderr, "%ssimulate: t = %.8g s, %.3g %% of the run, %ld steps%s",
          p->terminal ? "\r" : "", t, 100 * part, p->calls, p->terminal ? " \033[K" : "\n");
  fflush(stderr);
  p->shown = 1;
}

static void step(void *self, double t, const double *y) {
  progress *p = self;
  if (p->then) p->then(p->then_self, t, y);
  if (++p->calls % 256 == 0 && core_seconds() > p->next) show(p, t);
}

void bind_run_progress(lua_State *L, sim_options *o) {
  const char *term = getenv("TERM");
  progress *p = lua_newuserdatauv(L, sizeof *p, 0);
  *p = (progress){.then = o->progress, .then_self = o->progress_self};
  p->t_start = o->t_start;
  p->t_end = o->t_end;
  p->terminal = isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb"));
  p->next = getpid() == home ? core_seconds() + (p->terminal ? 1 : 10) : INFINITY;
  o->progress = step;
  o->progress_self = p;
}

void bind_run_progress_end(lua_State *L, int index) {
  const progress *p = lua_touserdata(L, index);
  if (p->terminal && p->shown) fputs("\r\033[K", stderr);
}

void bind_open_run_progress(void) {
  home = getpid();
}
