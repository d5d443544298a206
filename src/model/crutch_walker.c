/* A person on crutches as four hinged segments in a plane: legs, torso, upper arms, arms with
 * crutches; the feet and the tips of the crutches meet the ground.
 *
 *   q = (x, y) of the feet, angle of the legs from the vertical, then relative angles, clockwise
 *   e = (sin, cos), n = e' = (cos, -sin) of each segment, with its absolute angle
 *   mass centre of segment k: feet + sum_(i<k) l_i e_i + a_k e_k, so column j of its velocity is
 *   x, y, or sum_(i=j..k-1) l_i n_i + a_k n_k;   M = sum m c c^T + I over the angles,
 *   f_j = sum m c_j.(g + sum_(i<k) l_i w_i^2 e_i + a_k w_k^2 e_k)
 *
 * With the lengths of Table 2 the tips stand 0.101 m below the feet; the paper takes both as in
 * contact. So each contact has ground of its own where it starts, unless `floor` is given.
 */
#include <string.h>

#include "model/common.h"

enum { SEGMENTS = 4, SPEEDS = 6 };

typedef struct crutch_walker {
  double mass[SEGMENTS];    /* [kg] */
  double inertia[SEGMENTS]; /* about the mass centres [kg m^2] */
  double length[SEGMENTS];  /* [m] */
  double centre[SEGMENTS];  /* from the lower end, along the chain from the feet [m] */
  double floor;             /* height of one ground for both contacts [m] */
  core_list gravity;        /* [m/s^2] */
  double q[SPEEDS];         /* m, m, rad ... */
  double u[SPEEDS];         /* m/s, m/s, rad/s ... */
  /* derived by build */
  double g[2];     /* [m/s^2] */
  double level[2]; /* ground below feet and tips [m] */
} crutch_walker;

static const core_param params[] = {
    MODEL_VECTOR(crutch_walker, mass, 4, "kg", "{22.54, 40.46, 3.92, 4.28}", 0, CORE_OPEN_MIN,
                 "mass of legs, torso, upper arms, arms with crutches"),
    MODEL_VECTOR(crutch_walker, inertia, 4, "kg m^2", "{2.07, 2.66, 0.044, 0.433}", 0, 0,
                 "moments about the mass centres"),
    MODEL_VECTOR(crutch_walker, length, 4, "m", "{0.93, 0.51, 0.33, 1.25}", 0, CORE_OPEN_MIN,
                 "lengths of the segments"),
    MODEL_VECTOR(crutch_walker, centre, 4, "m", "{0.51, 0.34, 0.14, 0.33}", -INFINITY, 0,
                 "mass centres, from the end nearer to the feet along the chain"),
    MODEL_NUMBER(crutch_walker, floor, "m", "nil", -INFINITY, INFINITY, 0,
                 "height of one level ground; by default feet and tips both touch, whatever their "
                 "height"),
    MODEL_GRAVITY(crutch_walker, "9.81"),
    MODEL_VECTOR(crutch_walker, q, 6, "m, m, rad",
                 "{0, 0, 0.2617993877991494, 0.17453292519943295, 2.6179938779914944, "
                 "-0.3490658503988659}",
                 -INFINITY, 0,
                 "place of the feet, angle of the legs from the vertical, relative angles of "
                 "torso, upper arms and crutches, clockwise"),
    MODEL_VECTOR(crutch_walker, u, 6, "m/s, m/s, rad/s", "{0, 0, 2, 0, 0, 0}", -INFINITY,
                 CORE_SPEED, "rates of q"),
};

static const model_group groups[] = {
    {"position", "m", 'q', 0, 2, "place of the feet"},
    {"angles", "rad", 'q', 2, 4, "angle of the legs, then relative angles, clockwise"},
    {"velocity", "m/s", 'u', 0, 2, "velocity of the feet"},
    {"rates", "rad/s", 'u', 2, 4, "rates of the angles"},
    {0},
};

/* directions of the segments: e[2 k], e[2 k + 1] */
static void directions(const double *q, double *e) {
  double angle = 0;
  for (int k = 0; k < SEGMENTS; k++) {
    angle += q[2 + k];
    e[2 * k] = sin(angle);
    e[2 * k + 1] = cos(angle);
  }
}

/* columns (2 x 6) of the velocity of the point at `along` on segment k: (x, y) pairs */
static void columns(const crutch_walker *p, const double *e, int k, double along, double *c) {
  double x = 0, y = 0;
  memset(c, 0, 2 * SPEEDS * sizeof *c);
  c[0] = c[3] = 1;
  for (int i = k; i >= 0; i--) {
    double l = i == k ? along : p->length[i];
    x += l * e[2 * i + 1], y -= l * e[2 * i];
    c[2 * (2 + i)] = x;
    c[2 * (2 + i) + 1] = y;
  }
}

/* place of the point at `along` on segment k */
static void place(const crutch_walker *p, const double *q, const double *e, int k, double along,
                  double *x) {
  x[0] = q[0], x[1] = q[1];
  for (int i = 0; i <= k; i++) {
    double l = i == k ? along : p->length[i];
    x[0] += l * e[2 * i], x[1] += l * e[2 * i + 1];
  }
}

/* its acceleration when u' = 0 */
static void centripetal(const crutch_walker *p, const double *u, const double *e, int k,
                        double along, double *a) {
  double w = 0;
  a[0] = a[1] = 0;
  for (int i = 0; i <= k; i++) {
    double l = i == k ? along : p->length[i];
    w += u[2 + i];
    a[0] -= l * w * w * e[2 * i], a[1] -= l * w * w * e[2 * i + 1];
  }
}

static double tip_height(const crutch_walker *p, const double *q) {
  double e[2 * SEGMENTS], x[2];
  directions(q, e);
  place(p, q, e, SEGMENTS - 1, p->length[SEGMENTS - 1], x);
  return x[1];
}

static core_status build(model *m, core_error *err) {
  crutch_walker *p = m->params;
  p->level[0] = model_or(p->floor, p->q[1]);
  p->level[1] = model_or(p->floor, tip_height(p, p->q));
  m->shape = (model_shape){SPEEDS, SPEEDS, 2, 2, 0, NULL};
  for (int k = 0; k < SEGMENTS; k++)
    if (!(p->inertia[k] + p->mass[k] * p->centre[k] * p->centre[k] > 0))
      return core_fail(err, CORE_BAD_INPUT,
                       "crutch_walker: inertia %d must be positive when its centre is 0", k + 1);
  return model_gravity(m, &p->gravity, 2, p->g, err);
}

static core_status gap(const model *m, const double *q, double *out) {
  const crutch_walker *p = m->params;
  out[0] = q[1] - p->level[0];
  out[1] = tip_height(p, q) - p->level[1];
  return CORE_OK;
}

static double size(const model *m, const double *q, int c) {
  const crutch_walker *p = m->params;
  double sum = fabs(q[1]) + fabs(p->level[c]);
  for (int k = 0; k < SEGMENTS; k++) sum += p->length[k];
  return sum;
}

static core_status start(const model *m, double *q, double *u, core_error *err) {
  const crutch_walker *p = m->params;
  double open[2];
  memcpy(q, p->q, sizeof p->q);
  memcpy(u, p->u, sizeof p->u);
  gap(m, q, open);
  return model_outside(m, q, open, err);
}

static core_status mass(const model *m, const double *q, double *M) {
  const crutch_walker *p = m->params;
  double e[2 * SEGMENTS], c[2 * SPEEDS];
  directions(q, e);
  memset(M, 0, SPEEDS * SPEEDS * sizeof *M);
  for (int k = 0; k < SEGMENTS; k++) {
    columns(p, e, k, p->centre[k], c);
    for (int i = 0; i < 3 + k; i++)
      for (int j = 0; j < 3 + k; j++)
        M[j * SPEEDS + i] += p->mass[k] * (c[2 * i] * c[2 * j] + c[2 * i + 1] * c[2 * j + 1]) +
                             (i >= 2 && j >= 2 ? p->inertia[k] : 0);
  }
  return CORE_OK;
}

/* contact 0: the feet; contact 1: the tips */
static core_status jacobian(const model *m, const double *q, double *J) {
  const crutch_walker *p = m->params;
  double e[2 * SEGMENTS], tip[2 * SPEEDS];
  directions(q, e);
  columns(p, e, SEGMENTS - 1, p->length[SEGMENTS - 1], tip);
  for (int j = 0; j < SPEEDS; j++) {
    J[4 * j] = j == 0, J[4 * j + 1] = j == 1;
    J[4 * j + 2] = tip[2 * j], J[4 * j + 3] = tip[2 * j + 1];
  }
  return CORE_OK;
}

static core_status forces(const model *m, double t, const double *q, const double *u, double *f) {
  const crutch_walker *p = m->params;
  double e[2 * SEGMENTS], c[2 * SPEEDS], a[2];
  (void)t;
  directions(q, e);
  memset(f, 0, SPEEDS * sizeof *f);
  for (int k = 0; k < SEGMENTS; k++) {
    columns(p, e, k, p->centre[k], c);
    centripetal(p, u, e, k, p->centre[k], a);
    for (int j = 0; j < SPEEDS; j++)
      f[j] += p->mass[k] * (c[2 * j] * (p->g[0] - a[0]) + c[2 * j + 1] * (p->g[1] - a[1]));
  }
  return CORE_OK;
}

static double potential(const model *m, const double *q) {
  const crutch_walker *p = m->params;
  double e[2 * SEGMENTS], x[2], sum = 0;
  directions(q, e);
  for (int k = 0; k < SEGMENTS; k++) {
    place(p, q, e, k, p->centre[k], x);
    sum -= p->mass[k] * (p->g[0] * x[0] + p->g[1] * x[1]);
  }
  return sum;
}

static core_status drift(const model *m, const double *q, const double *u, double *a) {
  const crutch_walker *p = m->params;
  double e[2 * SEGMENTS];
  directions(q, e);
  a[0] = a[1] = 0;
  centripetal(p, u, e, SEGMENTS - 1, p->length[SEGMENTS - 1], a + 2);
  return CORE_OK;
}

/* legs, torso with a head, arms and crutches, and the ground below feet and tips */
static void outline(const model *m, const double *q, model_pen *pen) {
  static const char *const part[SEGMENTS] = {"legs", "torso", "arms", "crutches"};
  const crutch_walker *p = m->params;
  double e[2 * SEGMENTS], at[2] = {q[0], q[1]}, foot = 0.12 * p->length[0];
  directions(q, e);
  for (int k = 0; k < SEGMENTS; k++) {
    double l = p->length[k], x = at[0] + l * e[2 * k], y = at[1] + l * e[2 * k + 1];
    model_draw_line(pen, at[0], at[1], x, y, part[k]);
    pen->point(pen->self, at[0], at[1], k ? "joint" : "contact");
    at[0] = x, at[1] = y;
    if (k == 1) pen->circle(pen->self, x + 0.3 * l * e[2], y + 0.3 * l * e[3], 0.2 * l, "head");
    if (k == 1) model_draw_line(pen, x, y, x + 0.1 * l * e[2], y + 0.1 * l * e[3], "torso");
  }
  pen->point(pen->self, at[0], at[1], "contact");
  model_draw_line(pen, q[0], q[1], q[0] + foot, q[1], "legs");
  model_draw_floor(pen, 0, 1, p->level[0], q[0], q[1], 3 * foot);
  model_draw_floor(pen, 0, 1, p->level[1], at[0], at[1], 3 * foot);
}

const model_type model_crutch_walker = {
    .schema = MODEL_SCHEMA("crutch_walker", params, crutch_walker),
    .doc = "A person on crutches: legs, torso, upper arms and arms with crutches, hinged in a "
           "plane. Contacts: feet, then tips of the crutches, rows t, n. Angles clockwise. By "
           "default both touch ground of their own, whatever their height, as in the paper.",
    .paper = "Batlle, Barjau, Font, example II, Tables 2 and 3",
    .example = "k.crutch_walker { u = {0, -0.5, 1, 0, 0, 0} }",
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
    .outline = outline,
};
