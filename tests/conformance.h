/* For the conformance suite: random states of any model, random parameters of any law, and the
 * invariants that every pair must keep. Nothing here shares code with what it checks. */
#ifndef TESTS_CONFORMANCE_H
#define TESTS_CONFORMANCE_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "impact/assemble.h"
#include "unity.h"

enum { MOST_ROWS = 48, MOST_SPEEDS = 32, MOST_CONTACTS = 16 };

/* splitmix64: uniform between a and b */
static inline double between(uint64_t *seed, double a, double b) {
  uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return a + (b - a) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

/* one case: a model in a state, all of its contacts closed, and a law */
typedef struct trial {
  const model *m;
  const law *l;
  core_scratch s;
  uint64_t seed;
  double q[MOST_SPEEDS], u[MOST_SPEEDS];
  impact_setup setup;
} trial;

/* what came out, with room of its own */
typedef struct outcome {
  core_status status;
  impact_result r;
  double p[MOST_ROWS], v[MOST_ROWS];
  core_error err;
} outcome;

/* ---- making ---- */

static inline model *default_model(const model_type *type) {
  void *params = calloc(1, type->schema.size ? type->schema.size : 1);
  model *m = NULL;
  core_error err = {0};
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_schema_defaults(&type->schema, params));
  core_status status = model_create(type, params, &m, &err);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, status, err.text);
  core_schema_free(&type->schema, params);
  free(params);
  return m;
}

static inline void set_param(const core_schema *schema, void *params, const char *key, double x) {
  core_error err = {0};
  const core_param *p = core_schema_find(schema, key);
  if (p && p->kind != CORE_OBJECT) core_param_set(schema, p, params, 1, &x, &err);
}

/* these parameters, wherever the law has them; a window of NaN is the law's own; `inner` is for
 * law.sequential */
static inline law *law_of(const law_type *type, double e, double mu, double eta, double window,
                          law *inner) {
  void *params = calloc(1, type->schema.size ? type->schema.size : 1);
  law *l = NULL;
  core_error err = {0};
  core_schema_defaults(&type->schema, params);
  set_param(&type->schema, params, "e", e);
  set_param(&type->schema, params, "mu", mu);
  set_param(&type->schema, params, "eta", eta);
  if (!isnan(window)) set_param(&type->schema, params, "window", window);
  set_param(&type->schema, params, "max_events", 3000);
  const core_param *p = core_schema_find(&type->schema, "law");
  if (p && p->kind == CORE_OBJECT) *(law **)((char *)params + p->at) = inner;
  core_status status = law_create(type, params, &l, &err);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, status, err.text);
  core_schema_free(&type->schema, params);
  free(params);
  return l;
}

/* eta at random, and one impact until all leave for good */
static inline law *random_law(const law_type *type, uint64_t *seed, double e, double mu,
                              law *inner) {
  return law_of(type, e, mu, between(seed, 0.5, 2), INFINITY, inner);
}

/* another place near the start, other speeds, every contact closed. 0 when the place is singular.
 */
static inline int random_state(trial *t) {
  const model *m = t->m;
  static int all[MOST_CONTACTS];
  core_error err = {0};
  for (int i = 0; i < m->shape.nq; i++) t->q[i] = m->q[i] + between(&t->seed, -0.2, 0.2);
  if (m->type->normalise) m->type->normalise(m, t->q);
  for (int i = 0; i < m->shape.nu; i++) t->u[i] = between(&t->seed, -2, 2);
  for (int c = 0; c < m->shape.nc; c++) all[c] = c;
  core_status status = impact_assemble(m, t->q, t->u, m->shape.nc, all, &t->s, &t->setup, &err);
  if (status == CORE_SINGULAR) return 0;
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, status, err.text);
  impact_touch(&t->setup, INFINITY);
  return 1;
}

/* u with A u = 0, by removing what the standing constraints forbid (modified Gram-Schmidt on A) */
static inline void obey_constraints(const model *m, const double *q, double *u) {
  int nu = m->shape.nu, na = m->shape.na;
  double A[MOST_SPEEDS * MOST_SPEEDS];
  if (!na) return;
  m->type->constraints(m, q, A);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < na; i++) {
      for (int k = 0; k < i; k++) {
        double dot = 0, size = 0;
        for (int j = 0; j < nu; j++) {
          dot += A[j * na + i] * A[j * na + k];
          size += A[j * na + k] * A[j * na + k];
        }
        for (int j = 0; j < nu && size > 0; j++) A[j * na + i] -= dot / size * A[j * na + k];
      }
      double dot = 0, size = 0;
      for (int j = 0; j < nu; j++) {
        dot += A[j * na + i] * u[j];
        size += A[j * na + i] * A[j * na + i];
      }
      for (int j = 0; j < nu && size > 1e-20; j++) u[j] -= dot / size * A[j * na + i];
    }
}

static inline outcome solve_problem(trial *t, const impact_problem *pr, impact_sink *sink) {
  outcome o = {0};
  o.r.p = o.p, o.r.v = o.v;
  core_mark mark = core_scratch_mark(&t->s);
  o.status = law_solve(t->l, pr, &t->s, sink, &o.r, &o.err);
  core_scratch_release(&t->s, mark);
  o.r.p = o.r.v = NULL; /* it is copied: use p and v */
  return o;
}

static inline double kinetic(const double *M, int n, const double *u) {
  double twice = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) twice += u[i] * M[j * n + i] * u[j];
  return twice / 2;
}

static inline double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fabs(x[i]) > most || isnan(x[i]) ? fabs(x[i]) : most;
  return most;
}

/* ---- saying what failed ---- */

/* the problem and the law as Lua, for k.solve(problem, law) */
static inline void print_case(const trial *t) {
  const impact_problem *pr = &t->setup.problem;
  const core_schema *schema = &t->l->type->schema;
  printf("k.solve({ dim = %d, v = {", pr->dim);
  for (int i = 0; i < pr->rows; i++) printf("%.17g, ", pr->v[i]);
  printf("}, W = {");
  for (int i = 0; i < pr->rows; i++) {
    printf("{");
    for (int j = 0; j < pr->rows; j++) printf("%.17g, ", pr->W[j * pr->rows + i]);
    printf("}, ");
  }
  printf("} }, k.%s{ ", schema->owner);
  for (int i = 0; i < schema->n; i++) {
    const char *at = (const char *)t->l->params + schema->params[i].at;
    double x = NAN;
    if (schema->params[i].kind == CORE_NUMBER) x = *(const double *)at;
    if (schema->params[i].kind == CORE_LIST) x = core_list_at((const core_list *)at, 0);
    if (isfinite(x)) printf("%s = %.17g, ", schema->params[i].key, x);
  }
  printf("})\n");
}

/* in a long campaign a failure is printed and counted, and the rest goes on */
static int demand_goes_on;
static long demand_failures;

static inline void demand(const trial *t, const char *what, double error, double tolerance) {
  if (error <= tolerance) return; /* a NaN fails */
  char text[600];
  snprintf(text, sizeof text, "%s x %s: %s is off by %.3g, allowed %.3g; the case is above",
           t->m->type->schema.owner, t->l->type->schema.owner, what, error, tolerance);
  print_case(t);
  demand_failures++;
  if (!demand_goes_on) TEST_FAIL_MESSAGE(text);
  printf("FAILED: %s\n", text);
}

#endif
