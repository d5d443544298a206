/* One solver of contact modes: open, stick, slip, at any number of contacts, with round cones.
 *
 *   u = W p + b,   p_n >= low_n,  u_n >= 0,  (p_n - low_n) u_n = 0
 *   |p_t| <= mu p_n,   and u_t = 0, or  p_t = -mu p_n u_t/|u_t|
 *
 * Rows go contact by contact: (n), (t, n) or (t1, t2, n). With low = 0 that is
 * K* with (u_n + mu |u_t|, u_t) complementary to p in the cone K: |p_t| <= mu p_n.
 */
#ifndef IMPACT_MODES_H
#define IMPACT_MODES_H

#include "core/scratch.h"
#include "core/status.h"

typedef struct impact_modes {
  int nc, dim, rows; /* rows = nc * dim */
  const double *W;   /* rows x rows, symmetric, positive semi-definite [1/kg] */
  const double *b;   /* rows [m/s] */
  const double *mu;  /* nc, may be infinite */
  const double *low; /* nc: least normal impulse [N s]; NULL: zero */
} impact_modes;

/* what is promised of an answer: impact_modes_residual stays below */
static const double IMPACT_MODES_PROMISE = 1e-12;

/* Solves into p and u. CORE_NOT_CONVERGED: the residual promised was not reached; CORE_JAM: no
 * impulse keeps the contacts apart (without friction). */
core_status impact_modes_solve(const impact_modes *m, core_scratch *s, double *p, double *u);

/* Largest |p - proj(p - rho u)| of a contact by Alart and Curnier's projections, rho = 1/W_nn and
 * 1/W_tt, over the largest |p| and rho |b|: 0 for a solution, and free of units. */
double impact_modes_residual(const impact_modes *m, const double *p, const double *u);

enum { IMPACT_MODES_MOST = 8 }; /* contacts for which all solutions are sought */

/* All solutions of a planar problem (dim 2) of up to IMPACT_MODES_MOST contacts (6 with a least
 * impulse at each), by trying every combination of modes: `found(self, p, u)` is called for each
 * whose u differs from those before. Returns how many there are, or -1 when memory is out or the
 * problem is too large.
 */
int impact_modes_all(const impact_modes *m, core_scratch *s,
                     void (*found)(void *self, const double *p, const double *u), void *self);

#endif
