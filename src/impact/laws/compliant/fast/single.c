/* One contact whose normal and tangent do not couple (W_tn = 0) and that moves in a plane: a ball.
 *
 * The normal spring alone makes a quarter of a sine in compression and another one in restitution.
 * In units of the normal speed before (velocities), of 1/sqrt(k W_nn) (time, times e in
 * restitution) and with beta = W_tt / W_nn, R = mu eta^2, scale = 1 and then e:
 *
 *   angle a in [0, pi/2]   rho = R sin a, then R cos a;  normal impulse r = 1 - cos a, then e sin a
 *   stick                  x'' = -w^2 x in a, w = scale sqrt(beta) / eta, x' = scale u
 *   slip                   u = u0 - side mu beta (r - r0);  the slip speed is
 *                          s = side u - R (1 - r), then side u + R r / e^2: linear in r
 *
 * So slip ends at a known r, its loss is mu (r1 - r0)(s0 + s1)/2, and only the end of stick is a
 * root to be searched: of rho - x and rho + x, whose second derivative is at most R + w^2 |x|, from
 * the left as in core_poly_first_root.
 *
 * Ties and near ties are left to the general solver: then `fast_single` says 0.
 */
#include <math.h>

#include "core/sincos.h"
#include "impact/laws/compliant/fast/inside.h"

typedef struct single {
  double mu, e, eta, beta, R; /* constants; velocities are in units of the normal speed */
  double scale;               /* 1 in compression, e in restitution */
  int restituting;
  double angle;          /* in [0, pi/2], while it sticks */
  double left;           /* normal impulse still to come in this phase, in [0, scale] */
  double x, u;           /* deflection and velocity along the tangent */
  double pt;             /* impulse along the tangent so far, in units of V / W_nn */
  double side;           /* direction of slip */
  int slips, after_slip; /* after_slip: stick starts where slip stopped */
  double lost;           /* by friction, in units of speed^2 / W_nn */
} single;

static double slip_speed(const single *z) {
  double pull = z->restituting ? z->R * (z->e - z->left) / (z->e * z->e) : -z->R * z->left;
  return z->side * z->u + pull;
}

/* slip up to where it stops or the phase ends; 0 when that is a tie */
static int slide(single *z) {
  double s = slip_speed(z), slope = z->R / (z->scale * z->scale) - z->mu * z->beta;
  double last = s + slope * z->left;
  if (fabs(last) < TOL_CLEAR || !(s > -TOL_CLEAR)) return 0;
  double by = last > 0 ? z->left : -s / slope;
  z->lost += z->mu * by * (s + core_max(last, 0)) / 2;
  z->u -= z->side * z->mu * z->beta * by;
  z->pt -= z->side * z->mu * by;
  z->left -= by;
  if (last > 0) {
    z->angle = M_PI_2;
    return 1;
  }
  z->angle = z->restituting ? asin((z->e - z->left) / z->e) : acos(z->left);
  z->x = z->side * z->R * (z->restituting ? cos(z->angle) : sin(z->angle));
  z->slips = 0;
  z->after_slip = 1;
  return 1;
}

/* where stick has brought the contact: to angle a, deflection x, velocity u */
static void stick_to(single *z, double a, double x, double u) {
  z->pt += (u - z->u) / z->beta;
  z->angle = a, z->x = x, z->u = u;
}

/* margins rho - x and rho + x at angle a, their slopes, and the motion there */
typedef struct margins {
  double f[2], df[2], x, u, rho;
} margins;

static margins margins_at(const single *z, double w, double a) {
  const double angles[2] = {a, w * (a - z->angle)};
  core_pair s, c;
  core_sincos2(angles, &s, &c);
  double by = z->scale / w, rho = z->R * (z->restituting ? c[0] : s[0]);
  double drho = z->R * (z->restituting ? -s[0] : c[0]);
  double x = z->x * c[1] + z->u * by * s[1], u = z->u * c[1] - z->x / by * s[1];
  double dx = z->scale * u;
  return (margins){{rho - x, rho + x}, {drho - dx, drho + dx}, x, u, rho};
}

static double safe_step(double f, double df, double m) {
  double root = sqrt(df * df + 2 * m * f);
  return df < 0 ? 2 * f / (root - df) : (df + root) / m;
}

/* where the search may start: off the double root that the end of slip has left */
static double leave_start(const single *z, double w, double m, double size) {
  margins here = margins_at(z, w, z->angle);
  double grows = (w * w - 1) * here.rho, other = z->side > 0 ? 1 : 0;
  if (!(grows > TOL_CLEAR * z->R)) return NAN;
  double off = grows / (z->R + w * w * w * size);
  return z->angle + core_min(off, safe_step(here.f[(int)other], here.df[(int)other], m));
}

/* What is left of the normal impulse where |x| = rho: cos a in compression, e (1 - sin a) in
 * restitution. Near the end the angle says nothing of that, as when large mu holds until just
 * before it; then R cos a = |x| does. */
static double left_of(const single *z) {
  double q = fabs(z->x) / z->R;
  if (!z->restituting) return cos(z->angle);
  return z->e * (q < 0.5 ? q * q / (1 + sqrt((1 - q) * (1 + q))) : 1 - sin(z->angle));
}

/* stick up to where it breaks or the phase ends; 0 when that is not clear */
static int hold(single *z) {
  double w = z->scale * sqrt(z->beta) / z->eta, size = hypot(z->x, z->u * z->scale / w);
  if (size == 0) {
    z->angle = M_PI_2;
    return 1;
  }
  double m = z->R + w * w * size, a = z->after_slip ? leave_start(z, w, m, size) : z->angle;
  if (isnan(a)) return 0;
  for (int i = 0; i < 60; i++) {
    if (a >= M_PI_2) break;
    margins at = margins_at(z, w, a);
    int low = at.f[0] < at.f[1] ? 0 : 1;
    double step = core_min(safe_step(core_max(at.f[0], 0), at.df[0], m),
                           safe_step(core_max(at.f[1], 0), at.df[1], m));
    if (at.df[low] < 0 && (at.f[low] <= TOL_ROOT * z->R || step <= TOL_ROOT * a)) {
      stick_to(z, a, at.x, at.u);
      z->side = low ? -1 : 1;
      z->slips = 1;
      z->left = left_of(z);
      return slip_speed(z) > TOL_CLEAR;
    }
    if (i == 59) return 0;
    a += step;
  }
  margins end = margins_at(z, w, M_PI_2);
  if (end.f[0] < TOL_CLEAR || end.f[1] < TOL_CLEAR) return 0;
  stick_to(z, M_PI_2, end.x, end.u);
  return 1;
}

static int run_phase(single *z) {
  for (int i = 0; z->angle < M_PI_2; i++) {
    if (i == 20 || !(z->slips ? slide(z) : hold(z))) return 0;
    if (z->slips) z->after_slip = 0;
  }
  return 1;
}

/* both phases; 0 when something is too near to a tie */
static int run(single *z) {
  z->slips = z->u > z->R;
  if (fabs(z->u - z->R) < TOL_CLEAR) return 0;
  if (!run_phase(z)) return 0;
  if (z->slips) z->x = z->side * z->R;
  if (z->e == 0) return 1;
  z->restituting = 1;
  z->scale = z->e;
  z->angle = z->after_slip = 0;
  z->left = z->e;
  return run_phase(z);
}

/* direction of the tangential velocity, when W keeps the motion in its plane; W_tt there, or 0 */
static double plane_of_motion(const impact_problem *pr, double *t, double *speed) {
  const double *W = pr->W, *v = pr->v;
  t[0] = 1, t[1] = 0;
  *speed = fabs(v[0]);
  if (pr->dim == 2) {
    t[0] = v[0] < 0 ? -1 : 1;
    return W[1] == 0 ? W[0] : 0;
  }
  if (W[2] != 0 || W[5] != 0 || W[1] != 0) return 0;
  *speed = v[1] == 0 ? fabs(v[0]) : v[0] == 0 ? fabs(v[1]) : hypot(v[0], v[1]);
  if (*speed > 0) t[0] = v[0] / *speed, t[1] = v[1] / *speed;
  if (v[1] == 0) return W[0];
  return v[0] == 0 ? W[4] : W[0] == W[4] ? W[0] : 0;
}

static void write_result(const single *z, const impact_problem *pr, const double *t,
                         impact_result *r) {
  int n = pr->dim - 1;
  double V = -pr->v[n], Wnn = pr->W[n * pr->rows + n], unit = V * V / Wnn;
  double p = z->pt * V / Wnn;
  for (int i = 0; i < n; i++) r->p[i] = p * t[i]; /* NOLINT: at most two tangents */
  r->p[n] = (1 + z->e) * V / Wnn;
  impact_velocity_after(pr, r->p, r->v);
  r->lost_restitution = (1 - z->e * z->e) * unit / 2;
  r->lost_friction = z->lost * unit;
  r->stored = z->e == 0 && p != 0 ? z->x * z->x / (z->eta * z->eta) * unit / 2 : 0;
  if (n && z->mu > 0 && !z->slips) r->flags |= IMPACT_STUCK;
}

int fast_single(const compliant_params *q, const impact_problem *pr, impact_result *r) {
  int n = pr->dim - 1;
  double V = -pr->v[n], Wnn = pr->W[n * pr->rows + n], t[2] = {1, 0}, speed = 0, Wtt = 0;
  single z = {.mu = n ? core_list_at(&q->mu, 0) : 0, .e = core_list_at(&q->e, 0)};
  z.scale = z.left = 1;
  if (q->published_slip || !(Wnn > 0)) return 0;
  if (z.mu > 0) {
    Wtt = plane_of_motion(pr, t, &speed);
    if (!(Wtt > 0) || isinf(z.mu)) return 0;
    z.eta = core_list_at(&q->eta, 0);
    z.beta = Wtt / Wnn;
    z.R = z.mu * z.eta * z.eta;
    z.u = speed / V;
    z.side = 1;
    if (!run(&z)) return 0;
  }
  write_result(&z, pr, t, r);
  double gap = pr->gap ? pr->gap[0] : 0;
  r->duration = gap / V + M_PI_2 * (1 + z.e) / sqrt(core_list_at(&q->k, 0) * Wnn);
  return 1;
}
