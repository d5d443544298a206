/* Sliding in space (Morgan, chapter 4): dv/dp_n = W (n - mu v_t/|v_t|), to rounding.
 *
 * With v_t = s (C, S), C = cos phi, S = sin phi, in the principal axes of W_tt = diag(a1, a2), and
 * W_tn = (b1, b2), W_nn = c:
 *
 *   ds/dl = g(phi)        g = nu (b1 C + b2 S) - kappa (a1 C^2 + a2 S^2)
 *   s dphi/dl = h(phi)    h = nu (b2 C - b1 S) - kappa (a2 - a1) C S
 *
 * s = 0 is singular in l and none in tau, dl = s dtau:
 *
 *   C' = -h S,  S' = h C,  s' = g s,  l' = s,  v_n' = s (nu c - kappa (b1 C + b2 S)),
 *   p_t' = -kappa s (C, S),  work' = s v_n,  lost' = kappa s^2
 *
 * h = 0 are the invariant directions; phi goes to one of them, and s falls or grows exponentially.
 * The right sides are polynomials: their Taylor series to order 18 come from products of series,
 * the step from their growth (truncation 1e-16), and events from the polynomials themselves. Near
 * the invariant direction, where the rest of the way is straight to rounding, the sliding is
 * settled and the closed form of straight pieces takes over.
 */
#include "impact/laws/rigid/turn.h"

#include <float.h>

#include "core/interrupt.h"
#include "core/poly.h"
#include "core/root.h"
#include "core/taylor.h"
#include "impact/laws/tolerance.h"

enum { ORDER = 18, STEPS = 100000 };

typedef double series[ORDER + 1];

/* everything along one step, as polynomials of tau * rate */
typedef struct expansion {
  series C, S, s, l, v, work, lost, p[2];
  double rate; /* scale of g and h [1/kg] */
  double step; /* where the polynomials are good to */
} expansion;

/* ---- rates ---- */

static double rate_of(const law_sliding *s) {
  return s->nu * hypot(s->tn[0], s->tn[1]) + s->kappa * (s->tt[0] + s->tt[1]);
}

double law_sliding_gain(const law_sliding *s) {
  double C = s->direction[0], S = s->direction[1];
  return s->nu * (s->tn[0] * C + s->tn[1] * S) - s->kappa * (s->tt[0] * C * C + s->tt[1] * S * S);
}

double law_sliding_turn(const law_sliding *s) {
  double C = s->direction[0], S = s->direction[1];
  return s->nu * (s->tn[1] * C - s->tn[0] * S) - s->kappa * (s->tt[1] - s->tt[0]) * C * S;
}

double law_sliding_slope(const law_sliding *s) {
  return s->nu * s->nn - s->kappa * (s->tn[0] * s->direction[0] + s->tn[1] * s->direction[1]);
}

/* dh/dphi: negative near a direction that attracts */
static double turn_slope(const law_sliding *s) {
  double C = s->direction[0], S = s->direction[1];
  return -s->nu * (s->tn[0] * C + s->tn[1] * S) -
         s->kappa * (s->tt[1] - s->tt[0]) * (C * C - S * S);
}

/* Straight for the rest: h is rounding; or the way left, s/|g|, is so short that what it would
 * turn, |h/h'| at most, moves no velocity by more than TOL_TURN_LEFT of the whole. */
int law_sliding_settled(const law_sliding *s) {
  double R = rate_of(s), h = fabs(law_sliding_turn(s)), g = law_sliding_gain(s);
  if (h <= TOL_TURN_NONE * R) return 1;
  if (g >= 0) return 0;
  double slope = turn_slope(s), aside = slope < 0 ? fmin(1, h / -slope) : 1;
  return aside * R * s->speed <= TOL_TURN_LEFT * -g * (s->speed - s->n.before);
}

/* ---- series ---- */

static double value(const double *x, double t) {
  return core_poly_at(ORDER, x, 1, t);
}

/* Radius of convergence, from the last two coefficients: of the direction, of ln s, and of the
 * works beside those of the whole impact. While s falls as exp(g tau), s has every radius that one
 * likes, and works, which go with s^2, have terms 2^k times as large. */
static double radius(const law_sliding *s, const expansion *x) {
  double most = 0, whole = s->speed - s->n.before, works = x->rate / (whole * whole);
  for (int k = ORDER - 1; k <= ORDER; k++) {
    double size = fmax(fabs(x->s[k] / x->s[0]), fmax(fabs(x->C[k]), fabs(x->S[k])));
    size = fmax(size, works * fmax(fabs(x->work[k]), fabs(x->lost[k])));
    if (size > 0) most = fmax(most, pow(size, 1. / k));
  }
  return most > 0 ? 1 / most : INFINITY;
}

static void expand(const law_sliding *s, expansion *x) {
  series g, h;
  double r = x->rate = rate_of(s), difference = s->tt[1] - s->tt[0];
  x->C[0] = s->direction[0], x->S[0] = s->direction[1], x->s[0] = s->speed;
  x->l[0] = s->n.l, x->v[0] = s->n.v, x->work[0] = s->n.work, x->lost[0] = s->lost;
  x->p[0][0] = s->pt[0], x->p[1][0] = s->pt[1];
  for (int k = 0; k < ORDER; k++) {
    double along = s->tn[0] * x->C[k] + s->tn[1] * x->S[k], SS = core_taylor_product(k, x->S, x->S);
    double across = s->tn[1] * x->C[k] - s->tn[0] * x->S[k],
           CS = core_taylor_product(k, x->C, x->S);
    double vx = core_taylor_product(k, x->s, x->C), vy = core_taylor_product(k, x->s, x->S),
           f = 1. / (k + 1), q = f / r;
    g[k] = (s->nu * along - s->kappa * ((k ? 0 : s->tt[0]) + difference * SS)) / r;
    h[k] = (s->nu * across - s->kappa * difference * CS) / r;
    x->C[k + 1] = -f * core_taylor_product(k, h, x->S);
    x->S[k + 1] = f * core_taylor_product(k, h, x->C);
    x->s[k + 1] = f * core_taylor_product(k, g, x->s);
    x->l[k + 1] = q * x->s[k];
    x->v[k + 1] = q * (s->nu * s->nn * x->s[k] - s->kappa * (s->tn[0] * vx + s->tn[1] * vy));
    x->p[0][k + 1] = -q * s->kappa * vx;
    x->p[1][k + 1] = -q * s->kappa * vy;
    x->work[k + 1] = q * core_taylor_product(k, x->v, x->s);
    x->lost[k + 1] = q * s->kappa * core_taylor_product(k, x->s, x->s);
  }
  x->step = REACH_OF_TURN * radius(s, x);
}

/* the state at t within the step */
static void move_to(law_sliding *s, const expansion *x, double t) {
  double C = value(x->C, t), S = value(x->S, t), norm = hypot(C, S);
  s->direction[0] = C / norm, s->direction[1] = S / norm;
  s->speed = value(x->s, t);
  s->pt[0] = value(x->p[0], t), s->pt[1] = value(x->p[1], t);
  s->lost = value(x->lost, t);
  s->n.l = value(x->l, t), s->n.v = value(x->v, t), s->n.work = value(x->work, t);
}

/* ---- events ---- */

/* x = sum of weights of some series, minus a level */
typedef struct combination {
  const double *x, *y; /* y may be NULL */
  double wx, wy, level;
} combination;

static core_status combine(void *self, double t, double *out) {
  const combination *c = self;
  *out = c->wx * value(c->x, t) + (c->y ? c->wy * value(c->y, t) : 0) - c->level;
  return CORE_OK;
}

/* where c changes its sign in [a, b]; b when it does not */
static double crossing(combination c, double a, double b) {
  core_bracket br;
  double t = b;
  if (core_root_bracket(combine, &c, a, b, &br)) return b;
  return core_root_find(combine, &c, &br, 0, &t) ? b : t;
}

/* Times that cut [0, step] into pieces on which v_n is monotone: D = dv_n/dl is 0 there. D goes
 * with -cos of the angle between v_t and W_tn, and is monotone before and after they meet. */
static int monotone_pieces(const law_sliding *s, const expansion *x, double times_out[4]) {
  int n = 0;
  if (s->kappa * hypot(s->tn[0], s->tn[1]) >= s->nu * s->nn) {
    combination meet = {x->S, x->C, s->tn[0], -s->tn[1], 0};
    combination slope = {x->C, x->S, s->kappa * s->tn[0], s->kappa * s->tn[1], s->nu * s->nn};
    double cut = crossing(meet, 0, x->step), from = 0;
    for (int i = 0; i < 2; i++) {
      double to = i ? x->step : cut, t = crossing(slope, from, to);
      if (t > from && t < to) times_out[n++] = t;
      from = to;
    }
  }
  times_out[n++] = x->step;
  return n;
}

/* what must reach which level for the impact to end */
static combination ending_of(const law_normal *n, const expansion *x) {
  combination c = {x->work, NULL, 1, 0, n->work_c - n->e * n->e * n->work_c};
  if (n->ending == LAW_KINEMATIC) c.x = x->v, c.level = -n->e * n->before;
  if (n->ending == LAW_KINETIC) c.x = x->l, c.level = (1 + n->e) * n->l_c;
  return c;
}

/* the stop of restitution within a piece on which v_n is monotone, or LAW_STOP_PIECE */
static law_stop find_end(const law_sliding *s, const expansion *x, double from, double to,
                         double *t) {
  combination end = ending_of(&s->n, x), zero = {x->v, NULL, 1, 0, 0};
  int falls = s->n.ending != LAW_KINEMATIC && value(x->v, to) < 0 && value(x->v, from) > 0;
  if (falls) to = crossing(zero, from, to); /* work has its maximum there */
  if (value(end.x, to) >= end.level) {
    *t = value(end.x, from) >= end.level ? from : crossing(end, from, to);
    return LAW_STOP_END;
  }
  *t = to;
  return falls && s->n.ending == LAW_KINETIC ? LAW_STOP_FALL : LAW_STOP_PIECE;
}

/* the first stop in the step, and its time */
static law_stop find_stop(const law_sliding *s, const expansion *x, double *t) {
  double ends[4], from = 0;
  int n = monotone_pieces(s, x, ends);
  for (int i = 0; i < n; from = ends[i++]) {
    if (s->n.restituting) {
      law_stop stop = find_end(s, x, from, ends[i], t);
      if (stop != LAW_STOP_PIECE) return stop;
    } else if (value(x->v, ends[i]) > 0) {
      *t = crossing((combination){x->v, NULL, 1, 0, 0}, from, ends[i]);
      return LAW_STOP_COMPRESSION;
    }
  }
  *t = x->step;
  return LAW_STOP_PIECE;
}

/* ---- the way ---- */

static void tell_step(const law_sliding *s, const expansion *x, double to, law_stop stop,
                      int samples, law_turn_tell tell, void *self) {
  int last = stop == LAW_STOP_PIECE ? samples : samples - 1;
  for (int i = 1; i <= last; i++) {
    law_sliding at = *s;
    move_to(&at, x, to * i / samples);
    tell(self, &at);
  }
}

/* work taken in between 0 and t of the step by compression once more, during restitution: down from
 * where v_n passed 0, or down to there */
static double pressed_again(const law_sliding *s, const expansion *x, double t) {
  double before = x->v[0], after = value(x->v, t);
  if (!s->n.restituting || (before >= 0 && after >= 0)) return 0;
  double turn = crossing((combination){x->v, NULL, 1, 0, 0}, 0, t);
  double from = value(x->work, before > 0 ? turn : 0), to = value(x->work, after > 0 ? turn : t);
  return fmax(0, from - to);
}

static void arrive(law_sliding *s, law_stop stop) {
  law_normal *n = &s->n;
  if (law_stop_goes_on(stop)) law_normal_turn(n, stop);
  if (stop == LAW_STOP_END) n->v = fmax(0, n->ending == LAW_KINEMATIC ? -n->e * n->before : n->v);
}

core_status law_turn(law_sliding *s, law_stop *stop, int samples, law_turn_tell tell, void *self) {
  expansion x;
  for (int i = 0; i < STEPS; i++) {
    *stop = LAW_STOP_PIECE;
    if (law_sliding_settled(s)) return CORE_OK;
    if (core_interrupted()) return CORE_INTERRUPTED;
    double t;
    expand(s, &x);
    *stop = find_stop(s, &x, &t);
    if (tell) tell_step(s, &x, t, *stop, samples, tell, self);
    s->n.again += pressed_again(s, &x, t);
    move_to(s, &x, t);
    arrive(s, *stop);
    if (*stop != LAW_STOP_PIECE) return CORE_OK;
  }
  return CORE_NOT_CONVERGED;
}
