/* The forces of a phase, and what they do.
 *
 * Every normal force drives itself: -k n while pressed. A sticking contact adds its tangential
 * springs -kt x; a slipping one drags mu times its normal force along -d. So with one generalised
 * force f_i = -k_i y[row_i] per spring, rows change by
 *
 *   p' = D f,   v' = W p' = B f,   y' = v
 *
 * Held contacts (e = 0, v_n stays 0) push with what it takes: with H the columns of their reactions
 * and M = N W H their own normal accelerations, M q = -N W D f gives q = G f, and D + H G, B + W H
 * G take the place of D and B.
 */
#include <string.h>

#include "core/lin.h"
#include "impact/laws/compliant/state.h"

/* ---- structure of W. Speed only: cradle of 1,000 balls 3.6 s without spans, 0.5 s with; plate on
 * 64 contacts in space 121 ms without L, 50 ms with. ---- */

/* One column of L from what is left of the diagonal: pivoted Cholesky. */
static void next_column(const compliant *z, int rank, double *left) {
  int rows = z->rows, pivot = 0;
  double *l = z->inertia.L + (size_t)rank * (size_t)rows;
  for (int r = 1; r < rows; r++)
    if (left[r] > left[pivot]) pivot = r;
  double root = sqrt(left[pivot]);
  for (int r = 0; r < rows; r++) {
    double sum = z->inertia.W[(size_t)pivot * (size_t)rows + (size_t)r];
    for (int k = 0; k < rank; k++)
      sum -= z->inertia.L[k * rows + r] * z->inertia.L[k * rows + pivot];
    l[r] = sum / root;
    left[r] -= l[r] * l[r];
  }
  left[pivot] = 0;
}

static void keep_rank(compliant_inertia *a, int rows, int rank) {
  int n = a->padded = (rank + 3) / 4 * 4;
  a->rank = rank;
  memset(a->row_L, 0, (size_t)(rows * n) * sizeof *a->row_L);
  for (int r = 0; r < rows; r++)
    for (int k = 0; k < rank; k++) a->row_L[r * n + k] = a->L[k * rows + r];
}

/* few bodies with many contacts: W = L L^T of small rank */
static void find_rank(compliant *z) {
  int rows = z->rows, most = rows / 6;
  double size = 0, *left = z->row_work;
  if (rows < 36) return;
  z->inertia.L = core_scratch_doubles(z->scratch, (size_t)(rows * (most + 1)));
  z->inertia.row_L = core_scratch_doubles(z->scratch, (size_t)(rows * (most + 3)));
  z->inertia.body = core_scratch_doubles(z->scratch, (size_t)(2 * (most + 3) * (most + 3)));
  if (!z->inertia.L || !z->inertia.row_L || !z->inertia.body) return;
  for (int r = 0; r < rows; r++) {
    left[r] = z->inertia.W[(size_t)r * (size_t)(rows + 1)];
    size = core_max(size, left[r]);
  }
  for (int rank = 0; rank <= most; rank++) {
    double largest = 0;
    for (int r = 0; r < rows; r++) largest = core_max(largest, left[r]);
    if (largest <= TOL_RANK * size) {
      keep_rank(&z->inertia, rows, rank);
      return;
    }
    next_column(z, rank, left);
  }
}

void compliant_find_structure(compliant *z) {
  size_t rows = (size_t)z->rows;
  compliant_phase *f = &z->phase;
  memset(f->B, 0, rows * rows * sizeof *f->B);
  memset(f->D, 0, rows * rows * sizeof *f->D);
  for (int c = 0; c < z->rows; c++) {
    const double *w = z->inertia.W + (size_t)c * rows;
    int from = 0, to = z->rows;
    while (from < to && w[from] == 0) from++;
    while (to > from && w[to - 1] == 0) to--;
    z->inertia.span[c] = (compliant_span){from, to};
    f->reach_B[c] = f->reach_D[c] = (compliant_span){0, 0};
  }
  find_rank(z);
}

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

CORE_WIDE void compliant_multiply(const compliant *z, double by, const double *F, double *v) {
  const compliant_inertia *a = &z->inertia;
  int rows = z->rows, k = 0;
  for (; k + 2 < a->rank; k += 3) through_bodies(3, rows, a->L + k * rows, by, F, v);
  for (; k < a->rank; k++) through_bodies(1, rows, a->L + k * rows, by, F, v);
  for (int c = 0; !a->rank && c < rows; c++) {
    const double *w = a->W + (size_t)c * (size_t)rows, f = by * F[c];
    if (f == 0) continue;
    for (int r = a->span[c].from, to = a->span[c].to; r < to; r++) v[r] += w[r] * f;
  }
}

static void clear(double *column, compliant_span *s) {
  if (s->to > s->from) memset(column + s->from, 0, (size_t)(s->to - s->from) * sizeof *column);
  *s = (compliant_span){0, 0};
}

static void include(compliant_span *s, compliant_span more) {
  if (s->to == s->from)
    *s = more;
  else if (more.to > more.from)
    *s = (compliant_span){s->from < more.from ? s->from : more.from,
                          s->to > more.to ? s->to : more.to};
}

/* ---- the forces ---- */

/* impulse on the rows by a unit of normal force of contact c */
static void normal_column(const compliant_contact *c, double *column) {
  column[c->n] = 1;
  if (c->grip != SLIP) return;
  double mu = slip_mu(c);
  for (int i = 0; i < c->tangents; i++) column[c->t + i] = -mu * c->d[i];
}

/* its column of D, still zero */
static double *add_force(compliant *z, int contact, int row, double stiff) {
  compliant_phase *f = &z->phase;
  int i = f->m++;
  double *column = f->D + (size_t)i * (size_t)z->rows;
  f->row[i] = row, f->owner[i] = contact, f->stiff[i] = stiff;
  clear(column, &f->reach_D[i]);
  f->reach_D[i] = (compliant_span){z->c[contact].t, z->c[contact].n + 1};
  return column;
}

static void collect_forces(compliant *z) {
  compliant_phase *f = &z->phase;
  f->m = f->pressed = f->held = 0;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *c = &z->c[i];
    if (c->touch == OPEN) continue;
    for (int t = c->t; c->grip == STICK && t < c->n; t++) add_force(z, i, t, c->kt)[t] = 1;
    if (c->touch == PRESSED) normal_column(c, add_force(z, i, c->n, c->k));
    ++*(c->touch == PRESSED ? &f->pressed : &f->held);
  }
}

/* a = W column, which is zero outside *s; the few entries of a column are on the rows of one
 * contact */
static void accelerate(const compliant *z, const compliant_contact *c, const double *column,
                       double *a, compliant_span *s) {
  clear(a, s);
  for (int i = c->tangents; i >= 0; i--) {
    int row = c->t + i;
    double by = column[row];
    if (by == 0) continue;
    const double *w = z->inertia.W + (size_t)row * (size_t)z->rows;
    compliant_span to = z->inertia.span[row];
    include(s, to);
    for (int r = to.from; r < to.to; r++) a[r] += w[r] * by;
  }
}

/* sum_j sqrt(k_i k_j) |B_ij| bounds the square of every frequency */
static double bound_of_rows(const compliant *z) {
  const compliant_phase *f = &z->phase;
  double largest = 0, *sum = z->row_work;
  memset(sum, 0, (size_t)z->rows * sizeof *sum);
  for (int j = 0; j < f->m; j++) {
    const double *b = f->B + (size_t)j * (size_t)z->rows;
    double root = sqrt(f->stiff[j]);
    for (int r = f->reach_B[j].from; r < f->reach_B[j].to; r++) sum[r] += root * fabs(b[r]);
  }
  for (int i = 0; i < f->m; i++) largest = core_max(largest, sum[f->row[i]] * sqrt(f->stiff[i]));
  return largest;
}

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
CORE_WIDE static double bound_of_bodies(const compliant *z) {
  const compliant_phase *f = &z->phase;
  int n = z->inertia.padded;
  const double *L = z->inertia.row_L;
  double *A = z->inertia.body, *push = A + n * n;
  memset(A, 0, (size_t)(n * n) * sizeof *A);
  for (int j = 0; j < f->m; j++) {
    const double *d = f->D + (size_t)j * (size_t)z->rows;
    memset(push, 0, (size_t)n * sizeof *push);
    for (int r = f->reach_D[j].from; r < f->reach_D[j].to; r++)
      add_fours(n, f->stiff[j] * d[r], L + r * n, push);
    for (int k = 0; k < z->inertia.rank; k++) add_fours(n, push[k], L + f->row[j] * n, A + k * n);
  }
  double one = square(n, A, push), two = square(n, A, push), four = square(n, A, push);
  return one * sqrt(two * sqrt(four));
}

/* H, W H and M of the held contacts; M^+ goes to phase.M (smallest norm where M is singular) */
static core_status held_matrix(compliant *z, double *H, double *WH) {
  int n = 0, rows = z->rows, rank;
  for (int i = 0; i < z->nc; i++) {
    if (z->c[i].touch != HELD) continue;
    double *column = H + (size_t)n * (size_t)rows;
    memset(column, 0, (size_t)rows * sizeof *column);
    normal_column(&z->c[i], column);
    compliant_span all = {0, rows};
    accelerate(z, &z->c[i], column, WH + (size_t)n * (size_t)rows, &all);
    z->who[n++] = i;
  }
  double *M = core_scratch_doubles(z->scratch, (size_t)(2 * n * n));
  if (!M) return CORE_NO_MEMORY;
  double *one = M + n * n;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      M[j * n + i] = WH[j * rows + z->c[z->who[i]].n];
      one[j * n + i] = i == j;
    }
  core_status status = core_lin_least_squares(n, n, M, n, one, -1, z->scratch, z->phase.M, &rank);
  z->phase.redundant |= rank < n;
  return status;
}

static core_status eliminate_held(compliant *z) {
  compliant_phase *f = &z->phase;
  int n = f->held, rows = z->rows;
  core_mark mark = core_scratch_mark(z->scratch);
  double *H = core_scratch_doubles(z->scratch, (size_t)(2 * n * rows)), *WH = H + n * rows;
  if (!H) return CORE_NO_MEMORY;
  core_status status = held_matrix(z, H, WH);
  memset(f->G, 0, (size_t)(z->nc * f->m) * sizeof *f->G);
  for (int i = 0; i < f->m && !status; i++) {
    double *b = f->B + i * rows, *d = f->D + i * rows, *g = f->G + i * z->nc;
    f->reach_B[i] = f->reach_D[i] = (compliant_span){0, rows};
    for (int h = 0; h < n; h++)
      for (int l = 0; l < n; l++) g[z->who[h]] -= f->M[l * n + h] * b[z->c[z->who[l]].n];
    for (int h = 0; h < n; h++)
      for (int r = 0; r < rows; r++) {
        b[r] += WH[h * rows + r] * g[z->who[h]];
        d[r] += H[h * rows + r] * g[z->who[h]];
      }
  }
  core_scratch_release(z->scratch, mark);
  return status;
}

void compliant_make_B(compliant *z) {
  compliant_phase *f = &z->phase;
  for (int i = 0; !f->has_B && i < f->m; i++)
    accelerate(z, &z->c[f->owner[i]], f->D + i * z->rows, f->B + i * z->rows, &f->reach_B[i]);
  f->has_B = 1;
}

core_status compliant_build(compliant *z) {
  compliant_phase *f = &z->phase;
  int bodies = z->inertia.rank;
  collect_forces(z);
  f->has_B = 0;
  if (f->held || !bodies) compliant_make_B(z);
  core_status status = f->held ? eliminate_held(z) : CORE_OK;
  f->omega = sqrt(bodies && !f->held ? bound_of_bodies(z) : bound_of_rows(z));
  /* where held contacts let no spring give way forces are constant, and any step does */
  f->omega = core_max(f->omega, 1 / z->period);
  return status;
}
