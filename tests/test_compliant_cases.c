/* law.compliant: the smallest states found in which one of its guards matters, each named after its
 * cause and judged by brute force. Switched off, a guard gives what its test says. Guards of exact
 * ties are in lua/test_ties.lua. */
#include "compliant_brute.h"

void setUp(void) {
}
void tearDown(void) {
}

typedef struct state {
  int nc, dim;
  double W[144], v[12];
  spec q;
} state;

/* bodies in a row that do not turn: contact i has 1/m of bodies i and i + 1 in all its rows */
static void row_of_bodies(state *s, const double *inverse_mass) {
  int n = s->nc * s->dim;
  memset(s->W, 0, sizeof s->W);
  for (int i = 0; i < n; i++) {
    const double *body = inverse_mass + i / s->dim;
    s->W[i * (n + 1)] = body[0] + body[1];
    if (i + s->dim < n) s->W[i * n + i + s->dim] = s->W[(i + s->dim) * n + i] = -body[1];
  }
}

/* as brute force says, and the ledger closes */
static void judge(state *s) {
  s->q.n = s->nc;
  s->q.window = 1e-9;
  for (int i = 0; i < s->nc; i++) {
    if (s->q.k[i] == 0) s->q.k[i] = 1;
    if (s->q.eta[i] == 0) s->q.eta[i] = 1;
  }
  const course *c = run_spec(&s->q, s->nc, s->dim, s->W, s->v, NULL, -1);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c->r.status, c->err.text);
  ASSERT_BELOW(1e-12, worst_ledger(c, s->v));
  brute b = brute_start(&s->q, s->nc, s->dim, s->W, s->v, NULL);
  TEST_ASSERT_TRUE(brute_run(&b, 2e-3));
  double size = 0;
  for (int i = 0; i < c->rows; i++) size = fmax(size, fabs(b.p[i]));
  for (int i = 0; i < c->rows; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-9 * size, b.p[i], c->p[i]);
}

/* ---- what is rounding ---- */

/* v = v- + W p with W p far above v: its rounding is that of W p (impulses off by 0.3 % without the
 * growth of v_rounding) */
static void test_rounding_of_large_impulses(void) {
  state s = {.nc = 2,
             .dim = 2,
             .W = {0.8584, -0.524, -0.3006, 0.6105, -0.524, 1.513, 1.291, -0.8775, -0.3006, 1.291,
                   1.867, -0.315, 0.6105, -0.8775, -0.315, 0.8541},
             .v = {0.8, -0.3, 0.8, -0.8},
             .q = {.mu = {1.2, 44}, .e = {0.85, 0}, .eta = {0.87, 1.1}}};
  judge(&s);
}

/* v follows from p: errors of the steps do not add up. Once v did not move by W times the impulse
 * of each step, and this ended in limit unless it was made v- + W p after every phase. */
static void test_velocities_follow_from_impulses(void) {
  state s = {
      .nc = 3,
      .dim = 2,
      .v = {-0.52481763423525463, -1, 0, -1.5012519737735574e-20, -5.0263554936545205e-14, 0},
      .q = {.mu = {0.23, 1.89, 624}, .e = {0.819, 0.819, 0.819}}};
  row_of_bodies(&s, (double[]){0, 1, 1, 1});
  judge(&s);
}

/* Contacts 0 and 1 have neither moved nor given way by more than rounding: they are as good as open
 * (limit without reset_resting) */
static void test_pressed_by_rounding_is_open(void) {
  state s = {.nc = 3,
             .dim = 1,
             .W = {3, 2, 0, 2, 2, 0.5, 0, 0.5, 2},
             .v = {-9e-16, -4e-11, -0.5},
             .q = {.e = {0.3, 0.3, 0.3}}};
  judge(&s);
}

/* Coefficients of a gap or a velocity that are rounding of the state decide nothing (limit without
 * the noise of compliant_above) */
static void test_rounding_of_a_series_decides_nothing(void) {
  state s = {.nc = 2,
             .dim = 1,
             .W = {0.2, 0.2, 0.2, 0.3},
             .v = {-0.497, -1.683e-10},
             .q = {.e = {0.4, 0.4}}};
  judge(&s);
}

/* ---- contacts at rest that others press ---- */

/* Contact 1 is pressed from rest and slides by rounding: its direction is that of the first
 * velocity beyond rounding (limit without the order in close_resting) */
static void test_pressed_from_rest_slides_where_it_is_pushed(void) {
  state s = {.nc = 2, .dim = 2, .v = {-3e-16, -0.5, 6e-16, 0}, .q = {.mu = {0.6, 0.6}}};
  row_of_bodies(&s, (double[]){1, 1, 1});
  judge(&s);
}

/* Pressed from complete rest in the plane of contact: d is known, v along it is not yet (NaN
 * without the late start) */
static void test_pressed_from_rest_in_space(void) {
  state s = {.nc = 2, .dim = 3, .v = {0, -0.6, -1}, .q = {.mu = {60, 0.2}, .e = {0.7, 0.7}}};
  row_of_bodies(&s, (double[]){1, 1, 1});
  judge(&s);
}

/* Pressed from rest |x| and rho both grow from the second order on: the first coefficient of their
 * margin beyond rounding decides, not the first one (limit without first_above) */
static void test_margin_from_rest_starts_later(void) {
  state s = {.nc = 2, .dim = 2, .v = {-0.6, -0.9}, .q = {.mu = {1, 1}, .eta = {2, 1}}};
  row_of_bodies(&s, (double[]){0, 1, 1});
  judge(&s);
}

/* the same with a sliding speed of rounding (limit without the noise in first_above) */
static void test_margin_from_rest_with_rounding(void) {
  state s = {.nc = 2,
             .dim = 2,
             .v = {-0.9, -0.8, -9e-17, 0},
             .q = {.mu = {0.3, 0.3}, .e = {0.1, 0.1}, .eta = {2, 2}}};
  row_of_bodies(&s, (double[]){0, 1, 0.4});
  judge(&s);
}

/* slips from rest: its slip speed starts with nothing but rounding (limit without `starts` in
 * look_at_slip) */
static void test_slip_speed_from_rest(void) {
  state s = {.nc = 2,
             .dim = 2,
             .v = {-3e-20, 0, 0.09, -0.6},
             .q = {.mu = {0.6, 0.6}, .e = {0.5, 0.5}, .eta = {0.6, 0.7}}};
  row_of_bodies(&s, (double[]){2.4, 0.6, 0.4});
  judge(&s);
}

/* Three loose boxes stand on each other at a corner, a fourth one strikes: contacts 0 and 1 are
 * pressed from rest at orders 7 and 5 of the series, and what stood before those was taken for the
 * sign of their margins ("the modes do not settle" at t = 0, a quarter of the stacks). */
static void test_stack_at_rest_is_struck(void) {
  static const double off[4] = {-3.6, -3.7, -3.6}, last[3] = {3.3, -0.035, 7.1};
  state s = {.nc = 4,
             .dim = 2,
             .v = {-2e-18, -3e-18, 0, 0, 0.003, 1e-17, 0.2, -0.001},
             .q = {.mu = {0.77, 0.77, 0.77, 0.77}, .e = {0.61, 0.61, 0.61, 0.61}}};
  for (int c = 0; c < 4; c++) {
    double own[3] = {3.2, -0.12, 7.3};
    if (c == 0) own[0] = 1.6, own[1] = 1.2, own[2] = 3.4;
    if (c == 3) memcpy(own, last, sizeof own);
    double *at = s.W + 18 * c, next[4] = {-0.4, 1.2, -1.3, off[c]};
    at[0] = own[0], at[1] = at[8] = own[1], at[9] = own[2];
    for (int i = 0; i < 4 && c < 3; i++)
      s.W[(2 * c + 2 + i % 2) + 8 * (2 * c + i / 2)] =
          s.W[(2 * c + i / 2) + 8 * (2 * c + 2 + i % 2)] = next[i == 1   ? 2
                                                                : i == 2 ? 1
                                                                         : i];
  }
  judge(&s);
}

/* Six corners of three boxes, one strikes: which of the others are pressed is decided from the
 * first order on, one order after the other, and by the same measure as what happens to them then
 * ("the modes do not settle" at t = 0). */
static void test_corners_at_rest_are_struck(void) {
  state s = {
      .nc = 6,
      .dim = 2,
      .W = {1.6,  -1.2, -0.4,  1.1,   -0.4,  -1.3,  0,     0,     0,     0,     0,      0,
            -1.2, 3.4,  -1.2,  -3.2,  -1.2,  1.6,   0,     0,     0,     0,     0,      0,
            -0.4, -1.2, 3.2,   -0.11, 3.2,   -0.11, -0.4,  1.1,   -0.4,  -1.3,  0,      0,
            1.1,  -3.2, -0.11, 6.4,   -0.11, -2.8,  -1.2,  -3.2,  -1.2,  1.6,   0,      0,
            -0.4, -1.2, 3.2,   -0.11, 3.2,   -0.11, -0.4,  1.1,   -0.4,  -1.3,  0,      0,
            -1.3, 1.6,  -0.11, -2.8,  -0.11, 7.3,   1.2,   1.2,   1.2,   -3.6,  0,      0,
            0,    0,    -0.4,  -1.2,  -0.4,  1.2,   3.2,   -0.11, 3.2,   -0.11, -0.4,   -1.3,
            0,    0,    1.1,   -3.2,  1.1,   1.2,   -0.11, 6.4,   -0.11, -2.8,  -1.2,   1.5,
            0,    0,    -0.4,  -1.2,  -0.4,  1.2,   3.2,   -0.11, 3.2,   -0.11, -0.4,   -1.3,
            0,    0,    -1.3,  1.6,   -1.3,  -3.6,  -0.11, -2.8,  -0.11, 7.2,   1.2,    -3.5,
            0,    0,    0,     0,     0,     0,     -0.4,  -1.2,  -0.4,  1.2,   3.2,    -0.069,
            0,    0,    0,     0,     0,     0,     -1.3,  1.5,   -1.3,  -3.5,  -0.069, 7.1},
      .v = {0, 0, 1e-19, 0, -7e-19, -1e-05, -9e-06, 0, -9e-06, 2e-19, -2e-05, -2e-19}};
  for (int i = 0; i < 12; i++) s.v[i] *= 1e5;
  for (int i = 0; i < 6; i++) s.q.mu[i] = 0.89, s.q.e[i] = 0.16;
  judge(&s);
}

/* The same boxes slide on each other while they come to rest with e = 0.025: corners that carry
 * 1e-13 of the forces stuck at 0.03 m/s, because so little impulse was left to them (100,000 events
 * of two that took turns). Brute force does not end here. */
static void test_sliding_corners_come_to_rest(void) {
  state s = {
      .nc = 6,
      .dim = 2,
      .W = {1.6,    -1.2,  1.6,    1.2,   -0.4,  1.08, -0.4,   -1.32, 0,      0,      0,
            0,      -1.2,  3.4,    -1.2,  -1.4,  -1.2, -3.16,  -1.2,  1.64,   0,      0,
            0,      0,     1.6,    -1.2,  1.6,   1.2,  -0.4,   1.08,  -0.4,   -1.32,  0,
            0,      0,     0,      1.2,   -1.4,  1.2,  3.4,    1.2,   1.16,   1.2,    -3.64,
            0,      0,     0,      0,     -0.4,  -1.2, -0.4,   1.2,   3.2,    -0.121, 3.2,
            -0.121, -0.4,  1.08,   -0.4,  -1.32, 1.08, -3.16,  1.08,  1.16,   -0.121, 6.34,
            -0.121, -2.78, -1.2,   -3.16, -1.2,  1.64, -0.4,   -1.2,  -0.4,   1.2,    3.2,
            -0.121, 3.2,   -0.121, -0.4,  1.08,  -0.4, -1.32,  -1.32, 1.64,   -1.32,  -3.64,
            -0.121, -2.78, -0.121, 7.31,  1.2,   1.16, 1.2,    -3.64, 0,      0,      0,
            0,      -0.4,  -1.2,   -0.4,  1.2,   3.2,  -0.118, 3.2,   -0.118, 0,      0,
            0,      0,     1.08,   -3.16, 1.08,  1.16, -0.118, 6.35,  -0.118, -2.78,  0,
            0,      0,     0,      -0.4,  -1.2,  -0.4, 1.2,    3.2,   -0.118, 3.2,    -0.118,
            0,      0,     0,      0,     -1.32, 1.64, -1.32,  -3.64, -0.118, -2.78,  -0.118,
            7.3},
      .v = {0.0001822, 0, 0.0001822, 0, 0.03223, 0, 0.03223, 0, -0.04393, 0, -0.04393, -0.005153}};
  spec q = uniform(0.19, 0.025, 1);
  q.k[0] = 1, q.max_events = 3000;
  const course *c = run_spec(&q, s.nc, s.dim, s.W, s.v, NULL, -1);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c->r.status, c->err.text);
  ASSERT_BELOW(1e-12, worst_ledger(c, s.v));
  for (int i = 1; i < c->rows; i += 2) TEST_ASSERT_TRUE(c->v[i] >= -1e-11 && c->p[i] >= 0);
}

/* the last contact of a chain, after 0.025 of its time: a velocity that grows from a high
 * order on; the search for its root gave up on the way and called that a root */
static void test_slow_growth_is_no_root(void) {
  const double c[] = {2e-14,    6.72e-12, 9.41e-10,  7.03e-08, 2.95e-06, 6.62e-05,
                      0.000617, -1.1e-05, -7.72e-05, 7.44e-07, 4.17e-06, -2.84e-08};
  double s;
  TEST_ASSERT_FALSE(core_poly_first_root(11, c, 1, &s));
}

/* ---- ties ---- */

/* Slip of a held contact that is pressed anew stops at once, and its margin grows from the start:
 * the rate of the margin is not used up (5 % off when it is taken for zero) */
static void test_margin_that_grows_from_the_start(void) {
  state s = {.nc = 2,
             .dim = 2,
             .W = {2, 0.2, -1, 0.1, 0.2, 2, -0.5, -0.8, -1, -0.5, 1, 0.1, 0.1, -0.8, 0.1, 3},
             .v = {0.6, -0.6, -0.8, -0.4},
             .q = {.mu = {7, 7}, .e = {0, 0.7}, .eta = {0.8, 0.6}}};
  judge(&s);
}

/* Stick breaks just before the contact opens, to rounding: one moment, or what the spring still
 * holds is taken twice (ledger 7e-11 off without TOL_TIE) */
static void test_stick_breaks_before_the_opening(void) {
  state s = {.nc = 1,
             .dim = 3,
             .W = {0.69, -0.34, 0, -0.34, 1.32, 0, 0, 0, 0.96},
             .v = {0.002, -0.004, -1},
             .q = {.mu = {10}, .e = {1}, .eta = {0.8}}};
  judge(&s);
}

/* the same at the opening itself, with an impulse that has no direction but that of rounding */
static void test_stick_breaks_at_the_opening(void) {
  state s = {
      .nc = 1,
      .dim = 3,
      .W = {1.5, -1, 0, -1, 3, 0, 0, 0, 3.5},
      .v = {0, 0, -1},
      .q = {.mu = {2244.03143952855}, .e = {0.74876780587672132}, .eta = {1.745199940345104}}};
  judge(&s);
}

/* Slip that sets out 1e-8 before the contact opens does nothing any more. By the pace of the
 * contact itself its force is exp(-s), which was taken for a vibration that has its least above 0:
 * stick and slip took turns (limit) */
static void test_nothing_is_left_by_its_own_pace(void) {
  state s = {.nc = 1,
             .dim = 3,
             .W = {1, 0, 1e-30, 0, 1, 0, 1e-30, 0, 1},
             .v = {0.12497500083332233, 0.002499833336666637, -1},
             .q = {.mu = {0.5}, .e = {1}, .eta = {0.5}}};
  s.q.k[0] = s.q.n = 1;
  const course *c = run_spec(&s.q, 1, 3, s.W, s.v, NULL, -1);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c->r.status, c->err.text);
  for (int r = 0; r < 3; r++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, r < 2 ? s.v[r] : 1, c->v[r]);
}

/* A nearly direct impact with large mu: rho is large beside |x| until just before the contact
 * opens, and the difference of their squares has lost where they meet (ledger 4e-8 off without
 * look_closer) */
static void test_squares_lose_the_end_of_stick(void) {
  state s = {.nc = 1,
             .dim = 3,
             .W = {0.34, -0.32, 0, -0.32, 0.79, 0, 0, 0, 0.69},
             .v = {1e-6, -2e-6, -1},
             .q = {.mu = {1e4}, .e = {1}, .eta = {1.2}}};
  judge(&s);
}

/* Contact 2 comes to rest at zero gap inside a phase: it is not closing at every look from then on
 * (4 % off without `touches`) */
static void test_gap_that_stays_at_zero(void) {
  state s = {.nc = 3,
             .dim = 3,
             .v = {-0.7, -0.9, -0.6, -0.9, -0.2, -1, -0.3, -0.7, 0.1},
             .q = {.mu = {INFINITY, 0.9, 0.3}, .e = {0, 0.4, 0.06}}};
  row_of_bodies(&s, (double[]){0, 0.45, 1.8, 0.4});
  for (int r = 3; r < 6; r++) s.W[r * 10] = 2.2;
  judge(&s);
}

/* A series of turning slip that reaches a small part of its step: what its coefficients are beside
 * each other is said over the part that is used (0.4 % off without rescale) */
static void test_short_reach_of_turning_slip(void) {
  state s = {
      .nc = 2, .dim = 3, .v = {-0.27, -0.067, 0.16, -0.085, -0.097, -0.84}, .q = {.mu = {1, 0.6}}};
  row_of_bodies(&s, (double[]){0, 0.817, 0.523});
  judge(&s);
}

/* A stack of boxes, one corner strikes: contacts at rest are pressed one after the other, and one
 * that was pressed is lifted by what is decided after it. Rounding of its velocity changes nothing
 * (limit without open_lifted). */
static void test_lifted_by_those_pressed_later(void) {
  state s = {
      .nc = 4,
      .dim = 2,
      .W = {1.60287,   -1.20215, -0.398564, 1.08948,   0,         0,        0,         0,
            -1.20215,  3.39713,  -1.20048,  -3.17007,  0,         0,        0,         0,
            -0.398564, -1.20048, 3.20021,   -0.114477, -0.399893, 1.09287,  -0.399893, -1.30755,
            1.08948,   -3.17007, -0.114477, 6.3643,    -1.20004,  -3.18508, -1.20004,  1.6147,
            0,         0,        -0.399893, -1.20004,  3.2,       -0.10741, 3.2,       -0.10741,
            0,         0,        1.09287,   -3.18508,  -0.10741,  6.38959,  -0.10741,  -2.78077,
            0,         0,        -0.399893, -1.20004,  3.2,       -0.10741, 3.2,       -0.10741,
            0,         0,        -1.30755,  1.6147,    -0.10741,  -2.78077, -0.10741,  7.24887},
      .v = {0, 0, 0, 0, -1.1221, 0, -1.1221, -0.65989},
      .q = {.mu = {0.889, 0.889, 0.889, 0.889}, .e = {0.157, 0.157, 0.157, 0.157}}};
  judge(&s);
  double p[8];
  memcpy(p, run_spec(&s.q, 4, 2, s.W, s.v, NULL, -1)->p, sizeof p);
  s.v[2] = -1.7347e-14, s.v[3] = -3.4694e-14;
  const course *c = run_spec(&s.q, 4, 2, s.W, s.v, NULL, -1);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c->r.status, c->err.text);
  for (int r = 0; r < 8; r++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, p[r], c->p[r]);
}

/* ---- holding ---- */

/* Contact 2 would press itself in while it slides, W_nn < mu W_nt (Painleve): no force can hold it
 * (limit without cannot_hold). */
static void test_no_force_can_hold_it(void) {
  state s = {.nc = 2,
             .dim = 2,
             .W = {3, 1, -0.4, 1, 1, 3, -2, 3, -0.4, -2, 4, -2, 1, 3, -2, 3},
             .v = {-0.8, -0.7, -0.3, -0.6},
             .q = {.mu = {1, 2}, .e = {1, 0}}};
  judge(&s);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_rounding_of_large_impulses);
  RUN_TEST(test_velocities_follow_from_impulses);
  RUN_TEST(test_pressed_by_rounding_is_open);
  RUN_TEST(test_rounding_of_a_series_decides_nothing);
  RUN_TEST(test_pressed_from_rest_slides_where_it_is_pushed);
  RUN_TEST(test_pressed_from_rest_in_space);
  RUN_TEST(test_margin_from_rest_starts_later);
  RUN_TEST(test_margin_from_rest_with_rounding);
  RUN_TEST(test_slip_speed_from_rest);
  RUN_TEST(test_stack_at_rest_is_struck);
  RUN_TEST(test_corners_at_rest_are_struck);
  RUN_TEST(test_sliding_corners_come_to_rest);
  RUN_TEST(test_slow_growth_is_no_root);
  RUN_TEST(test_margin_that_grows_from_the_start);
  RUN_TEST(test_stick_breaks_before_the_opening);
  RUN_TEST(test_stick_breaks_at_the_opening);
  RUN_TEST(test_nothing_is_left_by_its_own_pace);
  RUN_TEST(test_squares_lose_the_end_of_stick);
  RUN_TEST(test_gap_that_stays_at_zero);
  RUN_TEST(test_short_reach_of_turning_slip);
  RUN_TEST(test_lifted_by_those_pressed_later);
  RUN_TEST(test_no_force_can_hold_it);
  return UNITY_END();
}
