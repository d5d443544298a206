#include "core/event.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/root.h"
#include "core/tolerance.h"

/* samples inside a step; the outer pairs tell the slope at both ends */
static const double nodes[CORE_EVENT_NODES] = {0, 0.004, 0.15, 0.32, 0.5, 0.68, 0.85, 0.996, 1};

/* ---- memory ---- */

size_t core_event_memory(int n, int reads) {
  return (size_t)n * (CORE_EVENT_NODES + 7) + (size_t)n / 2 + 1 + (size_t)reads + 4;
}

void core_event_init(core_event *e, int n, int reads, core_event_values values, void *self,
                     double *memory) {
  memset(memory, 0, core_event_memory(n, reads) * sizeof *memory);
  *e = (core_event){.n = n, .values = values, .self = self, .reads = reads};
  e->g = memory;
  e->probe = e->g + n * CORE_EVENT_NODES;
  e->level = e->probe + n;
  e->deep = e->level + n;
  e->shortest = e->deep + n;
  e->rounding = e->shortest + n;
  e->y = e->rounding + n;
  e->direction = (int *)(e->y + reads);
  e->armed = e->direction + n;
  e->side = e->armed + n;
  e->h_good = INFINITY;
  for (int i = 0; i < n; i++) e->deep[i] = e->shortest[i] = INFINITY;
}

/* what rounding can make of zero: a small part of the level, or what the caller knows */
static double rounding_of(const core_event *e, int i) {
  return fmax(EVENT_ROUNDING * e->level[i], e->rounding[i]);
}

/* the side of g if it is far enough from zero on a side that counts, else 0 */
static int side_of(const core_event *e, int i, double g) {
  if (e->direction[i] <= 0 && g > e->level[i]) return 1;
  if (e->direction[i] >= 0 && -g > e->level[i]) return -1;
  return 0;
}

core_status core_event_begin(core_event *e, double t, const double *y) {
  core_status status = e->n ? e->values(e->self, t, y, e->g) : CORE_OK;
  for (int i = 0; i < e->n; i++) e->armed[i] = side_of(e, i, e->g[i]);
  e->below = 0;
  return status;
}

/* ---- far away ---- */

/* every function is above zero by more than it can move in the step; what is left of it then bounds
 * it from below at the end */
static int stays_far(core_event *e) {
  for (int i = 0; i < e->n; i++)
    if (e->armed[i] <= 0 || e->direction[i] >= 0 || !(e->g[i] - e->probe[i] > e->deep[i])) return 0;
  for (int i = 0; i < e->n; i++) e->g[i] -= e->probe[i];
  return 1;
}

/* Nothing can happen in the last step of o. Otherwise the first row of g has its values. */
static int is_far(core_event *e, const core_ode *o, core_status *status) {
  *status = CORE_OK;
  int known = e->most && e->most(e->self, o, e->probe);
  if (known && stays_far(e)) return e->below = 1;
  if (!e->below) return 0;
  *status = e->values(e->self, o->t_old, o->y_old, e->g);
  return e->below = !*status && known && stays_far(e);
}

/* ---- one function on the dense output ---- */

/* f = side * g_i + lift at theta: positive while nothing happens */
typedef struct probe {
  core_event *e;
  core_ode *o;
  int i, side;
  double lift;
  core_status status;
} probe;

static core_status value_at(void *self, double theta, double *f) {
  probe *p = self;
  core_event *e = p->e;
  core_ode_at(p->o, theta, 0, e->reads, e->y);
  core_status status = e->values(e->self, p->o->t_old + theta * p->o->h, e->y, e->probe);
  *f = p->side * e->probe[p->i] + p->lift;
  return status;
}

static double value(probe *p, double theta) {
  double f = 0;
  core_status status = value_at(p, theta, &f);
  if (status && !p->status) p->status = status;
  return f;
}

/* root of f between a (f > 0) and b (f <= 0); where f jumps, the place just after it */
static double root(probe *p, double a, double fa, double b, double fb) {
  core_bracket bracket = {a, fa, b, fb, 0};
  double x = b;
  core_status status = core_root_find(value_at, p, &bracket, EVENT_ROOT, &x);
  if (status && !p->status) p->status = status;
  int jumps = fmin(bracket.fa, -bracket.fb) > EVENT_JUMP * fmax(fa, -fb);
  return jumps ? bracket.b : x;
}

/* lowest point of f in (a, b) around m by golden section, left as soon as f <= 0 is found */
static int dips(probe *p, double a, double m, double fm, double b, double *at, double *f) {
  const double golden = 0.3819660112501051;
  for (int i = 0; i < 60 && !p->status && b - a > EVENT_DIP; i++) {
    double x = m - a > b - m ? m - golden * (m - a) : m + golden * (b - m), fx = value(p, x);
    if (fx <= 0) {
      *at = x, *f = fx;
      return 1;
    }
    if (fx < fm) {
      if (x < m)
        b = m;
      else
        a = m;
      m = x, fm = fx;
    } else if (x < m) {
      a = x;
    } else {
      b = x;
    }
  }
  return 0;
}

/* ---- scanning ---- */

/* the parabola through three points stays well above zero: no need to look closer */
static int parabola_is_clear(const double *x, double f0, double f1, double f2) {
  double s0 = (f1 - f0) / (x[1] - x[0]), s1 = (f2 - f1) / (x[2] - x[1]);
  double bend = (s1 - s0) / (x[2] - x[0]);
  if (bend <= 0) return 1;
  double middle = s0 + bend * (x[1] - x[0]); /* slope at x[1] */
  return f1 - middle * middle / (4 * bend) > 0.3 * f1;
}

/* f is at its root at `from`, negative at b: where was it positive in between, beyond rounding? */
static double first_hop(probe *p, double from, double b, double fb) {
  for (double way = (b - from) / 4; way > EVENT_SHORTEST && !p->status; way /= 4) {
    double fa = value(p, from + way);
    if (fa > rounding_of(p->e, p->i)) return root(p, from + way, fa, b, fb);
    if (fa <= 0) b = from + way, fb = fa;
  }
  return from;
}

/* f starts at its root, or a little beyond it, and is on its way back */
static int still_leaves(const probe *p, double f0, double f1) {
  double rounding = rounding_of(p->e, p->i);
  return f0 <= rounding && (f1 > f0 || f1 > -rounding);
}

static double bracketed(probe *p, int k, double f0, double f1) {
  if (f0 <= rounding_of(p->e, p->i) || (k == 1 && f0 <= p->e->level[p->i]))
    return first_hop(p, nodes[k - 1], nodes[k], f1);
  return root(p, nodes[k - 1], f0, nodes[k], f1);
}

/* where a disarmed function passed -deep, between samples k - 1 and k */
static double too_deep(probe *p, int k) {
  core_event *e = p->e;
  int i = p->i;
  p->side = -e->direction[i];
  p->lift = e->deep[i];
  double f0 = p->side * e->g[(k - 1) * e->n + i] + p->lift;
  double f1 = p->side * e->g[k * e->n + i] + p->lift;
  return f0 > 0 ? root(p, nodes[k - 1], f0, nodes[k], f1) : nodes[k - 1];
}

/* earliest root of function i below `best`, or `best` */
static double scan_one(probe *p, double best) {
  core_event *e = p->e;
  int i = p->i, n = e->n, side = e->armed[i];
  e->side[i] = side;
  double at, fat;
  for (int k = 1; k < CORE_EVENT_NODES && nodes[k - 1] < best && !p->status; k++) {
    double g = e->g[k * n + i];
    if (!side) {
      side = e->side[i] = side_of(e, i, g);
      if (side || !(e->direction[i] * g > e->deep[i])) continue;
      return fmin(best, too_deep(p, k)); /* went the wrong way without ever being armed */
    }
    p->side = side;
    double f0 = side * e->g[(k - 1) * n + i], f1 = side * g;
    if (f1 <= 0 && still_leaves(p, f0, f1)) continue;
    if (f1 <= 0) return fmin(best, bracketed(p, k, f0, f1));
    if (k + 1 == CORE_EVENT_NODES || f1 > f0) continue;
    double f2 = side * e->g[(k + 1) * n + i];
    if (f2 < f1 || parabola_is_clear(nodes + k - 1, f0, f1, f2)) continue;
    if (dips(p, nodes[k - 1], nodes[k], f1, nodes[k + 1], &at, &fat))
      return fmin(best, root(p, f0 > 0 ? nodes[k - 1] : nodes[k], f0 > 0 ? f0 : f1, at, fat));
  }
  return best;
}

/* The step ends so near to a root that the next one would start at it: of a caller that knew when,
 * or by chance within rounding. The slope comes from the last two samples. */
static int about_to_fire(const core_event *e, int i) {
  int last = CORE_EVENT_NODES - 1;
  double f = e->armed[i] * e->g[last * e->n + i],
         before = e->armed[i] * e->g[(last - 1) * e->n + i];
  double falls = EVENT_AT_END * (before - f) / (nodes[last] - nodes[last - 1]);
  return e->armed[i] && f > 0 && falls > 0 && f < fmax(falls, rounding_of(e, i));
}

static core_status sample(core_event *e, core_ode *o) {
  core_status status = core_ode_dense(o);
  for (int k = 1; k < CORE_EVENT_NODES && !status; k++) {
    core_ode_at(o, nodes[k], 0, e->reads, e->y);
    status = e->values(e->self, o->t_old + nodes[k] * o->h, e->y, e->g + k * e->n);
  }
  return status;
}

/* A cubic through samples 0, 3, 5, 8 must meet the samples 2, 4, 6 but for a part of the range up
 * to the first change of sign, or of the distance to zero when there is none; rows of Lagrange's
 * weights. */
static int resolves(const core_event *e, int i) {
  static const double weight[3][4] = {
      {0.351953125, 0.8626302083333334, -0.2766927083333333, 0.062109375},
      {-0.0744485294117647, 0.5744485294117647, 0.5744485294117647, -0.0744485294117647},
      {0.062109375, -0.2766927083333333, 0.8626302083333334, 0.351953125}};
  const double *g = e->g + i;
  int n = e->n;
  double low = g[0], high = g[0], worst = 0, side = g[n] < 0 ? -1 : 1;
  int k = 1;
  do {
    low = g[k * n] < low ? g[k * n] : low;
    high = g[k * n] > high ? g[k * n] : high;
  } while (side * g[k * n] > 0 && ++k < CORE_EVENT_NODES);
  for (int j = 0; j < 3; j++) {
    const double *w = weight[j];
    double cubic = w[0] * g[0] + w[1] * g[3 * n] + w[2] * g[5 * n] + w[3] * g[8 * n];
    worst = fmax(worst, fabs(cubic - g[(2 + 2 * j) * n]));
  }
  double near = k == CORE_EVENT_NODES ? 0.2 * (side > 0 ? low : -high) : 0;
  return worst <= 0.02 * (high - low) || worst <= near || worst <= e->level[i];
}

static int resolved(const core_event *e, double h) {
  for (int i = 0; i < e->n; i++)
    if (fabs(h) > e->shortest[i] && !resolves(e, i)) return 0;
  return 1;
}

static core_status sample_part(core_event *e, core_ode *o, double t) {
  core_status status = core_ode_redo(o, t);
  return status ? status : sample(e, o);
}

/* Samples of a step that is short enough for them, and inside the domain of the functions. What the
 * shortest step does not resolve is a jump or noise: then the whole step is taken as it is. */
static core_status sample_resolved(core_event *e, core_ode *o) {
  double whole = o->t;
  core_status status = sample(e, o);
  int shorter = 0, inside = !status;
  for (; shorter < 60 && (status ? core_ode_outside(status) : !resolved(e, o->h)); shorter++) {
    if (status && core_ode_is_short(o, o->h)) break;
    status = sample_part(e, o, o->t_old + o->h / 2);
  }
  if (status) return status;
  if (shorter && !resolved(e, INFINITY)) return inside ? sample_part(e, o, whole) : CORE_OK;
  e->h_good = shorter ? fabs(o->h) : fmax(e->h_good, fabs(o->h)) * 1.5;
  if (fabs(o->h_next) > e->h_good) o->h_next = copysign(e->h_good, o->h_next);
  return CORE_OK;
}

/* largest |g| of function i in the step that was scanned */
static double size_of(const core_event *e, int i) {
  double size = 0;
  for (int k = 0; k < CORE_EVENT_NODES; k++) size = fmax(size, fabs(e->g[k * e->n + i]));
  return size;
}

/* what starts within rounding of its root is not on a side yet; smooth ones of the caller, which
 * knows their roots, are armed as they are */
static void disarm_roots(core_event *e) {
  for (int i = 0; i < e->n && e->at_start; i++)
    if (isinf(e->deep[i]) && fabs(e->g[i]) <= 64 * DBL_EPSILON * size_of(e, i)) e->armed[i] = 0;
}

/* one look at the step as it is */
static core_status look(core_event *e, core_ode *o, int *which, double *theta) {
  *which = -1;
  *theta = 2; /* beyond the step */
  core_status status = sample_resolved(e, o);
  if (!status) disarm_roots(e);
  for (int i = 0; i < e->n && !status; i++) {
    probe p = {e, o, i, e->armed[i], 0, CORE_OK};
    double at = scan_one(&p, *theta);
    status = p.status;
    if (at < *theta) *theta = at, *which = i;
  }
  for (int i = 0; i < e->n && !status && *which < 0; i++)
    if (about_to_fire(e, i)) *which = i, *theta = 1;
  return status;
}

core_status core_event_scan(core_event *e, core_ode *o, int *which, double *theta) {
  core_status status;
  *which = -1;
  if (e->n == 0 || is_far(e, o, &status)) return CORE_OK;
  if (!status) status = look(e, o, which, theta);
  /* early in a long step there may be more to see: look again, closer */
  for (int i = 0; i < 20 && !status && *which >= 0 && *theta > 0 && *theta < 0.35; i++) {
    if (fabs(*theta * o->h) <= 8 * DBL_EPSILON * fabs(o->t_old)) {
      *theta = 0; /* at the start: there is no time between */
      break;
    }
    status = core_ode_redo(o, o->t_old + 1.25 * *theta * o->h);
    if (!status || core_ode_outside(status)) status = look(e, o, which, theta);
  }
  if (!status) e->at_start = 0;
  if (*which >= 0 || status) return status;
  memcpy(e->g, e->g + (CORE_EVENT_NODES - 1) * e->n, (size_t)e->n * sizeof *e->g);
  memcpy(e->armed, e->side, (size_t)e->n * sizeof *e->armed);
  return CORE_OK;
}

/* ---- the last digits ---- */

/* g and dg/dt of function i at the end of the step, by a difference along f */
static core_status slope_at_end(core_event *e, core_ode *o, int i, double *g, double *slope) {
  const double *f = o->k + 12 * o->stride;
  double dt = EVENT_SLOPE * o->h;
  core_status status = e->values(e->self, o->t, o->y, e->probe);
  *g = e->probe[i];
  if (status) return status;
  for (int j = 0; j < e->reads; j++) e->y[j] = o->y[j] + dt * f[j];
  status = e->values(e->self, o->t + dt, e->y, e->probe);
  *slope = (e->probe[i] - *g) / dt;
  return status;
}

/* the way left to the root, by Newton; where g jumps instead of passing zero nothing moves */
static core_status polish(core_event *e, core_ode *o, int which, int *done) {
  double g, slope;
  *done = 1;
  core_status status = slope_at_end(e, o, which, &g, &slope);
  if (status || slope == 0 || fabs(g) > EVENT_NEAR * size_of(e, which)) return status;
  double dt = -g / slope, part = (o->t + dt - o->t_old) / o->h;
  if (!(part > 0) || fabs(dt) > EVENT_NEAR * fabs(o->h)) return CORE_OK;
  if (fabs(dt) <= EVENT_NUDGE * fabs(o->h))
    core_ode_nudge(o, dt);
  else
    *done = 0, status = core_ode_redo(o, o->t + dt);
  return status;
}

/* the shorter step was not good enough: half of it, and so on, without an event */
static core_status back_off(core_event *e, core_ode *o) {
  core_status status = CORE_OK;
  for (int i = 0; i < 60 && !(o->error <= 1); i++) {
    status = core_ode_redo(o, o->t_old + o->h / 2);
    if (status && !core_ode_outside(status)) return status;
  }
  if (!status && !(o->error <= 1)) status = CORE_NOT_CONVERGED;
  o->h_next = o->h;
  return status ? status : e->values(e->self, o->t, o->y, e->g);
}

core_status core_event_refine(core_event *e, core_ode *o, int which, double theta, int *fired) {
  core_status status = CORE_OK;
  *fired = 1;
  if (theta == 0) {
    core_ode_back(o);
    return CORE_OK;
  }
  if (theta < 1 - EVENT_AT_END) status = core_ode_redo(o, o->t_old + theta * o->h);
  if (status ? core_ode_outside(status) : !(o->error <= 1)) {
    *fired = 0;
    return back_off(e, o);
  }
  for (int i = 0, done = 0; i < 4 && !done && !status; i++) status = polish(e, o, which, &done);
  return status;
}

int core_event_joins(const core_event *e, int i, double theta, double now) {
  double least = EVENT_TOGETHER * size_of(e, i);
  int k = CORE_EVENT_NODES - 1;
  while (k > 0 && nodes[k] >= theta) k--;
  double before = e->g[k * e->n + i];
  int side = before > 0 ? 1 : -1;
  return fabs(before) > least && side * now <= least && side * e->direction[i] <= 0;
}
