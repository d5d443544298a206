/* The compass walker: two legs with point feet that meet at a hip, on a slope.
 *
 *   q = (x, y, theta1, theta2): hip, and the angle of each leg from the vertical, positive when the
 *   hip is ahead of the foot; e = (sin, cos) theta, e' = (cos, -sin) theta
 *   foot = hip - l e,  mass of a leg at hip - b e,  l = a + b
 *   M = [mu 1, -m b e1', -m b e2'; ., D, 0; ., 0, D],  mu = M + 2 m,  D = m b^2 + I
 *   f = (-sum m b e_i theta_i'^2 - (0, mu g), -m g b sin theta_i)
 *
 * In the frame of a slope that goes down by gamma, psi = theta - gamma and t = (cos, -sin) gamma,
 * n = (sin, cos) gamma: gap = n.hip - l cos psi,
 * v = (t.hip' - l cos psi theta', n.hip' + l sin psi theta').
 *
 * Legs of one length scuff when they pass each other. So the foot of leg 2, which swings, is drawn
 * up until it has passed: it has no mass, its leg is shorter by r(beta), beta = theta1 - theta2,
 * r = lift for beta < 0 (leg 2 is behind), lift (1 - (beta/pass)^4)^3 up to beta = pass, then 0;
 * the contact is where the foot then is.
 */
#include <string.h>

#include "model/common.h"

typedef struct compass {
  double hip_mass;  /* [kg] */
  double leg_mass;  /* [kg] */
  double a, b;      /* foot to the leg's mass, and from there to the hip [m] */
  double inertia;   /* of a leg about its mass centre [kg m^2] */
  double slope;     /* downwards ahead [rad] */
  double gravity;   /* [m/s^2] */
  double lift;      /* how far the swing foot is drawn up [m] */
  double pass;      /* ... until leg 2 is ahead by this [rad] */
  double angles[2]; /* [rad] */
  double rates[2];  /* [rad/s] */
  /* derived by build */
  double l;      /* [m] */
  double total;  /* [kg] */
  double mb, D;  /* [kg m], [kg m^2] */
  double ct, st; /* cos and sin of the slope */
} compass;

static const core_param params[] = {
    MODEL_NUMBER(compass, hip_mass, "kg", "10", 0, INFINITY, CORE_OPEN_MIN, "mass at the hip"),
    MODEL_NUMBER(compass, leg_mass, "kg", "5", 0, INFINITY, CORE_OPEN_MIN, "mass of each leg"),
    MODEL_NUMBER(compass, a, "m", "0.5", 0, INFINITY, 0, "from the foot to the leg's mass"),
    MODEL_NUMBER(compass, b, "m", "0.5", 0, INFINITY, CORE_OPEN_MIN,
                 "from the leg's mass to the hip"),
    MODEL_NUMBER(compass, inertia, "kg m^2", "0", 0, INFINITY, 0, "of a leg about its mass centre"),
    MODEL_NUMBER(compass, slope, "rad", "0.05235987755982988", -1.5, 1.5, 0,
                 "of the ground, downwards ahead"),
    MODEL_NUMBER(compass, gravity, "m/s^2", "9.81", 0, INFINITY, 0, "gravity"),
    MODEL_NUMBER(compass, lift, "m", "0.05", 0, INFINITY, 0,
                 "how far the foot of leg 2 is drawn up until it has passed leg 1"),
    MODEL_NUMBER(compass, pass, "rad", "0.2", 0, INFINITY, CORE_OPEN_MIN,
                 "angle by which it is ahead when it is down again"),
    MODEL_VECTOR(compass, angles, 2, "rad", "nil", -INFINITY, 0,
                 "of leg 1, which stands, and leg 2, which swings, from the vertical; positive "
                 "when the hip is ahead of the foot; slope - 0.271, slope + 0.271 by default"),
    MODEL_VECTOR(compass, rates, 2, "rad/s", "{1.0924, 0.3772}", -INFINITY, 0, "their rates"),
};

static const model_group groups[] = {
    {"hip", "m", 'q', 0, 2, "place of the hip; the foot of leg 1 starts at the origin"},
    {"angles", "rad", 'q', 2, 2, "of the legs from the vertical"},
    {"hip_velocity", "m/s", 'u', 0, 2, "velocity of the hip"},
    {"rates", "rad/s", 'u', 2, 2, "of the angles"},
    {0},
};

static core_status build(model *m, core_error *err) {
  compass *p = m->params;
  (void)err;
  p->l = p->a + p->b;
  p->total = p->hip_mass + 2 * p->leg_mass;
  p->mb = p->leg_mass * p->b;
  p->D = p->mb * p->b + p->inertia;
  p->ct = cos(p->slope);
  p->st = sin(p->slope);
  m->shape = (model_shape){.nq = 4, .nu = 4, .nc = 2, .dim = 2, .na = 0};
  return CORE_OK;
}

/* length of leg i with its first two derivatives by beta */
static void leg_length(const compass *p, const double *q, int i, double *L) {
  double x = fmax(q[2] - q[3], 0) / p->pass, x2 = x * x, k = 1 - x2 * x2;
  L[0] = p->l, L[1] = L[2] = 0;
  if (i == 0 || k <= 0) return;
  L[0] -= p->lift * k * k * k;
  L[1] = 12 * p->lift * x2 * x * k * k / p->pass;
  L[2] = 12 * p->lift * x2 * k * (3 * k - 8 * x2 * x2) / (p->pass * p->pass);
}

static core_status gap(const model *m, const double *q, double *out) {
  const compass *p = m->params;
  for (int i = 0; i < 2; i++) {
    double L[3];
    leg_length(p, q, i, L);
    out[i] = p->st * q[0] + p->ct * q[1] - L[0] * cos(q[2 + i] - p->slope);
  }
  return CORE_OK;
}

static double size(const model *m, const double *q, int c) {
  const compass *p = m->params;
  (void)c;
  return p->l + fabs(p->st * q[0]) + fabs(p->ct * q[1]);
}

static core_status start(const model *m, double *q, double *u, core_error *err) {
  const compass *p = m->params;
  q[2] = model_or(p->angles[0], p->slope - 0.271);
  q[3] = model_or(p->angles[1], p->slope + 0.271);
  double open[2], s = sin(q[2]), c = cos(q[2]);
  q[0] = p->l * s, q[1] = p->l * c;
  u[0] = p->l * c * p->rates[0], u[1] = -p->l * s * p->rates[0];
  u[2] = p->rates[0], u[3] = p->rates[1];
  gap(m, q, open);
  open[0] = 0; /* but for rounding */
  return model_outside(m, q, open, err);
}

static core_status mass(const model *m, const double *q, double *M) {
  const compass *p = m->params;
  memset(M, 0, 16 * sizeof *M);
  M[0] = M[5] = p->total;
  M[10] = M[15] = p->D;
  for (int i = 0; i < 2; i++) {
    M[(2 + i) * 4] = M[2 + i] = -p->mb * cos(q[2 + i]);
    M[(2 + i) * 4 + 1] = M[4 + 2 + i] = p->mb * sin(q[2 + i]);
  }
  return CORE_OK;
}

static void rows_of(const model *m, const double *q, int i, int ld, double *J) {
  const compass *p = m->params;
  double L[3], s = sin(q[2 + i] - p->slope), c = cos(q[2 + i] - p->slope);
  leg_length(p, q, i, L);
  J[0] = p->ct, J[ld] = -p->st;
  J[1] = p->st, J[ld + 1] = p->ct;
  J[(2 + i) * ld] = -L[0] * c;
  J[(2 + i) * ld + 1] = L[0] * s;
  if (i == 0) return;
  J[2 * ld] = -L[1] * s, J[2 * ld + 1] = -L[1] * c;
  J[3 * ld] += L[1] * s, J[3 * ld + 1] += L[1] * c;
}

static core_status jacobian(const model *m, const double *q, double *J) {
  model_stack_rows(m, rows_of, q, 2, NULL, J);
  return CORE_OK;
}

static core_status forces(const model *m, double t, const double *q, const double *u, double *f) {
  const compass *p = m->params;
  (void)t;
  f[0] = 0, f[1] = -p->total * p->gravity;
  for (int i = 2; i < 4; i++) {
    double s = sin(q[i]), c = cos(q[i]), r = p->mb * u[i] * u[i];
    f[0] -= r * s, f[1] -= r * c;
    f[i] = -p->mb * p->gravity * s;
  }
  return CORE_OK;
}

static double potential(const model *m, const double *q) {
  const compass *p = m->params;
  return p->gravity * (p->total * q[1] - p->mb * (cos(q[2]) + cos(q[3])));
}

static core_status drift(const model *m, const double *q, const double *u, double *out) {
  const compass *p = m->params;
  double beta = u[2] - u[3];
  for (int i = 0; i < 2; i++) {
    double L[3], s = sin(q[2 + i] - p->slope), c = cos(q[2 + i] - p->slope), w = u[2 + i];
    leg_length(p, q, i, L);
    double along = L[0] * w * w - L[2] * beta * beta, across = 2 * L[1] * beta * w;
    out[2 * i] = along * s - across * c;
    out[2 * i + 1] = along * c + across * s;
  }
  return CORE_OK;
}

/* M^-1 f: the legs go out first, (mu - sum (m b)^2/D e' e'^T) hip'' = f_hip + m b/D sum f_i e' */
typedef struct inverse {
  double e[2][2];    /* e' of each leg */
  double k;          /* m b / D [1/m] */
  double D;          /* [kg m^2] */
  double xx, xy, yy; /* inverse of what the hip feels [1/kg] */
} inverse;

static inverse invert(const compass *p, const double *q) {
  inverse v = {.k = p->mb / p->D, .D = p->D};
  double a = p->total, b = 0, c = p->total, r = p->mb * v.k;
  for (int i = 0; i < 2; i++) {
    double x = v.e[i][0] = cos(q[2 + i]), y = v.e[i][1] = -sin(q[2 + i]);
    a -= r * x * x, b -= r * x * y, c -= r * y * y;
  }
  double det = a * c - b * b;
  v.xx = c / det, v.xy = -b / det, v.yy = a / det;
  return v;
}

static void apply(const inverse *v, const double *f, double *out) {
  double x = f[0], y = f[1];
  for (int i = 0; i < 2; i++) x += v->k * f[2 + i] * v->e[i][0], y += v->k * f[2 + i] * v->e[i][1];
  out[0] = v->xx * x + v->xy * y;
  out[1] = v->xy * x + v->yy * y;
  for (int i = 0; i < 2; i++)
    out[2 + i] = f[2 + i] / v->D + v->k * (v->e[i][0] * out[0] + v->e[i][1] * out[1]);
}

static core_status accelerate(const model *m, double t, const double *q, const double *u,
                              const double *h, core_scratch *s, double *udot) {
  double f[4];
  (void)s;
  forces(m, t, q, u, f);
  for (int i = 0; i < 4 && h; i++) f[i] += h[i];
  inverse v = invert(m->params, q);
  apply(&v, f, udot);
  return CORE_OK;
}

static core_status collide(const model *m, const double *q, int n, const int *contacts,
                           core_scratch *s, double *J, double *Y, double *W, double *open) {
  int rows = 2 * n;
  double all[2], row[4];
  (void)s;
  model_stack_rows(m, rows_of, q, n, contacts, J);
  inverse v = invert(m->params, q);
  for (int r = 0; r < rows; r++) {
    for (int j = 0; j < 4; j++) row[j] = J[j * rows + r];
    apply(&v, row, Y + 4 * r);
  }
  model_waist(4, rows, J, Y, W);
  gap(m, q, all);
  for (int c = 0; c < n; c++) open[c] = all[contacts[c]];
  return CORE_OK;
}

static void outline(const model *m, const double *q, model_pen *pen) {
  const compass *p = m->params;
  for (int i = 0; i < 2; i++) {
    double L[3], s = sin(q[2 + i]), c = cos(q[2 + i]);
    leg_length(p, q, i, L);
    model_draw_line(pen, q[0], q[1], q[0] - L[0] * s, q[1] - L[0] * c, i ? "swing" : "stance");
    pen->point(pen->self, q[0] - p->b * s, q[1] - p->b * c, "mass");
    pen->point(pen->self, q[0] - L[0] * s, q[1] - L[0] * c, "contact");
  }
  pen->circle(pen->self, q[0], q[1], 0.05 * p->l, "hip");
  model_draw_floor(pen, p->st, p->ct, 0, q[0], 0, 1.5 * p->l);
}

const model_type model_compass = {
    .schema = MODEL_SCHEMA("compass", params, compass),
    .doc =
        "A passive walker: two legs with point feet, masses on the legs and at the hip, on a "
        "slope. Leg 1 stands with its foot at the origin, leg 2 swings; both feet are contacts "
        "(rows t, n along the slope), so that the law of the impact decides whether the foot "
        "that stood leaves or slides at heel strike. Legs of one length scuff as they pass: "
        "the foot of leg 2 is drawn up until then (lift, pass). After a step the legs change their "
        "names: k.cycle(..., { map = 'step' }). a = 0, a small leg_mass and gravity = 1, "
        "b = 1 is the simplest walker.",
    .paper = "",
    .example = "k.compass { slope = 0.05 }",
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
