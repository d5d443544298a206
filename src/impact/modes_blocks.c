/* A linear system with up to three unknowns a contact, where most contacts do not feel each other:
 *
 *   (row_c^T W impulse_d + [c = d] add_c) x = side
 *
 * assembled and factored by blocks of one contact, in the order of modes_near.c. With D the block
 * of the contact at hand and S those eliminated later that feel it,
 *
 *   A_SS <- A_SS - (A_Sc D^-1) A_cS
 *
 * so that a pile costs as much as its shape asks for, not the cube of its rows. Pivots are sought
 * within a block only; what is made of the answer is judged by its residual anyway.
 */
#include <math.h>
#include <string.h>

#include "impact/modes_part.h"

enum { SIDE = MODES_SIDE };

typedef struct block_system {
  modes_work *w;
  modes_block *block;        /* nc */
  int n;                     /* unknowns */
  int *at;                   /* nc: first unknown of a contact, in the order of elimination */
  double *A, *side;          /* n x n, n x sides */
  int sides;                 /* right sides */
  int *index;                /* n: rows of S */
  double *X[SIDE], *Y[SIDE]; /* n: A_Sc D^-1 and A_cS of the contact at hand */
} block_system;

/* ---- the system ---- */

/* the block of contacts c and d: row^T W impulse, scaled */
static void write_block(const block_system *z, int c, int d) {
  const impact_modes *m = z->w->m;
  const modes_contact *a = &z->w->contact[c], *b = &z->w->contact[d];
  const modes_block *x = &z->block[c], *y = &z->block[d];
  for (int j = 0; j < y->size; j++) {
    double u[SIDE] = {0, 0, 0};
    for (int l = b->t; l <= b->n; l++) {
      const double *column = m->W + (size_t)l * (size_t)m->rows + a->t;
      for (int i = 0; i <= a->n - a->t; i++)
        u[i] += column[i] * y->impulse[j][l - b->t]; /* NOLINT: at most SIDE rows */
    }
    double *to = z->A + (size_t)(z->at[d] + j) * (size_t)z->n + z->at[c];
    for (int i = 0; i < x->size; i++)
      to[i] = (x->row[i][0] * u[0] + x->row[i][1] * u[1] + x->row[i][2] * u[2]) * x->scale[i] *
              y->scale[j];
  }
}

static void clear_block(const block_system *z, int c, int d) {
  for (int j = 0; j < z->block[d].size; j++)
    memset(z->A + (size_t)(z->at[d] + j) * (size_t)z->n + z->at[c], 0,
           (size_t)z->block[c].size * sizeof *z->A);
}

/* unknowns in the order of elimination */
static void number(block_system *z) {
  z->n = 0;
  for (int i = 0; i < z->w->m->nc; i++) {
    int c = z->w->near->order[i];
    z->at[c] = z->n;
    z->n += z->block[c].size;
  }
}

/* A, zero where elimination will fill it, and the right side */
static void assemble(block_system *z) {
  const modes_near *near = z->w->near;
  for (int i = 0; i < z->w->m->nc; i++)
    for (int k = near->later_start[i]; k < near->later_start[i + 1]; k++)
      clear_block(z, near->order[i], near->later[k]),
          clear_block(z, near->later[k], near->order[i]);
  for (int c = 0; c < z->w->m->nc; c++) {
    const modes_block *b = &z->block[c];
    for (int i = near->start[c]; i < near->start[c + 1]; i++) write_block(z, near->who[i], c);
    for (int j = 0; j < b->size; j++) {
      for (int k = 0; k < z->sides; k++)
        z->side[k * z->n + z->at[c] + j] = b->side[k][j] * b->scale[j];
      double *to = z->A + (size_t)(z->at[c] + j) * (size_t)z->n + z->at[c];
      for (int i = 0; i < b->size; i++) to[i] += b->add[j][i] * b->scale[i] * b->scale[j];
    }
  }
}

/* ---- elimination ---- */

/* D <- D^-1, of size k with leading dimension n, and the sign of det D; returns the least pivot */
static double invert(int k, double *D, int n, int *sign) {
  double A[SIDE * SIDE], x[SIDE];
  int pivot[SIDE];
  for (int j = 0; j < k; j++) memcpy(A + j * k, D + (size_t)j * (size_t)n, (size_t)k * sizeof *A);
  double least = modes_lu(k, A, pivot);
  for (int j = 0; j < k; j++)
    if ((A[j * k + j] < 0) != (pivot[j] != j)) *sign = -*sign;
  for (int j = 0; j < k; j++) {
    for (int i = 0; i < k; i++) x[i] = i == j;
    modes_lu_solve(k, A, pivot, x);
    memcpy(D + (size_t)j * (size_t)n, x, (size_t)k * sizeof *x);
  }
  return least;
}

/* the rows of S in z->index, A_Sc D^-1 in X and back in A, A_cS in Y; returns how many rows */
static int gather(block_system *z, int i) {
  const modes_near *near = z->w->near;
  int c = near->order[i], k = z->block[c].size, at = z->at[c], m = 0;
  size_t n = (size_t)z->n;
  double *A = z->A;
  for (int l = near->later_start[i]; l < near->later_start[i + 1]; l++)
    for (int r = 0; r < z->block[near->later[l]].size; r++)
      z->index[m++] = z->at[near->later[l]] + r;
  for (int r = 0; r < m; r++) {
    double old[SIDE];
    for (int j = 0; j < k; j++) {
      old[j] = A[(size_t)(at + j) * n + (size_t)z->index[r]];
      z->Y[j][r] = A[(size_t)z->index[r] * n + (size_t)(at + j)]; /* NOLINT: k <= SIDE */
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
static void update(const block_system *z, int m) {
  const double *restrict x0 = z->X[0], *restrict x1 = z->X[1], *restrict x2 = z->X[2];
  const int *restrict index = z->index;
  for (int j = 0; j < m; j++) {
    double *restrict to = z->A + (size_t)index[j] * (size_t)z->n;
    double y0 = z->Y[0][j], y1 = z->Y[1][j], y2 = z->Y[2][j];
    if (index[m - 1] - index[0] == m - 1) { /* without holes */
      double *restrict all = to + index[0];
      for (int i = 0; i < m; i++) all[i] -= x0[i] * y0 + x1[i] * y1 + x2[i] * y2;
    } else {
      for (int i = 0; i < m; i++) to[index[i]] -= x0[i] * y0 + x1[i] * y1 + x2[i] * y2;
    }
  }
}

/* A in blocks D^-1, A_Sc D^-1, A_cS; the right side goes along. Returns the least pivot. */
static double factor(block_system *z) {
  double least = INFINITY;
  for (int i = 0; i < z->w->m->nc; i++) {
    int c = z->w->near->order[i], k = z->block[c].size, at = z->at[c];
    if (k == 0) continue;
    least = fmin(least, invert(k, z->A + (size_t)at * (size_t)z->n + at, z->n, &z->w->sign));
    int m = gather(z, i);
    update(z, m);
    for (int l = 0; l < z->sides; l++)
      for (int r = 0; r < m; r++)
        for (int j = 0; j < k; j++)
          z->side[l * z->n + z->index[r]] -= z->X[j][r] * z->side[l * z->n + at + j];
  }
  return least;
}

/* x_c = D^-1 (side_c - A_cS x_S), the last contact first; x in z->side */
static void back(block_system *z, double *side) {
  const modes_near *near = z->w->near;
  size_t n = (size_t)z->n;
  const double *A = z->A;
  for (int i = z->w->m->nc - 1; i >= 0; i--) {
    int c = near->order[i], k = z->block[c].size, at = z->at[c];
    double left[SIDE] = {0, 0, 0};
    for (int j = 0; j < k; j++) left[j] = side[at + j];
    for (int l = near->later_start[i]; l < near->later_start[i + 1]; l++)
      for (int r = 0; r < z->block[near->later[l]].size; r++) {
        size_t x = (size_t)(z->at[near->later[l]] + r);
        for (int j = 0; j < k; j++) left[j] -= A[x * n + (size_t)(at + j)] * side[x];
      }
    for (int j = 0; j < k; j++) {
      side[at + j] = 0;
      for (int l = 0; l < k; l++)
        side[at + j] += A[(size_t)(at + l) * n + (size_t)(at + j)] * left[l];
    }
  }
}

/* ---- the door ---- */

double modes_blocks_solve(modes_work *w, modes_block *block, int sides) {
  core_mark mark = core_scratch_mark(w->s);
  size_t n = (size_t)w->m->rows, nc = (size_t)w->m->nc;
  block_system z = {.w = w, .block = block, .A = w->A};
  z.at = core_scratch_ints(w->s, nc + n + 1);
  z.side = core_scratch_doubles(w->s, (2 * SIDE + (size_t)sides) * n + 1);
  z.sides = sides;
  if (!z.at || !z.side) return NAN;
  z.index = z.at + nc;
  for (int j = 0; j < SIDE; j++)
    z.X[j] = z.side + (size_t)(sides + j) * n, z.Y[j] = z.X[j] + SIDE * n;
  number(&z);
  assemble(&z);
  w->sign = 1;
  double least = factor(&z);
  for (int k = 0; k < sides; k++) {
    back(&z, z.side + k * z.n);
    for (size_t c = 0; c < nc; c++)
      for (int j = 0; j < block[c].size; j++)
        block[c].x[k][j] = z.side[k * z.n + z.at[c] + j] * block[c].scale[j];
  }
  core_scratch_release(w->s, mark);
  return least;
}
