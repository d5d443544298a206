/* Event location on the dense output, against roots known in closed form. */
#include <math.h>
#include <string.h>
#include <unity.h>

#include "core/event.h"

void setUp(void) {
}
void tearDown(void) {
}

typedef struct rig {
  core_ode o;
  core_event e;
  double ode_memory[512], event_memory[256];
  double shift[4]; /* g_i = y0 + shift_i */
  double gravity;
} rig;

static core_status oscillator(void *self, double t, const double *y, double *dy) {
  (void)self, (void)t;
  dy[0] = y[1];
  dy[1] = -y[0];
  return CORE_OK;
}

static core_status parabola(void *self, double t, const double *y, double *dy) {
  (void)t;
  dy[0] = y[1];
  dy[1] = -((rig *)self)->gravity;
  return CORE_OK;
}

static core_status shifted(void *self, double t, const double *y, double *g) {
  (void)t;
  rig *r = self;
  for (int i = 0; i < r->e.n; i++) g[i] = y[0] + r->shift[i];
  return CORE_OK;
}

static void build(rig *r, core_ode_rhs rhs, int n, double y0, double y1, double h) {
  double y[2] = {y0, y1};
  core_ode_init(&r->o, 2, rhs, r, r->ode_memory);
  core_event_init(&r->e, n, 2, shifted, r, r->event_memory);
  r->o.rtol = r->o.atol = 1e-12;
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_ode_start(&r->o, 0, y, 1, h));
}

/* runs to the first event before t_end; returns which, -1 when there was none */
static int run(rig *r, double t_end) {
  int which = -1;
  double theta;
  while (which < 0 && r->o.t < t_end) {
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_ode_step(&r->o, t_end));
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_event_scan(&r->e, &r->o, &which, &theta));
  }
  if (which >= 0) {
    int fired;
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_event_refine(&r->e, &r->o, which, theta, &fired));
    TEST_ASSERT_EQUAL_INT(1, fired);
  }
  return which;
}

static void first_root_to_rounding(void) {
  rig r = {.shift = {0}};
  build(&r, oscillator, 1, 1, 0, 0);
  r.e.direction[0] = -1;
  core_event_begin(&r.e, 0, r.o.y);
  TEST_ASSERT_EQUAL_INT(0, run(&r, 10));
  TEST_ASSERT_DOUBLE_WITHIN(r.o.rtol, acos(0), r.o.t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-16, 0, r.o.y[0]);
}

static void rising_only_waits_for_the_second_crossing(void) {
  rig r = {.shift = {0}};
  build(&r, oscillator, 1, 1, 0, 0);
  r.e.direction[0] = 1;
  core_event_begin(&r.e, 0, r.o.y);
  TEST_ASSERT_EQUAL_INT(0, run(&r, 10));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3 * acos(0), r.o.t);
}

static void two_crossings_inside_one_step_are_found(void) {
  static const double shift[] = {0.99, 0.9999, 0.999999, 0.99999999};
  for (int i = 0; i < 4; i++) {
    rig r = {.shift = {shift[i]}};
    build(&r, oscillator, 1, 1, 0, 0);
    r.o.rtol = r.o.atol = 1e-9; /* steps of about one */
    core_event_begin(&r.e, 0, r.o.y);
    TEST_ASSERT_EQUAL_INT(0, run(&r, 10));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9 / sqrt(1 - shift[i]), acos(-shift[i]), r.o.t);
    TEST_ASSERT_TRUE(r.o.h < 2);
  }
}

static void a_near_miss_is_not_an_event(void) {
  rig r = {.shift = {1.0000001, 1.001}};
  build(&r, oscillator, 2, 1, 0, 0);
  core_event_begin(&r.e, 0, r.o.y);
  TEST_ASSERT_EQUAL_INT(-1, run(&r, 50));
}

static void the_earliest_of_several_wins(void) {
  rig r = {.shift = {0.3, -0.2, 0.1}};
  build(&r, oscillator, 3, 1, 0, 0);
  core_event_begin(&r.e, 0, r.o.y);
  TEST_ASSERT_EQUAL_INT(1, run(&r, 10));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, acos(0.2), r.o.t);
}

static void each_root_fires_once(void) {
  rig r = {.shift = {0}};
  build(&r, oscillator, 1, 0.5, 0.5, 0);
  core_event_begin(&r.e, 0, r.o.y);
  int fired = 0;
  while (run(&r, 40) >= 0) {
    double expected = atan2(0.5, -0.5) + acos(-1) * fired; /* 0.5 cos t + 0.5 sin t */
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, expected, r.o.t);
    fired++;
    r.e.level[0] = 1e-9;
    core_event_begin(&r.e, r.o.t, r.o.y);
    TEST_ASSERT_EQUAL_INT(0, r.e.armed[0]);
  }
  TEST_ASSERT_EQUAL_INT(12, fired);
}

/* thrown up from the floor: the root at the start does not count, 2 v/g does, however long the
 * step */
static void leaving_its_root_it_fires_at_the_next_one(void) {
  for (double v = 1; v > 1e-8; v /= 10) {
    rig r = {.gravity = 9.81, .shift = {0}};
    build(&r, parabola, 1, 0, v, 3);
    r.e.direction[0] = -1;
    core_event_begin(&r.e, 0, r.o.y);
    r.e.armed[0] = 1;
    TEST_ASSERT_EQUAL_INT(0, run(&r, 10));
    TEST_ASSERT_DOUBLE_WITHIN(1e-13 * (2 * v / 9.81), 2 * v / 9.81, r.o.t);
  }
}

static void going_the_wrong_way_unarmed_fires_when_deep(void) {
  rig r = {.gravity = 9.81, .shift = {0}};
  build(&r, parabola, 1, 0, 0, 0.01);
  r.e.direction[0] = -1;
  r.e.level[0] = r.e.deep[0] = 1e-9;
  core_event_begin(&r.e, 0, r.o.y);
  TEST_ASSERT_EQUAL_INT(0, run(&r, 1));
  TEST_ASSERT_TRUE(r.o.t < 0.01);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(first_root_to_rounding);
  RUN_TEST(rising_only_waits_for_the_second_crossing);
  RUN_TEST(two_crossings_inside_one_step_are_found);
  RUN_TEST(a_near_miss_is_not_an_event);
  RUN_TEST(the_earliest_of_several_wins);
  RUN_TEST(each_root_fires_once);
  RUN_TEST(leaving_its_root_it_fires_at_the_next_one);
  RUN_TEST(going_the_wrong_way_unarmed_fires_when_deep);
  return UNITY_END();
}
