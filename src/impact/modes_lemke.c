/* Lemke's method, with lexicographic ties, for cones with flat sides (Stewart and Trinkle).
 *
 * The friction of a contact is a sum of impulses beta_k >= 0 along e_1 .. e_K, which lie opposite
 * each other by twos; with lambda, the speed of sliding,
 *
 *   u_n                >= 0  _|_  p_n - low >= 0
 *   e_k.u_t + lambda   >= 0  _|_  beta_k    >= 0
 *   mu p_n - sum beta  >= 0  _|_  lambda    >= 0
 *
 *   w = M z + q,   z, w >= 0,   z.w = 0,   M copositive
 *
 * In the plane K = 2 is exact, and the method ends at a solution wherever one must exist (an e = 0
 * impact always has one). In space it gives Newton a start that lies near a solution for the round
 * cone. The path begins at z_0 so large that all contacts part, and never turns back: ties are
 * broken by the rows of the inverse basis, so that no basis comes twice.
 *
 * Scales: impulses of contact c in units of 1/sqrt(W_nn), lambda in those of sqrt(W_nn).
 */
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "impact/modes_part.h"
#include "impact/tolerance.h"

typedef struct tableau {
  int n, width; /* rows; 2 n + 2: w, z, z_0, q */
  double *a;    /* n x width, by rows */
  int *basis;   /* n: 0 .. n - 1 w, n .. 2 n - 1 z, 2 n z_0 */
} tableau;

/* ---- the tableau ---- */

/* row i is before row k by (q, inverse basis)/entry: 1, or 0 */
static int before(const tableau *t, int i, int k, int column) {
  const double *a = t->a + i * t->width, *b = t->a + k * t->width;
  double fa = 1 / fabs(a[column]), fb = 1 / fabs(b[column]);
  double x = a[t->width - 1] * fa, y = b[t->width - 1] * fb;
  for (int j = 0; j <= t->n; j++) {
    if (fabs(x - y) > TOL_TABLEAU * (fabs(x) + fabs(y)) && fabs(x - y) > TOL_TABLEAU * TOL_TABLEAU)
      return x < y;
    if (j < t->n) x = a[j] * fa, y = b[j] * fb;
  }
  return i < k;
}

static void pivot(tableau *t, int row, int column) {
  double *restrict from = t->a + row * t->width, over = 1 / from[column];
  for (int j = 0; j < t->width; j++) from[j] *= over;
  for (int i = 0; i < t->n; i++) {
    double *restrict to = t->a + i * t->width, f = to[column];
    if (i == row || f == 0) continue;
    for (int j = 0; j < t->width; j++) to[j] -= f * from[j];
    to[column] = 0;
  }
  from[column] = 1;
  t->basis[row] = column;
}

/* the row that leaves when `column` enters, or -1: a ray. z_0 leaves as soon as it may. */
static int leaving(const tableau *t, int column) {
  int best = -1;
  for (int i = 0; i < t->n; i++) {
    if (t->a[i * t->width + column] <= TOL_TABLEAU) continue;
    if (best < 0 || before(t, i, best, column)) best = i;
  }
  for (int i = 0; i < t->n && best >= 0; i++) {
    const double *a = t->a + i * t->width, *b = t->a + best * t->width;
    if (t->basis[i] != 2 * t->n || a[column] <= TOL_TABLEAU) continue;
    if (a[t->width - 1] / a[column] <= b[t->width - 1] / b[column] + TOL_TABLEAU * TOL_TABLEAU)
      return i;
  }
  return best;
}

/* the row with the most negative q: z_0 enters there */
static int first_row(const tableau *t) {
  int best = 0;
  for (int i = 1; i < t->n; i++)
    if (before(t, i, best, 2 * t->n)) best = i;
  return t->a[best * t->width + t->width - 1] < 0 ? best : -1;
}

static core_status run(tableau *t) {
  int n = t->n, row = first_row(t), enters;
  if (row < 0) return CORE_OK;
  enters = t->basis[row] + n;
  pivot(t, row, 2 * n);
  for (int i = 0; i < 50 * n + 100; i++) {
    if (core_interrupted()) return CORE_INTERRUPTED;
    row = leaving(t, enters);
    if (row < 0) return CORE_NO_SOLUTION;
    int leaves = t->basis[row];
    pivot(t, row, enters);
    if (leaves == 2 * n) return CORE_OK;
    enters = leaves < n ? leaves + n : leaves - n;
  }
  return CORE_NOT_CONVERGED;
}

/* ---- the problem ---- */

/* sides of contact c's cone, and the direction of the k-th: in space the first is that of b_t, so
 * that turned tangents change nothing */
static int sides(const modes_contact *k, int facets) {
  return k->n == k->t || !(k->mu > 0) ? 0 : k->n - k->t == 1 ? 2 : facets;
}

static void side(const impact_modes *m, const modes_contact *k, int facets, int i, double *e) {
  if (k->n - k->t == 1) {
    e[0] = i ? -1 : 1, e[1] = 0;
    return;
  }
  double x = m->b[k->t], y = m->b[k->t + 1];
  double angle = (x != 0 || y != 0 ? atan2(y, x) : 0) + 2 * M_PI * i / facets;
  e[0] = cos(angle), e[1] = sin(angle);
}

static double unit_of(const modes_contact *k) {
  return k->rho_n > 0 ? sqrt(k->rho_n) : 1;
}

/* columns of G: rows x n, what each z does to p; lambda's are 0. Returns n. */
static int generators(const modes_work *w, int facets, double *G) {
  int n = 0, rows = w->m->rows;
  for (int c = 0; c < w->m->nc; c++) {
    const modes_contact *k = &w->contact[c];
    int count = sides(k, facets);
    double unit = unit_of(k), e[2];
    for (int i = 0; i < 1 + count + (count > 0) && G; i++) {
      double *g = G + (n + i) * rows;
      memset(g, 0, (size_t)rows * sizeof *g);
      if (i == 0) g[k->n] = unit;
      if (i == 0 || i > count) continue;
      side(w->m, k, facets, i - 1, e);
      g[k->t] = unit * e[0];
      if (k->n - k->t == 2) g[k->t + 1] = unit * e[1];
    }
    n += 1 + count + (count > 0);
  }
  return n;
}

/* what lambda adds to rows `at` .. of a contact: -M there, and q */
static void couple(tableau *t, const modes_contact *k, int at, int count) {
  int last = at + count + 1, n = t->n;
  if (!count) return;
  double mu = fmin(k->mu, MOST_MU), *row = t->a + last * t->width;
  row[n + at] = -mu;
  for (int i = at + 1; i < last; i++) {
    t->a[i * t->width + n + last] = -1;
    row[n + i] = 1;
  }
  row[t->width - 1] = mu * k->low / unit_of(k);
}

/* fills the tableau: w - M z - z_0 = q, M = G^T W G and the couplings; h has rows numbers */
static void fill(const modes_work *w, int facets, const double *G, double *h, tableau *t) {
  int n = t->n, rows = w->m->rows, at = 0;
  memset(t->a, 0, (size_t)n * (size_t)t->width * sizeof *t->a);
  for (int j = 0; j <= n; j++) { /* the last one: q, from b + W low */
    for (int i = 0; i < rows; i++) h[i] = j < n ? 0 : w->m->b[i];
    for (int i = 0; i < rows; i++) {
      double g = j < n ? G[j * rows + i] : 0;
      for (int r = 0; r < rows && g != 0; r++) h[r] += w->m->W[i * rows + r] * g;
    }
    for (int c = 0; c < w->m->nc && j == n && w->m->low; c++)
      for (int r = 0; r < rows; r++) h[r] += w->m->W[w->contact[c].n * rows + r] * w->m->low[c];
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int r = 0; r < rows; r++) sum += G[i * rows + r] * h[r];
      t->a[i * t->width + (j < n ? n + j : t->width - 1)] = j < n ? -sum : sum;
    }
  }
  for (int i = 0; i < n; i++)
    t->a[i * t->width + i] = 1, t->a[i * t->width + 2 * n] = -1, t->basis[i] = i;
  for (int c = 0; c < w->m->nc; c++) {
    int count = sides(&w->contact[c], facets);
    couple(t, &w->contact[c], at, count);
    at += 1 + count + (count > 0);
  }
}

/* q in units of its largest number, so that TOL_TABLEAU is small beside it */
static double normalise(tableau *t) {
  double most = 0;
  for (int i = 0; i < t->n; i++) most = fmax(most, fabs(t->a[i * t->width + t->width - 1]));
  for (int i = 0; i < t->n && most > 0; i++) t->a[i * t->width + t->width - 1] /= most;
  return most;
}

/* The edges of a cone lie on the round one, its sides within: what slides (lambda > 0, a row of the
 * basis) is put on the round cone, against its slip, or Newton would take it for a stick. */
static void round_off(modes_work *w, int facets, const tableau *t) {
  modes_velocity(w->m, w->p, w->u);
  for (int c = 0, at = 0; c < w->m->nc; c++) {
    const modes_contact *k = &w->contact[c];
    int count = sides(k, facets), slides = 0;
    at += 1 + count;
    for (int i = 0; i < t->n && count > 2; i++)
      slides |= t->basis[i] == t->n + at && t->a[i * t->width + t->width - 1] > 0;
    at += count > 0;
    double speed = slides ? hypot(w->u[k->t], w->u[k->t + 1]) : 0;
    for (int i = k->t; i < k->n && speed > 0; i++) w->p[i] = -k->mu * w->p[k->n] * w->u[i] / speed;
  }
}

/* What pivots left to rounding: the values of the last basis once more, from the first tableau,
 * with one round of refinement. Rows that are equal but for some 1e-12 need it. */
static core_status refine(tableau *t, const double *first, core_scratch *s) {
  size_t n = (size_t)t->n;
  double *B = core_scratch_doubles(s, n * n + 2 * n), *x = B + n * n, *left = x + n;
  int *swaps = core_scratch_ints(s, n);
  if (!B || !swaps) return CORE_NO_MEMORY;
  for (size_t j = 0; j < n; j++) {
    x[j] = left[j] = first[(j + 1) * (size_t)t->width - 1];
    for (size_t i = 0; i < n; i++) B[j * n + i] = first[i * (size_t)t->width + (size_t)t->basis[j]];
  }
  if (!(modes_lu(t->n, B, swaps) > 0)) return CORE_OK;
  modes_lu_solve(t->n, B, swaps, x);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++)
      left[i] -= first[i * (size_t)t->width + (size_t)t->basis[j]] * x[j];
  modes_lu_solve(t->n, B, swaps, left);
  for (size_t i = 0; i < n; i++) t->a[(i + 1) * (size_t)t->width - 1] = x[i] + left[i];
  return CORE_OK;
}

core_status modes_lemke(modes_work *w, int facets) {
  core_mark mark = core_scratch_mark(w->s);
  int n = generators(w, facets, NULL), rows = w->m->rows;
  tableau t = {.n = n, .width = 2 * n + 2};
  double *G = core_scratch_doubles(w->s, (size_t)n * (size_t)rows + (size_t)rows);
  size_t entries = (size_t)n * (size_t)t.width;
  t.a = core_scratch_doubles(w->s, 2 * entries);
  t.basis = core_scratch_ints(w->s, (size_t)n);
  if (!G || !t.a || !t.basis) return CORE_NO_MEMORY;
  generators(w, facets, G);
  fill(w, facets, G, G + n * rows, &t);
  double size = normalise(&t);
  memcpy(t.a + entries, t.a, entries * sizeof *t.a);
  core_status status = run(&t);
  if (!status) status = refine(&t, t.a + entries, w->s);
  for (int c = 0; c < w->m->nc && !status; c++)
    for (int i = w->contact[c].t; i <= w->contact[c].n; i++)
      w->p[i] = i == w->contact[c].n ? w->contact[c].low : 0;
  for (int i = 0; i < n && !status; i++) {
    if (t.basis[i] < n || t.basis[i] >= 2 * n) continue;
    const double *g = G + (t.basis[i] - n) * rows, z = size * t.a[i * t.width + t.width - 1];
    for (int r = 0; r < rows; r++) w->p[r] += g[r] * z;
  }
  if (!status) round_off(w, facets, &t);
  core_scratch_release(w->s, mark);
  return status;
}
