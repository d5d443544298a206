/* Rows of balls, whose W is a band: laws that work on the band alone (impact_span) give what they
 * give for the same balls with their contacts in any order, where nothing of a band is left, and
 * where v+ = v- + W p and the ledger are taken in long double.
 */
#include "impact/laws/lzb/state.h"
#include "law_help.h"

enum { MOST = 48 };

typedef struct row {
  int n;
  double W[MOST * MOST], v[MOST], gap[MOST], p[MOST], after[MOST];
  double k[MOST], e[MOST];
  int at[MOST]; /* where contact i of the row stands */
  impact_result r;
} row;

/* contact i stands at place (i step) mod n */
static row make_row(int n, int step, const double *mass, const double *u) {
  row s = {.n = n};
  for (int i = 0; i < n; i++) s.at[i] = i * step % n;
  for (int i = 0; i < n; i++) {
    int c = s.at[i];
    s.v[c] = u[i + 1] - u[i];
    s.W[c * n + c] = 1 / mass[i] + 1 / mass[i + 1];
    if (i) s.W[c * n + s.at[i - 1]] = s.W[s.at[i - 1] * n + c] = -1 / mass[i];
  }
  return s;
}

/* keys with lists, as far as the law has them */
static law *law_of(const char *name, const row *s, double exponent) {
  const double window = INFINITY; /* flights belong to the impact, as in law.lzb */
  law *l = law_from(name, NULL);
  const struct {
    const char *key;
    int n;
    const double *x;
  } given[] = {{"k", s->n, s->k},
               {"stiffness", s->n, s->k},
               {"e", s->n, s->e},
               {"exponent", 1, &exponent},
               {"window", 1, &window}};
  for (int i = 0; i < 5; i++) {
    const core_param *key = core_schema_find(&l->type->schema, given[i].key);
    if (key) core_param_set(&l->type->schema, key, l->params, given[i].n, given[i].x, NULL);
  }
  return l;
}

/* "lzb_plain" is law.lzb without what is there for speed only */
static void solve(const char *name, double exponent, row *s) {
  core_scratch scratch;
  core_error err = {0};
  impact_problem pr = {.nc = s->n, .dim = 1, .rows = s->n, .W = s->W, .v = s->v, .gap = s->gap};
  int plain = !strcmp(name, "lzb_plain");
  law *l = law_of(plain ? "lzb" : name, s, exponent);
  law_type type = *l->type;
  if (plain) type.solve = lzb_solve_plain, l->type = &type;
  core_scratch_init(&scratch);
  s->r.p = s->p, s->r.v = s->after;
  law_solve(l, &pr, &scratch, NULL, &s->r, &err);
  core_scratch_free(&scratch);
  l->type = law_find(plain ? "lzb" : name);
  law_free(l);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, s->r.status, err.text);
}

/* v+ = v- + W p, T- - T+ = what the law says, nothing pulls */
static void check(const row *s, double tol) {
  long double work = 0, size = 0;
  for (int i = 0; i < s->n; i++) {
    long double v = s->v[i], terms = fabs(s->v[i]);
    for (int j = 0; j < s->n; j++) {
      long double term = (long double)s->W[j * s->n + i] * s->p[j];
      v += term, terms += fabsl(term);
    }
    TEST_ASSERT_TRUE(s->p[i] >= 0);
    TEST_ASSERT_TRUE(fabsl(v - s->after[i]) <= 1e-14L * terms);
    work -= s->p[i] * (s->v[i] + v) / 2;
    size += s->p[i] * terms;
  }
  long double told = s->r.lost_restitution + s->r.lost_friction + s->r.stored;
  TEST_ASSERT_TRUE(fabsl(work - told) <= tol * size);
}

static void compare(const row *a, const row *b, double tol) {
  for (int i = 0; i < a->n; i++) {
    TEST_ASSERT_DOUBLE_WITHIN(tol, a->p[a->at[i]], b->p[b->at[i]]);
    TEST_ASSERT_DOUBLE_WITHIN(tol, a->after[a->at[i]], b->after[b->at[i]]);
  }
}

typedef struct way {
  const char *name;
  double exponent, e, tol;
  int gaps; /* some contacts are open and may close */
  int most; /* contacts: with e < 1 long rows bounce so often that rounding becomes 1e-6 */
} way;

/* balls of masses and springs 7 to 1 apart; one comes in, or all move */
static void give_numbers(int n, int all_move, uint64_t *seed, double *mass, double *u, row *s) {
  for (int i = 0; i <= n; i++) {
    mass[i] = exp(between(seed, -1, 1));
    u[i] = all_move ? between(seed, -1, 1) : i == 0;
  }
  for (int i = 0; i < n; i++) {
    s->k[i] = exp(between(seed, -1, 1));
    s->e[i] = fair(seed);
    s->gap[i] = fair(seed) < 0.2 ? fair(seed) : 0;
  }
}

static void copy_numbers(const row *s, const way *w, row *to) {
  for (int i = 0; i < s->n; i++) {
    to->k[to->at[i]] = s->k[i];
    to->e[to->at[i]] = w->e > 0 ? w->e + (1 - w->e) * s->e[i] : 0;
    to->gap[to->at[i]] = w->gaps && i ? s->gap[i] : 0;
  }
}

static void try_way(const way *w, int n, int all_move, uint64_t *seed) {
  double mass[MOST + 1], u[MOST + 1];
  row given = {.n = n};
  give_numbers(n, all_move, seed, mass, u, &given);
  row straight = make_row(n, 1, mass, u), mixed = make_row(n, 19, mass, u);
  copy_numbers(&given, w, &straight);
  copy_numbers(&given, w, &mixed);
  solve(w->name, w->exponent, &straight);
  solve(w->name, w->exponent, &mixed);
  check(&straight, 1e-12);
  check(&mixed, 1e-12);
  compare(&straight, &mixed, w->tol);
}

static void test_order_of_contacts_does_not_matter(void) {
  const way ways[] = {{"vibration", 1, 1, 1e-9, 0, 40},   {"vibration", 1, 1, 1e-9, 1, 40},
                      {"compliant", 1, 1, 1e-9, 0, 40},   {"compliant", 1, 0.5, 1e-9, 0, 40},
                      {"compliant", 1, 0.9, 1e-9, 1, 40}, {"newton", 1, 0, 1e-13, 0, 40},
                      {"newton", 1, 0.5, 1e-12, 0, 40},   {"plastic", 1, 0, 1e-13, 0, 40},
                      {"lzb", 1, 1, 1e-9, 0, 40},         {"lzb", 1, 0.5, 1e-9, 0, 12},
                      {"lzb", 1.5, 1, 1e-9, 0, 40},       {"lzb", 1.5, 0.7, 1e-9, 0, 12},
                      {"lzb", 2, 0.9, 1e-9, 0, 12},       {"lzb", 1.3, 1, 1e-9, 0, 40}};
  uint64_t seed = 11;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    for (int turn = 0; turn < 8; turn++)
      try_way(&ways[i], turn % 4 ? 12 : ways[i].most, turn % 2, &seed);
}

/* law.vibration and law.compliant share no code, and each promises 1e-10; e = 1, mu = 0 is one law
 */
static void test_vibration_is_compliant(void) {
  uint64_t seed = 5;
  for (int turn = 0; turn < 8; turn++) {
    double mass[MOST + 1], u[MOST + 1];
    const way w = {"", 1, 1, 0, turn % 2, 0};
    row given = {.n = 40};
    give_numbers(given.n, 0, &seed, mass, u, &given);
    row a = make_row(given.n, 1, mass, u), b = a;
    copy_numbers(&given, &w, &a);
    copy_numbers(&given, &w, &b);
    solve("vibration", 1, &a);
    solve("compliant", 1, &b);
    compare(&a, &b, 1e-9);
  }
}

/* Three bodies that fall on two points each, whose rows are a and b of the same velocity: W is a
 * band, and its pivots b^2 - (ab)^2/a^2 are no zeros but rounding. */
static void test_points_that_depend_in_a_band_are_said_to(void) {
  const double a = 0.1, b = 0.7;
  row s = {.n = 6};
  for (int i = 0; i < 6; i++) {
    double J = i % 2 ? b : a;
    s.W[i * 6 + i] = J * J, s.v[i] = -J, s.k[i] = s.e[i] = 1;
    s.W[i * 6 + (i ^ 1)] = a * b;
  }
  double left = b * b - (a * b / sqrt(a * a)) * (a * b / sqrt(a * a));
  TEST_ASSERT_TRUE(left > 0 && left < 1e-15);
  solve("vibration", 1, &s);
  TEST_ASSERT_EQUAL_UINT(IMPACT_REDUNDANT, s.r.flags);
}

/* Far balls of these rows begin by orders on the verge of rounding, of which settle and the series
 * of the phase may take another one for the first: with that against the side just chosen the phase
 * ended where it began, without end. */
static void test_far_balls_begin_once(void) {
  const double masses[2][16] = {
      {0.5, 0.4, 2.3, 0.6, 1.6, 2.3, 1.5, 2.6, 2.3, 2.0, 0.4, 0.4, 1.3, 0.5},
      {1.0, 0.4, 2.3, 1.3, 0.7, 2.5, 0.6, 0.4, 1.9, 2.5, 0.4, 0.4, 0.7, 0.4, 1.2, 0.4}};
  const double u[17] = {1};
  for (int k = 0; k < 2; k++) {
    row a = make_row(k ? 15 : 13, 1, masses[k], u);
    for (int i = 0; i < a.n; i++) a.k[i] = 1e8, a.e[i] = 1;
    row b = a;
    solve("vibration", 1, &a);
    solve("compliant", 1, &b);
    compare(&a, &b, 1e-11);
    check(&a, 1e-12);
  }
}

/* n = 1 and e = 1 are springs; and with all contacts looked at in every step nothing else comes */
static void test_lzb_is_compliant_and_plain(void) {
  uint64_t seed = 8;
  for (int turn = 0; turn < 6; turn++) {
    double mass[MOST + 1], u[MOST + 1];
    const way w = {"", 1, 1, 0, 0, 0};
    row given = {.n = 20};
    give_numbers(given.n, 0, &seed, mass, u, &given);
    row a = make_row(given.n, 1, mass, u);
    copy_numbers(&given, &w, &a);
    row b = a, c = a, d = a;
    solve("lzb", 1, &a);
    solve("compliant", 1, &b);
    compare(&a, &b, 1e-9);
    solve("lzb", 1.5, &c);
    solve("lzb_plain", 1.5, &d);
    compare(&c, &d, 1e-9);
    check(&c, 1e-12);
  }
}

/* ---- springs in time ---- */

enum { BALLS = 7 };

/* rates of places x and speeds u, F = k (x_i - x_i+1)^1.5 where they overlap */
static void rates(const double *mass, const double *k, const double *y, double *dy) {
  for (int i = 0; i < BALLS; i++) dy[i] = y[BALLS + i], dy[BALLS + i] = 0;
  for (int i = 0; i + 1 < BALLS; i++) {
    double deep = fmax(y[i] - y[i + 1], 0), force = k[i] * deep * sqrt(deep);
    dy[BALLS + i] -= force / mass[i];
    dy[BALLS + i + 1] += force / mass[i + 1];
  }
}

/* Runge and Kutta, from balls that touch: speeds of contacts after t */
static void springs_in_time(const double *mass, const double *k, const double *u, double t,
                            double *after) {
  enum { STEPS = 400000 };
  static const double part[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
  double y[2 * BALLS] = {0}, h = t / STEPS;
  memcpy(y + BALLS, u, BALLS * sizeof *u);
  for (int n = 0; n < STEPS; n++) {
    double d[2 * BALLS] = {0}, sum[2 * BALLS] = {0}, at[2 * BALLS];
    for (int stage = 0; stage < 4; stage++) {
      for (int i = 0; i < 2 * BALLS; i++) at[i] = y[i] + h * part[stage] * d[i];
      rates(mass, k, at, d);
      for (int i = 0; i < 2 * BALLS; i++) sum[i] += weight[stage] * d[i];
    }
    for (int i = 0; i < 2 * BALLS; i++) y[i] += h / 6 * sum[i];
  }
  for (int i = 0; i + 1 < BALLS; i++) after[i] = y[BALLS + i + 1] - y[BALLS + i];
}

/* A flight ends in a step that runs by the root of another contact, which opens in it: behind that
 * time turns back, and the flight must not be measured by it (v is off by 1e-6, and with other
 * numbers by more). */
static void test_flights_are_seen_in_steps_that_turn_back(void) {
  const double mass[BALLS] = {1.3, 1.6, 1.1, 2.1, 1.9, 2, 1.3}, k[] = {5, 3, 1, 1, 3, 15},
               u[BALLS] = {1};
  double wanted[BALLS];
  row s = make_row(6, 1, mass, u);
  for (int i = 0; i < 6; i++) s.k[i] = k[i], s.e[i] = 1;
  solve("lzb", 1.5, &s);
  check(&s, 1e-13);
  springs_in_time(mass, k, u, 100, wanted);
  for (int i = 0; i < 6; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-9, wanted[i], s.after[i]);
}

/* Where a wave has been half the balls rest on each other with deflections of rounding. They sleep,
 * all their forces with them: where these decided who expands, and no step followed them, events
 * had no end (n = 1.3). */
static void test_what_rests_behind_a_wave_sleeps(void) {
  enum { n = 249 };
  static double W[n * n], v[n], p[n], after[n];
  for (int i = 0; i < n; i++) {
    W[i * n + i] = 2, v[i] = -(i == 0);
    if (i) W[i * n + i - 1] = W[(i - 1) * n + i] = -1;
  }
  for (int k = 0; k < 2; k++) {
    law *l = law_from("lzb", "exponent", k ? 1.5 : 1.3, "max_events", 1000., NULL);
    impact_problem pr = {.nc = n, .dim = 1, .rows = n, .W = W, .v = v};
    impact_result r = {.p = p, .v = after};
    core_scratch s;
    core_scratch_init(&s);
    TEST_ASSERT_EQUAL_INT(CORE_OK, law_solve(l, &pr, &s, NULL, &r, NULL));
    TEST_ASSERT_FALSE(r.flags & IMPACT_OPEN_LEDGER);
    core_scratch_free(&s);
    law_free(l);
  }
}

/* ---- rows of plane bodies with friction ---- */

enum { PLANAR = 10, ROWS = 2 * PLANAR };

/* rows (t, n) of contact c at place `at`, between bodies c and c + 1 of three velocities each: it
 * lies `off` beside the line of their centres, which are 1 apart */
static void planar_rows(int c, int at, double off, double J[ROWS][3 * (PLANAR + 1)]) {
  const double rows[2][6] = {{0, -1, -0.5, 0, 1, -0.5}, {-1, 0, off, 1, 0, -off}};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 6; i++) J[2 * at + k][3 * c + i] = rows[k][i];
}

/* W = J M^-1 J^T and v of a row whose contact i stands at place (i step) mod PLANAR */
static void planar_problem(int step, const double *mass, const double *off, const double *u,
                           double *W, double *v) {
  double J[ROWS][3 * (PLANAR + 1)] = {{0}};
  for (int c = 0; c < PLANAR; c++) planar_rows(c, c * step % PLANAR, off[c], J);
  for (int i = 0; i < ROWS; i++) {
    v[i] = 0;
    for (int k = 0; k < 3 * (PLANAR + 1); k++) v[i] += J[i][k] * u[k];
    for (int j = 0; j < ROWS; j++) {
      W[j * ROWS + i] = 0;
      for (int k = 0; k < 3 * (PLANAR + 1); k++)
        W[j * ROWS + i] += J[i][k] * J[j][k] / (mass[k / 3] * (k % 3 == 2 ? 0.1 : 1));
    }
  }
}

static void solve_planar(const double *W, const double *v, double mu, int plain, double *p) {
  double after[ROWS];
  law *l = law_from("lzb", "mu", mu, "e", 0.9, NULL);
  law_type type = *l->type;
  impact_problem pr = {.nc = PLANAR, .dim = 2, .rows = ROWS, .W = W, .v = v};
  impact_result r = {.p = p, .v = after};
  core_scratch s;
  core_scratch_init(&s);
  if (plain) type.solve = lzb_solve_plain, l->type = &type;
  TEST_ASSERT_EQUAL_INT(CORE_OK, law_solve(l, &pr, &s, NULL, &r, NULL));
  TEST_ASSERT_FALSE(r.flags & IMPACT_OPEN_LEDGER);
  l->type = law_find("lzb");
  core_scratch_free(&s);
  law_free(l);
}

/* friction that slides and sticks, of bodies that turn: by W in order, in any order, and by plain
 * steps */
static void test_planar_rows_with_friction(void) {
  uint64_t seed = 21;
  for (int turn = 0; turn < 12; turn++) {
    double mass[PLANAR + 1], off[PLANAR], u[3 * (PLANAR + 1)] = {1, 0.3, 0.2};
    double W[ROWS * ROWS], v[ROWS], p[3][ROWS], mu = turn % 3 ? 0.3 * (turn % 3) : 0.05;
    for (int i = 0; i <= PLANAR; i++) mass[i] = exp(between(&seed, -1, 1));
    for (int i = 0; i < PLANAR; i++) off[i] = between(&seed, -0.1, 0.1);
    if (turn % 2) u[4] = between(&seed, -1, 1), u[5] = between(&seed, -1, 1);
    planar_problem(1, mass, off, u, W, v);
    solve_planar(W, v, mu, 0, p[0]);
    solve_planar(W, v, mu, 1, p[1]);
    planar_problem(3, mass, off, u, W, v);
    solve_planar(W, v, mu, 0, p[2]);
    for (int i = 0; i < ROWS; i++) {
      TEST_ASSERT_DOUBLE_WITHIN(1e-9, p[0][i], p[1][i]);
      TEST_ASSERT_DOUBLE_WITHIN(1e-9, p[0][i], p[2][2 * (i / 2 * 3 % PLANAR) + i % 2]);
    }
  }
}

/* what makes an answer of a plastic collision the answer: p >= 0, v+ >= 0, p v+ = 0 */
static void test_plastic_rows_are_complementary(void) {
  uint64_t seed = 3;
  for (int turn = 0; turn < 20; turn++) {
    double mass[MOST + 1], u[MOST + 1];
    row given = {.n = 47};
    give_numbers(given.n, 1, &seed, mass, u, &given);
    row s = make_row(given.n, 1, mass, u);
    solve("plastic", 1, &s);
    check(&s, 1e-12);
    for (int i = 0; i < s.n; i++) {
      TEST_ASSERT_TRUE(s.after[i] >= -1e-13);
      TEST_ASSERT_TRUE(s.p[i] == 0 || fabs(s.after[i]) <= 1e-13);
    }
  }
}

void setUp(void) {
}
void tearDown(void) {
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_order_of_contacts_does_not_matter);
  RUN_TEST(test_vibration_is_compliant);
  RUN_TEST(test_far_balls_begin_once);
  RUN_TEST(test_lzb_is_compliant_and_plain);
  RUN_TEST(test_flights_are_seen_in_steps_that_turn_back);
  RUN_TEST(test_what_rests_behind_a_wave_sleeps);
  RUN_TEST(test_planar_rows_with_friction);
  RUN_TEST(test_points_that_depend_in_a_band_are_said_to);
  RUN_TEST(test_plastic_rows_are_complementary);
  return UNITY_END();
}
