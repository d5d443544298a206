/* Bodies that stand on several feet, in closed form: a table on a slope, a stack, a wedge. */
#include "linear_run.h"

void setUp(void) {
  core_scratch_init(&sim_scratch);
}

void tearDown(void) {
  core_scratch_free(&sim_scratch);
}

/* A table of mass 1 on a slope: frame x downhill, y across, z normal; legs at (+-a, +-b, -h) from
 * its centre of mass. Coordinates are weighted by the roots of mass and moments, M = 1. */
static const double leg_a = 0.5, leg_b = 0.4, leg_h = 0.5, gravity = 9.81;

static void table_on_slope(double angle) {
  static const double I[3] = {0.2, 0.3, 0.25};
  linear.nu = 6, linear.nc = 4, linear.dim = 3, linear.rows = 12;
  memset(linear.J, 0, sizeof linear.J);
  for (int c = 0; c <= 4; c++) linear.first[c] = 3 * c;
  for (int c = 0; c < 4; c++) {
    double r[3] = {c & 1 ? leg_a : -leg_a, c & 2 ? leg_b : -leg_b, -leg_h};
    for (int k = 0; k < 3; k++) {
      int p = (k + 1) % 3, q = (k + 2) % 3; /* v_k + w_p r_q - w_q r_p */
      linear.J[k * 12 + 3 * c + k] = 1;
      linear.J[(3 + p) * 12 + 3 * c + k] = r[q] / sqrt(I[p]);
      linear.J[(3 + q) * 12 + 3 * c + k] = -r[p] / sqrt(I[q]);
    }
  }
  memset(linear.f, 0, sizeof linear.f);
  linear.f[0] = gravity * sin(angle), linear.f[2] = -gravity * cos(angle);
}

/* N of a leg downhill (1) or uphill (-1) when friction takes T in all: the moment T h is theirs */
static double leg_load(double angle, double T, int side) {
  return gravity * cos(angle) / 4 + side * T * leg_h / (4 * leg_a);
}

static const double even[4] = {0.6, 0.6, 0.6, 0.6}, still[LINEAR_SPEEDS] = {0};

/* its legs uphill carry a quarter of the load of the others: with friction shared alike they could
 * not hold, though the table stands up to tan(angle) = mu */
static void test_a_table_stands_on_a_slope(void) {
  double angle = atan(0.55), T = gravity * sin(angle);
  table_on_slope(angle);
  sim_run *r = start(even, still);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, r->status, r->error.text);
  const sim_state *at = state_at(r, r->t);
  TEST_ASSERT_TRUE(at->redundant);
  for (int c = 0; c < 4; c++) {
    double N = leg_load(angle, T, c & 1 ? 1 : -1);
    TEST_ASSERT_EQUAL_INT(SIM_MODE_STICK, at->mode[c]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, N, at->force[3 * c + 2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, -T * N / (gravity * cos(angle)), at->force[3 * c]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0, at->force[3 * c + 1]);
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0, at->u[0]);
  done(r);
}

static void test_a_table_slides_down_a_slope(void) {
  double angle = atan(0.9), mu = even[0], a = gravity * (sin(angle) - mu * cos(angle));
  table_on_slope(angle);
  sim_run *r = start(even, still);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, r->status, r->error.text);
  const sim_state *at = state_at(r, r->t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, a * r->t, at->u[0]);
  for (int c = 0; c < 4; c++) {
    double N = leg_load(angle, mu * gravity * cos(angle), c & 1 ? 1 : -1);
    TEST_ASSERT_EQUAL_INT(SIM_MODE_SLIP, at->mode[c]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, N, at->force[3 * c + 2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, -mu * N, at->force[3 * c]);
  }
  done(r);
}

/* pulled downhill by a force that grows, it breaks loose when that, and what pulls already, reach
 * mu N; all legs at once */
static core_status pull(void *self, double t, const double *q, const double *u, double *h,
                        core_error *err) {
  (void)q, (void)u, (void)err;
  memset(h, 0, 6 * sizeof *h);
  h[0] = *(const double *)self * t;
  return CORE_OK;
}

static void test_a_table_breaks_loose_when_all_of_its_friction_is_used(void) {
  double angle = atan(0.3), rate = 2;
  double t = gravity * (even[0] * cos(angle) - sin(angle)) / rate;
  table_on_slope(angle);
  model *m = NULL;
  TEST_ASSERT_EQUAL_INT(CORE_OK, model_create(&linear_type, NULL, &m, NULL));
  sim_options o = sim_defaults();
  o.t_end = t + 0.2, o.force = pull, o.force_self = &rate;
  sim_run *r = go(m, LAW("moreau", ONE("mu", even[0]), ONE("e", 0)), o);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, r->status, r->error.text);
  TEST_ASSERT_EQUAL_INT(4, count_events(r, SIM_SLIP));
  for (int i = 0; i < 4; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-8, t, need(r, SIM_SLIP, i)->t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-7, rate * 0.2 * 0.2 / 2, r->u[0]);
  done(r);
}

/* Turned by a torque that grows while it is pulled: it stands up to the torque at which some rigid
 * motion, a turn about c, gives more than friction takes:  M* = min_c sum mu N_i |r_i - c| - T c_y.
 * (With normal forces that the legs press on each other, + - + -, it could stand a little longer:
 * the answer is not unique, and those are not taken.) */
static double takes(double T, double x, double y) {
  double sum = -T * y;
  for (int c = 0; c < 4; c++)
    sum += even[0] * leg_load(0, T, c & 1 ? 1 : -1) *
           hypot((c & 1 ? leg_a : -leg_a) - x, (c & 2 ? leg_b : -leg_b) - y);
  return sum;
}

/* least over y, then over x: convex in both */
static double least_over(double T, double x) {
  double low = -2, high = 2;
  for (int i = 0; i < 90; i++) {
    double a = low + (high - low) / 3, b = high - (high - low) / 3;
    double fa = isnan(x) ? least_over(T, a) : takes(T, x, a);
    double fb = isnan(x) ? least_over(T, b) : takes(T, x, b);
    if (fa > fb)
      low = a;
    else
      high = b;
  }
  return isnan(x) ? least_over(T, low) : takes(T, x, low);
}

static core_status turn(void *self, double t, const double *q, const double *u, double *h,
                        core_error *err) {
  (void)q, (void)u, (void)err;
  memset(h, 0, 6 * sizeof *h);
  h[0] = *(const double *)self, h[5] = t / sqrt(0.25);
  return CORE_OK;
}

static void check_turn(double T, double M, double tol) {
  table_on_slope(0);
  model *m = NULL;
  TEST_ASSERT_EQUAL_INT(CORE_OK, model_create(&linear_type, NULL, &m, NULL));
  sim_options o = sim_defaults();
  o.t_end = M + 0.1, o.force = turn, o.force_self = &T;
  sim_run *r = go(m, LAW("moreau", ONE("mu", even[0]), ONE("e", 0)), o);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, r->status, r->error.text);
  TEST_ASSERT_EQUAL_INT(4, count_events(r, SIM_SLIP));
  TEST_ASSERT_DOUBLE_WITHIN(tol, M, need(r, SIM_SLIP, 0)->t);
  TEST_ASSERT_TRUE(r->u[5] > 0);
  done(r);
}

static void test_a_table_stands_until_some_turn_is_stronger_than_its_friction(void) {
  double r = hypot(leg_a, leg_b);
  check_turn(0, even[0] * gravity * r, 1e-8);
  check_turn(2, least_over(2, NAN), 1e-5); /* what may move before it counts: SIM_STANDS */
}

/* A tower of 6 blocks of mass 1, each on two feet on the one below (rows t, n; blocks do not turn):
 * each foot carries half of what is above. The lowest is pulled by less than its friction. */
static void test_a_stack_stands_and_its_feet_share_alike(void) {
  enum { N = 6 };
  linear.nu = 2 * N, linear.nc = 2 * N, linear.dim = 2, linear.rows = 4 * N;
  memset(linear.J, 0, sizeof linear.J);
  memset(linear.f, 0, sizeof linear.f);
  for (int c = 0; c <= 2 * N; c++) linear.first[c] = 2 * c;
  for (int c = 0; c < 2 * N; c++)
    for (int k = 0; k < 2; k++) {
      int block = c / 2, row = 2 * c + k;
      linear.J[(2 * block + k) * linear.rows + row] = 1;
      if (block) linear.J[(2 * block - 2 + k) * linear.rows + row] = -1;
    }
  for (int block = 0; block < N; block++) linear.f[2 * block + 1] = -gravity;
  linear.f[2 * N - 2] = 0.3 * gravity; /* the highest is pulled aside */
  double mu[LINEAR_CONTACTS];
  for (int c = 0; c < 2 * N; c++) mu[c] = 0.4;
  sim_run *r = start(mu, still);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, r->status, r->error.text);
  const sim_state *at = state_at(r, r->t);
  for (int c = 0; c < 2 * N; c++) {
    TEST_ASSERT_EQUAL_INT(SIM_MODE_STICK, at->mode[c]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, gravity * (N - c / 2) / 2.0, at->force[2 * c + 1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, -0.15 * gravity, at->force[2 * c]);
  }
  done(r);
}

/* A block of mass m slides without friction on a wedge of mass M that stands on two feet and slides
 * too: A = m g sin cos/(M + m sin^2) */
static void test_a_wedge_gives_way_to_a_block(void) {
  double angle = 0.6, M = 3, m = 1, c = cos(angle), s = sin(angle);
  linear.nu = 4, linear.nc = 3, linear.dim = 2, linear.rows = 6; /* X, Z of the wedge; x, z */
  memset(linear.J, 0, sizeof linear.J);
  memset(linear.f, 0, sizeof linear.f);
  for (int i = 0; i <= 3; i++) linear.first[i] = 2 * i;
  for (int k = 0; k < 2; k++) { /* feet */
    linear.J[k * 6 + k] = linear.J[k * 6 + 2 + k] = 1 / sqrt(M);
  }
  const double t[2] = {c, -s}, n[2] = {s, c}; /* the wedge falls to the right */
  for (int k = 0; k < 2; k++) {
    linear.J[k * 6 + 4] = -t[k] / sqrt(M), linear.J[k * 6 + 5] = -n[k] / sqrt(M);
    linear.J[(2 + k) * 6 + 4] = t[k] / sqrt(m), linear.J[(2 + k) * 6 + 5] = n[k] / sqrt(m);
  }
  linear.f[1] = -gravity * sqrt(M), linear.f[3] = -gravity * sqrt(m);
  const double mu[3] = {0, 0, 0};
  sim_run *r = start(mu, still);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, r->status, r->error.text);
  double A = m * gravity * s * c / (M + m * s * s);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -A * r->t * sqrt(M), state_at(r, r->t)->u[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, M * A / s, state_at(r, r->t)->force[5]);
  TEST_ASSERT_TRUE(state_at(r, r->t)->redundant);
  done(r);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_table_stands_on_a_slope);
  RUN_TEST(test_a_table_slides_down_a_slope);
  RUN_TEST(test_a_table_breaks_loose_when_all_of_its_friction_is_used);
  RUN_TEST(test_a_table_stands_until_some_turn_is_stronger_than_its_friction);
  RUN_TEST(test_a_stack_stands_and_its_feet_share_alike);
  RUN_TEST(test_a_wedge_gives_way_to_a_block);
  return UNITY_END();
}
