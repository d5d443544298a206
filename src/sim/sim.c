/* A run from beginning to end: checks, memory, the ledger. */
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/inner.h"
#include "sim/options.h"

#define WORD(name, word, ...) word,
static const char *const event_words[] = {SIM_EVENT_LIST(WORD)};
static const char *const stop_words[] = {SIM_STOP_LIST(WORD)};

const char *sim_event_word(sim_event_kind kind) {
  return event_words[kind];
}

const char *sim_stop_word(sim_stop why) {
  return stop_words[why];
}

/* ---- options ---- */

static const core_param option_params[] = {SIM_OPTION_PARAMS(sim_options, )};
static const core_schema option_schema = {
    "simulate", option_params, sizeof option_params / sizeof *option_params, sizeof(sim_options)};

sim_options sim_defaults(void) {
  sim_options o = {0};
  core_schema_defaults(&option_schema, &o);
  return o;
}

/* ---- bad input ---- */

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

/* one option against its row of the table; absent ones are NaN */
static core_status check_option(const core_param *p, const sim_options *o, core_error *err) {
  const char *at = (const char *)o + p->at;
  double x = p->kind == CORE_NUMBER ? *(const double *)at : *(const int *)at;
  sim_options copy = *o;
  if (isnan(x) && p->def && !strcmp(p->def, "nil")) return CORE_OK;
  return core_param_set(&option_schema, p, &copy, 1, &x, err);
}

static core_status check_options(const sim_options *o, core_error *err) {
  core_status status = check_times(o, err);
  for (int i = 0; i < option_schema.n && !status; i++)
    if (option_params[i].kind != CORE_FLAG && option_params[i].kind != CORE_CHOICE)
      status = check_option(&option_params[i], o, err);
  return status;
}

/* speeds that break a standing constraint are a mistake, not something to mend in silence */
static core_status check_constraints(const sim_flow *f, core_error *err) {
  const model *m = f->motion.m;
  int na = m->shape.na;
  core_mark mark = core_scratch_mark(f->motion.s);
  double *A = core_scratch_doubles(f->motion.s, (size_t)(na * f->motion.nu) + 1);
  core_status status = A ? CORE_OK : CORE_NO_MEMORY;
  if (!status && na) status = m->type->constraints(m, m->q, A);
  for (int i = 0; i < na && !status; i++) {
    double sum = 0, size = 0;
    for (int j = 0; j < f->motion.nu; j++) {
      double term = A[j * na + i] * m->u[j], reach = f->motion.scale.reach[j];
      double least = reach > 0 ? SIM_AT_REST * f->motion.scale.speed / reach : 0;
      sum += term;
      size = fmax(size, fmax(fabs(term), fabs(A[j * na + i]) * least));
    }
    if (!(fabs(sum) <= SIM_BREAKS * size))
      status = core_fail(err, CORE_BAD_INPUT,
                         "simulate: the speeds of %s break standing constraint %d: A u is %.6g",
                         m->type->schema.owner, i + 1, sum);
  }
  core_scratch_release(f->motion.s, mark);
  return status;
}

/* the state must be finite, outside of obstacles and on the constraints; sets the scales by it */
static core_status check_start(sim_flow *f, core_error *err) {
  const model *m = f->motion.m;
  core_status status = m->type->gap(m, m->q, f->motion.gap);
  if (!status) status = sim_set_scale(&f->motion);
  if (status) return status;
  f->motion.touch =
      isnan(f->motion.o->touch) ? SIM_TOUCH * f->motion.scale.length : f->motion.o->touch;
  f->run->o.touch = f->motion.touch;
  f->run->scale = f->motion.scale;
  for (int i = 0; i < f->motion.nc && !status; i++)
    if (f->motion.gap[i] < -sim_touch(&f->motion, i))
      return core_fail(err, CORE_BAD_INPUT,
                       "simulate: %s starts inside the obstacle: gap %d is %.6g m",
                       m->type->schema.owner, i + 1, f->motion.gap[i]);
  for (int i = 0; i < f->motion.nq + f->motion.nu; i++)
    if (!isfinite(m->q[i]))
      return core_fail(err, CORE_NOT_FINITE, "simulate: the state of %s is not finite",
                       m->type->schema.owner);
  return status ? status : check_constraints(f, err);
}

/* ---- friction ---- */

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

/* ---- memory ---- */

static core_status allocate_run(const model *m, const law *l, const sim_options *o, sim_run **run) {
  sim_run *r = calloc(1, sizeof *r);
  if (!r) return CORE_NO_MEMORY;
  *run = r;
  r->m = m;
  r->l = l;
  r->o = *o;
  if (isnan(o->max_bytes)) r->o.max_bytes = sim_most_kept();
  r->n = m->shape.nq + m->shape.nu + 2;
  r->why = (sim_stop)-1;
  r->q = calloc((size_t)r->n, sizeof *r->q);
  r->mu = calloc(3 * (size_t)m->shape.nc + (size_t)m->shape.nu + 1, sizeof *r->mu);
  r->scale.of = calloc((size_t)m->shape.nu + 1, sizeof *r->scale.of);
  if (!r->q || !r->mu || !r->scale.of) return CORE_NO_MEMORY;
  r->u = r->q + m->shape.nq;
  r->scale.per = r->mu + 2 * m->shape.nc;
  r->scale.reach = r->scale.per + m->shape.nc;
  set_friction(r);
  return CORE_OK;
}

/* everything the loop needs, once, from the scratch */
static core_status allocate_flow(sim_flow *f, sim_run *r, core_scratch *s) {
  const model_shape *shape = &r->m->shape;
  int nc = shape->nc, watches = r->o.n_watches, items = 3 * nc + watches;
  size_t ode = core_ode_memory(r->n), event = core_event_memory(items, r->n);
  size_t motion = sim_motion_numbers(shape), ints = sim_motion_ints(shape);
  size_t numbers = ode + event + motion + (size_t)(watches + 2 * nc + 2 * r->n + shape->nu);
  double *x = core_scratch_doubles(s, numbers);
  int *k = core_scratch_ints(s, ints + (size_t)(2 * nc + watches) + 1);
  f->watched.items = core_scratch_bytes(s, (size_t)(items + 1) * sizeof *f->watched.items);
  f->landing.series = core_scratch_bytes(s, (size_t)(nc + 1) * sizeof *f->landing.series);
  if (!x || !k || !f->watched.items || !f->landing.series) return CORE_NO_MEMORY;
  memset(x, 0, numbers * sizeof *x);
  memset(k, 0, (ints + (size_t)(2 * nc + watches)) * sizeof *k);
  sim_motion_init(&f->motion, r, s, &r->error, x, k);
  x += motion, k += ints;
  core_ode_init(&f->ode, r->n, sim_rhs, &f->motion, x);
  core_event_init(&f->watched.events, items, r->n, sim_watch_values, f, x + ode);
  f->watched.events.most = sim_watch_most;
  x += ode + event;
  f->landing.ends_series = k, k += nc;
  f->told.mode = k, k += nc;
  f->watched.user_jumped = k;
  f->told.direction = x, x += nc;
  f->landing.over_at = x, x += nc;
  f->watched.user_level = x, x += watches;
  f->ode.atols = x, x += r->n;
  f->y = x, x += r->n;
  f->u_after = x;
  return CORE_OK;
}

static core_status set_up(sim_flow *f, sim_run *r, core_scratch *s) {
  *f = (sim_flow){.l = r->l, .run = r};
  f->landing.next = f->pace.t_stalled = NAN;
  f->pace.t = r->o.t_start;
  return allocate_flow(f, r, s);
}

/* ---- the whole ---- */

/* a run that ends at an event, or where it began, has its last state behind the last step */
static core_status store_end(sim_flow *f) {
  const sim_run *r = f->run;
  core_ode *o = &f->ode;
  if (r->n_steps && (r->n_events == 0 || r->events[r->n_events - 1].t != r->t)) return CORE_OK;
  if (r->n_phases == 0) return CORE_OK;
  memset(o->dense, 0, (size_t)(CORE_ODE_DENSE * f->motion.n) * sizeof *o->dense);
  memcpy(o->dense, r->q, (size_t)f->motion.n * sizeof *o->dense);
  o->t_old = o->t;
  o->h = 0;
  return sim_store_step(f, o);
}

/* energy has gone or come that nobody booked: beyond what the integrator may lose */
static int is_open(const sim_run *r, double kinetic) {
  const sim_ledger *g = &r->ledger;
  double size = r->scale.energy + kinetic + fabs(g->end - g->start) + fabs(g->work) +
                fabs(g->restitution) + fabs(g->friction) + fabs(g->stored) + fabs(g->sliding) +
                fabs(g->bounces) + fabs(g->reset);
  return fabs(g->residual) > SIM_LEDGER * r->o.rtol * size;
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
  memcpy(r->q, y, (size_t)f->motion.n * sizeof *y);
  r->evaluations = f->ode.evaluations;
  r->accepted = f->ode.steps;
  r->rejected = f->ode.rejected;
  r->hurried = f->ode.hurried;
  r->implicit = f->ode.implicit_steps;
  r->status = status;
  if (status && r->why != SIM_STOP_IMPACTS)
    r->why = status == CORE_INTERRUPTED ? SIM_STOP_INTERRUPTED : SIM_STOP_FAILED;
  if (sim_energy(r->m, r->q, r->u, f->motion.s, &kinetic, &potential)) kinetic = potential = NAN;
  if (!store_end(f) && !sim_store_event(f, SIM_STOP, r->t, r->q, NULL, &e)) e->status = status;
  g->end = kinetic + potential;
  g->work = r->q[f->motion.n - 2];
  g->sliding = r->q[f->motion.n - 1];
  g->reset = f->reset;
  g->residual = g->start + g->work + g->reset - g->restitution - g->friction - g->stored -
                g->sliding - g->bounces - g->end;
  if (is_open(r, kinetic)) r->flags |= IMPACT_OPEN_LEDGER;
}

static core_status run_all(sim_flow *f, core_error *err) {
  sim_run *r = f->run;
  double kinetic, potential;
  core_status status = check_start(f, err);
  if (!status)
    status =
        sim_energy(f->motion.m, f->motion.m->q, f->motion.m->u, f->motion.s, &kinetic, &potential);
  if (status) return status;
  r->ledger.start = kinetic + potential;
  memcpy(f->y, f->motion.m->q, (size_t)(f->motion.nq + f->motion.nu) * sizeof *f->y);
  memcpy(f->ode.y, f->y, (size_t)f->motion.n * sizeof *f->y);
  f->ode.t = r->o.t_start;
  f->at_event = 1;
  f->ode.rtol = r->o.rtol;
  f->ode.unit = f->motion.scale.time;
  f->ode.keeps_dense = r->o.keep;
  status = sim_set_tolerances(&f->motion, (double *)f->ode.atols);
  if (!isnan(r->o.h_max)) f->ode.h_max = r->o.h_max;
  for (int i = 0; i < f->motion.nc; i++) f->landing.over_at[i] = NAN, sim_zeno_forget(f, i);
  if (!status) status = sim_coast_init(f);
  if (!status) status = sim_stiff_begin(f);
  if (!status) status = sim_hybrid(f);
  if (!status) r->error = (core_error){0}; /* trial steps may have said something */
  if (!status && r->why == SIM_STOP_IMPACTS)
    status =
        core_fail(&r->error, CORE_LIMIT, "stopped at t = %.10g s after %ld impacts (max_events)",
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
    status = set_up(&f, r, s);
    if (!status) status = run_all(&f, err);
  }
  core_scratch_release(s, mark);
  if (status) {
    sim_free(r);
    return status == CORE_NO_MEMORY ? core_fail(err, status, "%s", "") : status;
  }
  *run = r;
  return CORE_OK;
}
