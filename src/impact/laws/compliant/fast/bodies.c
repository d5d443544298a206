/* Few bodies with many contacts: W = L L^T of small rank, by which all products with W are cheaper.
 * Plate on 64 contacts in space 121 ms without L, 50 ms with.
 */
#include <string.h>

#include "impact/laws/compliant/fast/inside.h"

/* ---- L ---- */

/* One column of L from what is left of the diagonal: pivoted Cholesky. */
static void next_column(const compliant *z, int rank, double *left) {
  int rows = z->rows, pivot = 0;
  double *l = z->fast->bodies.L + (size_t)rank * (size_t)rows;
  for (int r = 1; r < rows; r++)
    if (left[r] > left[pivot]) pivot = r;
  double root = sqrt(left[pivot]);
  for (int r = 0; r < rows; r++) {
    double sum = z->W[(size_t)pivot * (size_t)rows + (size_t)r];
    for (int k = 0; k < rank; k++)
      sum -= z->fast->bodies.L[k * rows + r] * z->fast->bodies.L[k * rows + pivot];
    l[r] = sum / root;
    left[r] -= l[r] * l[r];
  }
  left[pivot] = 0;
}

static void keep_rank(compliant_bodies *a, int rows, int rank) {
  int n = a->padded = (rank + 3) / 4 * 4;
  a->rank = rank;
  memset(a->row_L, 0, (size_t)(rows * n) * sizeof *a->row_L);
  for (int r = 0; r < rows; r++)
    for (int k = 0; k < rank; k++) a->row_L[r * n + k] = a->L[k * rows + r];
}

/* most of W is not zero */
static int is_dense(const compliant *z) {
  int rows = z->rows, zeros = 0;
  for (int i = 0; i < rows * rows; i++) zeros += z->W[i] == 0;
  return 2 * zeros < rows * rows;
}

enum { FEW_ROWS = 12, MANY_ROWS = 36 };

void fast_find_bodies(compliant *z) {
  int rows = z->rows, most = rows / 6;
  double size = 0, *left = z->row_work;
  z->fast->bodies.dense = rows >= FEW_ROWS && rows < MANY_ROWS && is_dense(z);
  if (rows < MANY_ROWS) return;
  z->fast->bodies.L = core_scratch_doubles(z->scratch, (size_t)(rows * (most + 1)));
  z->fast->bodies.row_L = core_scratch_doubles(z->scratch, (size_t)(rows * (most + 3)));
  z->fast->bodies.body = core_scratch_doubles(z->scratch, (size_t)(2 * (most + 3) * (most + 3)));
  if (!z->fast->bodies.L || !z->fast->bodies.row_L || !z->fast->bodies.body) return;
  for (int r = 0; r < rows; r++) {
    left[r] = z->W[(size_t)r * (size_t)(rows + 1)];
    size = core_max(size, left[r]);
  }
  for (int rank = 0; rank <= most; rank++) {
    double largest = 0;
    for (int r = 0; r < rows; r++) largest = core_max(largest, left[r]);
    if (largest <= TOL_RANK * size) {
      keep_rank(&z->fast->bodies, rows, rank);
      return;
    }
    next_column(z, rank, left);
  }
}

int fast_bodies(const compliant *z) {
  return z->fast ? z->fast->bodies.rank : 0;
}

/* ---- products ---- */

/* v += by l (l.F), n columns of L at a time */
CORE_PART void through_bodies(int n, int rows, const double *l, double by, const double *F,
                              double *v) {
  core_loose_four four[3] = {{0}};
  double sum[3] = {0};
  int r = 0;
  for (; r + 3 < rows; r += 4)
    for (int k = 0; k < n; k++)
      four[k] += *(const core_loose_four *)(l + k * rows + r) * *(const core_loose_four *)(F + r);
  for (; r < rows; r++)
    for (int k = 0; k < n; k++) sum[k] += l[k * rows + r] * F[r];
  for (int k = 0; k < n; k++)
    sum[k] = by * (sum[k] + four[k][0] + four[k][1] + four[k][2] + four[k][3]);
  for (r = 0; r < rows; r++) {
    double add = l[r] * sum[0];
    for (int k = 1; k < n; k++) add += l[k * rows + r] * sum[k];
    v[r] += add;
  }
}

/* 4 n rows of v += by W F from row r on, kept in registers over all columns; sums in the order of
 * the plain way */
CORE_PART void through_columns(int n, const compliant *z, int r, double by, const double *F,
                               double *v) {
  core_loose_four sum[6];
  int rows = z->rows;
  for (int k = 0; k < n; k++) sum[k] = *(const core_loose_four *)(v + r + 4 * k);
  for (int c = 0; c < rows; c++) {
    const double *w = z->W + (size_t)c * (size_t)rows + r, f = by * F[c];
    if (f == 0) continue;
    for (int k = 0; k < n; k++) sum[k] += *(const core_loose_four *)(w + 4 * k) * f;
  }
  for (int k = 0; k < n; k++) *(core_loose_four *)(v + r + 4 * k) = sum[k];
}

/* few rows that all touch each other: budget.tail_eight 176 -> 149 M instructions */
CORE_PART void multiply_dense(const compliant *z, double by, const double *F, double *v) {
  int r = 0, rows = z->rows;
  for (; r + 23 < rows; r += 24) through_columns(6, z, r, by, F, v);
  for (; r + 11 < rows; r += 12) through_columns(3, z, r, by, F, v);
  for (; r + 3 < rows; r += 4) through_columns(1, z, r, by, F, v);
  for (; r < rows; r++)
    for (int c = 0; c < rows; c++) v[r] += z->W[(size_t)c * (size_t)rows + (size_t)r] * (by * F[c]);
}

CORE_WIDE int fast_multiply(const compliant *z, double by, const double *F, double *v) {
  if (!z->fast) return 0;
  const compliant_bodies *a = &z->fast->bodies;
  int rows = z->rows, k = 0;
  if (a->dense) multiply_dense(z, by, F, v);
  if (!a->rank) return a->dense;
  for (; k + 2 < a->rank; k += 3) through_bodies(3, rows, a->L + k * rows, by, F, v);
  for (; k < a->rank; k++) through_bodies(1, rows, a->L + k * rows, by, F, v);
  return 1;
}

/* the same through the bodies, where W = L L^T: v += L L^T (D f) */
void fast_accelerate(const compliant *z, int j, double by, double *v) {
  const compliant_phase *f = &z->phase;
  double *F = z->row_work;
  memset(F, 0, (size_t)z->rows * sizeof *F);
  for (int i = 0; i < f->m; i++) {
    const double *d = f->D + (size_t)i * (size_t)z->rows, force = compliant_force(z, i, j, by);
    for (int r = f->reach_D[i].from; r < f->reach_D[i].to; r++) F[r] += d[r] * force;
  }
  fast_multiply(z, 1, F, v);
}

/* ---- frequencies ---- */

/* x += by y, n a multiple of four */
CORE_PART void add_fours(int n, double by, const double *y, double *x) {
  for (int i = 0; i < n; i += 4)
    *(core_loose_four *)(x + i) += by * *(const core_loose_four *)(y + i);
}

/* A = A A / |A|^2, and |A| (Frobenius) */
CORE_PART double square(int n, double *A, double *work) {
  double size = 0;
  for (int i = 0; i < n * n; i++) size += A[i] * A[i];
  memcpy(work, A, (size_t)(n * n) * sizeof *A);
  memset(A, 0, (size_t)(n * n) * sizeof *A);
  for (int j = 0; j < n; j++)
    for (int k = 0; k < n; k++) add_fours(n, work[j * n + k] / size, work + k * n, A + j * n);
  return sqrt(size);
}

/* the same through the bodies: with W = L L^T their motion U obeys U'' = -A U + ..., A = sum k_j
 * (L^T D_j) L_row(j)^T, and |A^4|^(1/4) bounds its frequencies */
CORE_WIDE double fast_bound_of_bodies(const compliant *z) {
  const compliant_phase *f = &z->phase;
  int n = z->fast->bodies.padded;
  const double *L = z->fast->bodies.row_L;
  double *A = z->fast->bodies.body, *push = A + n * n;
  memset(A, 0, (size_t)(n * n) * sizeof *A);
  for (int j = 0; j < f->m; j++) {
    const double *d = f->D + (size_t)j * (size_t)z->rows;
    memset(push, 0, (size_t)n * sizeof *push);
    for (int r = f->reach_D[j].from; r < f->reach_D[j].to; r++)
      add_fours(n, f->stiff[j] * d[r], L + r * n, push);
    for (int k = 0; k < z->fast->bodies.rank; k++)
      add_fours(n, push[k], L + f->row[j] * n, A + k * n);
  }
  double one = square(n, A, push), two = square(n, A, push), four = square(n, A, push);
  return one * sqrt(two * sqrt(four));
}
