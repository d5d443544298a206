/* How M and J of models change with places: exact where a model is made of joints, against five
 * points of the assembled problem that the test takes itself. */
#include "impact/derive.h"
#include "mechanism_help.h"

enum { NUMBERS = 4000 };
static core_scratch scratch;

typedef struct look {
  const model *m;
  int n, contacts[16];
  double q[64], u[64]; /* where it stands */
} look;

static int assembled(const look *k, const double *q, double *out) {
  impact_setup s;
  core_mark mark = core_scratch_mark(&scratch);
  core_status status = impact_assemble(k->m, q, k->u, k->n, k->contacts, &scratch, &s, NULL);
  if (!status) {
    int part = s.nu * s.problem.rows, square = s.problem.rows * s.problem.rows;
    memcpy(out, s.J, (size_t)part * sizeof *out);
    memcpy(out + part, s.Y, (size_t)part * sizeof *out);
    memcpy(out + 2 * part, s.problem.W, (size_t)square * sizeof *out);
  }
  core_scratch_release(&scratch, mark);
  return !status;
}

/* d(J, Y, W) along dq, five points; quaternions stay quaternions */
static void by_points(const look *k, const double *dq, int n, double *d) {
  static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
  double q[64], here[NUMBERS], h = 1e-3;
  memset(d, 0, (size_t)n * sizeof *d);
  for (int p = 0; p < 4; p++) {
    for (int i = 0; i < k->m->shape.nq; i++) q[i] = k->q[i] + at[p] * h * dq[i];
    if (k->m->type->normalise) k->m->type->normalise(k->m, q);
    TEST_ASSERT_TRUE(assembled(k, q, here));
    for (int i = 0; i < n; i++) d[i] += weight[p] * here[i] / (12 * h);
  }
}

/* every direction; how many were exact, and the worst distance of J, Y, W, each by its size */
static int compare(look *k, double *worst) {
  int nu = k->m->shape.nu, exact = 0;
  double dq[64], e[64], d[NUMBERS], other[NUMBERS], here[NUMBERS];
  for (int i = 0; i < nu; i++) {
    core_mark mark = core_scratch_mark(&scratch);
    impact_point at = {.m = k->m, .q = k->q, .u = k->u};
    TEST_ASSERT_EQUAL(
        CORE_OK, impact_assemble(k->m, k->q, k->u, k->n, k->contacts, &scratch, &at.setup, NULL));
    int rows = at.setup.problem.rows, part = nu * rows, n = 2 * part + rows * rows;
    int ends[4] = {0, part, 2 * part, n};
    memset(e, 0, sizeof e);
    e[i] = 1;
    TEST_ASSERT_EQUAL(CORE_OK, model_rates(k->m, k->q, e, dq));
    impact_size size;
    TEST_ASSERT_EQUAL(CORE_OK, impact_derive_sizes(&at, &scratch, &size));
    if (impact_derive_joint(&at, &size, i, dq, &scratch, d) == CORE_OK) {
      exact++;
      by_points(k, dq, n, other);
      TEST_ASSERT_TRUE(assembled(k, k->q, here));
      for (int b = 0; b < 3; b++) {
        double most = 1e-300, far = 0;
        for (int j = ends[b]; j < ends[b + 1]; j++)
          most = fmax(most, fmax(fabs(here[j]), fabs(other[j]))),
          far = fmax(far, fabs(d[j] - other[j]));
        *worst = fmax(*worst, far / most);
      }
    }
    core_scratch_release(&scratch, mark);
  }
  return exact;
}

static void stand(look *k, const model *m, int contacts, double spread) {
  *k = (look){.m = m, .n = contacts};
  for (int c = 0; c < contacts; c++) k->contacts[c] = c;
  for (int i = 0; i < m->shape.nq; i++) k->q[i] = m->q[i] + spread * any();
  for (int i = 0; i < m->shape.nu; i++) k->u[i] = any();
  if (m->type->normalise) m->type->normalise(m, k->q);
}

/* models of the library: all of them but walkers, whose feet are above the ground while legs pass
 * each other by a rule of their own, and round bodies against each other */
static void test_models_of_the_library_are_exact(void) {
  static const char *const names[] = {"particle",        "ball", "pencil", "rod",          "bar",
                                      "double_pendulum", "arm",  "chain",  "crutch_walker"};
  for (int i = 0; i < 9; i++) {
    model *m = PLAIN(names[i]);
    double worst = 0;
    for (int round = 0; round < 20; round++) {
      look k;
      stand(&k, m, m->shape.nc < 4 ? m->shape.nc : 4, 0.4);
      TEST_ASSERT_EQUAL_MESSAGE(m->shape.nu, compare(&k, &worst), names[i]);
    }
    printf("%-16s %.2g\n", names[i], worst);
    TEST_ASSERT_TRUE_MESSAGE(worst < 1e-9, names[i]);
    model_free(m);
  }
}

/* trees of hinges, slides, balls and free bodies above a floor */
static void trees(int plane) {
  int exact = 0, all = 0;
  double worst = 0;
  for (int round = 0; round < 60; round++) {
    machine k;
    look at;
    declare(&k, plane, 1 + below(8));
    make(&k);
    if (k.m) {
      stand(&at, k.m, 1, 0.5);
      exact += compare(&at, &worst), all += k.m->shape.nu;
    }
    unmake(&k);
  }
  printf("trees in the %s: %d of %d directions exact, worst %.2g\n", plane ? "plane" : "space",
         exact, all, worst);
  TEST_ASSERT_TRUE(exact == all && all > 100 && worst < 1e-8);
}

static void test_trees_of_joints_are_exact(void) {
  trees(1);
  trees(0);
}

/* not of that kind: it is seen, and nothing is claimed */
static void test_round_bodies_against_each_other_are_not(void) {
  model *m = PLAIN("pair");
  look k;
  double worst = 0;
  stand(&k, m, 1, 0.1);
  TEST_ASSERT_TRUE(compare(&k, &worst) < m->shape.nu);
  TEST_ASSERT_TRUE(worst < 1e-9);
  model_free(m);
}

void setUp(void) {
  core_scratch_init(&scratch);
}
void tearDown(void) {
  core_scratch_free(&scratch);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_models_of_the_library_are_exact);
  RUN_TEST(test_trees_of_joints_are_exact);
  RUN_TEST(test_round_bodies_against_each_other_are_not);
  return UNITY_END();
}
