/* law.compliant between obstacles that move against each other: what they squeeze for ever ends
 * with a word that says so, and nothing else does (laws/compliant/squeeze.c). */
#include "compliant_brute.h"

#include <stdio.h>

void setUp(void) {
}
void tearDown(void) {
}

/* A ball of 1 kg without rotation between walls: rows are their unit vectors, W = J J^T, v = J u -
 * w with w the velocities of the walls along their own rows. */
typedef struct walls {
  int nc;
  double J[ROWS][3], W[ROWS * ROWS], v[ROWS];
} walls;

/* three walls round the ball, normals to its middle at 120 degrees; t1 across, t2 along the edge */
static walls three_walls(const double *velocity) {
  walls a = {.nc = 3};
  for (int i = 0; i < 3; i++) {
    double angle = 2 * M_PI * i / 3, c = cos(angle), s = sin(angle);
    double J[3][3] = {{-s, c, 0}, {0, 0, 1}, {c, s, 0}};
    memcpy(a.J + 3 * i, J, sizeof J);
  }
  for (int i = 0; i < 9; i++) {
    a.v[i] = velocity[i];
    for (int j = 0; j < 9; j++)
      for (int k = 0; k < 3; k++) a.W[j * 9 + i] += a.J[i][k] * a.J[j][k];
  }
  return a;
}

static const double no_gap[ROWS];

/* Each of the three walls comes nearer with 1 m/s. The sum of the three v_n, -3 m/s, is what no
 * impulse changes (the normals add up to nothing): some wall always approaches, so that no impact
 * between them ends. They slide as well, each its own way, and the ball's slip turns. */
static void test_three_walls_close_on_a_ball(void) {
  double v[9] = {0.4, 1, -1, -0.3, -0.6, -1, 0.2, 0.5, -1};
  walls a = three_walls(v);
  spec q = uniform(0.3, 0.7, 1);
  const course *c = run_spec(&q, 3, 3, a.W, a.v, no_gap, -1);
  TEST_ASSERT_EQUAL_INT(CORE_LIMIT, c->r.status);
  printf("%s\n", c->err.text);
  TEST_ASSERT_NOT_NULL(strstr(c->err.text, "squeeze the bodies without end"));
}

/* The same walls slide, but two of them draw back as fast as the third one comes: they can part. */
static void test_walls_that_let_it_go(void) {
  double v[9] = {0.4, 1, -1, -0.3, -0.6, 0.5, 0.2, 0.5, 0.5};
  walls a = three_walls(v);
  spec q = uniform(0.3, 0.7, 1);
  const course *c = keep(run_spec(&q, 3, 3, a.W, a.v, no_gap, 0));
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c->r.status, c->err.text);
  ASSERT_BELOW(1e-12, worst_ledger(c, a.v));
}

/* A block of 1e6 kg that slides by drives a ball of 1 kg against a wall: the energy is 1e6 times
 * what the ball alone would bring, and is no work of obstacles. Rows of both contacts point the
 * same way. Without loss in restitution the block comes back about as fast as it came. */
static void test_heavy_block_drives_a_ball(void) {
  double m = 1, M = 1e6, W[36] = {0}, v[6] = {-0.2, 0.4, 0, 0.7, -0.1, -1};
  for (int t = 0; t < 3; t++) {
    W[7 * t] = 1 / m, W[7 * (3 + t)] = 1 / m + 1 / M;
    W[6 * (3 + t) + t] = W[6 * t + 3 + t] = -1 / m;
  }
  spec q = uniform(0.3, 1, 1);
  const course *c = run_spec(&q, 2, 3, W, v, no_gap, -1);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c->r.status, c->err.text);
  TEST_ASSERT_DOUBLE_WITHIN(0.01, 2, c->p[5] / M);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10 * M, 0, c->r.lost_restitution);
  double lost = c->r.lost_friction + c->r.stored;
  TEST_ASSERT_DOUBLE_WITHIN(1e-10 * lost, lost, -kinetic_change(6, c->p, v, c->v));
}

/* A ball on a line between two walls, of which one comes nearer: it is said that this does not end,
 * with springs and without. Held contacts let no spring give way: forces are constant, any step
 * does and has a length (forces.c, omega); what presses itself in grows no further than its series
 * reaches (fast/modes.c, longest); and the zero frequency of both rows is none that swings
 * (fast/modes_find.c). Impulses were not finite, or it ended. */
static void test_wall_presses_a_ball_without_end(void) {
  static const struct {
    double J[2], v[2], e[2], k[2];
  } cases[] = {{{1, -1}, {-0.6, 0}, {0, 0}, {1, 1}},
               {{-0.7, 0.9}, {-0.14, 0}, {0, 0}, {1, 1}},
               {{0.4, -0.6}, {-0.16, 0}, {0.5, 1}, {79, 0.41}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double *J = cases[i].J, *e = cases[i].e, *k = cases[i].k;
    double W[4] = {J[0] * J[0], J[0] * J[1], J[0] * J[1], J[1] * J[1]};
    spec q = {
        .e = {e[0], e[1]}, .mu = {0, 0}, .eta = {1, 1}, .k = {k[0], k[1]}, .n = 2, .window = 100};
    const course *c = run_spec(&q, 2, 1, W, cases[i].v, no_gap, -1);
    TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_LIMIT, c->r.status, c->err.text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(c->err.text, "without end"), c->err.text);
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_three_walls_close_on_a_ball);
  RUN_TEST(test_walls_that_let_it_go);
  RUN_TEST(test_heavy_block_drives_a_ball);
  RUN_TEST(test_wall_presses_a_ball_without_end);
  return UNITY_END();
}
