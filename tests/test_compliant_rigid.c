/* law.compliant with tiny eta: the limit of rigid tangents where that is the answer to what is
 * promised, and only there (laws/compliant/fast/rigid.c); stiff slip on the way to it. */
#include "compliant_scene.h"

void setUp(void) {
}
void tearDown(void) {
}

static long most_steps;

/* every spring followed, however stiff it is */
static core_status follow(const law *l, const impact_problem *pr, core_scratch *s,
                          impact_sink *sink, impact_result *r, core_error *err) {
  return compliant_solve_by(l, pr, s, sink, r, err,
                            (compliant_way){.fast = 1, .most_steps = most_steps});
}

static const course *springs(const scene *s) {
  law *l = compliant_law(&s->q);
  const law_type *as_it_was = l->type;
  law_type type = *as_it_was;
  type.solve = follow;
  l->type = &type;
  const course *c = keep(run_law(l, s->nc, s->dim, s->W, s->v, s->gap, -1));
  l->type = as_it_was;
  law_free(l);
  return c;
}

static const course *solve(const scene *s, int per_phase) {
  return keep(run_spec(&s->q, s->nc, s->dim, s->W, s->v, s->gap, per_phase));
}

static double apart(int n, const double *a, const double *b, double size) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most / size;
}

static scene tiny_eta(uint64_t *seed, int nc, int dim, double eta) {
  scene s = draw_scene(seed, nc, dim, 0);
  for (int i = 0; i < nc; i++) {
    s.q.eta[i] = eta, s.gap[i] = 0;
    s.q.mu[i] = between(seed, 0.3, 1);
  }
  s.q.max_events = 1000000;
  return s;
}

/* Two contacts: some stick, and their springs take 1e5 steps and more when they are followed. */
static void compare_with_springs(int dim, uint64_t seed, int count) {
  double worst = 0;
  int taken = 0;
  for (int i = 0; i < count; i++) {
    scene s = tiny_eta(&seed, 2, dim, 1e-6);
    const course *a = solve(&s, -1), *b = springs(&s);
    if (a->r.status || b->r.status) continue;
    double off = apart(s.rows, a->p, b->p, size_of(b));
    worst = fmax(worst, off);
    taken += off > 0;
    ASSERT_BELOW(1e-9, worst_ledger(a, s.v));
  }
  printf("%d rows: %d of %d by the limit, worst %.2g\n", dim, taken, count, worst);
  TEST_ASSERT_TRUE(taken > 0);
  ASSERT_BELOW(TOL_PROMISED, worst);
}

static void test_limit_is_what_the_springs_do(void) {
  compare_with_springs(2, 5, 2);
}

static scene two_in_space(const double *W, const double *v, const double *e, double eta) {
  scene s = {.nc = 2, .dim = 3, .rows = 6};
  memcpy(s.W, W, 36 * sizeof *W);
  memcpy(s.v, v, 6 * sizeof *v);
  for (int i = 0; i < 2; i++) s.q.mu[i] = 1, s.q.e[i] = e[i], s.q.eta[i] = eta, s.q.k[i] = 1e8;
  s.q.n = 2;
  return s;
}

/* number 10 of `bench_tail eta 24 1`, one of the quickest */
static void test_limit_in_space(void) {
  static const double W[36] = {1.3583850011070755,    -0.027401644530282803, -0.31878263819653879,
                               0.39363998157900287,   0.10119435804068838,   -0.071326203966701154,
                               -0.027401644530282803, 0.9271757131117665,    -0.34321798649297963,
                               -0.30256039552883562,  -0.33857394450339995,  -0.091624249344661679,
                               -0.31878263819653879,  -0.34321798649297963,  0.6843032745548453,
                               0.063113336561268815,  0.12068696571039479,   0.10756353132093366,
                               0.39363998157900287,   -0.30256039552883562,  0.063113336561268815,
                               0.95894770362871584,   0.70866583193353117,   0.39824740759528904,
                               0.10119435804068838,   -0.33857394450339995,  0.12068696571039479,
                               0.70866583193353117,   1.2007955964635597,    0.60721505655611385,
                               -0.071326203966701154, -0.091624249344661679, 0.10756353132093366,
                               0.39824740759528904,   0.60721505655611385,   0.88759363206740594},
                      v[6] = {0.52631565588097684, 0.10661933489081044,  -2.3279882198984869,
                              1.1892812153055432,  0.092704963505620241, 0.14921096013332624},
                      e[2] = {0.34927686976500971, 0.25483148473388584};
  scene s = two_in_space(W, v, e, 1e-6);
  const course *a = solve(&s, 0), *b = springs(&s), *c = solve(&s, -1);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, a->r.status, a->err.text);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, b->r.status, b->err.text);
  ASSERT_BELOW(TOL_PROMISED, apart(6, a->p, b->p, size_of(b)));
  TEST_ASSERT_TRUE(a->n < 30); /* events: it is the limit that is told */
  ASSERT_BELOW(1e-12, worst_ledger(a, s.v));
  TEST_ASSERT_EQUAL_DOUBLE_ARRAY(a->p, c->p, 6); /* with a sink and without */
}

/* Slip that has just set out is slow, and d follows v slowly: it is not stiff yet, and was not
 * asked again for the time that d would have taken at that speed. Took 2,000,000 steps and gave up.
 */
static void test_slip_that_sets_out_is_soon_stiff(void) {
  static const double W[36] = {1.6938252070299076,    0.11978441068568067,   0.24867701091381963,
                               0.066650184968596329,  -0.57033879216177685,  -0.81170757474488731,
                               0.11978441068568067,   0.49498723686736795,   0.18866137445756315,
                               0.043774122513942894,  -0.39929443109230278,  -0.2767760169363892,
                               0.24867701091381963,   0.18866137445756315,   0.84173438738140283,
                               -0.27807285542539484,  -0.047779424755078938, 0.0076523461678027855,
                               0.066650184968596329,  0.043774122513942894,  -0.27807285542539484,
                               0.69469180734535618,   -0.064410938606027701, -0.16821417782113723,
                               -0.57033879216177685,  -0.39929443109230278,  -0.047779424755078938,
                               -0.064410938606027701, 1.2259662362010877,    0.047097502637426673,
                               -0.81170757474488731,  -0.2767760169363892,   0.0076523461678027855,
                               -0.16821417782113723,  0.047097502637426673,  1.1747356515397531},
                      v[6] = {-2.3324474398307458,  -0.59686615139919563, -0.94830816031488829,
                              -0.93268187499077626, 1.2499315047261343,   0.058378375428773867},
                      e[2] = {0.75596768359536914, 0.26040498247155391};
  scene s = two_in_space(W, v, e, 1e-4), limit = two_in_space(W, v, e, 1e-6);
  const course *a = springs(&s), *b = solve(&limit, -1);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, a->r.status, a->err.text);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, b->r.status, b->err.text);
  ASSERT_BELOW(100 * 1e-8, apart(6, a->p, b->p, size_of(b))); /* C eta^2 */
}

/* Steps longer than d takes to come to v make it swing to and fro about v where it need not be
 * known well: 1,564 steps instead of 10 (stride.c, stable_reach). */
static void test_direction_that_would_swing(void) {
  static const double W[36] = {0.95340418218753731,   -0.24854862546083734, 0.63941476503333194,
                               -0.59016170223461861,  0.42682849044886489,  -0.036249582553882484,
                               -0.24854862546083734,  1.0881743800306556,   -0.36867849243675127,
                               0.12889942774197979,   -0.48646674967350662, 0.12912176818879859,
                               0.63941476503333194,   -0.36867849243675127, 1.1914236627933614,
                               0.080900282930326417,  0.40383724630096934,  -0.36381835041034699,
                               -0.59016170223461861,  0.12889942774197979,  0.080900282930326417,
                               0.98819114490307791,   -0.19791712736067854, -0.18402130571074349,
                               0.42682849044886489,   -0.48646674967350662, 0.40383724630096934,
                               -0.19791712736067854,  1.0737143941271048,   -0.27289299517443294,
                               -0.036249582553882484, 0.12912176818879859,  -0.36381835041034699,
                               -0.18402130571074349,  -0.27289299517443294, 0.88953276255834057},
                      v[6] = {0.67511951402770987,  -0.036503103763625533, -0.4367433408316399,
                              -0.03000111930782328, -1.0184580753193202,   -0.35504303039962837},
                      e[2] = {0.218055758135105, 0.51367282042617057};
  scene s = two_in_space(W, v, e, 1e-3);
  s.q.tolerance = 1e-6;
  most_steps = 100;
  const course *c = springs(&s);
  most_steps = 0;
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c->r.status, c->err.text);
}

/* adds a body of its own, `mass` times as heavy as those of the scene: it slides, sticks for the
 * last part of the impact, and takes thousands of steps there */
static void add_heavy(scene *s, double mass) {
  int n = s->rows, m = n + 2;
  double W[ROWS * ROWS] = {0}, a[4] = {3 / mass, 0.8 / mass, 0.8 / mass, 1 / mass};
  for (int j = 0; j < n; j++) memcpy(W + j * m, s->W + j * n, (size_t)n * sizeof *W);
  for (int i = 0; i < 4; i++) W[(n + i / 2) * m + n + i % 2] = a[i];
  memcpy(s->W, W, sizeof W);
  s->v[n] = 2.6, s->v[n + 1] = -1;
  s->q.mu[s->nc] = 1, s->q.e[s->nc] = 0.9, s->q.eta[s->nc] = 1e-6, s->q.k[s->nc] = mass;
  s->gap[s->nc] = 0;
  s->rows = m, s->q.n = ++s->nc;
}

/* What the heavy body does has nothing to do with the others, but makes the law look for the limit;
 * theirs is off by more than what is promised of the largest impulse, and less than what a check
 * with eta = 1e-4 can see beside that. No wrong number comes of it. */
static void compare_beside_heavy(const scene *light, double mass) {
  scene s = *light;
  const course *alone = springs(light);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, alone->r.status, alone->err.text);
  add_heavy(&s, mass);
  const course *c = solve(&s, -1);
  double off = apart(light->rows, c->p, alone->p, size_of(c));
  if (c->r.status == CORE_OK) ASSERT_BELOW(TOL_PROMISED, off);
}

/* Slip stops and goes back at once: the force turns within a time of eta, so that the limit is off
 * by eta, not by its square. */
static void test_slip_that_reverses(void) {
  scene s = {.nc = 1, .dim = 2, .rows = 2, .W = {4, -1.5, -1.5, 1}, .v = {0.5, -1}};
  s.q = uniform(0.2, 0.8, 1e-6);
  s.q.k[0] = 1;
  for (double mass = 160; mass < 400; mass *= 1.2) compare_beside_heavy(&s, mass);
}

/* A light ball between two heavy ones is pressed again before it has left them: law.lzb lets it
 * give back less than this law does. */
static void test_contact_that_is_pressed_again(void) {
  double m = 0.1, M = 1;
  scene s = {.nc = 2, .dim = 2, .rows = 4, .v = {0, -1, 0, 0}};
  s.W[0] = s.W[10] = 1, s.W[5] = s.W[15] = 1 / m + 1 / M, s.W[7] = s.W[13] = -1 / m;
  for (int i = 0; i < 2; i++) s.q.e[i] = 0.5, s.q.eta[i] = 1e-6, s.q.k[i] = 1;
  s.q.n = 2;
  TEST_ASSERT_TRUE(springs(&s)->r.flags & IMPACT_PRESSED_AGAIN);
  compare_beside_heavy(&s, 1e7);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_limit_is_what_the_springs_do);
  RUN_TEST(test_limit_in_space);
  RUN_TEST(test_slip_that_sets_out_is_soon_stiff);
  RUN_TEST(test_direction_that_would_swing);
  RUN_TEST(test_slip_that_reverses);
  RUN_TEST(test_contact_that_is_pressed_again);
  return UNITY_END();
}
