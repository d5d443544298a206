/* A run from beginning to end: checks, memory, the ledger. */
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/inner.h"

#define WORD(name, word, ...) word,
static const char *const event_words[] = {SIM_EVENT_LIST(WORD)};
static const char *const stop_words[] = {SIM_STOP_LIST(WORD)};

const char *sim_event_word(sim_event_kind kind) {
  return event_words[kind];
}

const char *sim_stop_word(sim_stop why) {
  return stop_words[why];
}

sim_options sim_defaults(void) {
  sim_options o = {.t_end = NAN, .rtol = 1e-9, .atol = NAN, .zeno = 1, .keep = 1};
  o.h_max = INFINITY;
  o.touch = o.rest = o.zeno_time = o.mu = NAN;
  o.max_impacts = 1000000;
  o.max_steps = 1000000000;
  return o;
}

/* ---- bad input ---------------------------------------------------------------------------------
 */

static core_status check_number(const char *name, double x, double min, double max,
                                core_error *err) {
  if (x >= min && x <= max) return CORE_OK;
  if (isinf(max))
    return core_fail(err, CORE_BAD_INPUT, "simulate: %s must be a number of at least %g, got %.10g",
                     name, min, x);
  return core_fail(err, CORE_BAD_INPUT, "simulate: %s must be between %g and %g, got %.10g", name,
                   min, max, x);
}

/* NaN: by the scales of the run */
static core_status check_given(const char *name, double x, double min, core_error *err) {
  return isnan(x) ? CORE_OK : check_number(name, x, min, INFINITY, err);
}

static core_status check_times(const sim_options *o, core_error *err) {
  if (!isfinite(o->t_start) || !isfinite(o->t_end))
    return core_fail(err, CORE_BAD_INPUT, "simulate: t_end must be a finite number of s, got %.10g",
                     isfinite(o->t_start) ? o->t_end : o->t_start);
  if (!o->backward && o->t_end < o->t_start)
    return core_fail(err, CORE_BAD_INPUT,
                     "simulate: t_end = %.10g s is before the start at %.10g s (backward = true "
                     "integrates back in time)",
                     o->t_end, o->t_start);
  if (o->backward && o->t_end > o->t_start)
    return core_fail(err, CORE_BAD_INPUT,
                     "simulate: t_end = %.10g s must be before the start at %.10g s when backward",
                     o->t_end, o->t_start);
  return CORE_OK;
}

static core_status check_options(const sim_options *o, core_error *err) {
  core_status status = check_times(o, err);
  if (!status) status = check_number("rtol", o->rtol, 1e-14, 0.1, err);
  if (!status) status = check_given("atol", o->atol, 1e-300, err);
  if (!status) status = check_given("touch", o->touch, 1e-300, err);
  if (!status) status = check_given("rest", o->rest, 0, err);
  if (!status) status = check_given("zeno_time", o->zeno_time, 0, err);
  if (!status) status = check_number("max_impacts", (double)o->max_impacts, 1, INFINITY, err);
  if (!status) status = check_number("max_steps", (double)o->max_steps, 1, INFINITY, err);
  if (!status && !(o->h_max > 0))
    status = core_fail(err, CORE_BAD_INPUT,
                       "simulate: h_max must be a positive number of s, got %g", o->h_max);
  if (!status) status = check_given("contact.mu", o->mu, 0, err);
  return status;
}

/* speeds that break a standing constraint are a mistake, not something to mend in silence */
static core_status check_constraints(const sim_flow *f, core_error *err) {
  const model *m = f->m;
  int na = m->shape.na;
  core_mark mark = core_scratch_mark(f->s);
  double *A = core_scratch_doubles(f->s, (size_t)(na * f->nu) + 1);
  core_status status = A ? CORE_OK : CORE_NO_MEMORY;
  if (!status && na) status = m->type->constraints(m, m->q, A);
  for (int i = 0; i < na && !status; i++) {
    double sum = 0, size = 1e-3;
    for (int j = 0; j < f->nu; j++) {
      sum += A[j * na + i] * m->u[j];
      size = fmax(size, fabs(A[j * na + i] * m->u[j]));
    }
    if (!(fabs(sum) <= 1e-6 * size))
      status = core_fail(err, CORE_BAD_INPUT,
                         "simulate: the speeds of %s break standing constraint %d: A u is %.6g",
                         m->type->schema.owner, i + 1, sum);
  }
  core_scratch_release(f->s, mark);
  return status;
}

/* the state must be finite, outside of obstacles and on the constraints; sets the scales by it */
static core_status check_start(sim_flow *f, core_error *err) {
  const model *m = f->m;
  core_status status = m->type->gap(m, m->q, f->gap);
  if (!status) status = sim_set_scale(f);
  if (status) return status;
  f->touch = isnan(f->o->touch) ? SIM_TOUCH * f->scale.length : f->o->touch;
  f->run->o.touch = f->touch;
  f->run->scale = f->scale;
  for (int i = 0; i < f->nc && !status; i++)
    if (f->gap[i] < -f->touch)
      return core_fail(err, CORE_BAD_INPUT,
                       "simulate: %s starts inside the obstacle: gap %d is %.6g m",
                       m->type->schema.owner, i + 1, f->gap[i]);
  for (int i = 0; i < f->nq + f->nu; i++)
    if (!isfinite(m->q[i]))
      return core_fail(err, CORE_NOT_FINITE, "simulate: the state of %s is not finite",
                       m->type->schema.owner);
  return status ? status : check_constraints(f, err);
}

/* ---- friction ----------------------------------------------------------------------------------
 */

/* mu while sliding and mu that holds a stick, from the options or the law; 0 without any */
static void set_friction(sim_run *r) {
  int nc = r->m->shape.nc;
  for (int i = 0; i < nc; i++) {
    double mu = isnan(r->o.mu) ? law_sliding_friction(r->l, i) : r->o.mu;
    double hold = isnan(r->o.mu) ? law_friction_limit(r->l, i) : r->o.mu;
    r->mu[i] = mu > 0 ? mu : 0;
    r->mu[nc + i] = hold > r->mu[i] ? hold : r->mu[i];
  }
}

/* ---- memory ------------------------------------------------------------------------------------
 */

static core_status allocate_run(const model *m, const law *l, const sim_options *o, sim_run **run) {
  sim_run *r = calloc(1, sizeof *r);
  if (!r) return CORE_NO_MEMORY;
  *run = r;
  r->m = m;
  r->l = l;
  r->o = *o;
  r->n = m->shape.nq + m->shape.nu + 2;
  r->why = (sim_stop)-1;
  r->q = calloc((size_t)r->n, sizeof *r->q);
  r->mu = calloc(2 * (size_t)m->shape.nc + (size_t)m->shape.nu + 1, sizeof *r->mu);
  if (!r->q || !r->mu) return CORE_NO_MEMORY;
  r->u = r->q + m->shape.nq;
  r->scale.reach = r->mu + 2 * m->shape.nc;
  set_friction(r);
  return CORE_OK;
}

static double *take(double **block, size_t n) {
  double *at = *block;
  *block += n;
  return at;
}

static void take_closed(sim_closed *c, int nc, double **numbers, int **ints) {
  c->n = 0;
  c->slip = take(numbers, 2 * (size_t)nc);
  c->ids = *ints;
  c->mode = *ints + nc;
  *ints += 2 * nc;
}

/* everything the loop needs, once, from the scratch */
static core_status allocate_flow(sim_flow *f) {
  int nc = f->nc, rows = nc * f->dim, watches = f->o->n_watches, items = 3 * nc + watches;
  size_t ode = core_ode_memory(f->n), event = core_event_memory(items, f->n);
  size_t numbers = ode + event + (size_t)(watches + 9 * nc + 2 * f->n + 2 * rows + 3 * f->nu);
  double *block = core_scratch_doubles(f->s, numbers);
  int *ints = core_scratch_ints(f->s, (size_t)(6 * nc + watches) + 1);
  f->items = core_scratch_bytes(f->s, (size_t)(items + 1) * sizeof *f->items);
  if (!block || !ints || !f->items) return CORE_NO_MEMORY;
  memset(block, 0, numbers * sizeof *block);
  memset(ints, 0, (size_t)(6 * nc + watches) * sizeof *ints);
  core_ode_init(&f->ode, f->n, sim_rhs, f, take(&block, ode));
  core_event_init(&f->events, items, f->n, sim_watch_values, f, take(&block, event));
  take_closed(&f->closed, nc, &block, &ints);
  take_closed(&f->trial, nc, &block, &ints);
  f->bouncing = ints;
  f->announced = ints + nc;
  f->user_jumped = ints + 2 * nc;
  f->user_level = take(&block, (size_t)watches);
  f->y = take(&block, (size_t)f->n);
  f->ode.atols = take(&block, (size_t)f->n);
  f->gap = take(&block, (size_t)nc);
  f->mu = take(&block, (size_t)nc);
  f->creep = take(&block, 2 * (size_t)nc);
  f->heading = take(&block, (size_t)nc);
  f->contact = take(&block, (size_t)rows);
  f->full = take(&block, (size_t)rows);
  f->h = take(&block, (size_t)f->nu);
  f->udot = take(&block, (size_t)f->nu);
  f->u_after = take(&block, (size_t)f->nu);
  return CORE_OK;
}

static void set_up(sim_flow *f, sim_run *r, core_scratch *s) {
  const model_shape *shape = &r->m->shape;
  *f = (sim_flow){.m = r->m, .l = r->l, .o = &r->o, .s = s, .err = &r->error, .run = r};
  f->nq = shape->nq;
  f->nu = shape->nu;
  f->nc = shape->nc;
  f->dim = shape->dim;
  f->n = r->n;
  f->direction = r->o.backward ? -1 : 1;
  f->hold = r->mu + f->nc;
  f->scale = r->scale;
  f->pinned = f->halted = -1;
  f->landed_at = f->t_impact = f->t_stalled = NAN;
  f->t_pace = r->o.t_start;
}

/* ---- the whole ---------------------------------------------------------------------------------
 */

/* a run that ends at an event, or where it began, has its last state behind the last step */
static core_status store_end(sim_flow *f) {
  const sim_run *r = f->run;
  core_ode *o = &f->ode;
  if (r->n_steps && (r->n_events == 0 || r->events[r->n_events - 1].t != r->t)) return CORE_OK;
  if (r->n_phases == 0) return CORE_OK;
  memset(o->dense, 0, (size_t)(CORE_ODE_DENSE * f->n) * sizeof *o->dense);
  memcpy(o->dense, r->q, (size_t)f->n * sizeof *o->dense);
  o->t_old = o->t;
  o->h = 0;
  return sim_store_step(f, o);
}

/* State, ledger and the last event. Whatever happened, what was computed stays: a model that fails
 * here too has no energy to tell, and without memory the last event is missing. */
static void finish(sim_flow *f, core_status status) {
  sim_run *r = f->run;
  const double *y = f->at_event ? f->y : f->ode.y;
  sim_event *e;
  sim_ledger *g = &r->ledger;
  double kinetic, potential;
  r->t = f->ode.t;
  memcpy(r->q, y, (size_t)f->n * sizeof *y);
  r->evaluations = f->ode.evaluations;
  r->accepted = f->ode.steps;
  r->rejected = f->ode.rejected;
  r->status = status;
  if (status && r->why != SIM_STOP_IMPACTS)
    r->why = status == CORE_INTERRUPTED ? SIM_STOP_INTERRUPTED : SIM_STOP_FAILED;
  if (sim_energy(r->m, r->q, r->u, f->s, &kinetic, &potential)) kinetic = potential = NAN;
  if (!store_end(f) && !sim_store_event(f, SIM_STOP, r->t, r->q, NULL, &e)) e->status = status;
  g->end = kinetic + potential;
  g->work = r->q[f->n - 2];
  g->sliding = r->q[f->n - 1];
  g->reset = f->reset;
  g->residual = g->start + g->work + g->reset - g->restitution - g->friction - g->stored -
                g->sliding - g->bounces - g->end;
}

static core_status run_all(sim_flow *f, core_error *err) {
  sim_run *r = f->run;
  double kinetic, potential;
  core_status status = allocate_flow(f);
  if (!status) status = check_start(f, err);
  if (!status) status = sim_energy(f->m, f->m->q, f->m->u, f->s, &kinetic, &potential);
  if (status) return status;
  r->ledger.start = kinetic + potential;
  memcpy(f->y, f->m->q, (size_t)(f->nq + f->nu) * sizeof *f->y);
  memcpy(f->ode.y, f->y, (size_t)f->n * sizeof *f->y);
  f->ode.t = r->o.t_start;
  f->at_event = 1;
  f->ode.rtol = r->o.rtol;
  f->ode.unit = f->scale.time;
  sim_set_tolerances(f, (double *)f->ode.atols);
  f->ode.h_max = r->o.h_max;
  sim_zeno_forget(f);
  status = sim_hybrid(f);
  if (!status) r->error = (core_error){0}; /* trial steps may have said something */
  if (!status && r->why == SIM_STOP_IMPACTS)
    status =
        core_fail(&r->error, CORE_LIMIT, "stopped at t = %.10g s after %ld impacts (max_impacts)",
                  f->ode.t, r->impacts);
  if (status && (!r->error.text[0] || r->error.status != status))
    core_fail(&r->error, status, "%s", core_status_text(status));
  finish(f, status);
  return CORE_OK;
}

core_status sim_simulate(const model *m, const law *l, const sim_options *o, core_scratch *s,
                         sim_run **run, core_error *err) {
  *run = NULL;
  sim_run *r = NULL;
  sim_flow f;
  core_status status = check_options(o, err);
  if (status) return status;
  core_mark mark = core_scratch_mark(s);
  status = allocate_run(m, l, o, &r);
  if (!status) {
    set_up(&f, r, s);
    status = run_all(&f, err);
  }
  core_scratch_release(s, mark);
  if (status) {
    sim_free(r);
    return status == CORE_NO_MEMORY ? core_fail(err, status, "%s", "") : status;
  }
  *run = r;
  return CORE_OK;
}
