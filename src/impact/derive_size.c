/* Units in which the numbers of a model compare, and the length over which it changes.
 *
 *   speed    one of each alone has the energy 1/2: M_jj^-1/2
 *   row      of contact velocities: what such speeds make of it, at most
 *   length   lever arms of the contacts; where none turns about anything, radii of inertia, or what
 *            gaps are differences of
 *
 * A metre is nothing to a model of micrometres, nor to one of kilometres.
 */
#include <math.h>
#include <string.h>

#include "impact/derive.h"
#include "model/mechanism.h"

char impact_derive_unit(const model *m, int i) {
  for (const model_group *g = m->type->groups; g && g->name; g++) {
    if (g->of != 'u' || i < g->first || (g->n >= 0 && i >= g->first + g->n)) continue;
    return !strcmp(g->unit, "rad/s") ? 'r' : !strcmp(g->unit, "m/s") ? 'm' : 0;
  }
  return 0;
}

static core_status speeds(const impact_point *at, core_scratch *s, double *unit) {
  int nu = at->setup.nu;
  double *e = core_scratch_doubles(s, (size_t)nu), energy;
  core_status status = e ? CORE_OK : CORE_NO_MEMORY;
  if (e) memset(e, 0, (size_t)nu * sizeof *e);
  for (int j = 0; j < nu && !status; j++) {
    e[j] = 1;
    status = model_kinetic(at->m, at->q, e, s, &energy);
    unit[j] = energy > 0 ? 1 / sqrt(2 * energy) : 1;
    e[j] = 0;
  }
  return status;
}

static void rows(const impact_point *at, impact_size *size) {
  int n = at->setup.problem.rows;
  for (int r = 0; r < n; r++) {
    double most = 0;
    for (int j = 0; j < at->setup.nu; j++)
      most = fmax(most, fabs(at->setup.J[j * n + r]) * size->speed[j]);
    size->row[r] = most > 0 ? most : 1;
  }
}

/* the rows of contact c are in metres */
static int in_metres(const impact_point *at, int c) {
  return !mechanism_of(at->m) || !mechanism_contact_turns(at->m, at->setup.contacts[c]);
}

static double levers(const impact_point *at) {
  const impact_problem *pr = &at->setup.problem;
  double most = 0;
  for (int c = 0, r = 0; c < pr->nc; c++)
    for (int end = r + impact_rows_of(pr, c); r < end; r++)
      for (int j = 0; j < at->setup.nu && in_metres(at, c); j++)
        if (impact_derive_unit(at->m, j) == 'r')
          most = fmax(most, fabs(at->setup.J[j * pr->rows + r]));
  return most;
}

/* root of the largest moment of inertia over the largest mass, or 0 */
static double radius(const impact_point *at, const double *speed) {
  double turns = INFINITY, moves = INFINITY;
  for (int j = 0; j < at->setup.nu; j++) {
    char unit = impact_derive_unit(at->m, j);
    if (unit == 'r') turns = fmin(turns, speed[j]);
    if (unit == 'm') moves = fmin(moves, speed[j]);
  }
  return isinf(moves) ? 0 : moves / turns;
}

static double places(const impact_point *at) {
  double most = 0;
  for (int c = 0; c < at->setup.problem.nc; c++)
    if (in_metres(at, c)) most = fmax(most, model_size(at->m, at->q, at->setup.contacts[c]));
  return most > 0 ? most : 1;
}

double impact_derive_stride(const impact_point *at, int i) {
  const impact_problem *pr = &at->setup.problem;
  double far = 0, reach = 0;
  if (at->m->shape.nq != at->setup.nu) return 0;
  for (int r = 0; r < pr->rows; r++) {
    double sum = 0;
    for (int j = 0; j < at->setup.nu; j++) sum += fabs(at->setup.J[j * pr->rows + r] * at->q[j]);
    far = fmax(far, sum), reach = fmax(reach, fabs(at->setup.J[i * pr->rows + r]));
  }
  return reach > 0 ? far / reach : 0;
}

core_status impact_derive_sizes(const impact_point *at, core_scratch *s, impact_size *size) {
  size->speed = core_scratch_doubles(s, (size_t)(at->setup.nu + at->setup.problem.rows));
  size->row = size->speed + at->setup.nu;
  core_status status = size->speed ? speeds(at, s, size->speed) : CORE_NO_MEMORY;
  if (status) return status;
  rows(at, size);
  size->length = levers(at);
  if (!(size->length > 0)) size->length = radius(at, size->speed);
  if (!(size->length > 0)) size->length = places(at);
  return CORE_OK;
}
