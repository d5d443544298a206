#include "core/ode.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "core/ode_implicit.h"
#include "core/ode_table.h"
#include "core/pair.h"

enum { LAST = 12, ASIDE = 14 }; /* rows of k that hold f at the end of the step, and at 1/5 of it */

static const double safety = 0.85, shrink = 1. / 3, grow = 6;

/* ---- memory and start ---- */

static int padded(int n) {
  return (n + 3) & ~3;
}

size_t core_ode_memory(int n) {
  return (size_t)padded(n) * (CORE_ODE_STAGES + 3) + (size_t)n * CORE_ODE_DENSE + 4;
}

void core_ode_init(core_ode *o, int n, core_ode_rhs rhs, void *self, double *memory) {
  int stride = padded(n);
  memset(memory, 0, core_ode_memory(n) * sizeof *memory);
  *o = (core_ode){.n = n, .stride = stride, .rhs = rhs, .self = self};
  o->rtol = 1e-9;
  o->atol = 1e-12;
  o->unit = 1;
  o->h_max = INFINITY;
  o->k = memory;
  o->y = o->k + CORE_ODE_STAGES * stride;
  o->y_old = o->y + stride;
  o->work = o->y_old + stride;
  o->dense = o->work + stride;
}

static double *stage(const core_ode *o, int i) {
  return core_ode_stage(o, i);
}

static core_status evaluate(core_ode *o, double t, const double *y, int i) {
  o->evaluations++;
  return o->rhs(o->self, t, y, stage(o, i));
}

static double norm(const core_ode *o, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < o->n; i++) {
    double r = x[i] / core_ode_scale(o, i, y[i], y[i]);
    sum += r * r;
  }
  return o->n ? sqrt(sum / o->n) : 0;
}

/* f after one Euler step h, as stage 1 */
static core_status euler(core_ode *o, double h) {
  const double *f = stage(o, LAST);
  for (int i = 0; i < o->n; i++) o->work[i] = o->y[i] + h * f[i];
  return evaluate(o, o->t + h, o->work, 1);
}

/* first step: from the size of y, y' and a guess at y'' by one Euler step */
static core_status first_step(core_ode *o, int direction, double *h) {
  const double *f = stage(o, LAST);
  double *f1 = stage(o, 1), d0 = norm(o, o->y, o->y), d1 = norm(o, f, o->y);
  double h0 = d0 < 1e-10 || d1 * o->unit < 1e-10 ? 1e-6 * o->unit : 0.01 * d0 / d1;
  if (h0 > o->h_max) h0 = o->h_max;
  core_status status = euler(o, direction * h0);
  for (int i = 0; i < 60 && core_ode_outside(status); i++) { /* f may end near: shorter */
    h0 /= 4;
    status = euler(o, direction * h0);
  }
  if (status) return status;
  for (int i = 0; i < o->n; i++) f1[i] -= f[i];
  /* in units of o->unit, so that an eighth root is of a pure number */
  double T = o->unit, d2 = norm(o, f1, o->y) / h0, d = fmax(d1 * T, d2 * T * T);
  double h1 = d <= 1e-15 ? fmax(1e-6 * T, 1e-3 * h0) : T * pow(0.01 / d, 1. / 8);
  *h = fmin(fmin(100 * h0, h1), o->h_max);
  return CORE_OK;
}

core_status core_ode_start(core_ode *o, double t, const double *y, int direction, double h) {
  o->t = o->t_old = t;
  if (y != o->y) memcpy(o->y, y, (size_t)o->n * sizeof *y);
  o->h = 0;
  o->has_step = o->has_dense = 0;
  if (o->implicit) o->implicit->has_J = 0, o->implicit->Z_h = 0; /* another f, another past */
  core_status status = evaluate(o, t, o->y, LAST);
  if (!status && h == 0) status = first_step(o, direction, &h);
  o->h_next = direction * fmin(h, o->h_max);
  return status;
}

/* ---- one step ---- */

typedef core_loose_four four; /* a third of the time of 258 numbers */

/* out = y + h sum a_j k_j from component i on, `fours` * 4 of them; rows are padded with zeros */
CORE_PART void combine_some(const core_ode *o, const core_ode_row *row, const double *y, double h,
                            int i, const int fours, double *out) {
  four s[4] = {{0}};
  const double *k = o->k + i;
  size_t stride = (size_t)o->stride;
  for (int j = 0; j < row->n; j++) {
    const four *kj = (const four *)(k + (size_t)row->at[j] * stride);
    double x = row->a[j];
    four a = {x, x, x, x};
    for (int m = 0; m < fours; m++) s[m] += a * kj[m];
  }
  const four *from = (const four *)(y + i), all = {h, h, h, h};
  for (int m = 0; m < fours; m++) ((four *)(out + i))[m] = from[m] + all * s[m];
}

CORE_WIDE static void combine(const core_ode *o, const core_ode_row *row, const double *y, double h,
                              double *out) {
  int i = 0;
  for (; i + 16 <= o->stride; i += 16) combine_some(o, row, y, h, i, 4, out);
  for (; i < o->stride; i += 4) combine_some(o, row, y, h, i, 1, out);
}

/* the twelve stages from (t_old, y_old), the new y and f there */
static core_status try_step(core_ode *o, double h) {
  core_status status = CORE_OK;
  for (int i = 1; i < LAST && !status; i++) {
    combine(o, &core_ode_a[i], o->y_old, h, o->work);
    status = evaluate(o, o->t_old + core_ode_c[i] * h, o->work, i);
  }
  if (!status) combine(o, &core_ode_a[LAST], o->y_old, h, o->y);
  return status;
}

/* estimate of the local error over the tolerance: |e5| |h| / sqrt(1 + (e3/10 e5)^2)-like mean.
 * Stages 1 to 4 play no part in it and lend their memory. */
static double error_of(const core_ode *o, double h) {
  double *a = stage(o, 1), *b = stage(o, 2), e5 = 0, e3 = 0;
  memset(o->work, 0, (size_t)o->stride * sizeof *o->work);
  combine(o, &core_ode_error5, o->work, 1, a);
  combine(o, &core_ode_error3, o->work, 1, b);
  for (int i = 0; i < o->n; i++) {
    double scale = 1 / core_ode_scale(o, i, o->y_old[i], o->y[i]);
    double five = a[i] * scale, three = ((o->y[i] - o->y_old[i]) / h - b[i]) * scale;
    e5 += five * five;
    e3 += three * three;
  }
  double below = e5 + 0.01 * e3;
  return below > 0 ? fabs(h) * e5 / sqrt(below * o->n) : below; /* a NaN goes through */
}

static double change_of(double error) {
  if (!(error > 0)) return error == 0 ? grow : shrink;
  double c = safety * pow(error, -1. / 8);
  return c < shrink ? shrink : c > grow ? grow : c;
}

static void accept(core_ode *o, double t, double h, double proposal) {
  o->t = t;
  o->h = h;
  o->h_next = fabs(proposal) > o->h_max ? copysign(o->h_max, h) : proposal;
  o->has_step = 1;
  o->steps++;
  o->implicit_steps += o->by_nodes;
  o->hurried += o->hurry > ODE_HURRIED;
}

/* |x - y|^2 beside the tolerances */
static double apart(const core_ode *o, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < o->n; i++) {
    double r = (x[i] - y[i]) / core_ode_scale(o, i, o->y[i], o->y[i]);
    sum += r * r;
  }
  return sum;
}

/* The last stage and the new state are at one time: the largest |h lambda| of f is about the
 * distance of their rates over theirs (Hairer and Wanner II, IV.2). */
static double fastest(const core_ode *o, double h, double between) {
  double rates = apart(o, stage(o, LAST), stage(o, LAST - 1));
  return between > 0 ? fabs(h) * sqrt(rates / between) : 0;
}

/* The new y by either method, and the estimate of its error. *between: how far the last stage of an
 * explicit one is from y. */
static core_status estimate(core_ode *o, double h, double *between) {
  o->by_nodes = o->implicit && core_implicit_ready(o, h);
  if (o->by_nodes) return core_implicit_try(o, h);
  core_status status = try_step(o, h);
  *between = status ? 0 : apart(o, o->work, o->y);
  o->error = status ? INFINITY : error_of(o, h);
  return status;
}

/* one try of size h; error > 1 or a status means that it was not good enough */
static core_status attempt(core_ode *o, double t, double h) {
  double between = 0;
  core_status status = estimate(o, h, &between);
  o->h = h;
  o->hurry = 0;
  o->has_dense = 0;
  if (status || !(o->error <= 1)) return status;
  status = evaluate(o, t, o->y, LAST);
  if (!status && !o->by_nodes) o->hurry = fastest(o, h, between);
  return status;
}

/* The step after one of size h. An implicit one that may hardly grow keeps its factors instead. An
 * explicit one goes no nearer to where stability ends: what has settled long ago would still be
 * seen inside of it, hundreds of times the tolerance. */
static double proposal_of(const core_ode *o, double h, double growth) {
  double change = fmin(change_of(o->error), growth);
  if (o->hurry > 0) change = fmin(change, ODE_HURRIES / o->hurry);
  return o->by_nodes && change >= 1 && change < ODE_SAME ? h : h * change;
}

/* A step far beyond stability may end well as long as what is fast is at rest; inside of it that is
 * seen, up to thousands of times the tolerance. Where the polynomial is wanted, such a step is made
 * again; once, because a jump of f looks like that at any length. */
static core_status look_inside(core_ode *o, int *again) {
  if (!o->keeps_dense) return CORE_OK;
  core_status status = core_ode_dense(o);
  if (status || *again || !(o->inside > ODE_INSIDE)) return status;
  *again = 1;
  o->error = INFINITY;
  return CORE_OK;
}

static core_status step_until_accepted(core_ode *o, double t_limit) {
  double h = o->h_next, growth = grow;
  for (int again = 0;;) {
    if (core_interrupted()) return CORE_INTERRUPTED;
    double wanted = h;
    int last = (o->t_old + 1.01 * h - t_limit) * (h < 0 ? -1 : 1) > 0;
    if (last) h = t_limit - o->t_old;
    if (h == 0 || (!last && fabs(h) <= 8 * DBL_EPSILON * fabs(o->t_old))) return CORE_NOT_CONVERGED;
    double t = last ? t_limit : o->t_old + h;
    core_status status = attempt(o, t, h);
    if (!status && o->error <= 1) status = look_inside(o, &again);
    if (status && !core_ode_outside(status)) return status;
    if (!status && o->error <= 1) {
      double next = proposal_of(o, h, growth);
      accept(o, t, h, last && fabs(wanted) > fabs(next) ? wanted : next);
      return CORE_OK;
    }
    o->rejected++;
    growth = 1;
    h *= status ? 0.25 : change_of(o->error);
    if (status && core_ode_is_short(o, h)) return status;
  }
}

core_status core_ode_step(core_ode *o, double t_limit) {
  size_t bytes = (size_t)o->n * sizeof *o->y;
  memcpy(o->y_old, o->y, bytes);
  memcpy(stage(o, 0), stage(o, LAST), bytes);
  o->t_old = o->t;
  o->has_step = o->has_dense = 0;
  core_status status = step_until_accepted(o, t_limit);
  if (status) core_ode_back(o);
  return status;
}

core_status core_ode_redo(core_ode *o, double t) {
  double h = t - o->t_old, between = 0;
  core_status status = estimate(o, h, &between);
  if (!status) status = evaluate(o, t, o->y, LAST);
  if (status) o->error = INFINITY;
  o->t = t;
  o->h = h;
  o->has_dense = 0;
  return status;
}

/* stages 1 to 4 may be lent: see error_of */
CORE_WIDE void core_ode_reach(const core_ode *o, int n, double *most) {
  double by = 2 * fabs(o->h);
  for (int j = 0; j < n; j++) most[j] = fabs(o->k[j]);
  for (int i = 5; i <= LAST; i++) {
    const double *k = stage(o, i);
    for (int j = 0; j < n; j++) most[j] = fabs(k[j]) > most[j] ? fabs(k[j]) : most[j];
  }
  for (int j = 0; j < n; j++) most[j] *= by;
}

void core_ode_back(core_ode *o) {
  size_t bytes = (size_t)o->n * sizeof *o->y;
  memcpy(o->y, o->y_old, bytes);
  memcpy(stage(o, LAST), stage(o, 0), bytes);
  o->t = o->t_old;
}

void core_ode_nudge(core_ode *o, double dt) {
  const double *f = stage(o, LAST);
  for (int i = 0; i < o->n; i++) o->y[i] += dt * f[i];
  o->t += dt;
  o->h = o->t - o->t_old;
  if (fabs(dt) > ODE_DENSE * fabs(o->h)) o->has_dense = 0; /* by less it stays as good as it was */
}

core_status core_ode_hop(core_ode *o, double dt) {
  size_t bytes = (size_t)o->n * sizeof *o->y;
  double *d = o->dense, *k = stage(o, 0), *middle = stage(o, 1);
  memcpy(o->y_old, o->y, bytes);
  memcpy(k, stage(o, LAST), bytes);
  for (int i = 0; i < o->n; i++) o->work[i] = o->y[i] + dt / 2 * k[i];
  core_status status = evaluate(o, o->t + dt / 2, o->work, 1);
  if (status) return status;
  memset(d, 0, CORE_ODE_DENSE * bytes);
  for (int i = 0; i < o->n; i++) {
    o->y[i] += dt * middle[i];
    d[i] = o->y_old[i];
    d[o->n + i] = dt * middle[i];
    d[2 * o->n + i] = dt * (k[i] - middle[i]);
  }
  o->t_old = o->t;
  o->t += dt;
  o->h = dt;
  o->has_step = o->has_dense = 1;
  return CORE_OK;
}

core_status core_ode_touch(core_ode *o) {
  return evaluate(o, o->t, o->y, LAST);
}

/* ---- dense output ---- */

/* The polynomial and the stage at s = 1/5, which is of order 7 too, say the same where it is good:
 * their distance over the tolerance. It is up to 2 in smooth motions, 80 and more in steps beyond
 * stability. */
static double doubt_inside(const core_ode *o) {
  double sum = 0, *y = stage(o, 1), *at = stage(o, 2);
  combine(o, &core_ode_a[ASIDE], o->y_old, o->h, at);
  core_ode_at(o, core_ode_c[ASIDE], 0, o->n, y);
  for (int i = 0; i < o->n; i++) {
    double r = (y[i] - at[i]) / core_ode_scale(o, i, o->y_old[i], o->y[i]);
    sum += r * r;
  }
  return o->n ? sqrt(sum / o->n) : 0;
}

/* y(t_old + s h) = d0 + s (d1 + r (d2 + s (d3 + r (d4 + s (d5 + r (d6 + s d7)))))),  r = 1 - s */
core_status core_ode_dense(core_ode *o) {
  if (o->has_dense) return CORE_OK;
  if (o->by_nodes) return core_implicit_dense(o), CORE_OK;
  core_status status = CORE_OK;
  for (int i = LAST + 1; i < CORE_ODE_STAGES && !status; i++) {
    combine(o, &core_ode_a[i], o->y_old, o->h, o->work);
    status = evaluate(o, o->t_old + core_ode_c[i] * o->h, o->work, i);
  }
  if (status) return status;
  int n = o->n;
  double *d = o->dense, h = o->h;
  const double *f0 = stage(o, 0), *f1 = stage(o, LAST);
  for (int i = 0; i < n; i++) {
    double difference = o->y[i] - o->y_old[i], bend = h * f0[i] - difference;
    d[i] = o->y_old[i];
    d[n + i] = difference;
    d[2 * n + i] = bend;
    d[3 * n + i] = difference - h * f1[i] - bend;
  }
  memset(o->work, 0, (size_t)o->stride * sizeof *o->work);
  for (int r = 0; r < 4; r++) {
    combine(o, &core_ode_dense_rows[r], o->work, h, stage(o, 1));
    memcpy(d + (4 + r) * n, stage(o, 1), (size_t)n * sizeof *d);
  }
  o->has_dense = 1;
  o->inside = doubt_inside(o);
  return CORE_OK;
}

void core_ode_read(const double *dense, int n, double theta, int first, int count, double *y) {
  double s = theta, r = 1 - theta;
  for (int i = 0; i < count; i++) {
    const double *d = dense + first + i;
    double high = d[4 * n] + s * (d[5 * n] + r * (d[6 * n] + s * d[7 * n]));
    y[i] = d[0] + s * (d[n] + r * (d[2 * n] + s * (d[3 * n] + r * high)));
  }
}

void core_ode_at(const core_ode *o, double theta, int first, int n, double *y) {
  core_ode_read(o->dense, o->n, theta, first, n, y);
}

void core_ode_at_rate(const core_ode *o, double theta, int first, int count, double *dy) {
  int n = o->n;
  double factor[2] = {theta, 1 - theta}, slope[2] = {1, -1};
  for (int i = 0; i < count; i++) {
    const double *d = o->dense + first + i;
    double value = d[7 * n], rate = 0;
    for (int j = 6; j >= 0; j--) { /* value <- d_j + factor value, from the inside out */
      rate = slope[j % 2] * value + factor[j % 2] * rate;
      value = d[j * n] + factor[j % 2] * value;
    }
    dy[i] = rate / o->h;
  }
}
