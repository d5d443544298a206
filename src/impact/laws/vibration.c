/* law.vibration: paper B, elastic frictionless points by modal superposition.
 *
 * While the set C of touching points stays the same, the deflections d (normal rows) obey
 *
 *   d'' = -W K* d,   K* = the stiffness of the points in C, 0 elsewhere
 *
 * With z = K^1/2 d on C the matrix S = K^1/2 W_CC K^1/2 is symmetric, S Q = Q diag(w^2), also where
 * points are redundant (rank(W) < m: some w are 0) and M_n = W^-1 does not exist. Each mode starts
 * with a = q.z, b = q.z' and moves as z_i = a cos wt + b/w sin wt. Every point, touching or not, is
 *
 *   d_p(t) = d_p + v_p t - sum_i R_pi Z_i(t),   R = W_:C K^1/2 Q,   Z_i'' = z_i
 *   Z = (a (1 - cos wt) + b (t - sin wt / w)) / w^2,   Z = a t^2/2 + b t^3/6 for w = 0
 *
 * and the impulses on C are -K^1/2 Q Z'(t). Many points that touch for a short while need no modes:
 * there the same equation is a power series (vibration/phase.c). A point leaves when d_p reaches 0
 * from below and arrives when it does from above; then the modes are new. Over when nothing touches
 * and nothing arrives.
 *
 * Redundant points share the load as their springs do. With equal stiffness and common contact this
 * is the split of smallest norm; the velocities are unique in any case, and the result says
 * `redundant`. Agrees with law.compliant{mu = 0, e = 1}, which knows nothing of modes.
 */
#include "impact/laws/vibration/phase.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/interrupt.h"
#include "core/lin.h"

typedef struct vibration_params {
  core_list k;      /* stiffness of each point [N/m] */
  double window;    /* longest flight inside one impact [s], NaN: automatic */
  int max_events;   /* then the status is `limit` */
  double tolerance; /* relative error that will do */
} vibration_params;

static const core_param params[] = {
    {"k", "N/m", CORE_LIST, offsetof(vibration_params, k), 1, "1e8", 0, INFINITY, CORE_OPEN_MIN,
     "normal stiffness, one number or one per contact", NULL},
    {"window", "s", CORE_NUMBER, offsetof(vibration_params, window), 1, "nil", 0, INFINITY,
     CORE_MAY_BE_INF,
     "longest flight without contact inside one impact; by default one period of the slowest "
     "spring "
     "for contacts that were open at the start, 25 for those that touched; in k.simulate the open "
     "ones close under load only",
     NULL},
    {"max_events", "1", CORE_INTEGER, offsetof(vibration_params, max_events), 1, "100000", 1, 1e9,
     0, "stops with the status `limit` after so many events", NULL},
    TOLERANCE_PARAM(vibration_params),
};

/* So many points get their modes at once (paper B), more only when a phase lasts: speed only, an
 * eigenproblem costs as much as n pieces or so. 100 balls: 14 ms instead of seconds; 61 balls: 44 M
 * instructions, 128 with 24 points at once. */
enum { FEW_POINTS = 4 };

/* ---- telling ---- */

static impact_sample sample_now(vibration *z) {
  int rows = z->pr->rows;
  double strain = 0;
  memset(z->out_x, 0, (size_t)rows * sizeof *z->out_x);
  memset(z->out_f, 0, (size_t)rows * sizeof *z->out_f);
  impact_velocity_after(z->pr, z->p, z->out_v);
  for (int i = 0; i < z->m; i++) {
    int n = impact_normal(z->pr, i);
    z->out_x[n] = z->d[i];
    z->mode[i] = z->touching[i] ? IMPACT_MODE_SLIP : IMPACT_MODE_OPEN;
    z->restituting[i] = z->touching[i] && z->v[i] > 0;
    if (!z->touching[i]) continue;
    z->out_f[n] = -z->k[i] * z->d[i];
    strain += z->k[i] * z->d[i] * z->d[i] / 2;
  }
  return (impact_sample){.t = z->t,
                         .p = z->p,
                         .v = z->out_v,
                         .x = z->out_x,
                         .force = z->out_f,
                         .mode = z->mode,
                         .restituting = z->restituting,
                         .strain = strain,
                         .work_normal = -strain};
}

static void tell(vibration *z, impact_event_kind kind, int contact) {
  z->events++;
  if (!z->sink || !z->sink->event) return;
  impact_event e = {kind, contact, sample_now(z)};
  z->sink->event(z->sink->self, &e);
}

/* ---- the course ---- */

static void sample_start(vibration *z) {
  if (!z->sink || !z->sink->sample || z->sink->per_phase <= 0) return;
  impact_sample s = sample_now(z);
  z->sink->sample(z->sink->self, &s);
}

/* puts the state aside, or takes it back */
static void keep_state(vibration *z, int back) {
  size_t rows = (size_t)z->pr->rows, m = (size_t)z->m;
  struct {
    double *live, *put;
    size_t n;
  } part[] = {{z->p, z->kept, rows}, {z->d, z->kept + rows, m}, {z->v, z->kept + rows + m, m}};
  for (int i = 0; i < 3; i++)
    memcpy(back ? part[i].live : part[i].put, back ? part[i].put : part[i].live,
           part[i].n * sizeof(double));
}

static int wants_samples(const vibration *z) {
  return z->sink && z->sink->sample && z->sink->per_phase > 0;
}

/* Samples of the phase (or flight) that has just been, `length` long, whose start is kept: it is
 * walked once more. */
static void sample_phase(vibration *z, double length) {
  if (!wants_samples(z)) return;
  double end = z->t, start = end - length;
  int count = impact_sink_samples(z->sink, z->pr->rows, length * z->omega), modes = z->modes;
  double *last = z->last;
  size_t rows = (size_t)z->pr->rows, m = (size_t)z->m;
  memcpy(last, z->p, rows * sizeof *last);
  memcpy(last + rows, z->d, m * sizeof *last);
  memcpy(last + rows + m, z->v, m * sizeof *last);
  keep_state(z, 1);
  z->modes = 0;
  z->t = start;
  for (int i = 1; i <= count; i++) {
    vibration_move(z, start + length * i / (count + 1) - z->t);
    impact_sample s = sample_now(z);
    z->sink->sample(z->sink->self, &s);
  }
  memcpy(z->p, last, rows * sizeof *last);
  memcpy(z->d, last + rows, m * sizeof *last);
  memcpy(z->v, last + rows + m, m * sizeof *last);
  z->modes = modes;
  z->t = end;
}

static void set_touching(vibration *z, int p, int touching) {
  if (z->touching[p] == touching) return;
  z->touching[p] = touching;
  if (z->t > 0 || !touching) tell(z, touching ? IMPACT_CLOSE : IMPACT_OPEN, p);
}

/* what one order of the derivatives of d, in units of `bound`, gives two orders later; *at: the
 * points where it is not zero */
static void two_orders_on(const vibration *z, const int *pushes, impact_span *at, double *x,
                          double *next) {
  impact_span to = {0, 0}, was = *at;
  for (int j = was.from; j < was.to; j++)
    if (pushes[j] && x[j] != 0) impact_include(&to, z->span[j]);
  for (int i = to.from; i < to.to; i++) next[i] = 0;
  for (int j = was.from; j < was.to; j++) {
    if (!pushes[j] || x[j] == 0) continue;
    double f = z->k[j] * x[j] / (z->bound * z->bound);
    for (int i = z->span[j].from; i < z->span[j].to; i++) next[i] -= z->W[j * z->m + i] * f;
  }
  for (int j = was.from; j < was.to; j++) x[j] = 0;
  for (int i = to.from; i < to.to; i++) x[i] = next[i];
  *at = to;
}

/* Points at zero that do not move: the first derivative that is more than rounding says where they
 * go. One that will be pressed pushes the others from that order on. What is so far from all that
 * moves that no order of the series shows it, rests for now. */
static void settle_resting(vibration *z) {
  double *even = z->c, *odd = even + z->m, *next = odd + z->m;
  int *pushes = z->mode, *open = z->restituting; /* open: not decided yet */
  impact_span at[2] = {{0, z->m}, {0, z->m}};
  for (int p = 0; p < z->m; p++) {
    even[p] = z->d[p] * z->bound;
    odd[p] = z->v[p];
    open[p] = z->d[p] == 0 && fabs(z->v[p]) <= z->v_rounding;
    pushes[p] = z->touching[p] && !open[p];
  }
  double noise = 10 * z->v_rounding * z->bound / z->fastest; /* as vibration/phase.c has it */
  for (int order = 2; order < VIBRATION_LENGTH; order++) {
    double *x = order % 2 ? odd : even;
    two_orders_on(z, pushes, &at[order % 2], x, next);
    for (int p = at[order % 2].from; p < at[order % 2].to; p++) {
      if (!open[p] || fabs(x[p]) <= noise) continue;
      pushes[p] = x[p] < 0;
      open[p] = 0;
    }
  }
  for (int p = 0; p < z->m; p++)
    if (z->d[p] == 0 && fabs(z->v[p]) <= z->v_rounding) set_touching(z, p, pushes[p]);
}

/* who touches from here on: points at zero by where they go */
static void settle(vibration *z) {
  for (int p = 0; p < z->m; p++)
    if (z->d[p] == 0 && fabs(z->v[p]) > z->v_rounding) /* NOLINT: set_up made room for d */
      set_touching(z, p, z->v[p] < 0);
  settle_resting(z);
}

/* a phase with some points touching, up to the next change (or one slow period) */
static core_status vibrate(vibration *z) {
  double start = z->t;
  keep_state(z, 0);
  vibration_begin(z);
  core_status status = vibration_run(z);
  if (!status) sample_phase(z, z->t - start);
  return status;
}

/* nothing touches: straight on to the next arrival; 0 when there is none soon enough */
static int fly(vibration *z, int touched) {
  double first = INFINITY;
  int who = 0;
  z->n = z->modes = 0;
  for (int p = 0; p < z->m; p++) {
    int arrives = z->d[p] > 0 && z->v[p] < -z->v_rounding;
    z->when[p] = arrives ? z->d[p] / -z->v[p] : INFINITY;
    if (z->when[p] < first) first = z->when[p], who = p;
  }
  if (isinf(first) || !impact_may_fly(z->pr, who, touched, first, z->window, z->period)) return 0;
  keep_state(z, 0);
  vibration_move(z, first);
  sample_phase(z, first);
  for (int p = 0; p < z->m; p++)
    if (z->when[p] <= first * (1 + TOL_TIE)) z->d[p] = 0;
  return 1;
}

static int count_touching(const vibration *z) {
  int n = 0;
  for (int p = 0; p < z->m; p++) n += z->touching[p];
  return n;
}

/* of v before + W p, as a part of its terms */
static void refresh_rounding(vibration *z) {
  double most = z->speed;
  for (int p = 0; p < z->m; p++)
    most = fmax(most, z->W[p * z->m + p] * fabs(z->p[impact_normal(z->pr, p)]));
  z->v_rounding = TOL_REST * most;
}

static core_status run(vibration *z, int max_events) {
  int touched = 0;
  for (int quiet = 0;; quiet++) {
    int before = z->events;
    if (core_interrupted()) return core_fail(z->err, CORE_INTERRUPTED, "%s", "");
    settle(z);
    if (z->t == 0 && !quiet) sample_start(z);
    if (z->events > before) quiet = 0;
    if (z->events > max_events || quiet > LIMIT_QUIET_PERIODS)
      return core_fail(z->err, CORE_LIMIT, "law.vibration: no end after %d events at t = %.6g s",
                       z->events, z->t);
    if (!count_touching(z)) {
      if (!fly(z, touched)) return touched ? CORE_OK : CORE_NO_IMPACT;
      continue;
    }
    touched = 1;
    core_status status = vibrate(z);
    if (status) return status;
    refresh_rounding(z);
  }
}

/* ---- set-up ---- */

static int take_memory(vibration *z) {
  size_t m = (size_t)z->m, rows = (size_t)z->pr->rows, L = VIBRATION_LENGTH;
  double *x = core_scratch_doubles(z->scratch, 4 * m * m + (14 + 2 * L) * m + 6 * rows);
  int *n = core_scratch_ints(z->scratch, 4 * m);
  z->span = core_scratch_bytes(z->scratch, m * sizeof *z->span);
  if (!x || !n || !z->span) return 0;
  double **square[] = {&z->W, &z->Q, &z->R, &z->S};
  double **line[] = {&z->k, &z->d, &z->v,    &z->w,    &z->a,
                     &z->b, &z->Z, &z->Zdot, &z->when, &z->swing};
  double **row[] = {&z->p, &z->out_x, &z->out_v, &z->out_f};
  int **whole[] = {&z->touching, &z->point, &z->mode, &z->restituting};
  for (int i = 0; i < 4; i++, x += m * m) *square[i] = x;
  for (int i = 0; i < 10; i++, x += m) *line[i] = x;
  z->c = x, x += L * m;
  z->terms = x, x += L * m;
  z->kept = x, x += rows + 2 * m;
  for (int i = 0; i < 4; i++, x += rows) *row[i] = x;
  z->last = x;
  for (int i = 0; i < 4; i++, n += m) *whole[i] = n;
  return 1;
}

/* Bodies in a row, whose W takes no work to eliminate: no pivot is near zero */
static int is_clearly_regular(vibration *z) {
  int m = z->m, *from = z->point;
  memcpy(z->S, z->W, (size_t)m * (size_t)m * sizeof *z->S);
  for (int p = 0; p < m; p++) from[p] = z->span[p].from < p ? z->span[p].from : p;
  if (core_lin_cholesky_below(m, z->S, m, from)) return 0;
  for (int p = 0; p < m; p++) {
    double pivot = z->S[p * m + p];
    if (pivot * pivot < TOL_CLEAR_PIVOT * z->W[p * m + p]) return 0;
  }
  return 1;
}

/* no points depend on each other: modes are not needed to find out */
static int is_regular(vibration *z) {
  size_t m = (size_t)z->m;
  double rcond = 0;
  if (z->m <= FEW_POINTS || is_clearly_regular(z)) return 1;
  memcpy(z->S, z->W, m * m * sizeof *z->S);
  memset(z->Z, 0, m * sizeof *z->Z);
  return !core_lin_solve_spd(z->m, z->S, 1, z->Z, z->scratch, &rcond) && rcond > TOL_ZERO_MODE;
}

static core_status set_up(vibration *z, const vibration_params *q) {
  const impact_problem *pr = z->pr;
  double slowest = INFINITY;
  if (!take_memory(z)) return core_no_memory(z->err);
  memset(z->p, 0, (size_t)pr->rows * sizeof *z->p);
  for (int i = 0; i < z->m; i++) {
    int n = impact_normal(pr, i);
    z->k[i] = core_list_at(&q->k, i);
    z->v[i] = pr->v[n];
    z->d[i] = pr->gap ? pr->gap[i] : 0;
    z->touching[i] = 0;
    z->speed = fmax(z->speed, fabs(z->v[i]));
    for (int j = 0; j < z->m; j++) z->W[j * z->m + i] = pr->W[impact_normal(pr, j) * pr->rows + n];
    double rate = sqrt(z->k[i] * z->W[i * z->m + i]);
    if (rate == 0 && z->v[i] < 0)
      return core_fail(z->err, CORE_JAM,
                       "law.vibration: contact %d approaches and W[%d][%d] = 0: no impulse can "
                       "stop it",
                       i + 1, n + 1, n + 1);
    z->fastest = fmax(z->fastest, rate);
    if (rate > 0) slowest = fmin(slowest, rate);
  }
  impact_find_spans(z->m, z->W, z->span);
  z->order = vibration_order(q->tolerance);
  z->few = is_regular(z) ? FEW_POINTS : z->m;
  z->bound = vibration_bound(z, 1);
  z->v_rounding = TOL_REST * z->speed;
  z->window = q->window;
  z->period = 2 * M_PI / slowest;
  return CORE_OK;
}

static core_status solve(const law *l, const impact_problem *pr, core_scratch *s, impact_sink *sink,
                         impact_result *r, core_error *err) {
  const vibration_params *q = l->params;
  vibration z = {.pr = pr, .scratch = s, .sink = sink, .err = err, .m = pr->nc};
  core_status status = set_up(&z, q);
  if (!status) status = run(&z, q->max_events);
  if (status == CORE_NO_IMPACT) return impact_nothing(pr, r);
  if (status) return status;
  memcpy(r->p, z.p, (size_t)pr->rows * sizeof *r->p); /* NOLINT: set_up made room for p */
  impact_velocity_after(pr, z.p, r->v);
  r->duration = z.t;
  if (z.redundant) r->flags |= IMPACT_REDUNDANT;
  tell(&z, IMPACT_END, -1);
  return CORE_OK;
}

const law_type law_vibration = {
    {"law.vibration", params, sizeof params / sizeof *params, sizeof(vibration_params)},
    "vibration",
    "Elastic contacts without friction on linear springs, solved by their modes of vibration.",
    "Batlle, Barjau and Font-Llagunes 2011",
    "k.law.vibration{ k = 1e8 }",
    LAW_MANY | LAW_GAPS | LAW_TIME | LAW_ANY_DIM | LAW_MIXED,
    .solve = solve,
};
