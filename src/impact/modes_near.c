/* Which contacts feel each other, and in which order they are best eliminated.
 *
 * W is dense in memory, but the block of two contacts without a body in common is zero. Contacts
 * are eliminated by least degree: the one with the fewest contacts left beside it goes first, and
 * these feel each other from then on. `later` of a contact are those, in the order of elimination.
 */
#include <stdint.h>
#include <string.h>

#include "impact/modes_part.h"

static int block_is_zero(const impact_modes *m, const modes_contact *a, const modes_contact *b) {
  for (int j = b->t; j <= b->n; j++)
    for (int i = a->t; i <= a->n; i++)
      if (m->W[(size_t)j * (size_t)m->rows + (size_t)i] != 0) return 0;
  return 1;
}

static void find_neighbours(modes_work *w, modes_near *near) {
  const impact_modes *m = w->m;
  int n = 0;
  for (int c = 0; c < m->nc; c++) {
    near->start[c] = n;
    for (int d = 0; d < m->nc; d++)
      if (!block_is_zero(m, &w->contact[d], &w->contact[c]) ||
          (m->general && !block_is_zero(m, &w->contact[c], &w->contact[d])))
        near->who[n++] = d;
  }
  near->start[m->nc] = n;
}

/* ---- the order of elimination ---- */

typedef struct graph {
  int n, words;   /* contacts, words of a row of bits */
  uint64_t *bits; /* n x words: who feels whom, of those left */
  int *degree;    /* n; -1: gone */
} graph;

static int count_bits(const graph *g, int c) {
  int n = 0;
  for (int i = 0; i < g->words; i++) n += __builtin_popcountll(g->bits[c * g->words + i]);
  return n;
}

static int fewest(const graph *g) {
  int best = -1;
  for (int c = 0; c < g->n; c++)
    if (g->degree[c] >= 0 && (best < 0 || g->degree[c] < g->degree[best])) best = c;
  return best;
}

/* takes c out of the graph; its neighbours, in rising order, to `to`; returns how many */
static int take_out(graph *g, int c, int *to) {
  const uint64_t *row = g->bits + (size_t)c * (size_t)g->words;
  int n = 0;
  for (int d = 0; d < g->n; d++)
    if (d != c && row[d / 64] >> (d % 64) & 1) to[n++] = d;
  g->degree[c] = -1;
  for (int k = 0; k < n; k++) {
    uint64_t *other = g->bits + (size_t)to[k] * (size_t)g->words;
    for (int i = 0; i < g->words; i++) other[i] |= row[i];
    other[c / 64] &= ~(UINT64_C(1) << (c % 64)); /* NOLINT: c >= 0, somebody is left */
    g->degree[to[k]] = count_bits(g, to[k]);
  }
  return n;
}

/* who, in the order of elimination */
static void by_place(const modes_near *near, int *who, int n) {
  for (int i = 1; i < n; i++) /* short, and nearly sorted */
    for (int j = i; j > 0 && near->place[who[j]] < near->place[who[j - 1]]; j--) {
      int swap = who[j];
      who[j] = who[j - 1], who[j - 1] = swap;
    }
}

static void eliminate(modes_near *near, graph *g) {
  int n = 0;
  for (int i = 0; i < g->n; i++) {
    int c = fewest(g);
    near->order[i] = c, near->place[c] = i;
    near->later_start[i] = n;
    n += take_out(g, c, near->later + n);
  }
  near->later_start[g->n] = n;
  for (int i = 0; i < g->n; i++)
    by_place(near, near->later + near->later_start[i],
             near->later_start[i + 1] - near->later_start[i]);
}

/* ---- the door ---- */

core_status modes_find_near(modes_work *w) {
  size_t n = (size_t)w->m->nc, words = (n + 63) / 64;
  modes_near *near = core_scratch_bytes(w->s, sizeof *near);
  int *memory = core_scratch_ints(w->s, 5 * n + 3 + n * n + n * (n + 1) / 2);
  if (!near || !memory) return CORE_NO_MEMORY;
  near->start = memory, near->later_start = memory + n + 1;
  near->order = near->later_start + n + 1, near->place = near->order + n;
  near->later = near->place + n, near->who = near->later + n * (n + 1) / 2;
  find_neighbours(w, near);
  core_mark mark = core_scratch_mark(w->s);
  graph g = {.n = (int)n, .words = (int)words};
  g.bits = core_scratch_bytes(w->s, (n * words + 1) * sizeof *g.bits);
  g.degree = core_scratch_ints(w->s, n + 1);
  if (!g.bits || !g.degree) return CORE_NO_MEMORY;
  memset(g.bits, 0, n * words * sizeof *g.bits);
  for (int c = 0; c < g.n; c++) {
    for (int i = near->start[c]; i < near->start[c + 1]; i++)
      g.bits[(size_t)c * words + (size_t)(near->who[i] / 64)] |= UINT64_C(1) << (near->who[i] % 64);
    g.degree[c] = count_bits(&g, c);
  }
  eliminate(near, &g);
  core_scratch_release(w->s, mark);
  w->near = near;
  return CORE_OK;
}

void modes_near_velocity(const modes_work *w, const double *p, double *u) {
  const impact_modes *m = w->m;
  const modes_near *near = w->near;
  memcpy(u, m->b, (size_t)m->rows * sizeof *u);
  for (int c = 0; c < m->nc; c++)
    for (int j = w->contact[c].t; j <= w->contact[c].n; j++) {
      const double *column = m->W + (size_t)j * (size_t)m->rows, x = p[j];
      for (int i = near->start[c]; i < near->start[c + 1] && x != 0; i++) {
        const modes_contact *other = &w->contact[near->who[i]];
        for (int r = other->t; r <= other->n; r++) u[r] += column[r] * x;
      }
    }
}
