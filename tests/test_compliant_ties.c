/* law.compliant: states that random search found, each for one idea of compliant/ that nothing else
 * asked for, against brute force. W = A A^T. */
#include "compliant_brute.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { MOST_ROWS = 9, MOST_COLUMNS = 6 };

typedef struct state {
  int nc, dim;
  double A[MOST_ROWS][MOST_COLUMNS], v[MOST_ROWS];
  spec q;
  double gap[3];
} state;

static void as_brute_force(const state *s) {
  int n = s->nc * s->dim;
  double W[ROWS * ROWS] = {0}, size = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < MOST_COLUMNS; k++) W[j * n + i] += s->A[i][k] * s->A[j][k];
  const course *c = run_spec(&s->q, s->nc, s->dim, W, s->v, s->gap, 0);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c->r.status, c->err.text);
  brute b = brute_start(&s->q, s->nc, s->dim, W, s->v, s->gap);
  TEST_ASSERT_TRUE_MESSAGE(brute_run(&b, 1e-3), "brute force took too long");
  for (int i = 0; i < n; i++) size = fmax(size, fabs(b.p[i]));
  for (int i = 0; i < n; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-8 * size, b.p[i], c->p[i]);
}

/* Contact 1, at rest, is pressed by order 2 of the others, and lifted by what its tangential spring
 * does to them then (settle.c, open_lifted): without that modes did not settle. */
static void test_pressed_from_rest_and_lifted_by_its_own_friction(void) {
  static const state s = {3,
                          3,
                          {{-0.8, 0.9, 0.8, 1, 0.4, 0.7},
                           {0.8, 0.3, -1, 0.5, 0, 0.8},
                           {-1, 0.8, -0.8, 0.7, -0.7, -0.8},
                           {-0.5, -0.3, 0.2, 0.3, -1, -0.7},
                           {-0.6, -0.2, -0.3, -0.6, -0.5, -0.9},
                           {-0.2, -0.3, 0.1, 0.8, -0.6, 0},
                           {-0.7, -0.4, -0.2, 1, 0.7, 0.5},
                           {-0.6, -1, -0.5, -0.7, 0.1, -0.2},
                           {-0.9, -0.7, -0.4, 0.6, 0.5, -0.6}},
                          {3.28, -0.58, -1.08, -0.45, -1.75, 0, 0, 0, 0},
                          {.mu = {INFINITY}, .e = {0.2}, .eta = {0.6}, .k = {1}, .n = 1},
                          {0}};
  as_brute_force(&s);
}

/* Contact 0 comes to rest (e = 0) and slips. Where forces of held contacts are at a tie all orders
 * count (fast/orders.c, may_tie): a short series let it stick, impulses 2 % off. */
static void test_held_contact_at_a_tie_needs_all_orders(void) {
  static const state s = {
      2,
      3,
      {{-0.4, 0.6, -0.7},
       {-0.3, 0, -0.8},
       {0.8, -0.8, -0.8},
       {0.5, 0.5, -0.6},
       {-0.4, 0.6, -0.8},
       {0.1, 0.5, 0.7}},
      {-0.24, -0.61, -2.56, 0, 0, 0},
      {.mu = {0.7, 0}, .e = {0, 0.6}, .eta = {1.2, 1.2}, .k = {0.57, 1}, .n = 2, .window = 100},
      {0}};
  as_brute_force(&s);
}

/* A contact that slips opens while others turn its v: what friction has left has no mean direction
 * (fast/fixed.c, mean_will_do), impulses were 5e-6 off with it. */
static void test_no_mean_direction_where_others_turn_slip(void) {
  static const state s = {3,
                          3,
                          {{0.5, -0.2, 0, -0.8, 0.8, 0},
                           {0, 0, 0.9, 0, 0, 0},
                           {0, -0.7, 0, 0, 1, 0},
                           {-0.4, -0.2, 0.2, -0.2, 1, 0},
                           {-0.5, 0, -0.8, -0.2, 0, 0},
                           {0, 0.7, 0, -0.7, -0.2, -0.1},
                           {0, 0, 0, 0, 0, -0.8},
                           {0, 0, 0, 0, 0.1, 0},
                           {0, -0.2, 0, 0, 0.7, 0.2}},
                          {-2, 0.99, -2.26, -1.56, -1.34, 0.59, 0.32, -0.1, -1.14},
                          {.mu = {0.2, 600, 0.1},
                           .e = {0, 0.4, 0},
                           .eta = {1, 0.82, 0.7},
                           .k = {2e-4, 1, 6.5},
                           .n = 3,
                           .window = 100},
                          {0, 0, 0.2}};
  as_brute_force(&s);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_pressed_from_rest_and_lifted_by_its_own_friction);
  RUN_TEST(test_held_contact_at_a_tie_needs_all_orders);
  RUN_TEST(test_no_mean_direction_where_others_turn_slip);
  return UNITY_END();
}
