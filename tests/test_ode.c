/* The integrator: its coefficients against every order condition, its steps against closed forms.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

#include "core/interrupt.h"
#include "core/ode.h"
#include "core/ode_table.h"

void setUp(void) {
}
void tearDown(void) {
  core_interrupt_flag = 0;
}

/* ---- rooted trees: the order conditions of Butcher, all of them ----
 * A tree of order p is a level sequence (1, 2, ...): level[i] is the depth of node i in preorder.
 * Beyer and Hedetniemi's successor visits each tree once. */

enum { STAGES = 16, MAX_ORDER = 8 };

static double A[STAGES][STAGES];

static void fill_A(void) {
  memset(A, 0, sizeof A);
  for (int i = 0; i < STAGES; i++)
    for (int j = 0; j < core_ode_a[i].n; j++) A[i][core_ode_a[i].at[j]] = core_ode_a[i].a[j];
}

static int next_tree(int n, int *level) {
  int p = n - 1, q;
  while (p > 0 && level[p] == 2) p--;
  if (p == 0) return 0;
  for (q = p - 1; level[q] != level[p] - 1;) q--;
  for (int i = p; i < n; i++) level[i] = level[i - (p - q)];
  return 1;
}

/* elementary weight phi_i of the subtree at `node` for each stage i, its size and its density */
static int weigh(int n, const int *level, int node, double *phi, double *gamma) {
  int size = 1;
  for (int i = 0; i < STAGES; i++) phi[i] = 1;
  *gamma = 1;
  for (int c = node + 1; c < n && level[c] > level[node]; c++) {
    if (level[c] != level[node] + 1) continue;
    double child[STAGES], g;
    size += weigh(n, level, c, child, &g);
    *gamma *= g;
    for (int i = 0; i < STAGES; i++) {
      double sum = 0;
      for (int j = 0; j < STAGES; j++) sum += A[i][j] * child[j];
      phi[i] *= sum;
    }
  }
  *gamma *= size;
  return size;
}

/* largest |sum b_i phi_i(tree) - theta^order/gamma(tree)| over all trees of that order */
static double worst_condition(int order, const double *b, double theta, int *trees) {
  int level[MAX_ORDER];
  double worst = 0;
  *trees = 0;
  for (int i = 0; i < order; i++) level[i] = i + 1;
  do {
    double phi[STAGES], gamma, sum = 0;
    weigh(order, level, 0, phi, &gamma);
    for (int i = 0; i < STAGES; i++) sum += b[i] * phi[i];
    worst = fmax(worst, fabs(sum - pow(theta, order) / gamma));
    ++*trees;
  } while (next_tree(order, level));
  return worst;
}

static void spread(const core_ode_row *row, double sign, double *b) {
  for (int j = 0; j < row->n; j++) b[row->at[j]] += sign * row->a[j];
}

static void step_has_order_8_by_all_200_trees(void) {
  static const int count[] = {0, 1, 1, 2, 4, 9, 20, 48, 115};
  double b[STAGES] = {0};
  spread(&core_ode_a[12], 1, b);
  for (int order = 1; order <= 8; order++) {
    int trees;
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0, worst_condition(order, b, 1, &trees));
    TEST_ASSERT_EQUAL_INT(count[order], trees);
  }
}

static void error_estimates_have_orders_5_and_3(void) {
  double b5[STAGES] = {0}, b3[STAGES] = {0};
  int trees;
  spread(&core_ode_a[12], 1, b5);
  spread(&core_ode_error5, -1, b5);
  spread(&core_ode_error3, 1, b3);
  for (int order = 1; order <= 5; order++)
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0, worst_condition(order, b5, 1, &trees));
  TEST_ASSERT_TRUE(worst_condition(6, b5, 1, &trees) > 1e-6);
  for (int order = 1; order <= 3; order++)
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0, worst_condition(order, b3, 1, &trees));
  TEST_ASSERT_TRUE(worst_condition(4, b3, 1, &trees) > 1e-6);
}

static void row_sums_are_the_nodes(void) {
  for (int i = 0; i < STAGES; i++) {
    double sum = 0;
    for (int j = 0; j < STAGES; j++) sum += A[i][j];
    TEST_ASSERT_DOUBLE_WITHIN(2e-14, core_ode_c[i], sum);
  }
}

/* the weight of each stage in the dense output at theta, by reading rows made of unit stages */
static void dense_weights(double theta, double *b) {
  double rows[CORE_ODE_DENSE * STAGES], step[STAGES] = {0}, high[4][STAGES] = {{0}};
  spread(&core_ode_a[12], 1, step);
  for (int r = 0; r < 4; r++) spread(&core_ode_dense_rows[r], 1, high[r]);
  for (int j = 0; j < STAGES; j++) {
    double bend = (j == 0) - step[j];
    double column[CORE_ODE_DENSE] = {0,          step[j],    bend,       step[j] - (j == 12) - bend,
                                     high[0][j], high[1][j], high[2][j], high[3][j]};
    for (int r = 0; r < CORE_ODE_DENSE; r++) rows[r * STAGES + j] = column[r];
  }
  core_ode_read(rows, STAGES, theta, 0, STAGES, b);
}

static void dense_output_has_order_7_by_all_trees(void) {
  for (double theta = 0.1; theta < 1; theta += 0.2) {
    double b[STAGES];
    int trees;
    dense_weights(theta, b);
    for (int order = 1; order <= 7; order++)
      TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, worst_condition(order, b, theta, &trees));
    TEST_ASSERT_TRUE(worst_condition(8, b, theta, &trees) > 1e-9);
  }
}

/* ---- a problem with a known solution ----
 * y1' = 2 t y4 y1, y2' = 10 t y4 y1^5, y3' = 2 t y4, y4' = -2 t (y3 - 1):
 * y = (e^sin t^2, e^(5 sin t^2), sin t^2 + 1, cos t^2) */

typedef struct probe {
  long calls;
  int fail_at;
} probe;

static core_status bulge(void *self, double t, const double *y, double *dy) {
  probe *p = self;
  if (p && p->fail_at && ++p->calls >= p->fail_at) return CORE_CALLBACK;
  dy[0] = 2 * t * y[3] * y[0];
  dy[1] = 10 * t * y[3] * pow(y[0], 5);
  dy[2] = 2 * t * y[3];
  dy[3] = -2 * t * (y[2] - 1);
  return CORE_OK;
}

static void bulge_at(double t, double *y) {
  y[0] = exp(sin(t * t));
  y[1] = exp(5 * sin(t * t));
  y[2] = sin(t * t) + 1;
  y[3] = cos(t * t);
}

static double far(const double *a, const double *b) {
  double d = 0;
  for (int i = 0; i < 4; i++) d = fmax(d, fabs(a[i] - b[i]));
  return d;
}

typedef struct engine {
  core_ode o;
  double memory[1024];
} engine;

static void make(engine *e, int n, core_ode_rhs rhs, void *self) {
  TEST_ASSERT_TRUE(core_ode_memory(n) <= sizeof e->memory / sizeof *e->memory);
  core_ode_init(&e->o, n, rhs, self, e->memory);
}

/* `steps` equal steps from 0.3 to 1.1 (tolerances wide open): error at the end and of the dense
 * output half way through the last step */
static void fixed_steps(int steps, double *error, double *inside) {
  engine e;
  double y[4], exact[4];
  make(&e, 4, bulge, NULL);
  e.o.rtol = e.o.atol = 1e9;
  bulge_at(0.3, y);
  double h = 0.8 / steps;
  e.o.h_max = h;
  core_ode_start(&e.o, 0.3, y, 1, h);
  for (int i = 0; i < steps; i++)
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_ode_step(&e.o, 0.3 + 0.8 * (i + 1) / steps));
  bulge_at(1.1, exact);
  *error = far(e.o.y, exact);
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_ode_dense(&e.o));
  core_ode_at(&e.o, 0.4, 0, 4, y);
  bulge_at(e.o.t_old + 0.4 * e.o.h, exact);
  *inside = far(y, exact);
}

static void halving_the_step_gains_2_to_the_8th(void) {
  double e1, e2, d1, d2;
  fixed_steps(8, &e1, &d1);
  fixed_steps(16, &e2, &d2);
  TEST_ASSERT_DOUBLE_WITHIN(0.5, 8, log2(e1 / e2));
}

static void dense_output_converges_like_h_to_the_8th_locally(void) {
  double e1, e2, d1, d2;
  fixed_steps(20, &e1, &d1);
  fixed_steps(40, &e2, &d2);
  TEST_ASSERT_TRUE(log2(d1 / d2) > 6.5);
}

static double solve_to(double t0, double t1, double rtol, engine *e) {
  double y[4], exact[4];
  make(e, 4, bulge, NULL);
  e->o.rtol = rtol;
  e->o.atol = rtol;
  bulge_at(t0, y);
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_ode_start(&e->o, t0, y, t1 > t0 ? 1 : -1, 0));
  while (e->o.t != t1) TEST_ASSERT_EQUAL_INT(CORE_OK, core_ode_step(&e->o, t1));
  bulge_at(t1, exact);
  return far(e->o.y, exact);
}

static void tolerance_is_kept_forwards_and_backwards(void) {
  engine e;
  for (double rtol = 1e-6; rtol > 1e-13; rtol /= 100) {
    TEST_ASSERT_TRUE(solve_to(0, 3, rtol, &e) < 3000 * rtol); /* y2 reaches 148 and grows errors */
    TEST_ASSERT_TRUE(solve_to(3, 0, rtol, &e) < 3000 * rtol);
  }
}

static void tighter_tolerance_costs_what_order_8_costs(void) {
  engine e;
  solve_to(0, 3, 1e-6, &e);
  long loose = e.o.evaluations;
  solve_to(0, 3, 1e-12, &e);
  TEST_ASSERT_TRUE(e.o.evaluations < 6.5 * loose); /* 1e6^(1/8) = 5.6 */
}

static void dense_ends_are_the_states_and_rate_is_the_derivative(void) {
  engine e;
  solve_to(0, 1, 1e-10, &e);
  core_ode_dense(&e.o);
  double y[4], f[4], rate[4], plus[4], minus[4];
  core_ode_at(&e.o, 0, 0, 4, y);
  TEST_ASSERT_EQUAL_DOUBLE(0, far(y, e.o.y_old));
  core_ode_at(&e.o, 1, 0, 4, y);
  TEST_ASSERT_TRUE(far(y, e.o.y) < 1e-13);
  core_ode_at_rate(&e.o, 1, 0, 4, rate);
  bulge(NULL, e.o.t, e.o.y, f);
  TEST_ASSERT_TRUE(far(rate, f) < 1e-10);
  core_ode_at_rate(&e.o, 0.37, 0, 4, rate);
  core_ode_at(&e.o, 0.37 + 1e-4, 0, 4, plus);
  core_ode_at(&e.o, 0.37 - 1e-4, 0, 4, minus);
  for (int i = 0; i < 4; i++) plus[i] = (plus[i] - minus[i]) / (2e-4 * e.o.h);
  TEST_ASSERT_TRUE(far(rate, plus) < 1e-7);
}

static void a_step_made_again_is_more_exact_than_the_dense_output(void) {
  engine e;
  double y[4], dense[4], exact[4];
  make(&e, 4, bulge, NULL);
  e.o.rtol = e.o.atol = 1e-7;
  bulge_at(0.5, y);
  core_ode_start(&e.o, 0.5, y, 1, 0);
  for (int i = 0; i < 3; i++) core_ode_step(&e.o, 3);
  core_ode_dense(&e.o);
  /* the exact solution through y_old, by a tight integration */
  engine fine;
  make(&fine, 4, bulge, NULL);
  fine.o.rtol = fine.o.atol = 1e-14;
  double middle = e.o.t_old + 0.55 * e.o.h;
  core_ode_start(&fine.o, e.o.t_old, e.o.y_old, 1, 0);
  while (fine.o.t != middle) core_ode_step(&fine.o, middle);
  memcpy(exact, fine.o.y, sizeof exact);
  core_ode_at(&e.o, 0.55, 0, 4, dense);
  core_ode_redo(&e.o, middle);
  TEST_ASSERT_EQUAL_DOUBLE(middle, e.o.t);
  TEST_ASSERT_TRUE(far(e.o.y, exact) < 0.1 * far(dense, exact));
  core_ode_nudge(&e.o, 1e-9);
  core_ode_start(&fine.o, middle, exact, 1, 0);
  while (fine.o.t != e.o.t) core_ode_step(&fine.o, e.o.t);
  TEST_ASSERT_TRUE(far(e.o.y, fine.o.y) < 0.1 * far(dense, exact));
}

/* ---- failures ---- */

static void a_failing_function_stops_the_step(void) {
  engine e;
  probe p = {0, 30};
  double y[4];
  make(&e, 4, bulge, &p);
  bulge_at(0, y);
  core_status status = core_ode_start(&e.o, 0, y, 1, 0);
  while (!status) status = core_ode_step(&e.o, 3);
  TEST_ASSERT_EQUAL_INT(CORE_CALLBACK, status);
  TEST_ASSERT_TRUE(p.calls >= 30 && p.calls < 60); /* steps that get shorter do not help */
}

static core_status blow_up(void *self, double t, const double *y, double *dy) {
  (void)self, (void)t;
  dy[0] = y[0] * y[0]; /* 1/(1 - t) */
  return isfinite(dy[0]) ? CORE_OK : CORE_NOT_FINITE;
}

static void a_singularity_ends_in_a_status_not_in_a_hang(void) {
  engine e;
  double y = 1;
  make(&e, 1, blow_up, NULL);
  core_status status = core_ode_start(&e.o, 0, &y, 1, 0);
  while (!status) status = core_ode_step(&e.o, 2);
  TEST_ASSERT_TRUE(status == CORE_NOT_CONVERGED || status == CORE_NOT_FINITE);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1, e.o.t);
  TEST_ASSERT_TRUE(e.o.steps + e.o.rejected < 2000);
}

static core_status root_law(void *self, double t, const double *y, double *dy) {
  (void)self, (void)t;
  if (y[0] < 0) return CORE_NO_SOLUTION;
  dy[0] = -sqrt(y[0]); /* (1 - t/2)^2, ends at t = 2 */
  return CORE_OK;
}

static void a_step_out_of_the_domain_is_shortened(void) {
  engine e;
  double y = 1;
  make(&e, 1, root_law, NULL);
  core_status status = core_ode_start(&e.o, 0, &y, 1, 1);
  while (!status && e.o.t < 1.9) status = core_ode_step(&e.o, 5);
  TEST_ASSERT_EQUAL_INT(CORE_OK, status);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, (1 - e.o.t / 2) * (1 - e.o.t / 2), e.o.y[0]);
}

static void ctrl_c_stops_between_two_tries(void) {
  engine e;
  double y[4];
  make(&e, 4, bulge, NULL);
  bulge_at(0, y);
  core_ode_start(&e.o, 0, y, 1, 0);
  core_interrupt_flag = 1;
  TEST_ASSERT_EQUAL_INT(CORE_INTERRUPTED, core_ode_step(&e.o, 3));
}

static core_status nothing(void *self, double t, const double *y, double *dy) {
  (void)self, (void)t, (void)y;
  dy[0] = 0;
  return CORE_OK;
}

static void rest_stays_rest_and_takes_few_steps(void) {
  engine e;
  double y = 0;
  make(&e, 1, nothing, NULL);
  core_ode_start(&e.o, 0, &y, 1, 0);
  while (e.o.t != 1000) TEST_ASSERT_EQUAL_INT(CORE_OK, core_ode_step(&e.o, 1000));
  TEST_ASSERT_EQUAL_DOUBLE(0, e.o.y[0]);
  TEST_ASSERT_TRUE(e.o.steps < 20);
}

int main(void) {
  fill_A();
  UNITY_BEGIN();
  RUN_TEST(step_has_order_8_by_all_200_trees);
  RUN_TEST(error_estimates_have_orders_5_and_3);
  RUN_TEST(row_sums_are_the_nodes);
  RUN_TEST(dense_output_has_order_7_by_all_trees);
  RUN_TEST(halving_the_step_gains_2_to_the_8th);
  RUN_TEST(dense_output_converges_like_h_to_the_8th_locally);
  RUN_TEST(tolerance_is_kept_forwards_and_backwards);
  RUN_TEST(tighter_tolerance_costs_what_order_8_costs);
  RUN_TEST(dense_ends_are_the_states_and_rate_is_the_derivative);
  RUN_TEST(a_step_made_again_is_more_exact_than_the_dense_output);
  RUN_TEST(a_failing_function_stops_the_step);
  RUN_TEST(a_singularity_ends_in_a_status_not_in_a_hang);
  RUN_TEST(a_step_out_of_the_domain_is_shortened);
  RUN_TEST(ctrl_c_stops_between_two_tries);
  RUN_TEST(rest_stays_rest_and_takes_few_steps);
  return UNITY_END();
}
