/* Along a whole run: steps and events in their order, and what is left of the start's directions.
 */
#include "sim/vary.h"

#include <math.h>
#include <string.h>

#include "core/lin.h"

/* ---- left * right ---- */

typedef struct walk {
  sim_vary_work w;
  int rank;      /* columns of left */
  double *left;  /* n x rank */
  double *right; /* rank x 2 nu */
  double *ds;    /* rank: shift of the last event's time [s] */
  double *dt;    /* 2 nu: the same with the start, at a section */
  unsigned flags;
  double t_flag;
  impact_derived how;
  double *growth; /* 2 nu: logarithms of what directions have grown by, or NULL: not asked for */
} walk;

/* the run's unit of number i of a state: of places, turns and their rates */
static double unit(const walk *k, int i) {
  return k->w.step[i] / (k->w.o->fine ? SIM_VARY_FOUR_POINTS : SIM_VARY_TWO_POINTS);
}

/* out of those units, or into them */
static void scale(const walk *k, int columns, double *x, int into) {
  int n = k->w.n;
  for (int i = 0; i < n * columns; i++) x[i] *= into ? 1 / unit(k, i % n) : unit(k, i % n);
}

/* at most `rank` directions are left of the columns: left = U, right = U^T left right, in those
 * units */
static core_status narrow(walk *k, int rank) {
  int n = k->w.n, all = 2 * k->w.f.nu, old = k->rank;
  if (rank >= old || k->growth) return CORE_OK;
  core_mark mark = core_scratch_mark(k->w.s);
  size_t few = (size_t)(n < old ? n : old);
  double *S = core_scratch_doubles(k->w.s, few + (size_t)(n * n + rank * old + rank * all) + 1);
  core_status status = S ? CORE_OK : CORE_NO_MEMORY;
  double *U = S + few, *part = U + n * n, *right = part + rank * old;
  scale(k, old, k->left, 1);
  if (!status) status = core_lin_svd(n, old, k->left, k->w.s, S, U, NULL);
  if (!status) {
    core_lin_multiply('T', 'N', rank, old, n, 1, U, n, k->left, n, 0, part, rank);
    core_lin_multiply('N', 'N', rank, all, old, 1, part, rank, k->right, old, 0, right, rank);
    memcpy(k->left, U, (size_t)(n * rank) * sizeof *U);
    memcpy(k->right, right, (size_t)(rank * all) * sizeof *U);
    k->rank = rank;
  }
  scale(k, k->rank, k->left, 0);
  core_scratch_release(k->w.s, mark);
  return status;
}

/* directions of the start as long as the run's units, so that none is small beside the others */
static void measure(walk *k) {
  int n = k->w.n;
  for (int j = 0; j < k->rank; j++) {
    double *v = k->left + j * n, size = 0;
    for (int i = 0; i < n; i++) size = hypot(size, v[i] / unit(k, i));
    for (int i = 0; i < n; i++) v[i] /= size;
    k->right[j * k->rank + j] = size;
  }
}

/* onto what is held; `less`: the columns keep so many more directions to zero by themselves */
static core_status hold(walk *k, double t, const double *y, int more, const int *others, int less) {
  int rank = k->rank;
  core_status status = sim_vary_hold(&k->w, t, y, more, others, k->rank, k->left, &rank);
  return status ? status : narrow(k, rank - less);
}

/* columns orthogonal in turn, in the run's units; what each has grown by is added up */
static void orthogonal(walk *k) {
  int n = k->w.n;
  for (int j = 0; j < k->rank; j++) {
    double *v = k->left + j * n, size = 0;
    if (k->growth[j] == -INFINITY) continue;
    for (int i = 0; i < j; i++) {
      const double *u = k->left + i * n;
      double dot = 0;
      if (k->growth[i] == -INFINITY) continue;
      for (int c = 0; c < n; c++) dot += v[c] * u[c] / (k->w.step[c] * k->w.step[c]);
      for (int c = 0; c < n; c++) v[c] -= dot * u[c];
    }
    for (int c = 0; c < n; c++) size = hypot(size, v[c] / k->w.step[c]);
    k->growth[j] = size > SIM_VARY_LOST ? k->growth[j] + log(size) : -INFINITY;
    for (int c = 0; c < n; c++) v[c] = size > SIM_VARY_LOST ? v[c] / size : 0;
  }
}

/* ---- the start ---- */

/* contacts that touch at y and are not closed in the phase entered */
static core_status touching(sim_vary_work *w, const double *y, int *n, int **ids) {
  *n = 0;
  *ids = core_scratch_ints(w->s, (size_t)w->f.nc + 1);
  core_status status = *ids ? w->r->m->type->gap(w->r->m, y, w->f.gap) : CORE_NO_MEMORY;
  for (int c = 0; c < w->f.nc && !status && w->o->on_touching; c++) {
    int closed = 0;
    for (int i = 0; i < w->f.closed.n; i++) closed |= w->f.closed.ids[i] == c;
    if (!closed && w->f.gap[c] <= sim_touch(&w->f, c)) (*ids)[(*n)++] = c;
  }
  return status;
}

/* What the start's directions are held by: the phase of the first step, or nothing where an impact
 * comes before that, at the start itself: what it closes was open. */
static int first_phase(const sim_run *r) {
  for (size_t i = 0; i < r->n_events && r->events[i].t <= r->o.t_start; i++)
    if (r->events[i].kind == SIM_IMPACT) return -1;
  return r->steps[0].phase;
}

static core_status start(walk *k, const sim_run *r, const sim_vary_options *o, core_scratch *s,
                         core_error *err) {
  core_status status = sim_vary_begin(r, o, s, err, &k->w);
  if (status) return status;
  int n = k->w.n, all = 2 * k->w.f.nu, more, *others;
  double *x = core_scratch_doubles(s, (size_t)(n * all + all * all + 2 * all));
  if (!x) return CORE_NO_MEMORY;
  k->rank = all, k->left = x, k->right = x + n * all, k->ds = k->right + all * all;
  k->dt = k->ds + all;
  sim_vary_enter(&k->w, first_phase(r));
  double *y = core_scratch_doubles(s, (size_t)r->n);
  if (!y) return CORE_NO_MEMORY;
  sim_vary_read(r, &r->steps[0], r->steps[0].t0, y);
  status = sim_vary_basis(&k->w, y, k->left);
  memset(k->right, 0, (size_t)(all * all) * sizeof *k->right);
  memset(k->ds, 0, 2 * (size_t)all * sizeof *k->ds);
  if (!status) measure(k);
  if (!status) status = touching(&k->w, y, &more, &others);
  return status ? status : hold(k, r->o.t_start, y, more, others, 0);
}

/* ---- events between steps ---- */

/* does anything of the run change at this event? */
static int matters(const sim_run *r, const sim_event *e, int section) {
  if (e->kind == SIM_STOP) return 0;
  return e->kind != SIM_USER || section || r->o.watches[e->watch].reset;
}

/* y of an event, with work and sliding as zeros */
static double *state_of(const sim_run *r, const sim_event *e, core_scratch *s) {
  double *y = core_scratch_doubles(s, (size_t)r->n);
  if (!y) return NULL;
  memset(y, 0, (size_t)r->n * sizeof *y);
  memcpy(y, sim_event_q(r, e), (size_t)(r->n - 2) * sizeof *y);
  return y;
}

/* the events of one time from `from` on, in front of step i */
static core_status group(const sim_run *r, size_t from, size_t i, int section, core_scratch *s,
                         sim_vary_event *v) {
  size_t first = from, last = from;
  while (last < r->n_events && r->events[last].t == r->events[from].t) last++;
  while (first < last && !matters(r, &r->events[first], section)) first++;
  double *next = core_scratch_doubles(s, (size_t)r->n);
  *v = (sim_vary_event){first, last, i > 0 ? r->steps[i - 1].phase : -1, -1, NULL, next};
  if (first == last) return CORE_OK;
  v->y = state_of(r, &r->events[first], s);
  if (!v->y || !next) return CORE_NO_MEMORY;
  if (i < r->n_steps) {
    v->after = r->steps[i].phase;
    sim_vary_read(r, &r->steps[i], r->steps[i].t0, next);
  }
  return CORE_OK;
}

static void note(walk *k, const sim_salt *x, double t) {
  if (x->flags && !k->flags) k->t_flag = t;
  k->flags |= x->flags;
  k->how.error = fmax(k->how.error, x->how.error);
  k->how.tie |= x->how.tie;
  k->how.exact_model |= x->how.exact_model;
  k->how.differenced_model |= x->how.differenced_model;
  if (x->how.route > k->how.route) k->how.route = x->how.route;
}

/* orders that do the same whoever comes first are one */
static core_status cross(walk *k, const sim_vary_event *v, int section) {
  core_mark mark = core_scratch_mark(k->w.s);
  const sim_run *r = k->w.r;
  size_t size = (size_t)(k->w.n * k->rank);
  sim_salt x = {0}, by = {0};
  double *before = core_scratch_doubles(k->w.s, size + 1), most = 1;
  core_status status = before ? CORE_OK : CORE_NO_MEMORY;
  if (!status) memcpy(before, k->left, size * sizeof *before);
  if (!status) status = sim_vary_cross(&k->w, v, section, k->rank, k->left, k->ds, &x);
  if (!status && x.n > 1) {
    status = sim_vary_orders(&k->w, v, k->rank, before, &by);
    for (size_t i = 0; i < size; i++) most = fmax(most, fabs(k->left[i]));
    if (by.orders > 1 && by.difference > SIM_VARY_SAME * most) x.flags |= SIM_VARY_ORDER;
  }
  note(k, &x, r->events[v->first].t);
  if (!status && section)
    core_lin_multiply('N', 'N', 1, 2 * k->w.f.nu, k->rank, 1, k->ds, 1, k->right, k->rank, 0, k->dt,
                      1);
  sim_vary_enter(&k->w, v->after);
  int more = 0, *others = NULL; /* a section lies on all that touch there */
  if (!status && section && v->after >= 0) status = touching(&k->w, v->next, &more, &others);
  int user = section && r->events[v->first].kind == SIM_USER; /* its function stays zero */
  if (!status && v->after >= 0)
    status = hold(k, r->events[v->first].t, v->next, more, others, user);
  core_scratch_release(k->w.s, mark);
  return status;
}

/* ---- the whole ---- */

static core_status walk_steps(walk *k, const sim_run *r, int section) {
  core_status status = CORE_OK;
  size_t event = 0;
  for (size_t i = 0; i <= r->n_steps && !status; i++) {
    double t = i < r->n_steps ? r->steps[i].t0 : r->t;
    while (event < r->n_events && r->events[event].t <= t && !status) {
      core_mark mark = core_scratch_mark(k->w.s);
      sim_vary_event v;
      int at_end = section && r->events[event].t == r->t;
      status = group(r, event, i, at_end, k->w.s, &v);
      event = v.last;
      if (!status && v.first < v.last) status = cross(k, &v, at_end);
      core_scratch_release(k->w.s, mark);
    }
    if (status || i == r->n_steps) break;
    sim_vary_enter(&k->w, r->steps[i].phase);
    if (k->growth) orthogonal(k);
    status = sim_vary_step(&k->w, &r->steps[i], k->rank, k->left);
  }
  return status;
}

static core_status check_run(const sim_run *r, core_error *err) {
  if (r->n_steps == 0)
    return core_fail(err, CORE_BAD_INPUT,
                     "monodromy: the dense output was not kept (keep = false)");
  if (r->o.backward)
    return core_fail(err, CORE_BAD_INPUT, "monodromy: the run goes backwards in time");
  return CORE_OK;
}

/* the worst of a few steps */
static core_status doubt(walk *k, const sim_run *r, double *error) {
  core_status status = CORE_OK;
  size_t stride = r->n_steps / 8 + 1;
  for (size_t i = 0; i < r->n_steps && !status; i += stride) {
    double here;
    sim_vary_enter(&k->w, r->steps[i].phase);
    status = sim_vary_doubt(&k->w, &r->steps[i], &here);
    if (!status) *error = fmax(*error, here);
  }
  return status;
}

core_status sim_vary(const sim_run *r, const sim_vary_options *o, core_scratch *s, sim_variation *v,
                     core_error *err) {
  walk k = {.t_flag = NAN};
  core_status status = check_run(r, err);
  if (!status) status = start(&k, r, o, s, err);
  if (!status) status = walk_steps(&k, r, o->section);
  int nu = r->m->shape.nu;
  double *left = core_scratch_doubles(s, (size_t)(2 * nu * k.rank) + 1);
  double *y = core_scratch_doubles(s, (size_t)r->n);
  if (!status && (!left || !y)) status = CORE_NO_MEMORY;
  if (!status) memcpy(y, r->q, (size_t)r->n * sizeof *y);
  if (!status) status = sim_vary_reduce(&k.w, y, k.rank, k.left, left);
  double error = 0;
  if (!status && o->with_error) status = doubt(&k, r, &error);
  if (status) return status == CORE_NO_MEMORY ? core_fail(err, status, "%s", "") : status;
  *v = (sim_variation){nu, k.rank, left, k.right, k.dt, k.flags, k.t_flag, k.how, error};
  return CORE_OK;
}

core_status sim_vary_growth(const sim_run *r, const sim_vary_options *o, core_scratch *s,
                            double *exponents, core_error *err) {
  walk k = {.t_flag = NAN};
  int all = 2 * r->m->shape.nu;
  core_status status = check_run(r, err);
  for (int i = 0; i < all; i++) exponents[i] = 0;
  k.growth = exponents;
  if (!status) status = start(&k, r, o, s, err);
  if (!status) orthogonal(&k);
  for (int i = 0; i < all && !status; i++) /* from unit directions on */
    if (exponents[i] > -INFINITY) exponents[i] = 0;
  if (!status) status = walk_steps(&k, r, 0);
  if (status) return status == CORE_NO_MEMORY ? core_fail(err, status, "%s", "") : status;
  orthogonal(&k);
  for (int i = 0; i < all; i++) exponents[i] /= r->t - r->o.t_start;
  for (int i = 1; i < all; i++) /* largest first */
    for (int j = i; j > 0 && exponents[j] > exponents[j - 1]; j--) {
      double keep = exponents[j];
      exponents[j] = exponents[j - 1], exponents[j - 1] = keep;
    }
  return CORE_OK;
}

/* ---- one event ---- */

/* index of the step behind the time of the event */
static size_t step_behind(const sim_run *r, double t) {
  size_t i = 0;
  while (i < r->n_steps && r->steps[i].t0 < t) i++;
  return i;
}

static core_status fill_orders(walk *k, const sim_vary_event *v, sim_salt *x) {
  int nu = k->w.f.nu, all = 2 * nu, rank;
  size_t size = (size_t)(k->w.n * all);
  double *told = core_scratch_doubles(k->w.s, (size_t)(x->orders * all * all) + 1);
  core_status status = told ? CORE_OK : CORE_NO_MEMORY;
  sim_vary_enter(&k->w, v->after);
  for (int o = 0; o < x->orders && !status; o++) {
    double *d = x->by_order + (size_t)o * size;
    double t = k->w.r->events[v->first].t;
    if (v->after >= 0) status = sim_vary_hold(&k->w, t, v->next, 0, NULL, all, d, &rank);
    if (!status) status = sim_vary_reduce(&k->w, v->next, all, d, told + o * all * all);
  }
  x->by_order = told;
  return status;
}

core_status sim_salt_at(const sim_run *r, size_t event, const sim_vary_options *o, core_scratch *s,
                        sim_salt *x, core_error *err) {
  walk k = {.t_flag = NAN};
  sim_vary_event v;
  int nu = r->m->shape.nu, all = 2 * nu, rank = all;
  *x = (sim_salt){0};
  core_status status = check_run(r, err);
  if (!status) status = sim_vary_begin(r, o, s, err, &k.w);
  if (status) return status;
  while (event > 0 && r->events[event - 1].t == r->events[event].t) event--;
  status = group(r, event, step_behind(r, r->events[event].t), 0, s, &v);
  double *d = core_scratch_doubles(s, (size_t)(2 * k.w.n * all + all * all + all)),
         *keep = d + k.w.n * all;
  if (!d && !status) status = CORE_NO_MEMORY;
  x->X = keep + k.w.n * all;
  double *ds = x->X + all * all;
  if (!status && v.first == v.last) { /* nothing changes: one */
    for (int i = 0; i < all * all; i++) x->X[i] = i % (all + 1) == 0;
    x->rate = NAN;
    return CORE_OK;
  }
  if (!status) status = sim_vary_basis(&k.w, v.y, d);
  if (!status) memcpy(keep, d, (size_t)(k.w.n * all) * sizeof *d);
  if (!status) status = sim_vary_cross(&k.w, &v, 0, all, d, ds, x);
  if (!status && x->n > 1) status = sim_vary_orders(&k.w, &v, all, keep, x);
  if (!status && x->orders) status = fill_orders(&k, &v, x);
  sim_vary_enter(&k.w, v.after);
  if (!status && v.after >= 0)
    status = sim_vary_hold(&k.w, r->events[event].t, v.next, 0, NULL, all, d, &rank);
  if (!status) status = sim_vary_reduce(&k.w, v.after >= 0 ? v.next : v.y, all, d, x->X);
  for (int i = 0; i < all * all && x->flags & SIM_VARY_GRAZING; i++)
    x->X[i] = NAN; /* NOLINT: sim_vary_reduce has filled it */
  if (x->orders && x->difference > 0) x->flags |= SIM_VARY_ORDER;
  return status == CORE_NO_MEMORY ? core_fail(err, status, "%s", "") : status;
}
