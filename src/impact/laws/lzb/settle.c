/* Who sticks in law.lzb. With the normal forces given by the deflections, friction is a convex
 * problem: of all forces in the cones those that contacts with v_t = 0 get make the smallest
 * acceleration, which is unique (impact/modes with the normal forces as least impulses).
 *
 * A contact whose stick ends slides off against the force that held it. Contacts that stick and
 * depend on each other hold and slide off together (share.c).
 *
 * Modes hold for the time that comes: they are judged by the forces a little later, so that at the
 * start, where all forces are zero, those that grow first decide.
 */
#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "impact/laws/lzb/state.h"
#include "impact/laws/tolerance.h"

/* time that is looked ahead, in units of the impact: so short that forces hardly change */
static const double AHEAD = 1e-8;

/* ---- forces that stick ---- */

static void list_stuck(lzb *z) {
  z->n_stuck = 0;
  for (int i = 0; i < z->nc; i++) {
    const lzb_contact *c = &z->c[i];
    for (int r = c->t; r < c->n && c->grip == LZB_STICK; r++)
      if (!c->full && z->W[r * z->rows + r] > 0) z->stuck[z->n_stuck++] = r;
  }
}

/* Z = W_SS^+ W_S: */
static core_status prepare(lzb *z) {
  int rows = z->rows, k, rank = 0;
  list_stuck(z);
  k = z->n_stuck;
  z->rank = k, z->depend = 0, z->slack = TOL_LZB_STICK;
  if (k == 0) return CORE_OK;
  if (k == 1) {
    const double *row = z->W + z->stuck[0] * rows;
    for (int j = 0; j < rows; j++) z->Z[j] = row[j] / row[z->stuck[0]];
    return CORE_OK;
  }
  core_mark mark = core_scratch_mark(z->s);
  double *A = core_scratch_doubles(z->s, (size_t)k * (size_t)(k + rows));
  if (!A) return CORE_NO_MEMORY;
  double *B = A + k * k;
  for (int i = 0; i < k; i++) {
    for (int j = 0; j < k; j++) A[j * k + i] = z->W[z->stuck[j] * rows + z->stuck[i]];
    for (int j = 0; j < rows; j++) B[j * k + i] = z->W[j * rows + z->stuck[i]];
  }
  core_status status = core_lin_least_squares(k, k, A, rows, B, TOL_LZB_RANK, z->s, z->Z, &rank);
  core_scratch_release(z->s, mark);
  z->rank = rank, z->depend = !status && rank < k;
  z->redundant |= z->depend;
  return status;
}

/* forces now, or a little later */
static void forces(lzb *z, double ahead) {
  for (int i = 0; i < z->nc; i++) {
    const lzb_contact *c = &z->c[i];
    double rate = -z->now.v[c->n] / (c->phase == LZB_EXPANDING ? c->e * c->e : 1);
    z->later[i] = z->now.x[i] + ahead * rate;
  }
  lzb_forces(z, z->later, z->now.v);
}

/* forces now; of contacts that have none yet, those a little later */
static void forces_of_begins(lzb *z) {
  for (int i = 0; i < z->nc; i++) {
    double x = z->now.x[i];
    z->later[i] = x > 0 ? x : x - AHEAD * z->now.v[z->c[i].n];
  }
  lzb_forces(z, z->later, z->now.v);
}

/* 1: friction is beyond the limit by more than a part of it */
static int is_over(const lzb *z, const lzb_contact *c, double part) {
  return -lzb_margin(z, c) > part * lzb_pull(z, c);
}

static void release(lzb *z, lzb_contact *c) {
  double pull = lzb_pull(z, c);
  c->grip = LZB_SLIDE, c->off = 1;
  for (int r = c->t; r < c->n; r++) c->d[r - c->t] = -z->f[r] / pull;
}

/* 1: the only one that sticks slides off, as friction now, or a little later where it has none
 * yet, asks for more than its limit */
static int release_one(lzb *z) {
  int i = 0;
  while (z->c[i].grip != LZB_STICK) i++;
  lzb_contact *c = &z->c[i];
  forces(z, 0);
  int over = is_over(z, c, TOL_LZB_STICK / 2);
  if (!over && !(z->now.x[i] > 0)) forces(z, AHEAD), over = is_over(z, c, TOL_LZB_AHEAD);
  if (over) release(z, c);
  return over;
}

static int count_stuck(const lzb *z) {
  int n = 0;
  for (int i = 0; i < z->nc; i++) n += z->c[i].grip == LZB_STICK;
  return n;
}

/* What is beyond its limit slides: a single planar contact against its friction, else those that
 * move in the answer of the convex problem. */
static core_status balance(lzb *z) {
  core_status status = prepare(z);
  for (int turn = 0; turn <= z->nc && !status && z->n_stuck > 0; turn++) {
    int released = 0;
    if (z->pr->dim == 3 || count_stuck(z) > 1) {
      forces_of_begins(z);
      status = lzb_share(z, &released);
    } else {
      released = release_one(z);
    }
    if (status || !released) break;
    status = prepare(z);
  }
  return status;
}

/* ---- which contacts are asked ---- */

/* in space: slower than this slip has no direction of its own yet */
static double stopped(const lzb_contact *c) {
  return lzb_tangents(c) == 1 ? 0 : LIMIT_LZB_AWAY * TOL_LZB_SETS_OUT;
}

/* slip that has ended */
static int arrives(const lzb *z, const lzb_contact *c) {
  return lzb_slip(c, z->now.v) <= (lzb_tangents(c) == 1 ? 0 : 2 * TOL_LZB_SETS_OUT);
}

static int has_friction(const lzb_contact *c) {
  return c->mu > 0 && c->n > c->t;
}

/* a contact that has just begun to touch: slides, or it is asked */
static int begins(lzb *z, lzb_contact *c) {
  double slip = lzb_slip(c, z->now.v);
  c->grip = LZB_SMOOTH;
  if (!has_friction(c)) return 0;
  c->grip = slip > z->noise ? LZB_SLIDE : LZB_STICK;
  for (int r = c->t; r < c->n && slip > 0; r++) c->d[r - c->t] = z->now.v[r] / slip;
  return c->grip == LZB_STICK;
}

/* touches, without load, and does not come nearer: nothing that could hold it */
static int has_none(const lzb *z, int i) {
  double x = z->now.x[i];
  return has_friction(&z->c[i]) && (x < 0 || (x == 0 && z->now.v[z->c[i].n] >= 0));
}

/* how many contacts have to be asked; they are made to stick first */
static int gather(lzb *z) {
  int asked = 0;
  for (int i = 0; i < z->nc; i++) {
    lzb_contact *c = &z->c[i];
    if (!lzb_touches(c) || has_none(z, i)) {
      c->last = c->grip != LZB_NEW ? c->grip : c->last;
      c->grip = LZB_NEW;
    } else if (c->grip == LZB_NEW) {
      asked += begins(z, c);
    } else if (c->grip == LZB_SLIDE && arrives(z, c)) {
      c->grip = LZB_STICK;
      asked++;
    }
  }
  return asked;
}

/* those at no slip that could stick as well */
static void gather_still(lzb *z) {
  for (int i = 0; i < z->nc; i++) {
    lzb_contact *c = &z->c[i];
    if (c->grip == LZB_SLIDE && lzb_slip(c, z->now.v) <= z->noise) c->grip = LZB_STICK;
  }
}

/* ---- contacts that have stopped have no speed at all ---- */

/* An impulse of rounding and of TOL_LZB_SETS_OUT: p_S -= W_SS^+ v_S. Contacts that depend on them
 * then stand too, where else each would be left with a speed of its own that no motion of the
 * bodies has. */
static core_status stop(lzb *z) {
  core_mark mark = core_scratch_mark(z->s);
  list_stuck(z);
  int k = z->n_stuck, rank;
  double *A = core_scratch_doubles(z->s, (size_t)k * (size_t)(k + 2) + 1), most = 0;
  if (!A) return CORE_NO_MEMORY;
  double *v = A + k * k, *p = v + k;
  for (int i = 0; i < k; i++) {
    v[i] = z->now.v[z->stuck[i]], most = fmax(most, fabs(v[i]));
    for (int j = 0; j < k; j++) A[j * k + i] = z->W[z->stuck[j] * z->rows + z->stuck[i]];
  }
  core_status status =
      most > 0 ? core_lin_least_squares(k, k, A, 1, v, TOL_LZB_RANK, z->s, p, &rank) : CORE_OK;
  for (int i = 0; i < k && most > 0 && !status; i++) z->now.p[z->stuck[i]] -= p[i];
  if (most > 0 && !status) lzb_refresh(z);
  for (int i = 0; i < k; i++) z->now.v[z->stuck[i]] = 0;
  core_scratch_release(z->s, mark);
  return status;
}

static void find_setting_out(lzb *z) {
  for (int i = 0; i < z->nc; i++) {
    lzb_contact *c = &z->c[i];
    double slip = lzb_slip(c, z->now.v);
    c->sets_out = c->before != LZB_SLIDE || arrives(z, c) || (c->sets_out && slip <= stopped(c));
  }
}

/* ---- slip that stops together ---- */

/* contacts in space that are so slow that they may stop with those that have arrived */
static int gather_slow(lzb *z) {
  int n = 0;
  for (int i = 0; i < z->nc; i++) {
    lzb_contact *c = &z->c[i];
    if (c->grip != LZB_SLIDE || lzb_tangents(c) < 2) continue;
    if (lzb_slip(c, z->now.v) > LIMIT_LZB_TOGETHER * TOL_LZB_SETS_OUT) continue;
    c->grip = LZB_STICK, n++;
  }
  return n;
}

static void keep(const lzb *z, lzb_contact *c, double *x) {
  memcpy(c, z->c, (size_t)z->nc * sizeof *c);
  memcpy(x, z->now.p, (size_t)z->rows * sizeof *x);
  memcpy(x + z->rows, z->now.v, (size_t)z->rows * sizeof *x);
}

static void give_back(lzb *z, const lzb_contact *c, const double *x) {
  memcpy(z->c, c, (size_t)z->nc * sizeof *c);
  memcpy(z->now.p, x, (size_t)z->rows * sizeof *x);
  memcpy(z->now.v, x + z->rows, (size_t)z->rows * sizeof *x);
}

/* A body that comes to rest stops at all its points at once, of which the slowest arrive first: 1
 * when all that are slow hold. They stop too soon by a time of their speed, which changes nothing
 * but the impulses that take that speed, and these are the same. */
static core_status stop_together(lzb *z, int *stopped_all) {
  core_mark mark = core_scratch_mark(z->s);
  lzb_contact *c = core_scratch_bytes(z->s, (size_t)z->nc * sizeof *c);
  double *x = core_scratch_doubles(z->s, 2 * (size_t)z->rows);
  int released = 1;
  if (!c || !x) return CORE_NO_MEMORY;
  keep(z, c, x);
  core_status status = CORE_OK;
  if (gather_slow(z)) {
    status = stop(z);
    gather_still(z);
    if (!status) status = prepare(z);
    forces_of_begins(z);
    if (!status) status = lzb_share(z, &released);
    if (!status && released) give_back(z, c, x);
  }
  *stopped_all = !released;
  core_scratch_release(z->s, mark);
  return status;
}

/* One planar contact needs no question: it sticks unless that asks for too much. */
static core_status decide(lzb *z) {
  int done = 0;
  core_status status = z->pr->dim == 3 ? stop_together(z, &done) : CORE_OK;
  if (status || done) return status;
  status = stop(z);
  gather_still(z);
  return status ? status : balance(z);
}

/* ---- contacts that depend on each other and come to their limits one by one ---- */

/* those that have just done so, at the forces of now */
static void fill(lzb *z) {
  lzb_forces(z, z->now.x, z->now.v);
  for (int i = 0; i < z->nc; i++) {
    lzb_contact *c = &z->c[i];
    double pull = lzb_pull(z, c);
    if (!c->ends || !(pull > 0)) continue;
    c->full = 1;
    for (int r = c->t; r < c->n; r++) c->d[r - c->t] = -z->f[r] / pull;
  }
}

/* Where contacts depend on each other, one that comes to its limit stays there as long as the rest
 * holds all that all of them did. A new share of all instead would bring it there again, ever
 * sooner as they come to where none holds. 1 when the rest does. */
static core_status hold_by_rest(lzb *z, int *held) {
  core_mark mark = core_scratch_mark(z->s);
  lzb_contact *c = core_scratch_bytes(z->s, (size_t)z->nc * sizeof *c);
  int rank = z->rank, released = 1;
  if (!c) return CORE_NO_MEMORY;
  memcpy(c, z->c, (size_t)z->nc * sizeof *c);
  fill(z);
  core_status status = prepare(z);
  if (!status && z->rank == rank) {
    forces_of_begins(z);
    status = lzb_share(z, &released);
  }
  if (released) memcpy(z->c, c, (size_t)z->nc * sizeof *c);
  *held = !released;
  core_scratch_release(z->s, mark);
  return status;
}

static core_status ask_all(lzb *z, int asked) {
  for (int i = 0; i < z->nc; i++) z->c[i].full = 0;
  return asked ? decide(z) : balance(z);
}

core_status lzb_settle(lzb *z) {
  z->lanes.known = 0;
  int asked = gather(z), held = 0;
  core_status status = !asked && z->at_limit && z->depend ? hold_by_rest(z, &held) : CORE_OK;
  z->at_limit = 0;
  if (!status && !held) status = ask_all(z, asked);
  find_setting_out(z);
  return status;
}
