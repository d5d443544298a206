/* Sliding in space that sets out from rest and turns: against motions that were chosen first and
 * the force made to fit, and against tiny steps with friction made smooth. */
#include <unity.h>

#include "impact/assemble.h"
#include "sim_help.h"

void setUp(void) {
  core_scratch_init(&sim_scratch);
}
void tearDown(void) {
  core_scratch_free(&sim_scratch);
}

static const double g = 9.81;

/* ---- chosen motions ----
 *
 * The contact point of a body of mass 1 is to move with c = r(t) e(t), r = A t^2 (1 - t) and e at
 * the angle w t + b t^2, from t = 0 where it breaks loose to t = 1 where it stops. Coulomb's law
 * wants the force  (r' + k) e + r (w + 2 b t) e'  for it, k = mu g over the share of friction in
 * c'. Before and after, the force is too small.
 */
typedef struct motion {
  double A, w, b, k;
  int nu; /* 3: a particle, 6: a ball */
} motion;

static double speed_of(const motion *m, double t) {
  return m->A * t * t * (1 - t);
}

static double angle_of(const motion *m, double t) {
  return m->w * t + m->b * t * t;
}

static core_status fitting(void *self, double t, const double *q, const double *u, double *h,
                           core_error *err) {
  const motion *m = self;
  (void)q, (void)u, (void)err;
  double along = m->k * (1 + t), across = 0, angle = 0;
  if (t > 0) {
    double s = fmin(t, 1);
    along = m->k + m->A * (2 * s - 3 * s * s);
    across = speed_of(m, s) * (m->w + 2 * m->b * s);
    angle = angle_of(m, s);
  }
  memset(h, 0, (size_t)m->nu * sizeof *h);
  h[0] = along * cos(angle) - across * sin(angle);
  h[1] = along * sin(angle) + across * cos(angle);
  return CORE_OK;
}

/* `point` gives the velocity of the contact point from u */
static void follows(model *body, motion m, double mu, double rtol, double tolerance,
                    void (*point)(const double *u, double *c)) {
  sim_options o = until(1.2, rtol);
  o.t_start = -0.5;
  o.force = fitting;
  o.force_self = &m;
  sim_run *r = go_well(body, law_e_mu("stronge", 0.5, mu), o);
  TEST_ASSERT_EQUAL_STRING("contact slip stick stop", story(r));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, need(r, SIM_SLIP, 0)->t);
  for (double t = 0.05; t < 1; t += 0.05) {
    double c[2];
    const sim_state *s = state_at(r, t);
    point(s->u, c);
    TEST_ASSERT_DOUBLE_WITHIN(tolerance, speed_of(&m, t) * cos(angle_of(&m, t)), c[0]);
    TEST_ASSERT_DOUBLE_WITHIN(tolerance, speed_of(&m, t) * sin(angle_of(&m, t)), c[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, mu * s->force[2], hypot(s->force[0], s->force[1]));
  }
  TEST_ASSERT_DOUBLE_WITHIN(10 * tolerance, 1, need(r, SIM_STICK, 0)->t);
  check_run(r, 200, 1e-9, 1e-8);
  done(r);
}

static void of_particle(const double *u, double *c) {
  c[0] = u[0];
  c[1] = u[1];
}

/* a ball of radius 1 on the floor: c = v + spin x (0, 0, -1) */
static void of_ball(const double *u, double *c) {
  c[0] = u[0] - u[4];
  c[1] = u[1] + u[3];
}

static void a_pulled_particle_goes_round(void) {
  double mu = 0.3;
  static const double turns[][2] = {{0, 0}, {3, 0}, {-2, 5}, {20, -30}};
  for (int i = 0; i < 4; i++) {
    model *m = MAKE("particle", {"position", 3, {0, 0, 0}, 0}, {"velocity", 3, {0, 0, 0}, 0});
    motion chosen = {2, turns[i][0], turns[i][1], mu * g, 3};
    follows(m, chosen, mu, 1e-10, 2e-9, of_particle);
  }
}

/* friction turns a solid ball too: c' = F - 7/2 mu g s */
static void a_pulled_ball_goes_round(void) {
  double mu = 0.1;
  model *m = MAKE("ball", {"velocity", 3, {0, 0, 0}, 0});
  follows(m, (motion){2, 3, -4, 3.5 * mu * g, 6}, mu, 1e-10, 2e-9, of_ball);
}

/* ---- smooth friction and tiny steps ----
 *
 * f_t = -mu f_n v/sqrt(v^2 + eps^2), f_n from a_n = 0, by Runge-Kutta with steps that follow the
 * stiffness |v|/K.
 */
typedef struct smooth {
  const model *m;
  double mu, eps;
} smooth;

static double smooth_rates(const smooth *p, const double *y, double *dy) {
  int nq = p->m->shape.nq, nu = p->m->shape.nu, zero = 0;
  double drift[3], a[3];
  const double *q = y, *u = y + nq;
  impact_setup setup;
  core_mark mark = core_scratch_mark(&sim_scratch);
  TEST_ASSERT_EQUAL_INT(0, model_rates(p->m, q, u, dy));
  TEST_ASSERT_EQUAL_INT(0, model_accelerate(p->m, 0, q, u, NULL, &sim_scratch, dy + nq));
  TEST_ASSERT_EQUAL_INT(0, model_drift(p->m, q, u, &sim_scratch, drift));
  TEST_ASSERT_EQUAL_INT(0, impact_assemble(p->m, q, u, 1, &zero, &sim_scratch, &setup, NULL));
  const double *W = setup.problem.W, *v = setup.problem.v;
  for (int r = 0; r < 3; r++) {
    a[r] = drift[r];
    for (int j = 0; j < nu; j++) a[r] += setup.J[j * 3 + r] * dy[nq + j];
  }
  double size = sqrt(v[0] * v[0] + v[1] * v[1] + p->eps * p->eps);
  double d[3] = {-p->mu * v[0] / size, -p->mu * v[1] / size, 1};
  double fn = -a[2] / (W[2] * d[0] + W[5] * d[1] + W[8]);
  for (int j = 0; j < nu; j++)
    for (int r = 0; r < 3; r++) dy[nq + j] += setup.Y[r * nu + j] * d[r] * fn;
  core_scratch_release(&sim_scratch, mark);
  return size / (p->mu * fn * (W[0] + W[4]));
}

static void smooth_motion(const smooth *p, double *y, double time) {
  int n = p->m->shape.nq + p->m->shape.nu;
  double k[4][MAX_ROWS], mid[MAX_ROWS];
  for (double t = 0; t < time;) {
    double h = fmin(fmin(2e-4, time - t), 0.3 * smooth_rates(p, y, k[0]));
    for (int stage = 1; stage < 4; stage++) {
      for (int i = 0; i < n; i++) mid[i] = y[i] + (stage == 3 ? h : h / 2) * k[stage - 1][i];
      smooth_rates(p, mid, k[stage]);
    }
    for (int i = 0; i < n; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    t += h;
  }
}

/* a pencil that stands on its tip, spins and falls over: the tip breaks loose and goes round */
static void the_tip_of_a_falling_pencil(void) {
  double mu = 0.25, time = 0.05, y[MAX_ROWS]; /* its direction turns by 0.07 rad in that time */
  model *m =
      MAKE("pencil", ONE("tilt", 1.3), {"velocity", 3, {0, 0, 0}, 0}, {"spin", 3, {0, 0, 40}, 0});
  law *l = law_e_mu("stronge", 0, mu);
  sim_run *r = go_well(m, l, until(2, 1e-10));
  const sim_event *slip = need(r, SIM_SLIP, 0);
  double start = slip->t;
  int n = m->shape.nq + m->shape.nu;
  memcpy(y, sim_event_q(r, slip), (size_t)n * sizeof *y);
  smooth_motion(&(smooth){m, mu, 1e-9}, y, time);
  const sim_state *s = state_at(r, start + time);
  TEST_ASSERT_EQUAL_INT(SIM_MODE_SLIP, s->mode[0]);
  for (int i = 0; i < m->shape.nq; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-8, y[i], s->q[i]);
  for (int i = 0; i < m->shape.nu; i++)
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, y[m->shape.nq + i], s->u[i]);
  done(r);
}

/* it slides, spins and falls over: the tip stops, or nearly stops and turns */
static void the_tip_of_a_sliding_pencil_stops(void) {
  static const double frictions[] = {0.2, 0.5}, times[] = {0.2, 0.03};
  for (int i = 0; i < 2; i++) {
    double time = times[i], y[MAX_ROWS], mu = frictions[i];
    model *m = MAKE("pencil", ONE("tilt", 1.2), {"velocity", 3, {0.2, 0.3, 0}, 0},
                    {"spin", 3, {0, 0, 20}, 0});
    sim_run *r = go_well(m, law_e_mu("stronge", 0, mu), until(time, 1e-10));
    TEST_ASSERT_EQUAL_INT(i, count_events(r, SIM_STICK));
    memcpy(y, m->q, (size_t)(m->shape.nq + m->shape.nu) * sizeof *y);
    smooth_motion(&(smooth){m, mu, 1e-6}, y, time);
    for (int j = 0; j < m->shape.nq; j++) TEST_ASSERT_DOUBLE_WITHIN(1e-7, y[j], r->q[j]);
    for (int j = 0; j < m->shape.nu; j++)
      TEST_ASSERT_DOUBLE_WITHIN(3e-6, y[m->shape.nq + j], r->u[j]);
    check_run(r, 100, 1e-9, 1e-8);
    done(r);
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(a_pulled_particle_goes_round);
  RUN_TEST(a_pulled_ball_goes_round);
  RUN_TEST(the_tip_of_a_falling_pencil);
  RUN_TEST(the_tip_of_a_sliding_pencil_stops);
  return UNITY_END();
}
