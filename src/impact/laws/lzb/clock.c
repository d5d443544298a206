/* How time runs in a step of law.lzb. Where n is no whole number, x^n is not smooth where a contact
 * begins and where it opens, and time is not the right variable:
 *
 *   BEGIN   contacts begin, x = 0 and v < 0, and none is pressed or apart:  t = h s^(2/(n+1)),
 *           x = t a(s), F dt = K t^n a^n dt = K h^(n+1) 2/(n+1) s a^n ds. The next in a row of
 *           balls, which has no velocity yet, has a = s^2 (...) and a^n s^2n
 *   SQUARE  contacts begin and others are pressed:  t = h s^2, x = s^2 a, F = K s^2n a^n
 *   ROOT    the contact nearest to its begin or end has x = a^2, and dt = h a ds:
 *           a' = h x'/2, F = K a^2n, all other rates times h a. It goes on smoothly beyond a = 0.
 *
 * BEGIN is speed only: with SQUARE one order in 2 (n + 1) is not zero, and the next ball, which
 * begins as t^(n+2), has to wait.
 */
#include <math.h>

#include "impact/laws/lzb/state.h"
#include "impact/laws/tolerance.h"

enum { N = LZB_ORDER };

double lzb_tolerance(const lzb *z) {
  return fmin(TOL_LZB_STEP * z->first_speed, TOL_LZB_PART * z->speed);
}

/* A deflection whose force does not count: K (1 + mu) x^n T below the tolerance, where T is the
 * time in which the softest contact stops what moves still. */
double lzb_faint(const lzb *z, int i) {
  return z->faint * z->c[i].soft;
}

/* for the speeds of now, to a factor of two */
void lzb_find_faint(lzb *z) {
  double n = z->q->exponent, was = z->faint_speed;
  if (z->speed <= 2 * was && 2 * z->speed >= was) return;
  z->faint_speed = z->speed;
  z->stop_time = pow(pow(z->speed, 1 - n) / z->softest, 1 / (n + 1));
  z->faint = pow(lzb_tolerance(z) / z->stop_time, 1 / n);
  z->asleep = z->plain || z->is_whole ? 0 : pow(TOL_LZB_ASLEEP / z->stop_time, 1 / n);
}

/* begins with a velocity that counts in the next step, and 2 n is a whole number */
int lzb_begins(const lzb *z, int i) {
  const lzb_contact *c = &z->c[i];
  if (c->phase != LZB_PRESSED || z->now.x[i] != 0) return 0;
  return 2 * z->q->exponent == floor(2 * z->q->exponent) &&
         -z->now.v[c->n] * z->next_time > lzb_faint(z, i);
}

_Static_assert(LZB_ORDER == 20, "to_the_last");

/* x^N */
static double to_the_last(double x) {
  double x4 = x * x * x * x, x16 = x4 * x4 * x4 * x4;
  return x16 * x4;
}

/* Where the next step is limited most by contact i: at the time R from now, before or behind, it
 * passes x = 0 with a velocity u, and its force is K (u t)^n there, which lets the step reach
 * R (tolerance/A)^(1/N), A = K (u R)^n R b/N, where b is the binomial coefficient of n over N - 1
 * (order N of the impulse of (1 - t/R)^n). From x + x' t + x'' t^2/2; infinite where that stays
 * above zero (contacts that waited for their load began without a velocity) and where it is above
 * `most`. */
static double limit_by(const lzb *z, int i, double most) {
  const lzb_contact *c = &z->c[i];
  double size, x = z->now.x[i], pace = lzb_pace(c);
  double u = pace * z->now.v[c->n], a = pace * lzb_rate(z, c->n, &size);
  double square = u * u - 2 * a * x;
  if (!(square > 0)) return INFINITY;
  double speed = sqrt(square), R = 2 * x / (fabs(u) + speed);
  double part = lzb_tolerance(z) / (lzb_spring(z, c, speed * R) * R * z->last_order);
  return part < to_the_last(most / R) ? R * pow(part, 1. / N) : INFINITY;
}

/* the contact that limits the next step most, or -1: in time it would be no shorter than the last
 */
static int nearest(lzb *z) {
  double least = z->plain ? INFINITY : z->next_time;
  int best = -1;
  if (z->is_whole) return -1;
  for (int i = 0; i < z->nc; i++) {
    if (!lzb_touches(&z->c[i]) || !(z->now.x[i] > lzb_faint(z, i))) continue;
    double limit = limit_by(z, i, least);
    if (limit < least) least = limit, best = i;
  }
  return best;
}

static double begin_power(const lzb *z) {
  return 2 / (z->q->exponent + 1);
}

/* no contact is pressed or apart */
static int all_touch(const lzb *z) {
  for (int i = 0; i < z->nc; i++)
    if (z->c[i].phase != LZB_OUT && z->now.x[i] != 0) return 0;
  return 1;
}

void lzb_choose_clock(lzb *z) {
  lzb_series *q = &z->series;
  int begin = 0;
  q->clock = LZB_EVEN, q->rooted = -1, q->h = z->next_time;
  for (int i = 0; i < z->nc && !z->is_whole; i++) begin |= lzb_begins(z, i);
  if (begin) {
    q->clock = all_touch(z) && !z->plain ? LZB_BEGIN : LZB_SQUARE;
    q->first = begin_power(z) * pow(q->h, z->q->exponent);
    return;
  }
  if ((q->rooted = nearest(z)) < 0) return;
  const lzb_contact *c = &z->c[q->rooted];
  double way = fabs(lzb_pace(c) * z->now.v[c->n]) * q->h;
  q->clock = LZB_ROOT;
  q->h /= sqrt(fmax(z->now.x[q->rooted], way));
}

double lzb_first_deflection(const lzb *z, int i, int k, double v) {
  return z->c[i].phase == LZB_OUT ? 0 : lzb_pace(&z->c[i]) * v / (1 + k / begin_power(z));
}

double lzb_time_at(const lzb *z, double s) {
  const lzb_series *q = &z->series;
  switch (q->clock) {
    case LZB_EVEN: return q->h * s;
    case LZB_BEGIN: return q->h * pow(s, begin_power(z));
    case LZB_SQUARE: return q->h * s * s;
    default: return q->h * core_taylor_integral(N - 1, q->of[q->rooted].a, 1, s);
  }
}
