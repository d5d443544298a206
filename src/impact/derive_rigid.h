/* The normal direction of a rigid impact, with derivatives: what derive_planar.c and derive_space.c
 * share. On a straight piece v_n += k x, work += x (v_n + v_n+)/2; compression ends at v_n = 0, and
 * the whole by the law's rule (laws/rigid/rigid.h):
 *
 *   energetic   work = (1 - e^2) work_c      kinetic   p_n = (1 + e) p_c      kinematic   v_n = -e
 * v_n-
 */
#ifndef IMPACT_DERIVE_RIGID_H
#define IMPACT_DERIVE_RIGID_H

#include <string.h>

#include "impact/derive.h"
#include "impact/derive_dual.h"
#include "impact/tolerance.h"

typedef enum ending { ENERGETIC, KINETIC, KINEMATIC } ending;

typedef struct normal {
  ending end;
  dual e, before;  /* restitution; v_n before [m/s] */
  dual p, v, work; /* so far */
  dual pc, wc;     /* at the end of compression */
  double size;     /* of the direction, of the numbers that change */
  int compressed;
  int tie; /* two events come together, and would not along the direction */
} normal;

/* how large a direction is beside the numbers that it changes: n of x by d, or nothing */
static inline double part_of(int n, const double *x, const double *d) {
  double most = 0, by = 0;
  for (int i = 0; i < n && d; i++) most = fmax(most, fabs(x[i])), by = fmax(by, fabs(d[i]));
  return most > 0 ? by / most : 0;
}

static inline int ending_of(const law *l, ending *end) {
  const char *name = l->type->name;
  if (!strcmp(name, "stronge")) return *end = ENERGETIC, 1;
  if (!strcmp(name, "poisson")) return *end = KINETIC, 1;
  return *end = KINEMATIC, !strcmp(name, "newton") || !strcmp(name, "plastic");
}

static inline normal normal_start(const law *l, const impact_problem *pr, const impact_direction *d,
                                  ending end) {
  double e = impact_value(l, "e", 0);
  normal n = {.end = end, .v = number_at(pr->v, d->v, pr->dim - 1)};
  n.before = n.v;
  n.size = part_of(pr->dim * pr->dim, pr->W, d->W) + part_of(pr->dim, pr->v, d->v);
  if (d->of) n.size += 1;
  n.e = (dual){isnan(e) ? 0 : e, impact_change(l, d, "e", 0)};
  return n;
}

/* along a straight piece of length x and slope k */
static inline void normal_go(normal *n, dual x, dual k) {
  dual v = add(n->v, mul(k, x));
  n->work = add(n->work, times(0.5, mul(x, add(n->v, v))));
  n->p = add(n->p, x);
  n->v = v;
}

/* at v_n = 0 */
static inline void normal_turn(normal *n) {
  n->v = (dual){0, 0};
  n->pc = n->p, n->wc = n->work;
  n->compressed = 1;
}

/* how far the last piece goes when it is straight */
static inline dual normal_last(const normal *n, dual k) {
  dual one = {1, 0};
  if (n->end == KINETIC) return sub(mul(add(one, n->e), n->pc), n->p);
  if (n->end == KINEMATIC) return over(sub(minus(mul(n->e, n->before)), n->v), k);
  if (n->v.x == 0 && n->v.d == 0) /* straight from greatest compression */
    return mul(n->e, root(over(times(-2, n->wc), k)));
  dual rest = sub(sub(n->wc, mul(mul(n->e, n->e), n->wc)), n->work);
  return over(sub(root(add(mul(n->v, n->v), times(2, mul(k, rest)))), n->v), k);
}

/* the function that is zero where compression, or the impact, ends */
static inline dual normal_event(const normal *n, dual p, dual v, dual work) {
  dual one = {1, 0};
  if (!n->compressed) return v;
  if (n->end == KINETIC) return sub(p, mul(add(one, n->e), n->pc));
  if (n->end == KINEMATIC) return add(v, mul(n->e, n->before));
  return sub(work, mul(sub(one, mul(n->e, n->e)), n->wc));
}

/* a piece of length x between two events */
static inline void note_length(normal *n, dual x) {
  int together = fabs(x.x) < TOL_TOGETHER * n->p.x;
  if (together && fabs(x.d) > TOL_TOGETHER_PART * n->size * n->p.x) n->tie = 1;
}

#endif
