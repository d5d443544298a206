/* A sphere that meets a plane of any orientation.
 *
 *   q = (centre, quaternion), u = (V, omega), all in world axes; I = factor m r^2
 *   gap = n.x - offset - r,   v = V + omega x (-r n)
 *   rows t1, t2, n:  J = [t1 -r t2; t2 r t1; n 0],  W = diag(1/m + r^2/I, 1/m + r^2/I, 1/m)
 *
 * J, Y = M^-1 J^T and W do not depend on q: they are made once, when the ball is built.
 */
#include <string.h>

#include "model/common.h"
#include "model/rigid.h"
#include "model/tolerance.h"

typedef struct ball {
  double mass;           /* [kg] */
  double radius;         /* [m] */
  double inertia_factor; /* I / (m r^2) */
  double position[3];    /* of the centre [m] */
  double orientation[4]; /* quaternion w, x, y, z */
  double velocity[3];    /* [m/s] */
  double spin[3];        /* [rad/s] */
  double normal[3];      /* of the plane, any length */
  double offset;         /* the plane is normal.x = offset [m] */
  core_list gravity;     /* [m/s^2] */
  /* derived by build */
  double E[9];    /* contact frame t1, t2, n */
  double level;   /* offset for the unit normal [m] */
  double inertia; /* [kg m^2] */
  double g[3];    /* [m/s^2] */
  double J[18], Y[18], W[9];
} ball;

static const core_param params[] = {
    MODEL_NUMBER(ball, mass, "kg", "1", 0, INFINITY, CORE_OPEN_MIN, "mass of the ball"),
    MODEL_NUMBER(ball, radius, "m", "1", 0, INFINITY, CORE_OPEN_MIN, "radius of the ball"),
    MODEL_NUMBER(ball, inertia_factor, "1", "0.4", 0, INFINITY, CORE_OPEN_MIN,
                 "moment of inertia over m r^2: 2/5 solid, 2/3 hollow"),
    MODEL_VECTOR(ball, position, 3, "m", "nil", -INFINITY, 0,
                 "centre; by default the ball touches the plane at its point nearest the origin"),
    MODEL_VECTOR(ball, orientation, 4, "1", "{1, 0, 0, 0}", -INFINITY, 0,
                 "quaternion w, x, y, z from body axes to world axes"),
    MODEL_VECTOR(ball, velocity, 3, "m/s", "{0, 0, -1}", -INFINITY, CORE_SPEED,
                 "velocity of the centre"),
    MODEL_VECTOR(ball, spin, 3, "rad/s", "{0, 0, 0}", -INFINITY, CORE_SPEED,
                 "angular velocity in world axes"),
    MODEL_VECTOR(ball, normal, 3, "1", "{0, 0, 1}", -INFINITY, 0,
                 "normal of the plane, towards the ball, any length"),
    MODEL_NUMBER(ball, offset, "m", "0", -INFINITY, INFINITY, 0,
                 "the plane is normal . x = offset"),
    MODEL_GRAVITY(ball, "9.81"),
};

static const model_group groups[] = {
    {"position", "m", 'q', 0, 3, "centre of the ball"},
    {"orientation", "1", 'q', 3, 4, "quaternion w, x, y, z"},
    {"velocity", "m/s", 'u', 0, 3, "velocity of the centre"},
    {"spin", "rad/s", 'u', 3, 3, "angular velocity in world axes"},
    {0},
};

/* J, Y and W from the frame; J is 3 x 6, Y is 6 x 3 */
static void make_waist(ball *b) {
  double r = b->radius, im = 1 / b->mass, iI = 1 / b->inertia;
  for (int i = 0; i < 3; i++) {
    double t1 = b->E[i], t2 = b->E[3 + i], n = b->E[6 + i];
    double V[3] = {t1, t2, n}, omega[3] = {-r * t2, r * t1, 0};
    for (int row = 0; row < 3; row++) {
      b->J[3 * i + row] = V[row];
      b->J[3 * (3 + i) + row] = omega[row];
      b->Y[6 * row + i] = im * V[row];
      b->Y[6 * row + 3 + i] = iI * omega[row];
    }
  }
  memset(b->W, 0, sizeof b->W);
  b->W[0] = b->W[4] = im + r * r * iI;
  b->W[8] = im;
}

static core_status build(model *m, core_error *err) {
  ball *b = m->params;
  double n[3], length;
  core_status status = model_unit(m, "normal", 3, b->normal, n, &length, err);
  if (!status) status = model_gravity(m, &b->gravity, 3, b->g, err);
  if (status) return status;
  b->level = b->offset / length;
  b->inertia = b->inertia_factor * b->mass * b->radius * b->radius;
  if (!(b->inertia > 0 && isfinite(b->inertia)))
    return core_fail(err, CORE_BAD_INPUT, "ball: moment of inertia must be positive, got %.10g",
                     b->inertia);
  model_frame(n, b->E);
  make_waist(b);
  m->shape = (model_shape){7, 6, 1, 3, 0, NULL};
  return CORE_OK;
}

static core_status gap(const model *m, const double *q, double *out) {
  const ball *b = m->params;
  *out = model_dot(b->E + 6, q) - b->level - b->radius;
  return CORE_OK;
}

static double size(const model *m, const double *q, int c) {
  const ball *b = m->params;
  (void)q, (void)c;
  return b->radius + fabs(b->level);
}

static core_status start(const model *m, double *q, double *u, core_error *err) {
  const ball *b = m->params;
  double length, open;
  for (int i = 0; i < 3; i++) q[i] = model_or(b->position[i], (b->level + b->radius) * b->E[6 + i]);
  core_status status = model_unit(m, "orientation", 4, b->orientation, q + 3, &length, err);
  if (status) return status;
  memcpy(u, b->velocity, sizeof b->velocity);
  memcpy(u + 3, b->spin, sizeof b->spin);
  gap(m, q, &open);
  return model_outside(m, q, &open, err);
}

static core_status mass(const model *m, const double *q, double *M) {
  const ball *b = m->params;
  (void)q;
  memset(M, 0, 36 * sizeof *M);
  for (int i = 0; i < 3; i++) {
    M[7 * i] = b->mass;
    M[7 * (3 + i)] = b->inertia;
  }
  return CORE_OK;
}

static core_status jacobian(const model *m, const double *q, double *J) {
  (void)q;
  memcpy(J, ((const ball *)m->params)->J, 18 * sizeof *J);
  return CORE_OK;
}

static core_status forces(const model *m, double t, const double *q, const double *u, double *f) {
  const ball *b = m->params;
  (void)t, (void)q, (void)u;
  for (int i = 0; i < 3; i++) {
    f[i] = b->mass * b->g[i];
    f[3 + i] = 0;
  }
  return CORE_OK;
}

/* the spin stays: the ball turns by |spin| t about it */
static void coast(const model *m, double t, const double *q, const double *u, double *q_after,
                  double *u_after) {
  const ball *b = m->params;
  const double *w = u + 3, *p = q + 3;
  double spin = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), half = spin * t / 2;
  double c = cos(half), s = spin > 0 ? sin(half) / spin : 0;
  for (int i = 0; i < 3; i++) {
    q_after[i] = q[i] + t * (u[i] + t * b->g[i] / 2);
    u_after[i] = u[i] + t * b->g[i];
    u_after[3 + i] = w[i];
  }
  double turned[4] = {c * p[0] - s * (w[0] * p[1] + w[1] * p[2] + w[2] * p[3]),
                      c * p[1] + s * (w[0] * p[0] + w[1] * p[3] - w[2] * p[2]),
                      c * p[2] + s * (w[1] * p[0] + w[2] * p[1] - w[0] * p[3]),
                      c * p[3] + s * (w[2] * p[0] + w[0] * p[2] - w[1] * p[1])};
  memcpy(q_after + 3, turned, sizeof turned);
}

static double potential(const model *m, const double *q) {
  const ball *b = m->params;
  return -b->mass * model_dot(b->g, q);
}

static core_status drift(const model *m, const double *q, const double *u, double *a) {
  (void)m, (void)q, (void)u;
  a[0] = a[1] = a[2] = 0;
  return CORE_OK;
}

static core_status collide(const model *m, const double *q, int n, const int *contacts,
                           core_scratch *s, double *J, double *Y, double *W, double *open) {
  const ball *b = m->params;
  (void)contacts, (void)s;
  if (n == 0) return CORE_OK;
  memcpy(J, b->J, sizeof b->J);
  memcpy(Y, b->Y, sizeof b->Y);
  memcpy(W, b->W, sizeof b->W);
  return gap(m, q, open);
}

static core_status accelerate(const model *m, double t, const double *q, const double *u,
                              const double *h, core_scratch *s, double *udot) {
  const ball *b = m->params;
  (void)t, (void)q, (void)u, (void)s;
  for (int i = 0; i < 3; i++) {
    udot[i] = b->g[i] + (h ? h[i] / b->mass : 0);
    udot[3 + i] = h ? h[3 + i] / b->inertia : 0;
  }
  return CORE_OK;
}

/* seen along y: circle, a mark that turns with the ball, and the plane where it is seen edge-on */
static void outline(const model *m, const double *q, model_pen *pen) {
  const ball *b = m->params;
  double R[9], r = b->radius;
  model_rotation(q + 3, R);
  pen->circle(pen->self, q[0], q[2], r, "ball");
  model_draw_line(pen, q[0], q[2], q[0] + r * R[6], q[2] + r * R[8], "mark");
  if (fabs(b->E[7]) < MODEL_END_ON)
    model_draw_floor(pen, b->E[6], b->E[8], b->level, q[0], q[2], 3 * r);
  pen->point(pen->self, q[0] - r * b->E[6], q[2] - r * b->E[8], "contact");
}

const model_type model_ball = {
    .schema = MODEL_SCHEMA("ball", params, ball),
    .doc = "A sphere that meets a plane of any orientation. Contact rows t1, t2, n are x, y, z for "
           "a horizontal plane. Velocity and spin are in world axes.",
    .paper = "Jia, section 8.1",
    .example = "k.ball { mass = 1, radius = 1, velocity = {-1, 0, -5}, spin = {0, 2, 0} }",
    .groups = groups,
    .build = build,
    .start = start,
    .mass = mass,
    .gap = gap,
    .size = size,
    .jacobian = jacobian,
    .forces = forces,
    .coast = coast,
    .potential = potential,
    .rates = model_body_rates_world,
    .normalise = model_body_normalise,
    .drift = drift,
    .collide = collide,
    .accelerate = accelerate,
    .outline = outline,
};
