/* From q, u to u+ through the waist: double_pendulum with stronge, 10,000 random cases.
 *
 *   bench_impact                                                   ns per impact
 *   valgrind --tool=callgrind --toggle-collect=all_impacts bench_impact 1
 *                                      instructions of 10,000 impacts; target: 900 each
 *
 * Each impact is impact_solve: select, assemble, solve, back. Nothing is allocated: the scratch is
 * warm after the first.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "impact/assemble.h"

enum { CASES = 10000 };

typedef struct cases {
  const model *m;
  const law *l;
  core_scratch scratch;
  core_error err;
  double q[CASES][2], u[CASES][2], after[CASES][2];
  int failed;
} cases;

static double fair(uint64_t *seed) { /* splitmix64 */
  uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static core_status one_impact(cases *b, int i) {
  impact_setup setup;
  impact_result r;
  core_mark mark = core_scratch_mark(&b->scratch);
  core_status status = impact_solve(b->m, b->q[i], b->u[i], b->l, INFINITY, &b->scratch, NULL,
                                    &setup, &r, b->after[i], &b->err);
  core_scratch_release(&b->scratch, mark);
  return status;
}

/* random configurations that approach the floor */
static void draw(cases *b) {
  uint64_t seed = 2024;
  for (int i = 0; i < CASES;) {
    for (int k = 0; k < 2; k++) {
      b->q[i][k] = 6.283 * fair(&seed) - 3.1415;
      b->u[i][k] = 4 * fair(&seed) - 2;
    }
    i += one_impact(b, i) == CORE_OK;
  }
}

__attribute__((noinline)) static void all_impacts(cases *b) {
  for (int i = 0; i < CASES; i++) b->failed += one_impact(b, i) != CORE_OK;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *params_of(const core_schema *schema) {
  void *params = calloc(1, schema->size);
  core_schema_defaults(schema, params);
  return params;
}

static void set(const core_schema *schema, void *params, const char *key, double x) {
  core_param_set(schema, core_schema_find(schema, key), params, 1, &x, NULL);
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 200;
  cases *b = calloc(1, sizeof *b);
  const model_type *mt = model_find("double_pendulum");
  const law_type *lt = law_find("stronge");
  void *mp = params_of(&mt->schema), *lp = params_of(&lt->schema);
  model *m = NULL;
  law *l = NULL;
  set(&lt->schema, lp, "e", 0.7);
  set(&lt->schema, lp, "mu", 0.5);
  if (model_create(mt, mp, &m, NULL) || law_create(lt, lp, &l, NULL)) return 1;
  b->m = m, b->l = l;
  core_scratch_init(&b->scratch);
  draw(b);
  double best = INFINITY;
  for (int i = 0; i < rounds; i++) {
    double start = now();
    all_impacts(b);
    best = fmin(best, now() - start);
  }
  printf("double_pendulum + stronge: %.1f ns per impact, %d failed\n", 1e9 * best / CASES,
         b->failed);
  core_scratch_free(&b->scratch);
  core_schema_free(&mt->schema, mp);
  core_schema_free(&lt->schema, lp);
  model_free(m);
  law_free(l);
  free(mp);
  free(lp);
  free(b);
  return 0;
}
