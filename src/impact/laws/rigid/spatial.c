/* A rigid impact in space: turning slip, straight slip, stick or straight slip again.
 *
 * While sliding turns, turn.c integrates. Settled sliding is straight, dv_t/dl = g in its
 * direction, and so is all that follows v_t = 0. There, and from the start when v_t = 0, the
 * contact
 *
 *   sticks, if |W_tt^-1 W_tn| <= mu_static:   dp_t = -W_tt^-1 W_tn dp_n,
 *                                             dv_n/dp_n = W_nn - W_nt W_tt^-1 W_tn
 *   or leaves in the one direction d that diverges: nu W_tn - kappa W_tt d = g d with g > 0, that
 * is
 *                                             |(g + kappa W_tt)^-1 nu W_tn| = 1
 *
 * whose left side falls from |W_tt^-1 W_tn|/mu > 1 at g = 0 to 0: there is exactly one such g.
 * Planar and isotropic problems do not turn, so that only the closed form is used for them.
 */
#include "impact/laws/rigid/spatial.h"

#include <float.h>

#include "core/tiny.h"
#include "impact/laws/rigid/turn.h"
#include "impact/laws/tolerance.h"

typedef struct spatial {
  const law_rule *rule;
  impact_sink *sink;
  double axes[4];  /* columns: principal axes of W_tt in the problem's tangential rows */
  double start[2]; /* v_t before, in these axes [m/s] */
  law_sliding at;
  int mode;       /* impact_mode */
  law_point told; /* last point told; used with a sink only */
} spatial;

/* ---- telling ---- */

/* from principal axes to the problem's rows */
static void turn_back(const spatial *s, const double *x, double f, double *out) {
  for (int i = 0; i < 2; i++) out[i] = f * (s->axes[i] * x[0] + s->axes[2 + i] * x[1]);
}

static law_point point_of(const spatial *s, const law_sliding *at, law_stop stop) {
  law_point point = {.mode = s->mode, .lost_friction = at->lost};
  turn_back(s, at->pt, 1, point.p);
  turn_back(s, at->direction, at->speed, point.v);
  law_point_normal(&point, &at->n, stop == LAW_STOP_END || stop == LAW_STOP_SHORT);
  return point;
}

static void tell_turning(void *self, const law_sliding *at) {
  spatial *s = self;
  law_point point = point_of(s, at, LAW_STOP_PIECE);
  law_tell_sample(s->sink, 3, &point);
}

/* the stop that ends a piece; straight ones get their samples here */
static void tell_piece(spatial *s, law_stop stop, int straight) {
  if (!s->sink) return;
  law_point to = point_of(s, &s->at, stop);
  if (straight) law_tell_line(s->sink, 3, &s->told, &to);
  s->told = to;
  law_tell_stop(s->sink, 3, stop, &to);
}

static void tell_bend(spatial *s, impact_event_kind kind) {
  if (!s->sink) return;
  s->told.mode = s->mode;
  law_tell_event(s->sink, 3, kind, &s->told);
}

/* ---- pieces ---- */

/* slides straight on, until v_t = 0 or the impact ends */
static law_stop slide(spatial *s) {
  law_sliding *at = &s->at;
  double g = law_sliding_gain(at), k = law_sliding_slope(at), x;
  double most = at->speed > 0 && g < 0 ? at->speed / -g : INFINITY;
  s->mode = IMPACT_MODE_SLIP;
  for (;;) {
    law_stop stop = law_normal_next(&at->n, k, most, &x);
    double speed = stop == LAW_STOP_PIECE ? 0 : fmax(0, at->speed + g * x);
    for (int i = 0; i < 2; i++) at->pt[i] -= at->kappa * at->direction[i] * x;
    at->lost += at->kappa * x * (at->speed + speed) / 2;
    at->speed = speed;
    tell_piece(s, stop, 1);
    if (!law_stop_goes_on(stop)) return stop;
    most -= x;
  }
}

/* slides from v_t on: turning first, then straight */
static core_status slide_from(spatial *s, law_stop *stop) {
  int samples = s->sink && s->sink->per_phase ? s->sink->per_phase / 8 + 1 : 0;
  s->mode = IMPACT_MODE_SLIP;
  while (!law_sliding_settled(&s->at)) {
    core_status status = law_turn(&s->at, stop, samples, samples ? tell_turning : NULL, s);
    if (status) return status;
    tell_piece(s, *stop, 0);
    if (*stop == LAW_STOP_END) return CORE_OK;
  }
  *stop = slide(s);
  return CORE_OK;
}

/* 1/tt for the axes in which the contact can move, else 0 */
static double ease(const law_sliding *at, int i) {
  double most = fmax(at->tt[0], at->tt[1]);
  return at->tt[i] > TOL_EASE * most ? 1 / at->tt[i] : 0;
}

/* sticks to the end: p_t = -W_tt^-1 (v_t before + W_tn p_n) */
static law_stop stick(spatial *s) {
  law_sliding *at = &s->at;
  double k = at->nn, x;
  for (int i = 0; i < 2; i++) k -= at->tn[i] * at->tn[i] * ease(at, i);
  law_normal_unit(&at->n);
  law_normal_wedge(&at->n, at->nn, &k);
  s->mode = IMPACT_MODE_STICK;
  for (;;) {
    law_stop stop = law_normal_next(&at->n, k, INFINITY, &x);
    for (int i = 0; i < 2; i++)
      if (ease(at, i) > 0) at->pt[i] = -(s->start[i] + at->tn[i] * at->n.l) * ease(at, i);
    tell_piece(s, stop, 1);
    if (!law_stop_goes_on(stop)) return stop;
  }
}

/* The diverging direction: Newton's method on 1/|d(g)| - 1, which is concave and rises, from the
 * left of its root; d(g) = nu W_tn/(g + kappa W_tt). */
static void leave(law_sliding *at) {
  double b[2] = {at->nu * at->tn[0], at->nu * at->tn[1]};
  double g = fmax(0, hypot(b[0], b[1]) - at->kappa * fmax(at->tt[0], at->tt[1])), d[2];
  for (int i = 0; i < 60; i++) {
    double square = 0, slope = 0;
    for (int k = 0; k < 2; k++) {
      double width = g + at->kappa * at->tt[k];
      d[k] = b[k] == 0 ? 0 : b[k] / width;
      square += d[k] * d[k], slope += b[k] == 0 ? 0 : d[k] * d[k] / width;
    }
    double step = (sqrt(square) - 1) * square / slope;
    g += step;
    if (!(fabs(step) > TOL_LEAVE * g)) break;
  }
  double norm = hypot(d[0], d[1]);
  at->direction[0] = d[0] / norm, at->direction[1] = d[1] / norm;
}

/* from v_t = 0 on */
static law_stop after_bend(spatial *s, int from_start) {
  law_sliding *at = &s->at;
  double hold = hypot(at->tn[0] * ease(at, 0), at->tn[1] * ease(at, 1));
  int slips = hold > s->rule->mu_static;
  s->mode = slips ? IMPACT_MODE_SLIP : IMPACT_MODE_STICK;
  if (slips || !from_start)
    tell_bend(s, !slips ? IMPACT_STICK : from_start ? IMPACT_SLIP : IMPACT_REVERSAL);
  if (!slips) return stick(s);
  leave(at);
  return slide(s);
}

/* ---- the whole ---- */

/* no friction: the normal direction alone, and v_t follows */
static law_stop frictionless(spatial *s, const impact_problem *pr) {
  law_stop stop;
  double x;
  s->mode = IMPACT_MODE_SLIP;
  do {
    stop = law_normal_next(&s->at.n, pr->W[8], INFINITY, &x);
    double v[2];
    for (int i = 0; i < 2; i++) v[i] = s->start[i] + s->at.tn[i] * s->at.n.l;
    s->at.speed = hypot(v[0], v[1]);
    for (int i = 0; i < 2 && s->at.speed > 0; i++) s->at.direction[i] = v[i] / s->at.speed;
    tell_piece(s, stop, 1);
  } while (law_stop_goes_on(stop));
  return stop;
}

static core_status prepare(spatial *s, const impact_problem *pr) {
  const double *W = pr->W, tt[4] = {W[0], W[1], W[1], W[4]};
  law_sliding *at = &s->at;
  core_status status = core_tiny_eig_symmetric(2, tt, at->tt, s->axes);
  if (status) return status;
  for (int i = 0; i < 2; i++) {
    const double *axis = s->axes + 2 * i;
    at->tt[i] = fmax(0, at->tt[i]);
    at->tn[i] = axis[0] * W[2] + axis[1] * W[5];
    s->start[i] = axis[0] * pr->v[0] + axis[1] * pr->v[1];
  }
  at->nn = W[8];
  at->nu = s->rule->mu > 1 ? 1 / s->rule->mu : 1;
  at->kappa = s->rule->mu > 1 ? 1 : s->rule->mu;
  at->speed = hypot(s->start[0], s->start[1]);
  at->direction[0] = 1;
  for (int i = 0; i < 2 && at->speed > 0; i++) at->direction[i] = s->start[i] / at->speed;
  at->n = law_normal_start(s->rule, pr->v[2], at->nu);
  s->mode = at->speed > 0 ? IMPACT_MODE_SLIP : IMPACT_MODE_STICK;
  return CORE_OK;
}

core_status law_spatial_solve(const law_rule *rule, const impact_problem *pr, impact_sink *sink,
                              impact_result *r, core_error *err) {
  spatial s = {.rule = rule, .sink = sink};
  core_status status = prepare(&s, pr);
  if (status) return core_fail(err, status, "%s", "");
  if (sink) {
    s.told = point_of(&s, &s.at, LAW_STOP_PIECE);
    law_tell_sample(sink, 3, &s.told);
  }
  law_stop stop = LAW_STOP_PIECE;
  int moves = s.at.speed > 0;
  if (rule->mu == 0)
    stop = frictionless(&s, pr);
  else if (moves)
    status = slide_from(&s, &stop);
  if (status) return core_fail(err, status, "%s", "");
  if (stop == LAW_STOP_PIECE) stop = after_bend(&s, !moves);
  turn_back(&s, s.at.pt, 1, r->p);
  turn_back(&s, s.at.direction, s.at.speed, r->v);
  r->p[2] = s.at.n.l * s.at.n.unit;
  r->v[2] = s.at.n.v;
  return law_path_finish(stop, &s.at.n, s.at.lost, s.mode == IMPACT_MODE_STICK, r, err);
}
