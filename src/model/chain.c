/* Balls in a line, between walls or without: Newton's cradle and its relatives.
 *
 *   q = places of the centres along the line, M = diag(m)
 *   contacts in order: left wall (if any), neighbours 1-2, 2-3, ..., right wall (if any)
 *   between neighbours: gap = x_(i+1) - x_i - r_i - r_(i+1),  n towards the right ball
 */
#include <stdlib.h>
#include <string.h>

#include "model/common.h"

enum { WALL_NONE, WALL_LEFT, WALL_RIGHT, WALL_BOTH };

typedef struct chain {
  int n;              /* balls */
  core_list mass;     /* [kg] */
  core_list radius;   /* [m] */
  core_list gaps;     /* of the contacts at the start [m] */
  core_list velocity; /* [m/s] */
  int wall;           /* WALL_NONE ... */
  core_list gravity;  /* along the line [m/s^2] */
  /* derived by build */
  double g;     /* [m/s^2] */
  double right; /* place of the right wall [m] */
} chain;

static const core_param params[] = {
    MODEL_INTEGER(chain, n, "3", 1, 100000, "number of balls"),
    MODEL_LIST(chain, mass, "kg", "1", 0, INFINITY, CORE_OPEN_MIN,
               "mass of the balls: one number or n"),
    MODEL_LIST(chain, radius, "m", "0.05", 0, INFINITY, 0, "radius of the balls: one number or n"),
    MODEL_LIST(chain, gaps, "m", "0", 0, INFINITY, 0,
               "gaps at the start: one number or one for each contact, from left to right"),
    MODEL_LIST(chain, velocity, "m/s", "nil", -INFINITY, INFINITY, 0,
               "velocities: one number or n; by default an end ball comes in with 1 m/s"),
    {"wall", "1", CORE_CHOICE, offsetof(chain, wall), 1, "'none'", 0, 3, 0,
     "walls at the ends of the line", "none|left|right|both"},
    MODEL_LIST(chain, gravity, "m/s^2", "0", -INFINITY, INFINITY, 0,
               "gravity along the line, towards the left (the left wall is the floor)"),
};

static const model_group groups[] = {
    {"position", "m", 'q', 0, -1, "centres of the balls"},
    {"velocity", "m/s", 'u', 0, -1, "their velocities"},
    {0},
};

static int has_left(const chain *p) {
  return p->wall == WALL_LEFT || p->wall == WALL_BOTH;
}

static int has_right(const chain *p) {
  return p->wall == WALL_RIGHT || p->wall == WALL_BOTH;
}

static double radius_of(const chain *p, int i) {
  return core_list_at(&p->radius, i);
}

/* centres from the gaps, the left wall (or the left side of the first ball) at 0 */
static double place(const chain *p, double *q) {
  int contact = 0;
  double edge = has_left(p) ? core_list_at(&p->gaps, contact++) : 0;
  for (int i = 0; i < p->n; i++) {
    if (q) q[i] = edge + radius_of(p, i);
    edge += 2 * radius_of(p, i);
    if (i < p->n - 1) edge += core_list_at(&p->gaps, contact++);
  }
  return edge + (has_right(p) ? core_list_at(&p->gaps, contact) : 0);
}

static core_status build(model *m, core_error *err) {
  chain *p = m->params;
  int nc = p->n - 1 + has_left(p) + has_right(p);
  if (nc == 0)
    return core_fail(err, CORE_BAD_INPUT, "chain: one ball alone needs a wall, got wall = 'none'");
  core_status status = model_fits(m, "mass", &p->mass, p->n, err);
  if (!status) status = model_fits(m, "radius", &p->radius, p->n, err);
  if (!status) status = model_fits(m, "gaps", &p->gaps, nc, err);
  if (!status && p->velocity.n) status = model_fits(m, "velocity", &p->velocity, p->n, err);
  if (!status) status = model_gravity(m, &p->gravity, 1, &p->g, err);
  if (status) return status;
  p->right = place(p, NULL);
  m->shape = (model_shape){p->n, p->n, nc, 1, 0, NULL};
  return CORE_OK;
}

/* by default the first ball comes from the left, or the last from the right towards a left wall */
static double default_velocity(const chain *p, int i) {
  if (p->wall == WALL_LEFT) return i == p->n - 1 ? -1 : 0;
  return i == 0 ? 1 : 0;
}

static core_status start(const model *m, double *q, double *u, core_error *err) {
  const chain *p = m->params;
  (void)err;
  place(p, q);
  for (int i = 0; i < p->n; i++)
    u[i] = p->velocity.n ? core_list_at(&p->velocity, i) : default_velocity(p, i);
  return CORE_OK;
}

static core_status mass(const model *m, const double *q, double *M) {
  const chain *p = m->params;
  size_t n = (size_t)p->n;
  (void)q;
  memset(M, 0, n * n * sizeof *M);
  for (size_t i = 0; i < n; i++) M[i * (n + 1)] = core_list_at(&p->mass, (int)i);
  return CORE_OK;
}

/* contact c lies between ball `left` and ball left + 1; -1 and n are the walls */
static int left_ball(const chain *p, int c) {
  return c - has_left(p);
}

static double contact_gap(const chain *p, const double *q, int c) {
  int i = left_ball(p, c);
  double left = i < 0 ? 0 : q[i] + radius_of(p, i);
  double right = i + 1 == p->n ? p->right : q[i + 1] - radius_of(p, i + 1);
  return right - left;
}

static core_status gap(const model *m, const double *q, double *out) {
  for (int c = 0; c < m->shape.nc; c++) out[c] = contact_gap(m->params, q, c);
  return CORE_OK;
}

/* places of both sides */
static double size(const model *m, const double *q, int c) {
  const chain *p = m->params;
  int i = left_ball(p, c);
  double left = i < 0 ? 0 : fabs(q[i]) + radius_of(p, i);
  return left + (i + 1 == p->n ? fabs(p->right) : fabs(q[i + 1]) + radius_of(p, i + 1));
}

static void rows_of(const model *m, const double *q, int c, int ld, double *J) {
  const chain *p = m->params;
  int i = left_ball(p, c);
  (void)q;
  if (i >= 0) J[i * ld] = -1;
  if (i + 1 < p->n) J[(i + 1) * ld] = 1;
}

static core_status jacobian(const model *m, const double *q, double *J) {
  model_stack_rows(m, rows_of, q, m->shape.nc, NULL, J);
  return CORE_OK;
}

static core_status forces(const model *m, double t, const double *q, const double *u, double *f) {
  const chain *p = m->params;
  (void)t, (void)q, (void)u;
  for (int i = 0; i < p->n; i++) f[i] = core_list_at(&p->mass, i) * p->g;
  return CORE_OK;
}

static void coast(const model *m, double t, const double *q, const double *u, double *q_after,
                  double *u_after) {
  const chain *p = m->params;
  for (int i = 0; i < p->n; i++) {
    q_after[i] = q[i] + t * (u[i] + t * p->g / 2);
    u_after[i] = u[i] + t * p->g;
  }
}

static double potential(const model *m, const double *q) {
  const chain *p = m->params;
  double sum = 0;
  for (int i = 0; i < p->n; i++) sum -= core_list_at(&p->mass, i) * p->g * q[i];
  return sum;
}

static core_status drift(const model *m, const double *q, const double *u, double *a) {
  (void)q, (void)u;
  memset(a, 0, (size_t)m->shape.nc * sizeof *a);
  return CORE_OK;
}

/* inverse mass of ball i, 0 for a wall */
static double mobility(const chain *p, int i) {
  return i < 0 || i >= p->n ? 0 : 1 / core_list_at(&p->mass, i);
}

/* W has 1/m_i + 1/m_(i+1) on the diagonal and -1/m of the ball that two contacts share beside it */
static core_status collide(const model *m, const double *q, int n, const int *contacts,
                           core_scratch *s, double *J, double *Y, double *W, double *open) {
  const chain *p = m->params;
  (void)s;
  model_stack_rows(m, rows_of, q, n, contacts, J);
  memset(Y, 0, (size_t)n * (size_t)p->n * sizeof *Y);
  for (int r = 0; r < n; r++) {
    int i = left_ball(p, contacts[r]);
    open[r] = contact_gap(p, q, contacts[r]);
    if (i >= 0) Y[(size_t)r * (size_t)p->n + (size_t)i] = -mobility(p, i);
    if (i + 1 < p->n) Y[(size_t)r * (size_t)p->n + (size_t)i + 1] = mobility(p, i + 1);
    for (int k = 0; k < n; k++) {
      int j = left_ball(p, contacts[k]);
      double w = i == j       ? mobility(p, i) + mobility(p, i + 1)
                 : i == j + 1 ? -mobility(p, i)
                 : j == i + 1 ? -mobility(p, j)
                              : 0;
      W[r * n + k] = w;
    }
  }
  return CORE_OK;
}

static core_status accelerate(const model *m, double t, const double *q, const double *u,
                              const double *h, core_scratch *s, double *udot) {
  const chain *p = m->params;
  (void)t, (void)q, (void)u, (void)s;
  for (int i = 0; i < p->n; i++) udot[i] = p->g + (h ? h[i] * mobility(p, i) : 0);
  return CORE_OK;
}

static void outline(const model *m, const double *q, model_pen *pen) {
  const chain *p = m->params;
  double largest = 0;
  for (int i = 0; i < p->n; i++) {
    pen->circle(pen->self, q[i], 0, radius_of(p, i), "ball");
    largest = fmax(largest, radius_of(p, i));
  }
  double h = largest > 0 ? 1.5 * largest : 0.1 * (p->right > 0 ? p->right : 1);
  if (has_left(p)) model_draw_line(pen, 0, -h, 0, h, "wall");
  if (has_right(p)) model_draw_line(pen, p->right, -h, p->right, h, "wall");
}

const model_type model_chain = {
    .schema = MODEL_SCHEMA("chain", params, chain),
    .doc = "Balls in a line, with walls at none, one or both of its ends. Contacts from left to "
           "right: left wall, neighbours, right wall; one row n each.",
    .paper = "Newton's cradle; Batlle, Barjau, Font for the linear springs",
    .example = "k.chain { n = 5, velocity = {1, 0, 0, 0, 0} }",
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
    .drift = drift,
    .collide = collide,
    .accelerate = accelerate,
    .outline = outline,
};
