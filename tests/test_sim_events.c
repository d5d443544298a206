/* What users ask of a run: events, resets, stops, states at any time; and what they get wrong. */
#include <unity.h>

#include "sim_help.h"

void setUp(void) {
  core_scratch_init(&sim_scratch);
}
void tearDown(void) {
  core_interrupt_flag = 0;
  core_scratch_free(&sim_scratch);
}

static const double g = 9.81;

static model *thrown(double x, double y, double vx, double vy) {
  setting s[] = {{"position", 2, {x, y}, 0}, {"velocity", 2, {vx, vy}, 0}};
  return make_model("particle", 2, s);
}

static law *elastic(void) {
  return LAW("newton", ONE("e", 1));
}

/* ---- events of the user ---- */

/* speed upwards: zero at the top (falling) and, by bouncing, never rising through zero smoothly */
static core_status climb(void *self, double t, const double *q, const double *u, double *value,
                         core_error *err) {
  (void)self, (void)t, (void)q, (void)err;
  *value = u[1];
  return CORE_OK;
}

static core_status height(void *self, double t, const double *q, const double *u, double *value,
                          core_error *err) {
  (void)t, (void)u, (void)err;
  *value = q[1] - *(const double *)self;
  return CORE_OK;
}

static void tops_of_a_bouncing_ball(void) {
  sim_watch w = {.name = "top", .value = climb, .direction = -1};
  sim_options o = until(5, 1e-11);
  o.n_watches = 1;
  o.watches = &w;
  sim_run *r = go_well(thrown(0, 0, 1, 3), elastic(), o);
  for (int i = 0; i < 8; i++) {
    const sim_event *e = need(r, SIM_USER, i);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 3 / g * (2 * i + 1), e->t);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 9 / (2 * g), sim_event_q(r, e)[1]);
    TEST_ASSERT_EQUAL_INT(0, e->watch);
  }
  TEST_ASSERT_EQUAL_INT(8, count_events(r, SIM_USER));
  done(r);
}

static void both_directions_count_twice_per_flight(void) {
  double level = 0.2;
  sim_watch w[3] = {{.name = "any", .value = height, .self = &level, .direction = 0},
                    {.name = "up", .value = height, .self = &level, .direction = 1},
                    {.name = "down", .value = height, .self = &level, .direction = -1}};
  sim_options o = until(2.3, 1e-11); /* 3.76 flights of 6/g */
  o.n_watches = 3;
  o.watches = w;
  sim_run *r = go_well(thrown(0, 0, 1, 3), elastic(), o);
  int n[3] = {0, 0, 0};
  for (size_t i = 0; i < r->n_events; i++)
    if (r->events[i].kind == SIM_USER) n[r->events[i].watch]++;
  TEST_ASSERT_EQUAL_INT(7, n[0]);
  TEST_ASSERT_EQUAL_INT(4, n[1]);
  TEST_ASSERT_EQUAL_INT(3, n[2]);
  done(r);
}

/* the user watches what the run watches: both fire, each time */
static void a_function_that_is_zero_at_an_impact_fires_too(void) {
  double level = 0;
  sim_watch w = {.name = "floor", .value = height, .self = &level, .direction = -1};
  sim_options o = until(2.9, 1e-11); /* 4.74 flights */
  o.n_watches = 1;
  o.watches = &w;
  sim_run *r = go_well(thrown(0, 0, 1, 3), elastic(), o);
  TEST_ASSERT_EQUAL_INT(4, r->impacts);
  TEST_ASSERT_EQUAL_INT(4, count_events(r, SIM_USER));
  for (int i = 0; i < 4; i++)
    TEST_ASSERT_EQUAL_DOUBLE(need(r, SIM_IMPACT, i)->t, need(r, SIM_USER, i)->t);
  done(r);
}

static void an_event_may_stop_the_run(void) {
  double level = 0.3;
  sim_watch w = {.name = "high", .value = height, .self = &level, .direction = 1, .stop = 1};
  sim_options o = until(5, 1e-11);
  o.n_watches = 1;
  o.watches = &w;
  sim_run *r = go_well(thrown(0, 0, 1, 3), elastic(), o);
  TEST_ASSERT_EQUAL_INT(SIM_STOP_USER, r->why);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, (3 - sqrt(9 - 2 * g * 0.3)) / g, r->t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-13, 0.3, r->q[1]);
  done(r);
}

/* kicks it up again at the level: energy comes from the reset, and the ledger says so */
static core_status kick(void *self, double t, double *q, double *u, core_error *err) {
  (void)self, (void)t, (void)q, (void)err;
  u[1] = 2;
  return CORE_OK;
}

static void a_reset_changes_the_state_and_is_booked(void) {
  double level = 0.5;
  sim_watch w = {.name = "kick", .value = height, .self = &level, .direction = -1, .reset = kick};
  sim_options o = until(3, 1e-11);
  o.n_watches = 1;
  o.watches = &w;
  sim_run *r = go_well(thrown(0, 1, 0, 0), elastic(), o);
  double first = sqrt(2 * 0.5 / g);
  for (int i = 0; i < 5; i++)
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, first + i * 4 / g, need(r, SIM_USER, i)->t);
  const sim_event *e = need(r, SIM_USER, 0);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, -g * first, sim_event_u(r, e)[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2, sim_event_u_after(r, e)[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, (4 - g * first * g * first) / 2, r->ledger.reset);
  TEST_ASSERT_EQUAL_INT(0, r->impacts);
  check_run(r, 100, 1e-10, 1e-9);
  done(r);
}

static core_status sink(void *self, double t, double *q, double *u, core_error *err) {
  (void)self, (void)t, (void)u, (void)err;
  q[1] = -0.1;
  return CORE_OK;
}

static void a_reset_into_the_floor_is_refused(void) {
  double level = 0.5;
  sim_watch w = {.name = "sink", .value = height, .self = &level, .reset = sink};
  sim_options o = until(3, 1e-11);
  o.n_watches = 1;
  o.watches = &w;
  sim_run *r = go(thrown(0, 1, 0, 0), elastic(), o);
  TEST_ASSERT_EQUAL_INT(CORE_CALLBACK, r->status);
  TEST_ASSERT_EQUAL_STRING("event 'sink' at t = 0.3192754284 s: its reset is inside the obstacle: "
                           "gap 1 is -0.1 m",
                           r->error.text);
  done(r);
}

/* truth as -1 and falsehood as 1: a jump is found as well as a root */
static core_status after_one(void *self, double t, const double *q, const double *u, double *value,
                             core_error *err) {
  (void)self, (void)q, (void)u, (void)err;
  *value = t >= 1 ? -1 : 1;
  return CORE_OK;
}

/* +1 and -1 in turn, seven times a second */
static core_status square(void *self, double t, const double *q, const double *u, double *value,
                          core_error *err) {
  (void)self, (void)q, (void)u, (void)err;
  *value = fmod(floor(7 * t), 2) == 0 ? 1 : -1;
  return CORE_OK;
}

/* changes far faster than anything that moves: steps are made for it */
static core_status fast(void *self, double t, const double *q, const double *u, double *value,
                        core_error *err) {
  (void)self, (void)q, (void)u, (void)err;
  *value = sin(300 * t);
  return CORE_OK;
}

static void every_jump_and_every_fast_root_fires_once(void) {
  sim_watch w[2] = {{.name = "square", .value = square}, {.name = "fast", .value = fast}};
  sim_options o = until(1.99, 1e-9);
  o.n_watches = 2;
  o.watches = w;
  sim_run *r = go_well(thrown(0, 1, 0, 0), elastic(), o);
  int n[2] = {0, 0};
  for (size_t i = 0; i < r->n_events; i++) {
    const sim_event *e = &r->events[i];
    if (e->kind != SIM_USER) continue;
    double period = e->watch == 0 ? 1. / 7 : 3.141592653589793 / 300;
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, ++n[e->watch] * period, e->t);
  }
  TEST_ASSERT_EQUAL_INT(13, n[0]);
  TEST_ASSERT_EQUAL_INT((int)(1.99 * 300 / 3.141592653589793), n[1]);
  check_run(r, 100, 1e-9, 1e-9);
  done(r);
}

static void a_jump_is_located(void) {
  sim_watch w = {.name = "late", .value = after_one, .stop = 1};
  sim_options o = until(5, 1e-9);
  o.n_watches = 1;
  o.watches = &w;
  sim_run *r = go_well(thrown(0, 100, 1, 3), elastic(), o);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, r->t);
  done(r);
}

/* ---- reading ---- */

static void states_before_and_after_an_impact(void) {
  sim_run *r = go_well(thrown(0, 1, 0, 0), LAW("newton", ONE("e", 0.5)), until(1, 1e-11));
  double t = need(r, SIM_IMPACT, 0)->t, q[2], u[2];
  sim_state s = {.q = q, .u = u};
  core_error err = {0};
  sim_at(r, t, 1, &sim_scratch, &s, &err);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -sqrt(2 * g), u[1]);
  sim_at(r, t, 0, &sim_scratch, &s, &err);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, sqrt(2 * g) / 2, u[1]);
  done(r);
}

/* t_end at an impact, one bit or a little before and after it */
static void an_impact_at_the_very_end(void) {
  sim_options o = until(1, 1e-9);
  o.max_events = 1;
  sim_run *r = go_well(thrown(0, 1, 0, 0), elastic(), o);
  double t = r->t;
  TEST_ASSERT_TRUE(state_at(r, t)->u[1] > 4); /* it ends after the impact */
  done(r);
  const double ends[] = {t, nextafter(t, 0), nextafter(t, 1), t - 1e-13, t + 1e-13, t - 1e-7};
  for (int i = 0; i < 6; i++) {
    r = go_well(thrown(0, 1, 0, 0), elastic(), until(ends[i], 1e-9));
    TEST_ASSERT_EQUAL_INT(SIM_STOP_TIME, r->why);
    TEST_ASSERT_DOUBLE_WITHIN(2e-13, ends[i], r->t);
    TEST_ASSERT_EQUAL_INT(i < 5, r->impacts);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, i < 5 ? g * t : -g * ends[5], state_at(r, r->t)->u[1]);
    done(r);
  }
}

static void a_run_of_no_time_has_one_state(void) {
  sim_run *r = go_well(thrown(0, 1, 0, 0), elastic(), until(0, 1e-9));
  TEST_ASSERT_EQUAL_STRING("stop", story(r));
  TEST_ASSERT_EQUAL_DOUBLE(1, state_at(r, 0)->q[1]);
  done(r);
}

static void outside_of_the_run_is_refused(void) {
  sim_run *r = go_well(thrown(0, 1, 0, 0), elastic(), until(1, 1e-9));
  core_error err = {0};
  sim_state s = {0};
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, sim_at(r, 1.5, 0, &sim_scratch, &s, &err));
  TEST_ASSERT_EQUAL_STRING("run: t must be between 0 and 1 s, got 1.5", err.text);
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, sim_at(r, NAN, 0, &sim_scratch, &s, &err));
  done(r);
}

static void without_keeping_there_is_the_end_only(void) {
  sim_options o = until(1, 1e-9);
  o.keep = 0;
  sim_run *r = go_well(thrown(0, 1, 0, 0), elastic(), o);
  core_error err = {0};
  sim_state s = {0};
  TEST_ASSERT_EQUAL_STRING("stop", story(r));
  TEST_ASSERT_EQUAL_INT(1, r->impacts);
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, sim_at(r, 0.5, 0, &sim_scratch, &s, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.text, "keep = false"));
  done(r);
}

/* ---- mistakes ---- */

static void refused(model *m, sim_options o, const char *text) {
  core_error err = {0};
  sim_run *r = NULL;
  law *l = elastic();
  TEST_ASSERT_NOT_EQUAL(CORE_OK, sim_simulate(m, l, &o, &sim_scratch, &r, &err));
  TEST_ASSERT_NULL(r);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, text), err.text);
  law_free(l);
  model_free(m);
}

static void starting_inside_the_wall_is_refused(void) {
  model *m = thrown(0, 1, 0, 0);
  m->q[1] = -0.01;
  refused(m, until(1, 1e-9), "particle starts inside the obstacle: gap 1 is -0.01 m");
}

static void times_and_tolerances_are_checked(void) {
  refused(thrown(0, 1, 0, 0), until(-1, 1e-9), "t_end = -1 s is before the start at 0 s");
  refused(thrown(0, 1, 0, 0), until(NAN, 1e-9), "t_end must be a finite number of s");
  refused(thrown(0, 1, 0, 0), until(1, 1), "rtol must be a number between 1e-14 and 0.1, got 1");
  refused(thrown(0, 1, 0, 0), until(1, 1e-20), "rtol must be a number between");
  sim_options o = until(1, 1e-9);
  o.backward = 1;
  refused(thrown(0, 1, 0, 0), o, "must be before the start");
  o = until(1, 1e-9);
  o.mu = -1;
  refused(thrown(0, 1, 0, 0), o, "simulate: mu must be ");
}

static core_status bad_force(void *self, double t, const double *q, const double *u, double *h,
                             core_error *err) {
  (void)self, (void)q, (void)u, (void)err;
  h[0] = t > 0.25 ? NAN : 0;
  h[1] = 0;
  return CORE_OK;
}

static void a_force_that_is_no_number_is_named_with_its_time(void) {
  sim_options o = until(1, 1e-9);
  o.force = bad_force;
  sim_run *r = go(thrown(0, 10, 0, 0), elastic(), o);
  TEST_ASSERT_EQUAL_INT(CORE_CALLBACK, r->status);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r->error.text, "force: number 1 is nan at t = 0."),
                               r->error.text);
  done(r);
}

/* a law for one contact in a corner: which contacts, and when */
static void a_law_that_cannot_take_the_contacts_is_told(void) {
  model *m = MAKE("particle", {"position", 2, {0, 0}, 0}, {"velocity", 2, {2, 0}, 0},
                  {"planes", 6, {0, -1, 1, 0, 0, -1}, 2});
  sim_run *r = go(m, law_e_mu("stronge", 0, 0), until(2, 1e-9));
  TEST_ASSERT_EQUAL_INT(CORE_UNSUPPORTED, r->status);
  TEST_ASSERT_NOT_NULL_MESSAGE(
      strstr(r->error.text, "at t = 0.5 s contacts 1, 2 touch: law.stronge takes one contact"),
      r->error.text);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5, r->t);
  done(r);
}

static core_status set_flag(void *self, double t, const double *q, const double *u, double *value,
                            core_error *err) {
  (void)self, (void)q, (void)u, (void)err;
  if (t > 0.6) core_interrupt_flag = 1;
  *value = 1;
  return CORE_OK;
}

static void ctrl_c_gives_what_there_is(void) {
  sim_watch w = {.name = "interrupt", .value = set_flag};
  sim_options o = until(100, 1e-9);
  o.h_max = 0.05; /* functions are asked at times inside a step that events may then cut */
  o.n_watches = 1;
  o.watches = &w;
  sim_run *r = go(thrown(0, 1, 0, 0), elastic(), o);
  TEST_ASSERT_EQUAL_INT(CORE_INTERRUPTED, r->status);
  TEST_ASSERT_EQUAL_INT(SIM_STOP_INTERRUPTED, r->why);
  TEST_ASSERT_EQUAL_INT(1, r->impacts);
  TEST_ASSERT_TRUE(r->t > 0.45 && r->t < 10);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, 1 - g * 0.04 / 2, state_at(r, 0.2)->q[1]);
  done(r);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(tops_of_a_bouncing_ball);
  RUN_TEST(both_directions_count_twice_per_flight);
  RUN_TEST(a_function_that_is_zero_at_an_impact_fires_too);
  RUN_TEST(an_event_may_stop_the_run);
  RUN_TEST(a_reset_changes_the_state_and_is_booked);
  RUN_TEST(every_jump_and_every_fast_root_fires_once);
  RUN_TEST(a_jump_is_located);
  RUN_TEST(states_before_and_after_an_impact);
  RUN_TEST(a_reset_into_the_floor_is_refused);
  RUN_TEST(an_impact_at_the_very_end);
  RUN_TEST(a_run_of_no_time_has_one_state);
  RUN_TEST(outside_of_the_run_is_refused);
  RUN_TEST(without_keeping_there_is_the_end_only);
  RUN_TEST(starting_inside_the_wall_is_refused);
  RUN_TEST(times_and_tolerances_are_checked);
  RUN_TEST(a_force_that_is_no_number_is_named_with_its_time);
  RUN_TEST(a_law_that_cannot_take_the_contacts_is_told);
  RUN_TEST(ctrl_c_gives_what_there_is);
  return UNITY_END();
}
