/* Springs between two events, by Taylor series with derivatives.
 *
 *   v' = W F,  p' = F,  n' = v_n,  F_n = -k n
 *   stick   x' = v_t,  F_t = -kt x
 *   slip    x = rho d, |d| = 1, rho = -mu (k/kt) n,  F_t = -mu F_n d,  rho d' = v_t - (v_t.d) d
 *
 * In the plane d stays as it is. In space d' is a quotient of series; where a contact slides from
 * n = 0 on, rho_0 = 0 and d_0 = v_t/|v_t|, coefficient k of the same equation is
 *
 *   (k rho_1 + |v_t|) d_k + |v_t| (d_0.d_k) d_0 = what lower ones give
 *
 * Towards its opening a contact's direction turns ever faster, with ever smaller forces: when n has
 * fallen to TOL_FROZEN of its largest value, what is left of its impulse is the square of that.
 */
#include <string.h>

#include "core/interrupt.h"
#include "impact/derive_springs.h"

enum { ORDER = SPRINGS_ORDER, STEPS = 3000 };

/* ---- directions ---- */

static int turns(const springs *z, int i) {
  const contact *c = &z->c[i];
  if (!c->closed || c->grip != SLIDING || c->m < 2) return 0;
  return c->fresh || -normal_of(z, i)[0].x > TOL_FROZEN * c->deepest;
}

/* [unit (v_t - (v_t.d) d) - sum_{j >= from} rho_j (k + 1 - j) d_{k + 1 - j}]_k, both components */
static void drive(const springs *z, int i, int k, int from, const dual *along, dual *out) {
  const contact *c = &z->c[i];
  const dual *n = normal_of(z, i), factor = minus(soft(c));
  for (int j = 0; j < 2; j++) {
    const dual *d = direction_of(z, i, j);
    dual sum = {0, 0};
    for (int a = from; a <= k; a++) sum = add(sum, times(k + 1 - a, mul(n[a], d[k + 1 - a])));
    out[j] = times(z->unit, sub(velocity_of(z, c->t + j)[k], product(k, along, d)));
    out[j] = sub(out[j], mul(factor, sum));
  }
}

/* coefficient k of v_t.d */
static dual along_at(const springs *z, int i, int k) {
  const contact *c = &z->c[i];
  return add(product(k, velocity_of(z, c->t), direction_of(z, i, 0)),
             product(k, velocity_of(z, c->t + 1), direction_of(z, i, 1)));
}

/* d_{k + 1} from the equation at order k */
static void turn_on(springs *z, int i, int k, dual *along) {
  dual rhs[2], rho = minus(mul(soft(&z->c[i]), normal_of(z, i)[0]));
  along[k] = along_at(z, i, k);
  drive(z, i, k, 1, along, rhs);
  for (int j = 0; j < 2; j++) direction_of(z, i, j)[k + 1] = over(times(1. / (k + 1), rhs[j]), rho);
}

/* d_k from the equation at order k, where rho_0 = 0 */
static void turn_fresh(springs *z, int i, int k, dual *along) {
  dual *first = direction_of(z, i, 0), *second = direction_of(z, i, 1), rhs[2], none = {0, 0};
  dual d0[2] = {first[0], second[0]}, rho1 = minus(mul(soft(&z->c[i]), normal_of(z, i)[1]));
  if (k == 0) {
    along[0] = along_at(z, i, 0);
    return;
  }
  first[k] = second[k] = none;
  along[k] = along_at(z, i, k); /* without d_k */
  drive(z, i, k, 2, along, rhs);
  dual speed = times(z->unit, along[0]), part = dot2(rhs, d0), width = add(times(k, rho1), speed);
  dual aside = over(minus(mul(part, speed)), mul(width, add(width, speed)));
  for (int j = 0; j < 2; j++)
    direction_of(z, i, j)[k] = add(over(rhs[j], width), mul(aside, d0[j]));
  along[k] = along_at(z, i, k);
}

/* ---- everything ---- */

static void forces_at(springs *z, int k) {
  for (int i = 0; i < z->nc; i++) {
    const contact *c = &z->c[i];
    dual none = {0, 0}, *normal = z->force + c->n * (ORDER + 1);
    normal[k] = c->closed ? minus(mul(c->k, normal_of(z, i)[k])) : none;
    for (int j = 0; j < c->m; j++) {
      dual *f = z->force + (c->t + j) * (ORDER + 1);
      f[k] = none;
      if (c->closed && c->grip == STUCK) f[k] = minus(mul(c->kt, spring_of(z, i, j)[k]));
      if (c->closed && c->grip == SLIDING)
        f[k] = minus(mul(c->mu, product(k, normal, direction_of(z, i, j))));
    }
  }
}

/* coefficient k + 1 of all but the directions */
static void raise_order(springs *z, int k) {
  double f = z->unit / (k + 1);
  for (int r = 0; r < z->rows; r++) {
    dual sum = {0, 0};
    for (int j = 0; j < z->rows; j++)
      sum = add(sum, mul(z->W[j * z->rows + r], z->force[j * (ORDER + 1) + k]));
    velocity_of(z, r)[k + 1] = times(f, sum);
    impulse_of(z, r)[k + 1] = times(f, z->force[r * (ORDER + 1) + k]);
  }
  for (int i = 0; i < z->nc; i++) {
    const contact *c = &z->c[i];
    dual none = {0, 0};
    normal_of(z, i)[k + 1] = times(f, velocity_of(z, c->n)[k]);
    for (int j = 0; j < 2; j++) {
      int holds = j < c->m && c->closed && c->grip == STUCK;
      spring_of(z, i, j)[k + 1] = holds ? times(f, velocity_of(z, c->t + j)[k]) : none;
      direction_of(z, i, j)[k + 1] = none;
    }
  }
}

/* fresh contacts have d_k before the forces of order k, the others d_{k + 1} after them */
void springs_expand(springs *z, int order, double unit) {
  z->unit = unit;
  for (int k = 0; k < order; k++) {
    for (int i = 0; i < z->nc; i++)
      if (turns(z, i) && z->c[i].fresh) turn_fresh(z, i, k, z->along + i * (ORDER + 1));
    forces_at(z, k);
    raise_order(z, k);
    for (int i = 0; i < z->nc; i++)
      if (turns(z, i) && !z->c[i].fresh) turn_on(z, i, k, z->along + i * (ORDER + 1));
  }
}

/* fastest rate of the springs, for steps whose series converge at once */
static double fastest(const springs *z) {
  double sum = 0;
  for (int i = 0; i < z->nc; i++) {
    const contact *c = &z->c[i];
    sum += c->k.x * z->W[c->n * z->rows + c->n].x;
    for (int j = 0; j < c->m; j++) sum += c->kt.x * z->W[(c->t + j) * (z->rows + 1)].x;
  }
  return sqrt(sum);
}

/* how far the series of the directions are good, in units of time */
static double reach(const springs *z) {
  double most = 0;
  for (int i = 0; i < z->nc; i++) {
    if (!turns(z, i)) continue;
    const dual *first = direction_of(z, i, 0), *second = direction_of(z, i, 1);
    double slow = fmax(1, fmax(fabs(first[0].d), fabs(second[0].d)));
    for (int k = ORDER - 2; k < ORDER; k++) {
      double size = fmax(fabs(first[k].x), fabs(second[k].x));
      size = fmax(size, fmax(fabs(first[k].d), fabs(second[k].d)) / slow);
      if (size > 0) most = fmax(most, pow(size, 1. / k));
    }
  }
  return most > 0 ? REACH_OF_SERIES / most : INFINITY;
}

static void move_by(springs *z, double t) {
  for (int i = 0; i < z->size; i++) {
    dual *a = springs_series(z, i);
    a[0] = series_at(ORDER, a, (dual){t, 0});
  }
  for (int i = 0; i < z->nc; i++) {
    contact *c = &z->c[i];
    dual *first = direction_of(z, i, 0), *second = direction_of(z, i, 1), d[2] = {*first, *second};
    c->fresh = 0;
    if (c->closed) c->deepest = fmax(c->deepest, -normal_of(z, i)[0].x);
    if (c->grip != SLIDING || c->m < 2) continue;
    dual size = root(dot2(d, d));
    *first = over(d[0], size), *second = over(d[1], size);
  }
}

core_status springs_advance(springs *z, double t) {
  double longest = 1 / fastest(z), unit = longest;
  for (int i = 0; t != 0; i++) {
    if (i == STEPS) return CORE_UNSUPPORTED;
    if (core_interrupted()) return CORE_INTERRUPTED;
    springs_expand(z, ORDER, unit);
    double h = fmin(fmin(fabs(t), longest), unit * reach(z));
    if (!(h > 0)) return CORE_UNSUPPORTED;
    move_by(z, copysign(h, t) / unit);
    t = fabs(t) - h > TOL_STEP_DONE * fabs(t) ? t - copysign(h, t) : 0;
    unit = h;
  }
  return CORE_OK;
}
