/* What an event does to a change of the state: saltation.
 *
 *   s = -Dg d / (g_t + Dg F-)            how much later the event comes
 *   d+ = DR (d + F- s) + R_t s - F+ s    at a fixed time; at a section without F+ s
 *
 *   event      g                       R
 *   impact     gap of who arrives      u+ by the law, q unchanged
 *   stick      speed of sliding        none; what the new phase holds is taken out exactly
 *   slip       mu f_n - |f_t|          none; of one that slides already (it turns back) that of
 * stick release    f_n                     none: F- = F+, and d+ = d user       the user's function
 * his reset zeno       none: the flights left are shorter than the run resolves, d is put on the
 * contact
 */
#include <math.h>
#include <string.h>

#include "sim/inner.h"
#include "sim/vary.h"

/* ---- event functions ---- */

typedef struct trigger {
  sim_event_kind kind;
  int at; /* contact, place among the closed ones, or watch */
} trigger;

static int place_of(const sim_vary_work *w, int contact) {
  for (int i = 0; i < w->f.closed.n; i++)
    if (w->f.closed.ids[i] == contact) return i;
  return -1;
}

/* mu f_n - |f_t| or the speed of sliding of a closed contact */
static core_status contact_function(sim_vary_work *w, const trigger *g, double t, const double *y,
                                    double *out) {
  core_mark mark = core_scratch_mark(w->s);
  sim_space space;
  double *force, *slip = w->f.closed.slip + 2 * g->at;
  core_status status = sim_forces_at(&w->f, t, y, &space, &force);
  if (!status) {
    const impact_problem *pr = &space.setup.problem;
    int first = impact_first(pr, g->at), n = impact_normal(pr, g->at);
    double ft = 0, along = 0;
    for (int i = first; i < n; i++) ft = hypot(ft, force[i]), along += pr->v[i] * slip[i - first];
    double hold = w->f.hold[w->f.closed.ids[g->at]];
    *out = g->kind == SIM_STICK ? along : hold * force[n] - ft;
  }
  core_scratch_release(w->s, mark);
  return status;
}

static core_status function_at(sim_vary_work *w, void *self, double t, const double *y,
                               double *out) {
  const trigger *g = self;
  if (g->kind == SIM_USER) {
    const sim_watch *watch = &w->r->o.watches[g->at];
    return watch->value(watch->self, t, y, y + w->f.nq, out, w->err);
  }
  if (g->kind != SIM_IMPACT) return contact_function(w, g, t, y, out);
  core_status status = w->r->m->type->gap(w->r->m, y, w->f.gap);
  *out = w->f.gap[g->at];
  return status;
}

/* Dg d for k columns; of a gap by the contact's own row */
static core_status gradients(sim_vary_work *w, const trigger *g, double t, const double *y, int k,
                             const double *d, double *out) {
  int nu = w->f.nu;
  double *x = core_scratch_doubles(w->s, (size_t)(2 * nu * k) + 3);
  core_status status = x ? CORE_OK : CORE_NO_MEMORY;
  if (g->kind != SIM_IMPACT) {
    for (int j = 0; j < k && !status; j++) {
      status = sim_vary_along(w, function_at, (void *)g, 1, t, y, 0, d + j * w->n, x);
      out[j] = x[0];
    }
    return status;
  }
  impact_setup setup;
  if (!status) status = impact_assemble(w->r->m, y, y + w->f.nq, 1, &g->at, w->s, &setup, w->err);
  if (!status) status = sim_vary_reduce(w, y, k, d, x);
  for (int j = 0; j < k && !status; j++) {
    int rows = setup.problem.rows;
    out[j] = 0;
    for (int i = 0; i < nu; i++) out[j] += setup.J[i * rows + rows - 1] * x[j * 2 * nu + i];
  }
  return status;
}

/* g_t + Dg F */
static core_status rate_of(sim_vary_work *w, const trigger *g, double t, const double *y,
                           const double *F, double *rate) {
  double x[3];
  if (g->kind == SIM_IMPACT) return gradients(w, g, t, y, 1, F, rate);
  core_status status = sim_vary_along(w, function_at, (void *)g, 1, t, y, 1, F, x);
  *rate = x[0];
  return status;
}

/* ---- resets ---- */

static core_list *list_of(const law *l, void *params, int i) {
  const core_param *p = &l->type->schema.params[i];
  return p->kind == CORE_LIST ? (core_list *)((char *)params + p->at) : NULL;
}

/* the law with lists of one number per contact of the model cut down to n of them, or itself */
static core_status law_for(sim_vary_work *w, int n, const int *ids, law **part) {
  const law *l = w->r->l;
  int nc = w->r->m->shape.nc;
  *part = NULL;
  for (int i = 0; i < l->type->schema.n && n < nc; i++) {
    const core_list *full = list_of(l, l->params, i);
    if (!full || full->n != nc || nc < 2) continue;
    core_status status = *part ? CORE_OK : law_create(l->type, l->params, part, w->err);
    double *x = core_scratch_doubles(w->s, (size_t)n);
    if (status || !x) return status ? status : CORE_NO_MEMORY;
    for (int c = 0; c < n; c++) x[c] = core_list_at(full, ids[c]);
    status = core_list_set(list_of(*part, (*part)->params, i), n, x);
    if (!status) status = law_rebuild(*part, w->err);
    if (status) return status;
  }
  return CORE_OK;
}

/* d(u+) of an impact at n contacts in state y: D, nu x 2 nu; u_after too */
static core_status derive_impact(sim_vary_work *w, const double *y, int n, const int *ids,
                                 double *D, double *u_after, impact_derived *how) {
  impact_point at = {.m = w->r->m, .q = y, .u = y + w->f.nq};
  law *part;
  core_status status = law_for(w, n, ids, &part);
  at.l = part ? part : w->r->l;
  if (!status) status = impact_assemble(at.m, at.q, at.u, n, ids, w->s, &at.setup, w->err);
  if (!status) {
    impact_touch(&at.setup, sim_largest_touch(w->r));
    at.setup.problem.in_run = 1;
    at.r.p = at.setup.room, at.r.v = at.r.p + at.setup.problem.rows;
    status = law_solve(at.l, &at.setup.problem, w->s, NULL, &at.r, w->err);
    if (status == CORE_NO_IMPACT) status = CORE_OK;
  }
  impact_derived found;
  if (!status) status = impact_derive_all(&at, 0, NULL, w->s, D, &found, w->err);
  if (!status) {
    impact_back(&at.setup, at.u, at.r.p, u_after);
    how->error = fmax(how->error, found.error);
    how->tie |= found.tie;
    how->exact_model |= found.exact_model;
    how->differenced_model |= found.differenced_model;
    if (found.route > how->route) how->route = found.route;
  }
  law_free(part);
  return status;
}

/* columns through an impact: du = D (xi, du), which a tie leaves NaN */
static core_status through_impact(sim_vary_work *w, double t, double *y, int n, const int *ids,
                                  int k, double *d, impact_derived *how) {
  int nu = w->f.nu, nq = w->f.nq;
  double *D = core_scratch_doubles(w->s, (size_t)(2 * nu * nu + 2 * nu * k + nu * k + nu) + 1);
  if (!D) return CORE_NO_MEMORY;
  double *x = D + 2 * nu * nu, *du = x + 2 * nu * k, *u = du + nu * k;
  core_status status = derive_impact(w, y, n, ids, D, u, how);
  if (!status) status = sim_vary_reduce(w, y, k, d, x);
  if (status) return status;
  for (int j = 0; j < k; j++)
    for (int i = 0; i < nu; i++) {
      double sum = 0;
      for (int c = 0; c < 2 * nu; c++) sum += D[c * nu + i] * x[j * 2 * nu + c];
      if (isnan(sum))
        return core_fail(w->err, CORE_UNSUPPORTED,
                         "no derivative through the impact at t = %.10g s: its sequence of events "
                         "is about to change",
                         t);
      d[j * w->n + nq + i] = sum;
    }
  memcpy(y + nq, u, (size_t)nu * sizeof *u);
  return CORE_OK;
}

static core_status reset_at(sim_vary_work *w, void *self, double t, const double *y, double *out) {
  const sim_watch *watch = self;
  memcpy(out, y, (size_t)w->n * sizeof *y);
  return watch->reset(watch->self, t, out, out + w->f.nq, w->err);
}

/* columns through a reset of the user, which may depend on time */
static core_status through_reset(sim_vary_work *w, double t, double *y, const sim_watch *watch,
                                 int k, double *d, const double *ds) {
  double *x = core_scratch_doubles(w->s, 3 * (size_t)w->n);
  core_status status = x ? CORE_OK : CORE_NO_MEMORY;
  for (int j = 0; j < k && !status; j++) {
    status = sim_vary_along(w, reset_at, (void *)watch, w->n, t, y, ds[j], d + j * w->n, x);
    if (!status) memcpy(d + j * w->n, x, (size_t)w->n * sizeof *x);
  }
  if (!status) status = reset_at(w, (void *)watch, t, y, x);
  if (!status) memcpy(y, x, (size_t)w->n * sizeof *x);
  return status;
}

/* ---- crossing ---- */

/* contacts that arrive: not closed before, and approaching */
static core_status arriving(sim_vary_work *w, const double *y, const sim_event *e, int *n,
                            int *ids) {
  core_status status = CORE_OK;
  core_status gaps = w->r->m->type->gap(w->r->m, y, w->f.gap);
  *n = 0;
  for (int i = 0; i < e->n && !status && !gaps; i++) {
    int c = w->r->integers[e->ids + (size_t)i];
    impact_setup setup;
    if (place_of(w, c) >= 0 || w->f.gap[c] > sim_touch(&w->f, c)) continue;
    core_mark mark = core_scratch_mark(w->s);
    status = impact_assemble(w->r->m, y, y + w->f.nq, 1, &c, w->s, &setup, w->err);
    if (!status && setup.problem.v[setup.problem.rows - 1] < 0) ids[(*n)++] = c;
    core_scratch_release(w->s, mark);
  }
  return status ? status : gaps;
}

/* Sliding that stops or begins. One that slid before and slides after has turned back at rest; one
 * that crept (sliding in space that sets out) goes on as it was: only its description changes. */
static int sliding_trigger(const sim_vary_work *w, const sim_event *e, trigger *g) {
  g->at = place_of(w, e->contact);
  if (g->at < 0) return 0;
  int mode = w->f.closed.mode[g->at];
  if (e->kind == SIM_SLIP && mode == SIM_MODE_CREEP) return 0;
  if (e->kind == SIM_SLIP && mode == SIM_MODE_SLIP) g->kind = SIM_STICK;
  return 1;
}

/* which function brought the events about; 0: nothing that moves with the state */
static int find_trigger(const sim_vary_work *w, const sim_vary_event *v, int section, int n,
                        const int *ids, trigger *g) {
  for (size_t i = v->first; i < v->last; i++) {
    const sim_event *e = &w->r->events[i];
    *g = (trigger){e->kind, e->contact};
    if (e->kind == SIM_ZENO) return 0;
    if (e->kind == SIM_IMPACT && n) return g->at = ids[0], 1;
    if (e->kind == SIM_USER && (section || w->r->o.watches[e->watch].reset))
      return g->at = e->watch, 1;
    if (e->kind == SIM_STICK || e->kind == SIM_SLIP) return sliding_trigger(w, e, g);
  }
  return 0;
}

/* an impact that grazes: |v_n| = sqrt(2 a overlap), a the acceleration that turns it back */
static core_status graze(sim_vary_work *w, const trigger *g, double t, const double *y,
                         const double *F, sim_salt *x) {
  sim_space space;
  core_status status = sim_space_at(&w->f, y, y + w->f.nq, F + w->f.nq, 1, &g->at, &space);
  if (status) return status;
  (void)t;
  x->coefficient = sqrt(2 * fabs(space.a_free[space.setup.problem.rows - 1]));
  x->flags |= SIM_VARY_GRAZING;
  return CORE_OK;
}

/* all resets of the group on y and d */
static core_status through_all(sim_vary_work *w, const sim_vary_event *v, double *y, int k,
                               double *d, const double *ds, sim_salt *x) {
  core_status status = CORE_OK;
  for (size_t i = v->first; i < v->last && !status; i++) {
    const sim_event *e = &w->r->events[i];
    if (e->kind == SIM_ZENO) x->flags |= SIM_VARY_ZENO;
    if (e->kind == SIM_JOLT)
      return core_fail(w->err, CORE_UNSUPPORTED,
                       "no derivative through the impact without collision at t = %.10g s", e->t);
    if (e->kind == SIM_IMPACT) {
      status = through_impact(w, e->t, y, e->n, w->r->integers + e->ids, k, d, &x->how);
      memcpy(y + w->f.nq, sim_event_u_after(w->r, e), (size_t)w->f.nu * sizeof *y);
    } else if (e->kind == SIM_USER && w->r->o.watches[e->watch].reset) {
      status = through_reset(w, e->t, y, &w->r->o.watches[e->watch], k, d, ds);
    }
  }
  if (x->how.tie) x->flags |= SIM_VARY_TIE;
  return status;
}

static void add_flow(const sim_vary_work *w, int k, double *d, const double *F, const double *ds,
                     double sign) {
  for (int j = 0; j < k; j++)
    for (int i = 0; i < w->n; i++) d[j * w->n + i] += sign * F[i] * ds[j];
}

core_status sim_vary_cross(sim_vary_work *w, const sim_vary_event *v, int section, int k, double *d,
                           double *ds, sim_salt *x) {
  core_mark mark = core_scratch_mark(w->s);
  const sim_event *e = &w->r->events[v->first];
  double *F = core_scratch_doubles(w->s, (size_t)(w->n + w->r->n)), *y = F + w->n;
  int n = 0, *ids = core_scratch_ints(w->s, (size_t)w->r->m->shape.nc + 1);
  trigger g;
  core_status status = F && ids ? CORE_OK : CORE_NO_MEMORY;
  sim_vary_enter(w, v->before);
  memset(ds, 0, (size_t)k * sizeof *ds);
  x->rate = NAN;
  for (size_t i = v->first; i < v->last && !status && n == 0; i++)
    if (w->r->events[i].kind == SIM_IMPACT) status = arriving(w, v->y, &w->r->events[i], &n, ids);
  x->n = n;
  int moves = !status && find_trigger(w, v, section, n, ids, &g);
  if (!status && moves) status = sim_vary_rates(w, e->t, v->y, F);
  if (!status && moves) status = rate_of(w, &g, e->t, v->y, F, &x->rate);
  if (!status && moves && g.kind == SIM_IMPACT && -x->rate < SIM_VARY_GRAZES * w->r->scale.speed)
    status = graze(w, &g, e->t, v->y, F, x);
  if (!status && moves) status = gradients(w, &g, e->t, v->y, k, d, ds);
  for (int j = 0; j < k && !status && moves; j++) ds[j] /= -x->rate;
  if (!status && moves) add_flow(w, k, d, F, ds, 1);
  if (!status) memcpy(y, v->y, (size_t)w->r->n * sizeof *y);
  if (!status) status = through_all(w, v, y, k, d, ds, x);
  if (!status && v->after >= 0) {
    sim_vary_enter(w, v->after);
    if (moves && !section) status = sim_vary_rates(w, e->t, v->next, F);
    if (!status && moves && !section) add_flow(w, k, d, F, ds, -1);
  }
  core_scratch_release(w->s, mark);
  return status;
}

/* ---- who comes first ---- */

/* one contact arrives, with those that stand; F is the flow before, and after it of the same phase
 * at the new speeds, or `last` */
static core_status arrive(sim_vary_work *w, double t, double *y, int contact, const double *last,
                          int k, double *d, sim_salt *x) {
  core_mark mark = core_scratch_mark(w->s);
  const sim_closed *c = &w->f.closed;
  double *F = core_scratch_doubles(w->s, (size_t)(w->n + k)), *ds = F + w->n, rate;
  int *ids = core_scratch_ints(w->s, (size_t)c->n + 1);
  trigger g = {SIM_IMPACT, contact};
  core_status status = F && ids ? sim_vary_rates(w, t, y, F) : CORE_NO_MEMORY;
  if (!status) status = rate_of(w, &g, t, y, F, &rate);
  if (!status) status = gradients(w, &g, t, y, k, d, ds);
  for (int j = 0; j < k && !status; j++) ds[j] /= -rate;
  if (!status) {
    add_flow(w, k, d, F, ds, 1);
    memcpy(ids, c->ids, (size_t)c->n * sizeof *ids);
    ids[c->n] = contact;
    status = rate < 0 ? through_impact(w, t, y, c->n + 1, ids, k, d, &x->how) : CORE_OK;
  }
  if (!status && !last) status = sim_vary_rates(w, t, y, F);
  if (!status) add_flow(w, k, d, last ? last : F, ds, -1);
  core_scratch_release(w->s, mark);
  return status;
}

/* the next order of n numbers, as a dictionary has them; 0 after the last */
static int next_order(int n, int *order) {
  int i = n - 2, j = n - 1;
  while (i >= 0 && order[i] > order[i + 1]) i--;
  if (i < 0) return 0;
  while (order[j] < order[i]) j--;
  int keep = order[i];
  order[i] = order[j], order[j] = keep;
  for (int a = i + 1, b = n - 1; a < b; a++, b--)
    keep = order[a], order[a] = order[b], order[b] = keep;
  return 1;
}

static void note_difference(const sim_vary_work *w, int k, sim_salt *x) {
  for (int i = 0; i < w->n * k; i++)
    for (int o = 1; o < x->orders; o++)
      x->difference = fmax(x->difference, fabs(x->by_order[o * w->n * k + i] - x->by_order[i]));
}

core_status sim_vary_orders(sim_vary_work *w, const sim_vary_event *v, int k, const double *d,
                            sim_salt *x) {
  const sim_event *e = &w->r->events[v->first];
  int n = 0, many = 1, *ids = core_scratch_ints(w->s, (size_t)w->r->m->shape.nc + 1);
  double *F = core_scratch_doubles(w->s, (size_t)(w->n + w->r->n)), *y = F + w->n;
  core_status status = F && ids ? CORE_OK : CORE_NO_MEMORY;
  sim_vary_enter(w, v->before);
  if (!status) status = arriving(w, v->y, e, &n, ids);
  for (int i = 2; i <= n; i++) many *= i;
  x->n = n, x->orders = 0, x->difference = 0;
  if (status || n < 2 || n > 4) return status;
  size_t size = (size_t)(w->n * k);
  x->by_order = core_scratch_doubles(w->s, (size_t)many * size);
  x->order = core_scratch_ints(w->s, (size_t)(many * n));
  if (!x->by_order || !x->order) return CORE_NO_MEMORY;
  if (v->after >= 0) {
    sim_vary_enter(w, v->after);
    status = sim_vary_rates(w, e->t, v->next, F);
    sim_vary_enter(w, v->before);
  }
  do {
    double *to = x->by_order + (size_t)x->orders * size;
    memcpy(to, d, size * sizeof *d);
    memcpy(x->order + x->orders++ * n, ids, (size_t)n * sizeof *ids);
    memcpy(y, v->y, (size_t)w->r->n * sizeof *y);
    for (int i = 0; i < n && !status; i++)
      status = arrive(w, e->t, y, ids[i], i == n - 1 && v->after >= 0 ? F : NULL, k, to, x);
  } while (!status && next_order(n, ids));
  note_difference(w, k, x);
  return status;
}
