/* In a run only contacts that touch, or close while another one is loaded, take part in an impact.
 *
 * A rod that meets the floor with one end at a time is the same run under every law without
 * friction; the independent simulation here knows the rod in closed form,
 *
 *   y = y0 + v t - g t^2/2,  angle = angle0 + w t,  gap_c = y + s_c sin(angle)
 *
 * and walks to the next gap by steps that cannot pass a root: |gap''| <= g + |s| w^2. */
#include "sim_help.h"
#include "sim_rods.h"

void setUp(void) {
}
void tearDown(void) {
}

/* ---- the independent simulation ---- */

typedef struct bounce {
  double t, impulse;
  int contact;
} bounce;

typedef struct rod_state {
  double m, L, e, t, y, v, angle, w;
} rod_state;

static const double gravity = 9.81;

static double end_gap(const rod_state *r, int c, double *rate) {
  double s = (c ? 0.5 : -0.5) * r->L;
  *rate = r->v + s * r->w * cos(r->angle);
  return r->y + s * sin(r->angle);
}

static void fly(rod_state *r, double dt) {
  r->y += r->v * dt - gravity * dt * dt / 2;
  r->v -= gravity * dt;
  r->angle += r->w * dt;
  r->t += dt;
}

/* the largest step after which no gap can have passed zero */
static double safe_step(const rod_state *r, int *first) {
  double bound = gravity + r->L / 2 * r->w * r->w, least = INFINITY;
  for (int c = 0; c < 2; c++) {
    double rate, gap = fmax(0, end_gap(r, c, &rate));
    double dt = (rate + sqrt(rate * rate + 2 * bound * gap)) / bound;
    if (dt < least) least = dt, *first = c;
  }
  return least;
}

static double strike(rod_state *r, int c) {
  double s = (c ? 0.5 : -0.5) * r->L, arm = s * cos(r->angle), I = r->m * r->L * r->L / 12, rate;
  end_gap(r, c, &rate);
  double p = -(1 + r->e) * rate / (1 / r->m + arm * arm / I);
  r->v += p / r->m;
  r->w += arm * p / I;
  return p;
}

static int simulate(rod_state r, double t_end, int most, bounce *list) {
  int n = 0, c = 0;
  while (n < most) {
    double dt = safe_step(&r, &c);
    if (dt < 1e-13) { /* at the floor */
      list[n] = (bounce){r.t, 0, c};
      list[n++].impulse = strike(&r, c);
      continue;
    }
    if (r.t + dt > t_end) break;
    fly(&r, dt);
  }
  return n;
}

/* ---- the comparison ---- */

enum { MOST = 5 };

static model *make_rod(const stored_rod *r) {
  return MAKE("rod", ONE("mass", r->mass), ONE("length", r->length), ONE("part", 1),
              {"position", 2, {0, r->length}, 0}, ONE("angle", r->angle),
              {"velocity", 2, {0, r->v_y}, 0}, ONE("spin", r->spin), ONE("floor", 0));
}

/* an impact of the run against one of the list; both ends are in it, one has an impulse */
static void compare(const sim_run *r, const sim_event *e, const bounce *b) {
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, b->t, e->t);
  TEST_ASSERT_EQUAL_INT(b->contact, e->contact);
  TEST_ASSERT_EQUAL_UINT(0, e->flags & IMPACT_CLOSED_GAP);
  for (int i = 0; i < e->n; i++) {
    double wanted = r->integers[e->ids + (size_t)i] == b->contact ? b->impulse : 0;
    TEST_ASSERT_DOUBLE_WITHIN(1e-8 * b->impulse, wanted,
                              r->numbers[e->impulse + 2 * (size_t)i + 1]);
  }
}

static void check_rod(const stored_rod *from, law *l) {
  bounce list[MOST];
  rod_state start = {from->mass,   from->length, from->e,     0,
                     from->length, from->v_y,    from->angle, from->spin};
  int n = simulate(start, 1.5, MOST, list);
  sim_options o = until(1.5, 1e-12);
  o.max_events = MOST;
  sim_run *r = go(make_rod(from), l, o);
  TEST_ASSERT_EQUAL_INT(n, r->impacts);
  for (int i = 0; i < n; i++) compare(r, need(r, SIM_IMPACT, i), &list[i]);
  done(r);
}

enum { RODS = sizeof stored_rods / sizeof *stored_rods };

static void rods_by_sequential(void) {
  for (int i = 0; i < RODS; i++) {
    law *single = law_e_mu("stronge", stored_rods[i].e, 0);
    check_rod(&stored_rods[i], sequential(single, i % 2 ? -1 : 0));
    if (i % 10 == 0) check_rod(&stored_rods[i], sequential(single, 0.01)); /* a run has its own */
    law_free(single);
  }
}

static void rods_by_compliant(void) {
  for (int i = 0; i < RODS; i++) {
    check_rod(&stored_rods[i], LAW("compliant", ONE("e", stored_rods[i].e)));
    if (i % 4 == 0)
      check_rod(&stored_rods[i], LAW("compliant", ONE("e", stored_rods[i].e), ONE("window", 0)));
  }
}

/* the other end is 40 mm above the floor and got an impulse */
static void rod_with_an_end_40_mm_above_the_floor(void) {
  stored_rod rod = {1, 1, 0.04, -2, 0, 0.5};
  law *single = law_e_mu("stronge", 0.5, 0);
  law *laws[] = {sequential(single, -1), LAW("compliant", ONE("e", 0.5))};
  for (int i = 0; i < 2; i++) {
    model *m = make_rod(&rod);
    m->q[1] = 0.3;
    sim_run *r = go(m, laws[i], until(0.3, 1e-12));
    const sim_event *e = need(r, SIM_IMPACT, 0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.110213, e->t);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 1.157, r->numbers[e->impulse + 1]);
    TEST_ASSERT_EQUAL_DOUBLE(0, r->numbers[e->impulse + 3]);
    e = need(r, SIM_IMPACT, 1);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.117581, e->t);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 2.049, r->numbers[e->impulse + 3]);
    done(r);
  }
  law_free(single);
}

/* what closes while another one is loaded takes part, and the event says so */
static void a_gap_that_closes_under_load_is_told(void) {
  law *l = LAW("compliant", ONE("e", 0.5), ONE("k", 1e6));
  model *m = MAKE("rod", ONE("part", 1), ONE("length", 1), {"gaps", 2, {0, 1e-4}, 0},
                  {"velocity", 2, {0, -2}, 0});
  sim_run *r = go(m, l, until(1e-3, 1e-12));
  const sim_event *e = need(r, SIM_IMPACT, 0);
  TEST_ASSERT_EQUAL_INT(2, e->n);
  TEST_ASSERT_TRUE(r->numbers[e->impulse + 3] > 0.1);
  TEST_ASSERT_EQUAL_UINT(IMPACT_CLOSED_GAP, e->flags & IMPACT_CLOSED_GAP);
  done(r);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(rod_with_an_end_40_mm_above_the_floor);
  RUN_TEST(a_gap_that_closes_under_load_is_told);
  RUN_TEST(rods_by_sequential);
  RUN_TEST(rods_by_compliant);
  return UNITY_END();
}
