/* Which route a derivative takes; and differences, for all laws that have none of their own. */
#include "impact/derive.h"

#include <math.h>
#include <string.h>

#include "core/differ.h"
#include "core/interrupt.h"
#include "impact/tolerance.h"

const char *impact_route_word(impact_route route) {
  static const char *const words[] = {"closed form", "active set", "events", "differences"};
  return words[route];
}

double impact_value(const law *l, const char *key, int c) {
  const core_param *p = core_schema_find(&l->type->schema, key);
  if (!p) return NAN;
  const void *at = (const char *)l->params + p->at;
  if (p->kind == CORE_LIST) {
    const core_list *list = at;
    return list->n ? core_list_at(list, c) : NAN;
  }
  return *(const double *)at;
}

double impact_change(const law *l, const impact_direction *d, const char *key, int c) {
  if (d->of != l || strcmp(d->param->key, key)) return 0;
  return d->at < 0 || d->at == c ? 1 : 0;
}

/* ---- differences ---- */

/* What happened in an impact, as one number: kinds and contacts of its events in their order.
 * Events at one impulse have none: a hinge stops along and across its wall together, and rounding
 * decides which is told first. */
typedef struct story {
  unsigned long hash, together; /* of all before, and of those at the last impulse */
  double impulse;               /* sum of |p| there, in units of the contacts */
  int n, rows;
  const double *unit;
} story;

static void close_group(story *st) {
  st->hash = (st->hash ^ st->together) * 1099511628211UL;
  st->together = 0;
}

static void add_word(story *st, unsigned long word) {
  word = (word + 1) * 0x9E3779B97F4A7C15UL; /* sums of different words differ */
  st->together += word ^ (word >> 29);
  st->n++;
}

static void hear(void *self, const impact_event *e) {
  story *st = self;
  double impulse = 0;
  for (int i = 0; i < st->rows && e->sample.p; i++) impulse += fabs(e->sample.p[i]) / st->unit[i];
  if (impulse - st->impulse > TOL_TOLD_TOGETHER * impulse) close_group(st);
  st->impulse = impulse;
  add_word(st, (unsigned long)(16 * (e->contact + 2) + (int)e->kind));
}

/* laws without a path tell no events: how each contact ends is what there is */
static void add_ends(story *st, const law *l, const impact_problem *pr, const impact_result *r) {
  for (int c = 0; c < pr->nc; c++) {
    close_group(st);
    int n = impact_normal(pr, c), first = impact_first(pr, c);
    double pt = 0, mu = law_sliding_friction(l, c);
    for (int i = first; i < n; i++) pt = hypot(pt, r->p[i]);
    add_word(st, (unsigned long)((r->p[n] > 0) + 2 * (pt < mu * r->p[n] * (1 - TOL_AT_CONE))));
  }
  close_group(st);
}

typedef struct line {
  const law *l; /* as it is */
  law *changed; /* a copy whose parameter moves, or NULL */
  law *moves;   /* the one inside it that has the parameter */
  const impact_direction *d;
  const impact_problem *at;
  impact_problem pr; /* with W, v, gap of our own */
  impact_result r;
  double *unit; /* rows: impulse that each contact alone has with the energy 1/2 */
  core_scratch *s;
  core_error *err;
  story first; /* that of s = 0 */
} line;

static void move_numbers(int n, const double *from, const double *by, double s, double *to) {
  for (int i = 0; i < n; i++) to[i] = from[i] + (by ? s * by[i] : 0);
}

static core_status move_law(line *w, double s) {
  const impact_direction *d = w->d;
  void *to = (char *)w->moves->params + d->param->at;
  const void *from = (const char *)d->of->params + d->param->at; /* NOLINT: a law's direction */
  if (d->param->kind == CORE_LIST) {
    const core_list *list = from;
    double *x = core_scratch_doubles(w->s, (size_t)list->n + 1);
    if (!x) return CORE_NO_MEMORY;
    for (int i = 0; i < list->n; i++)
      x[i] = core_list_data(list)[i] + (d->at < 0 || d->at == i ? s : 0);
    if (core_list_set(to, list->n, x)) return CORE_NO_MEMORY;
  } else {
    *(double *)to = *(const double *)from + s;
  }
  return law_rebuild(w->moves, w->err);
}

static void move_problem(line *w, double s) {
  const impact_problem *at = w->at;
  double *gap = (double *)w->pr.gap;
  move_numbers(at->rows * at->rows, at->W, w->d->W, s, (double *)w->pr.W);
  move_numbers(at->rows, at->v, w->d->v, s, (double *)w->pr.v);
  for (int c = 0; c < at->nc; c++) {
    double open = at->gap ? at->gap[c] : 0;
    gap[c] = open > 0 && w->d->gap ? open + s * w->d->gap[c] : open;
  }
}

/* p in its units at s; CORE_NO_SOLUTION when another story is told there than at 0 */
static core_status impulse_at(void *self, double s, double *p) {
  line *w = self;
  story st = {.hash = 14695981039346656037UL, .rows = w->pr.rows, .unit = w->unit};
  impact_sink sink = {&st, 0, 0, NULL, hear};
  core_mark mark = core_scratch_mark(w->s);
  if (core_interrupted()) return core_fail(w->err, CORE_INTERRUPTED, "%s", "");
  move_problem(w, s);
  core_status status = w->changed ? move_law(w, s) : CORE_OK;
  const law *l = w->changed ? w->changed : w->l;
  if (!status) status = law_solve(l, &w->pr, w->s, &sink, &w->r, w->err);
  core_scratch_release(w->s, mark);
  if (status == CORE_NO_MEMORY || status == CORE_INTERRUPTED || status == CORE_CALLBACK)
    return status;
  if (status) return CORE_NO_SOLUTION;
  add_ends(&st, l, &w->pr, &w->r);
  if (w->first.n == 0) w->first = st;
  for (int i = 0; i < w->pr.rows; i++) p[i] = w->r.p[i] / w->unit[i];
  return st.hash == w->first.hash ? CORE_OK : CORE_NO_SOLUTION;
}

/* a copy of the law, and of the laws inside down to the one whose parameter moves */
static core_status copy_law(const law *l, const law *of, law **copy, law **moves, core_error *err) {
  core_status status = law_create(l->type, l->params, copy, err);
  if (status || l == of) {
    *moves = *copy;
    return status;
  }
  law **inside = (law **)((char *)(*copy)->params + l->type->inner->at), *inner = NULL;
  status = copy_law(*inside, of, &inner, moves, err);
  if (!status) *inside = inner;
  return status;
}

static void free_copy(law *copy, const law *moves) {
  if (!copy) return;
  if (copy != moves) free_copy(*(law **)((char *)copy->params + copy->type->inner->at), moves);
  law_free(copy);
}

/* W_nn^-1/2 of the contact of each row: N s and N m s, m/s and rad/s beside each other */
void impact_derive_units(const impact_problem *pr, double *unit) {
  for (int c = 0; c < pr->nc; c++) {
    int n = impact_normal(pr, c);
    double w = pr->W[n * (pr->rows + 1)];
    for (int r = impact_first(pr, c); r <= n; r++) unit[r] = w > 0 ? 1 / sqrt(w) : 1;
  }
}

/* the largest change of the problem that a unit of s makes, in parts of it */
static double strength(const impact_problem *pr, const impact_direction *d, const double *unit) {
  double W = 0, v = 0, gap = 0, dW = 0, dv = 0, dgap = 0;
  for (int i = 0; i < pr->rows * pr->rows; i++) {
    double by = unit[i % pr->rows] * unit[i / pr->rows];
    W = fmax(W, by * fabs(pr->W[i]));
    if (d->W) dW = fmax(dW, by * fabs(d->W[i]));
  }
  for (int i = 0; i < pr->rows; i++) {
    v = fmax(v, unit[i] * fabs(pr->v[i]));
    if (d->v) dv = fmax(dv, unit[i] * fabs(d->v[i]));
  }
  for (int c = 0; c < pr->nc && pr->gap && d->gap; c++) {
    double by = unit[impact_normal(pr, c)];
    gap = fmax(gap, by * fabs(pr->gap[c]));
    dgap = fmax(dgap, pr->gap[c] > 0 ? by * fabs(d->gap[c]) : 0);
  }
  double most = fmax(W > 0 ? dW / W : 0, v > 0 ? dv / v : 0);
  return fmax(most, gap > 0 ? dgap / gap : 0);
}

/* first step and side for a parameter: a part of it, within its limits */
static void parameter_step(const impact_direction *d, core_differ *w) {
  double x = impact_value(d->of, d->param->key, d->at < 0 ? 0 : d->at);
  double low = x - d->param->min, high = d->param->max - x;
  w->h = STEP_OF_PARAMETER * fmax(fabs(x), 0.1);
  w->side = low <= 0 ? 1 : high <= 0 ? -1 : 0;
  if (w->side == 0) w->h = fmin(w->h, fmin(low, high) / 2);
}

static core_status prepare(line *w, core_differ *c) {
  int rows = w->at->rows, nc = w->at->nc;
  double *x = core_scratch_doubles(w->s, (size_t)(rows * rows + 3 * rows + nc));
  c->work = core_scratch_doubles(w->s, (size_t)core_differ_memory(rows));
  if (!x || !c->work) return CORE_NO_MEMORY;
  w->pr = *w->at;
  w->pr.W = x, w->pr.v = x + rows * rows, w->pr.gap = w->pr.v + rows;
  w->r.p = (double *)w->pr.gap + nc, w->r.v = w->r.p + rows;
  c->f = impulse_at, c->self = w, c->n = rows;
  c->h = STEP_OF_PROBLEM / strength(w->at, w->d, w->unit);
  if (w->d->of) parameter_step(w->d, c);
  return impulse_at(w, 0, c->work);
}

core_status impact_derive_differences(const law *l, const impact_problem *pr,
                                      const impact_direction *d, core_scratch *s, double *dp,
                                      impact_derived *how, core_error *err) {
  double *unit = core_scratch_doubles(s, (size_t)pr->rows);
  line w = {.l = l, .d = d, .at = pr, .unit = unit, .s = s, .err = err};
  core_differ c = {0};
  double error = 0, size = 0, p = 0;
  if (!unit) return CORE_NO_MEMORY;
  impact_derive_units(pr, unit);
  memset(dp, 0, (size_t)pr->rows * sizeof *dp);
  if (!d->of && !(strength(pr, d, unit) > 0)) return CORE_OK;
  core_status status = d->of ? copy_law(l, d->of, &w.changed, &w.moves, err) : CORE_OK;
  if (!status) status = prepare(&w, &c);
  for (int i = 0; i < pr->rows && !status; i++) p = fmax(p, fabs(c.work[i]));
  c.goal = TOL_DIFFERENCE * p * STEP_OF_PROBLEM / c.h;
  if (!status) status = core_differ_at(&c, dp, &error);
  free_copy(w.changed, w.moves);
  for (int i = 0; i < pr->rows && !status; i++) size = fmax(size, fabs(dp[i]));
  size = fmax(size, p * STEP_OF_PROBLEM / c.h);
  how->route = IMPACT_DIFFERENCES;
  how->size = fmax(how->size, size);
  if (!status) how->error = fmax(how->error, size > 0 ? error / size : 0);
  if (status == CORE_NO_SOLUTION || (!status && error > TOL_VAGUE * size)) {
    how->tie = 1;
    for (int i = 0; i < pr->rows; i++) dp[i] = NAN;
    return CORE_OK;
  }
  for (int i = 0; i < pr->rows; i++) dp[i] *= unit[i];
  return status;
}

/* ---- which route ---- */

static core_status exact(const law *l, const impact_problem *pr, const impact_result *r,
                         const impact_direction *d, core_scratch *s, double *dp,
                         impact_derived *how) {
  core_status status = impact_derive_chain(l, pr, d, s, dp, how);
  if (status != CORE_UNSUPPORTED) return status;
  *how = (impact_derived){.route = IMPACT_CLOSED_FORM};
  status = impact_derive_planar(l, pr, d, s, dp, &how->tie);
  if (status != CORE_UNSUPPORTED) return status;
  how->route = IMPACT_ACTIVE_SET;
  status = impact_derive_active(l, pr, r, d, s, dp, &how->tie);
  if (status != CORE_UNSUPPORTED) return status;
  how->route = IMPACT_BY_EVENTS;
  status = impact_derive_space(l, pr, d, s, dp, &how->tie);
  if (status != CORE_UNSUPPORTED) return status;
  return impact_derive_springs(l, pr, d, s, dp, &how->tie);
}

core_status impact_derive(const law *l, const impact_problem *pr, const impact_result *r,
                          const impact_direction *d, core_scratch *s, double *dp,
                          impact_derived *how, core_error *err) {
  core_mark mark = core_scratch_mark(s);
  impact_derived one = {0};
  core_status status = exact(l, pr, r, d, s, dp, &one);
  /* two events at once need not be a tie: one hinge stops along and across its wall together */
  if (status == CORE_UNSUPPORTED || (!status && one.tie)) {
    status = impact_derive_differences(l, pr, d, s, dp, how, err);
  } else if (!status) {
    if (one.route > how->route) how->route = one.route;
    how->error = fmax(how->error, one.error);
  }
  core_scratch_release(s, mark);
  return status == CORE_NO_MEMORY ? core_fail(err, status, "%s", "") : status;
}
