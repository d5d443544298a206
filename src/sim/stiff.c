/* Which steps a run is made of: explicit ones, or implicit ones where something settles much faster
 * than anything that is seen.
 *
 * `auto` watches windows of steps. When most explicit ones were kept short by stability, implicit
 * ones are tried, and go on as long as they get further for the same work, in evaluations: a
 * factorisation of nu unknowns counts as 1 + nu^2/8 of them (four complex matrices, 10 nu^3
 * products; an evaluation takes some 80 nu), that of a tree as TREE. When they do not, twice as
 * many windows pass before the next trial.
 *
 * Trees of bodies solve in their own way (model/stiffness.h). Contacts that are closed and forces
 * of the user are no part of a tree: full matrices.
 */
#include "model/stiffness.h"
#include "sim/inner.h"

enum {
  WINDOW = 32,     /* explicit steps that are judged together */
  MOST_OF_IT = 24, /* so many of them kept short by stability: stiff */
  TRIAL = 8,       /* implicit steps that are judged together, after as many to warm up */
  TREE = 6,        /* evaluations that factors of a tree cost, however many bodies */
  WORTH = 30       /* factorisations that must cost less than what is left to do */
};

static int has_tree(const sim_flow *f) {
  const model *m = f->motion.m;
  return m->type->stiffness && !f->motion.o->force && m->type->stiffness->bytes(m) > 0;
}

static double factor_cost(const sim_flow *f) {
  double nu = f->motion.nu;
  return has_tree(f) && f->motion.closed.n == 0 ? TREE : 1 + nu * nu / 8;
}

/* work so far, in evaluations */
static double cost(const sim_flow *f) {
  const sim_stiff *x = &f->stiff;
  return (double)f->ode.evaluations + factor_cost(f) * (double)x->method.factorisations;
}

static void open_window(sim_flow *f, int steps) {
  sim_stiff *x = &f->stiff;
  x->until = f->ode.steps + steps;
  x->t = f->ode.t;
  x->hurried = f->ode.hurried;
  x->cost = cost(f);
}

/* time that a unit of work got on, in this window */
static double rate(const sim_flow *f) {
  return fabs(f->ode.t - f->stiff.t) / (cost(f) - f->stiff.cost);
}

/* ---- the model's own way ---- */

static core_status look(void *flow, double t, const double *y, const double *dy) {
  const sim_flow *f = flow;
  const model *m = f->motion.m;
  int nq = f->motion.nq;
  (void)t;
  if (f->motion.closed.n > 0) return CORE_UNSUPPORTED;
  return m->type->stiffness->look(m, y, y + nq, dy + nq, f->stiff.tree);
}

static core_status factor(void *flow, const double (*l)[2]) {
  const sim_flow *f = flow;
  return f->motion.m->type->stiffness->factor(f->motion.m, f->stiff.tree, l);
}

static void solve(void *flow, double *const *re, double *const *im) {
  const sim_flow *f = flow;
  f->motion.m->type->stiffness->solve(f->motion.m, f->stiff.tree, re, im);
}

/* ---- memory ---- */

static core_status make_ready(sim_flow *f) {
  sim_stiff *x = &f->stiff;
  const model *m = f->motion.m;
  core_scratch *s = f->motion.s;
  int n = f->motion.n;
  double *memory = core_scratch_doubles(s, core_implicit_memory(n));
  core_status status =
      memory ? core_implicit_init(&x->method, f->motion.nq, f->motion.nu, n, memory, s)
             : CORE_NO_MEMORY;
  if (!status && has_tree(f)) x->tree = core_scratch_bytes(s, m->type->stiffness->bytes(m));
  if (!status && x->tree) x->method.shifted = (core_shifted){f, look, factor, solve};
  x->ready = !status;
  return status;
}

/* without it steps are explicit */
void sim_stiff_room(sim_flow *f) {
  sim_stiff *x = &f->stiff;
  int full = !x->tree || f->motion.closed.n > 0;
  if (!f->ode.implicit || !full || x->method.Aq) return;
  size_t room = core_implicit_full_memory(f->motion.nq, f->motion.nu);
  double *memory = core_scratch_doubles(f->motion.s, room);
  if (memory) core_implicit_full(&x->method, memory);
}

static core_status turn_on(sim_flow *f) {
  sim_stiff *x = &f->stiff;
  core_status status = x->ready ? CORE_OK : make_ready(f);
  if (!status) f->ode.implicit = &x->method;
  x->method.has_J = 0;
  x->method.Z_h = 0;
  x->warm = 0;
  open_window(f, TRIAL);
  return status;
}

void sim_stiff_off(sim_flow *f) {
  sim_stiff *x = &f->stiff;
  f->ode.implicit = NULL;
  x->wait = x->patience;
  x->patience *= 2;
  open_window(f, WINDOW);
}

core_status sim_stiff_begin(sim_flow *f) {
  f->stiff.patience = 1;
  open_window(f, WINDOW);
  return f->motion.o->method == SIM_IMPLICIT ? turn_on(f) : CORE_OK;
}

static core_status judge_explicit(sim_flow *f) {
  sim_stiff *x = &f->stiff;
  int stiff = f->ode.hurried - x->hurried >= MOST_OF_IT;
  double left = fabs(f->motion.o->t_end - f->ode.t);
  x->explicit_rate = rate(f);
  int worth = left > WORTH * factor_cost(f) * x->explicit_rate;
  core_status status = stiff && x->wait == 0 && worth ? turn_on(f) : CORE_OK;
  if (f->ode.implicit || (status && status != CORE_NO_MEMORY)) return status;
  x->wait -= x->wait > 0;
  open_window(f, WINDOW);
  return CORE_OK;
}

static void judge_implicit(sim_flow *f) {
  sim_stiff *x = &f->stiff;
  if (x->warm && rate(f) < x->explicit_rate) {
    sim_stiff_off(f);
    return;
  }
  x->warm = 1;
  open_window(f, TRIAL);
}

core_status sim_stiff_check(sim_flow *f) {
  if (f->motion.o->method != SIM_AUTO || f->ode.steps < f->stiff.until) return CORE_OK;
  if (!f->ode.implicit) return judge_explicit(f);
  judge_implicit(f);
  return CORE_OK;
}
