/* The system of blocks of the mode solver (modes_blocks.c) against elimination of the whole matrix,
 * written out here: contacts of a pile, each with 0 to 3 unknowns. */
#include "bench/scene.h"
#include "impact/modes_part.h"
#include "unity.h"

enum { ROWS = 3 * 260 };

/* A x = b by rows, with column pivots; returns the sign of det A */
static int eliminate(int n, double *A, double *x) {
  int sign = 1;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
    for (int j = 0; j < n && best != k; j++) {
      double swap = A[k * n + j];
      A[k * n + j] = A[best * n + j], A[best * n + j] = swap;
    }
    double swap = x[k];
    x[k] = x[best], x[best] = swap;
    if (best != k) sign = -sign;
    if (A[k * n + k] < 0) sign = -sign;
    for (int i = k + 1; i < n; i++) {
      double f = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; j++) A[i * n + j] -= f * A[k * n + j];
      x[i] -= f * x[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) x[k] -= A[k * n + j] * x[j];
    x[k] /= A[k * n + k];
  }
  return sign;
}

static void random_block(modes_block *b, double turned) {
  memset(b, 0, sizeof *b);
  b->size = (int)between(0, 3.999);
  for (int i = 0; i < b->size; i++) {
    b->scale[i] = between(0.5, 2);
    b->side[0][i] = between(-1, 1), b->side[1][i] = between(-1, 1);
    for (int k = 0; k < 3; k++) {
      b->impulse[i][k] = i == k;
      b->row[i][k] = (i == k) + between(-turned, turned);
      b->add[i][k] = (i == k) * between(-2, 3) + between(-0.3, 0.3);
    }
  }
}

/* row i of contact c, column j of d: row^T W impulse + add */
static double entry(const impact_modes *m, const modes_block *block, int c, int i, int d, int j) {
  double sum = c == d ? block[c].add[j][i] : 0;
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++)
      sum += block[c].row[i][k] * m->W[(3 * d + l) * m->rows + 3 * c + k] * block[d].impulse[j][l];
  return sum;
}

static int compare(modes_work *w, modes_block *block) {
  const impact_modes *m = w->m;
  int n = 0, row = 0, sign = 1;
  for (int c = 0; c < m->nc; c++) n += block[c].size;
  double *A = malloc((size_t)n * (size_t)n * sizeof *A), *x = malloc((size_t)n * sizeof *x);
  TEST_ASSERT_TRUE(modes_blocks_solve(w, block, 2) > 0);
  for (int side = 0; side < 2; side++) {
    row = 0;
    for (int c = 0; c < m->nc; c++)
      for (int i = 0; i < block[c].size; i++, row++) {
        int column = 0;
        x[row] = block[c].side[side][i];
        for (int d = 0; d < m->nc; d++)
          for (int j = 0; j < block[d].size; j++, column++)
            A[row * n + column] = entry(m, block, c, i, d, j);
      }
    sign = eliminate(n, A, x);
    row = 0;
    for (int c = 0; c < m->nc; c++)
      for (int i = 0; i < block[c].size; i++, row++)
        TEST_ASSERT_DOUBLE_WITHIN(1e-8 * (1 + fabs(x[row])), x[row], block[c].x[side][i]);
  }
  TEST_ASSERT_EQUAL_INT(sign, w->sign);
  free(A), free(x);
  return sign;
}

static void blocks_are_the_whole_matrix(void) {
  static scene s;
  static modes_contact contact[ROWS / 3];
  static modes_block block[ROWS / 3];
  core_scratch scratch;
  core_scratch_init(&scratch);
  int negative = 0;
  for (int i = 0; i < 12; i++) {
    pile(&s, 20 + 20 * i);
    impact_modes m = assemble(&s, 0.3);
    double *A = malloc((size_t)m.rows * (size_t)m.rows * sizeof *A);
    modes_work w = {.m = &m, .s = &scratch, .contact = contact, .A = A};
    for (int k = 0; k < m.rows * m.rows; k++) A[k] = NAN; /* what is not written must not be read */
    modes_describe(&m, contact);
    TEST_ASSERT_EQUAL_INT(CORE_OK, modes_find_near(&w));
    for (int c = 0; c < m.nc; c++) random_block(&block[c], 0.3);
    negative += compare(&w, block) < 0;
    free(A), drop(m);
  }
  core_scratch_free(&scratch);
  TEST_ASSERT_TRUE(negative > 0 && negative < 12); /* both signs were seen */
}

/* the least eigenvalue of the blocks' rows of W, scaled to a unit diagonal */
static double least_eigenvalue(const impact_modes *m, const modes_block *block, core_scratch *s,
                               int *n) {
  *n = 0;
  for (int c = 0; c < m->nc; c++) *n += block[c].size;
  double *A = malloc(((size_t)*n * (size_t)*n + (size_t)*n) * sizeof *A), *w = A + *n * *n;
  int row = 0;
  for (int c = 0; c < m->nc; c++)
    for (int i = 0; i < block[c].size; i++, row++)
      for (int d = 0, column = 0; d < m->nc; d++)
        for (int j = 0; j < block[d].size; j++, column++)
          A[row * *n + column] = entry(m, block, c, i, d, j);
  for (int i = 0; i < *n; i++) w[i] = 1 / sqrt(A[i * *n + i]);
  for (int i = 0; i < *n; i++)
    for (int j = 0; j < *n; j++) A[i * *n + j] *= w[i] * w[j];
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_eig_symmetric(*n, A, s, w, NULL));
  double least = w[0];
  free(A);
  return least;
}

/* up to `most` rows of each contact */
static void some_rows(const impact_modes *m, double most, modes_block *block) {
  for (int c = 0; c < m->nc; c++) {
    memset(&block[c], 0, sizeof block[c]);
    block[c].size = (int)between(0, most + 0.999);
    for (int j = 0; j < block[c].size; j++)
      for (int i = 0; i < 3; i++) block[c].row[j][i] = block[c].impulse[j][i] = between(-1, 1);
  }
}

/* called regular is what has no eigenvalue near zero, dependent what has one there */
static void regular_is_what_has_no_eigenvalue_near_zero(void) {
  static scene s;
  static modes_block block[ROWS / 3];
  core_scratch scratch;
  core_scratch_init(&scratch);
  int count[3] = {0, 0, 0};
  for (int i = 0; i < 24; i++) {
    int n;
    if (i % 3 == 2)
      wall(&s, 2 + i / 6);
    else
      pile(&s, 40 + 7 * i);
    impact_modes m = assemble(&s, 0.3);
    some_rows(&m, 1 + i / 3 % 3, block);
    double least = least_eigenvalue(&m, block, &scratch, &n);
    modes_regular said = modes_regularity(&m, &scratch, block);
    TEST_ASSERT_EQUAL_INT(least > n * TOL_SUM(n) ? MODES_REGULAR : MODES_DEPENDENT, said);
    count[said]++;
    drop(m);
  }
  core_scratch_free(&scratch);
  TEST_ASSERT_TRUE(count[MODES_REGULAR] > 3 && count[MODES_DEPENDENT] > 3);
}

void setUp(void) {
}

void tearDown(void) {
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(blocks_are_the_whole_matrix);
  RUN_TEST(regular_is_what_has_no_eigenvalue_near_zero);
  return UNITY_END();
}
