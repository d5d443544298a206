/* Groups of contacts that slide in ways that depend on each other. With what sticks held, forces at
 * the tangents of contacts that slide make accelerations W~ = W - W_:S Z; W~ = L L^T by Cholesky's
 * factors with the largest pivot first gives rows that are independent, and others that are their
 * combinations: contacts of such a combination are of one group.
 */
#include "impact/laws/lzb/group.h"

#include <math.h>
#include <string.h>

#include "impact/laws/tolerance.h"

typedef struct rows {
  const lzb *z;
  int n;         /* contacts, two rows each */
  const int *of; /* which */
  int r, *pivot; /* ways to slide, their rows */
  double *L;     /* 2 n x 2 n, row by row */
  double *left;  /* 2 n */
} rows;

static int row_of(const rows *q, int i) {
  return q->z->c[q->of[i / 2]].t + i % 2;
}

/* what a force at row j does to row i, with what sticks held */
static double held(const rows *q, int i, int j) {
  const lzb *z = q->z;
  int r = row_of(q, i), s = row_of(q, j);
  double w = z->W[s * z->rows + r];
  for (int k = 0; k < z->n_stuck; k++)
    w -= z->W[z->stuck[k] * z->rows + r] * z->Z[s * z->n_stuck + k];
  return w;
}

static double largest(const rows *q) {
  double most = 0;
  for (int i = 0; i < 2 * q->n; i++) {
    int r = row_of(q, i);
    most = fmax(most, q->z->W[r * q->z->rows + r]);
  }
  return most;
}

static void factor(rows *q) {
  int k = 2 * q->n;
  double floor = TOL_LZB_RANK * largest(q), *L = q->L;
  memset(L, 0, (size_t)(k * k) * sizeof *L);
  for (int i = 0; i < k; i++) q->left[i] = held(q, i, i);
  for (q->r = 0; q->r < k; q->r++) {
    int best = 0, c = q->r;
    for (int i = 1; i < k; i++)
      if (q->left[i] > q->left[best]) best = i;
    if (!(q->left[best] > floor)) break;
    double root = sqrt(q->left[best]);
    q->pivot[c] = best;
    for (int i = 0; i < k; i++) {
      double sum = held(q, i, best);
      for (int j = 0; j < c; j++) sum -= L[i * k + j] * L[best * k + j];
      L[i * k + c] = q->left[i] > 0 ? sum / root : 0;
    }
    for (int i = 0; i < k; i++)
      if (q->left[i] > 0) q->left[i] = fmax(q->left[i] - L[i * k + c] * L[i * k + c], 0);
    q->left[best] = 0;
  }
}

/* ---- groups ---- */

static int leader(const int *of, int i) {
  while (of[i] != i) i = of[i];
  return i;
}

/* contacts whose rows are combinations of rows of others join them: L_i = sum x_p L_p */
static void join(const rows *q, int i, int *lead, double *x) {
  int k = 2 * q->n;
  for (int c = q->r - 1; c >= 0; c--) {
    double sum = q->L[i * k + c];
    for (int j = c + 1; j < q->r; j++) sum -= x[j] * q->L[q->pivot[j] * k + c];
    x[c] = sum / q->L[q->pivot[c] * k + c];
  }
  for (int c = 0; c < q->r; c++)
    if (fabs(x[c]) > TOL_LZB_JOINED) {
      int a = leader(lead, i / 2), b = leader(lead, q->pivot[c] / 2);
      lead[a > b ? a : b] = a > b ? b : a;
    }
}

static int take_group(lzb *z, lzb_group *a, const rows *whole, const int *lead, int first) {
  int n = 0, *of = core_scratch_ints(z->s, (size_t)whole->n * 3);
  if (!of) return 0;
  for (int i = 0; i < whole->n; i++)
    if (leader(lead, i) == first) of[n++] = whole->of[i];
  rows q = {.z = z, .n = n, .of = of, .L = whole->L, .left = whole->left};
  if (n > LZB_GROUP_MOST) return 0;
  q.pivot = of + n;
  factor(&q);
  double *B = core_scratch_doubles(z->s, (size_t)q.r * (size_t)(2 * n + 2 * LZB_PAD) + 1);
  if (!B) return 0;
  for (int i = 0; i < 2 * n; i++)
    for (int j = 0; j < q.r; j++) B[i * q.r + j] = q.L[i * 2 * n + j];
  double *w = B + 2 * n * q.r;
  *a = (lzb_group){.n = n, .r = q.r, .of = of, .at = z->turn.n, .pivot = q.pivot, .B = B, .w = w};
  a->last = w + q.r * LZB_PAD;
  z->turn.n += q.r;
  return 1;
}

void lzb_group_solve(const lzb_group *a, const double *v, double *y) {
  for (int c = 0; c < a->r; c++) {
    const double *row = a->B + a->pivot[c] * a->r;
    double sum = v[a->pivot[c]];
    for (int j = 0; j < c; j++) sum -= row[j] * y[j];
    y[c] = sum / row[c];
  }
}

static int take_unknowns(lzb *z) {
  size_t n = (size_t)z->turn.n, all = (size_t)z->rows;
  double *x = core_scratch_doubles(z->s, 2 * all + 3 * n * n + 2 * n);
  if (!x) return 0;
  z->turn.first = x, z->turn.g = x + all, z->turn.x = z->turn.g + all;
  z->turn.A = z->turn.x + n, z->turn.work = z->turn.A + n * n;
  return 1;
}

int lzb_group_all(lzb *z) {
  size_t n = (size_t)z->n_stiff;
  rows q = {.z = z, .n = z->n_stiff, .of = z->stiff};
  int *lead = core_scratch_ints(z->s, 3 * n), *pivots = lead ? lead + n : NULL;
  q.pivot = pivots;
  q.L = core_scratch_doubles(z->s, 4 * n * n + 4 * n);
  z->turn.group = core_scratch_bytes(z->s, n * sizeof *z->turn.group);
  if (!lead || !q.L || !z->turn.group) return 0;
  q.left = q.L + 4 * n * n;
  factor(&q);
  for (int i = 0; i < q.n; i++) lead[i] = i;
  for (int i = 0; i < 2 * q.n; i++) join(&q, i, lead, q.left + 2 * n);
  z->turn.groups = z->turn.n = 0;
  for (int i = 0; i < q.n; i++)
    if (lead[i] == i && !take_group(z, &z->turn.group[z->turn.groups++], &q, lead, i)) return 0;
  return take_unknowns(z);
}
