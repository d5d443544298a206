/* Sustained contact: rolling, sliding, sticking, release, several points, and no solution. */
#include <unity.h>

#include "sim_help.h"

void setUp(void) {
  core_scratch_init(&sim_scratch);
}
void tearDown(void) {
  core_scratch_free(&sim_scratch);
}

static const double g = 9.81;

/* ---- a ball on a slope ---- */

/* a solid ball at rest on a slope that rises against x by `angle` */
static model *ball_on_slope(double angle, const double *velocity, const double *spin) {
  setting s[] = {{"normal", 3, {sin(angle), 0, cos(angle)}, 0},
                 {"velocity", 3, {velocity[0], velocity[1], velocity[2]}, 0},
                 {"spin", 3, {spin[0], spin[1], spin[2]}, 0},
                 ONE("radius", 0.5)};
  return make_model("ball", 4, s);
}

static const double zero[3] = {0, 0, 0};

/* path down the slope of the centre, from where it started */
static double way(const sim_run *r, const double *q, double angle) {
  return (q[0] - r->m->q[0]) * cos(angle) - (q[2] - r->m->q[2]) * sin(angle);
}

static void above_the_limit_it_rolls(void) {
  double angle = 0.5, mu = 1.01 * 2 / 7 * tan(angle);
  sim_run *r =
      go_well(ball_on_slope(angle, zero, zero), law_e_mu("stronge", 0.5, mu), until(3, 1e-10));
  TEST_ASSERT_EQUAL_STRING("contact stop", story(r));
  TEST_ASSERT_EQUAL_INT(SIM_MODE_STICK, r->events[0].mode);
  double a = 5. / 7 * g * sin(angle);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, a * 9 / 2, way(r, r->q, angle));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, a * 3 / 0.5, r->u[4]); /* omega = v/r about y */
  const sim_state *s = state_at(r, 2);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, g * cos(angle), s->force[2]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 2. / 7 * g * sin(angle), hypot(s->force[0], s->force[1]));
  check_run(r, 100, 1e-9, 1e-9);
  done(r);
}

static void below_the_limit_it_slides_and_spins_less(void) {
  double angle = 0.5, mu = 0.9 * 2 / 7 * tan(angle);
  sim_run *r =
      go_well(ball_on_slope(angle, zero, zero), law_e_mu("stronge", 0.5, mu), until(3, 1e-10));
  TEST_ASSERT_EQUAL_STRING("contact stop", story(r));
  TEST_ASSERT_EQUAL_INT(SIM_MODE_SLIP, r->events[0].mode);
  double a = g * (sin(angle) - mu * cos(angle)), alpha = 2.5 * mu * g * cos(angle) / 0.5;
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, a * 9 / 2, way(r, r->q, angle));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, alpha * 3, r->u[4]);
  TEST_ASSERT_TRUE(r->ledger.sliding > 0.1);
  check_run(r, 100, 1e-9, 1e-9);
  done(r);
}

/* thrown along the floor without spin: slides for 2 v/(7 mu g), then rolls with 5/7 v */
static void a_thrown_ball_slides_then_rolls(void) {
  double v[3] = {3, 1, 0}, mu = 0.2, speed = hypot(3, 1), t = 2 * speed / (7 * mu * g);
  sim_run *r = go_well(ball_on_slope(0, v, zero), law_e_mu("stronge", 0.5, mu), until(2, 1e-11));
  TEST_ASSERT_EQUAL_STRING("contact stick stop", story(r));
  TEST_ASSERT_DOUBLE_WITHIN(1e-11, t, need(r, SIM_STICK, 0)->t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, 5. / 7 * 3, r->u[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, 5. / 7 * 1, r->u[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, 1. / 7 * 10, r->ledger.sliding);
  check_run(r, 100, 1e-10, 1e-10);
  done(r);
}

/* spin across the way: the path of the centre is a parabola until it rolls */
static void a_ball_with_side_spin_goes_round_a_parabola(void) {
  double v[3] = {3, 0, 0}, w[3] = {4, 6, 0}, mu = 0.2, radius = 0.5;
  /* velocity of the contact point: v + omega x (-r e_z) */
  double c[2] = {v[0] - radius * w[1], v[1] + radius * w[0]}, slip = hypot(c[0], c[1]);
  double t = 2 * slip / (7 * mu * g);
  sim_run *r = go_well(ball_on_slope(0, v, w), law_e_mu("stronge", 0.5, mu), until(1, 1e-11));
  TEST_ASSERT_DOUBLE_WITHIN(1e-11, t, need(r, SIM_STICK, 0)->t);
  const double *q = sim_event_q(r, need(r, SIM_STICK, 0));
  for (int i = 0; i < 2; i++)
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, v[i] * t - mu * g * c[i] / slip * t * t / 2, q[i]);
  done(r);
}

/* sliding across a slope the direction turns: v' = g_t - 7/2 mu g_n v/|v|, by small RK4 steps here
 */
static void across_a_slope_the_slip_turns(void) {
  double angle = 0.3, mu = 0.15, v[3] = {0, 2, 0};
  double gt = g * sin(angle), k = 3.5 * mu * g * cos(angle), c[2] = {0, 2}, h = 1e-4, t = 0;
  while (t < 0.3 - h / 2) {
    double s[4][2], y[2];
    for (int i = 0; i < 4; i++) {
      double part = i == 0 ? 0 : i == 3 ? h : h / 2;
      for (int j = 0; j < 2; j++) y[j] = c[j] + (i ? part * s[i - 1][j] : 0);
      double n = hypot(y[0], y[1]);
      s[i][0] = gt - k * y[0] / n;
      s[i][1] = -k * y[1] / n;
    }
    for (int j = 0; j < 2; j++) c[j] += h / 6 * (s[0][j] + 2 * s[1][j] + 2 * s[2][j] + s[3][j]);
    t += h;
  }
  sim_run *r =
      go_well(ball_on_slope(angle, v, zero), law_e_mu("stronge", 0.5, mu), until(0.3, 1e-11));
  TEST_ASSERT_EQUAL_STRING("contact stop", story(r));
  double radius = 0.5, down = r->u[0] * cos(angle) - r->u[2] * sin(angle);
  double wx = r->u[3] * cos(angle) - r->u[5] * sin(angle);
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, c[0], down - radius * r->u[4]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, c[1], r->u[1] + radius * wx);
  check_run(r, 100, 1e-9, 1e-9);
  done(r);
}

/* ... and it ends in rolling: g_t v_x + k |v| falls by k^2 - g_t^2 per second, k = 7/2 mu g_n */
static void turning_slip_ends_in_rolling_on_time(void) {
  double angle = 0.3, mu = 0.15, v[3] = {0, 2, 0}, gt = g * sin(angle),
         k = 3.5 * mu * g * cos(angle);
  for (double rtol = 1e-7; rtol > 1e-12; rtol /= 100) {
    sim_run *r =
        go_well(ball_on_slope(angle, v, zero), law_e_mu("stronge", 0.5, mu), until(2, rtol));
    TEST_ASSERT_EQUAL_STRING("contact stick stop", story(r));
    TEST_ASSERT_DOUBLE_WITHIN(100 * rtol, k * 2 / (k * k - gt * gt), need(r, SIM_STICK, 0)->t);
    check_run(r, 100, 1e-9, 100 * rtol);
    done(r);
  }
}

/* ---- blocks and rods ---- */

static model *block(double x, double y, double vx, double vy, double angle) {
  setting s[] = {{"position", 2, {x, y}, 0},
                 {"velocity", 2, {vx, vy}, 0},
                 {"gravity", 2, {g * sin(angle), -g * cos(angle)}, 0}};
  return make_model("particle", 3, s);
}

static void a_block_slides_to_rest(void) {
  double mu = 0.3, v = 2;
  sim_run *r = go_well(block(0, 0, v, 0, 0), law_e_mu("stronge", 0, mu), until(2, 1e-10));
  TEST_ASSERT_EQUAL_STRING("contact stick stop", story(r));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, v / (mu * g), need(r, SIM_STICK, 0)->t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, v * v / (2 * mu * g), r->q[0]);
  TEST_ASSERT_EQUAL_DOUBLE(0, r->u[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, v * v / 2, r->ledger.sliding);
  done(r);
}

/* up a slope (tilted gravity): stops at v/(g sin + mu g cos), then comes back when mu < tan */
static void up_a_slope_and_back(void) {
  double angle = 0.4, mu = 0.2, v = -3, down = g * (sin(angle) - mu * cos(angle)),
         up = g * (sin(angle) + mu * cos(angle)), t1 = 3 / up;
  sim_run *r = go_well(block(0, 0, v, 0, angle), law_e_mu("stronge", 0, mu), until(2, 1e-10));
  TEST_ASSERT_EQUAL_STRING("contact slip stop", story(r));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, t1, need(r, SIM_SLIP, 0)->t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, -9 / (2 * up) + down * (2 - t1) * (2 - t1) / 2, r->q[0]);
  done(r);
}

static void up_a_rough_slope_it_stays(void) {
  double angle = 0.4, mu = 0.5;
  sim_run *r = go_well(block(0, 0, -3, 0, angle), law_e_mu("stronge", 0, mu), until(2, 1e-10));
  TEST_ASSERT_EQUAL_STRING("contact stick stop", story(r));
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, -9 / (2 * g * (sin(angle) + mu * cos(angle))), r->q[0]);
  const sim_state *s = state_at(r, 2);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, -g * sin(angle), s->force[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, g * cos(angle), s->force[1]);
  done(r);
}

/* a rod on both ends: each carries its share by the lever, both slide, both stop */
static void a_rod_slides_to_rest_on_two_ends(void) {
  double mu = 0.25, v = 1.5;
  model *m = MAKE("rod", {"velocity", 2, {1.5, 0}, 0});
  sim_run *r = go_well(m, make_law("plastic", 0, NULL), ({
                         sim_options o = until(2, 1e-10);
                         o.mu = 0.25;
                         o;
                       }));
  TEST_ASSERT_EQUAL_STRING("contact contact stick stick stop", story(r));
  const sim_state *s = state_at(r, 0.3);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.75 * g, s->force[1]); /* P, 1 m from G */
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.25 * g, s->force[3]); /* Q, 3 m from G */
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -mu * 0.75 * g, s->force[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-11, v / (mu * g), need(r, SIM_STICK, 0)->t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-11, v * v / (2 * mu * g), r->q[0] - r->m->q[0]);
  check_run(r, 100, 1e-10, 1e-10);
  done(r);
}

/* ---- coming and going ---- */

/* a block slides off the edge of nothing: a force that lifts it with time; released at m g */
static core_status lift(void *self, double t, const double *q, const double *u, double *h,
                        core_error *err) {
  (void)self, (void)q, (void)u, (void)err;
  h[0] = 0;
  h[1] = 4 * t; /* [N] */
  return CORE_OK;
}

static void released_when_the_force_is_gone(void) {
  sim_options o = until(3, 1e-11);
  o.force = lift;
  sim_run *r = go_well(block(0, 0, 1, 0, 0), law_e_mu("stronge", 0, 0), o);
  double t = g / 4, dt = 3 - t;
  TEST_ASSERT_EQUAL_STRING("contact release stop", story(r));
  TEST_ASSERT_DOUBLE_WITHIN(1e-11, t, need(r, SIM_RELEASE, 0)->t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, 4 * dt * dt * dt / 6, r->q[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, 2 * dt * dt, r->u[1]);
  check_run(r, 100, 1e-10, 1e-9);
  done(r);
}

/* the floor falls away twice: f = m g + 15 sin 2t cannot be held while it pulls */
static core_status shake(void *self, double t, const double *q, const double *u, double *h,
                         core_error *err) {
  (void)self, (void)q, (void)u, (void)err;
  h[0] = 0;
  h[1] = 15 * sin(2 * t);
  return CORE_OK;
}

static void released_as_often_as_it_comes(void) {
  sim_options o = until(7, 1e-11);
  o.force = shake;
  sim_run *r = go_well(block(0, 0, 0, 0, 0), law_e_mu("stronge", 0, 0), o);
  double first = asin(g / 15) / 2;
  TEST_ASSERT_DOUBLE_WITHIN(1e-11, first, need(r, SIM_RELEASE, 0)->t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-11, first + acos(-1), need(r, SIM_RELEASE, 1)->t);
  TEST_ASSERT_EQUAL_INT(3, count_events(r, SIM_RELEASE));
  TEST_ASSERT_EQUAL_INT(2, count_events(r, SIM_IMPACT));
  check_run(r, 200, 1e-9, 1e-9);
  done(r);
}

/* pulled along a rough floor by a force that grows: breaks loose at mu m g */
static core_status pull(void *self, double t, const double *q, const double *u, double *h,
                        core_error *err) {
  (void)self, (void)q, (void)u, (void)err;
  h[0] = -t;
  h[1] = 0;
  return CORE_OK;
}

static void breaks_loose_at_the_cone(void) {
  sim_options o = until(5, 1e-11);
  o.force = pull;
  double t = 0.3 * g, dt = 5 - t;
  sim_run *r = go_well(block(0, 0, 0, 0, 0), law_e_mu("stronge", 0, 0.3), o);
  TEST_ASSERT_EQUAL_STRING("contact slip stop", story(r));
  TEST_ASSERT_DOUBLE_WITHIN(1e-11, t, need(r, SIM_SLIP, 0)->t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, -dt * dt * dt / 6, r->q[0]);
  done(r);
}

/* static friction above sliding friction: it holds longer and starts with a jerk */
static void static_friction_holds_longer(void) {
  sim_options o = until(5, 1e-11);
  o.force = pull;
  law *l = LAW("stronge", ONE("e", 0), ONE("mu", 0.3), ONE("mu_static", 0.4));
  sim_run *r = go_well(block(0, 0, 0, 0, 0), l, o);
  double t = 0.4 * g, dt = 5 - t;
  TEST_ASSERT_DOUBLE_WITHIN(1e-11, t, need(r, SIM_SLIP, 0)->t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, -0.1 * g * dt * dt / 2 - dt * dt * dt / 6, r->q[0]);
  done(r);
}

/* a sliding block meets a wall without bouncing: two contacts, at rest in the corner */
static void into_the_corner(void) {
  model *m = MAKE("particle", {"position", 2, {0, 0}, 0}, {"velocity", 2, {2, 0}, 0},
                  {"planes", 6, {0, -1, 1, 0, 0, -1}, 2});
  sim_run *r = go_well(m, make_law("plastic", 0, NULL), until(2, 1e-10));
  TEST_ASSERT_DOUBLE_WITHIN(1e-13, 0.5, need(r, SIM_IMPACT, 0)->t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, r->q[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, hypot(r->u[0], r->u[1]));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2, r->ledger.restitution);
  done(r);
}

/* ---- no solution ---- */

/* a slender rod, P on the floor at `angle`, dragged by v with mu: Painleve's paradox when
 * 1 + 3 c (c - mu s) < 0 */
static model *dragged_rod(double angle, double v) {
  double c = cos(angle), s = sin(angle); /* G is 1 m from P along the rod */
  setting x[] = {ONE("length", 2),           ONE("part", 1),
                 ONE("angle", angle),        ONE("floor", 0),
                 {"position", 2, {c, s}, 0}, {"velocity", 2, {v, 0}, 0}};
  return make_model("rod", 6, x);
}

static void painleve_at_the_start_is_said(void) {
  double angle = 0.9, c = cos(angle), s = sin(angle);
  TEST_ASSERT_TRUE(1 + 3 * c * (c - 3 * s) < 0);
  sim_options o = until(1, 1e-9);
  o.mu = 3;
  sim_run *r = go(dragged_rod(angle, -1), LAW("newton", ONE("e", 0)), o);
  TEST_ASSERT_EQUAL_INT(CORE_NO_SOLUTION, r->status);
  TEST_ASSERT_EQUAL_INT(SIM_STOP_FAILED, r->why);
  TEST_ASSERT_NOT_NULL(strstr(r->error.text, "Painleve"));
  TEST_ASSERT_EQUAL_DOUBLE(0, r->t);
  done(r);
}

static void the_other_way_the_same_rod_slides(void) {
  sim_options o = until(0.05, 1e-9);
  o.mu = 3;
  sim_run *r = go_well(dragged_rod(0.9, 1), LAW("newton", ONE("e", 0)), o);
  TEST_ASSERT_EQUAL_INT(SIM_MODE_SLIP, need(r, SIM_CONTACT, 0)->mode);
  done(r);
}

/* it falls into the paradox: the run ends at the impact, with all that came before it */
static void falling_into_painleve_stops_with_the_last_good_state(void) {
  sim_options o = until(5, 1e-10);
  o.mu = 3;
  model *m = dragged_rod(0.9, -1);
  m->q[1] += 0.2; /* [m] */
  sim_run *r = go(m, LAW("newton", ONE("e", 0)), o);
  TEST_ASSERT_EQUAL_INT(CORE_NO_SOLUTION, r->status);
  TEST_ASSERT_EQUAL_STRING("impact stop", story(r));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, sqrt(2 * 0.2 / g), r->t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, r->q[1] - sin(0.9));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.2 - g * 0.01 / 2, state_at(r, 0.1)->gap[0]);
  done(r);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(above_the_limit_it_rolls);
  RUN_TEST(below_the_limit_it_slides_and_spins_less);
  RUN_TEST(a_thrown_ball_slides_then_rolls);
  RUN_TEST(a_ball_with_side_spin_goes_round_a_parabola);
  RUN_TEST(across_a_slope_the_slip_turns);
  RUN_TEST(turning_slip_ends_in_rolling_on_time);
  RUN_TEST(a_block_slides_to_rest);
  RUN_TEST(up_a_slope_and_back);
  RUN_TEST(up_a_rough_slope_it_stays);
  RUN_TEST(a_rod_slides_to_rest_on_two_ends);
  RUN_TEST(released_when_the_force_is_gone);
  RUN_TEST(released_as_often_as_it_comes);
  RUN_TEST(breaks_loose_at_the_cone);
  RUN_TEST(static_friction_holds_longer);
  RUN_TEST(into_the_corner);
  RUN_TEST(painleve_at_the_start_is_said);
  RUN_TEST(the_other_way_the_same_rod_slides);
  RUN_TEST(falling_into_painleve_stops_with_the_last_good_state);
  return UNITY_END();
}
