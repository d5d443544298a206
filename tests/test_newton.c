/* Newton's law at many contacts, against the block matrix and the enumeration of all sets of
 * pushing contacts. */
#include "block_help.h"
#include "impact/lcp.h"

/* ---- contacts that only push ---- */

/* x = A^-1 b by elimination with pivoting; 0 when singular */
static int eliminate(int n, double *A, double *b) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k; i < n; i++)
      if (fabs(A[k * n + i]) > fabs(A[k * n + p])) p = i;
    if (fabs(A[k * n + p]) < 1e-13) return 0;
    for (int j = 0; j < n; j++) {
      double t = A[j * n + k];
      A[j * n + k] = A[j * n + p], A[j * n + p] = t;
    }
    double t = b[k];
    b[k] = b[p], b[p] = t;
    for (int i = 0; i < n; i++) {
      if (i == k) continue;
      double f = A[k * n + i] / A[k * n + k];
      for (int j = k; j < n; j++) A[j * n + i] -= f * A[j * n + k];
      b[i] -= f * b[k];
    }
  }
  for (int k = 0; k < n; k++) b[k] /= A[k * n + k];
  return 1;
}

/* tries every set of pushing contacts; w of the one that fits best, and how well */
static double enumerate(int n, const double *A, const double *q, double *w) {
  double best = INFINITY;
  for (unsigned set = 0; set < 1u << n; set++) {
    double B[64], z[8] = {0}, x[8], broken = 0, v[8];
    int index[8], m = 0;
    for (int i = 0; i < n; i++)
      if (set >> i & 1) index[m++] = i;
    for (int j = 0; j < m; j++) {
      x[j] = -q[index[j]];
      for (int i = 0; i < m; i++) B[j * m + i] = A[index[j] * n + index[i]];
    }
    if (!eliminate(m, B, x)) continue;
    for (int j = 0; j < m; j++) z[index[j]] = x[j], broken = fmax(broken, -x[j]);
    for (int i = 0; i < n; i++) {
      v[i] = q[i];
      for (int j = 0; j < n; j++) v[i] += A[j * n + i] * z[j];
      broken = fmax(broken, -v[i]);
    }
    if (broken >= best) continue;
    best = broken;
    memcpy(w, v, sizeof v);
  }
  return best;
}

/* W = J J^T, v = J u with n contacts of a body of `freedoms`: redundant when n is larger */
static void random_contacts(uint64_t *seed, int n, int freedoms, double *W, double *v) {
  double J[64], u[8];
  for (int k = 0; k < freedoms; k++) u[k] = between(seed, -1, 1);
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = 0; k < freedoms; k++) sum += (J[k * n + i] = between(seed, -1, 1)) * u[k];
    for (int k = 0; k < freedoms && sum > 0; k++) J[k * n + i] = -J[k * n + i];
    v[i] = -fabs(sum); /* all approach */
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      W[j * n + i] = 0;
      for (int k = 0; k < freedoms; k++) W[j * n + i] += J[k * n + i] * J[k * n + j];
    }
}

static void the_right_contacts_push(void) {
  uint64_t seed = 5;
  int redundant = 0;
  for (int i = 0; i < 3000; i++) {
    int n = 1 + i % 6, freedoms = i % 3 ? n : (n + 1) / 2;
    double W[64], v[8], e = fair(&seed), w[8], q[8];
    random_contacts(&seed, n, freedoms, W, v);
    for (int k = 0; k < n; k++) q[k] = (1 + e) * v[k];
    double broken = enumerate(n, W, q, w);
    if (broken > 1e-9) continue; /* elimination lost it */
    law *l = law_from("newton", "e", e, NULL);
    hit h = solve_with(l, n, 1, W, v, NULL, -1);
    TEST_ASSERT_EQUAL_INT(CORE_OK, h.r.status);
    for (int k = 0; k < n; k++) {
      TEST_ASSERT_DOUBLE_WITHIN(1e-7, w[k] - e * v[k], h.v[k]);
      TEST_ASSERT_TRUE(h.p[k] >= 0);
    }
    redundant += !!(h.r.flags & IMPACT_REDUNDANT);
    law_free(l);
  }
  TEST_ASSERT_TRUE(redundant > 100);
}

/* the impulses of redundant contacts: no other split that pushes is shorter */
static void redundant_impulses_have_the_smallest_norm(void) {
  uint64_t seed = 6;
  int seen = 0;
  for (int i = 0; i < 400; i++) {
    int n = 4 + i % 3, freedoms = 2;
    double W[64], v[8], z[8], w[8], q[8];
    random_contacts(&seed, n, freedoms, W, v);
    for (int k = 0; k < n; k++) q[k] = v[k];
    int redundant;
    TEST_ASSERT_EQUAL_INT(CORE_OK, law_lcp(n, W, q, NULL, &scratch, z, w, &redundant));
    if (!redundant) continue;
    seen++;
    double norm = 0, scale = 0;
    for (int k = 0; k < n; k++) norm += z[k] * z[k], scale += fabs(z[k]);
    for (int a = 0; a < n; a++) /* null vectors on three rows of two freedoms, by cross products */
      for (int b = a + 1; b < n; b++)
        for (int c = b + 1; c < n; c++) {
          int rows[3] = {a, b, c};
          double d[8] = {0}, touch = 1;
          for (int k = 0; k < 3; k++) {
            int r = rows[(k + 1) % 3], s = rows[(k + 2) % 3];
            d[rows[k]] = W[b * n + r] * W[c * n + s] - W[b * n + s] * W[c * n + r];
            touch = touch && w[rows[k]] < 1e-9;
          }
          if (!touch) continue;
          for (double t = -1e-3; t <= 1e-3; t += 2e-3) {
            double other = 0;
            int pushes = 1;
            for (int k = 0; k < n; k++) {
              double x = z[k] + t * scale * d[k];
              other += x * x, pushes = pushes && x >= 0;
            }
            TEST_ASSERT_TRUE(!pushes || other >= norm * (1 - 1e-9));
          }
        }
  }
  TEST_ASSERT_TRUE(seen > 50);
}

/* J J^T of n rows and nu columns, q from -1 to 1 or in its range */
static void many_rows(uint64_t *seed, int n, int nu, double *A, double *q) {
  static double J[96 * 96];
  for (int i = 0; i < n * nu; i++) J[i] = between(seed, -1, 1);
  for (int i = 0; i < n; i++) {
    q[i] = nu < n ? -1.0 : between(seed, -1, 1);
    for (int k = 0; k < nu && nu < n; k++) q[i] += k ? 0.4 * J[i * nu + k] : 0, J[i * nu] = 1;
    for (int j = 0; j <= i; j++) {
      A[i * n + j] = 0;
      for (int k = 0; k < nu; k++) A[i * n + j] += J[i * nu + k] * J[j * nu + k];
      A[j * n + i] = A[i * n + j];
    }
  }
}

/* block pivots, shortest impulses: complementary, and the same in the opposite order */
static void many_rows_are_solved_whatever_their_order(void) {
  static double A[96 * 96], B[96 * 96];
  uint64_t seed = 61;
  for (int i = 0; i < 120; i++) {
    int n = 32 + 8 * (i % 9), nu = i % 3 ? n : 3, redundant;
    double q[96], r[96], z[96], w[96], x[96], y[96], most = 0;
    many_rows(&seed, n, nu, A, q);
    for (int k = 0; k < n * n; k++) B[k] = A[n * n - 1 - k], r[k / n] = q[n - 1 - k / n];
    TEST_ASSERT_EQUAL_INT(CORE_OK, law_lcp(n, A, q, NULL, &scratch, z, w, &redundant));
    TEST_ASSERT_EQUAL_INT(CORE_OK, law_lcp(n, B, r, NULL, &scratch, x, y, &redundant));
    for (int k = 0; k < n; k++) most = fmax(most, z[k]);
    for (int k = 0; k < n; k++) {
      double v = q[k];
      for (int j = 0; j < n; j++) v += A[j * n + k] * z[j];
      TEST_ASSERT_TRUE(z[k] >= 0 && v >= -1e-11 && fmin(z[k] / most, v) <= 1e-11);
      TEST_ASSERT_DOUBLE_WITHIN(nu < n ? 1e-11 * most : 1e-7 * most, z[k], x[n - 1 - k]);
    }
  }
}

static void table_with_four_legs_shares_evenly(void) {
  double x[4] = {1, 1, -1, -1}, y[4] = {1, -1, -1, 1}, W[16], v[4];
  for (int i = 0; i < 4; i++) {
    v[i] = -2;
    for (int j = 0; j < 4; j++) W[j * 4 + i] = 1 / 3. + (x[i] * x[j] + y[i] * y[j]) / 0.7;
  }
  law *l = law_from("newton", "e", 0.5, NULL);
  hit h = solve_with(l, 4, 1, W, v, NULL, -1);
  TEST_ASSERT_EQUAL_UINT(IMPACT_REDUNDANT, h.r.flags);
  for (int i = 0; i < 4; i++) {
    ASSERT_NEAR(1e-14, 3 * 1.5 * 2 / 4, h.p[i]);
    ASSERT_NEAR(1e-15, 1, h.v[i]);
  }
  law_free(l);
}

/* two contacts at the same point with two restitutions: the livelier one decides */
static void contradicting_restitutions_take_the_larger(void) {
  double W[4] = {1, 1, 1, 1}, v[2] = {-1, -1}, e[2] = {0.25, 0.75};
  const law_type *type = law_find("newton");
  char params[256] = {0};
  core_error err = {0};
  core_schema_defaults(&type->schema, params);
  core_param_set(&type->schema, core_schema_find(&type->schema, "e"), params, 2, e, &err);
  law *l = make_law("newton", params);
  hit h = solve_with(l, 2, 1, W, v, NULL, -1);
  TEST_ASSERT_EQUAL_INT(CORE_OK, h.r.status);
  for (int i = 0; i < 2; i++) ASSERT_NEAR(1e-15, 0.75, h.v[i]);
  ASSERT_NEAR(1e-15, 1.75, h.p[0] + h.p[1]);
  double three[3] = {-1, -1, -1}, W3[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  h = solve_with(l, 3, 1, W3, three, NULL, -1);
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, h.r.status);
  law_free(l);
}

static void bilateral_is_the_notes_equality(void) {
  uint64_t seed = 8;
  for (int i = 0; i < 200; i++) {
    int n = 2 + i % 4, m = 1 + i % n;
    double M[64], A[64], u[8], e[8], W[64], v[8];
    random_block(&seed, n, m, M, A, u, e);
    block b = solve_block(n, m, M, A, u, e);
    for (int j = 0; j < m; j++) { /* W column by column: A M^-1 A_j */
      double K[64], x[8];
      memcpy(K, M, sizeof K);
      for (int k = 0; k < n; k++) x[k] = A[k * m + j];
      TEST_ASSERT_TRUE(eliminate(n, K, x));
      for (int r = 0; r < m; r++) {
        W[j * m + r] = 0;
        for (int k = 0; k < n; k++) W[j * m + r] += A[k * m + r] * x[k];
      }
      v[j] = 0;
      for (int k = 0; k < n; k++) v[j] += A[k * m + j] * u[k];
    }
    for (int j = 0; j < m; j++)
      for (int k = 0; k < j; k++) W[j * m + k] = W[k * m + j];
    law *l = law_from("newton", "e", 0.5, "bilateral", 1.0, NULL);
    hit h = solve_with(l, m, 1, W, v, NULL, -1);
    int approaches = 0;
    for (int j = 0; j < m; j++) approaches |= v[j] < 0;
    TEST_ASSERT_EQUAL_INT(approaches ? CORE_OK : CORE_NO_IMPACT, h.r.status);
    for (int j = 0; j < m && approaches; j++) {
      ASSERT_NEAR(1e-15, -0.5 * v[j], h.v[j]);
      ASSERT_NEAR(1e-9 / b.r.rcond * 1e-3, -b.P[j], h.p[j]);
    }
    law_free(l);
  }
}

/* ---- contacts that separate ---- */

static void a_separating_contact_is_left_alone(void) {
  double W[4] = {1, 0.3, 0.3, 1}, v[2] = {-1, 2}, e = 0.5;
  law *l = law_from("newton", "e", e, NULL);
  hit h = solve_with(l, 2, 1, W, v, NULL, -1);
  ASSERT_NEAR(1e-15, 1.5, h.p[0]);
  TEST_ASSERT_EQUAL_DOUBLE(0, h.p[1]);
  ASSERT_NEAR(1e-15, 2.45, h.v[1]);
  law_free(l);
}

/* the push of one turns the other round: a new collision, at e = 1 without loss or gain */
static void a_contact_pushed_back_collides_again(void) {
  double W[4] = {1, -0.8, -0.8, 1}, v[2] = {-1, 0.5};
  law *l = law_from("newton", "e", 1.0, NULL);
  hit h = solve_with(l, 2, 1, W, v, NULL, -1);
  TEST_ASSERT_EQUAL_INT(CORE_OK, h.r.status);
  /* by hand: p1 = 2 -> v = (1, -1.1); p2 = 2.2 -> v = (-0.76, 1.1); p1 += 1.52 -> (0.76, -0.116)
   * p2 += 0.232 -> (0.5744, 0.116) */
  ASSERT_NEAR(1e-14, 3.52, h.p[0]);
  ASSERT_NEAR(1e-14, 2.432, h.p[1]);
  ASSERT_NEAR(1e-14, 0.5744, h.v[0]);
  ASSERT_NEAR(1e-14, 0.116, h.v[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0, h.r.lost_restitution);
  check_balance(&h, W, v, 1e-14);
  law_free(l);
}

/* a narrow wedge: the bounces die out geometrically, 0.983 a time, and both contacts come to rest
 */
static void bounces_that_die_out_end_at_rest(void) {
  double W[4] = {0.55, -0.77, -0.77, 1.11}, v[2] = {-0.15, 0.085};
  law *l = law_from("newton", "e", 0.2, NULL);
  hit h = solve_with(l, 2, 1, W, v, NULL, -1);
  TEST_ASSERT_EQUAL_INT(CORE_OK, h.r.status);
  for (int i = 0; i < 2; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, h.v[i]);
  check_balance(&h, W, v, 1e-11);
  /* at rest: p = -W^-1 v */
  double det = W[0] * W[3] - W[1] * W[1];
  ASSERT_NEAR(1e-7, -(W[3] * v[0] - W[1] * v[1]) / det, h.p[0]);
  ASSERT_NEAR(1e-7, -(W[0] * v[1] - W[1] * v[0]) / det, h.p[1]);
  law_free(l);
}

/* three walls all round a point: whatever it does, it ends at rest */
static void a_confined_point_comes_to_rest(void) {
  double W[9], v[3], J[3][2], u[2] = {1, 0.3};
  for (int i = 0; i < 3; i++) J[i][0] = cos(2.1 * i), J[i][1] = sin(2.1 * i);
  for (int i = 0; i < 3; i++) {
    v[i] = J[i][0] * u[0] + J[i][1] * u[1];
    for (int j = 0; j < 3; j++) W[j * 3 + i] = J[i][0] * J[j][0] + J[i][1] * J[j][1];
  }
  law *l = law_from("newton", "e", 0.5, NULL);
  hit h = solve_with(l, 3, 1, W, v, NULL, -1);
  TEST_ASSERT_EQUAL_INT(CORE_OK, h.r.status);
  for (int i = 0; i < 3; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0, h.v[i]);
  ASSERT_NEAR(1e-8, 1.09 / 2, h.r.lost_restitution); /* all it had */
  law_free(l);
}

/* 1e-5 rad between two walls: with e < 1 the bounces die out at last, with e = 1 there are 300,000
 */
static void a_very_narrow_wedge(void) {
  double r = -cos(1e-5), W[4] = {1, r, r, 1}, v[2] = {-1, 0.999};
  law *l = law_from("newton", "e", 0.5, NULL), *elastic = law_from("newton", "e", 1.0, NULL);
  hit h = solve_with(l, 2, 1, W, v, NULL, -1);
  TEST_ASSERT_EQUAL_INT(CORE_OK, h.r.status);
  for (int i = 0; i < 2; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, h.v[i]);
  h = solve_with(elastic, 2, 1, W, v, NULL, -1);
  TEST_ASSERT_EQUAL_INT(CORE_LIMIT, h.r.status);
  law_free(l);
  law_free(elastic);
}

static void open_contacts_take_no_part(void) {
  double W[4] = {1, 0.5, 0.5, 1}, v[2] = {-1, -1}, gap[2] = {0, 0.1};
  law *l = law_from("newton", "e", 0.5, NULL);
  hit h = solve_with(l, 2, 1, W, v, gap, -1);
  ASSERT_NEAR(1e-15, 1.5, h.p[0]);
  TEST_ASSERT_EQUAL_DOUBLE(0, h.p[1]);
  law_free(l);
}

static void only_normal_rows_push_without_friction(void) {
  uint64_t seed = 9;
  law *l = law_from("newton", "e", 0.5, NULL);
  for (int dim = 2; dim <= 3; dim++) {
    double W[64], v[8];
    random_W(&seed, 2 * dim, W);
    for (int i = 0; i < 2 * dim; i++) v[i] = between(&seed, -1, 1);
    v[dim - 1] = -1, v[2 * dim - 1] = -0.5;
    hit h = solve_with(l, 2, dim, W, v, NULL, 0);
    TEST_ASSERT_EQUAL_INT(CORE_OK, h.r.status);
    for (int c = 0; c < 2; c++)
      for (int t = 0; t < dim - 1; t++) TEST_ASSERT_EQUAL_DOUBLE(0, h.p[c * dim + t]);
    check_balance(&h, W, v, 1e-12);
    TEST_ASSERT_EQUAL_STRING("end", story(&h));
  }
  law_free(l);
}

static void friction_at_two_contacts_is_refused(void) {
  double W[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, v[4] = {0, -1, 0, -1};
  law *l = law_from("newton", "e", 0.5, "mu", 0.3, NULL);
  hit h = solve_with(l, 2, 2, W, v, NULL, -1);
  TEST_ASSERT_EQUAL_INT(CORE_UNSUPPORTED, h.r.status);
  TEST_ASSERT_NOT_NULL(strstr(h.err.text, "law.newton with mu > 0 takes one contact, got 2"));
  law_free(l);
}

static void random_impacts_break_no_rule(void) {
  uint64_t seed = 10;
  for (int group = 0; group < 200; group++) {
    law *l = group % 4 ? law_from("newton", "e", group % 5 ? fair(&seed) : 1, NULL)
                       : law_from("plastic", NULL);
    for (int i = 0; i < 1000; i++) {
      int n = 1 + i % 4;
      double W[64], v[8];
      random_contacts(&seed, n, 1 + (i / 4) % 4, W, v);
      if (i % 3 == 0) { /* some separate: the same body moving the other way round one contact */
        double J = v[0];
        for (int k = 0; k < n; k++) v[k] -= i % 2 ? 0.9 * J * W[k] / fmax(W[0], 0.01) : 0;
      }
      hit h = solve_with(l, n, 1, W, v, NULL, -1);
      if (h.r.status == CORE_NO_IMPACT) continue;
      TEST_ASSERT_EQUAL_INT(CORE_OK, h.r.status);
      TEST_ASSERT_TRUE(check_balance(&h, W, v, 1e-9) < 1e-9);
      for (int k = 0; k < n; k++) TEST_ASSERT_TRUE(h.p[k] >= 0 && h.v[k] >= -1e-9);
    }
    law_free(l);
  }
}

static void extremes_give_an_answer_or_a_jam(void) {
  for (int nc = 1; nc <= 8; nc++) check_extremes("newton", nc, 1, 300, 320 + (uint64_t)nc);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(the_right_contacts_push);
  RUN_TEST(redundant_impulses_have_the_smallest_norm);
  RUN_TEST(many_rows_are_solved_whatever_their_order);
  RUN_TEST(table_with_four_legs_shares_evenly);
  RUN_TEST(contradicting_restitutions_take_the_larger);
  RUN_TEST(bilateral_is_the_notes_equality);
  RUN_TEST(a_separating_contact_is_left_alone);
  RUN_TEST(a_contact_pushed_back_collides_again);
  RUN_TEST(bounces_that_die_out_end_at_rest);
  RUN_TEST(a_confined_point_comes_to_rest);
  RUN_TEST(a_very_narrow_wedge);
  RUN_TEST(open_contacts_take_no_part);
  RUN_TEST(only_normal_rows_push_without_friction);
  RUN_TEST(friction_at_two_contacts_is_refused);
  RUN_TEST(random_impacts_break_no_rule);
  RUN_TEST(extremes_give_an_answer_or_a_jam);
  return UNITY_END();
}
