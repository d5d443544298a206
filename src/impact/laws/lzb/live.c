/* Whom a step of law.lzb concerns. Forces come from what is pressed, or begins to be; they move the
 * rows that W reaches from there, and no others: in a row of balls the few around the wave. All
 * other contacts keep their velocities, and what is open goes straight on.
 *
 * What touches without load may be pressed within the step and push others in turn: two orders of
 * the series later at the earliest, v and x, so that N/2 neighbours are as far as it goes.
 */
#include "impact/laws/lzb/state.h"

enum { N = LZB_ORDER };

int lzb_live_start(lzb *z) {
  size_t rows = (size_t)z->rows, nc = (size_t)z->nc;
  z->span = core_scratch_bytes(z->s, rows * sizeof *z->span);
  z->owner = core_scratch_ints(z->s, rows + 3 * nc);
  if (!z->span || !z->owner) return 0;
  z->live = z->owner + rows, z->place = z->live + nc, z->queue = z->place + nc;
  for (int i = 0; i < z->nc; i++) {
    z->place[i] = -1;
    for (int r = impact_first(z->pr, i); r < impact_first(z->pr, i + 1); r++) z->owner[r] = i;
  }
  z->n_live = 0;
  return 1;
}

/* has a force, or begins to; what sticks has one that others make */
static int has_force(const lzb *z, int i) {
  const lzb_contact *c = &z->c[i];
  double x = z->now.x[i], v = z->now.v[c->n];
  if (!lzb_touches(c)) return 0;
  return c->grip == LZB_STICK || v != 0 || (x > 0 && !lzb_is_asleep(z, c, x, v));
}

/* may be pressed within the step */
static int may_follow(const lzb *z, int i) {
  return lzb_touches(&z->c[i]) && !lzb_must_wait(z, i);
}

static void add(lzb *z, int i, int *n) {
  z->place[i] = 0;
  z->queue[(*n)++] = i;
}

/* those that W reaches from contact i */
static void spread(lzb *z, int i, int *n) {
  for (int r = z->c[i].t; r <= z->c[i].n && *n < z->nc; r++)
    for (int j = z->span[r].from; j < z->span[r].to; j++)
      if (z->place[z->owner[j]] < 0) add(z, z->owner[j], n);
}

/* places in order; 1: they are those of the step before */
static int number(lzb *z) {
  int n = 0, same = 1, was = z->n_live;
  for (int i = 0; i < z->nc; i++) {
    if (z->place[i] < 0) continue;
    same &= n < was && z->live[n] == i;
    z->place[i] = n, z->live[n++] = i;
  }
  z->n_live = n;
  return same && n == was;
}

void lzb_find_live(lzb *z) {
  int n = 0, from = 0;
  for (int i = 0; i < z->nc; i++) z->place[i] = -1;
  for (int i = 0; i < z->nc; i++)
    if (z->plain || has_force(z, i)) add(z, i, &n);
  for (int far = 0; far < N / 2 && n < z->nc; far++) {
    int to = n;
    for (; from < to; from++)
      if (far == 0 || may_follow(z, z->queue[from])) spread(z, z->queue[from], &n);
  }
  if (!number(z)) z->lanes.known = 0;
}
