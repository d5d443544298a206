/* Implicit steps: the nodes against what defines them, steps against closed forms, stiff ones
 * against the explicit method. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

#include "core/interrupt.h"
#include "core/ode_implicit.h"

static core_scratch scratch;

void setUp(void) {
  core_scratch_init(&scratch);
}
void tearDown(void) {
  core_scratch_free(&scratch);
  core_interrupt_flag = 0;
}

/* ---- nodes ---- */

static void derivatives_of_powers_up_to_7_are_exact(void) {
  core_radau r;
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_radau_make(&r, &scratch));
  for (int p = 0; p <= 7; p++)
    for (int i = 0; i <= 7; i++) {
      double sum = 0, size = 0;
      for (int j = 0; j <= 7; j++) {
        sum += r.D[i][j] * pow(r.c[j], p);
        size += fabs(r.D[i][j] * pow(r.c[j], p));
      }
      TEST_ASSERT_DOUBLE_WITHIN(2e-15 * size, p ? p * pow(r.c[i], p - 1) : 0, sum);
    }
}

/* int_0^1 x^p dx from values at the nodes is what order 13 needs: P' = x^p at the nodes gives P(1)
 */
static void quadrature_is_exact_up_to_degree_12(void) {
  core_radau r;
  core_radau_make(&r, &scratch);
  for (int p = 0; p <= 13; p++) {
    double value = 0, slope[7], P[7] = {0};
    for (int i = 0; i < 7; i++) slope[i] = pow(r.c[i + 1], p);
    /* P = D^-1 slope by T diag(1/lambda) T^-1 */
    double w[7] = {0};
    for (int i = 0; i < 7; i++)
      for (int j = 0; j < 7; j++) w[i] += r.inverse[i][j] * slope[j];
    w[0] /= r.lambda[0][0];
    for (int k = 1; k < 4; k++) {
      double re = r.lambda[k][0], im = r.lambda[k][1], size = re * re + im * im;
      double a = w[2 * k - 1], b = -w[2 * k];
      w[2 * k - 1] = (a * re + b * im) / size;
      w[2 * k] = -(b * re - a * im) / size;
    }
    for (int i = 0; i < 7; i++)
      for (int j = 0; j < 7; j++) P[i] += r.T[i][j] * w[j];
    value = P[6];
    if (p <= 12)
      TEST_ASSERT_DOUBLE_WITHIN(3e-14, 1. / (p + 1), value);
    else
      TEST_ASSERT_TRUE(fabs(value - 1. / 14) > 1e-10); /* it has no higher order */
  }
}

/* ---- an engine ---- */

typedef struct engine {
  core_ode o;
  core_implicit m;
  double memory[4096], more[4096];
} engine;

static void make(engine *e, int nq, int nu, int n, core_ode_rhs rhs, void *self) {
  size_t room = core_implicit_memory(n);
  TEST_ASSERT_TRUE(core_ode_memory(n) <= 4096 && room + core_implicit_full_memory(nq, nu) <= 4096);
  core_ode_init(&e->o, n, rhs, self, e->memory);
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_implicit_init(&e->m, nq, nu, n, e->more, &scratch));
  core_implicit_full(&e->m, e->more + room);
  e->o.implicit = &e->m;
}

static void run(engine *e, double t, const double *y, double end) {
  int direction = end < t ? -1 : 1;
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_ode_start(&e->o, t, y, direction, 0));
  while (e->o.t != end) TEST_ASSERT_EQUAL_INT(CORE_OK, core_ode_step(&e->o, end));
}

/* ---- an oscillator: q' = u, u' = -w^2 q - 2 z w u, and the work of the damper ---- */

typedef struct oscillator {
  double w, z;
} oscillator;

static core_status swing(void *self, double t, const double *y, double *dy) {
  const oscillator *s = self;
  (void)t;
  dy[0] = y[1];
  dy[1] = -s->w * s->w * y[0] - 2 * s->z * s->w * y[1];
  dy[2] = 2 * s->z * s->w * y[1] * y[1];
  return CORE_OK;
}

static double energy(const oscillator *s, const double *y) {
  return (y[1] * y[1] + s->w * s->w * y[0] * y[0]) / 2;
}

static void oscillator_meets_its_tolerance(void) {
  for (double rtol = 1e-5; rtol > 1e-13; rtol /= 100) {
    engine e;
    oscillator s = {3, 0};
    double y[3] = {1, 0, 0};
    make(&e, 1, 1, 3, swing, &s);
    e.o.rtol = rtol, e.o.atol = rtol;
    run(&e, 0, y, 10);
    TEST_ASSERT_DOUBLE_WITHIN(10 * rtol, cos(30), e.o.y[0]);
    TEST_ASSERT_DOUBLE_WITHIN(30 * rtol, -3 * sin(30), e.o.y[1]);
  }
}

/* a damper 1e2 to 1e10 times faster than the motion: few steps, and the work is booked */
static void strong_dampers_take_no_more_steps(void) {
  long most = 0;
  for (double z = 1e2; z < 2e10; z *= 100) {
    engine e;
    oscillator s = {1, z};
    double y[3] = {1, 0, 0}, slow = -1 / (z + sqrt(z * z - 1));
    make(&e, 1, 1, 3, swing, &s);
    e.o.rtol = 1e-10, e.o.atol = 1e-13 / z; /* speeds are of the size of 1/z */
    run(&e, 0, y, 10 * z);                  /* ten times as long as the slow motion takes */
    double fast = -(z + sqrt(z * z - 1)), a = fast / (fast - slow);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, a * exp(slow * 10 * z), e.o.y[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.5, energy(&s, e.o.y) + e.o.y[2]);
    most = e.o.steps > most ? e.o.steps : most;
  }
  TEST_ASSERT_TRUE(most < 150);
}

/* largest error of q inside the steps from (1, 0) */
static double worst_inside(double z, int implicit, double end) {
  engine e;
  oscillator s = {1, z};
  double y[3] = {1, 0, 0}, fast = -(z + sqrt(z * z - 1)), slow = 1 / fast, worst = 0;
  make(&e, 1, 1, 3, swing, &s);
  if (!implicit) e.o.implicit = NULL;
  e.o.keeps_dense = 1;
  e.o.rtol = 1e-9, e.o.atol = 1e-12;
  core_ode_start(&e.o, 0, y, 1, 0);
  while (e.o.t < end) {
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_ode_step(&e.o, end));
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_ode_dense(&e.o));
    for (double x = 0; x <= 1; x += 0.0625) {
      double t = e.o.t_old + x * e.o.h, q;
      core_ode_at(&e.o, x, 0, 1, &q);
      worst = fmax(worst, fabs(q - (fast * exp(slow * t) - slow * exp(fast * t)) / (fast - slow)));
    }
  }
  return worst;
}

static void dense_output_is_as_good_inside_a_step(void) {
  for (double z = 2; z < 1e6; z *= 10) TEST_ASSERT_TRUE(worst_inside(z, 1, 5 * z) < 5e-10);
}

/* Explicit steps of |h lambda| = 15 ended well, and were off by 3.6e-7 inside. */
static void explicit_steps_do_not_show_what_has_settled(void) {
  for (double z = 2; z < 100; z *= 1.5) TEST_ASSERT_TRUE(worst_inside(z, 0, 6 * z) < 5e-9);
}

static void a_step_made_again_and_undone(void) {
  engine e;
  oscillator s = {1, 20};
  double y[3] = {1, 0, 0}, whole[3], parts[3];
  make(&e, 1, 1, 3, swing, &s);
  core_ode_start(&e.o, 0, y, 1, 0);
  for (int i = 0; i < 12; i++) core_ode_step(&e.o, 1e9);
  double t0 = e.o.t_old, t1 = e.o.t, middle = t0 + 0.37 * (t1 - t0);
  memcpy(whole, e.o.y, sizeof whole);
  core_ode_dense(&e.o);
  core_ode_at(&e.o, 0.37, 0, 3, parts);
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_ode_redo(&e.o, middle));
  TEST_ASSERT_TRUE(e.o.error <= 1);
  for (int i = 0; i < 3; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-9, parts[i], e.o.y[i]);
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_ode_step(&e.o, t1));
  while (e.o.t < t1) TEST_ASSERT_EQUAL_INT(CORE_OK, core_ode_step(&e.o, t1));
  for (int i = 0; i < 3; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-9, whole[i], e.o.y[i]);
  memcpy(parts, e.o.y_old, sizeof parts);
  core_ode_back(&e.o);
  TEST_ASSERT_EQUAL_MEMORY(parts, e.o.y, sizeof parts);
}

/* ---- a relaxation oscillator (van der Pol), where stiffness comes and goes ---- */

static core_status relax(void *self, double t, const double *y, double *dy) {
  double mu = *(double *)self;
  (void)t;
  dy[0] = y[1];
  dy[1] = mu * (1 - y[0] * y[0]) * y[1] - y[0];
  return CORE_OK;
}

static void relaxation_equals_the_explicit_method(void) {
  double mu = 300, y[2] = {2, 0};
  engine a, b;
  make(&a, 1, 1, 2, relax, &mu);
  make(&b, 1, 1, 2, relax, &mu);
  a.o.rtol = b.o.rtol = 1e-11;
  b.o.implicit = NULL;
  run(&a, 0, y, 600); /* through two jumps */
  run(&b, 0, y, 600);
  TEST_ASSERT_DOUBLE_WITHIN(1e-7, b.o.y[0], a.o.y[0]);
  TEST_ASSERT_TRUE(20 * a.o.steps < b.o.steps);
}

/* the two methods take turns in one run, and the past of one is none for the other */
static void methods_take_turns(void) {
  engine e;
  oscillator s = {3, 0};
  double y[3] = {1, 0, 0};
  make(&e, 1, 1, 3, swing, &s);
  e.o.rtol = e.o.atol = 1e-10;
  core_ode_start(&e.o, 0, y, 1, 0);
  for (int i = 0; e.o.t < 10; i++) {
    e.o.implicit = i % 5 < 2 ? &e.m : NULL;
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_ode_step(&e.o, 10));
  }
  TEST_ASSERT_TRUE(e.o.implicit_steps > 5 && e.o.implicit_steps < e.o.steps - 5);
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, cos(30), e.o.y[0]);
}

/* ---- q' that depends on q: a unit quaternion in the plane, u its rate, held by a stiff spring */

static core_status turn(void *self, double t, const double *y, double *dy) {
  const oscillator *s = self;
  (void)t;
  dy[0] = -y[1] * y[2] / 2;
  dy[1] = y[0] * y[2] / 2;
  dy[2] = -s->w * s->w * 2 * y[1] * y[0] - 2 * s->z * s->w * y[2]; /* w^2 sin(angle) */
  return CORE_OK;
}

static core_status pendulum(void *self, double t, const double *y, double *dy) {
  const oscillator *s = self;
  (void)t;
  dy[0] = y[1];
  dy[1] = -s->w * s->w * sin(y[0]) - 2 * s->z * s->w * y[1];
  return CORE_OK;
}

static void quaternions_turn_as_angles_do(void) {
  engine a, b;
  oscillator s = {1, 500};
  double angle[2] = {2, 0}, half[3] = {cos(1), sin(1), 0};
  make(&a, 2, 1, 3, turn, &s);
  make(&b, 1, 1, 2, pendulum, &s);
  a.o.rtol = b.o.rtol = 1e-10;
  run(&a, 0, half, 2000);
  run(&b, 0, angle, 2000);
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, b.o.y[0], 2 * atan2(a.o.y[1], a.o.y[0]));
  TEST_ASSERT_TRUE(a.o.steps < 200);
  /* closed form of the slow motion: tan(angle / 2) falls as exp(-t / 1000), up to 1/(2 z)^2 */
  TEST_ASSERT_DOUBLE_WITHIN(1e-5, 2 * atan(tan(1) * exp(-2)), b.o.y[0]);
}

/* ---- failures ---- */

static core_status ends(void *self, double t, const double *y, double *dy) {
  (void)self;
  dy[0] = y[1];
  dy[1] = -1e6 * (y[1] - 1);
  return t > 1 ? CORE_NO_SOLUTION : CORE_OK;
}

static void outside_of_its_domain_steps_get_shorter(void) {
  engine e;
  double y[2] = {0, 1};
  core_status status = CORE_OK;
  make(&e, 1, 1, 2, ends, NULL);
  core_ode_start(&e.o, 0, y, 1, 0);
  while (!status) status = core_ode_step(&e.o, 2);
  TEST_ASSERT_EQUAL_INT(CORE_NO_SOLUTION, status);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1, e.o.t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1, e.o.y[0]);
}

static void interrupts_are_heard(void) {
  engine e;
  oscillator s = {1, 1e3};
  double y[3] = {1, 0, 0};
  make(&e, 1, 1, 3, swing, &s);
  core_ode_start(&e.o, 0, y, 1, 0);
  core_interrupt_flag = 1;
  TEST_ASSERT_EQUAL_INT(CORE_INTERRUPTED, core_ode_step(&e.o, 1));
  TEST_ASSERT_EQUAL_DOUBLE(0, e.o.t);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(derivatives_of_powers_up_to_7_are_exact);
  RUN_TEST(quadrature_is_exact_up_to_degree_12);
  RUN_TEST(oscillator_meets_its_tolerance);
  RUN_TEST(strong_dampers_take_no_more_steps);
  RUN_TEST(dense_output_is_as_good_inside_a_step);
  RUN_TEST(explicit_steps_do_not_show_what_has_settled);
  RUN_TEST(a_step_made_again_and_undone);
  RUN_TEST(relaxation_equals_the_explicit_method);
  RUN_TEST(methods_take_turns);
  RUN_TEST(quaternions_turn_as_angles_do);
  RUN_TEST(outside_of_its_domain_steps_get_shorter);
  RUN_TEST(interrupts_are_heard);
  return UNITY_END();
}
