/* For the tests of laws: problems made of numbers, a sink that remembers, and invariants that every
 * rigid law must keep. Nothing here shares code with what it checks. */
#ifndef TESTS_LAW_HELP_H
#define TESTS_LAW_HELP_H

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "impact/law.h"
#include "impact/laws/rigid/rigid.h"
#include "unity.h"

/* splitmix64: uniform in [0, 1) */
static inline double fair(uint64_t *seed) {
  uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static inline double between(uint64_t *seed, double a, double b) {
  return a + (b - a) * fair(seed);
}

/* W = B B^T / scale with n x n random B: positive definite, sometimes nearly singular */
static inline void random_W(uint64_t *seed, int n, double *W) {
  double B[64];
  for (int i = 0; i < n * n; i++) B[i] = between(seed, -1, 1);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      W[j * n + i] = i == j ? 1e-3 : 0;
      for (int k = 0; k < n; k++) W[j * n + i] += B[k * n + i] * B[k * n + j];
    }
}

/* an impact in space that no direction makes nearly singular */
static inline void random_case(uint64_t *seed, double *W, double *v) {
  random_W(seed, 3, W);
  W[0] += 0.1, W[4] += 0.1, W[8] += 0.1;
  v[0] = between(seed, -2, 2), v[1] = between(seed, -2, 2), v[2] = between(seed, -2, -0.1);
}

/* the laws of one rigid contact with friction, in the order of law_ending */
static const char *const names[] = {"stronge", "poisson", "newton"};
enum { NAMES = sizeof names / sizeof *names };

/* W = D B B^T D of rank 1 to n, scales D up to 10^6 apart, and v = D B u with u of any size: masses
 * 10^12 apart, straight arms, sticking mechanisms, all that a model can make */
static inline void extreme_problem(uint64_t *seed, int n, double *W, double *v) {
  int rank = 1 + (int)(fair(seed) * n);
  double B[64], D[8], u[8], speed = pow(10, between(seed, -9, 6));
  for (int k = 0; k < rank; k++) u[k] = speed * between(seed, -1, 1);
  for (int i = 0; i < n; i++) {
    D[i] = pow(10, between(seed, -3, 3)), v[i] = 0;
    for (int k = 0; k < rank; k++) {
      B[k * n + i] = fair(seed) < 0.1 ? 0 : between(seed, -1, 1);
      v[i] += D[i] * B[k * n + i] * u[k];
    }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      W[j * n + i] = 0;
      for (int k = 0; k < rank; k++) W[j * n + i] += D[i] * B[k * n + i] * D[j] * B[k * n + j];
    }
}

/* one solved problem with at most 8 rows, and what the sink heard */
typedef struct heard {
  impact_event_kind kind;
  int contact;
  double p[8], v[8], work, lost_friction, lost_restitution, strain;
} heard;

typedef struct hit {
  impact_result r;
  core_error err;
  double p[8], v[8];
  int rows, events, samples;
  heard event[64];
  heard sample[256];
} hit;

static inline heard hear(const hit *h, const impact_sample *s) {
  heard x = {.work = s->work_normal,
             .lost_friction = s->lost_friction,
             .lost_restitution = s->lost_restitution,
             .strain = s->strain};
  memcpy(x.p, s->p, (size_t)h->rows * sizeof *x.p);
  memcpy(x.v, s->v, (size_t)h->rows * sizeof *x.v);
  return x;
}

static inline void hear_event(void *self, const impact_event *e) {
  hit *h = self;
  if (h->events == 64) return;
  h->event[h->events] = hear(h, &e->sample);
  h->event[h->events].kind = e->kind;
  h->event[h->events++].contact = e->contact;
}

static inline void hear_sample(void *self, const impact_sample *s) {
  hit *h = self;
  if (h->samples < 256) h->sample[h->samples++] = hear(h, s);
}

/* solves with a law that was built; per_phase < 0: no sink */
static inline hit solve_with(const law *l, int nc, int dim, const double *W, const double *v,
                             const double *gap, int per_phase) {
  hit h = {.rows = nc * dim};
  core_scratch s;
  core_scratch_init(&s);
  impact_problem pr = {nc, dim, nc * dim, W, v, gap, 0, 0, NULL, NULL};
  impact_sink sink = {&h, per_phase, 0, hear_sample, hear_event};
  h.r.p = h.p, h.r.v = h.v;
  law_solve(l, &pr, &s, per_phase < 0 ? NULL : &sink, &h.r, &h.err);
  core_scratch_free(&s);
  h.r.p = h.r.v = NULL; /* h is copied */
  return h;
}

/* builds a law of the table from a params struct */
static inline law *make_law(const char *name, const void *params) {
  law *l = NULL;
  core_error err = {0};
  const law_type *type = law_find(name);
  TEST_ASSERT_NOT_NULL_MESSAGE(type, name);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, law_create(type, params, &l, &err), err.text);
  return l;
}

/* any law of the table from its defaults and keys with numbers, as a script would: ends with NULL
 */
static inline law *law_from(const char *name, ...) {
  const law_type *type = law_find(name);
  TEST_ASSERT_NOT_NULL_MESSAGE(type, name);
  void *params = calloc(1, type->schema.size);
  core_error err = {0};
  core_schema_defaults(&type->schema, params);
  va_list args;
  va_start(args, name);
  for (const char *key; (key = va_arg(args, const char *));) {
    double value = va_arg(args, double);
    const core_param *p = core_schema_find(&type->schema, key);
    TEST_ASSERT_NOT_NULL_MESSAGE(p, key);
    core_param_set(&type->schema, p, params, 1, &value, &err);
    TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, err.status, err.text);
  }
  va_end(args);
  law *l = make_law(name, params);
  core_schema_free(&type->schema, params);
  free(params);
  return l;
}

/* newton has no static friction of its own */
static inline law *friction_law(const char *name, double e, double mu, double mu_static) {
  if (!strcmp(name, "newton")) return law_from(name, "e", e, "mu", mu, NULL);
  if (isnan(mu_static)) return law_from(name, "e", e, "mu", mu, NULL);
  return law_from(name, "e", e, "mu", mu, "mu_static", mu_static, NULL);
}

/* "stick compression_end end" */
static inline const char *story(const hit *h) {
  static char text[512];
  text[0] = 0;
  for (int i = 0; i < h->events; i++) {
    strcat(text, i ? " " : "");
    strcat(text, impact_event_word(h->event[i].kind));
  }
  return text;
}

/* relative to the size of things */
#define ASSERT_NEAR(tol, want, got)                                                                \
  do {                                                                                             \
    double want_ = (want), got_ = (got);                                                           \
    TEST_ASSERT_DOUBLE_WITHIN((tol) * (1 + fabs(want_)), want_, got_);                             \
  } while (0)

/* v+ = v- + W p; T+ - T- = p.(v- + v+)/2 = -(lost); returns T+ - T- */
static inline double check_balance(const hit *h, const double *W, const double *v, double tol) {
  double scale = 0, energy = 0, size = 0;
  for (int i = 0; i < h->rows; i++) {
    double after = v[i], terms = fabs(v[i]);
    for (int j = 0; j < h->rows; j++) {
      after += W[j * h->rows + i] * h->p[j];
      terms += fabs(W[j * h->rows + i] * h->p[j]);
    }
    if (fabs(after - h->v[i]) > tol * terms) TEST_FAIL_MESSAGE("v+ is not v- + W p");
    scale = fmax(scale, terms);
    energy += h->p[i] * (v[i] + h->v[i]) / 2;
    size += fabs(h->p[i]) * terms;
  }
  double lost = h->r.lost_restitution + h->r.lost_friction + h->r.stored;
  if (fabs(energy + lost) > tol * size) TEST_FAIL_MESSAGE("the ledger does not close");
  return energy / (size > 0 ? size : 1);
}

/* whatever comes: an answer or a jam, finite, no pull, no approach after; newton may be wedged, and
 * keeps its v_n+ = -e v_n- where it is not */
static inline void check_extremes(const char *name, int nc, int dim, int count, uint64_t seed) {
  int answers = 0;
  for (int i = 0; i < count; i++) {
    int newton = nc == 1 && !strcmp(name, "newton");
    double W[64], v[8], mu = i % 5 ? pow(10, between(&seed, -3, 2)) : i % 2 ? 0 : INFINITY;
    extreme_problem(&seed, nc * dim, W, v);
    double e = fair(&seed);
    law *l = nc > 1 ? law_from(name, "e", e, NULL) : friction_law(name, e, mu, NAN);
    for (int told = -1; told < 2; told++) {
      hit h = solve_with(l, nc, dim, W, v, NULL, told);
      if (h.r.status == CORE_NO_IMPACT || h.r.status == CORE_JAM) continue;
      if (newton && h.r.status == CORE_NO_SOLUTION && strstr(h.err.text, "wedges")) continue;
      TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, h.r.status, h.err.text);
      answers++;
      double fastest = 0;
      for (int k = 0; k < h.rows; k++) {
        TEST_ASSERT_TRUE(isfinite(h.p[k]) && isfinite(h.v[k]));
        fastest = fmax(fastest, fabs(v[k]));
      }
      TEST_ASSERT_TRUE(!newton || h.v[dim - 1] >= -e * v[dim - 1] * (1 - 1e-12));
      for (int c = 0; c < nc; c++)
        TEST_ASSERT_TRUE(h.v[c * dim + dim - 1] >= -1e-9 * fastest && h.p[c * dim + dim - 1] >= 0);
    }
    law_free(l);
  }
  TEST_ASSERT_TRUE(answers > count);
}

#endif
