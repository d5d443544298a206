/* The planar path once more, straight down: what Morgan's Fig 2.8 becomes when only its end counts.
 *
 * Sliding with sign s: dv/dp_n = (b - mu s a, c - mu s b) = (kt, kn), kn > 0.
 *
 * No pause of v_t: on one straight line the three endings are the same point,
 *
 *   p_n = (1 + e) p_c,  p_c = -v_n/kn,  v_n+ = -e v_n-,  lost = (1 - e^2) p_c |v_n|/2
 *
 * Else v_t = 0 at p_1 = -v_t/kt with v_1 = v_n + kn p_1, and from there dp_t = m dp_n: m = -b/a
 * (stick) or -mu sign(b) (reversal), dv_n/dp_n = k = c + m b. Compression takes the work w_c before
 * or after p_1; what comes after p_1 covers x, so that with w_1 the work up to p_1
 *
 *   energetic   v_+^2 = v_1^2 + 2 k (w_c - e^2 w_c - w_1)
 *   kinetic     v_+ = v_1 + k ((1 + e) p_c - p_1)
 *   kinematic   v_+ = -e v_n
 *   x = (v_+ - v_1)/k = 2 (work after p_1)/(v_+ + v_1)
 */
#include <float.h>
#include <math.h>

#include "impact/laws/rigid/planar.h"
#include "impact/laws/tolerance.h"

/* where the bend is, and what follows it */
typedef struct bend {
  double p, v, work;  /* at v_t = 0: p_n [N s], v_n [m/s], normal work [J] */
  double m, k;        /* dp_t/dp_n and dv_n/dp_n after it */
  double p_c, work_c; /* at the end of compression */
} bend;

/* length of the path after the bend, and v_n at its end */
static inline double rest(const law_rule *rule, const bend *at, double before, double *v) {
  if (rule->ending == LAW_ENERGETIC) {
    /* split where compression ends: no difference of nearly equal works */
    double given = at->v < 0 ? 0 : at->work - at->work_c;
    double R = -rule->e * rule->e * at->work_c - given, forth = at->v < 0 ? 0 : at->v;
    if (R < 0) R = 0;
    *v = sqrt(forth * forth + 2 * at->k * R);
    if (at->v < 0) return (*v - at->v) / at->k;
    return R > 0 ? 2 * R / (*v + at->v) : 0;
  }
  if (rule->ending == LAW_KINETIC) {
    double x = (1 + rule->e) * at->p_c - at->p;
    if (x < 0) x = 0;
    *v = at->v + at->k * x;
    if (*v < 0) *v = 0;
    return x;
  }
  *v = -rule->e * before;
  if (*v < at->v) *v = at->v;
  return (*v - at->v) / at->k;
}

static inline void finish(impact_result *r, double pt, double pn, double vt, double vn,
                          double lost_restitution, double lost_friction, unsigned flags,
                          double before) {
  r->p[0] = pt, r->p[1] = pn, r->v[0] = vt, r->v[1] = vn;
  r->lost_restitution = lost_restitution, r->lost_friction = lost_friction;
  r->flags = lost_restitution + lost_friction < TOL_GAINED * before * pn
                 ? flags | IMPACT_GAINS_ENERGY
                 : flags;
}

int law_planar_quick(const law_rule *rule, const impact_problem *pr, impact_result *r) {
  double a = pr->W[0], b = pr->W[1], c = pr->W[3], vt = pr->v[0], vn = pr->v[1], mu = rule->mu;
  double f = vt > 0 ? mu : -mu, kt = b - f * a, kn = c - f * b;
  if (vt == 0 || mu > 1 || !(kn > 0)) return 0;
  bend at = {.p_c = -vn / kn};
  at.work_c = at.p_c * vn / 2;
  double pn = (1 + rule->e) * at.p_c, slid = vt + kt * pn;
  if (slid * vt > 0) {
    finish(r, -f * pn, pn, slid, -rule->e * vn, (rule->e * rule->e - 1) * at.work_c,
           f * pn * (vt + slid) / 2, 0, vn);
    return 1;
  }
  int slips = fabs(b) > rule->mu_static * a;
  at.m = slips ? (b > 0 ? -mu : mu) : -b / a;
  at.k = c + at.m * b;
  if (!(at.k > 8 * DBL_EPSILON * c)) return 0;
  at.p = -vt / kt;
  at.v = vn + kn * at.p;
  at.work = at.p * (vn + at.v) / 2;
  if (at.v < 0) at.p_c = at.p - at.v / at.k, at.work_c = at.work - at.v * at.v / at.k / 2;
  double v, x = rest(rule, &at, vn, &v), work = at.work + x * (at.v + v) / 2;
  double out = slips ? (b + at.m * a) * x : 0;
  finish(r, slips ? at.m * x - f * at.p : -(vt + b * (at.p + x)) / a, at.p + x, out, v, -work,
         (f * at.p * vt - at.m * x * out) / 2, slips ? 0 : IMPACT_STUCK, vn);
  return 1;
}
