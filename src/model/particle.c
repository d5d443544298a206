/* A point mass on a line, in a plane or in space, with any number of plane obstacles.
 *
 *   q = x, u = x', M = m;   each plane is normal.x = offset, gap = (normal.x - offset) / |normal|
 *
 * The rows of a contact are its frame: (n), (t, n) with t = (n_z, -n_x), or (t1, t2, n).
 */
#include <stdlib.h>
#include <string.h>

#include "model/common.h"
#include "model/rigid.h"
#include "model/tolerance.h"

typedef struct particle {
  double mass;        /* [kg] */
  core_list position; /* 1, 2 or 3 numbers [m] */
  core_list velocity; /* as many [m/s] */
  core_list gravity;  /* [m/s^2] */
  core_list planes;   /* rows (normal..., offset) */
  /* derived by build */
  double g[3]; /* [m/s^2] */
} particle;

/* one obstacle; m->extra is an array of them */
typedef struct plane {
  double E[9];  /* dim x dim: column r is row r of the contact's J */
  double level; /* offset for the unit normal [m] */
} plane;

static const core_param params[] = {
    MODEL_NUMBER(particle, mass, "kg", "1", 0, INFINITY, CORE_OPEN_MIN, "mass of the particle"),
    MODEL_LIST(particle, position, "m", "nil", -INFINITY, INFINITY, 0,
               "where it is: 1, 2 or 3 coordinates, (0, 0) by default"),
    MODEL_LIST(particle, velocity, "m/s", "nil", -INFINITY, INFINITY, 0,
               "as many numbers as position has; 1 m/s downwards by default"),
    MODEL_GRAVITY(particle, "9.81"),
    {"planes", "m", CORE_MATRIX, offsetof(particle, planes), 1, "nil", -INFINITY, INFINITY, 0,
     "obstacles, one row (normal..., offset) each, with normal . x >= offset outside; by default a "
     "floor at 0 with the last coordinate up",
     0},
};

static const model_group groups[] = {
    {"position", "m", 'q', 0, -1, "where the particle is"},
    {"velocity", "m/s", 'u', 0, -1, "its velocity"},
    {0},
};

/* dimension from the lists that were given, 2 when neither was */
static int dimension(const particle *p) {
  return p->position.n ? p->position.n : p->velocity.n ? p->velocity.n : 2;
}

static core_status check_dimension(const model *m, int d, core_error *err) {
  const particle *p = m->params;
  if (d > 3)
    return core_fail(err, CORE_BAD_INPUT,
                     "particle: %s must be a list of 1, 2 or 3 numbers, got %d",
                     p->position.n ? "position" : "velocity", d);
  return p->velocity.n ? model_exactly(m, "velocity", p->velocity.n, d, err) : CORE_OK;
}

/* how many planes; a flat list of d + 1 numbers is one plane */
static core_status count_planes(const particle *p, int d, int *n, core_error *err) {
  const core_list *l = &p->planes;
  *n = l->n ? l->n / (d + 1) : 1;
  int rows = l->rows ? l->rows : 1;
  if (l->n == 0 || l->n == d + 1 || l->n == rows * (d + 1)) return CORE_OK;
  return core_fail(err, CORE_BAD_INPUT,
                   "particle: planes must be rows of %d numbers (normal, offset), got %d rows of "
                   "%d",
                   d + 1, rows, l->n / rows);
}

/* row i of the planes: d numbers of the normal, then the offset */
static void plane_row(const particle *p, int d, int n, int i, double *row) {
  const double *x = core_list_data(&p->planes);
  for (int j = 0; j <= d; j++) row[j] = p->planes.n ? x[j * n + i] : j == d - 1;
}

static core_status make_plane(const model *m, int d, const double *row, plane *at,
                              core_error *err) {
  double n[3], length;
  core_status status = model_unit(m, "the normal of a plane", d, row, n, &length, err);
  if (status) return status;
  at->level = row[d] / length;
  if (d == 1) at->E[0] = n[0];
  if (d == 2) at->E[0] = n[1], at->E[1] = -n[0], at->E[2] = n[0], at->E[3] = n[1];
  if (d == 3) model_frame(n, at->E);
  return CORE_OK;
}

static core_status build(model *m, core_error *err) {
  particle *p = m->params;
  int d = dimension(p), n = 0;
  core_status status = check_dimension(m, d, err);
  if (!status) status = model_gravity(m, &p->gravity, d, p->g, err);
  if (!status) status = count_planes(p, d, &n, err);
  if (status) return status;
  plane *planes = m->extra = calloc((size_t)n, sizeof *planes);
  if (!planes) return core_no_memory(err);
  for (int i = 0; i < n && !status; i++) {
    double row[4];
    plane_row(p, d, n, i, row);
    status = make_plane(m, d, row, &planes[i], err);
  }
  m->shape = (model_shape){d, d, n, d, 0, NULL};
  return status;
}

static void destroy(model *m) {
  free(m->extra);
}

static double plane_gap(int d, const plane *at, const double *q) {
  double sum = -at->level;
  for (int i = 0; i < d; i++) sum += at->E[(d - 1) * d + i] * q[i];
  return sum;
}

static core_status gap(const model *m, const double *q, double *out) {
  const plane *planes = m->extra;
  for (int c = 0; c < m->shape.nc; c++) out[c] = plane_gap(m->shape.dim, &planes[c], q);
  return CORE_OK;
}

static double size(const model *m, const double *q, int c) {
  double sum = fabs(((const plane *)m->extra)[c].level);
  for (int i = 0; i < m->shape.dim; i++) sum += fabs(q[i]);
  return sum;
}

static core_status start(const model *m, double *q, double *u, core_error *err) {
  const particle *p = m->params;
  const plane *planes = m->extra;
  int d = m->shape.dim;
  for (int i = 0; i < d; i++) {
    q[i] = p->position.n ? core_list_data(&p->position)[i] : 0;
    u[i] = p->velocity.n ? core_list_data(&p->velocity)[i] : -(i == d - 1);
  }
  for (int c = 0; c < m->shape.nc; c++) {
    double open = plane_gap(d, &planes[c], q);
    if (open < -MODEL_INSIDE * size(m, q, c))
      return core_fail(err, CORE_BAD_INPUT, "particle: starts inside obstacle %d: gap is %.6g m",
                       c + 1, open);
  }
  return CORE_OK;
}

static core_status mass(const model *m, const double *q, double *M) {
  const particle *p = m->params;
  int d = m->shape.nu;
  (void)q;
  for (int i = 0; i < d * d; i++) M[i] = i % (d + 1) ? 0 : p->mass;
  return CORE_OK;
}

/* the rows of a contact are the columns of its frame */
static void rows_of(const model *m, const double *q, int c, int ld, double *J) {
  const double *E = ((const plane *)m->extra)[c].E;
  int d = m->shape.dim;
  (void)q;
  for (int r = 0; r < d; r++)
    for (int i = 0; i < d; i++) J[i * ld + r] = E[r * d + i];
}

static core_status jacobian(const model *m, const double *q, double *J) {
  model_stack_rows(m, rows_of, q, m->shape.nc, NULL, J);
  return CORE_OK;
}

static core_status forces(const model *m, double t, const double *q, const double *u, double *f) {
  const particle *p = m->params;
  (void)t, (void)q, (void)u;
  for (int i = 0; i < m->shape.nu; i++) f[i] = p->mass * p->g[i];
  return CORE_OK;
}

static void coast(const model *m, double t, const double *q, const double *u, double *q_after,
                  double *u_after) {
  const particle *p = m->params;
  for (int i = 0; i < m->shape.nu; i++) {
    q_after[i] = q[i] + t * (u[i] + t * p->g[i] / 2);
    u_after[i] = u[i] + t * p->g[i];
  }
}

static double potential(const model *m, const double *q) {
  const particle *p = m->params;
  double sum = 0;
  for (int i = 0; i < m->shape.nq; i++) sum -= p->mass * p->g[i] * q[i];
  return sum;
}

static core_status drift(const model *m, const double *q, const double *u, double *a) {
  (void)q, (void)u;
  memset(a, 0, (size_t)(m->shape.nc * m->shape.dim) * sizeof *a);
  return CORE_OK;
}

static core_status collide(const model *m, const double *q, int n, const int *contacts,
                           core_scratch *s, double *J, double *Y, double *W, double *open) {
  double i = 1 / ((const particle *)m->params)->mass, inverse[3] = {i, i, i};
  (void)s;
  model_stack_rows(m, rows_of, q, n, contacts, J);
  model_waist_diagonal(m->shape.nu, n * m->shape.dim, inverse, J, Y, W);
  for (int c = 0; c < n; c++)
    open[c] = plane_gap(m->shape.dim, (const plane *)m->extra + contacts[c], q);
  return CORE_OK;
}

static core_status accelerate(const model *m, double t, const double *q, const double *u,
                              const double *h, core_scratch *s, double *udot) {
  const particle *p = m->params;
  (void)t, (void)q, (void)u, (void)s;
  for (int i = 0; i < m->shape.nu; i++) udot[i] = p->g[i] + (h ? h[i] / p->mass : 0);
  return CORE_OK;
}

/* seen along y in space; planes that are seen edge-on */
static void outline(const model *m, const double *q, model_pen *pen) {
  const plane *planes = m->extra;
  int d = m->shape.dim;
  double x = d > 1 ? q[0] : 0, z = q[d - 1];
  for (int c = 0; c < m->shape.nc; c++) {
    const double *n = planes[c].E + (d - 1) * d;
    if (d == 3 && fabs(n[1]) > MODEL_END_ON) continue;
    model_draw_floor(pen, d > 1 ? n[0] : 0, n[d - 1], planes[c].level, x, z, 1 + fabs(z));
  }
  pen->point(pen->self, x, z, "particle");
}

const model_type model_particle = {
    .schema = MODEL_SCHEMA("particle", params, particle),
    .doc = "A point mass on a line, in a plane or in space (by the length of position), with any "
           "number of plane obstacles. Contact rows are (n), (t, n) or (t1, t2, n).",
    .paper = "Johnson, sections 2 to 6",
    .example = "k.particle { position = {0, 1}, velocity = {0, 0}, gravity = 9.8 }",
    .groups = groups,
    .build = build,
    .destroy = destroy,
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
