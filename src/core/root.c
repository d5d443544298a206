#include "core/root.h"

#include <float.h>
#include <math.h>

#include "core/interrupt.h"

enum { MOST_STEPS = 4000, MOST_EXPANSIONS = 2200 };

/* one evaluation, checked */
static core_status evaluate(core_root_function f, void *self, double x, double *y,
                            core_bracket *br) {
  if (core_interrupted()) return CORE_INTERRUPTED;
  br->evaluations++;
  core_status status = f(self, x, y);
  if (status) return status;
  return isfinite(*y) ? CORE_OK : CORE_NOT_FINITE;
}

static int same_sign(double x, double y) {
  return (x > 0 && y > 0) || (x < 0 && y < 0);
}

static core_status both_ends(core_root_function f, void *self, double a, double b,
                             core_bracket *br) {
  *br = (core_bracket){.a = a, .b = b};
  core_status status = isfinite(a) && isfinite(b) ? CORE_OK : CORE_NOT_FINITE;
  if (!status) status = evaluate(f, self, a, &br->fa, br);
  if (!status) status = evaluate(f, self, b, &br->fb, br);
  return status;
}

core_status core_root_bracket(core_root_function f, void *self, double a, double b,
                              core_bracket *br) {
  core_status status = both_ends(f, self, a, b, br);
  return status ? status : same_sign(br->fa, br->fb) ? CORE_BAD_INPUT : CORE_OK;
}

/* moves one end of br outward; when the sign changes on the way, br is that last stretch */
static core_status stretch(core_root_function f, void *self, int low, double to, core_bracket *br) {
  core_bracket old = *br;
  double *x = low ? &br->a : &br->b, *y = low ? &br->fa : &br->fb;
  *x = to;
  core_status status = evaluate(f, self, to, y, br);
  if (!status && low && !same_sign(br->fa, old.fa)) br->b = old.a, br->fb = old.fa;
  if (!status && !low && !same_sign(br->fb, old.fb)) br->a = old.b, br->fa = old.fb;
  return status;
}

core_status core_root_expand(core_root_function f, void *self, double a, double b, double lo,
                             double hi, core_bracket *br) {
  if (!(a < b && lo <= a && b <= hi)) return CORE_BAD_INPUT;
  core_status status = both_ends(f, self, a, b, br);
  double step = b - a;
  for (int i = 0; !status && same_sign(br->fa, br->fb); i++) {
    int stuck_low = br->a <= lo, stuck_high = br->b >= hi;
    step *= 1.6;
    if ((stuck_low && stuck_high) || i == MOST_EXPANSIONS || !isfinite(step))
      return CORE_NOT_CONVERGED;
    /* the end with the smaller |f| is nearer to a root, unless it cannot move */
    int low = !stuck_low && (stuck_high || fabs(br->fa) < fabs(br->fb));
    status = stretch(f, self, low, low ? fmax(br->a - step, lo) : fmin(br->b + step, hi), br);
  }
  return status;
}

/* the three points of the interpolation: [x1, x2] is the bracket, x3 was left last */
typedef struct triple {
  double x1, f1, x2, f2, x3, f3;
} triple;

/* x1 + t (x2 - x1) is the next point. Inverse quadratic interpolation when it is safe (then the
 * three points are so placed that the parabola x(f) is monotonic), else the middle. */
static double interpolate(const triple *p, double least) {
  double xi = (p->x1 - p->x2) / (p->x3 - p->x2), phi = (p->f1 - p->f2) / (p->f3 - p->f2);
  double t = 0.5;
  if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)
    t = p->f1 / (p->f2 - p->f1) * (p->f3 / (p->f2 - p->f3)) +
        (p->x3 - p->x1) / (p->x2 - p->x1) * (p->f1 / (p->f3 - p->f1)) * (p->f2 / (p->f3 - p->f2));
  if (isnan(t)) return 0.5;
  return fmin(fmax(t, least), 1 - least);
}

/* x becomes x1; the end on the other side of the root becomes or stays x2 */
static void advance(triple *p, double x, double f) {
  if (same_sign(f, p->f1)) {
    p->x3 = p->x1, p->f3 = p->f1;
  } else {
    p->x3 = p->x2, p->f3 = p->f2;
    p->x2 = p->x1, p->f2 = p->f1;
  }
  p->x1 = x, p->f1 = f;
}

/* writes the ends back, each to its side */
static double keep_sides(const triple *p, core_bracket *br) {
  int swap = same_sign(p->f2, br->fa) || same_sign(p->f1, br->fb);
  br->a = swap ? p->x2 : p->x1, br->fa = swap ? p->f2 : p->f1;
  br->b = swap ? p->x1 : p->x2, br->fb = swap ? p->f1 : p->f2;
  return fabs(p->f1) < fabs(p->f2) ? p->x1 : p->x2;
}

/* Chandrupatla, Adv. Eng. Software 28 (1997) 145: as safe as bisection, as fast as Brent */
core_status core_root_find(core_root_function f, void *self, core_bracket *br, double xtol,
                           double *x) {
  if (same_sign(br->fa, br->fb) || !isfinite(br->fa + br->fb)) return CORE_BAD_INPUT;
  triple p = {br->a, br->fa, br->b, br->fb, br->b, br->fb};
  core_status status = CORE_NOT_CONVERGED;
  for (int i = 0; i < MOST_STEPS; i++) {
    double best = fabs(p.f1) < fabs(p.f2) ? p.x1 : p.x2, width = fabs(p.x2 - p.x1);
    double tol = xtol + 4 * DBL_EPSILON * fabs(best) + DBL_MIN;
    if (p.f1 == 0 || p.f2 == 0 || width <= tol) {
      status = CORE_OK;
      break;
    }
    double t = i == 0 ? p.f1 / (p.f1 - p.f2) : interpolate(&p, fmin(0.5, 0.5 * tol / width));
    double next = p.x1 + t * (p.x2 - p.x1), value;
    if (next == p.x1 || next == p.x2) next = p.x1 + 0.5 * (p.x2 - p.x1);
    status = evaluate(f, self, next, &value, br);
    if (status) break;
    advance(&p, next, value);
    status = CORE_NOT_CONVERGED;
  }
  *x = keep_sides(&p, br);
  return status;
}

/* ---- polynomials ---- */

/* b^2 - 4 a c with the rounding of both products put back (Kahan) */
static double discriminant(double a, double b, double c) {
  double p = b * b, q = 4 * a * c, d = p - q;
  if (3 * fabs(d) >= p + fabs(q)) return d;
  double dp = fma(b, b, -p), dq = fma(4 * a, c, -q);
  return d + (dp - dq);
}

/* divides by a power of two near the largest coefficient: exact, and nothing overflows */
static void normalise(int n, double *c) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(c[i]));
  if (most == 0) return;
  int e = ilogb(most);
  for (int i = 0; i < n; i++) c[i] = ldexp(c[i], -e);
}

int core_root_quadratic(double a, double b, double c, double x[2]) {
  double k[3] = {a, b, c};
  normalise(3, k);
  a = k[0], b = k[1], c = k[2];
  if (a == 0 && b == 0) return c == 0 ? -1 : 0;
  if (a == 0) return x[0] = -c / b + 0.0, 1;
  double d = discriminant(a, b, c);
  if (!(d >= 0)) return 0;
  /* q has no cancellation; the roots are q / a and c / q */
  double q = -0.5 * (b + copysign(sqrt(d), b));
  if (q == 0) return x[0] = 0, 1;
  double r = q / a + 0.0, s = c / q + 0.0;
  x[0] = fmin(r, s), x[1] = fmax(r, s);
  return d == 0 || x[0] == x[1] ? 1 : 2;
}

/* a cubic at x: its value, slope, and the quotient a x^2 + b1 x + c1 of the division by (t - x) */
typedef struct cubic {
  double a, b, c, d, x, value, slope, b1, c1;
} cubic;

static void cubic_at(cubic *p, double x) {
  double ax = p->a * x;
  p->x = x;
  p->b1 = ax + p->b;
  p->c1 = p->b1 * x + p->c;
  p->value = p->c1 * x + p->d;
  p->slope = (ax + p->b1) * x + p->c1;
}

/* One real root, the outermost on the side where Newton's iteration comes down monotonically: start
 * beyond it, at a distance from the inflection that bounds every root (Kahan). */
static void outer_root(cubic *p) {
  cubic_at(p, -(p->b / p->a) / 3);
  double t = p->value / p->a, sign = t < 0 ? -1 : 1, r = cbrt(fabs(t)), curve = -p->slope / p->a;
  if (curve > 0) r = 1.324718 * fmax(r, sqrt(curve));
  double next = p->x - sign * r;
  while (next != p->x) {
    double last = next;
    cubic_at(p, last);
    next = p->slope == 0 ? last : last - p->value / p->slope;
    if (!(sign * next > sign * last)) break; /* rounding turned it back: as near as it gets */
  }
}

/* the quotient from the other end, where that is more accurate */
static void deflate(cubic *p) {
  if (fabs(p->a) * p->x * p->x > fabs(p->d / p->x)) {
    p->c1 = -p->d / p->x;
    p->b1 = (p->c1 - p->c) / p->x;
  }
}

/* ascending, equal ones once */
static int sort_roots(int n, double *x) {
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && x[j] < x[j - 1]; j--) {
      double t = x[j];
      x[j] = x[j - 1], x[j - 1] = t;
    }
  int kept = 0;
  for (int i = 0; i < n; i++)
    if (kept == 0 || x[i] != x[kept - 1]) x[kept++] = x[i];
  return kept;
}

int core_root_cubic(double a, double b, double c, double d, double x[3]) {
  double k[4] = {a, b, c, d};
  normalise(4, k);
  if (k[0] == 0) return core_root_quadratic(k[1], k[2], k[3], x);
  cubic p = {.a = k[0], .b = k[1], .c = k[2], .d = k[3]};
  if (p.d == 0) {
    p.x = 0, p.b1 = p.b, p.c1 = p.c;
  } else {
    outer_root(&p);
    deflate(&p);
  }
  x[0] = p.x;
  return sort_roots(1 + core_root_quadratic(p.a, p.b1, p.c1, x + 1), x);
}
