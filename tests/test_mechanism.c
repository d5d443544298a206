/* Random mechanisms against clouds of point masses that are carried by a second, simpler kinematics
 * (quaternions only), and against differences of places, gaps and energies. */
#include "mechanism_help.h"

void setUp(void) {
}

void tearDown(void) {
}

/* ---- the second kinematics: a place in a body, carried to the world by quaternions ---- */

static void rotate(const double q[4], const double x[3], double y[3]) {
  double t[3] = {2 * (q[2] * x[2] - q[3] * x[1]), 2 * (q[3] * x[0] - q[1] * x[2]),
                 2 * (q[1] * x[1] - q[2] * x[0])};
  double r[3] = {x[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1],
                 x[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2],
                 x[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0]};
  memcpy(y, r, sizeof r);
}

static void unit4(const double *from, double q[4]) {
  double l = sqrt(from[0] * from[0] + from[1] * from[1] + from[2] * from[2] + from[3] * from[3]);
  for (int i = 0; i < 4; i++) q[i] = l > 0 ? from[i] / l : i == 0;
}

static int place_of(const machine *k, int body, int *nu) {
  int at = 0, u = 0;
  static const int size[] = {0, 1, 1, 4, 7}, speeds[] = {0, 1, 1, 3, 6};
  for (int i = 0; i < body; i++) {
    int flat = k->plane && k->body[i].joint == MECHANISM_FREE;
    at += flat ? 3 : size[k->body[i].joint], u += flat ? 3 : speeds[k->body[i].joint];
  }
  if (nu) *nu = u;
  return at;
}

static void vec(const machine *k, const char *owner, const char *field, double x[3]) {
  x[0] = value(k->m, owner, field, 0);
  x[1] = k->plane ? 0 : value(k->m, owner, field, 1);
  x[2] = value(k->m, owner, field, k->plane ? 1 : 2);
}

static void carry(const machine *k, const double *q, int body, double x[3]) {
  for (; body >= 0; body = k->body[body].parent) {
    const char *name = k->name[body];
    const double *at = q + place_of(k, body, NULL);
    double axis[3], turn[4], raw[4], r[4] = {1, 0, 0, 0}, shift[3] = {0, 0, 0};
    mechanism_joint joint = k->body[body].joint;
    vec(k, name, "axis", axis);
    double l = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    if (joint == MECHANISM_HINGE) {
      double s = sin(at[0] / 2);
      r[0] = cos(at[0] / 2);
      if (k->plane)
        r[2] = -s;
      else
        for (int i = 0; i < 3; i++) r[1 + i] = s * axis[i] / l;
    } else if (joint == MECHANISM_SLIDE) {
      for (int i = 0; i < 3; i++) shift[i] = at[0] * axis[i] / l;
    } else if (joint == MECHANISM_BALL) {
      unit4(at, r);
    } else if (joint == MECHANISM_FREE) {
      shift[0] = at[0], shift[1] = k->plane ? 0 : at[1], shift[2] = at[k->plane ? 1 : 2];
      if (k->plane)
        r[0] = cos(at[2] / 2), r[2] = -sin(at[2] / 2);
      else
        unit4(at + 3, r);
    }
    rotate(r, x, x);
    for (int i = 0; i < 3; i++) x[i] += shift[i];
    if (joint == MECHANISM_FREE) continue;
    for (int i = 0; i < 4; i++) raw[i] = k->plane ? 0 : value(k->m, name, "turn", i);
    if (k->plane) {
      double a = value(k->m, name, "turn", 0);
      raw[0] = cos(a / 2), raw[2] = -sin(a / 2);
    }
    unit4(raw, turn);
    rotate(turn, x, x);
    double to[3];
    vec(k, name, "at", to);
    for (int i = 0; i < 3; i++) x[i] += to[i];
  }
}

/* M X = B, n x n and n x rows, to rounding of its largest terms */
static void solves(int n, const double *M, int rows, const double *X, const double *B) {
  double size = 0;
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) size = fmax(size, fabs(M[j * n + i] * X[r * n + j]));
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < n; j++) sum += M[j * n + i] * X[r * n + j];
      near(B[r * n + i], sum, size, 1e-14 * n, "M x = b");
    }
}

/* Y, W, J and gaps of collide, and accelerations, against M, J and forces */
static void recursions_solve(const model *m, const double *q, const double *u) {
  int nu = m->shape.nu, nc = m->shape.nc, rows = nc * m->shape.dim, all[MAX_ROWS];
  static double M[64 * 64], full[64 * MAX_ROWS], J[64 * MAX_ROWS], Y[64 * MAX_ROWS];
  static double W[MAX_ROWS * MAX_ROWS], B[64 * MAX_ROWS], gap[MAX_ROWS], open[MAX_ROWS], a[64];
  core_scratch s;
  core_scratch_init(&s);
  for (int c = 0; c < nc; c++) all[c] = c;
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->mass(m, q, M));
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->jacobian(m, q, full));
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->gap(m, q, gap));
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->collide(m, q, nc, all, &s, J, Y, W, open));
  for (int i = 0; i < rows * nu; i++) near(full[i], J[i], 10, 1e-13, "J of collide");
  for (int c = 0; c < nc; c++) near(gap[c], open[c], 100, 1e-14, "gap of collide");
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < nu; i++) B[r * nu + i] = J[i * rows + r];
  solves(nu, M, rows, Y, B);
  double largest = 0;
  for (int r = 0; r < rows; r++) largest = fmax(largest, W[r * rows + r]);
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < rows; k++) {
      double w = 0, size = largest;
      for (int j = 0; j < nu; j++) w += J[j * rows + i] * Y[k * nu + j];
      for (int j = 0; j < nu; j++) size = fmax(size, fabs(J[j * rows + i] * Y[k * nu + j]));
      near(w, W[k * rows + i], size, 1e-14 * nu, "W");
      TEST_ASSERT_EQUAL_DOUBLE(W[k * rows + i], W[i * rows + k]);
    }
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->forces(m, 0.3, q, u, B));
  for (int i = 0; i < nu; i++) B[i] += a[i] = any();
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->accelerate(m, 0.3, q, u, a, &s, Y));
  solves(nu, M, 1, Y, B);
  core_scratch_free(&s);
}

/* ---- clouds: six points on the principal axes of each body ---- */

static machine *now; /* the machine under test, for the callbacks */

static void cloud(const model *m, const double *q, int point, double *mass, double x[3]) {
  int body = point / 6, axis = point % 6 / 2;
  const char *name = now->name[body];
  double I[9] = {0}, w[3], V[9], c[3];
  core_scratch s;
  *mass = value(m, name, "mass", 0) / 6;
  if (now->plane) {
    I[0] = I[8] = value(m, name, "inertia", 0) / 2, I[4] = 2 * I[0];
  } else {
    static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    for (int i = 0; i < 9; i++) I[i] = value(m, name, "inertia", at[i]);
  }
  core_scratch_init(&s);
  core_lin_eig_symmetric(3, I, &s, w, V);
  core_scratch_free(&s);
  /* two points at +-d_a on axis a with m/6 each: second moment m d_a^2 / 3 = (sum of w)/2 - w_a */
  double second = (w[0] + w[1] + w[2]) / 2 - w[axis];
  double d = sqrt(fmax(0, second) * 3 / (6 * *mass)) * (point % 2 ? -1 : 1);
  vec(now, name, "com", c);
  for (int i = 0; i < 3; i++) x[i] = c[i] + d * V[3 * axis + i];
  carry(now, q, body, x);
}

/* shapes well apart: where they pass through each other the normal jumps */
static int random_state(const machine *k, double *q, double *u) {
  double gap[MAX_ROWS];
  for (int round = 0; round < 50; round++) {
    double least = 1;
    for (int i = 0; i < k->m->shape.nq; i++) q[i] = 2 * any();
    for (int i = 0; i < k->m->shape.nu; i++) u[i] = any();
    k->m->type->normalise(k->m, q);
    core_status status = k->m->type->gap(k->m, q, gap);
    if (status == CORE_SINGULAR) continue; /* two capsules cross: no normal */
    TEST_ASSERT_EQUAL_INT(CORE_OK, status);
    for (int c = 0; c < k->m->shape.nc; c++) least = fmin(least, gap[c]);
    if (least > 0.2) return 1;
  }
  return 0;
}

/* 0 when J has a corner within the reach of the differences: the end of a capsule comes nearest
 * instead of its side. Second differences are small beside first ones unless there is one. */
static int smooth(const model *m, const double *q, const double *u) {
  static double J[3][MAX_ROWS * 64];
  double moved[STATE];
  int n = m->shape.nc * m->shape.dim * m->shape.nu;
  for (int i = 0; i < 3; i++) {
    move(m, q, u, 2 * (i - 1) * HELP_STEP, moved);
    if (m->type->jacobian(m, moved, J[i])) return 0;
  }
  for (int i = 0; i < n; i++)
    if (fabs(J[0][i] - 2 * J[1][i] + J[2][i]) > 0.1 * fabs(J[2][i] - J[0][i]) + 1e-6) return 0;
  return 1;
}

/* with motors: M has their inertias on its diagonal, and the recursions solve with them */
static void check_armature(const machine *k, const double *q, const double *u) {
  static double M[64 * 64], with[64 * 64];
  int nu = k->m->shape.nu;
  const core_schema *schema = &k->m->type->schema;
  void *params = malloc(schema->size);
  core_error err = {0};
  model *m = NULL;
  core_schema_copy(schema, params, k->m->params);
  TEST_ASSERT_EQUAL_INT(CORE_OK, k->m->type->mass(k->m, q, M));
  for (int i = 0; i < k->bodies; i++) {
    char key[32];
    snprintf(key, sizeof key, "%s.armature", k->name[i]);
    const core_param *p = core_schema_find(schema, key);
    double a = 1 + any();
    if (!p) continue;
    core_param_set(schema, p, params, 1, &a, &err);
    int at = mechanism_body_at(k->definition, i).u;
    M[at * nu + at] += a;
  }
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, model_create(k->m->type, params, &m, &err), err.text);
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->mass(m, q, with));
  for (int i = 0; i < nu * nu; i++) near(M[i], with[i], fabs(M[i]), 1e-15, "M with motors");
  recursions_solve(m, q, u);
  double T;
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->kinetic(m, q, u, &T));
  near(bilinear(m, q, u, u) / 2, T, T, 1e-13, "kinetic energy with motors");
  model_free(m);
  core_schema_free(schema, params);
  free(params);
}

static void random_machines_hold_together(int plane) {
  int tried = 0;
  for (int round = 0; round < 60; round++) {
    machine k;
    declare(&k, plane, 1 + below(9));
    now = &k;
    make(&k);
    double q[STATE], u[STATE];
    if (k.m && k.m->shape.nu && random_state(&k, q, u) && smooth(k.m, q, u)) {
      subject s = {k.m, 6 * k.bodies, cloud, NULL, {0, 0, 0}};
      const core_param *g = core_schema_find(&k.m->type->schema, "gravity");
      const double *gravity = (const double *)((const char *)k.m->params + g->at);
      s.gravity[0] = gravity[0], s.gravity[1] = plane ? 0 : gravity[1];
      s.gravity[2] = gravity[plane ? 1 : 2];
      check_mass(&s, q, u);
      check_power(k.m, q, u);
      check_drift(k.m, q, u);
      recursions_solve(k.m, q, u);
      double T;
      TEST_ASSERT_EQUAL_INT(CORE_OK, k.m->type->kinetic(k.m, q, u, &T));
      near(bilinear(k.m, q, u, u) / 2, T, T, 1e-13, "kinetic energy body by body");
      check_armature(&k, q, u);
      tried++;
    }
    unmake(&k);
  }
  TEST_ASSERT_GREATER_THAN_INT(40, tried);
}

/* ---- loops ---- */

/* the place in the axes of `body` that stands at x in the world */
static void into_body(const machine *k, const double *q, int body, const double x[3],
                      double local[3]) {
  double o[3] = {0, 0, 0};
  carry(k, q, body, o);
  for (int i = 0; i < 3; i++) {
    double e[3] = {i == 0, i == 1, i == 2};
    carry(k, q, body, e);
    local[i] = 0;
    for (int j = 0; j < 3; j++) local[i] += (e[j] - o[j]) * (x[j] - o[j]);
  }
}

static void set_vector(const machine *k, const core_schema *schema, void *params, const char *key,
                       const double x[3]) {
  double flat[2] = {x[0], x[2]};
  core_error err = {0};
  const core_param *p = core_schema_find(schema, key);
  TEST_ASSERT_EQUAL_INT(CORE_OK,
                        core_param_set(schema, p, params, p->n, k->plane ? flat : x, &err));
}

/* the same machine with a point of its last body tied to its first one (twice when redundant),
 * where they stand in q */
static model *tie(const machine *k, const double *q, int redundant, mechanism **d) {
  int a = k->parts - 2, b = k->parts - 1;
  mechanism_link loops[2] = {{NULL, a, b}, {NULL, a, b}};
  mechanism_spec spec = {"tied",     k->plane,      k->bodies, k->parts, k->contacts,
                         k->springs, 1 + redundant, k->body,   k->part,  k->contact,
                         k->spring,  loops,         0};
  core_error err = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, mechanism_define(&spec, d, &err), err.text);
  const core_schema *schema = &mechanism_type(*d)->schema;
  void *params = malloc(schema->size);
  core_schema_copy(schema, params, k->m->params);
  double x[3], local[3];
  vec(k, k->part[a].name, "", x);
  carry(k, q, k->part[a].body, x);
  into_body(k, q, k->part[b].body, x, local);
  set_vector(k, schema, params, k->part[b].name, local);
  for (int i = 0; i < mechanism_bodies(*d); i++) {
    mechanism_slot slot = mechanism_body_at(*d, i);
    char key[32];
    snprintf(key, sizeof key, "%s.q", slot.name);
    if (slot.nq)
      core_param_set(schema, core_schema_find(schema, key), params, slot.nq, q + slot.q, &err);
  }
  model *m = NULL;
  if (model_create(mechanism_type(*d), params, &m, &err)) {
    TEST_ASSERT_TRUE_MESSAGE(strstr(err.text, "inside") || strstr(err.text, "cannot move"),
                             err.text);
  }
  core_schema_free(schema, params);
  free(params);
  return m;
}

/* Y, W and accelerations against the block matrix [M A^T; A 0], with A' u by differences */
static int tied_solves(const model *m, const double *q, const double *u) {
  int nu = m->shape.nu, nc = m->shape.nc, rows = nc * m->shape.dim, na = m->shape.na, all[MAX_ROWS];
  int n = nu + na;
  static double J[64 * MAX_ROWS], Y[64 * MAX_ROWS], W[MAX_ROWS * MAX_ROWS], gap[MAX_ROWS];
  static double K[96 * 96], X[96 * MAX_ROWS];
  double a[64], b[64];
  model_type bare = *m->type;
  model without = *m;
  core_scratch s;
  core_scratch_init(&s);
  bare.accelerate = NULL;
  without.type = &bare;
  for (int c = 0; c < nc; c++) all[c] = c;
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->collide(m, q, nc, all, &s, J, Y, W, gap));
  TEST_ASSERT_EQUAL_INT(CORE_OK, model_block(m, q, &s, K));
  memset(X, 0, sizeof X);
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < nu; i++) X[r * n + i] = J[i * rows + r];
  double rcond = 0;
  if (core_lin_solve_symmetric(n, K, rows, X, &s, &rcond) || rcond < 1e-8) {
    /* the tie holds what cannot move, or hardly can */
    core_scratch_free(&s);
    return 0;
  }
  double size = 1e-3;
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < nu; i++) size = fmax(size, fabs(X[r * n + i]));
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < nu; i++) near(X[r * n + i], Y[r * nu + i], size, 1e-8, "tied Y");
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < rows; k++) {
      double w = 0;
      for (int j = 0; j < nu; j++) w += J[j * rows + i] * Y[k * nu + j];
      near(w, W[k * rows + i], 100 * size, 1e-10, "tied W");
    }
  TEST_ASSERT_EQUAL_INT(CORE_OK, model_accelerate(m, 0, q, u, NULL, &s, a));
  TEST_ASSERT_EQUAL_INT(CORE_OK, model_accelerate(&without, 0, q, u, NULL, &s, b));
  double most = 1;
  for (int i = 0; i < nu; i++) most = fmax(most, fabs(b[i]));
  for (int i = 0; i < nu; i++) near(b[i], a[i], most, 1e-7, "tied acceleration");
  core_scratch_free(&s);
  return 1;
}

/* tying twice changes nothing */
static void same_when_redundant(const model *once, const model *twice, const double *q,
                                const double *u) {
  int nu = once->shape.nu;
  double a[64], b[64], most = 1;
  core_scratch s;
  core_scratch_init(&s);
  TEST_ASSERT_EQUAL_INT(CORE_OK, model_accelerate(once, 0, q, u, NULL, &s, a));
  TEST_ASSERT_EQUAL_INT(CORE_OK, model_accelerate(twice, 0, q, u, NULL, &s, b));
  for (int i = 0; i < nu; i++) most = fmax(most, fabs(a[i]));
  for (int i = 0; i < nu; i++) near(a[i], b[i], most, 1e-9, "redundant loop");
  core_scratch_free(&s);
}

static void machines_with_loops(int plane) {
  int tried = 0;
  for (int round = 0; round < 60; round++) {
    machine k;
    mechanism *d = NULL, *e = NULL;
    double q[STATE], u[STATE];
    declare(&k, plane, 5 + below(5));
    add_part(&k, k.bodies - 1, MECHANISM_POINT);
    add_part(&k, 0, MECHANISM_POINT);
    now = &k;
    make(&k);
    if (k.m && k.m->shape.nu >= 8 && random_state(&k, q, u)) {
      model *m = tie(&k, q, 0, &d), *twice = tie(&k, q, 1, &e);
      if (m && twice) {
        TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->close(m, q, u));
        tried += tied_solves(m, q, u);
        same_when_redundant(m, twice, q, u);
      }
      model_free(m);
      model_free(twice);
      mechanism_free(d);
      mechanism_free(e);
    }
    unmake(&k);
  }
  TEST_ASSERT_GREATER_THAN_INT(10, tried);
}

static void planar_machines_with_loops(void) {
  machines_with_loops(1);
}

static void machines_with_loops_in_space(void) {
  machines_with_loops(0);
}

static void random_planar_machines(void) {
  random_machines_hold_together(1);
}

static void random_machines_in_space(void) {
  random_machines_hold_together(0);
}

int main(void) {
  UNITY_BEGIN();
  help_used();
  RUN_TEST(random_planar_machines);
  RUN_TEST(random_machines_in_space);
  RUN_TEST(planar_machines_with_loops);
  RUN_TEST(machines_with_loops_in_space);
  return UNITY_END();
}
