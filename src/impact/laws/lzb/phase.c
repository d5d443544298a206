/* What contacts of law.lzb do along their normals: compressed, expanding, open. It follows from the
 * deflection and from where that goes: by v_n, or, where that is zero, by its rate.
 */
#include <math.h>

#include "impact/laws/lzb/state.h"
#include "impact/laws/tolerance.h"

/* -1: comes nearer, 1: leaves, 0: rests */
static int motion(const lzb *z, int i) {
  int n = z->c[i].n;
  double v = z->now.v[n], size;
  if (v != 0) return v < 0 ? -1 : 1;
  double rate = lzb_rate(z, n, &size);
  return fabs(rate) <= TOL_REST * size ? 0 : rate < 0 ? -1 : 1;
}

static lzb_phase phase_of(const lzb *z, int i) {
  const lzb_contact *c = &z->c[i];
  double x = z->now.x[i];
  if (c->phase == LZB_OUT || x < 0) return c->phase == LZB_OUT ? LZB_OUT : LZB_APART;
  int goes = motion(z, i);
  if (x <= TOL_LZB_LENGTH * c->length) return goes > 0 ? LZB_APART : LZB_PRESSED;
  return goes > 0 ? LZB_EXPANDING : goes < 0 || !lzb_touches(c) ? LZB_PRESSED : c->phase;
}

static void enter(lzb *z, int i, lzb_phase phase) {
  z->c[i].phase = phase;
  z->c[i].from = lzb_touches(&z->c[i]) ? lzb_energy(z, &z->c[i], z->now.x[i]) : 0;
}

/* work of the phase that is over */
static void settle_work(lzb *z, int i, double held) {
  lzb_contact *c = &z->c[i];
  if (c->phase == LZB_PRESSED) c->absorbed += held - c->from;
  if (c->phase == LZB_EXPANDING) c->returned += c->e * c->e * (c->from - held);
}

/* told where it carried load */
static void opens(lzb *z, int i) {
  lzb_contact *c = &z->c[i];
  int carried = c->phase == LZB_EXPANDING;
  settle_work(z, i, 0);
  if (z->now.x[i] > 0) z->now.x[i] = 0;
  c->last = carried && c->grip != LZB_NEW ? c->grip : c->last;
  enter(z, i, LZB_APART);
  if (carried) lzb_tell(z, IMPACT_OPEN, i);
}

/* greatest compression: nothing comes back with e = 0, and the contact is free at once */
static void expands(lzb *z, int i) {
  settle_work(z, i, lzb_energy(z, &z->c[i], z->now.x[i]));
  enter(z, i, LZB_EXPANDING);
  lzb_tell(z, IMPACT_COMPRESSION_END, i);
  if (z->c[i].e == 0) opens(z, i);
}

static void presses(lzb *z, int i) {
  lzb_contact *c = &z->c[i];
  int closes = c->phase == LZB_APART && c->away;
  settle_work(z, i, lzb_energy(z, c, z->now.x[i]));
  c->away = 0;
  enter(z, i, LZB_PRESSED);
  if (closes) lzb_tell(z, IMPACT_CLOSE, i);
}

int lzb_move_on(lzb *z) {
  int changed = 0;
  for (int i = 0; i < z->nc; i++) z->c[i].next = phase_of(z, i);
  for (int i = 0; i < z->nc; i++) {
    lzb_contact *c = &z->c[i];
    lzb_phase was = c->phase, next = c->next;
    if (z->now.x[i] < 0) c->away = 1;
    if (next == was) continue;
    if (next == LZB_APART) opens(z, i);
    if (next == LZB_PRESSED) presses(z, i);
    if (next == LZB_EXPANDING) expands(z, i);
    changed |= (was >= LZB_PRESSED) != lzb_touches(c);
  }
  return changed;
}
