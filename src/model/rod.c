/* A rigid rod in a plane whose ends P and Q meet the ground; its mass covers a part of its length.
 *
 *   q = (x, y, angle) of the mass centre G, counterclockwise; M = diag(m, m, I)
 *   uniform mass on the first `part` of the length, from P: G at part L / 2, I = m (part L)^2 / 12
 *   an end at distance s from G: x + s (cos, sin);  v_t = x' - s w sin,  v_n = y' + s w cos
 *
 * Each end has ground of its own below it, at the distance `gaps` when the rod starts; with `floor`
 * both meet the same ground.
 */
#include <string.h>

#include "model/common.h"

typedef struct rod {
  double mass;        /* [kg] */
  double length;      /* from P to Q [m] */
  double part;        /* of the length that carries the mass */
  double centre;      /* from P to G [m] */
  double inertia;     /* about G [kg m^2] */
  double position[2]; /* of G [m] */
  double angle;       /* of PQ from the x axis [rad] */
  double velocity[2]; /* of G [m/s] */
  double spin;        /* [rad/s] */
  core_list gaps;     /* of P and Q at the start [m] */
  double floor;       /* height of one ground for both [m] */
  core_list gravity;  /* [m/s^2] */
  /* derived by build */
  double end[2];   /* of P and Q from G along the rod [m] */
  double level[2]; /* ground below P and Q [m] */
  double I;        /* [kg m^2] */
  double g[2];     /* [m/s^2] */
} rod;

static const core_param params[] = {
    MODEL_NUMBER(rod, mass, "kg", "1", 0, INFINITY, CORE_OPEN_MIN, "mass of the rod"),
    MODEL_NUMBER(rod, length, "m", "4", 0, INFINITY, CORE_OPEN_MIN, "distance of the ends P and Q"),
    MODEL_NUMBER(rod, part, "1", "0.5", 0, 1, CORE_OPEN_MIN,
                 "part of the length, from P on, that carries the mass"),
    MODEL_NUMBER(rod, centre, "m", "nil", -INFINITY, INFINITY, 0,
                 "distance of the mass centre from P; part * length / 2 by default"),
    MODEL_NUMBER(rod, inertia, "kg m^2", "nil", 0, INFINITY, CORE_OPEN_MIN,
                 "moment about the mass centre; mass * (part * length)^2 / 12 by default"),
    MODEL_VECTOR(rod, position, 2, "m", "{0, 0}", -INFINITY, 0, "mass centre"),
    MODEL_NUMBER(rod, angle, "rad", "0", -INFINITY, INFINITY, 0,
                 "angle of PQ from the x axis, counterclockwise"),
    MODEL_VECTOR(rod, velocity, 2, "m/s", "{0, -1}", -INFINITY, CORE_SPEED,
                 "velocity of the mass centre"),
    MODEL_NUMBER(rod, spin, "rad/s", "0", -INFINITY, INFINITY, CORE_SPEED,
                 "angular velocity, counterclockwise"),
    MODEL_LIST(rod, gaps, "m", "nil", 0, INFINITY, 0,
               "distance of P and Q from the ground below each, one number or two; 0 by default"),
    MODEL_NUMBER(rod, floor, "m", "nil", -INFINITY, INFINITY, 0,
                 "height of one level ground for both ends, instead of gaps"),
    MODEL_GRAVITY(rod, "9.81"),
};

static const model_group groups[] = {
    {"position", "m", 'q', 0, 2, "mass centre"},
    {"angle", "rad", 'q', 2, 1, "angle of PQ from the x axis"},
    {"velocity", "m/s", 'u', 0, 2, "velocity of the mass centre"},
    {"spin", "rad/s", 'u', 2, 1, "angular velocity, counterclockwise"},
    {0},
};

static core_status build(model *m, core_error *err) {
  rod *p = m->params;
  core_status status = model_gravity(m, &p->gravity, 2, p->g, err);
  if (!status && p->gaps.n) status = model_fits(m, "gaps", &p->gaps, 2, err);
  if (status) return status;
  if (p->gaps.n && !model_absent(p->floor))
    return core_fail(err, CORE_BAD_INPUT, "rod: give gaps or floor, not both");
  double loaded = p->part * p->length, centre = model_or(p->centre, loaded / 2);
  p->I = model_or(p->inertia, p->mass * loaded * loaded / 12);
  p->end[0] = -centre;
  p->end[1] = p->length - centre;
  for (int c = 0; c < 2; c++) {
    double open = p->gaps.n ? core_list_at(&p->gaps, c) : 0;
    p->level[c] = model_or(p->floor, p->position[1] + p->end[c] * sin(p->angle) - open);
  }
  m->shape = (model_shape){3, 3, 2, 2, 0, NULL};
  return CORE_OK;
}

static double end_gap(const rod *p, const double *q, int c) {
  return q[1] + p->end[c] * sin(q[2]) - p->level[c];
}

static core_status gap(const model *m, const double *q, double *out) {
  for (int c = 0; c < 2; c++) out[c] = end_gap(m->params, q, c);
  return CORE_OK;
}

static double size(const model *m, const double *q, int c) {
  const rod *p = m->params;
  return p->length + fabs(q[1]) + fabs(p->level[c]);
}

static core_status start(const model *m, double *q, double *u, core_error *err) {
  const rod *p = m->params;
  double open[2];
  q[0] = p->position[0], q[1] = p->position[1], q[2] = p->angle;
  u[0] = p->velocity[0], u[1] = p->velocity[1], u[2] = p->spin;
  gap(m, q, open);
  return model_outside(m, q, open, err);
}

static core_status mass(const model *m, const double *q, double *M) {
  const rod *p = m->params;
  (void)q;
  memset(M, 0, 9 * sizeof *M);
  M[0] = M[4] = p->mass;
  M[8] = p->I;
  return CORE_OK;
}

static void rows_of(const model *m, const double *q, int c, int ld, double *J) {
  double s = ((const rod *)m->params)->end[c];
  J[0] = 1;
  J[ld + 1] = 1;
  J[2 * ld] = -s * sin(q[2]);
  J[2 * ld + 1] = s * cos(q[2]);
}

static core_status jacobian(const model *m, const double *q, double *J) {
  model_stack_rows(m, rows_of, q, 2, NULL, J);
  return CORE_OK;
}

static core_status forces(const model *m, double t, const double *q, const double *u, double *f) {
  const rod *p = m->params;
  (void)t, (void)q, (void)u;
  f[0] = p->mass * p->g[0];
  f[1] = p->mass * p->g[1];
  f[2] = 0;
  return CORE_OK;
}

static core_status accelerate(const model *m, double t, const double *q, const double *u,
                              const double *h, core_scratch *s, double *udot) {
  const rod *p = m->params;
  (void)t, (void)q, (void)u, (void)s;
  udot[0] = p->g[0] + (h ? h[0] / p->mass : 0);
  udot[1] = p->g[1] + (h ? h[1] / p->mass : 0);
  udot[2] = h ? h[2] / p->I : 0;
  return CORE_OK;
}

static double potential(const model *m, const double *q) {
  const rod *p = m->params;
  return -p->mass * (p->g[0] * q[0] + p->g[1] * q[1]);
}

static core_status drift(const model *m, const double *q, const double *u, double *a) {
  const rod *p = m->params;
  for (int c = 0; c < 2; c++) {
    a[2 * c] = -p->end[c] * u[2] * u[2] * cos(q[2]);
    a[2 * c + 1] = -p->end[c] * u[2] * u[2] * sin(q[2]);
  }
  return CORE_OK;
}

static core_status collide(const model *m, const double *q, int n, const int *contacts,
                           core_scratch *s, double *J, double *Y, double *W, double *open) {
  const rod *p = m->params;
  double inverse[3] = {1 / p->mass, 1 / p->mass, 1 / p->I};
  (void)s;
  model_stack_rows(m, rows_of, q, n, contacts, J);
  model_waist_diagonal(3, 2 * n, inverse, J, Y, W);
  for (int c = 0; c < n; c++) open[c] = end_gap(p, q, contacts[c]);
  return CORE_OK;
}

/* the whole rod, the loaded part on top of it, and the ground below each end */
static void outline(const model *m, const double *q, model_pen *pen) {
  const rod *p = m->params;
  double c = cos(q[2]), s = sin(q[2]), xz[4], half = p->length / 8;
  double ends[3] = {p->end[0], p->end[1], p->end[0] + p->part * p->length};
  for (int i = 0; i < 2; i++) {
    xz[2 * i] = q[0] + ends[i] * c;
    xz[2 * i + 1] = q[1] + ends[i] * s;
  }
  pen->line(pen->self, 2, xz, "rod");
  model_draw_line(pen, xz[0], xz[1], q[0] + ends[2] * c, q[1] + ends[2] * s, "mass");
  pen->point(pen->self, q[0], q[1], "centre");
  for (int i = 0; i < 2; i++) {
    pen->point(pen->self, xz[2 * i], xz[2 * i + 1], "contact");
    model_draw_floor(pen, 0, 1, p->level[i], xz[2 * i], xz[2 * i + 1], half);
  }
}

const model_type model_rod = {
    .schema = MODEL_SCHEMA("rod", params, rod),
    .doc = "A rigid rod in a plane whose ends P and Q meet the ground; its mass covers a part of "
           "its length. Two contacts, P first, rows t, n. The gaps of both ends can be given "
           "apart from the angle: each end then has ground of its own below it.",
    .paper = "Batlle, Barjau, Font, example I",
    .example = "k.rod { velocity = {0, -1}, spin = -1, gaps = {250e-6, 0} }",
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
