/* A pencil, a cylinder on top of a cone, that strikes a level desk with its point.
 *
 *   q = (mass centre, quaternion), u = (V in world axes, omega in the pencil's own axes)
 *   mass centre at h above the point: h = (6 h1^2 + 12 h1 h2 + 3 h2^2) / (12 h1 + 4 h2)
 *   Q = m1 (r^2/4 + h1^2/12 + (h1/2 + h2 - h)^2) + m2 (3 r^2/20 + 3 h2^2/80 + (h - 3 h2/4)^2)
 *   about x and y, and m1 r^2/2 + m2 3 r^2/10 about the axis; m1 : m2 = h1 : h2/3
 *   the point: x + R (0, 0, -h),   v = V + R (omega x (0, 0, -h)) = V + R (-h w2, h w1, 0)
 *
 * The paper's (85) carries the cone's moment about its vertex to the mass centre as if the vertex
 * were the cone's centroid: 0.97944 in place of 0.90387 for (89). `Q` takes any other value.
 * Tilted by theta in the x-z plane, the axis points along (cos theta, 0, sin theta), as (86) says.
 */
#include <string.h>

#include "model/common.h"
#include "model/rigid.h"

typedef struct pencil {
  double mass;           /* [kg] */
  double radius;         /* [m] */
  double h1, h2;         /* heights of cylinder and cone [m] */
  double Q;              /* moment across the axis, about the mass centre [kg m^2] */
  double axial;          /* moment about the axis [kg m^2] */
  double tilt;           /* of the axis over the desk [rad] */
  double orientation[4]; /* quaternion w, x, y, z, instead of tilt */
  double position[3];    /* of the mass centre [m] */
  double velocity[3];    /* of the mass centre, world axes [m/s] */
  double spin[3];        /* in the pencil's axes [rad/s] */
  double floor;          /* height of the desk [m] */
  core_list gravity;     /* [m/s^2] */
  /* derived by build */
  double h;    /* from the point to the mass centre [m] */
  double A, C; /* moments across and about the axis [kg m^2] */
  double g[3]; /* [m/s^2] */
} pencil;

static const core_param params[] = {
    MODEL_NUMBER(pencil, mass, "kg", "1", 0, INFINITY, CORE_OPEN_MIN, "mass of the pencil"),
    MODEL_NUMBER(pencil, radius, "m", "0.5", 0, INFINITY, CORE_OPEN_MIN, "radius of the cylinder"),
    MODEL_NUMBER(pencil, h1, "m", "3", 0, INFINITY, 0, "height of the cylinder"),
    MODEL_NUMBER(pencil, h2, "m", "0.5", 0, INFINITY, 0, "height of the cone"),
    MODEL_NUMBER(pencil, Q, "kg m^2", "nil", 0, INFINITY, CORE_OPEN_MIN,
                 "moment across the axis about the mass centre; of the solid by default"),
    MODEL_NUMBER(pencil, axial, "kg m^2", "nil", 0, INFINITY, CORE_OPEN_MIN,
                 "moment about the axis; of the solid by default"),
    MODEL_NUMBER(pencil, tilt, "rad", "1.0471975511965976", -INFINITY, INFINITY, 0,
                 "angle of the axis over the desk, in the x-z plane; upright is pi/2"),
    MODEL_VECTOR(pencil, orientation, 4, "1", "nil", -INFINITY, 0,
                 "quaternion w, x, y, z from the pencil's axes to world axes, instead of tilt"),
    MODEL_VECTOR(pencil, position, 3, "m", "nil", -INFINITY, 0,
                 "mass centre; by default the point touches the desk at x = y = 0"),
    MODEL_VECTOR(pencil, velocity, 3, "m/s", "{-4.330127018922194, 0, -2.5}", -INFINITY, CORE_SPEED,
                 "velocity of the mass centre, world axes"),
    MODEL_VECTOR(pencil, spin, 3, "rad/s", "{-1, -0.5, -0.5}", -INFINITY, CORE_SPEED,
                 "angular velocity in the pencil's own axes, z along its axis"),
    MODEL_NUMBER(pencil, floor, "m", "0", -INFINITY, INFINITY, 0, "height of the desk"),
    MODEL_GRAVITY(pencil, "9.81"),
};

static const model_group groups[] = {
    {"position", "m", 'q', 0, 3, "mass centre"},
    {"orientation", "1", 'q', 3, 4, "quaternion w, x, y, z"},
    {"velocity", "m/s", 'u', 0, 3, "velocity of the mass centre, world axes"},
    {"spin", "rad/s", 'u', 3, 3, "angular velocity in the pencil's own axes"},
    {0},
};

/* moments of the solid about its mass centre */
static void solid(pencil *p) {
  double r = p->radius, h1 = p->h1, h2 = p->h2, h = p->h;
  double m1 = p->mass * h1 / (h1 + h2 / 3), m2 = p->mass - m1;
  double up = h1 / 2 + h2 - h, down = h - 0.75 * h2;
  p->A = m1 * (r * r / 4 + h1 * h1 / 12 + up * up) +
         m2 * (3 * r * r / 20 + 3 * h2 * h2 / 80 + down * down);
  p->C = m1 * r * r / 2 + m2 * 3 * r * r / 10;
}

static core_status build(model *m, core_error *err) {
  pencil *p = m->params;
  if (!(p->h1 + p->h2 > 0))
    return core_fail(err, CORE_BAD_INPUT, "pencil: h1 and h2 must not both be 0");
  p->h = (6 * p->h1 * p->h1 + 12 * p->h1 * p->h2 + 3 * p->h2 * p->h2) / (12 * p->h1 + 4 * p->h2);
  solid(p);
  p->A = model_or(p->Q, p->A);
  p->C = model_or(p->axial, p->C);
  m->shape = (model_shape){7, 6, 1, 3, 0, NULL};
  return model_gravity(m, &p->gravity, 3, p->g, err);
}

/* the pencil's axis in world axes: from the point to the other end */
static void axis(const double *q, double *z) {
  double R[9];
  model_rotation(q + 3, R);
  memcpy(z, R + 6, 3 * sizeof *z);
}

static core_status gap(const model *m, const double *q, double *out) {
  const pencil *p = m->params;
  double z[3];
  axis(q, z);
  *out = q[2] - p->h * z[2] - p->floor;
  return CORE_OK;
}

/* a turn about y by pi/2 - tilt takes z to (cos tilt, 0, sin tilt) */
static core_status orientation(const model *m, double *q, core_error *err) {
  const pencil *p = m->params;
  double half = (M_PI_2 - p->tilt) / 2, length;
  double tilted[4] = {cos(half), 0, sin(half), 0};
  const double *given = model_absent(p->orientation[0]) ? tilted : p->orientation;
  return model_unit(m, "orientation", 4, given, q, &length, err);
}

static double size(const model *m, const double *q, int c) {
  const pencil *p = m->params;
  (void)q, (void)c;
  return p->h1 + p->h2 + fabs(p->floor);
}

static core_status start(const model *m, double *q, double *u, core_error *err) {
  const pencil *p = m->params;
  double z[3], open;
  core_status status = orientation(m, q + 3, err);
  if (status) return status;
  axis(q, z);
  for (int i = 0; i < 3; i++)
    q[i] = model_or(p->position[i], p->h * z[i] + (i == 2 ? p->floor : 0));
  memcpy(u, p->velocity, sizeof p->velocity);
  memcpy(u + 3, p->spin, sizeof p->spin);
  gap(m, q, &open);
  return model_outside(m, q, &open, err);
}

static void diagonal(const pencil *p, double *d) {
  d[0] = d[1] = d[2] = p->mass;
  d[3] = d[4] = p->A;
  d[5] = p->C;
}

static core_status mass(const model *m, const double *q, double *M) {
  double d[6];
  (void)q;
  diagonal(m->params, d);
  for (int i = 0; i < 36; i++) M[i] = i % 7 ? 0 : d[i / 7];
  return CORE_OK;
}

/* rows x, y, z: V + R (-h w2, h w1, 0) */
static core_status jacobian(const model *m, const double *q, double *J) {
  const pencil *p = m->params;
  double R[9];
  model_rotation(q + 3, R);
  for (int i = 0; i < 3; i++) {
    for (int r = 0; r < 3; r++) J[3 * i + r] = i == r;
    J[9 + i] = p->h * R[3 + i];
    J[12 + i] = -p->h * R[i];
    J[15 + i] = 0;
  }
  return CORE_OK;
}

static core_status collide(const model *m, const double *q, int n, const int *contacts,
                           core_scratch *s, double *J, double *Y, double *W, double *open) {
  double inverse[6];
  (void)contacts, (void)s;
  if (n == 0) return CORE_OK;
  diagonal(m->params, inverse);
  for (int i = 0; i < 6; i++) inverse[i] = 1 / inverse[i];
  jacobian(m, q, J);
  model_waist_diagonal(6, 3, inverse, J, Y, W);
  return gap(m, q, open);
}

/* gyroscopic torque -omega x (Q omega) = (A - C) w3 (w2, -w1, 0) */
static core_status forces(const model *m, double t, const double *q, const double *u, double *f) {
  const pencil *p = m->params;
  (void)t, (void)q;
  for (int i = 0; i < 3; i++) f[i] = p->mass * p->g[i];
  f[3] = (p->A - p->C) * u[5] * u[4];
  f[4] = -(p->A - p->C) * u[5] * u[3];
  f[5] = 0;
  return CORE_OK;
}

static core_status accelerate(const model *m, double t, const double *q, const double *u,
                              const double *h, core_scratch *s, double *udot) {
  double d[6];
  (void)s;
  diagonal(m->params, d);
  forces(m, t, q, u, udot);
  for (int i = 0; i < 6; i++) udot[i] = (udot[i] + (h ? h[i] : 0)) / d[i];
  return CORE_OK;
}

static double potential(const model *m, const double *q) {
  const pencil *p = m->params;
  return -p->mass * model_dot(p->g, q);
}

/* R (omega x (omega x (0, 0, -h))) */
static core_status drift(const model *m, const double *q, const double *u, double *a) {
  const pencil *p = m->params;
  double R[9], point[3] = {0, 0, -p->h}, once[3], twice[3];
  model_cross(u + 3, point, once);
  model_cross(u + 3, once, twice);
  model_rotation(q + 3, R);
  model_turn(R, twice, a);
  return CORE_OK;
}

/* seen along y: the outline of cylinder and cone, turned into the picture as far as it is */
static void outline(const model *m, const double *q, model_pen *pen) {
  const pencil *p = m->params;
  double z[3], low = -p->h, shoulder = p->h2 - p->h, high = p->h1 + p->h2 - p->h;
  axis(q, z);
  double seen = hypot(z[0], z[2]), r = p->radius;
  double nx = seen > 0 ? z[2] / seen : 1, nz = seen > 0 ? -z[0] / seen : 0; /* across the axis */
  double along[6] = {low, shoulder, high, high, shoulder, low}, side[6] = {0, r, r, -r, -r, 0};
  double xz[12];
  for (int i = 0; i < 6; i++) {
    xz[2 * i] = q[0] + along[i] * z[0] + side[i] * nx;
    xz[2 * i + 1] = q[2] + along[i] * z[2] + side[i] * nz;
  }
  pen->line(pen->self, 6, xz, "pencil");
  pen->point(pen->self, q[0], q[2], "centre");
  pen->point(pen->self, xz[0], xz[1], "contact");
  model_draw_floor(pen, 0, 1, p->floor, q[0], q[2], p->h1 + p->h2);
}

const model_type model_pencil = {
    .schema = MODEL_SCHEMA("pencil", params, pencil),
    .doc = "A pencil, a cylinder on a cone, that strikes a level desk with its point. The defaults "
           "are (89) and (91). Velocity is in world axes, spin in the pencil's own axes, as in the "
           "paper. Contact rows x, y, z. Its moment is the right one, not the paper's (85): give Q "
           "for another.",
    .paper = "Jia, section 8.2",
    .example = "k.pencil { tilt = math.pi / 3, spin = {-1, -0.5, -0.5} }",
    .groups = groups,
    .build = build,
    .start = start,
    .mass = mass,
    .gap = gap,
    .size = size,
    .jacobian = jacobian,
    .forces = forces,
    .potential = potential,
    .rates = model_body_rates_own,
    .normalise = model_body_normalise,
    .drift = drift,
    .collide = collide,
    .accelerate = accelerate,
    .outline = outline,
};
