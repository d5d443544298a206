/* Who sticks in law.lzb. With the normal forces given by the deflections, friction is a convex
 * problem: of all forces in the cones those that contacts with v_t = 0 get make the smallest
 * acceleration, which is unique (impact/modes with the normal forces as least impulses).
 *
 * A contact whose stick ends slides off against the force that held it. Where contacts that stick
 * depend on each other, forces are shared by smallest norm, and one that gets more than its limit
 * gives what it can, at no slip, while the others hold the rest.
 *
 * Modes hold for the time that comes: they are judged by the forces a little later, so that at the
 * start, where all forces are zero, those that grow first decide.
 */
#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "impact/laws/lzb/state.h"
#include "impact/laws/tolerance.h"
#include "impact/modes.h"

/* time that is looked ahead, in units of the impact: so short that forces hardly change */
static const double AHEAD = 1e-8;

/* ---- forces that stick ---- */

static void list_stuck(lzb *z) {
  z->n_stuck = 0;
  for (int i = 0; i < z->nc; i++) {
    const lzb_contact *c = &z->c[i];
    for (int r = c->t; r < c->n && c->grip == LZB_STICK; r++)
      if (z->W[r * z->rows + r] > 0) z->stuck[z->n_stuck++] = r;
  }
}

/* Z = W_SS^+ W_S: */
static core_status prepare(lzb *z) {
  int rows = z->rows, k, rank = 0;
  list_stuck(z);
  k = z->n_stuck;
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
  if (rank < k) z->redundant = 1;
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

/* the contact that sticks with most beyond its limit, or -1; `unloaded`: of those without load */
static int overloaded(const lzb *z, double part, int unloaded) {
  double most = 0;
  int worst = -1;
  for (int i = 0; i < z->nc; i++) {
    const lzb_contact *c = &z->c[i];
    if (c->grip != LZB_STICK || (unloaded && z->now.x[i] > 0)) continue;
    double over = -lzb_margin(z, c) - part * lzb_pull(z, c);
    if (over > most) most = over, worst = i;
  }
  return worst;
}

static void release(lzb *z, lzb_contact *c) {
  double pull = lzb_pull(z, c);
  c->grip = LZB_SLIDE;
  for (int r = c->t; r < c->n; r++) c->d[r - c->t] = -z->f[r] / pull;
}

/* ---- contacts at their limit that do not slide ---- */

/* slower than this slip has stopped */
static double stopped(const lzb *z, const lzb_contact *c) {
  return lzb_tangents(c) == 1 ? z->noise : LIMIT_LZB_AWAY * TOL_LZB_FRESH;
}

static int is_still(const lzb *z, const lzb_contact *c) {
  return c->grip == LZB_SLIDE && z->f[c->n] > 0 && lzb_slip(c, z->now.v) <= 10 * stopped(z, c);
}

/* a_t.d at the forces z->f, and the size of its terms */
static double leaving(const lzb *z, const lzb_contact *c, double *size) {
  double sum = 0;
  *size = 0;
  for (int r = c->t; r < c->n; r++)
    for (int j = 0; j < z->rows; j++) {
      double term = z->W[j * z->rows + r] * z->f[j] * c->d[r - c->t];
      sum += term, *size += fabs(term);
    }
  return sum;
}

/* 1 when all hold with contact c sticking too, as it may where contacts depend on each other */
static core_status try_stick(lzb *z, lzb_contact *c, int *holds) {
  c->grip = LZB_STICK;
  core_status status = prepare(z);
  if (status) return status;
  forces(z, 0);
  *holds =
      lzb_margin(z, c) > TOL_LZB_AHEAD * lzb_pull(z, c) && overloaded(z, TOL_LZB_STICK / 2, 0) < 0;
  if (*holds) return CORE_OK;
  c->grip = LZB_SLIDE;
  status = prepare(z);
  forces(z, 0);
  return status;
}

/* a contact at its limit without slip that sticks after all: it moves against its friction's wish,
 * or need not be at its limit */
static core_status take_back(lzb *z, int *any) {
  core_status status = CORE_OK;
  *any = 0;
  for (int i = 0; i < z->nc && !status && !*any; i++) {
    lzb_contact *c = &z->c[i];
    double size, a;
    if (!is_still(z, c)) continue;
    a = leaving(z, c, &size);
    if (a > TOL_LZB_AHEAD * size) continue;
    if (a < -TOL_LZB_AHEAD * size)
      c->grip = LZB_STICK, *any = 1, status = prepare(z);
    else
      status = try_stick(z, c, any);
  }
  return status;
}

/* What is beyond its limit slides, what is at it without need sticks, one after the other. */
static core_status balance(lzb *z) {
  core_status status = prepare(z);
  for (int turn = 0; turn < 8 * z->nc + 8 && !status; turn++) {
    int back = 0;
    forces(z, 0);
    int worst = overloaded(z, TOL_LZB_STICK / 2, 0);
    if (worst < 0) forces(z, AHEAD), worst = overloaded(z, TOL_LZB_AHEAD, 1);
    if (worst >= 0) {
      release(z, &z->c[worst]);
      status = prepare(z);
      continue;
    }
    forces(z, 0);
    status = take_back(z, &back);
    if (!back) break;
  }
  return status;
}

/* ---- which contacts are asked ---- */

/* slip that has ended */
static int arrives(const lzb *z, const lzb_contact *c) {
  return lzb_slip(c, z->now.v) <= (lzb_tangents(c) == 1 ? 0 : 2 * TOL_LZB_FRESH);
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

/* how many contacts have to be asked; they are made to stick first */
static int gather(lzb *z) {
  int asked = 0;
  for (int i = 0; i < z->nc; i++) {
    lzb_contact *c = &z->c[i];
    if (!lzb_touches(c)) {
      c->grip = LZB_NEW;
    } else if (c->grip == LZB_NEW && !(lzb_waits(z, i) && has_friction(c))) {
      asked += begins(z, c);
    } else if (c->grip == LZB_SLIDE && arrives(z, c)) {
      c->grip = LZB_STICK;
      asked++;
    }
  }
  return asked;
}

/* those at no slip that could stick as well */
static int gather_still(lzb *z) {
  int n = 0;
  for (int i = 0; i < z->nc; i++) {
    lzb_contact *c = &z->c[i];
    if (c->grip == LZB_SLIDE && lzb_slip(c, z->now.v) <= stopped(z, c)) c->grip = LZB_STICK;
    n += c->grip == LZB_STICK;
  }
  return n;
}

/* ---- the convex problem ---- */

/* low: normal forces; b: what those that slide do, and normal velocities so large that no contact
 * presses more than its spring */
static void pose(lzb *z, double *low, double *mu, double *b) {
  double most = 0, all = 0;
  forces(z, AHEAD);
  for (int i = 0; i < z->nc; i++) all += z->f[z->c[i].n];
  for (int r = 0; r < z->rows; r++) b[r] = 0;
  for (int i = 0; i < z->nc; i++) {
    const lzb_contact *c = &z->c[i];
    low[i] = z->f[c->n];
    double enough = low[i] > 0 ? LIMIT_LZB_ASKED * all / low[i] : 0;
    mu[i] = c->grip == LZB_STICK ? fmin(c->mu, enough) : 0;
    for (int j = c->t; j < c->n && c->grip == LZB_SLIDE; j++)
      for (int r = 0; r < z->rows; r++) b[r] += z->W[j * z->rows + r] * z->f[j];
    for (int r = 0; r < z->rows; r++)
      most += fabs(z->W[c->n * z->rows + r]) * low[i] * (2 + 2 * mu[i]) + fabs(b[r]);
  }
  for (int i = 0; i < z->nc; i++) b[z->c[i].n] += 10 * most;
}

/* those that slide off in the answer u */
static void choose(lzb *z, const double *u) {
  forces(z, AHEAD);
  for (int i = 0; i < z->nc; i++) {
    lzb_contact *c = &z->c[i];
    double off = 0, size = 0;
    if (c->grip != LZB_STICK) continue;
    for (int r = c->t; r < c->n; r++) {
      off = hypot(off, u[r]);
      for (int k = 0; k < z->nc; k++) size += fabs(z->W[z->c[k].n * z->rows + r]) * z->f[z->c[k].n];
    }
    if (off <= TOL_LZB_AHEAD * size) continue;
    c->grip = LZB_SLIDE;
    for (int r = c->t; r < c->n; r++) c->d[r - c->t] = u[r] / off;
  }
}

static core_status ask(lzb *z) {
  size_t rows = (size_t)z->rows, nc = (size_t)z->nc;
  core_mark mark = core_scratch_mark(z->s);
  double *low = core_scratch_doubles(z->s, 2 * nc + 3 * rows);
  if (!low) return CORE_NO_MEMORY;
  double *mu = low + nc, *b = mu + nc, *p = b + rows, *u = p + rows;
  z->n_stuck = 0;
  pose(z, low, mu, b);
  impact_modes m = {z->nc, z->pr->dim, z->rows, z->W, b, mu, low, z->pr->first, 0, NULL};
  core_status status = impact_modes_solve(&m, z->s, p, u);
  if (!status) choose(z, u);
  core_scratch_release(z->s, mark);
  return status == CORE_NO_MEMORY || status == CORE_INTERRUPTED ? status : CORE_OK;
}

/* what forces f_j still do to row r beside the rows that stick: W_rj - W_rS Z_Sj */
static int is_pinned(const lzb *z, int r) {
  double most = 0, size = 0;
  for (int j = 0; j < z->rows; j++) {
    double w = z->W[j * z->rows + r];
    size = fmax(size, fabs(w));
    for (int k = 0; k < z->n_stuck; k++)
      w -= z->W[z->stuck[k] * z->rows + r] * z->Z[j * z->n_stuck + k];
    most = fmax(most, fabs(w));
  }
  return most <= TOL_LZB_RANK * size;
}

static void find_pinned(lzb *z) {
  for (int i = 0; i < z->nc; i++) {
    lzb_contact *c = &z->c[i];
    double slip = lzb_slip(c, z->now.v);
    c->fresh = c->before != LZB_SLIDE || arrives(z, c) || (c->fresh && slip <= stopped(z, c));
    c->pinned = z->n_stuck > 0 && c->grip == LZB_SLIDE && slip <= stopped(z, c);
    for (int r = c->t; r < c->n && c->pinned; r++) c->pinned = is_pinned(z, r);
  }
}

/* One planar contact needs no question: it sticks unless that asks for too much. */
core_status lzb_settle(lzb *z) {
  core_status status = CORE_OK;
  if (gather(z)) {
    int n = gather_still(z);
    if (n > 1 || z->pr->dim == 3) status = ask(z);
  }
  if (!status) status = balance(z);
  find_pinned(z);
  return status;
}
