/* A bar that turns on a sprung slider and meets a sprung wall.
 *
 *   q = (y_s, theta, y_w): slider, bar, wall;   c = cos theta, s = sin theta, d = `centre`
 *   M = [m_b + m_s, m_b d c, 0; m_b d c, I_b + m_b d^2, 0; 0, 0, m_w]
 *   f = (-c_s y_s' - k_s y_s + m_b d theta'^2 s,  M_theta,  -c_w y_w' - k_w y_w) + gravity
 *   gap = distance - y_s + y_w - length s;   the tip slides along the wall with -length s theta'
 *
 * The bar pushes the wall up, so the normal, away from the wall, points down: -y.
 */
#include <string.h>

#include "model/common.h"

typedef struct bar {
  double m_b, m_s, m_w; /* bar, slider, wall [kg] */
  double I_b;           /* of the bar about its mass centre [kg m^2] */
  double k_s, k_w;      /* [N/m] */
  double c_s, c_w;      /* [N s/m] */
  double length;        /* of the bar [m] */
  double centre;        /* from the pivot to the mass centre of the bar [m] */
  double distance;      /* from pivot to wall with both springs at rest [m] */
  double M_theta;       /* torque on the bar [N m] */
  core_list gravity;    /* in the plane of motion [m/s^2] */
  double q[3], u[3];    /* m, rad, m and their rates */
  double g[2];          /* derived: [m/s^2] */
} bar;

static const core_param params[] = {
    MODEL_NUMBER(bar, m_b, "kg", "2", 0, INFINITY, CORE_OPEN_MIN, "mass of the bar"),
    MODEL_NUMBER(bar, m_s, "kg", "5", 0, INFINITY, CORE_OPEN_MIN, "mass of the slider"),
    MODEL_NUMBER(bar, m_w, "kg", "10", 0, INFINITY, CORE_OPEN_MIN, "mass of the wall"),
    MODEL_NUMBER(bar, I_b, "kg m^2", "0.1667", 0, INFINITY, CORE_OPEN_MIN,
                 "moment of the bar about its mass centre"),
    MODEL_NUMBER(bar, k_s, "N/m", "5", 0, INFINITY, 0, "spring of the slider"),
    MODEL_NUMBER(bar, k_w, "N/m", "10", 0, INFINITY, 0, "spring of the wall"),
    MODEL_NUMBER(bar, c_s, "N s/m", "7", 0, INFINITY, 0, "damper of the slider"),
    MODEL_NUMBER(bar, c_w, "N s/m", "1", 0, INFINITY, 0, "damper of the wall"),
    MODEL_NUMBER(bar, length, "m", "1", 0, INFINITY, CORE_OPEN_MIN, "length of the bar"),
    MODEL_NUMBER(bar, centre, "m", "0.5", -INFINITY, INFINITY, 0,
                 "distance of the bar's mass centre from its pivot"),
    MODEL_NUMBER(bar, distance, "m", "0.6", -INFINITY, INFINITY, 0,
                 "from the pivot to the wall with both springs at rest"),
    MODEL_NUMBER(bar, M_theta, "N m", "10", -INFINITY, INFINITY, 0, "torque on the bar"),
    MODEL_GRAVITY(bar, "0"),
    MODEL_VECTOR(bar, q, 3, "m, rad, m", "{0, 0, 0}", -INFINITY, 0,
                 "place of the slider, angle of the bar, place of the wall"),
    MODEL_VECTOR(bar, u, 3, "m/s, rad/s, m/s", "{0, 0, 0}", -INFINITY, CORE_SPEED, "rates of q"),
};

static const model_group groups[] = {
    {"slider", "m", 'q', 0, 1, "place of the slider"},
    {"angle", "rad", 'q', 1, 1, "angle of the bar"},
    {"wall", "m", 'q', 2, 1, "place of the wall"},
    {"slider_velocity", "m/s", 'u', 0, 1, "velocity of the slider"},
    {"spin", "rad/s", 'u', 1, 1, "angular velocity of the bar"},
    {"wall_velocity", "m/s", 'u', 2, 1, "velocity of the wall"},
    {0},
};

static core_status build(model *m, core_error *err) {
  bar *p = m->params;
  m->shape = (model_shape){3, 3, 1, 2, 0, NULL};
  return model_gravity(m, &p->gravity, 2, p->g, err);
}

static core_status gap(const model *m, const double *q, double *out) {
  const bar *p = m->params;
  *out = p->distance - q[0] + q[2] - p->length * sin(q[1]);
  return CORE_OK;
}

static double size(const model *m, const double *q, int c) {
  const bar *p = m->params;
  (void)c;
  return p->length + fabs(p->distance) + fabs(q[0]) + fabs(q[2]);
}

static core_status start(const model *m, double *q, double *u, core_error *err) {
  const bar *p = m->params;
  double open;
  memcpy(q, p->q, sizeof p->q);
  memcpy(u, p->u, sizeof p->u);
  gap(m, q, &open);
  return model_outside(m, q, &open, err);
}

static core_status mass(const model *m, const double *q, double *M) {
  const bar *p = m->params;
  memset(M, 0, 9 * sizeof *M);
  M[0] = p->m_b + p->m_s;
  M[1] = M[3] = p->m_b * p->centre * cos(q[1]);
  M[4] = p->I_b + p->m_b * p->centre * p->centre;
  M[8] = p->m_w;
  return CORE_OK;
}

/* rows t (along x) and n (along -y), of the tip against the wall */
static core_status jacobian(const model *m, const double *q, double *J) {
  const bar *p = m->params;
  J[0] = 0, J[1] = -1;
  J[2] = -p->length * sin(q[1]), J[3] = -p->length * cos(q[1]);
  J[4] = 0, J[5] = 1;
  return CORE_OK;
}

static core_status forces(const model *m, double t, const double *q, const double *u, double *f) {
  const bar *p = m->params;
  double c = cos(q[1]), s = sin(q[1]), md = p->m_b * p->centre;
  (void)t;
  f[0] = -p->c_s * u[0] - p->k_s * q[0] + md * u[1] * u[1] * s + (p->m_b + p->m_s) * p->g[1];
  f[1] = p->M_theta + md * (c * p->g[1] - s * p->g[0]);
  f[2] = -p->c_w * u[2] - p->k_w * q[2] + p->m_w * p->g[1];
  return CORE_OK;
}

static double potential(const model *m, const double *q) {
  const bar *p = m->params;
  double springs = (p->k_s * q[0] * q[0] + p->k_w * q[2] * q[2]) / 2;
  double md = p->m_b * p->centre;
  return springs - p->g[1] * ((p->m_b + p->m_s) * q[0] + p->m_w * q[2]) -
         md * (p->g[0] * cos(q[1]) + p->g[1] * sin(q[1]));
}

static double power(const model *m, double t, const double *q, const double *u) {
  const bar *p = m->params;
  (void)t, (void)q;
  return p->M_theta * u[1] - p->c_s * u[0] * u[0] - p->c_w * u[2] * u[2];
}

static core_status drift(const model *m, const double *q, const double *u, double *a) {
  const bar *p = m->params;
  double r = p->length * u[1] * u[1];
  (void)u;
  a[0] = -r * cos(q[1]);
  a[1] = r * sin(q[1]);
  return CORE_OK;
}

/* slider and bar are coupled (2 x 2), the wall is alone; one sine and cosine for all */
static core_status accelerate(const model *m, double t, const double *q, const double *u,
                              const double *h, core_scratch *scratch, double *udot) {
  const bar *p = m->params;
  double c = cos(q[1]), s = sin(q[1]), md = p->m_b * p->centre;
  double M00 = p->m_b + p->m_s, M01 = md * c, M11 = p->I_b + md * p->centre;
  double f0 = -p->c_s * u[0] - p->k_s * q[0] + md * u[1] * u[1] * s + M00 * p->g[1];
  double f1 = p->M_theta + md * (c * p->g[1] - s * p->g[0]);
  double f2 = -p->c_w * u[2] - p->k_w * q[2] + p->m_w * p->g[1];
  (void)t, (void)scratch;
  if (h) f0 += h[0], f1 += h[1], f2 += h[2];
  /* det = m_s I + m_b I_b + (m_b d s)^2, I = I_b + m_b d^2: nothing cancels */
  double det = p->m_s * M11 + p->m_b * p->I_b + md * md * s * s;
  udot[0] = (M11 * f0 - M01 * f1) / det;
  udot[1] = (M00 * f1 - M01 * f0) / det;
  udot[2] = f2 / p->m_w;
  return CORE_OK;
}

static void box(model_pen *pen, double x, double y, double w, double h, const char *part) {
  double xz[10] = {x - w, y, x + w, y, x + w, y + h, x - w, y + h, x - w, y};
  pen->line(pen->self, 5, xz, part);
}

static void outline(const model *m, const double *q, model_pen *pen) {
  const bar *p = m->params;
  double x = p->length * cos(q[1]), y = q[0] + p->length * sin(q[1]), h = 0.08 * p->length;
  box(pen, 0, q[0] - 2 * h, 2 * h, 2 * h, "slider");
  box(pen, 0, p->distance + q[2], 1.2 * p->length, 2 * h, "wall");
  model_draw_line(pen, 0, q[0], x, y, "bar");
  pen->point(pen->self, 0, q[0], "joint");
  pen->point(pen->self, x, y, "contact");
}

const model_type model_bar = {
    .schema = MODEL_SCHEMA("bar", params, bar),
    .doc = "A bar that turns on a sprung and damped slider, driven by a torque, and meets a sprung "
           "and damped wall with its tip. The defaults are the paper's Table 1 with k_w = 10; its "
           "Table 2 is m_s = 1, m_w = 1, k_s = 400, k_w = 5, c_w = 7. The motion is horizontal: no "
           "gravity unless given. Contact rows t (along the wall), n.",
    .paper = "A simple manipulator with plastic impact, (2.1), (2.2), Tables 1 and 2",
    .example = "k.bar { k_w = 400, M_theta = 10 }",
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
    .accelerate = accelerate,
    .outline = outline,
    .power = power,
};
