/* Flights and bounces: closed forms, what is conserved, Zeno, back in time. */
#include <unity.h>

#include "sim_help.h"

void setUp(void) {
  core_scratch_init(&sim_scratch);
}
void tearDown(void) {
  core_scratch_free(&sim_scratch);
}

static const double g = 9.81;

static model *dropped_ball(double height) {
  return MAKE("ball", {"position", 3, {0, 0, 1 + height}, 0}, {"velocity", 3, {0, 0, 0}, 0});
}

/* ---- closed forms ---- */

static void dropped_ball_meets_the_floor_in_time(void) {
  sim_run *r = go_well(dropped_ball(1), LAW("newton", ONE("e", 0.5)), until(1, 1e-9));
  const sim_event *e = need(r, SIM_IMPACT, 0);
  TEST_ASSERT_DOUBLE_WITHIN(1e-13, sqrt(2 / g), e->t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-13, -sqrt(2 * g), sim_event_u(r, e)[2]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1, sim_event_q(r, e)[2]);
  done(r);
}

static void johnsons_drop_of_one_metre(void) {
  model *m = MAKE("particle", {"position", 2, {0, 1}, 0}, {"velocity", 2, {0, 0}, 0},
                  {"gravity", 1, {9.8}, 0});
  sim_run *r = go_well(m, LAW("newton", ONE("e", 0.5)), until(1, 1e-9));
  TEST_ASSERT_DOUBLE_WITHIN(1e-13, 0.451753951452625675, need(r, SIM_IMPACT, 0)->t);
  done(r);
}

static void ten_thousand_perfect_bounces_lose_nothing(void) {
  sim_options o = until(1e5, 1e-9);
  o.max_events = 10000;
  o.keep = 0;
  sim_run *r = go_well(dropped_ball(1), LAW("newton", ONE("e", 1)), o);
  double t1 = sqrt(2 / g);
  TEST_ASSERT_EQUAL_INT(SIM_STOP_IMPACTS, r->why);
  TEST_ASSERT_EQUAL_INT(10000, r->impacts);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12 * r->t, t1 * (2 * 10000 - 1), r->t); /* closed form */
  TEST_ASSERT_DOUBLE_WITHIN(1e-12 * 10000, 0, r->ledger.residual);
  done(r);
}

/* flights in closed form against the integrator, which an extra force of zero asks for */
static core_status no_force(void *self, double t, const double *q, const double *u, double *h,
                            core_error *err) {
  (void)t, (void)q, (void)u, (void)err;
  memset(h, 0, (size_t)((const model *)self)->shape.nu * sizeof *h);
  return CORE_OK;
}

static model *flier(int which) {
  if (which == 0)
    return MAKE("ball", ONE("radius", 0.1), {"position", 3, {0, 0, 1}, 0},
                {"velocity", 3, {0.7, -0.2, 0.5}, 0}, {"spin", 3, {3, -20, 5}, 0});
  if (which == 1)
    return MAKE("particle", {"position", 2, {0, 1}, 0}, {"velocity", 2, {1, 0}, 0},
                {"planes", 6, {0, -1, 1, 0, 0, -1.5}, 2});
  return MAKE("chain", ONE("n", 3), ONE("wall", 3), {"gaps", 4, {0.1, 0.2, 0.05, 0.3}, 0},
              {"velocity", 3, {1, -2, 0.5}, 0});
}

static void flights_in_closed_form_are_what_the_integrator_finds(void) {
  for (int which = 0; which < 3; which++) {
    sim_run *run[2];
    for (int i = 0; i < 2; i++) {
      model *m = flier(which);
      sim_options o = until(1.5, 1e-12);
      if (i) o.force = no_force, o.force_self = m;
      run[i] = go_well(m, law_e_mu("stronge", 0.8, which ? 0 : 0.2), o);
    }
    TEST_ASSERT_EQUAL_INT(0, run[0]->evaluations);
    TEST_ASSERT_TRUE(run[1]->evaluations > 0);
    TEST_ASSERT_EQUAL_STRING(story(run[0]), story(run[1]));
    TEST_ASSERT_TRUE(run[0]->impacts >= 2);
    for (int k = 0; k <= 40; k++) {
      double t = run[0]->t * k / 40, q[7], u[6];
      const model_shape *shape = &run[0]->m->shape;
      const sim_state *s = state_at(run[0], t);
      memcpy(q, s->q, (size_t)shape->nq * sizeof *q);
      memcpy(u, s->u, (size_t)shape->nu * sizeof *u);
      s = state_at(run[1], t);
      for (int j = 0; j < shape->nq; j++) TEST_ASSERT_DOUBLE_WITHIN(1e-9, s->q[j], q[j]);
      for (int j = 0; j < shape->nu; j++) TEST_ASSERT_DOUBLE_WITHIN(1e-9, s->u[j], u[j]);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, 0, run[0]->ledger.residual);
    done(run[0]);
    done(run[1]);
  }
}

/* ---- Zeno ---- */

static void bounces_end_at_their_geometric_limit(void) {
  for (double e = 0.1; e < 0.95; e += 0.2) {
    sim_run *r = go_well(dropped_ball(1), LAW("newton", ONE("e", e)), until(20, 1e-9));
    const sim_event *z = need(r, SIM_ZENO, 0);
    double t1 = sqrt(2 / g);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, t1 * (1 + e) / (1 - e), z->t);
    TEST_ASSERT_EQUAL_DOUBLE(1, sim_event_q(r, z)[2]);
    for (int i = 0; i < 6; i++) TEST_ASSERT_EQUAL_DOUBLE(0, sim_event_u(r, z)[i]);
    TEST_ASSERT_EQUAL_INT(1, count_events(r, SIM_ZENO));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, g, state_at(r, 19)->force[2]);
    check_run(r, 300, 1e-12, 1e-11);
    done(r);
  }
}

/* thrown sideways with friction: at the end of the bounces it slides or rolls on; the sum of all
 * friction is that of a ball that carries its weight all the time: v_x - m impulse */
static void the_end_of_bounces_keeps_the_friction_right(void) {
  double mu = 0.05, e = 0.5, vx = 3;
  model *m = MAKE("ball", {"position", 3, {0, 0, 2}, 0}, {"velocity", 3, {3, 0, 0}, 0});
  sim_run *r = go_well(m, law_e_mu("stronge", e, mu), until(4, 1e-11));
  double t = need(r, SIM_ZENO, 0)->t;
  /* while it slides all the time, the floor gives m g t of normal impulse until any time of rest */
  const double *u = sim_event_u(r, need(r, SIM_ZENO, 0));
  TEST_ASSERT_DOUBLE_WITHIN(1e-11, vx - mu * g * t, u[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-11, 2.5 * mu * g * t, u[4]);
  /* and rolls when v = omega r: 2 v_x/(7 mu g) */
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, 2 * vx / (7 * mu * g), need(r, SIM_STICK, 0)->t);
  check_run(r, 300, 1e-10, 1e-10);
  done(r);
}

static void without_the_policy_bounces_go_on_until_the_hop_is_nothing(void) {
  sim_options o = until(3, 1e-9);
  o.zeno = 0;
  sim_run *r = go_well(dropped_ball(1), LAW("newton", ONE("e", 0.5)), o);
  TEST_ASSERT_EQUAL_INT(0, count_events(r, SIM_ZENO));
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 3 * sqrt(2 / g), need(r, SIM_CONTACT, 0)->t);
  done(r);
}

/* a rod that falls tilted rattles on its two ends in turn and comes to lie */
static void a_rod_clatters_to_rest_on_both_ends(void) {
  model *m = MAKE("rod", ONE("part", 1), ONE("floor", 0), {"position", 2, {0, 1.5}, 0},
                  {"angle", 1, {0.3}, 0}, {"velocity", 2, {0, 0}, 0});
  sim_run *r = go_well(m, LAW("newton", ONE("e", 0.4)), until(10, 1e-10));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, r->q[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, r->q[2]);
  TEST_ASSERT_TRUE(count_events(r, SIM_CONTACT) >= 2);
  const sim_state *s = state_at(r, 10);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, g / 2, s->force[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, g / 2, s->force[3]);
  check_run(r, 500, 1e-9, 1e-8);
  done(r);
}

/* restitution of its own for each end: P springs back with 0.2, Q with 0.8 */
static void a_list_of_the_law_goes_by_the_contacts_of_the_model(void) {
  for (int end = 0; end < 2; end++) {
    model *m = MAKE("rod", ONE("part", 1), ONE("floor", 0), {"position", 2, {0, 2}, 0},
                    ONE("angle", end ? -0.3 : 0.3), {"velocity", 2, {0, 0}, 0});
    sim_options o = until(3, 1e-10);
    o.max_events = 1;
    sim_run *r = go_well(m, LAW("newton", {"e", 2, {0.2, 0.8}, 0}), o);
    const sim_event *e = need(r, SIM_IMPACT, 0);
    TEST_ASSERT_EQUAL_INT(end, e->contact);
    double vy = sim_event_u(r, e)[1]; /* both ends come down alike */
    const double *u = sim_event_u_after(r, e);
    double arm = (end ? 2 : -2) * cos(sim_event_q(r, e)[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-11, -(end ? 0.8 : 0.2) * vy, u[1] + arm * u[2]);
    done(r);
  }
}

/* ---- what is conserved ---- */

static void free_double_pendulum_keeps_its_energy(void) {
  model *m = MAKE("double_pendulum", ONE("floor", -10), {"q", 2, {1, 0.5}, 0}, {"u", 2, {0, 3}, 0});
  sim_run *r = go_well(m, LAW("newton", ONE("e", 0.5)), until(10, 1e-11));
  TEST_ASSERT_EQUAL_STRING("stop", story(r));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9 * r->ledger.start, r->ledger.start, r->ledger.end);
  done(r);
}

/* angular momentum of the pencil in world axes, from its mass matrix and its quaternion */
static void angular_momentum(const model *m, const double *q, const double *u, double *L) {
  double M[36], l[3] = {0}, w = q[3], x = q[4], y = q[5], z = q[6];
  m->type->mass(m, q, M);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) l[i] += M[6 * (3 + j) + 3 + i] * u[3 + j];
  double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                 2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                 2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  for (int i = 0; i < 3; i++) L[i] = R[3 * i] * l[0] + R[3 * i + 1] * l[1] + R[3 * i + 2] * l[2];
}

static void free_spinning_pencil_keeps_energy_and_momentum(void) {
  model *m = MAKE("pencil", {"position", 3, {0, 0, 100}, 0}, {"velocity", 3, {1, 2, 3}, 0},
                  {"spin", 3, {7, -5, 3}, 0}, {"gravity", 1, {0}, 0});
  double before[3], after[3];
  angular_momentum(m, m->q, m->u, before);
  sim_run *r = go_well(m, LAW("newton", ONE("e", 0.5)), until(10, 1e-11));
  angular_momentum(m, r->q, r->u, after);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9 * r->ledger.start, r->ledger.start, r->ledger.end);
  for (int i = 0; i < 3; i++) {
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, before[i], after[i]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, i + 1, r->u[i]);
  }
  double length = 0;
  for (int i = 3; i < 7; i++) length += r->q[i] * r->q[i];
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1, length);
  done(r);
}

/* ---- paper Y ---- */

/* Fig 1: five bounces, each by its own k.impact in a flight without losses between them */
static void five_bounces_of_figure_1(void) {
  model *m = MAKE("ball", {"velocity", 3, {-1, 0, -5}, 0}, {"spin", 3, {0, 2, 0}, 0});
  law *l = LAW("compliant", ONE("mu", 0.4), ONE("e", 0.5), ONE("eta", sqrt(17. / 14)));
  sim_options o = until(10, 1e-11);
  o.max_events = 5;
  sim_run *r = go_well(m, l, o);
  const sim_event *e = need(r, SIM_IMPACT, 0);
  TEST_ASSERT_EQUAL_DOUBLE(0, e->t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.544090155, sim_event_u_after(r, e)[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -1.860225388, sim_event_u_after(r, e)[4]);
  double t = 0, vz = 5;
  for (int i = 0; i < 5; i++) {
    e = need(r, SIM_IMPACT, i);
    vz /= 2;
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, t, e->t);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, vz, sim_event_u_after(r, e)[2]);
    t += 2 * vz / g;
  }
  /* x velocity and spin reverse at the first two bounces; the spin goes on reversing */
  for (int i = 0; i < 5; i++) {
    const double *b = sim_event_u(r, need(r, SIM_IMPACT, i)),
                 *a = sim_event_u_after(r, need(r, SIM_IMPACT, i));
    TEST_ASSERT_TRUE(a[4] * b[4] < 0);
    TEST_ASSERT_TRUE(i >= 2 || a[0] * b[0] < 0);
  }
  done(r);
}

/* Fig 13: eight bounces with spin (6, 6, 0); the track on the table is a polyline whose corners are
 * v_x times the flights */
static void track_of_figure_13(void) {
  model *m = MAKE("ball", {"velocity", 3, {-1, 0, -5}, 0}, {"spin", 3, {6, 6, 0}, 0});
  law *l = LAW("compliant", ONE("mu", 0.4), ONE("e", 0.5), ONE("eta", sqrt(17. / 14)));
  sim_options o = until(10, 1e-11);
  o.max_events = 8;
  sim_run *r = go_well(m, l, o);
  double x = 0, y = 0, vz = 2.5;
  for (int i = 0; i < 8; i++) {
    const sim_event *e = need(r, SIM_IMPACT, i);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, x, sim_event_q(r, e)[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, y, sim_event_q(r, e)[1]);
    x += sim_event_u_after(r, e)[0] * 2 * vz / g;
    y += sim_event_u_after(r, e)[1] * 2 * vz / g;
    vz /= 2;
  }
  done(r);
}

/* Fig 18: the pencil 0.4 s before the impact, and forwards again to where it came from */
static void pencil_back_in_time_and_forth(void) {
  sim_options o = until(-0.4, 1e-12);
  o.backward = 1;
  sim_run *back =
      go_well(MAKE("pencil", ONE("tilt", 1.0471975511965976)), LAW("newton", ONE("e", 0.5)), o);
  TEST_ASSERT_EQUAL_STRING("stop", story(back));
  TEST_ASSERT_EQUAL_DOUBLE(-0.4, back->t);
  const model *first = back->m;
  model *m = NULL;
  model_copy(first, &m);
  memcpy(m->q, back->q, 7 * sizeof *m->q);
  memcpy(m->u, back->u, 6 * sizeof *m->u);
  o = until(0.1, 1e-12);
  o.t_start = -0.4;
  o.max_events = 1;
  sim_run *forth = go_well(m, LAW("newton", ONE("e", 0.5)), o);
  const sim_event *e = need(forth, SIM_IMPACT, 0);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0, e->t);
  for (int i = 0; i < 7; i++)
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, first->q[i], sim_event_q(forth, e)[i]);
  for (int i = 0; i < 6; i++)
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, first->u[i], sim_event_u(forth, e)[i]);
  done(forth);
  done(back);
}

static void back_in_time_it_stops_at_the_floor(void) {
  sim_options o = until(-5, 1e-10);
  o.backward = 1;
  model *m = MAKE("ball", {"position", 3, {0, 0, 2}, 0}, {"velocity", 3, {0, 0, 3}, 0});
  sim_run *r = go_well(m, LAW("newton", ONE("e", 1)), o);
  TEST_ASSERT_EQUAL_INT(SIM_STOP_OBSTACLE, r->why);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, (3 - sqrt(9 + 2 * g)) / g, r->t);
  done(r);
}

/* ---- fast spin in long steps ---- */

/* lower gap of the two ends at time t: the centre and the angle are polynomials of t */
static double lower_gap(const model *m, double t) {
  const double *q = m->q, *u = m->u;
  double at[3] = {q[0] + u[0] * t, q[1] + u[1] * t - 9.81 * t * t / 2, q[2] + u[2] * t}, gap[2];
  m->type->gap(m, at, gap);
  return fmin(gap[0], gap[1]);
}

/* first time when an end is at the floor, by very many samples and halving */
static double first_meeting(const model *m, double dt) {
  double t = dt, a;
  while (lower_gap(m, t) > 0) t += dt;
  for (a = t - dt; t - a > 1e-15 * t;) {
    double middle = (a + t) / 2;
    if (middle <= a || middle >= t) break;
    if (lower_gap(m, middle) > 0)
      a = middle;
    else
      t = middle;
  }
  return t;
}

/* a rod that spins so fast that its ends go round many times in one step of the integrator */
static void no_end_of_a_spinning_rod_goes_through_the_floor(void) {
  for (int i = 0; i < 60; i++) {
    double spin = 40 * any(), up = 4 * any(), height = 2.1 + fabs(any());
    model *m =
        MAKE("rod", {"position", 2, {0, height}, 0}, ONE("angle", 3 * any()),
             {"velocity", 2, {1, up}, 0}, ONE("spin", spin), ONE("length", 2), ONE("floor", 0));
    sim_options o = until(10, 1e-9);
    o.max_events = 1;
    sim_run *r = go_well(m, law_e_mu("stronge", 0.5, 0.3), o);
    double expected = first_meeting(m, 2e-6);
    TEST_ASSERT_DOUBLE_WITHIN(1e-11 * fmax(1, fabs(spin)), expected, need(r, SIM_IMPACT, 0)->t);
    done(r);
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(no_end_of_a_spinning_rod_goes_through_the_floor);
  RUN_TEST(dropped_ball_meets_the_floor_in_time);
  RUN_TEST(johnsons_drop_of_one_metre);
  RUN_TEST(ten_thousand_perfect_bounces_lose_nothing);
  RUN_TEST(flights_in_closed_form_are_what_the_integrator_finds);
  RUN_TEST(bounces_end_at_their_geometric_limit);
  RUN_TEST(the_end_of_bounces_keeps_the_friction_right);
  RUN_TEST(without_the_policy_bounces_go_on_until_the_hop_is_nothing);
  RUN_TEST(a_rod_clatters_to_rest_on_both_ends);
  RUN_TEST(a_list_of_the_law_goes_by_the_contacts_of_the_model);
  RUN_TEST(free_double_pendulum_keeps_its_energy);
  RUN_TEST(free_spinning_pencil_keeps_energy_and_momentum);
  RUN_TEST(five_bounces_of_figure_1);
  RUN_TEST(track_of_figure_13);
  RUN_TEST(pencil_back_in_time_and_forth);
  RUN_TEST(back_in_time_it_stops_at_the_floor);
  return UNITY_END();
}
