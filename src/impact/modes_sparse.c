/* Newton's reduced system (modes_newton.c) where most contacts do not feel each other: assembled
 * and factored by blocks of one contact, in the order of modes_near.c. With D the block of the
 * contact at hand and S those eliminated later that feel it,
 *
 *   A_SS <- A_SS - (A_Sc D^-1) A_cS
 *
 * so that a pile costs as much as its shape asks for, not the cube of its rows. Pivots are sought
 * within a block only; what Newton makes of the answer is judged by its residual anyway.
 */
#include <math.h>
#include <string.h>

#include "impact/modes_part.h"

enum { SIDE = 3 }; /* of a block, at most */

typedef struct block_system {
  modes_work *w;
  int n;                     /* unknowns */
  int *at, *size;            /* nc: first unknown of a contact, how many */
  double *scale, *side;      /* n, by contacts in the order of elimination */
  int *index;                /* n: rows of S */
  double *X[SIDE], *Y[SIDE]; /* n: A_Sc D^-1 and A_cS of the contact at hand */
} block_system;

/* ---- one block ---- */

/* the directions of a contact's unknowns in its own rows: of the rows that vanish, and of the
 * impulses; returns how many */
static int directions(const modes_contact *k, double row[SIDE][SIDE], double impulse[SIDE][SIDE]) {
  int n = 0, normal = k->n - k->t;
  memset(row, 0, SIDE * sizeof *row);
  if (modes_sticks(k))
    for (int i = 0; i < normal; i++) row[n++][i] = 1;
  if (modes_has_across(k)) row[n][0] = -k->d[1], row[n++][1] = k->d[0];
  if (k->pressed) row[n++][normal] = 1;
  memcpy(impulse, row, SIDE * sizeof *row);
  if (!k->pressed || !k->slips || !(k->R > 0)) return n;
  for (int i = 0; i < normal; i++) impulse[n - 1][i] = k->mu * k->d[i];
  return n;
}

/* the block of contacts c and d: row^T W impulse, scaled */
static void write_block(const block_system *z, double *A, int c, int d) {
  const impact_modes *m = z->w->m;
  const modes_contact *a = &z->w->contact[c], *b = &z->w->contact[d];
  double row[SIDE][SIDE], impulse[SIDE][SIDE], unused[SIDE][SIDE];
  directions(a, row, unused);
  directions(b, unused, impulse);
  for (int j = 0; j < z->size[d]; j++) {
    double u[SIDE] = {0, 0, 0};
    for (int l = b->t; l <= b->n; l++) {
      const double *column = m->W + (size_t)l * (size_t)m->rows + a->t;
      for (int i = 0; i <= a->n - a->t; i++)
        u[i] += column[i] * impulse[j][l - b->t]; /* NOLINT: at most SIDE rows */
    }
    for (int i = 0; i < z->size[c]; i++)
      A[(size_t)(z->at[d] + j) * (size_t)z->n + (size_t)(z->at[c] + i)] =
          (row[i][0] * u[0] + row[i][1] * u[1] + row[i][2] * u[2]) * z->scale[z->at[c] + i] *
          z->scale[z->at[d] + j];
  }
}

static void clear_block(const block_system *z, double *A, int c, int d) {
  for (int j = 0; j < z->size[d]; j++)
    memset(A + (size_t)(z->at[d] + j) * (size_t)z->n + z->at[c], 0, (size_t)z->size[c] * sizeof *A);
}

/* ---- the system ---- */

/* unknowns in the order of elimination, their scale, and the last x in them */
static void number(block_system *z) {
  const modes_near *near = z->w->near;
  double row[SIDE][SIDE], impulse[SIDE][SIDE];
  z->n = 0;
  for (int i = 0; i < z->w->m->nc; i++) {
    int c = near->order[i];
    const modes_contact *k = &z->w->contact[c];
    z->at[c] = z->n;
    z->size[c] = directions(k, row, impulse);
    modes_scales(z->w, k, z->n, z->scale);
    for (int j = 0; j < z->size[c]; j++, z->n++) {
      z->w->x[z->n] = 0; /* along the direction of the row: what slides has its p_n */
      for (int r = k->t; r <= k->n; r++) z->w->x[z->n] += row[j][r - k->t] * z->w->p[r];
    }
  }
}

/* A, zero where elimination will fill it, and the right side; h: b + W p of what is known */
static void assemble(block_system *z, double *A, const double *h, double proximal) {
  const modes_work *w = z->w;
  const modes_near *near = w->near;
  double row[SIDE][SIDE], impulse[SIDE][SIDE];
  for (int i = 0; i < w->m->nc; i++) {
    int c = near->order[i];
    for (int k = near->later_start[i]; k < near->later_start[i + 1]; k++)
      clear_block(z, A, c, near->later[k]), clear_block(z, A, near->later[k], c);
  }
  for (int c = 0; c < w->m->nc; c++) {
    const modes_contact *k = &w->contact[c];
    for (int i = near->start[c]; i < near->start[c + 1]; i++) write_block(z, A, near->who[i], c);
    directions(k, row, impulse);
    for (int j = 0; j < z->size[c]; j++) {
      int x = z->at[c] + j;
      double sum = 0, *diagonal = A + (size_t)x * (size_t)z->n + x;
      for (int r = k->t; r <= k->n; r++) sum += row[j][r - k->t] * h[r];
      z->side[x] = -z->scale[x] * sum + proximal * w->x[x] / z->scale[x];
      if (modes_has_across(k) && j == z->size[c] - 1 - k->pressed)
        *diagonal += modes_stiffening(k) * z->scale[x] * z->scale[x];
      *diagonal += proximal;
    }
  }
}

/* ---- elimination ---- */

/* D <- D^-1, of size k with leading dimension n; returns the least pivot */
static double invert(int k, double *D, int n) {
  double A[SIDE * SIDE], x[SIDE];
  int pivot[SIDE];
  for (int j = 0; j < k; j++) memcpy(A + j * k, D + (size_t)j * (size_t)n, (size_t)k * sizeof *A);
  double least = modes_lu(k, A, pivot);
  for (int j = 0; j < k; j++) {
    for (int i = 0; i < k; i++) x[i] = i == j;
    modes_lu_solve(k, A, pivot, x);
    memcpy(D + (size_t)j * (size_t)n, x, (size_t)k * sizeof *x);
  }
  return least;
}

/* the rows of S in z->index, A_Sc D^-1 in X and back in A, A_cS in Y; returns how many rows */
static int gather(block_system *z, double *A, int i) {
  const modes_near *near = z->w->near;
  int c = near->order[i], k = z->size[c], at = z->at[c], m = 0;
  size_t n = (size_t)z->n;
  for (int l = near->later_start[i]; l < near->later_start[i + 1]; l++)
    for (int r = 0; r < z->size[near->later[l]]; r++) z->index[m++] = z->at[near->later[l]] + r;
  for (int r = 0; r < m; r++) {
    double old[SIDE];
    for (int j = 0; j < k; j++) {
      old[j] = A[(size_t)(at + j) * n + (size_t)z->index[r]];
      z->Y[j][r] = A[(size_t)z->index[r] * n + (size_t)(at + j)];
    }
    for (int j = 0; j < k; j++) {
      double sum = 0;
      for (int l = 0; l < k; l++) sum += old[l] * A[(size_t)(at + j) * n + (size_t)(at + l)];
      z->X[j][r] = A[(size_t)(at + j) * n + (size_t)z->index[r]] = sum;
    }
    for (int j = k; j < SIDE; j++) z->X[j][r] = z->Y[j][r] = 0;
  }
  return m;
}

/* A_SS -= X Y */
static void update(const block_system *z, double *A, int m) {
  const double *restrict x0 = z->X[0], *restrict x1 = z->X[1], *restrict x2 = z->X[2];
  const int *restrict index = z->index;
  for (int j = 0; j < m; j++) {
    double *restrict to = A + (size_t)index[j] * (size_t)z->n;
    double y0 = z->Y[0][j], y1 = z->Y[1][j], y2 = z->Y[2][j];
    if (m > 0 && index[m - 1] - index[0] == m - 1) { /* without holes */
      double *restrict all = to + index[0];
      for (int i = 0; i < m; i++) all[i] -= x0[i] * y0 + x1[i] * y1 + x2[i] * y2;
    } else {
      for (int i = 0; i < m; i++) to[index[i]] -= x0[i] * y0 + x1[i] * y1 + x2[i] * y2;
    }
  }
}

/* A in blocks D^-1, A_Sc D^-1, A_cS; the right side goes along. Returns the least pivot. */
static double factor(block_system *z, double *A) {
  const modes_near *near = z->w->near;
  double least = INFINITY;
  for (int i = 0; i < z->w->m->nc; i++) {
    int c = near->order[i], k = z->size[c], at = z->at[c];
    if (k == 0) continue;
    least = fmin(least, invert(k, A + (size_t)at * (size_t)z->n + at, z->n));
    int m = gather(z, A, i);
    update(z, A, m);
    for (int r = 0; r < m; r++)
      for (int j = 0; j < k; j++) z->side[z->index[r]] -= z->X[j][r] * z->side[at + j];
  }
  return least;
}

/* x_c = D^-1 (side_c - A_cS x_S), the last contact first; x in z->side */
static void back(block_system *z, const double *A) {
  const modes_near *near = z->w->near;
  size_t n = (size_t)z->n;
  for (int i = z->w->m->nc - 1; i >= 0; i--) {
    int c = near->order[i], k = z->size[c], at = z->at[c];
    double left[SIDE] = {0, 0, 0};
    for (int j = 0; j < k; j++) left[j] = z->side[at + j];
    for (int l = near->later_start[i]; l < near->later_start[i + 1]; l++)
      for (int r = 0; r < z->size[near->later[l]]; r++) {
        size_t x = (size_t)(z->at[near->later[l]] + r);
        for (int j = 0; j < k; j++) left[j] -= A[x * n + (size_t)(at + j)] * z->side[x];
      }
    for (int j = 0; j < k; j++) {
      z->side[at + j] = 0;
      for (int l = 0; l < k; l++)
        z->side[at + j] += A[(size_t)(at + l) * n + (size_t)(at + j)] * left[l];
    }
  }
}

/* ---- the door ---- */

/* p of the unknowns; what is known of p first */
static void expand(const block_system *z, double *p) {
  const modes_work *w = z->w;
  double row[SIDE][SIDE], impulse[SIDE][SIDE];
  for (int c = 0; c < w->m->nc; c++) {
    const modes_contact *k = &w->contact[c];
    directions(k, row, impulse);
    modes_known(k, p);
    for (int j = 0; j < z->size[c]; j++) {
      int x = z->at[c] + j;
      for (int r = k->t; r <= k->n; r++) p[r] += impulse[j][r - k->t] * z->side[x] * z->scale[x];
    }
  }
}

static int take_memory(modes_work *w, block_system *z) {
  size_t n = (size_t)w->m->rows, nc = (size_t)w->m->nc;
  *z = (block_system){.w = w, .scale = w->q, .side = w->v};
  z->at = core_scratch_ints(w->s, 2 * nc + n + 1);
  z->X[0] = core_scratch_doubles(w->s, 2 * SIDE * n + 1);
  if (!z->at || !z->X[0]) return 0;
  z->size = z->at + nc, z->index = z->size + nc;
  for (int j = 0; j < SIDE; j++) z->X[j] = z->X[0] + (size_t)j * n, z->Y[j] = z->X[j] + SIDE * n;
  return 1;
}

int modes_sparse_next(modes_work *w, double singular, double proximal) {
  core_mark mark = core_scratch_mark(w->s);
  block_system z;
  if (!take_memory(w, &z)) return 0;
  number(&z);
  memset(w->F, 0, (size_t)w->m->rows * sizeof *w->F);
  double *known = core_scratch_doubles(w->s, 2 * (size_t)w->m->rows + 1);
  if (!known) return 0;
  double *h = known + w->m->rows;
  for (int c = 0; c < w->m->nc; c++) modes_known(&w->contact[c], known);
  modes_near_velocity(w, known, h);
  assemble(&z, w->A, h, w->tiny_pivot ? proximal : 0);
  if (!(factor(&z, w->A) > singular) && !w->tiny_pivot) {
    w->tiny_pivot = 1;
    assemble(&z, w->A, h, proximal);
    factor(&z, w->A);
  }
  back(&z, w->A);
  expand(&z, known);
  memcpy(w->q, known, (size_t)w->m->rows * sizeof *known);
  core_scratch_release(w->s, mark);
  return 1;
}
