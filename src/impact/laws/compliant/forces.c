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
#include "impact/laws/compliant/fast/fast.h"

/* ---- W F ---- */

/* spans are for speed only: cradle of 1,000 balls 3.6 s without, 0.5 s with */
CORE_WIDE void compliant_multiply(const compliant *z, double by, const double *F, double *v) {
  if (fast_multiply(z, by, F, v)) return;
  for (int c = 0; c < z->rows; c++) {
    const double *w = z->W + (size_t)c * (size_t)z->rows, f = by * F[c];
    if (f == 0) continue;
    for (int r = z->span[c].from, to = z->span[c].to; r < to; r++) v[r] += w[r] * f;
  }
}

static void clear(double *column, impact_span *s) {
  if (s->to > s->from) memset(column + s->from, 0, (size_t)(s->to - s->from) * sizeof *column);
  *s = (impact_span){0, 0};
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
  f->reach_D[i] = (impact_span){z->c[contact].t, z->c[contact].n + 1};
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
                       double *a, impact_span *s) {
  clear(a, s);
  for (int i = c->tangents; i >= 0; i--) {
    int row = c->t + i;
    double by = column[row];
    if (by == 0) continue;
    const double *w = z->W + (size_t)row * (size_t)z->rows;
    impact_span to = z->span[row];
    impact_include(s, to);
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

/* H, W H and M of the held contacts; M^+ goes to phase.M (smallest norm where M is singular) */
static core_status held_matrix(compliant *z, double *H, double *WH) {
  int n = 0, rows = z->rows, rank;
  for (int i = 0; i < z->nc; i++) {
    if (z->c[i].touch != HELD) continue;
    double *column = H + (size_t)n * (size_t)rows;
    memset(column, 0, (size_t)rows * sizeof *column);
    normal_column(&z->c[i], column);
    impact_span all = {0, rows};
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
    f->reach_B[i] = f->reach_D[i] = (impact_span){0, rows};
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
  if (f->has_B) return;
  f->has_B = 1;
  for (int i = 0; i < f->m; i++)
    accelerate(z, &z->c[f->owner[i]], f->D + i * z->rows, f->B + i * z->rows, &f->reach_B[i]);
}

core_status compliant_build(compliant *z) {
  compliant_phase *f = &z->phase;
  int bodies = fast_bodies(z);
  collect_forces(z);
  f->has_B = 0;
  if (f->held || !bodies) compliant_make_B(z);
  core_status status = f->held ? eliminate_held(z) : CORE_OK;
  f->omega = sqrt(bodies && !f->held ? fast_bound_of_bodies(z) : bound_of_rows(z));
  /* where held contacts let no spring give way forces are constant, and any step does */
  f->omega = core_max(f->omega, 1 / z->period);
  return status;
}
