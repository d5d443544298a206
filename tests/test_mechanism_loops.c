/* Random mechanisms with a loop, and with the same loop twice, against the block matrix. */
#include "mechanism_carry.h"

void setUp(void) {
}

void tearDown(void) {
}

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

int main(void) {
  UNITY_BEGIN();
  help_used();
  RUN_TEST(planar_machines_with_loops);
  RUN_TEST(machines_with_loops_in_space);
  return UNITY_END();
}
