/* Obstacles that squeeze the bodies without end.
 *
 * v = v_r + v_0, where W v_0 = 0: no impulse changes v_0, the velocity of obstacles against each
 * other. By v' = W F and y' = v the energy of the bodies and springs,
 * E = v_r.W^+ v_r / 2 + strain, changes by
 *
 *   E' = -F.v_0 - (what friction and restitution take)
 *
 * Where obstacles are at rest, or move as one, E never grows and bodies part. Where they close on
 * the bodies forces may grow for ever: with F ~ t the work -p.v_0 grows as t^2. When that is 1e4
 * times the energies of the impact, forces and time are a hundred times those of an impact: it has
 * not ended, and stick-slip under such a load is chaotic, so that no digit of an end would be
 * right.
 */
#include <string.h>

#include "core/lin.h"
#include "impact/laws/compliant/state.h"

/* the check is nothing beside so many steps */
enum { STEPS_BETWEEN_CHECKS = 256 };

/* energy that each row would take if it stopped alone */
static double energy_of_rows(const compliant *z) {
  double sum = 0;
  for (int r = 0; r < z->rows; r++) {
    double w = z->W[(size_t)r * (size_t)(z->rows + 1)], v = z->pr->v[r];
    if (w > 0) sum += v * v / (2 * w);
  }
  return sum;
}

/* energy that bodies have lost to springs, friction and restitution */
static double given_up(const compliant *z) {
  double sum = 0;
  for (int r = 0; r < z->rows; r++) sum -= z->p[r] * (z->pr->v[r] + z->v[r]) / 2;
  return sum;
}

/* v_0, and the energy of v_r before the impact */
static core_status split_velocity(compliant *z) {
  int n = z->rows, rank;
  double *x = z->row_work;
  compliant_squeeze *q = &z->squeeze;
  q->v = core_scratch_doubles(z->scratch, (size_t)n);
  if (!q->v) return CORE_NO_MEMORY;
  core_status status = core_lin_least_squares(n, n, z->W, 1, z->pr->v, -1, z->scratch, x, &rank);
  memcpy(q->v, z->pr->v, (size_t)n * sizeof *q->v);
  compliant_multiply(z, -1, x, q->v);
  q->kinetic = dot(n, z->pr->v, x) / 2;
  return status;
}

core_status compliant_check_squeeze(compliant *z) {
  if (++z->steps % STEPS_BETWEEN_CHECKS) return CORE_OK;
  double energy = energy_of_rows(z);
  if (!(given_up(z) > LIMIT_SQUEEZED * energy)) return CORE_OK; /* it is v_r + work at most */
  core_status status = z->squeeze.v ? CORE_OK : split_velocity(z);
  if (status) return core_fail(z->err, status, "law.compliant: %s", core_status_text(status));
  double work = -dot(z->rows, z->p, z->squeeze.v);
  energy += z->squeeze.kinetic;
  if (!(work > LIMIT_SQUEEZED * energy)) return CORE_OK;
  return core_fail(z->err, CORE_LIMIT,
                   "law.compliant: obstacles that move against each other squeeze the bodies "
                   "without end: up to t = %.6g s they did %.2g times the work of an impact",
                   z->time * z->unit, work / energy);
}
