/* Two links that hang from a fixed support and meet a floor with the tip.
 *
 *   q1 from the x axis, q2 relative, counterclockwise; tip = l1 (c1, s1) + l2 (c12, s12)
 *   M = [a1 + a2 + 2 b c2, a2 + b c2; a2 + b c2, a2]
 *   a1 = I1 + m1 d1^2 + m2 l1^2,  a2 = I2 + m2 d2^2,  b = m2 l1 d2   (d: joint to mass centre)
 *   J = [-l1 s1 - l2 s12, -l2 s12; l1 c1 + l2 c12, l2 c12]   (rows x, y = t, n of a level floor)
 *
 * In a floor that slopes by beta the same J holds with q1 - beta in place of q1. Equal slender bars
 * give Morgan's M and J.
 */
#include <string.h>

#include "core/sincos.h"
#include "model/common.h"

typedef struct double_pendulum {
  core_list length;  /* of each link [m] */
  core_list mass;    /* [kg] */
  core_list inertia; /* about the mass centre [kg m^2] */
  core_list centre;  /* from the upper joint to the mass centre [m] */
  double floor;      /* along its normal, from the support [m] */
  double slope;      /* of the floor [rad] */
  core_list gravity; /* [m/s^2] */
  double q[2];       /* [rad] */
  double u[2];       /* [rad/s] */
  /* derived by build */
  double l1, l2;   /* [m] */
  double a1, a2;   /* [kg m^2] */
  double b;        /* [kg m^2] */
  double i2, b_a2; /* 1 / a2 [1/(kg m^2)], b / a2 */
  double det;      /* a1 a2 - b^2, added up without cancellation: det M with the links in line */
  double w1, w2;   /* m1 d1 + m2 l1 and m2 d2 [kg m] */
  double g[2];     /* [m/s^2] */
  double gf[2];    /* gravity along t and n of the floor [m/s^2] */
  double at_floor; /* the floor, wherever it came from [m] */
  double open;     /* gap at the start [m] */
} double_pendulum;

static const core_param params[] = {
    MODEL_LIST(double_pendulum, length, "m", "1", 0, INFINITY, CORE_OPEN_MIN,
               "length of the links: one number or two"),
    MODEL_LIST(double_pendulum, mass, "kg", "1", 0, INFINITY, 0,
               "mass of the links: one number or two"),
    MODEL_LIST(double_pendulum, inertia, "kg m^2", "nil", 0, INFINITY, 0,
               "moments about the mass centres; m l^2 / 12 by default"),
    MODEL_LIST(double_pendulum, centre, "m", "nil", -INFINITY, INFINITY, 0,
               "distance of the mass centres from the upper joint; l / 2 by default"),
    MODEL_NUMBER(double_pendulum, floor, "m", "nil", -INFINITY, INFINITY, 0,
                 "height of the floor over the support, along its normal; at the tip by default"),
    MODEL_NUMBER(double_pendulum, slope, "rad", "0", -INFINITY, INFINITY, 0,
                 "angle of the floor, counterclockwise"),
    MODEL_GRAVITY(double_pendulum, "9.81"),
    MODEL_VECTOR(double_pendulum, q, 2, "rad", "{-1.2, 0.7}", -INFINITY, 0,
                 "angle of the first link from the x axis, and of the second from the first"),
    MODEL_VECTOR(double_pendulum, u, 2, "rad/s", "{-1, -1}", -INFINITY, CORE_SPEED, "rates of q"),
};

static const model_group groups[] = {
    {"angles", "rad", 'q', 0, 2, "angle of the first link, and of the second from the first"},
    {"rates", "rad/s", 'u', 0, 2, "their rates"},
    {0},
};

static double tip_height(const double_pendulum *p, const double *q) {
  double a = q[0] - p->slope;
  return p->l1 * sin(a) + p->l2 * sin(a + q[1]);
}

static core_status check_lists(const model *m, core_error *err) {
  const double_pendulum *p = m->params;
  core_status status = model_fits(m, "length", &p->length, 2, err);
  if (!status) status = model_fits(m, "mass", &p->mass, 2, err);
  if (!status && p->inertia.n) status = model_fits(m, "inertia", &p->inertia, 2, err);
  if (!status && p->centre.n) status = model_fits(m, "centre", &p->centre, 2, err);
  return status;
}

/* value for link i, or what follows from its mass and length */
static double inertia_of(const double_pendulum *p, int i) {
  double l = core_list_at(&p->length, i);
  return p->inertia.n ? core_list_at(&p->inertia, i) : core_list_at(&p->mass, i) * l * l / 12;
}

static double centre_of(const double_pendulum *p, int i) {
  return p->centre.n ? core_list_at(&p->centre, i) : core_list_at(&p->length, i) / 2;
}

static core_status build(model *m, core_error *err) {
  double_pendulum *p = m->params;
  core_status status = check_lists(m, err);
  if (!status) status = model_gravity(m, &p->gravity, 2, p->g, err);
  if (status) return status;
  double m1 = core_list_at(&p->mass, 0), m2 = core_list_at(&p->mass, 1);
  double d1 = centre_of(p, 0), d2 = centre_of(p, 1), I1 = inertia_of(p, 0), I2 = inertia_of(p, 1);
  p->l1 = core_list_at(&p->length, 0);
  p->l2 = core_list_at(&p->length, 1);
  p->a1 = I1 + m1 * d1 * d1 + m2 * p->l1 * p->l1;
  p->a2 = I2 + m2 * d2 * d2;
  p->b = m2 * p->l1 * d2;
  p->w1 = m1 * d1 + m2 * p->l1;
  p->w2 = m2 * d2;
  p->det = (I1 + m1 * d1 * d1) * p->a2 + m2 * p->l1 * p->l1 * I2;
  if (!(p->det > 0))
    return core_fail(err, CORE_BAD_INPUT,
                     "double_pendulum: mass and inertia give a singular mass matrix: each link "
                     "needs some");
  p->i2 = 1 / p->a2;
  p->b_a2 = p->b / p->a2;
  double c = cos(p->slope), s = sin(p->slope);
  p->gf[0] = c * p->g[0] + s * p->g[1];
  p->gf[1] = -s * p->g[0] + c * p->g[1];
  double tip = tip_height(p, p->q);
  p->at_floor = model_or(p->floor, tip);
  p->open = tip - p->at_floor;
  m->shape = (model_shape){2, 2, 1, 2, 0, NULL};
  return CORE_OK;
}

static core_status gap(const model *m, const double *q, double *out) {
  const double_pendulum *p = m->params;
  *out = tip_height(p, q) - p->at_floor;
  return CORE_OK;
}

static void sway(const model *m, const double *dq, double *most) {
  const double_pendulum *p = m->params;
  *most = p->l1 * dq[0] + p->l2 * (dq[0] + dq[1]);
}

static double size(const model *m, const double *q, int c) {
  const double_pendulum *p = m->params;
  (void)q, (void)c;
  return p->l1 + p->l2;
}

static core_status start(const model *m, double *q, double *u, core_error *err) {
  const double_pendulum *p = m->params;
  memcpy(q, p->q, sizeof p->q);
  memcpy(u, p->u, sizeof p->u);
  return model_outside(m, q, &p->open, err);
}

static core_status mass(const model *m, const double *q, double *M) {
  const double_pendulum *p = m->params;
  double bc = p->b * cos(q[1]);
  M[0] = p->a1 + p->a2 + 2 * bc;
  M[1] = M[2] = p->a2 + bc;
  M[3] = p->a2;
  return CORE_OK;
}

/* directions of both links in the frame of the floor */
typedef struct direction {
  double c1, s1, c12, s12;
} direction;

static inline direction directions(const double_pendulum *p, const double *q) {
  double a = q[0] - p->slope, both[2] = {a, a + q[1]};
  core_pair s, c;
  core_sincos2(both, &s, &c);
  return (direction){c[0], s[0], c[1], s[1]};
}

static inline void fill_jacobian(const double_pendulum *p, direction d, double *J) {
  J[2] = -p->l2 * d.s12;
  J[3] = p->l2 * d.c12;
  J[0] = J[2] - p->l1 * d.s1;
  J[1] = J[3] + p->l1 * d.c1;
}

static core_status jacobian(const model *m, const double *q, double *J) {
  const double_pendulum *p = m->params;
  fill_jacobian(p, directions(p, q), J);
  return CORE_OK;
}

/* f1 = b s2 (2 u1 + u2) u2 + w1 g.n1 + w2 g.n12,  f2 = -b s2 u1^2 + w2 g.n12,
 * with n1 = (-s1, c1), n12 = (-s12, c12) */
static void right_side(const double_pendulum *p, direction d, const double *u, double *f) {
  double s2 = d.c1 * d.s12 - d.s1 * d.c12;
  double g1 = p->w1 * (p->gf[1] * d.c1 - p->gf[0] * d.s1);
  double g2 = p->w2 * (p->gf[1] * d.c12 - p->gf[0] * d.s12);
  f[0] = p->b * s2 * (2 * u[0] + u[1]) * u[1] + g1 + g2;
  f[1] = -p->b * s2 * u[0] * u[0] + g2;
}

static core_status forces(const model *m, double t, const double *q, const double *u, double *f) {
  const double_pendulum *p = m->params;
  (void)t;
  right_side(p, directions(p, q), u, f);
  return CORE_OK;
}

static double potential(const model *m, const double *q) {
  const double_pendulum *p = m->params;
  direction d = directions(p, q);
  return -p->gf[0] * (p->w1 * d.c1 + p->w2 * d.c12) - p->gf[1] * (p->w1 * d.s1 + p->w2 * d.s12);
}

/* centripetal acceleration of the tip */
static core_status drift(const model *m, const double *q, const double *u, double *a) {
  const double_pendulum *p = m->params;
  direction d = directions(p, q);
  double r1 = p->l1 * u[0] * u[0], r2 = p->l2 * (u[0] + u[1]) * (u[0] + u[1]);
  a[0] = -r1 * d.c1 - r2 * d.c12;
  a[1] = -r1 * d.s1 - r2 * d.s12;
  return CORE_OK;
}

/* In absolute angles the mass matrix is [a1 b c2; b c2 a2]. The second link goes out first:
 * k = b c2 / a2, and what the first one feels is a1 - b^2 c2^2 / a2 = (a1 a2 - b^2 + b^2 s2^2) /
 * a2. Nothing cancels here, whatever the ratio of the masses. */
typedef struct elimination {
  double k;  /* 1 */
  double i1; /* inverse of what the first link feels [1/(kg m^2)] */
  double i2; /* 1 / a2 [1/(kg m^2)] */
} elimination;

static inline elimination eliminate(const double_pendulum *p, direction d) {
  double c2 = d.c1 * d.c12 + d.s1 * d.s12, bs = p->b * (d.c1 * d.s12 - d.s1 * d.c12);
  return (elimination){p->b_a2 * c2, p->a2 / (p->det + bs * bs), p->i2};
}

/* with r1, r2 = how the tip moves with each absolute angle, and g = r1 - k r2:
 * W = i2 r2 r2^T + i1 g g^T */
static core_status collide(const model *m, const double *q, int n, const int *contacts,
                           core_scratch *s, double *J, double *Y, double *W, double *open) {
  const double_pendulum *p = m->params;
  (void)contacts, (void)s;
  if (n == 0) return CORE_OK;
  direction d = directions(p, q);
  fill_jacobian(p, d, J);
  elimination e = eliminate(p, d);
  double gt = -p->l1 * d.s1 - e.k * J[2], gn = p->l1 * d.c1 - e.k * J[3];
  double t1 = e.i1 * gt, n1 = e.i1 * gn, t2 = e.i2 * J[2], n2 = e.i2 * J[3], k1 = 1 + e.k;
  Y[0] = t1;
  Y[1] = t2 - k1 * t1;
  Y[2] = n1;
  Y[3] = n2 - k1 * n1;
  W[0] = J[2] * t2 + gt * t1;
  W[1] = W[2] = J[2] * n2 + gt * n1;
  W[3] = J[3] * n2 + gn * n1;
  *open = p->l1 * d.s1 + p->l2 * d.s12 - p->at_floor;
  return CORE_OK;
}

static core_status accelerate(const model *m, double t, const double *q, const double *u,
                              const double *h, core_scratch *s, double *udot) {
  const double_pendulum *p = m->params;
  direction d = directions(p, q);
  double f[2];
  (void)t, (void)s;
  right_side(p, d, u, f);
  if (h) f[0] += h[0], f[1] += h[1];
  elimination e = eliminate(p, d);
  udot[0] = e.i1 * (f[0] - (1 + e.k) * f[1]);
  udot[1] = e.i2 * f[1] - (1 + e.k) * udot[0];
  return CORE_OK;
}

static void outline(const model *m, const double *q, model_pen *pen) {
  const double_pendulum *p = m->params;
  double x1 = p->l1 * cos(q[0]), y1 = p->l1 * sin(q[0]);
  double x2 = x1 + p->l2 * cos(q[0] + q[1]), y2 = y1 + p->l2 * sin(q[0] + q[1]);
  model_draw_line(pen, 0, 0, x1, y1, "link");
  model_draw_line(pen, x1, y1, x2, y2, "link");
  pen->point(pen->self, 0, 0, "support");
  pen->point(pen->self, x1, y1, "joint");
  pen->point(pen->self, x2, y2, "contact");
  model_draw_floor(pen, -sin(p->slope), cos(p->slope), p->at_floor, 0, 0, 1.2 * (p->l1 + p->l2));
}

const model_type model_double_pendulum = {
    .schema = MODEL_SCHEMA("double_pendulum", params, double_pendulum),
    .doc = "Two links that hang from a fixed support at the origin and meet a floor of any height "
           "and slope with the tip. q1 counts from the x axis, q2 from the first link, both "
           "counterclockwise. Contact rows t, n.",
    .paper = "Morgan, (2.1) and (2.2)",
    .example = "k.double_pendulum { q = {-1.2, 0.7}, u = {-1, -1} }",
    .groups = groups,
    .build = build,
    .start = start,
    .mass = mass,
    .gap = gap,
    .size = size,
    .sway = sway,
    .jacobian = jacobian,
    .forces = forces,
    .potential = potential,
    .drift = drift,
    .collide = collide,
    .accelerate = accelerate,
    .outline = outline,
};
