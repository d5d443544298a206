/* Random mechanisms against clouds of point masses that are carried by a second, simpler kinematics
 * (quaternions only), and against differences of places, gaps and energies. */
#include "mechanism_carry.h"

void setUp(void) {
}

void tearDown(void) {
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

static void random_planar_machines(void) {
  random_machines_hold_together(1);
}

static void random_machines_in_space(void) {
  random_machines_hold_together(0);
}

/* ---- sway ---- */

/* the largest |moved gap - gap|/bound over random changes within dq; 0 where there is no bound */
static double largest_sway(const model *m) {
  double q[7 * MOST], dq[7 * MOST], moved[7 * MOST], gap[PARTS], after[PARTS], most[PARTS];
  double largest = 0;
  for (int i = 0; i < m->shape.nq; i++) dq[i] = 1e-3 * fabs(any());
  m->type->sway(m, dq, most);
  for (int k = 0; k < 40; k++) {
    for (int i = 0; i < m->shape.nq; i++) q[i] = any();
    m->type->normalise(m, q);
    for (int i = 0; i < m->shape.nq; i++) moved[i] = q[i] + dq[i] * (any() < 0 ? -1 : 1);
    m->type->normalise(m, moved); /* quaternions stay on their sphere */
    if (m->type->gap(m, q, gap) || m->type->gap(m, moved, after)) continue; /* axes that cross */
    for (int c = 0; c < m->shape.nc; c++)
      if (most[c] > 0) largest = fmax(largest, fabs(after[c] - gap[c]) / most[c]);
  }
  return largest;
}

static void sway_bounds_what_gaps_can_do(void) {
  double largest = 0;
  for (int round = 0; round < 300; round++) {
    static machine k;
    declare(&k, round % 2, 1 + below(8));
    make(&k);
    if (k.m && k.m->type->sway) {
      double part = largest_sway(k.m);
      TEST_ASSERT_TRUE_MESSAGE(part <= 1 + 1e-9, "a gap moves farther than its bound");
      largest = fmax(largest, part);
    }
    unmake(&k);
  }
  TEST_ASSERT_TRUE(largest > 0.9); /* and not for nothing */
}

int main(void) {
  UNITY_BEGIN();
  help_used();
  RUN_TEST(random_planar_machines);
  RUN_TEST(random_machines_in_space);
  RUN_TEST(sway_bounds_what_gaps_can_do);
  return UNITY_END();
}
