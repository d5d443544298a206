/* Many contacts: walls and piles of bench/scene.h, judged by the natural map there. */
#include "bench/scene.h"
#include "unity.h"

static void solves(const scene *s, double mu, double promise) {
  impact_modes m = assemble(s, mu);
  core_scratch scratch;
  core_scratch_init(&scratch);
  double *p = malloc(2 * (size_t)m.rows * sizeof *p);
  TEST_ASSERT_EQUAL_INT(CORE_OK, impact_modes_solve(&m, &scratch, p, p + m.rows));
  TEST_ASSERT_TRUE(judge(&m, p) <= promise);
  core_scratch_free(&scratch);
  free(p), drop(m);
}

/* 413 contacts at mu = 0.3 took 9 s and ended at 5e-9 by rounds over the contacts */
static void piles_are_solved_to_rounding(void) {
  static scene s;
  for (int n = 125; n <= 500; n *= 2) {
    pile(&s, n);
    solves(&s, 0.1, 1e-12);
    if (n <= 250) solves(&s, 0.3, 1e-12);
  }
}

static void walls_are_solved_to_rounding(void) {
  static scene s;
  for (int n = 3; n <= 5; n++) {
    wall(&s, n);
    solves(&s, 0.3, 1e-12);
    solves(&s, 0, 1e-12);
  }
}

/* OK is said of answers only: friction grew a part of the way here, and the residual of 0.3 was
 * that of the weaker problem */
static void what_is_not_solved_is_not_called_solved(void) {
  static scene s;
  seed = 7;
  pile(&s, 125), pile(&s, 250);
  impact_modes m = assemble(&s, 1);
  core_scratch scratch;
  core_scratch_init(&scratch);
  double *p = malloc(2 * (size_t)m.rows * sizeof *p);
  core_status status = impact_modes_solve(&m, &scratch, p, p + m.rows);
  TEST_ASSERT_TRUE(status == CORE_NOT_CONVERGED || judge(&m, p) <= 1e-7);
  core_scratch_free(&scratch);
  free(p), drop(m);
}

void setUp(void) {
}

void tearDown(void) {
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(piles_are_solved_to_rounding);
  RUN_TEST(what_is_not_solved_is_not_called_solved);
  RUN_TEST(walls_are_solved_to_rounding);
  return UNITY_END();
}
