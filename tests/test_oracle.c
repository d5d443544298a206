/* The flow against another integrator: SUNDIALS' ARKStep, explicit, of order 8, on the same models.
 *
 * ARKStep is checked first, on a problem with a known solution, so that an oracle that errs is not
 * taken for one.
 */
#include <arkode/arkode_arkstep.h>
#include <nvector/nvector_serial.h>
#include <unity.h>

#include "sim_help.h"

static SUNContext context;

void setUp(void) {
  core_scratch_init(&sim_scratch);
  TEST_ASSERT_EQUAL_INT(0, SUNContext_Create(NULL, &context));
}
void tearDown(void) {
  SUNContext_Free(&context);
  core_scratch_free(&sim_scratch);
}

/* y from t0 to t1 by ARKStep; f sees `user` */
static void ark(ARKRhsFn f, void *user, int n, double *y, double t0, double t1) {
  N_Vector v = N_VMake_Serial(n, y, context);
  void *arkode = ARKStepCreate(f, NULL, t0, v, context);
  TEST_ASSERT_NOT_NULL(arkode);
  ARKStepSetUserData(arkode, user);
  TEST_ASSERT_EQUAL_INT(0, ARKStepSetTableNum(arkode, ARKODE_DIRK_NONE, ARKODE_FEHLBERG_13_7_8));
  ARKStepSStolerances(arkode, 1e-13, 1e-14);
  ARKStepSetMaxNumSteps(arkode, 1000000);
  ARKStepSetStopTime(arkode, t1);
  double t;
  TEST_ASSERT_TRUE(ARKStepEvolve(arkode, t1, v, &t, ARK_NORMAL) >= 0);
  TEST_ASSERT_EQUAL_DOUBLE(t1, t);
  ARKStepFree(&arkode);
  N_VDestroy(v);
}

static int circle(double t, N_Vector y, N_Vector dy, void *user) {
  (void)t, (void)user;
  NV_Ith_S(dy, 0) = NV_Ith_S(y, 1);
  NV_Ith_S(dy, 1) = -NV_Ith_S(y, 0);
  return 0;
}

static void the_oracle_itself_is_right(void) {
  double y[2] = {1, 0};
  ark(circle, NULL, 2, y, 0, 20);
  TEST_ASSERT_DOUBLE_WITHIN(1e-11, cos(20), y[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-11, -sin(20), y[1]);
}

/* q' = rates, u' = M^-1 f of a model */
static int flow(double t, N_Vector y, N_Vector dy, void *user) {
  const model *m = user;
  const double *q = NV_DATA_S(y), *u = q + m->shape.nq;
  double *qdot = NV_DATA_S(dy);
  core_status status = model_rates(m, q, u, qdot);
  if (!status) status = model_accelerate(m, t, q, u, NULL, &sim_scratch, qdot + m->shape.nq);
  return status ? -1 : 0;
}

/* free flight for t seconds by both; the largest difference of the states */
static double apart(model *m, double t) {
  double y[64], worst = 0;
  int n = m->shape.nq + m->shape.nu;
  memcpy(y, m->q, (size_t)n * sizeof *y);
  ark(flow, m, n, y, 0, t);
  sim_run *r = go_well(m, LAW("newton", ONE("e", 0)), until(t, 1e-13));
  TEST_ASSERT_EQUAL_STRING("stop", story(r));
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(y[i] - r->q[i]));
  done(r);
  return worst;
}

static void double_pendulum_flies_as_the_oracle_says(void) {
  TEST_ASSERT_TRUE(
      apart(MAKE("double_pendulum", ONE("floor", -10), {"q", 2, {1, 0.5}, 0}, {"u", 2, {0, 3}, 0}),
            2) < 1e-9);
}

static void pencil_tumbles_as_the_oracle_says(void) {
  TEST_ASSERT_TRUE(apart(MAKE("pencil", {"position", 3, {0, 0, 100}, 0}, {"spin", 3, {7, -5, 3}, 0},
                              ONE("gravity", 0)),
                         3) < 1e-10);
}

static void bar_swings_as_the_oracle_says(void) {
  TEST_ASSERT_TRUE(apart(MAKE("bar", ONE("k_w", 400)), 0.28) < 1e-12);
}

static void arm_swings_as_the_oracle_says(void) {
  TEST_ASSERT_TRUE(
      apart(MAKE("arm", {"n", 1, {5}, 0}, ONE("floor", -100), ONE("damping", 0.1)), 1) < 1e-9);
}

/* in contact: the bar with its wall as one machine (a - y_w = l sin - ...): the constrained motion
 * of paper F with y_w eliminated, M* q'' = f*, by the oracle until just before the release */
typedef struct held {
  double m_b, m_s, m_w, I, k_s, k_w, c_s, c_w, l, d, M;
} held;

static int held_flow(double t, N_Vector y, N_Vector dy, void *user) {
  const held *p = user;
  double ys = NV_Ith_S(y, 0), th = NV_Ith_S(y, 1), v = NV_Ith_S(y, 2), w = NV_Ith_S(y, 3);
  double c = cos(th), s = sin(th), md = p->m_b * p->d, l = p->l;
  /* y_w = y_s + l sin th - 0.6 */
  double yw = ys + l * s - 0.6, vw = v + l * c * w;
  double M00 = p->m_b + p->m_s + p->m_w, M01 = md * c + p->m_w * l * c,
         M11 = p->I + md * p->d + p->m_w * l * l * c * c;
  double wall = -p->c_w * vw - p->k_w * yw + p->m_w * l * s * w * w;
  double f0 = -p->c_s * v - p->k_s * ys + md * w * w * s + wall, f1 = p->M + l * c * wall;
  double det = M00 * M11 - M01 * M01;
  (void)t;
  NV_Ith_S(dy, 0) = v;
  NV_Ith_S(dy, 1) = w;
  NV_Ith_S(dy, 2) = (M11 * f0 - M01 * f1) / det;
  NV_Ith_S(dy, 3) = (M00 * f1 - M01 * f0) / det;
  return 0;
}

static void bar_in_contact_moves_as_the_oracle_says(void) {
  sim_run *r = go_well(MAKE("bar", ONE("k_w", 1000)), law_e_mu("stronge", 0, 0), until(0.6, 1e-12));
  const sim_event *e = need(r, SIM_CONTACT, 0);
  const double *q = sim_event_q(r, e), *u = sim_event_u(r, e);
  double y[4] = {q[0], q[1], u[0], u[1]};
  held p = {2, 5, 10, 0.1667, 5, 1000, 7, 1, 1, 0.5, 10};
  ark(held_flow, &p, 4, y, e->t, 0.6);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, y[0], r->q[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, y[1], r->q[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, y[2], r->u[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, y[3], r->u[1]);
  done(r);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(the_oracle_itself_is_right);
  RUN_TEST(double_pendulum_flies_as_the_oracle_says);
  RUN_TEST(pencil_tumbles_as_the_oracle_says);
  RUN_TEST(bar_swings_as_the_oracle_says);
  RUN_TEST(arm_swings_as_the_oracle_says);
  RUN_TEST(bar_in_contact_moves_as_the_oracle_says);
  return UNITY_END();
}
