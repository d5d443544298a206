/* Differences against known derivatives: the stated error covers the true one. */
#include <math.h>

#include "core/differ.h"
#include "unity.h"

void setUp(void) {
}

void tearDown(void) {
}

typedef struct curve {
  double at, offset;
} curve;

/* sin on top of a large number: differences have the rounding of that */
static core_status far_from_zero(void *self, double s, double *out) {
  const curve *c = self;
  out[0] = c->offset + sin(c->at + s);
  out[1] = 3; /* what does not change has no rounding */
  return CORE_OK;
}

static void differentiate(double at, double offset, double goal, double *error, double *d) {
  double work[18];
  curve c = {at, offset};
  core_differ way = {far_from_zero, &c, 2, 0.05, goal, 0, work};
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_differ_at(&way, d, error));
}

/* A goal below rounding asks for shorter steps, down to 2e-7, where quotients are often the same to
 * the last bit: that is chance, not exactness. */
static void quotients_that_agree_by_chance_are_not_exact(void) {
  for (int i = 0; i < 200; i++)
    for (double offset = 1; offset < 2e6; offset *= 1000) {
      double at = 0.01 * i, d[2], error;
      differentiate(at, offset, 1e-18, &error, d);
      TEST_ASSERT_TRUE(fabs(d[0] - cos(at)) <= 4 * error);
      TEST_ASSERT_EQUAL_DOUBLE(0, d[1]);
    }
}

static void the_goal_is_met_where_rounding_lets_it(void) {
  for (int i = 0; i < 200; i++) {
    double d[2], error;
    differentiate(0.01 * i, 1, 1e-11, &error, d);
    TEST_ASSERT_TRUE(error <= 1e-11);
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(quotients_that_agree_by_chance_are_not_exact);
  RUN_TEST(the_goal_is_met_where_rounding_lets_it);
  return UNITY_END();
}
