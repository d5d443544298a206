/* The proximal point method: a chain of easier problems, each near the last answer.
 *
 *   u = (W + a D) p + (b - a D p_last),   D = diag(1/rho)
 *
 * With a large every contact is nearly alone, and Newton finds the answer at once; where p stays at
 * p_last it solves the problem itself. So a falls as long as Newton follows, and rises again where
 * it does not (after that it falls more slowly). For redundant contacts and large mu this is the
 * way that seldom fails.
 */
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "impact/modes_part.h"
#include "impact/tolerance.h"

enum { LINKS = 60, STEPS = 12 };

typedef struct chain {
  impact_modes m;   /* the easier problem; W and b below */
  double *W, *b;    /* rows x rows, rows */
  double *D, *last; /* rows [1/kg], [N s] */
} chain;

static int take_memory(const modes_work *w, chain *z) {
  size_t n = (size_t)w->m->rows;
  z->W = core_scratch_doubles(w->s, n * n + 3 * n);
  if (!z->W) return 0;
  z->b = z->W + n * n, z->D = z->b + n, z->last = z->D + n;
  z->m = *w->m;
  z->m.W = z->W, z->m.b = z->b, z->m.enough = 0;
  memcpy(z->W, w->m->W, n * n * sizeof *z->W);
  for (int c = 0; c < w->m->nc; c++) {
    const modes_contact *k = &w->contact[c];
    for (int i = k->t; i < k->n; i++) z->D[i] = k->rho_t > 0 ? 1 / k->rho_t : 0;
    z->D[k->n] = k->rho_n > 0 ? 1 / k->rho_n : 0;
  }
  return 1;
}

/* the problem with this a around z->last */
static void aim(const modes_work *w, chain *z, double a) {
  int rows = w->m->rows;
  for (int i = 0; i < rows; i++) {
    z->W[i * rows + i] = w->m->W[i * rows + i] + a * z->D[i];
    z->b[i] = w->m->b[i] - a * z->D[i] * z->last[i];
  }
}

/* Newton for the easier problem, from z->last; 1 when it got there */
static int follow(modes_work *w, chain *z, core_status *status) {
  const impact_modes *m = w->m;
  w->m = &z->m;
  memcpy(w->p, z->last, (size_t)m->rows * sizeof *w->p);
  *status = modes_newton(w, STEPS, TOL_LINK);
  w->m = m;
  return !*status && w->residual <= TOL_LINK;
}

core_status modes_proximal(modes_work *w, int finish) {
  core_mark mark = core_scratch_mark(w->s);
  chain z;
  core_status status = CORE_OK;
  if (!take_memory(w, &z)) return CORE_NO_MEMORY;
  double a = 1, rise = w->near ? 2 : 3, fall = 4, softer = w->near ? 1.5 : 4,
         promise = impact_modes_promise(w->m);
  memcpy(z.last, w->p, (size_t)w->m->rows * sizeof *z.last);
  for (int i = 0; i < LINKS && !status; i++) {
    aim(w, &z, a);
    int there = follow(w, &z, &status);
    if (!there) {
      a *= rise, fall = softer;
      continue;
    }
    memcpy(z.last, w->p, (size_t)w->m->rows * sizeof *z.last);
    a /= fall;
    if (!status) status = modes_newton(w, finish, 0);
    if (status || w->residual <= promise) break;
    memcpy(w->p, z.last, (size_t)w->m->rows * sizeof *z.last);
  }
  modes_look_at_p(w); /* the residual may be that of an easier problem */
  core_scratch_release(w->s, mark);
  return status;
}
