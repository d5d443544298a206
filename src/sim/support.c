/* Contacts as a problem of contact modes (impact/modes.h), and how they share a load.
 *
 *   u = W' p + b',   p: forces (or impulses), u: accelerations (or velocities)
 *
 * A contact that slides along s has one unknown: its force points along n - mu s, so that of its
 * rows of W only n is left, and of its columns W (n - mu s); so has one without friction, where s
 * is nothing. Those at rest keep their rows and their cone.
 *
 * Contacts that depend on each other share a load by giving a little:  W' + w, w a small part of
 * the largest diagonal; for friction w in inverse proportion to what the contact has of it, so that
 * the legs of a table on a slope reach their limits together. That is the smallest p within all
 * cones as w goes to 0.
 */
#include <math.h>
#include <string.h>

#include "sim/support.h"

static core_status take(const sim_motion *f, const impact_problem *pr, sim_support *z) {
  size_t n = (size_t)pr->nc, rows = (size_t)pr->rows;
  z->first = core_scratch_ints(f->s, n + 1 + rows);
  z->W = core_scratch_doubles(f->s, rows * rows + 3 * rows + n);
  if (!z->first || !z->W) return CORE_NO_MEMORY;
  z->row = z->first + n + 1;
  z->b = z->W + rows * rows, z->p = z->b + rows, z->u = z->p + rows, z->mu = z->u + rows;
  return CORE_OK;
}

/* which rows are left */
static void list_rows(const impact_problem *pr, const int *line, sim_support *z) {
  z->first[0] = 0;
  for (int i = 0; i < pr->nc; i++) {
    int last = impact_normal(pr, i), from = line[i] ? last : impact_first(pr, i);
    z->first[i + 1] = z->first[i] + last - from + 1;
    for (int r = from; r <= last; r++) z->row[z->first[i] + r - from] = r;
  }
}

/* column `at` of W', of contact i: that of its row, less mu s of the tangential ones for a line */
static void fill_column(const impact_problem *pr, int i, double mu, const double *s, int at,
                        sim_support *z) {
  int first = impact_first(pr, i), n = impact_normal(pr, i), rows = z->m.rows;
  double *to = z->W + at * rows;
  for (int k = 0; k < rows; k++) {
    to[k] = pr->W[z->row[at] * pr->rows + z->row[k]];
    for (int r = first; mu > 0 && r < n; r++)
      to[k] -= mu * s[r - first] * pr->W[r * pr->rows + z->row[k]];
  }
}

core_status sim_support_make(const sim_motion *f, const sim_space *space, const sim_closed *c,
                             const int *line, const double *mu, const double *b, sim_support *z) {
  const impact_problem *pr = &space->setup.problem;
  core_status status = take(f, pr, z);
  if (status) return status;
  list_rows(pr, line, z);
  z->m = (impact_modes){.nc = c->n, .dim = 1, .rows = z->first[c->n], .W = z->W, .b = z->b};
  z->m.mu = z->mu, z->m.first = z->first;
  for (int i = 0; i < c->n; i++) {
    int rows = z->first[i + 1] - z->first[i];
    double drags = line[i] && impact_rows_of(pr, i) > 1 ? mu[c->ids[i]] : 0;
    z->mu[i] = line[i] ? 0 : f->hold[c->ids[i]];
    z->m.general |= drags > 0;
    z->m.dim = rows > z->m.dim ? rows : z->m.dim;
    for (int k = z->first[i]; k < z->first[i + 1]; k++) {
      z->b[k] = b[z->row[k]];
      fill_column(pr, i, drags, c->slip + 2 * i, k, z);
    }
  }
  return CORE_OK;
}

/* ---- sharing ---- */

/* W' with w added to its diagonal, which is given; p (or NULL: all alike) has the normal forces to
 * share by */
static void soften(sim_support *z, const double *diagonal, double w, const double *p) {
  double most = 0;
  for (int i = 0; i < z->m.nc && p; i++)
    most = fmax(most, fmin(z->mu[i], SIM_MOST_MU) * p[z->first[i + 1] - 1]);
  for (int i = 0; i < z->m.nc; i++)
    for (int k = z->first[i]; k < z->first[i + 1]; k++) {
      int n = z->first[i + 1] - 1;
      double share =
          k == n || !(most > 0) ? 1 : fmin(z->mu[i], SIM_MOST_MU) * p[n] / most; /* NOLINT */
      z->W[k * (z->m.rows + 1)] = diagonal[k] + w / fmax(share, SIM_LEAST_SHARE);
    }
}

core_status sim_support_share(const sim_motion *f, sim_support *z) {
  int rows = z->m.rows;
  double w = 0, *p = core_scratch_doubles(f->s, 3 * (size_t)rows);
  if (!p) return CORE_NO_MEMORY;
  double *diagonal = p + rows, *q = diagonal + rows;
  for (int k = 0; k < rows; k++) {
    diagonal[k] = z->W[k * (rows + 1)];
    w = fmax(w, SIM_GIVES * diagonal[k]);
  }
  soften(z, diagonal, w, NULL);
  z->m.guess = z->p;
  core_status status = impact_modes_solve(&z->m, f->s, p, z->u);
  soften(z, diagonal, w, p);
  z->m.guess = p;
  if (!status) status = impact_modes_solve(&z->m, f->s, q, z->u);
  soften(z, diagonal, 0, NULL);
  z->m.guess = q;
  return status ? status : impact_modes_solve(&z->m, f->s, z->p, z->u);
}

/* ---- contacts that are held together ---- */

/* lines are those that slide; it begins with the forces that held when the modes were chosen: there
 * may be other solutions, in which they do not stand */
static core_status make_closed(const sim_motion *f, const sim_space *space, sim_support *z) {
  const sim_closed *c = &f->closed;
  int *line = core_scratch_ints(f->s, (size_t)c->n);
  if (!line) return CORE_NO_MEMORY;
  for (int i = 0; i < c->n; i++) line[i] = !sim_stands(c->mode[i]);
  core_status status = sim_support_make(f, space, c, line, f->mu, space->a_free, z);
  if (status) return status;
  for (int i = 0; i < c->n; i++)
    for (int k = z->first[i]; k < z->first[i + 1]; k++) z->p[k] = c->held[3 * i + k - z->first[i]];
  z->m.guess = z->p;
  return CORE_OK;
}

/* the largest acceleration of contacts that should stand */
static double moves(const sim_support *z) {
  double most = 0;
  for (int k = 0; k < z->m.rows; k++) most = fmax(most, fabs(z->u[k]));
  return most;
}

static double may_move(const sim_space *space) {
  double size = 0;
  for (int k = 0; k < space->setup.problem.rows; k++) size = fmax(size, fabs(space->a_free[k]));
  return SIM_STANDS * size;
}

core_status sim_support_hold(sim_motion *f, const sim_space *space, double *margin) {
  sim_support z;
  core_mark mark = core_scratch_mark(f->s);
  core_status status = make_closed(f, space, &z);
  core_status found = status ? status : impact_modes_solve(&z.m, f->s, z.p, z.u);
  *margin = may_move(space) - (found ? 0 : moves(&z));
  core_scratch_release(f->s, mark);
  return found == CORE_INTERRUPTED ? found : status;
}

/* z->p as forces in the rows of the space */
static void spread(const sim_motion *f, const impact_problem *pr, const sim_support *z,
                   double *force) {
  memset(force, 0, (size_t)pr->rows * sizeof *force);
  for (int k = 0; k < z->m.rows; k++) force[z->row[k]] = z->p[k];
  for (int i = 0; i < f->closed.n; i++) {
    int n = impact_normal(pr, i), first = impact_first(pr, i);
    for (int r = first; r < n && !sim_stands(f->closed.mode[i]); r++)
      force[r] = -f->mu[f->closed.ids[i]] * f->closed.slip[2 * i + r - first] * force[n];
  }
}

core_status sim_support_forces(sim_motion *f, const sim_space *space, double *force) {
  sim_support z;
  core_mark mark = core_scratch_mark(f->s);
  core_status status = make_closed(f, space, &z);
  if (!status) status = sim_support_share(f, &z);
  if ((!status && moves(&z) > may_move(space)) || status == CORE_NOT_CONVERGED) {
    status = make_closed(f, space, &z); /* not there: the forces next to those of the choice */
    if (!status) status = impact_modes_solve(&z.m, f->s, z.p, z.u);
    z.m.guess = NULL;
    if (status == CORE_NOT_CONVERGED) status = impact_modes_solve(&z.m, f->s, z.p, z.u);
  }
  if (!status) spread(f, &space->setup.problem, &z, force);
  core_scratch_release(f->s, mark);
  f->redundant = 1;
  return status == CORE_INTERRUPTED || status == CORE_NO_MEMORY ? status : CORE_OK;
}

/* ---- is that all? ---- */

static void count_one(void *self, const double *p, const double *u) {
  (void)p, (void)u;
  ++*(int *)self;
}

core_status sim_support_count(sim_motion *f, const sim_space *space, const sim_closed *c,
                              const int *line, int *count) {
  enum { MOST = 4 }; /* contacts: 4^4 combinations */
  sim_support z;
  int n = 0;
  *count = c->n ? -1 : 1;
  if (c->n == 0 || c->n > MOST) return CORE_OK;
  core_mark mark = core_scratch_mark(f->s);
  core_status status = sim_support_make(f, space, c, line, f->mu, space->a_free, &z);
  if (!status && impact_modes_all(&z.m, f->s, count_one, &n) >= 0) *count = n;
  core_scratch_release(f->s, mark);
  return status;
}

core_status sim_support_solutions(sim_motion *f, const sim_space *space, int *count) {
  const sim_closed *c = &f->closed;
  core_mark mark = core_scratch_mark(f->s);
  int *line = core_scratch_ints(f->s, (size_t)c->n);
  if (!line) return CORE_NO_MEMORY;
  for (int i = 0; i < c->n; i++) {
    int friction = f->hold[c->ids[i]] > 0 && sim_rows_of(f, c->ids[i]) > 1;
    line[i] = !friction || c->mode[i] == SIM_MODE_SLIP;
  }
  core_status status = sim_support_count(f, space, c, line, count);
  core_scratch_release(f->s, mark);
  return status;
}
