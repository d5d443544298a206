/* What must hold of moreau and glocker: limits in other laws, symmetries, energy, tangential
 * restitution. test_modes_laws [cases] */
#include "modes_help.h"
#include "modes_stacks.h"

static int cases = 4000;

static void without_restitution_energy_never_rises_and_glocker_is_moreau(void) {
  uint64_t seed = 13;
  for (int i = 0; i < cases; i++) {
    problem q = random_body(&seed, 1 + i % 3, 4, between(&seed, 0, 0.4));
    answer a = solve("moreau", &q, 0), g = solve("glocker", &q, 0);
    if (a.status || g.status) continue;
    TEST_ASSERT_TRUE(a.lost >= -1e-11);
    TEST_ASSERT_FALSE(a.flags & IMPACT_GAINS_ENERGY);
    TEST_ASSERT_TRUE(apart(q.rows, a.v, g.v) < 1e-9);
  }
}

static void without_friction_and_restitution_it_is_the_plastic_law(void) {
  uint64_t seed = 14;
  for (int i = 0; i < cases / 4; i++) {
    problem q = random_body(&seed, 1 + i % 3, MOST, 0);
    answer a = solve("moreau", &q, 0), b = solve("plastic", &q, 0);
    TEST_ASSERT_EQUAL_INT(b.status, a.status);
    int all = 1; /* law.plastic lets those collide that approach, again and again */
    for (int c = 0; c < q.nc; c++) all &= q.v[c * q.dim + q.dim - 1] < 0;
    TEST_ASSERT_TRUE(!all || a.status || apart(q.rows, a.v, b.v) < 1e-9);
  }
}

/* slip that neither stops nor turns: the path is straight, and its two ends say all */
static void one_contact_that_slides_through_agrees_with_the_path_laws(void) {
  uint64_t seed = 15;
  int compared = 0;
  for (int i = 0; i < cases; i++) {
    problem q = random_body(&seed, 2, 1, between(&seed, 0, 0.5));
    if (q.nc > 1) continue;
    answer n = solve("newton", &q, q.e), m = solve("moreau", &q, q.e);
    answer o = solve("poisson", &q, q.e), g = solve("glocker", &q, q.e);
    if (n.status || n.flags & IMPACT_STUCK || n.v[0] * q.v[0] <= 0) continue;
    if (o.status || o.flags & IMPACT_STUCK || o.v[0] * q.v[0] <= 0) continue;
    compared++;
    TEST_ASSERT_TRUE(apart(2, n.v, m.v) < 1e-10 && apart(2, o.v, g.v) < 1e-10);
  }
  TEST_ASSERT_TRUE(compared > cases / 10);
}

/* contacts in another order, other units, tangents turned: the same answer */
static void symmetries_change_nothing(void) {
  uint64_t seed = 16;
  for (int i = 0; i < cases / 4; i++) {
    problem q = random_body(&seed, 3, 3, between(&seed, 0, 0.2)), r = q, t = q;
    answer a = solve("moreau", &q, 0.5);
    if (a.status) continue;
    int n = q.rows, to[ROWS];
    for (int k = 0; k < n; k++) to[k] = (q.nc - 1 - k / 3) * 3 + k % 3;
    for (int k = 0; k < n; k++) {
      r.v[to[k]] = 1e6 * q.v[k];
      for (int j = 0; j < n; j++) r.W[to[j] * n + to[k]] = 1e-9 * q.W[j * n + k];
    }
    answer b = solve("moreau", &r, 0.5);
    TEST_ASSERT_EQUAL_INT(CORE_OK, b.status);
    for (int k = 0; k < n; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-8, a.v[k], 1e-6 * b.v[to[k]]);
    for (int k = 0; k < n; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-6, a.p[k], 1e-15 * b.p[to[k]]);
    double C = cos(0.7), S = sin(0.7), T[ROWS * ROWS] = {0}, X[ROWS * ROWS];
    for (int c = 0; c < q.nc; c++) {
      int k = 3 * c;
      T[k * n + k] = C, T[(k + 1) * n + k] = -S, T[k * n + k + 1] = S, T[(k + 1) * n + k + 1] = C;
      T[(k + 2) * n + k + 2] = 1;
    }
    for (int x = 0; x < n; x++) { /* W' = T W T^T, v' = T v */
      t.v[x] = 0;
      for (int j = 0; j < n; j++) {
        t.v[x] += T[j * n + x] * q.v[j];
        X[j * n + x] = 0;
        for (int k = 0; k < n; k++) X[j * n + x] += T[k * n + x] * q.W[j * n + k];
      }
    }
    for (int x = 0; x < n; x++)
      for (int j = 0; j < n; j++) {
        t.W[j * n + x] = 0;
        for (int k = 0; k < n; k++) t.W[j * n + x] += X[k * n + x] * T[k * n + j];
      }
    for (int x = 0; x < n; x++)
      for (int j = 0; j < x; j++) t.W[j * n + x] = t.W[x * n + j];
    answer d = solve("moreau", &t, 0.5);
    TEST_ASSERT_EQUAL_INT(CORE_OK, d.status);
    for (int c = 0; c < q.nc; c++) TEST_ASSERT_DOUBLE_WITHIN(1e-8, a.v[3 * c + 2], d.v[3 * c + 2]);
  }
}

/* both feet of a box cannot stick where their rows contradict each other in the last digits: one of
 * them creeps, and that answer is found */
static void glocker_solves_stacks_whose_feet_differ_in_the_last_digits(void) {
  for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
    law *l = law_from("glocker", "mu", stacks[i].mu, "e", stacks[i].e, NULL);
    double p[ROWS], v[ROWS];
    impact_problem pr = {.nc = stacks[i].nc, .dim = 2, .rows = stacks[i].rows};
    pr.W = stacks[i].W, pr.v = stacks[i].v;
    impact_result r = {.p = p, .v = v};
    core_scratch s;
    core_scratch_init(&s);
    TEST_ASSERT_EQUAL_INT(CORE_OK, law_solve(l, &pr, &s, NULL, &r, NULL));
    double fast = 0;
    for (int k = 0; k < pr.rows; k++) fast = fmax(fast, fabs(pr.v[k]));
    for (int c = 0; c < pr.nc; c++) {
      TEST_ASSERT_TRUE(v[2 * c + 1] >= -1e-12 * fast);
      TEST_ASSERT_TRUE(fabs(p[2 * c]) <= stacks[i].mu * p[2 * c + 1] * (1 + 1e-11) + 1e-18);
    }
    core_scratch_free(&s);
    law_free(l);
  }
}

/* a hoop that grips: with e = e_t = 1 all of its spin comes back; with e_t = 0 none */
static void glocker_returns_the_friction_it_stored(void) {
  for (int e_t = 0; e_t < 2; e_t++) {
    law *l = law_from("glocker", "mu", 5.0, "e", 1.0, "e_t", (double)e_t, NULL);
    double W[4] = {2, 0, 0, 1}, v[2] = {0.7, -1};
    hit h = solve_with(l, 1, 2, W, v, NULL, -1);
    TEST_ASSERT_EQUAL_INT(CORE_OK, h.r.status);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, e_t ? -0.7 : 0, h.v[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1, h.v[1]);
    law_free(l);
  }
}

/* the case of the help: slip that turns makes 0.098 J */
static void moreau_says_when_it_creates_energy(void) {
  law *l = law_from("moreau", "mu", 0.3, "e", 1.0, NULL);
  double W[4] = {1, 0.6, 0.6, 1}, v[2] = {-0.5, -1};
  hit h = solve_with(l, 1, 2, W, v, NULL, -1);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 2 / 0.82, h.p[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, -0.5 + 0.3 * 2 / 0.82, h.v[0]);
  TEST_ASSERT_TRUE(h.r.flags & IMPACT_GAINS_ENERGY);
  law_free(l);
}

void setUp(void) {
}

void tearDown(void) {
}

int main(int argc, char **argv) {
  if (argc > 1) cases = atoi(argv[1]);
  UNITY_BEGIN();
  RUN_TEST(without_restitution_energy_never_rises_and_glocker_is_moreau);
  RUN_TEST(without_friction_and_restitution_it_is_the_plastic_law);
  RUN_TEST(one_contact_that_slides_through_agrees_with_the_path_laws);
  RUN_TEST(symmetries_change_nothing);
  RUN_TEST(glocker_solves_stacks_whose_feet_differ_in_the_last_digits);
  RUN_TEST(glocker_returns_the_friction_it_stored);
  RUN_TEST(moreau_says_when_it_creates_energy);
  return UNITY_END();
}
