/* A phase in which no slip turns is linear: power series that are exact to rounding.
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
 *
 * Coefficients follow each other: v[j+1] = h B f[j] / (j+1), y[j+1] = h v[j] / (j+1). With omega a
 * bound of the frequencies and h omega = 2 the terms left out are (2^25)/25! = 2e-18 of the whole.
 * Series need no eigenvectors: slip makes the system unsymmetric, and it may be defective.
 */
#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "core/poly.h"
#include "impact/laws/compliant/state.h"

enum { N = COMPLIANT_ORDER };
static const double REACH = 2; /* h omega */

#define I(j) 1.0 / (j + 1)
const double compliant_inverse[COMPLIANT_LENGTH] = {
    I(0),  I(1),  I(2),  I(3),  I(4),  I(5),  I(6),  I(7),  I(8),  I(9),  I(10), I(11), I(12),
    I(13), I(14), I(15), I(16), I(17), I(18), I(19), I(20), I(21), I(22), I(23), I(24)};
#undef I

double compliant_slip_mu(const compliant_contact *c) {
  return c->printed && c->restituting ? c->e * c->mu : c->mu;
}

/* impulse on the rows by a unit of normal force of contact c */
static void normal_column(const compliant_contact *c, double *column) {
  column[c->n] = 1;
  if (c->grip != SLIP) return;
  double mu = compliant_slip_mu(c);
  for (int i = 0; i < c->tangents; i++) column[c->t + i] = -mu * c->d[i];
}

/* ---- structure: speed only. Cradle of 1,000 balls: 3.6 s without, 0.5 s with. ---- */

/* One column of L from what is left of the diagonal: pivoted Cholesky. The largest pivot left. */
static int next_column(const compliant *z, int rank, double *left) {
  int rows = z->rows, pivot = 0;
  double *l = z->L + (size_t)rank * (size_t)rows;
  for (int r = 1; r < rows; r++)
    if (left[r] > left[pivot]) pivot = r;
  double root = sqrt(left[pivot]);
  for (int r = 0; r < rows; r++) {
    double sum = z->W[(size_t)pivot * (size_t)rows + (size_t)r];
    for (int k = 0; k < rank; k++) sum -= z->L[k * rows + r] * z->L[k * rows + pivot];
    l[r] = sum / root;
    left[r] -= l[r] * l[r];
  }
  left[pivot] = 0;
  return pivot;
}

/* Few bodies with many contacts: W = L L^T of small rank. Plate on 64 contacts in space: see the
 * bench. */
static void find_rank(compliant *z) {
  int rows = z->rows, most = rows / 6;
  double size = 0, *left = z->row_sum;
  z->rank = 0;
  if (rows < 36 || !(z->L = core_scratch_doubles(z->scratch, (size_t)(rows * (most + 1))))) return;
  for (int r = 0; r < rows; r++) {
    left[r] = z->W[(size_t)r * (size_t)(rows + 1)];
    size = core_max(size, left[r]);
  }
  for (int rank = 0; rank <= most; rank++) {
    double largest = 0;
    for (int r = 0; r < rows; r++) largest = core_max(largest, left[r]);
    if (largest <= TOL_RANK * size) {
      z->rank = rank;
      return;
    }
    next_column(z, rank, left);
  }
}

void compliant_find_spans(compliant *z) {
  size_t rows = (size_t)z->rows;
  memset(z->B, 0, rows * rows * sizeof *z->B);
  memset(z->D, 0, rows * rows * sizeof *z->D);
  for (int c = 0; c < z->rows; c++) {
    const double *w = z->W + (size_t)c * rows;
    int from = 0, to = z->rows;
    while (from < to && w[from] == 0) from++;
    while (to > from && w[to - 1] == 0) to--;
    z->span[c] = (compliant_span){from, to};
    z->sparse |= 2 * (to - from) < z->rows;
    z->reach_B[c] = z->reach_D[c] = (compliant_span){0, 0};
  }
  find_rank(z);
}

void compliant_multiply(const compliant *z, const double *F, double *v) {
  int rows = z->rows;
  for (int k = 0; k < z->rank; k++) {
    const double *l = z->L + (size_t)k * (size_t)rows;
    double sum = 0;
    for (int r = 0; r < rows; r++) sum += l[r] * F[r];
    for (int r = 0; r < rows; r++) v[r] += l[r] * sum;
  }
  for (int c = 0; !z->rank && c < rows; c++) {
    const double *w = z->W + (size_t)c * (size_t)rows, f = F[c];
    if (f == 0) continue;
    for (int r = z->span[c].from, to = z->span[c].to; r < to; r++) v[r] += w[r] * f;
  }
}

void compliant_velocity(const compliant *z, const double *p, double *v) {
  memcpy(v, z->pr->v, (size_t)z->rows * sizeof *v);
  compliant_multiply(z, p, v);
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

static void add_force(compliant *z, int contact, int row, double stiff) {
  int i = z->m++;
  z->row[i] = row;
  z->owner[i] = contact;
  z->stiff[i] = stiff;
  clear(z->D + (size_t)i * (size_t)z->rows, &z->reach_D[i]);
  z->reach_D[i] = (compliant_span){z->c[contact].t, z->c[contact].n + 1};
}

static void collect_forces(compliant *z) {
  z->m = z->pressed = z->held_count = 0;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *c = &z->c[i];
    if (c->touch == OPEN) continue;
    if (c->grip == STICK)
      for (int t = 0; t < c->tangents; t++) {
        add_force(z, i, c->t + t, c->kt);
        z->D[(z->m - 1) * z->rows + c->t + t] = 1;
      }
    if (c->touch == PRESSED) {
      z->pressed++;
      add_force(z, i, c->n, c->k);
      normal_column(c, z->D + (z->m - 1) * z->rows);
    } else {
      z->held_count++;
    }
  }
}

/* a = W column, which is zero outside *s; the few entries of a column are on the rows of one
 * contact */
static void accelerate(const compliant *z, const compliant_contact *c, const double *column,
                       double *a, compliant_span *s) {
  clear(a, s);
  for (int i = c->tangents; i >= 0; i--) {
    int row = i == c->tangents ? c->n : c->t + i;
    double by = column[row];
    if (by == 0) continue;
    const double *w = z->W + (size_t)row * (size_t)z->rows;
    include(s, z->span[row]);
    for (int r = z->span[row].from; r < z->span[row].to; r++) a[r] += w[r] * by;
  }
}

/* sum_j sqrt(k_i k_j) |B_ij| bounds the square of every frequency */
static double frequency_bound(const compliant *z) {
  double largest = 0, *sum = z->row_sum;
  memset(sum, 0, (size_t)z->rows * sizeof *sum);
  for (int j = 0; j < z->m; j++) {
    const double *b = z->B + (size_t)j * (size_t)z->rows;
    double root = sqrt(z->stiff[j]);
    for (int r = z->reach_B[j].from; r < z->reach_B[j].to; r++) sum[r] += root * fabs(b[r]);
  }
  for (int i = 0; i < z->m; i++) largest = core_max(largest, sum[z->row[i]] * sqrt(z->stiff[i]));
  return sqrt(largest);
}

/* H, W H and M of the held contacts; M^+ goes to z->M (smallest norm where M is singular) */
static core_status held_matrix(compliant *z, int *who, double *H, double *WH) {
  int n = 0, rows = z->rows, rank;
  for (int i = 0; i < z->nc; i++)
    if (z->c[i].touch == HELD) {
      double *column = H + (size_t)n * (size_t)rows;
      memset(column, 0, (size_t)rows * sizeof *column);
      normal_column(&z->c[i], column);
      compliant_span all = {0, rows};
      accelerate(z, &z->c[i], column, WH + (size_t)n * (size_t)rows, &all);
      who[n++] = i;
    }
  double *M = core_scratch_doubles(z->scratch, (size_t)(2 * n * n));
  if (!M) return CORE_NO_MEMORY;
  double *one = M + n * n;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      M[j * n + i] = WH[j * rows + z->c[who[i]].n];
      one[j * n + i] = i == j;
    }
  core_status status = core_lin_least_squares(n, n, M, n, one, -1, z->scratch, z->M, &rank);
  z->redundant |= rank < n;
  return status;
}

static core_status eliminate_held(compliant *z) {
  int n = z->held_count, rows = z->rows;
  core_mark mark = core_scratch_mark(z->scratch);
  double *H = core_scratch_doubles(z->scratch, (size_t)(2 * n * rows));
  int *who = core_scratch_ints(z->scratch, (size_t)n);
  if (!H || !who) return CORE_NO_MEMORY;
  double *WH = H + n * rows;
  core_status status = held_matrix(z, who, H, WH);
  memset(z->G, 0, (size_t)(z->nc * z->m) * sizeof *z->G);
  for (int i = 0; i < z->m && !status; i++) {
    double *b = z->B + i * rows, *d = z->D + i * rows, *g = z->G + i * z->nc;
    z->reach_B[i] = z->reach_D[i] = (compliant_span){0, rows};
    for (int h = 0; h < n; h++)
      for (int l = 0; l < n; l++) g[who[h]] -= z->M[l * n + h] * b[z->c[who[l]].n];
    for (int h = 0; h < n; h++)
      for (int r = 0; r < rows; r++) {
        b[r] += WH[h * rows + r] * g[who[h]];
        d[r] += H[h * rows + r] * g[who[h]];
      }
  }
  core_scratch_release(z->scratch, mark);
  return status;
}

core_status compliant_build(compliant *z) {
  collect_forces(z);
  for (int i = 0; i < z->m; i++)
    accelerate(z, &z->c[z->owner[i]], z->D + i * z->rows, z->B + i * z->rows, &z->reach_B[i]);
  core_status status = z->held_count ? eliminate_held(z) : CORE_OK;
  z->omega = frequency_bound(z);
  return status;
}

/* ---- the series --------------------------------------------------------------------------- */

static void forces_of_order(const compliant *z, int j) {
  const compliant_series *s = &z->series;
  const double *y = s->y + j * z->rows;
  double *f = s->f + j * z->m;
  for (int i = 0; i < z->m; i++) f[i] = -z->stiff[i] * y[z->row[i]];
  if (!z->held_count) return;
  double *q = s->held + j * z->nc;
  memset(q, 0, (size_t)z->nc * sizeof *q);
  for (int i = 0; i < z->m; i++)
    for (int c = 0; c < z->nc; c++) q[c] += z->G[i * z->nc + c] * f[i];
}

/* The terms fall like (omega h)^j / j!, with the true omega below its bound: then the same
 * coefficients reach further. */
static double usable_reach(const compliant *z) {
  if (z->m < 3) return 1;
  const double *last = z->series.v + N * z->rows;
  double size = 0;
  for (int r = 0; r < z->rows; r++) size = core_max(size, fabs(last[r]));
  if (size > 1e-4 * TOL_LINEAR_LAST * z->speed) return 1;
  return core_min(1.6, pow(TOL_LINEAR_LAST * z->speed / core_max(size, 1e-300), 1.0 / N));
}

/* v += by W D f, with W = L L^T */
static void multiply_through_bodies(compliant *z, const double *f, double by, double *v) {
  memset(z->row_sum, 0, (size_t)z->rows * sizeof *z->row_sum);
  for (int i = 0; i < z->m; i++) {
    const double *d = z->D + (size_t)i * (size_t)z->rows;
    for (int r = z->reach_D[i].from; r < z->reach_D[i].to; r++) z->row_sum[r] += d[r] * by * f[i];
  }
  compliant_multiply(z, z->row_sum, v);
}

/* v += by B f, as far as its columns reach */
static void multiply_spans(const compliant *z, const double *f, double by, double *v) {
  for (int i = 0; i < z->m; i++) {
    const double *b = z->B + (size_t)i * (size_t)z->rows;
    double fi = by * f[i];
    for (int r = z->reach_B[i].from, to = z->reach_B[i].to; r < to; r++) v[r] += b[r] * fi;
  }
}

void compliant_linear_series(compliant *z) {
  compliant_series *s = &z->series;
  int rows = z->rows, m = z->m;
  s->turning = s->uneven = 0;
  s->order = N;
  s->h = REACH / z->omega;
  memcpy(s->y, z->y, (size_t)rows * sizeof *s->y);
  memcpy(s->v, z->v, (size_t)rows * sizeof *s->v);
  for (int j = 0; j < N; j++) {
    forces_of_order(z, j);
    double by = s->h * compliant_inverse[j], *f = s->f + j * m;
    double *v = s->v + (j + 1) * rows, *y = s->y + (j + 1) * rows;
    for (int r = 0; r < rows; r++) {
      y[r] = by * v[r - rows];
      v[r] = 0;
    }
    if (z->rank)
      multiply_through_bodies(z, f, by, v);
    else if (z->sparse)
      multiply_spans(z, f, by, v);
    else
      for (int i = 0; i < m; i++) {
        const double *b = z->B + i * rows;
        double fi = by * f[i];
        for (int r = 0; r < rows; r++) v[r] += b[r] * fi;
      }
  }
  forces_of_order(z, N);
  s->reach = usable_reach(z);
}

/* p += D h sum f[j] x^(j+1) / (j+1) */
void compliant_linear_impulse(const compliant *z, double x, double *p) {
  const compliant_series *s = &z->series;
  for (int i = 0; i < z->m; i++) {
    double sum = 0;
    for (int j = N; j >= 0; j--) sum = (sum + s->f[j * z->m + i] * compliant_inverse[j]) * x;
    sum *= s->h;
    const double *d = z->D + i * z->rows;
    for (int r = z->reach_D[i].from; r < z->reach_D[i].to; r++) p[r] += d[r] * sum;
  }
}
