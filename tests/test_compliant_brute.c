/* Some hundred random problems, one to four contacts, one to three rows each, against brute force.
 */
#include "compliant_brute.h"
#include "compliant_scene.h"

#include <stdio.h>

void setUp(void) {
}
void tearDown(void) {
}

/* largest difference of impulses and of the losses, relative to the impulses */
static double difference(const scene *r, const course *c, const brute *b) {
  double worst = 0, size = 0;
  for (int i = 0; i < r->rows; i++) {
    worst = fmax(worst, fabs(c->p[i] - b->p[i]));
    size = fmax(size, fabs(b->p[i]));
  }
  worst = fmax(worst, fabs(b->friction - c->r.lost_friction));
  worst = fmax(worst, fabs(b->restitution - c->r.lost_restitution));
  return worst / size;
}

/* -1: neither comes to an end (contacts that press each other for ever) */
static double compare(const scene *r) {
  const course *c = run_spec(&r->q, r->nc, r->dim, r->W, r->v, r->gap, -1);
  brute b = brute_start(&r->q, r->nc, r->dim, r->W, r->v, r->gap);
  int over = brute_run(&b, 2e-3);
  if (!over && c->r.status == CORE_LIMIT) return -1;
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c->r.status, c->err.text);
  TEST_ASSERT_TRUE_MESSAGE(over, "brute force took too long");
  return difference(r, c, &b);
}

static void check(int nc, int dim, int redundant, int count, uint64_t seed) {
  double worst = 0;
  int endless = 0;
  for (int i = 0; i < count; i++) {
    scene r = draw_scene(&seed, nc, dim, redundant);
    double off = compare(&r);
    if (off > 1e-8) printf("%d contacts, %d rows, number %d: off by %.3g\n", nc, dim, i, off);
    worst = fmax(worst, off);
    if (off < 0 && ++endless) continue;
    const course *c = run_spec(&r.q, r.nc, r.dim, r.W, r.v, r.gap, 5);
    ASSERT_BELOW(1e-12, worst_ledger(c, r.v));
  }
  printf("%d contacts with %d rows: worst %.2g, %d endless\n", nc, dim, worst, endless);
  ASSERT_BELOW(1e-8, worst);
  TEST_ASSERT_TRUE(endless <= count / 5);
}

static void test_one_contact(void) {
  check(1, 1, 0, 10, 11);
  check(1, 2, 0, 60, 12);
  check(1, 3, 0, 60, 13);
}

static void test_two_contacts(void) {
  check(2, 1, 0, 40, 21);
  check(2, 2, 0, 40, 22);
  check(2, 3, 0, 30, 23);
}

static void test_three_and_four_contacts(void) {
  check(3, 1, 0, 30, 31);
  check(3, 2, 0, 30, 32);
  check(3, 3, 0, 15, 33);
  check(4, 1, 0, 30, 41);
  check(4, 2, 0, 20, 42);
  check(4, 3, 0, 10, 43);
}

static void test_redundant_contacts(void) {
  check(2, 2, 1, 20, 52);
  check(3, 1, 1, 20, 51);
  check(3, 3, 1, 10, 53);
}

/* springs 1e3 apart and small e: phases long enough for their modes, with and without slip */
static void test_far_time_scales(void) {
  uint64_t seed = 61;
  int compared = 0;
  for (int i = 0; i < 60; i++) {
    scene r = draw_scene(&seed, 2, 1 + i % 2, 0);
    for (int c = 0; c < 2; c++) {
      r.q.e[c] = pow(10, between(&seed, -1.5, 0));
      r.q.k[c] = pow(10, between(&seed, -3, 0));
      if (i % 4 < 2) r.q.mu[c] = i % 4 ? INFINITY : 0;
    }
    r.q.window = 1e-9;
    brute b = brute_start(&r.q, r.nc, r.dim, r.W, r.v, r.gap);
    if (!brute_run(&b, 2e-3)) continue;
    const course *c = solve_scene(&r, 3);
    ASSERT_BELOW(1e-8, difference(&r, c, &b));
    ASSERT_BELOW(1e-11, worst_ledger(c, r.v));
    compared++;
  }
  printf("far time scales: %d compared\n", compared);
  TEST_ASSERT_TRUE(compared > 45);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_one_contact);
  RUN_TEST(test_two_contacts);
  RUN_TEST(test_three_and_four_contacts);
  RUN_TEST(test_redundant_contacts);
  RUN_TEST(test_far_time_scales);
  return UNITY_END();
}
