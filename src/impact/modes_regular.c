/* Whether rows are independent, without a dense factor: with S^-2 the diagonal of B = C^T W C,
 *
 *   S B S - a 1   positive definite
 *
 * by blocks of contacts that feel each other (modes_blocks.c). With a the pivot from which on
 * law_lcp_range calls a row dependent its pivots, no smaller than the least eigenvalue, are all
 * larger: the rank is full. Where that fails even with a/n, which is still far above rounding, the
 * rank is not: the last pivot is about as small as the least eigenvalue. Between them nothing is
 * said.
 */
#include <math.h>
#include <string.h>

#include "impact/modes_part.h"
#include "impact/tolerance.h"

/* entry of W between two directions of contact k */
static double within(const impact_modes *m, const modes_contact *k, const double *x) {
  double sum = 0;
  for (int j = k->t; j <= k->n; j++)
    for (int i = k->t; i <= k->n; i++)
      sum += x[j - k->t] * x[i - k->t] * m->W[(size_t)j * (size_t)m->rows + (size_t)i];
  return sum;
}

/* scales to a unit diagonal, and takes `least` off it */
static void prepare(const modes_work *w, double least, modes_block *block) {
  for (int c = 0; c < w->m->nc; c++) {
    modes_block *b = &block[c];
    memset(b->add, 0, sizeof b->add);
    for (int j = 0; j < b->size; j++) {
      double own = within(w->m, &w->contact[c], b->row[j]);
      b->scale[j] = own > 0 ? 1 / sqrt(own) : 1;
      b->add[j][j] = -least / (b->scale[j] * b->scale[j]);
    }
    memcpy(b->impulse, b->row, sizeof b->impulse);
  }
}

static int unknowns(const impact_modes *m, const modes_block *block) {
  int n = 0;
  for (int c = 0; c < m->nc; c++) n += block[c].size;
  return n;
}

static int is_definite(modes_work *w, double least, modes_block *block) {
  prepare(w, least, block);
  return modes_blocks_solve(w, block, 0) > 0;
}

modes_regular modes_regularity(const impact_modes *m, core_scratch *s, modes_block *block) {
  core_mark mark = core_scratch_mark(s);
  modes_work w = {.m = m, .s = s};
  modes_regular found = MODES_UNCLEAR;
  int n = unknowns(m, block);
  w.contact = core_scratch_bytes(s, ((size_t)m->nc + 1) * sizeof *w.contact);
  w.A = core_scratch_doubles(s, (size_t)m->rows * (size_t)m->rows + 1);
  if (w.contact && w.A && !m->general) {
    modes_describe(m, w.contact);
    if (!modes_find_near(&w))
      found = is_definite(&w, n * TOL_SUM(n), block) ? MODES_REGULAR
              : is_definite(&w, TOL_SUM(n), block)   ? MODES_UNCLEAR
                                                     : MODES_DEPENDENT;
  }
  core_scratch_release(s, mark);
  return found;
}
