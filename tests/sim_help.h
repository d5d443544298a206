/* Runs for tests: a model and a law by name, options, and what happened. */
#ifndef SIM_HELP_H
#define SIM_HELP_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/interrupt.h"
#include "model_help.h"
#include "sim/sim.h"

static core_scratch sim_scratch;

/* ---- laws ---- */

static inline law *make_law(const char *name, int n, const setting *settings) {
  const law_type *type = law_find(name);
  TEST_ASSERT_NOT_NULL_MESSAGE(type, name);
  void *params = malloc(type->schema.size);
  core_error err = {0};
  law *l = NULL;
  core_status status = core_schema_defaults(&type->schema, params);
  for (int i = 0; i < n && !status; i++) {
    const core_param *p = core_schema_find(&type->schema, settings[i].key);
    TEST_ASSERT_NOT_NULL_MESSAGE(p, settings[i].key);
    status = core_param_set(&type->schema, p, params, settings[i].n, settings[i].x, &err);
  }
  if (!status) law_create(type, params, &l, &err);
  core_schema_free(&type->schema, params);
  free(params);
  TEST_ASSERT_NOT_NULL_MESSAGE(l, err.text);
  return l;
}

#define LAW(name, ...) make_law(name, COUNT(__VA_ARGS__), (setting[]){__VA_ARGS__})
/* law.sequential of `single`, which the caller keeps; window < 0: as the law has it */
static inline law *sequential(law *single, double window) {
  const law_type *type = law_find("sequential");
  void *params = malloc(type->schema.size);
  core_error err = {0};
  law *l = NULL;
  core_schema_defaults(&type->schema, params);
  *(law **)((char *)params + core_schema_find(&type->schema, "law")->at) = single;
  if (window >= 0)
    *(double *)((char *)params + core_schema_find(&type->schema, "window")->at) = window;
  law_create(type, params, &l, &err);
  core_schema_free(&type->schema, params);
  free(params);
  TEST_ASSERT_NOT_NULL_MESSAGE(l, err.text);
  return l;
}

#define ONE(key, value)                                                                            \
  { key, 1, {value}, 0 }

static inline law *law_e_mu(const char *name, double e, double mu) {
  return LAW(name, ONE("e", e), ONE("mu", mu));
}

/* ---- runs ---- */

static inline sim_options until(double t_end, double rtol) {
  sim_options o = sim_defaults();
  o.t_end = t_end;
  o.rtol = rtol;
  o.atol = rtol * 1e-2;
  return o;
}

/* a run that must start; model and law are kept in it and freed by done() */
static inline sim_run *go(model *m, law *l, sim_options o) {
  core_error err = {0};
  sim_run *r = NULL;
  core_status status = sim_simulate(m, l, &o, &sim_scratch, &r, &err);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, status, err.text);
  return r;
}

/* ... and end as it was told to */
static inline sim_run *go_well(model *m, law *l, sim_options o) {
  sim_run *r = go(m, l, o);
  int wanted = r->why == SIM_STOP_IMPACTS ? CORE_LIMIT : CORE_OK;
  TEST_ASSERT_EQUAL_INT_MESSAGE(wanted, r->status, r->error.text);
  return r;
}

static inline void done(sim_run *r) {
  model *m = (model *)r->m;
  law *l = (law *)r->l;
  sim_free(r);
  model_free(m);
  law_free(l);
  core_scratch_free(&sim_scratch);
}

/* the n-th event (from 0) of a kind; NULL when there are fewer */
static inline const sim_event *find_event(const sim_run *r, sim_event_kind kind, int n) {
  for (size_t i = 0; i < r->n_events; i++)
    if (r->events[i].kind == kind && n-- == 0) return &r->events[i];
  return NULL;
}

static inline const sim_event *need(const sim_run *r, sim_event_kind kind, int n) {
  const sim_event *e = find_event(r, kind, n);
  TEST_ASSERT_NOT_NULL_MESSAGE(e, sim_event_word(kind));
  return e;
}

static inline int count_events(const sim_run *r, sim_event_kind kind) {
  int n = 0;
  for (size_t i = 0; i < r->n_events; i++) n += r->events[i].kind == kind;
  return n;
}

/* "impact contact slip stop": the kinds in order */
static inline const char *story(const sim_run *r) {
  static char text[2000];
  text[0] = 0;
  for (size_t i = 0; i < r->n_events && strlen(text) < 1900; i++) {
    if (i) strcat(text, " ");
    strcat(text, sim_event_word(r->events[i].kind));
  }
  return text;
}

/* everything at one time, in static memory */
static inline sim_state *state_at(const sim_run *r, double t) {
  static double q[MAX_ROWS], u[MAX_ROWS], gap[MAX_ROWS], force[3 * MAX_ROWS];
  static int mode[MAX_ROWS];
  static sim_state s;
  core_error err = {0};
  s = (sim_state){.q = q, .u = u, .gap = gap, .force = force, .mode = mode};
  core_status status = sim_at(r, t, 0, &sim_scratch, &s, &err);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, status, err.text);
  return &s;
}

/* at many times: closed contacts stay on the surface, open ones outside, and the ledger closes */
static inline void check_run(const sim_run *r, int samples, double drift, double ledger) {
  const model_shape *shape = &r->m->shape;
  for (int i = 0; i <= samples; i++) {
    const sim_state *s = state_at(r, r->o.t_start + (r->t - r->o.t_start) * i / samples);
    for (int c = 0; c < shape->nc; c++) {
      TEST_ASSERT_TRUE(s->gap[c] > -drift);
      if (s->mode[c]) TEST_ASSERT_DOUBLE_WITHIN(drift, 0, s->gap[c]);
      TEST_ASSERT_TRUE(s->force[model_normal(shape, c)] > -1e-6);
    }
    double sum = s->kinetic + s->potential + s->lost + s->sliding - s->work - s->reset;
    TEST_ASSERT_DOUBLE_WITHIN(ledger, r->ledger.start, sum);
  }
  TEST_ASSERT_DOUBLE_WITHIN(ledger, 0, r->ledger.residual);
}

#endif
