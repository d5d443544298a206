/* A linear system with up to three unknowns a contact, where most contacts do not feel each other:
 *
 *   (row_c^T W impulse_d + [c = d] add_c) x = side
 *
 * assembled by blocks of one contact and factored in the order of modes_near.c, by panels K:
 * contacts that follow each other and are felt by the same S of those eliminated later. With D =
 * A_KK
 *
 *   A_SS <- A_SS - (A_SK D^-1) A_KS
 *
 * so that a pile costs as much as its shape asks for, not the cube of its rows; and A_SS, which is
 * too large for the nearest cache, is read and written once a panel. Pivots are sought within a
 * panel only; what is made of the answer is judged by its residual anyway.
 */
#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "core/pair.h"
#include "impact/modes_part.h"

enum { SIDE = MODES_SIDE, WIDEST = 24, TILE = 4 }; /* unknowns of a panel, at most; columns */

typedef struct block_system {
  modes_work *w;
  modes_block *block; /* nc */
  int n;              /* unknowns */
  int *at;            /* nc: first unknown of a contact, in the order of elimination */
  double *A, *side;   /* n x n, n x sides */
  int sides;          /* right sides */
  int *index;         /* n: rows of S */
  double *X;          /* A_SK D^-1 of the panel at hand: high x WIDEST, and a column */
  size_t high;        /* n and some more, so that rows can be taken by eights */
} block_system;

/* the contacts number `first` to `end` - 1; their unknowns; rows of S */
typedef struct panel {
  int first, end, at, size, rows;
} panel;

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
  double A[WIDEST * WIDEST], x[WIDEST];
  int pivot[WIDEST];
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

/* whether D, of size k with leading dimension n, has a Cholesky factor */
static int is_definite(int k, const double *D, int n) {
  double A[WIDEST * WIDEST];
  for (int j = 0; j < k; j++) memcpy(A + j * k, D + (size_t)j * (size_t)n, (size_t)k * sizeof *A);
  return core_lin_cholesky(k, A, k) == CORE_OK;
}

/* the panel that begins with contact number i: the next one belongs to it when it is the first of
 * those that feel the last one, and as many others do */
static panel panel_from(const block_system *z, int i) {
  const modes_near *near = z->w->near;
  const int *start = near->later_start;
  panel k = {.first = i, .end = i + 1, .at = z->at[near->order[i]]};
  k.size = z->block[near->order[i]].size;
  for (; k.end < z->w->m->nc; k.end++) {
    int last = k.end - 1, more = z->block[near->order[k.end]].size;
    if (start[last + 1] - start[last] != start[k.end + 1] - start[k.end] + 1) break;
    if (near->later[start[last]] != near->order[k.end] || k.size + more > WIDEST) break;
    k.size += more;
  }
  return k;
}

/* the rows of S in z->index */
static void find_rows(const block_system *z, panel *k) {
  const modes_near *near = z->w->near;
  k->rows = 0;
  for (int l = near->later_start[k->end - 1]; l < near->later_start[k->end]; l++)
    for (int r = 0; r < z->block[near->later[l]].size; r++)
      z->index[k->rows++] = z->at[near->later[l]] + r;
}

/* X = A_SK D^-1, with zeros below up to a multiple of eight rows */
CORE_WIDE
static void fill_X(const block_system *z, const panel *k) {
  size_t n = (size_t)z->n, rows = (size_t)k->rows;
  double *restrict from = z->X + WIDEST * z->high;
  for (int j = 0; j < k->size; j++)
    memset(z->X + (size_t)j * z->high, 0, (rows + 8) * sizeof *z->X);
  for (int l = 0; l < k->size; l++) {
    const double *column = z->A + (size_t)(k->at + l) * n;
    for (size_t r = 0; r < rows; r++) from[r] = column[z->index[r]];
    for (int j = 0; j < k->size; j++) {
      double f = z->A[(size_t)(k->at + j) * n + (size_t)(k->at + l)];
      double *restrict to = z->X + (size_t)j * z->high;
      for (size_t r = 0; r < rows; r++) to[r] += from[r] * f;
    }
  }
}

/* sum[c] = eight rows of X times the column y[c] of A_KS, for TILE columns */
CORE_PART void multiply(const double *X, size_t high, int k, const double *const y[TILE],
                        core_four sum[TILE][2]) {
  for (int c = 0; c < TILE; c++) sum[c][0] = sum[c][1] = (core_four){0, 0, 0, 0};
  for (int l = 0; l < k; l++, X += high) {
    core_four a = *(const core_loose_four *)X, b = *(const core_loose_four *)(X + 4);
    for (int c = 0; c < TILE; c++) sum[c][0] += a * y[c][l], sum[c][1] += b * y[c][l];
  }
}

/* A_SS -= X A_KS */
CORE_WIDE
static void update(const block_system *z, const panel *k) {
  const int *index = z->index;
  for (int j = 0; j < k->rows; j += TILE) {
    int columns = k->rows - j < TILE ? k->rows - j : TILE;
    const double *y[TILE];
    for (int c = 0; c < TILE; c++)
      y[c] = z->A + (size_t)index[j + (c < columns ? c : 0)] * (size_t)z->n + k->at;
    for (int r = 0; r < k->rows; r += 8) {
      core_four sum[TILE][2];
      multiply(z->X + r, z->high, k->size, y, sum);
      int rows = k->rows - r < 8 ? k->rows - r : 8;
      for (int c = 0; c < columns; c++) {
        double *to = z->A + (size_t)index[j + c] * (size_t)z->n;
        for (int i = 0; i < rows; i++) to[index[r + i]] -= sum[c][i / 4][i % 4];
      }
    }
  }
}

/* A in blocks D^-1 and A_KS; the right side goes along. Returns the least pivot; without a right
 * side it ends with -1 where A turns out not to be positive definite. */
static double factor(block_system *z) {
  double least = INFINITY;
  for (int i = 0; i < z->w->m->nc;) {
    panel k = panel_from(z, i);
    i = k.end;
    if (k.size == 0) continue;
    if (z->sides == 0 && !is_definite(k.size, z->A + (size_t)k.at * (size_t)z->n + k.at, z->n))
      return -1;
    least =
        fmin(least, invert(k.size, z->A + (size_t)k.at * (size_t)z->n + k.at, z->n, &z->w->sign));
    find_rows(z, &k);
    fill_X(z, &k);
    update(z, &k);
    for (int l = 0; l < z->sides; l++)
      for (int j = 0; j < k.size; j++)
        for (int r = 0; r < k.rows; r++)
          z->side[l * z->n + z->index[r]] -=
              z->X[(size_t)j * z->high + (size_t)r] * z->side[l * z->n + k.at + j];
  }
  return least;
}

/* x_K = D^-1 (side_K - A_KS x_S) */
static void back_panel(const block_system *z, const panel *k, double *side) {
  double left[WIDEST];
  size_t n = (size_t)z->n;
  memcpy(left, side + k->at, (size_t)k->size * sizeof *left);
  for (int r = 0; r < k->rows; r++) {
    const double *column = z->A + (size_t)z->index[r] * n + k->at;
    for (int j = 0; j < k->size; j++) left[j] -= column[j] * side[z->index[r]];
  }
  memset(side + k->at, 0, (size_t)k->size * sizeof *side);
  for (int l = 0; l < k->size; l++)
    for (int j = 0; j < k->size; j++)
      side[k->at + j] += z->A[(size_t)(k->at + l) * n + (size_t)(k->at + j)] * left[l];
}

/* the last panel first; x in z->side. `first`: nc numbers, where panels begin */
static void back(block_system *z, int *first) {
  int panels = 0;
  for (int i = 0; i < z->w->m->nc; i = panel_from(z, i).end) first[panels++] = i;
  while (panels-- > 0) {
    panel k = panel_from(z, first[panels]);
    find_rows(z, &k);
    for (int l = 0; l < z->sides; l++) back_panel(z, &k, z->side + l * z->n);
  }
}

/* ---- the door ---- */

double modes_blocks_solve(modes_work *w, modes_block *block, int sides) {
  core_mark mark = core_scratch_mark(w->s);
  size_t n = (size_t)w->m->rows, nc = (size_t)w->m->nc;
  block_system z = {.w = w, .block = block, .A = w->A, .sides = sides, .high = n + 8};
  z.at = core_scratch_ints(w->s, 2 * nc + n + 1);
  z.side = core_scratch_doubles(w->s, (WIDEST + 1) * z.high + (size_t)sides * n + 1);
  if (!z.at || !z.side) return NAN;
  z.index = z.at + 2 * nc, z.X = z.side + (size_t)sides * n;
  number(&z);
  assemble(&z);
  w->sign = 1;
  double least = factor(&z);
  if (sides > 0) back(&z, z.at + nc);
  for (int k = 0; k < sides; k++)
    for (size_t c = 0; c < nc; c++)
      for (int j = 0; j < block[c].size; j++)
        block[c].x[k][j] = z.side[k * z.n + z.at[c] + j] * block[c].scale[j];
  core_scratch_release(w->s, mark);
  return least;
}
