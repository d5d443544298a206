/* Events of a step of law.lzb: polynomials that are positive as long as a mode lasts.
 *
 *   apart       -x          the gap            pressed     -v_n
 *   expanding   x, and v_n
 *   slides      v_t.d                          sticks      mu F_n - |F_t|, and a little
 *
 * (in space v_t^2 less a little, and the squares of forces). What is zero at the start because its
 * event has just been is exactly zero (lzb_arrive), and divided out.
 */
#include <math.h>
#include <string.h>

#include "core/poly.h"
#include "impact/laws/lzb/state.h"
#include "impact/laws/tolerance.h"

enum { N = LZB_ORDER, LONG = 2 * N + 1 };
enum { TURN, REACH, GRIP }; /* v_n = 0, x = 0, v_t = 0 or the limit of friction */

static void note(lzb *z, int i, int kind, double s, double *limit) {
  z->found[z->n_found++] = (lzb_found){i, kind, s};
  *limit = core_min(*limit, s * (1 + TOL_TIE));
}

/* What contact i can still do before it opens, an impulse E/(|x'/v| v_n) and its friction, does not
 * count: nor does a change of its grip, of which F is a multiple root then. One that is compressed
 * has v_n < 0: never. */
static int is_spent(const lzb *z, int i, double s) {
  const lzb_contact *c = &z->c[i];
  double v = core_poly_at(N, z->series.v + c->n * LZB_PAD, 1, s);
  double left = (1 + c->mu) * lzb_energy(z, c, lzb_deflection_at(z, i, s));
  return left <= lzb_tolerance(z) * fabs(lzb_pace(c)) * v;
}

/* The first root of c. One that is negative from the start on ends the step there; modes that have
 * just been chosen nevertheless get a short step, and are judged anew after it. */
static void look(lzb *z, int i, int kind, int n, const double *c, double *limit) {
  double s;
  for (; n > 0 && c[0] == 0; n--) c++;
  if (c[0] == 0 || !(c[0] > 0 || z->stalled <= LIMIT_LZB_STALLED)) {
    if (c[0] < 0) *limit = core_min(*limit, z->series.reach * LIMIT_LZB_SHORT);
    return;
  }
  if (!core_poly_first_root(n, c, *limit, &s)) return;
  if (kind != GRIP || !is_spent(z, i, s)) note(z, i, kind, s, limit);
}

static void times(double by, const double *from, double *c) {
  for (int k = 0; k <= N; k++) c[k] = by * from[k];
}

static void look_at_normal(lzb *z, int i, double *limit) {
  const lzb_contact *c = &z->c[i];
  const lzb_curve *q = &z->series.of[i];
  double f[N + 1];
  if (c->phase == LZB_APART) {
    times(-1, q->x, f);
    look(z, i, REACH, N, f, limit);
    return;
  }
  if (q->load == LZB_NO_LOAD) return; /* it leaves */
  times(c->phase == LZB_PRESSED ? -1 : 1, z->series.v + c->n * LZB_PAD, f);
  look(z, i, TURN, N, f, limit);
  if (c->phase != LZB_EXPANDING) return;
  look(z, i, REACH, N, i == z->series.rooted ? q->a : q->x, limit);
}

/* rates of the impulse of row r */
static void force_of(const lzb *z, int r, double by, double *c) {
  const double *p = z->series.p + r * LZB_PAD;
  for (int k = 0; k < N; k++) c[k] = by * (k + 1) * p[k + 1];
  c[N] = 0;
}

static void look_at_line(lzb *z, int i, double *limit) {
  const lzb_contact *c = &z->c[i];
  double normal[N + 1], f[N + 1], margin[N + 1];
  force_of(z, c->n, c->mu * (1 + z->slack), normal);
  force_of(z, c->t, 1, f);
  for (int side = -1; side <= 1; side += 2) {
    for (int k = 0; k <= N; k++) margin[k] = normal[k] + side * f[k];
    look(z, i, GRIP, N, margin, limit);
  }
}

static void look_at_circle(lzb *z, int i, double *limit) {
  const lzb_contact *c = &z->c[i];
  double f[N + 1], margin[LONG] = {0};
  force_of(z, c->n, c->mu * (1 + z->slack), f);
  core_taylor_add_square(N, f, 1, margin);
  for (int r = c->t; r < c->n; r++) {
    force_of(z, r, 1, f);
    core_taylor_add_square(N, f, -1, margin);
  }
  look(z, i, GRIP, 2 * N, margin, limit);
}

/* Turning slip stops where it has no part left along its direction at the start of the step: a
 * simple root, where |v|^2 has a double one. If it has turned away instead, the next step goes on.
 */
static void look_at_slip(lzb *z, int i, double *limit) {
  const lzb_contact *c = &z->c[i];
  double f[LONG] = {0};
  const double *v = z->series.v + c->t * LZB_PAD;
  if (lzb_tangents(c) == 1) {
    times(c->d[0], v, f);
    look(z, i, GRIP, N, f, limit);
  } else if (z->series.of[i].slip == LZB_STIFF) {
    look(z, i, GRIP, N, z->series.of[i].s, limit);
  } else if (z->series.of[i].slip == LZB_TURNS) {
    double slip = hypot(v[0], v[LZB_PAD]);
    for (int j = 0; j <= N; j++) f[j] = (v[0] * v[j] + v[LZB_PAD] * v[LZB_PAD + j]) / slip;
    f[0] -= TOL_LZB_SETS_OUT;
    look(z, i, GRIP, N, f, limit);
  }
}

static void look_at_grip(lzb *z, int i, double *limit) {
  const lzb_contact *c = &z->c[i];
  if (!lzb_touches(c) || z->series.of[i].load == LZB_NO_LOAD) return;
  if (c->grip == LZB_SLIDE) look_at_slip(z, i, limit);
  if (c->grip == LZB_STICK && !c->full)
    (lzb_tangents(c) == 1 ? look_at_line : look_at_circle)(z, i, limit);
}

/* of all that was noted only what happens at the end of the step */
static void keep_first(lzb *z, double end) {
  int n = 0;
  for (int k = 0; k < z->n_found; k++)
    if (z->found[k].s <= end * (1 + TOL_TIE)) z->found[n++] = z->found[k];
  z->n_found = n;
}

/* the gap of one that is not live and comes near: it closes steadily, by whatever clock */
static void look_at_flight(lzb *z, int i, double time, double *limit) {
  const lzb_series *q = &z->series;
  double v = z->now.v[z->c[i].n], c[N + 1] = {-z->now.x[i]}, by = v * q->h;
  if (z->c[i].phase != LZB_APART || !(z->now.x[i] - time * v > 0)) return;
  if (q->clock == LZB_EVEN) c[1] = by;
  if (q->clock == LZB_SQUARE) c[2] = by;
  for (int k = 0; k < N && q->clock == LZB_ROOT; k++)
    c[k + 1] = by * core_taylor_inverse[k] * q->of[q->rooted].a[k];
  look(z, i, REACH, N, c, limit);
}

double lzb_watch(lzb *z) {
  double limit = z->series.reach, end;
  z->n_found = 0;
  for (int l = 0; l < z->n_live; l++) {
    if (z->c[z->live[l]].phase == LZB_OUT) continue;
    look_at_normal(z, z->live[l], &limit);
    look_at_grip(z, z->live[l], &limit);
  }
  /* up to here; later on time may turn back, where the contact that it runs by has opened */
  double time = lzb_time_at(z, limit) * (1 + TOL_TIE);
  for (int i = 0; i < z->nc; i++)
    if (z->place[i] < 0) look_at_flight(z, i, time, &limit);
  end = limit;
  for (int k = 0; k < z->n_found; k++) end = core_min(end, z->found[k].s);
  keep_first(z, end);
  return end;
}

/* slip that has come to its end, or stick to its limit */
static void end_grip(lzb *z, lzb_contact *c) {
  c->ends = 1;
  z->at_limit += c->grip == LZB_STICK;
  if (c->grip == LZB_SLIDE && lzb_tangents(c) == 1) z->now.v[c->t] = 0;
}

void lzb_arrive(lzb *z) {
  z->at_limit = 0;
  for (int i = 0; i < z->nc; i++) z->c[i].ends = 0;
  for (int k = 0; k < z->n_found; k++) {
    int i = z->found[k].contact;
    lzb_contact *c = &z->c[i];
    if (z->found[k].kind == TURN) z->now.v[c->n] = 0;
    if (z->found[k].kind == REACH) z->now.x[i] = 0;
    if (z->found[k].kind == GRIP) end_grip(z, c);
  }
}
