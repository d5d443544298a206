/* Tests of models by independent routes.
 *
 * A test gives, for its model, a cloud of point masses with the same mass, centre and inertia, and
 * the place of the material point that touches. Everything the model says of M, J, drift, forces
 * and potential must then follow from differences of these places.
 */
#ifndef MODEL_HELP_H
#define MODEL_HELP_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/lin.h"
#include "model/model.h"
#include "unity.h"

enum { MAX_ROWS = 64 };

/* ---- building ---- */

typedef struct setting {
  const char *key;
  int n;
  double x[24];
  int rows; /* of a matrix, whose x is then column-major */
} setting;

static core_error help_err;
static double help_gap[MAX_ROWS]; /* gaps of the last collide */

/* NULL when the model refuses; help_err then says why */
static model *try_model(const char *name, int n, const setting *settings) {
  const model_type *type = model_find(name);
  TEST_ASSERT_NOT_NULL_MESSAGE(type, name);
  void *params = malloc(type->schema.size);
  core_status status = core_schema_defaults(&type->schema, params);
  help_err = (core_error){0};
  for (int i = 0; i < n && !status; i++) {
    const core_param *p = core_schema_find(&type->schema, settings[i].key);
    TEST_ASSERT_NOT_NULL_MESSAGE(p, settings[i].key);
    status = core_param_set(&type->schema, p, params, settings[i].n, settings[i].x, &help_err);
    if (!status && settings[i].rows)
      ((core_list *)((char *)params + p->at))->rows = settings[i].rows;
  }
  model *m = NULL;
  if (!status) model_create(type, params, &m, &help_err);
  core_schema_free(&type->schema, params);
  free(params);
  return m;
}

static model *make_model(const char *name, int n, const setting *settings) {
  model *m = try_model(name, n, settings);
  TEST_ASSERT_NOT_NULL_MESSAGE(m, help_err.text);
  return m;
}

#define COUNT(...) (int)(sizeof((setting[]){__VA_ARGS__}) / sizeof(setting))
#define MAKE(name, ...) make_model(name, COUNT(__VA_ARGS__), (setting[]){__VA_ARGS__})
#define PLAIN(name) make_model(name, 0, NULL)
#define REFUSED(line, name, ...)                                                                   \
  do {                                                                                             \
    model *refused = try_model(name, COUNT(__VA_ARGS__), (setting[]){__VA_ARGS__});                \
    model_free(refused);                                                                           \
    TEST_ASSERT_NULL_MESSAGE(refused, line);                                                       \
    TEST_ASSERT_EQUAL_STRING(line, help_err.text);                                                 \
  } while (0)

/* ---- numbers ---- */

static unsigned long long help_seed = 88172645463325252ull;

/* uniform in -1 ... 1 */
static double any(void) {
  help_seed ^= help_seed << 13;
  help_seed ^= help_seed >> 7;
  help_seed ^= help_seed << 17;
  return (double)(help_seed >> 11) / 4503599627370496.0 - 1;
}

static void near(double expected, double got, double scale, double tolerance, const char *what) {
  char text[120];
  snprintf(text, sizeof text, "%s: expected %.15g, got %.15g", what, expected, got);
  TEST_ASSERT_TRUE_MESSAGE(fabs(expected - got) <= tolerance * scale, text);
}

/* ---- the subject of a test ---- */

typedef struct subject {
  const model *m;
  int points; /* of the cloud */
  /* mass and place of point k when the model stands in q */
  void (*cloud)(const model *m, const double *q, int k, double *mass, double x[3]);
  /* rows of contact c: place, relative to the obstacle, of the material point that touches at q0,
   * when the model stands in q */
  void (*contact)(const model *m, const double *q0, const double *q, int c, double *rows);
  double gravity[3];
} subject;

enum { STATE = 512 };

/* q moved along q' = rates(q, u) by a step of time, with u kept: exact to the order we need because
 * rates is integrated by Runge-Kutta */
static void move(const model *m, const double *q, const double *u, double step, double *to) {
  int n = m->shape.nq;
  double k[4][STATE], mid[STATE];
  for (int stage = 0; stage < 4; stage++) {
    double at = stage == 0 ? 0 : stage == 3 ? step : step / 2;
    for (int i = 0; i < n; i++) mid[i] = q[i] + (stage ? at * k[stage - 1][i] : 0);
    TEST_ASSERT_EQUAL_INT(CORE_OK, model_rates(m, mid, u, k[stage]));
  }
  for (int i = 0; i < n; i++)
    to[i] = q[i] + step / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

static const double help_at[4] = {-2, -1, 1, 2}, help_weight[4] = {1, -8, 8, -1};
#define HELP_STEP 5e-4

static void cloud_velocity(const subject *s, const double *q, const double *u, int k, double *mass,
                           double v[3]) {
  double moved[STATE], x[3];
  v[0] = v[1] = v[2] = 0;
  for (int i = 0; i < 4; i++) {
    move(s->m, q, u, help_at[i] * HELP_STEP, moved);
    s->cloud(s->m, moved, k, mass, x);
    for (int j = 0; j < 3; j++) v[j] += help_weight[i] * x[j] / (12 * HELP_STEP);
  }
}

static double cloud_kinetic(const subject *s, const double *q, const double *u) {
  double sum = 0, mass, v[3];
  for (int k = 0; k < s->points; k++) {
    cloud_velocity(s, q, u, k, &mass, v);
    sum += mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2;
  }
  return sum;
}

static double cloud_potential(const subject *s, const double *q) {
  double sum = 0, mass, x[3];
  for (int k = 0; k < s->points; k++) {
    s->cloud(s->m, q, k, &mass, x);
    for (int j = 0; j < 3; j++) sum -= mass * s->gravity[j] * x[j];
  }
  return sum;
}

/* T(u) of the model equals that of the cloud, for a few u */
static void check_mass(const subject *s, const double *q, const double *u) {
  int nu = s->m->shape.nu;
  double M[64 * 64], T = 0;
  TEST_ASSERT_EQUAL_INT(CORE_OK, s->m->type->mass(s->m, q, M));
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++) {
      T += u[i] * M[j * nu + i] * u[j] / 2;
      TEST_ASSERT_EQUAL_DOUBLE(M[j * nu + i], M[i * nu + j]);
    }
  near(cloud_kinetic(s, q, u), T, T, 1e-9, "kinetic energy");
}

/* J u equals the rate of the contact's place; the normal row is the rate of the gap too */
static void check_jacobian(const subject *s, const double *q, const double *u) {
  const model *m = s->m;
  int nu = m->shape.nu, dim = m->shape.dim, nc = m->shape.nc, rows = nc * dim;
  double J[MAX_ROWS * 64], moved[STATE], place[3], gap[MAX_ROWS], v[MAX_ROWS] = {0};
  double rate[MAX_ROWS] = {0}, gap_rate[MAX_ROWS] = {0}, scale = 1e-3;
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->jacobian(m, q, J));
  for (int j = 0; j < nu; j++)
    for (int i = 0; i < rows; i++) v[i] += J[j * rows + i] * u[j];
  for (int i = 0; i < 4; i++) {
    move(m, q, u, help_at[i] * HELP_STEP, moved);
    TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->gap(m, moved, gap));
    for (int c = 0; c < nc; c++) {
      s->contact(m, q, moved, c, place);
      for (int r = 0; r < dim; r++)
        rate[c * dim + r] += help_weight[i] * place[r] / (12 * HELP_STEP);
      gap_rate[c] += help_weight[i] * gap[c] / (12 * HELP_STEP);
    }
  }
  for (int i = 0; i < rows; i++) scale = fmax(scale, fabs(v[i]));
  for (int i = 0; i < rows; i++) near(rate[i], v[i], scale, 1e-9, "contact velocity");
  for (int c = 0; c < nc; c++)
    near(gap_rate[c], v[c * dim + dim - 1], scale, 1e-9, "rate of the gap");
}

/* drift equals the rate of J u with u kept */
static void check_drift(const model *m, const double *q, const double *u) {
  int nu = m->shape.nu, rows = m->shape.nc * m->shape.dim;
  double J[MAX_ROWS * 64], moved[STATE], a[MAX_ROWS], rate[MAX_ROWS] = {0}, scale = 1e-3;
  TEST_ASSERT_NOT_NULL(m->type->drift);
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->drift(m, q, u, a));
  for (int i = 0; i < 4; i++) {
    move(m, q, u, help_at[i] * HELP_STEP, moved);
    TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->jacobian(m, moved, J));
    for (int j = 0; j < nu; j++)
      for (int r = 0; r < rows; r++)
        rate[r] += help_weight[i] * J[j * rows + r] * u[j] / (12 * HELP_STEP);
  }
  for (int r = 0; r < rows; r++) scale = fmax(scale, fabs(a[r]));
  for (int r = 0; r < rows; r++) near(rate[r], a[r], scale, 2e-9, "drift");
}

/* u^T M(q) w with q moved along direction i of the coordinates (q' = u models only) */
static double bilinear(const model *m, const double *q, const double *u, const double *w) {
  int nu = m->shape.nu;
  double M[64 * 64], sum = 0;
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->mass(m, q, M));
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++) sum += u[i] * M[j * nu + i] * w[j];
  return sum;
}

/* f_i = -(M' u)_i + 1/2 d(u^T M u)/dq_i - dV/dq_i + extra_i, for models with q' = u.
 * M is tied to the cloud by check_mass, V by check_potential. */
static void check_lagrange(const model *m, const double *q, const double *u, const double *extra) {
  int nu = m->shape.nu;
  double f[64], moved[64], unit[64], scale = 1;
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->forces(m, 0, q, u, f));
  for (int i = 0; i < nu; i++) scale = fmax(scale, fabs(f[i]));
  for (int i = 0; i < nu; i++) {
    double expected = extra ? extra[i] : 0;
    for (int k = 0; k < nu; k++) unit[k] = k == i;
    for (int k = 0; k < 4; k++) {
      double step = help_at[k] * HELP_STEP, weight = help_weight[k] / (12 * HELP_STEP);
      for (int j = 0; j < nu; j++) moved[j] = q[j] + step * u[j];
      expected -= weight * bilinear(m, moved, unit, u);
      for (int j = 0; j < nu; j++) moved[j] = q[j] + step * unit[j];
      expected += weight * (bilinear(m, moved, u, u) / 2 - m->type->potential(m, moved));
    }
    near(expected, f[i], scale, 2e-9, "force by Lagrange");
  }
}

/* rates of energy: u.f + 1/2 u^T M' u = -V' + power, for every model */
static void check_power(const model *m, const double *q, const double *u) {
  double f[64], moved[STATE], got = 0, dM = 0, dV = 0;
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->forces(m, 0, q, u, f));
  for (int i = 0; i < m->shape.nu; i++) got += u[i] * f[i];
  for (int k = 0; k < 4; k++) {
    move(m, q, u, help_at[k] * HELP_STEP, moved);
    dM += help_weight[k] / (12 * HELP_STEP) * bilinear(m, moved, u, u) / 2;
    dV += help_weight[k] / (12 * HELP_STEP) * m->type->potential(m, moved);
  }
  double power = m->type->power ? m->type->power(m, 0, q, u) : 0;
  near(power - dV, got + dM, 1 + fabs(got) + fabs(dV) + fabs(power), 2e-9, "rate of energy");
}

/* potential differs from that of the cloud by a constant; springs come as `extra(q)` */
static void check_potential(const subject *s, const double *q1, const double *q2,
                            double (*extra)(const model *m, const double *q)) {
  double got = s->m->type->potential(s->m, q1) - s->m->type->potential(s->m, q2);
  double expected = cloud_potential(s, q1) - cloud_potential(s, q2);
  if (extra) expected += extra(s->m, q1) - extra(s->m, q2);
  near(expected, got, 1 + fabs(expected), 1e-12, "difference of potential");
}

/* M x = b to rounding, whatever the condition of M */
static void check_residual(int n, const double *M, const double *x, const double *b) {
  for (int i = 0; i < n; i++) {
    double sum = 0, size = fabs(b[i]);
    for (int j = 0; j < n; j++) {
      sum += M[j * n + i] * x[j];
      size += fabs(M[j * n + i] * x[j]);
    }
    near(b[i], sum, size, 1e-14 * n, "M x = b");
  }
}

/* Y and W of the collide hook against M Y = J^T and W = J Y with M and J of the model */
static void check_collide(const model *m, const double *q, double tolerance) {
  int nu = m->shape.nu, dim = m->shape.dim, nc = m->shape.nc, all = nc * dim;
  core_scratch s;
  core_scratch_init(&s);
  int contacts[MAX_ROWS];
  static double M[64 * 64], full[MAX_ROWS * 64], J[MAX_ROWS * 64], Y[MAX_ROWS * 64];
  static double W[MAX_ROWS * MAX_ROWS], X[MAX_ROWS * 64];
  TEST_ASSERT_NOT_NULL(m->type->collide);
  double gap[MAX_ROWS];
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->jacobian(m, q, full));
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->gap(m, q, gap));
  /* all contacts, backwards; then only the last */
  for (int n = nc; n >= 1; n = n > 1 ? 1 : 0) {
    int rows = n * dim;
    for (int c = 0; c < n; c++) contacts[c] = nc - 1 - c;
    TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->collide(m, q, n, contacts, &s, J, Y, W, help_gap));
    for (int c = 0; c < n; c++) near(gap[contacts[c]], help_gap[c], 10, 1e-14, "gap of collide");
    for (int j = 0; j < nu; j++)
      for (int c = 0; c < n; c++)
        for (int r = 0; r < dim; r++) {
          double expected = full[j * all + contacts[c] * dim + r];
          near(expected, J[j * rows + c * dim + r], 1 + fabs(expected), 1e-13, "J of collide");
          X[(c * dim + r) * nu + j] = expected;
        }
    TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->mass(m, q, M));
    for (int r = 0; r < rows; r++) check_residual(nu, M, Y + r * nu, X + r * nu);
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_solve_spd(nu, M, rows, X, &s, NULL));
    double scale = 0, scale_W = 0;
    for (int i = 0; i < nu * rows; i++) scale = fmax(scale, fabs(X[i]));
    for (int i = 0; i < nu * rows; i++) near(X[i], Y[i], scale, tolerance, "M^-1 J^T");
    for (int i = 0; i < rows; i++) scale_W = fmax(scale_W, W[i * rows + i]);
    for (int i = 0; i < rows; i++)
      for (int k = 0; k < rows; k++) {
        double w = 0;
        for (int j = 0; j < nu; j++) w += J[j * rows + i] * X[k * nu + j];
        near(w, W[k * rows + i], scale_W, tolerance, "W");
        TEST_ASSERT_EQUAL_DOUBLE(W[k * rows + i], W[i * rows + k]);
      }
  }
  core_scratch_free(&s);
}

/* the accelerate hook against M u' = f + h */
static void check_accelerate(const model *m, const double *q, const double *u, double tolerance) {
  int nu = m->shape.nu;
  static double M[64 * 64];
  double f[64], h[64], udot[64], scale = 1e-3;
  core_scratch s;
  core_scratch_init(&s);
  for (int with = 0; with < 2; with++) {
    TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->forces(m, 0.3, q, u, f));
    TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->mass(m, q, M));
    for (int i = 0; i < nu; i++) f[i] += h[i] = with ? any() : 0;
    TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->accelerate(m, 0.3, q, u, with ? h : NULL, &s, udot));
    check_residual(nu, M, udot, f);
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_solve_spd(nu, M, 1, f, &s, NULL));
    for (int i = 0; i < nu; i++) scale = fmax(scale, fabs(f[i]));
    for (int i = 0; i < nu; i++) near(f[i], udot[i], scale, tolerance, "acceleration");
  }
  core_scratch_free(&s);
}

/* ---- drawing: counts what was drawn and remembers its extent ---- */

typedef struct drawn {
  int lines, circles, points;
  double low[2], high[2];
} drawn;

static void drawn_at(drawn *d, double x, double z) {
  TEST_ASSERT_TRUE(isfinite(x) && isfinite(z));
  d->low[0] = fmin(d->low[0], x), d->low[1] = fmin(d->low[1], z);
  d->high[0] = fmax(d->high[0], x), d->high[1] = fmax(d->high[1], z);
}

static void drawn_line(void *self, int n, const double *xz, const char *part) {
  TEST_ASSERT_NOT_NULL(part);
  for (int i = 0; i < n; i++) drawn_at(self, xz[2 * i], xz[2 * i + 1]);
  ((drawn *)self)->lines++;
}

static void drawn_circle(void *self, double x, double z, double r, const char *part) {
  TEST_ASSERT_NOT_NULL(part);
  drawn_at(self, x - r, z - r);
  drawn_at(self, x + r, z + r);
  ((drawn *)self)->circles++;
}

static void drawn_point(void *self, double x, double z, const char *part) {
  TEST_ASSERT_NOT_NULL(part);
  drawn_at(self, x, z);
  ((drawn *)self)->points++;
}

static drawn draw(const model *m) {
  drawn d = {0, 0, 0, {INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
  model_pen pen = {&d, drawn_line, drawn_circle, drawn_point};
  m->type->outline(m, m->q, &pen);
  return d;
}

/* a link with its mass m, inertia I and centre d as two points on its line: sign * sqrt(I/m) */
static inline double on_link(double mass, double inertia, double centre, int k) {
  double reach = mass > 0 ? sqrt(inertia / mass) : 0;
  return centre + (k ? reach : -reach);
}

/* keeps the compiler quiet in tests that use only some of the above */
static inline void help_used(void) {
  (void)check_mass, (void)check_jacobian, (void)check_drift, (void)check_lagrange;
  (void)check_power, (void)check_potential, (void)check_collide, (void)check_accelerate;
  (void)draw, (void)any, (void)make_model, (void)try_model;
}

#endif
