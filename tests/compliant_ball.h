/* The ball of paper Y by hand: normal and tangent do not couple, so the normal motion is a sine
 * that is known beforehand, and the tangent follows it. Long double, scan and bisection; nothing
 * shared with the law. Also what the paper says of its ball: v = V + z x omega, W = diag(7/2, 7/2,
 * 1). */
#ifndef TESTS_COMPLIANT_BALL_H
#define TESTS_COMPLIANT_BALL_H

#include "compliant_help.h"

typedef struct by_hand {
  long double mu, e, eta, wt, speed; /* W_nn = 1, k = 1, |v_n| before */
  int printed;
  long double t, v, x, p; /* now: time, tangential velocity, deflection, impulse */
  long double side;       /* direction of slip */
  int slips;
} by_hand;

/* normal deflection (> 0: pressed), velocity and impulse at time t, for unit speed before */
static inline void hand_normal(const by_hand *b, long double t, long double *n, long double *v,
                               long double *p) {
  long double top = acosl(-1) / 2;
  if (t <= top) {
    *n = b->speed * sinl(t), *v = -b->speed * cosl(t), *p = b->speed + *v;
    return;
  }
  long double a = (t - top) / b->e;
  *n = b->e * b->e * b->speed * cosl(a), *v = b->e * b->speed * sinl(a), *p = b->speed + *v;
}

static inline long double hand_ratio(const by_hand *b, long double t) {
  return t <= acosl(-1) / 2 ? b->eta * b->eta : b->eta * b->eta / (b->e * b->e);
}

static inline long double hand_slip_mu(const by_hand *b, long double t) {
  return b->printed && t > acosl(-1) / 2 ? b->e * b->mu : b->mu;
}

/* the tangent after dt in its mode, within one normal phase */
static inline by_hand hand_move(by_hand b, long double dt) {
  long double n0, v0, p0, n1, v1, p1, to = b.t + dt, mid = b.t + dt / 2;
  hand_normal(&b, b.t, &n0, &v0, &p0);
  hand_normal(&b, to, &n1, &v1, &p1);
  if (b.slips) {
    long double mu = hand_slip_mu(&b, mid), dp = -b.side * mu * (p1 - p0);
    b.p += dp, b.v += b.wt * dp;
    b.x = b.side * mu * hand_ratio(&b, mid) * n1;
  } else {
    long double w = sqrtl(b.wt) / b.eta, c = cosl(w * dt), s = sinl(w * dt);
    long double x = b.x * c + b.v / w * s, v = b.v * c - b.x * w * s;
    b.p += (v - b.v) / b.wt, b.x = x, b.v = v;
  }
  b.t = to;
  return b;
}

/* positive as long as the mode may go on */
static inline long double hand_margin(const by_hand *b, long double mid) {
  long double n, v, p;
  hand_normal(b, b->t, &n, &v, &p);
  if (b->slips) return b->side * b->v + hand_slip_mu(b, mid) * hand_ratio(b, mid) * v;
  return b->mu * hand_ratio(b, mid) * n - fabsl(b->x);
}

/* one normal phase up to `end` */
static inline by_hand hand_phase(by_hand b, long double end) {
  int parts = 4000;
  for (long double step = (end - b.t) / parts; b.t < end;) {
    long double dt = b.t + step * 1.5L > end ? end - b.t : step;
    by_hand next = hand_move(b, dt);
    if (hand_margin(&next, b.t + dt / 2) >= 0 || next.t >= end) {
      b = next;
      continue;
    }
    long double lo = 0, hi = dt;
    for (int i = 0; i < 80; i++) {
      long double m = (lo + hi) / 2;
      next = hand_move(b, m);
      if (hand_margin(&next, b.t + m / 2) >= 0)
        lo = m;
      else
        hi = m;
    }
    b = hand_move(b, hi);
    b.slips = !b.slips;
    if (b.slips) b.side = b.x > 0 ? 1 : -1;
    b = hand_move(b, step * 1e-9L); /* off the edge; its effect is of the second order */
  }
  return b;
}

/* tangential impulse of a ball with contact velocity (vt, vn) */
static inline double ball_by_hand(double vt, double vn, double mu, double e, double eta,
                                  int printed) {
  by_hand b = {.mu = mu, .e = e, .eta = eta, .wt = 3.5L, .printed = printed};
  b.speed = -(long double)vn;
  b.v = vt;
  b.side = vt > 0 ? 1 : -1;
  b.slips = fabsl(b.v) >= b.mu * b.eta * b.eta * b.speed;
  long double top = acosl(-1) / 2;
  b = hand_phase(b, top);
  if (e == 0) return (double)b.p;
  return (double)hand_phase(b, top * (1 + b.e)).p;
}

/* ---- the ball as the paper has it ---- */

typedef struct ball_state {
  double V[3], omega[3];
} ball_state;

static const double ball_W[9] = {3.5, 0, 0, 0, 3.5, 0, 0, 0, 1};

/* one bounce with the law */
static inline ball_state bounce(const spec *q, ball_state b) {
  double v[3] = {b.V[0] - b.omega[1], b.V[1] + b.omega[0], b.V[2]};
  const course *c = run_spec(q, 1, 3, ball_W, v, NULL, -1);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c->r.status, c->err.text);
  for (int i = 0; i < 3; i++) b.V[i] += c->p[i];
  b.omega[0] += 2.5 * c->p[1];
  b.omega[1] -= 2.5 * c->p[0];
  return b;
}

/* the same by hand */
static inline ball_state bounce_by_hand(const spec *q, ball_state b) {
  double v[2] = {b.V[0] - b.omega[1], b.V[1] + b.omega[0]}, size = hypot(v[0], v[1]);
  double p = ball_by_hand(size, b.V[2], q->mu[0], q->e[0], q->eta[0], q->printed);
  for (int i = 0; i < 2; i++) b.V[i] += size > 0 ? p * v[i] / size : 0;
  b.omega[0] += size > 0 ? 2.5 * p * v[1] / size : 0;
  b.omega[1] -= size > 0 ? 2.5 * p * v[0] / size : 0;
  b.V[2] *= -q->e[0];
  return b;
}

#endif
