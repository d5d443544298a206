/* Newton's reduced system (modes_newton.c) where most contacts do not feel each other, by
 * modes_blocks.c. */
#include <math.h>
#include <string.h>

#include "impact/modes_part.h"

enum { SIDE = MODES_SIDE };

/* the directions of a contact's unknowns in its own rows: of the rows that vanish, and of the
 * impulses */
static void directions(const modes_contact *k, modes_block *b) {
  int n = 0, normal = k->n - k->t;
  memset(b->row, 0, sizeof b->row);
  if (modes_sticks(k))
    for (int i = 0; i < normal; i++) b->row[n++][i] = 1;
  if (modes_has_across(k)) b->row[n][0] = -k->d[1], b->row[n++][1] = k->d[0];
  if (k->pressed) b->row[n++][normal] = 1;
  b->size = n;
  memcpy(b->impulse, b->row, sizeof b->row);
  if (!k->pressed || !k->slips || !(k->R > 0)) return;
  for (int i = 0; i < normal; i++) b->impulse[n - 1][i] = k->mu * k->d[i];
}

/* x of the last p: along the rows, so that what slides has its p_n */
static void begin(const modes_work *w, const modes_contact *k, modes_block *b) {
  for (int j = 0; j < b->size; j++) {
    b->x[0][j] = 0;
    for (int r = k->t; r <= k->n; r++) b->x[0][j] += b->row[j][r - k->t] * w->p[r];
  }
}

/* what stands on the diagonal beside W, and what is left of the equations; u: at x */
static void fill(const modes_contact *k, const double *u, double proximal, modes_block *b) {
  memset(b->add, 0, sizeof b->add);
  for (int j = 0; j < b->size; j++) {
    if (modes_has_across(k) && j == b->size - 1 - k->pressed) b->add[j][j] = modes_stiffening(k);
    b->side[0][j] = -b->add[j][j] * b->x[0][j];
    for (int r = k->t; r <= k->n; r++) b->side[0][j] -= b->row[j][r - k->t] * u[r];
    b->add[j][j] += proximal / (b->scale[j] * b->scale[j]);
  }
}

/* p += the impulses along x */
static void add_impulses(const modes_work *w, const modes_block *block, double *p) {
  for (int c = 0; c < w->m->nc; c++) {
    const modes_contact *k = &w->contact[c];
    for (int j = 0; j < block[c].size; j++)
      for (int r = k->t; r <= k->n; r++) p[r] += block[c].impulse[j][r - k->t] * block[c].x[0][j];
  }
}

/* Solved for the change of x, so that rounding is that of the change. */
int modes_sparse_next(modes_work *w, double singular, double proximal) {
  core_mark mark = core_scratch_mark(w->s);
  size_t n = (size_t)w->m->rows;
  modes_block *block = core_scratch_bytes(w->s, ((size_t)w->m->nc + 1) * sizeof *block);
  double *u = core_scratch_doubles(w->s, n + 1), pivot = 0;
  if (!block || !u) return 0;
  for (int c = 0; c < w->m->nc; c++) {
    const modes_contact *k = &w->contact[c];
    modes_known(k, w->q);
    directions(k, &block[c]);
    modes_scales(w, k, 0, block[c].scale);
    begin(w, k, &block[c]);
  }
  add_impulses(w, block, w->q);
  modes_near_velocity(w, w->q, u);
  for (int turn = 0; turn < 2 && !(pivot > singular); turn++) {
    if (turn) w->tiny_pivot = 1;
    for (int c = 0; c < w->m->nc; c++) {
      begin(w, &w->contact[c], &block[c]);
      fill(&w->contact[c], u, w->tiny_pivot ? proximal : 0, &block[c]);
    }
    pivot = modes_blocks_solve(w, block, 1);
    if (isnan(pivot)) return 0;
    if (w->tiny_pivot) break;
  }
  add_impulses(w, block, w->q);
  core_scratch_release(w->s, mark);
  return 1;
}
