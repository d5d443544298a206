/* A wheel of spokes without a rim, on a slope.
 *
 *   q = (x, y, phi) of the hub, x down along the slope, y along its normal, phi forwards
 *   foot i = hub - l (sin, cos) a_i,  a_i = phi - 2 alpha i,  2 alpha = 2 pi / spokes
 *   M = diag(m, m, I),  gravity (sin, -cos) gamma
 *   gap_i = y - l cos a_i,  v = (x' - l cos a_i phi', y' + l sin a_i phi')
 *
 * It stands on spoke 1 (i = 0), whose foot starts at the origin. Three contacts are enough however
 * many spokes there are: contact c is the lowest of the spokes c, c + 3, c + 6 ..., so that a_c is
 * taken between -3 alpha and 3 alpha; where it passes from one spoke to the next both are equally
 * high, far from the ground. With I = 0 rotation would not be determined in flight: a small inertia
 * comes near a point mass on light spokes.
 */
#include <string.h>

#include "model/common.h"
#include "model/tolerance.h"

enum { CONTACTS = 3 };

typedef struct rimless_wheel {
  int spokes;
  double length;  /* of a spoke [m] */
  double mass;    /* [kg] */
  double inertia; /* about the hub [kg m^2] */
  double slope;   /* downwards ahead [rad] */
  double gravity; /* [m/s^2] */
  double angle;   /* of spoke 1 from the slope's normal [rad] */
  double rate;    /* [rad/s] */
  /* derived by build */
  double two_alpha; /* between spokes [rad] */
  double gx, gy;    /* [m/s^2] */
} rimless_wheel;

static const core_param params[] = {
    MODEL_INTEGER(rimless_wheel, spokes, "8", 3, 1000, "how many spokes"),
    MODEL_NUMBER(rimless_wheel, length, "m", "1", 0, INFINITY, CORE_OPEN_MIN, "of a spoke"),
    MODEL_NUMBER(rimless_wheel, mass, "kg", "1", 0, INFINITY, CORE_OPEN_MIN, "at the hub"),
    MODEL_NUMBER(rimless_wheel, inertia, "kg m^2", "0.1", 0, INFINITY, CORE_OPEN_MIN,
                 "about the hub"),
    MODEL_NUMBER(rimless_wheel, slope, "rad", "0.1", -1.5, 1.5, 0,
                 "of the ground, downwards ahead"),
    MODEL_NUMBER(rimless_wheel, gravity, "m/s^2", "9.81", 0, INFINITY, 0, "gravity"),
    MODEL_NUMBER(
        rimless_wheel, angle, "rad", "nil", -3.2, 3.2, 0,
        "of spoke 1, on which it stands, from the slope's normal, positive when the hub is "
        "ahead of the foot; just after a step by default"),
    MODEL_NUMBER(rimless_wheel, rate, "rad/s", "1", -INFINITY, INFINITY, 0,
                 "rate of turning, forwards"),
};

static const model_group groups[] = {
    {"hub", "m", 'q', 0, 2, "along the slope and away from it"},
    {"angle", "rad", 'q', 2, 1, "of spoke 1 from the slope's normal"},
    {"velocity", "m/s", 'u', 0, 2, "of the hub"},
    {"rate", "rad/s", 'u', 2, 1, "of turning, forwards"},
    {0},
};

static core_status build(model *m, core_error *err) {
  rimless_wheel *p = m->params;
  (void)err;
  p->two_alpha = 2 * acos(-1) / p->spokes;
  p->gx = p->gravity * sin(p->slope);
  p->gy = -p->gravity * cos(p->slope);
  m->shape = (model_shape){.nq = 3, .nu = 3, .nc = CONTACTS, .dim = 2, .na = 0};
  return CORE_OK;
}

static double angle_of(const rimless_wheel *p, const double *q, int i) {
  return remainder(q[2] - p->two_alpha * i, 3 * p->two_alpha);
}

static core_status gap(const model *m, const double *q, double *out) {
  const rimless_wheel *p = m->params;
  for (int i = 0; i < CONTACTS; i++) out[i] = q[1] - p->length * cos(angle_of(p, q, i));
  return CORE_OK;
}

static double size(const model *m, const double *q, int c) {
  const rimless_wheel *p = m->params;
  (void)q, (void)c;
  return p->length;
}

static core_status start(const model *m, double *q, double *u, core_error *err) {
  const rimless_wheel *p = m->params;
  double a = model_or(p->angle, -p->two_alpha / 2), s = p->length * sin(a), c = p->length * cos(a);
  q[0] = s, q[1] = c, q[2] = a;
  u[0] = c * p->rate, u[1] = -s * p->rate, u[2] = p->rate;
  if (fabs(a) <= p->two_alpha / 2 * (1 + MODEL_LIMIT)) return CORE_OK;
  return core_fail(err, CORE_BAD_INPUT,
                   "rimless_wheel: angle must be between -%.6g and %.6g rad, where spoke 1 stands, "
                   "got %.10g",
                   p->two_alpha / 2, p->two_alpha / 2, a);
}

static core_status mass(const model *m, const double *q, double *M) {
  const rimless_wheel *p = m->params;
  (void)q;
  memset(M, 0, 9 * sizeof *M);
  M[0] = M[4] = p->mass;
  M[8] = p->inertia;
  return CORE_OK;
}

static void rows_of(const model *m, const double *q, int i, int ld, double *J) {
  const rimless_wheel *p = m->params;
  double a = angle_of(p, q, i);
  J[0] = 1, J[ld + 1] = 1;
  J[2 * ld] = -p->length * cos(a);
  J[2 * ld + 1] = p->length * sin(a);
}

static core_status jacobian(const model *m, const double *q, double *J) {
  model_stack_rows(m, rows_of, q, m->shape.nc, NULL, J);
  return CORE_OK;
}

static core_status forces(const model *m, double t, const double *q, const double *u, double *f) {
  const rimless_wheel *p = m->params;
  (void)t, (void)q, (void)u;
  f[0] = p->mass * p->gx, f[1] = p->mass * p->gy, f[2] = 0;
  return CORE_OK;
}

static double potential(const model *m, const double *q) {
  const rimless_wheel *p = m->params;
  return -p->mass * (p->gx * q[0] + p->gy * q[1]);
}

static core_status drift(const model *m, const double *q, const double *u, double *a) {
  const rimless_wheel *p = m->params;
  double r = p->length * u[2] * u[2];
  for (int i = 0; i < CONTACTS; i++) {
    a[2 * i] = r * sin(angle_of(p, q, i));
    a[2 * i + 1] = r * cos(angle_of(p, q, i));
  }
  return CORE_OK;
}

static core_status accelerate(const model *m, double t, const double *q, const double *u,
                              const double *h, core_scratch *s, double *udot) {
  const rimless_wheel *p = m->params;
  (void)t, (void)q, (void)u, (void)s;
  udot[0] = p->gx + (h ? h[0] / p->mass : 0);
  udot[1] = p->gy + (h ? h[1] / p->mass : 0);
  udot[2] = h ? h[2] / p->inertia : 0;
  return CORE_OK;
}

static core_status collide(const model *m, const double *q, int n, const int *contacts,
                           core_scratch *s, double *J, double *Y, double *W, double *open) {
  const rimless_wheel *p = m->params;
  double inverse[3] = {1 / p->mass, 1 / p->mass, 1 / p->inertia};
  (void)s;
  model_stack_rows(m, rows_of, q, n, contacts, J);
  model_waist_diagonal(3, 2 * n, inverse, J, Y, W);
  for (int c = 0; c < n; c++) open[c] = q[1] - p->length * cos(angle_of(p, q, contacts[c]));
  return CORE_OK;
}

/* in the picture the ground slopes down to the right */
static void turn(const rimless_wheel *p, double x, double y, double *out) {
  double c = cos(p->slope), s = sin(p->slope);
  out[0] = c * x + s * y;
  out[1] = c * y - s * x;
}

static void outline(const model *m, const double *q, model_pen *pen) {
  const rimless_wheel *p = m->params;
  double hub[2], foot[2];
  turn(p, q[0], q[1], hub);
  for (int i = 0; i < p->spokes; i++) {
    double a = q[2] - p->two_alpha * i;
    turn(p, q[0] - p->length * sin(a), q[1] - p->length * cos(a), foot);
    model_draw_line(pen, hub[0], hub[1], foot[0], foot[1], "spoke");
  }
  pen->circle(pen->self, hub[0], hub[1], 0.08 * p->length, "hub");
  model_draw_floor(pen, sin(p->slope), cos(p->slope), 0, hub[0], hub[1] - p->length,
                   1.5 * p->length);
}

const model_type model_rimless_wheel = {
    .schema = MODEL_SCHEMA("rimless_wheel", params, rimless_wheel),
    .doc = "A wheel of spokes without a rim that rolls down a slope, foot by foot. The three "
           "spokes next to the ground are contacts (rows t, n along the slope), in turn: at heel "
           "strike the law decides whether the foot that stood leaves. It stands on spoke 1, whose "
           "foot starts at the origin. After "
           "a step the spokes change their names: k.cycle(..., { map = 'step' }). A small inertia "
           "comes near a point mass; below about 1e-9 m l^2 too few digits are left for runs.",
    .paper = "",
    .example = "k.rimless_wheel { spokes = 8, slope = 0.1 }",
    .groups = groups,
    .build = build,
    .start = start,
    .mass = mass,
    .gap = gap,
    .size = size,
    .jacobian = jacobian,
    .forces = forces,
    .potential = potential,
    .drift = drift,
    .collide = collide,
    .accelerate = accelerate,
    .outline = outline,
};
