/* The tails of law.compliant: random problems of one family, each timed once after a warm-up.
 *
 *   bench_tail FAMILY [count] [seed]        median, p99 and largest time, and the largest's number
 *   bench_tail FAMILY 0 seed NUMBER         that problem alone, for callgrind
 * (--toggle-collect=law_solve); CTest guards some of both (budget.tail_...)
 *
 * Families (W = A A^T with a normal A of twice as many columns as a body has speeds, v normal,
 * first contact approaching): friction  two contacts in the plane, mu .05-1, eta .5-2, e = {1,
 * 1e-4} any       two contacts in the plane, mu 0 or .05-1, e 1e-8 to 1, k apart by up to 1e10
 *   space     two contacts in space, mu .1-1, e = {1, 1e-4}
 *   eta       two contacts in space, mu = 1, eta = 1e-6
 *   eight     eight contacts in space, mu .1-1, eta .5-2, e .2-1
 * Goals: friction, any: 1 ms; eight: p99 10 times the median, largest 50 times.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "impact/law.h"

enum { MOST = 24, MOST_NC = 8 };

typedef struct family {
  const char *name;
  int nc, dim, dofs;
  double mu[2], eta[2], e[2]; /* ranges, on a logarithmic scale */
  int e_pair;                 /* e = {e[0], e[1]} instead */
  double k_apart;             /* decades */
} family;

static const family families[] = {
    {"friction", 2, 2, 3, {.05, 1}, {.5, 2}, {1, 1e-4}, 1, 0},
    {"any", 2, 2, 3, {.05, 1}, {.5, 2}, {1e-8, 1}, 0, 10},
    {"space", 2, 3, 6, {.1, 1}, {.5, 2}, {1, 1e-4}, 1, 0},
    {"eta", 2, 3, 6, {1, 1}, {1e-6, 1e-6}, {.2, 1}, 0, 0},
    {"eight", 8, 3, 6, {.1, 1}, {.5, 2}, {.2, 1}, 0, 0},
};

typedef struct problem {
  double W[MOST * MOST], v[MOST], gap[MOST_NC], p[MOST], after[MOST];
  law *l;
  impact_problem pr;
  impact_result r;
} problem;

static double fair(uint64_t *seed) { /* splitmix64 */
  uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double normal(uint64_t *seed) {
  double a = fair(seed), b = fair(seed);
  return sqrt(-2 * log(1 - a)) * cos(2 * M_PI * b);
}

static double between(uint64_t *seed, const double *range) {
  return range[0] * pow(range[1] / range[0], fair(seed));
}

static law *make_law(const family *f, uint64_t *seed) {
  const law_type *type = law_find("compliant");
  void *params = calloc(1, type->schema.size);
  double values[4][MOST_NC];
  const char *keys[] = {"mu", "e", "eta", "k"};
  law *l = NULL;
  core_schema_defaults(&type->schema, params);
  for (int c = 0; c < f->nc; c++) {
    values[0][c] = between(seed, f->mu);
    values[1][c] = f->e_pair ? f->e[c % 2] : between(seed, f->e);
    values[2][c] = between(seed, f->eta);
    values[3][c] = 1e8 * pow(10, -f->k_apart * fair(seed) * c);
  }
  for (int i = 0; i < 4; i++) {
    const core_param *p = core_schema_find(&type->schema, keys[i]);
    core_param_set(&type->schema, p, params, f->nc, values[i], NULL);
  }
  law_create(type, params, &l, NULL);
  core_schema_free(&type->schema, params);
  free(params);
  return l;
}

static void make(const family *f, uint64_t seed, problem *x) {
  double A[MOST][2 * MOST];
  int rows = f->nc * f->dim, columns = 2 * f->dofs;
  for (int r = 0; r < rows; r++)
    for (int j = 0; j < columns; j++) A[r][j] = normal(&seed);
  for (int r = 0; r < rows; r++) {
    x->v[r] = normal(&seed);
    for (int q = 0; q < rows; q++) {
      double sum = 0;
      for (int j = 0; j < columns; j++) sum += A[r][j] * A[q][j];
      x->W[q * rows + r] = sum / columns;
    }
  }
  memset(x->gap, 0, sizeof x->gap);
  x->v[f->dim - 1] = -fabs(x->v[f->dim - 1]);
  x->pr = (impact_problem){
      .nc = f->nc, .dim = f->dim, .rows = rows, .W = x->W, .v = x->v, .gap = x->gap};
  x->r.p = x->p, x->r.v = x->after;
  x->l = make_law(f, &seed);
}

__attribute__((noinline)) static core_status one(problem *x, core_scratch *s, core_error *err) {
  return law_solve(x->l, &x->pr, s, NULL, &x->r, err);
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void many(const family *f, long count, uint64_t seed) {
  double *took = malloc((size_t)count * sizeof *took), largest = 0, sum = 0;
  long worst = 0, failed = 0;
  core_scratch s;
  core_scratch_init(&s);
  for (long i = 0; i < count; i++) {
    problem x;
    make(f, seed * 1000003u + (uint64_t)i, &x);
    double start = core_seconds();
    failed += one(&x, &s, NULL) != CORE_OK;
    took[i] = 1e3 * (core_seconds() - start);
    for (int r = 0; r < x.pr.rows; r++) sum += fabs(x.p[r]);
    if (took[i] > largest) largest = took[i], worst = i;
    law_free(x.l);
  }
  qsort(took, (size_t)count, sizeof *took, by_size);
  printf("%-9s median %.4f ms, p99 %.4f (%.1f), largest %.4f (%.1f, number %ld), %ld failed, "
         "sum %.12g\n",
         f->name, took[count / 2], took[count * 99 / 100], took[count * 99 / 100] / took[count / 2],
         largest, largest / took[count / 2], worst, failed, sum);
  core_scratch_free(&s);
  free(took);
}

int main(int argc, char **argv) {
  uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
  long count = argc > 2 ? atol(argv[2]) : 1000;
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    if (argc > 1 && strcmp(argv[1], families[i].name) != 0) continue;
    if (argc < 5) {
      many(&families[i], count, seed);
      continue;
    }
    problem x;
    core_scratch s;
    core_scratch_init(&s);
    make(&families[i], seed * 1000003u + strtoull(argv[4], NULL, 10), &x);
    core_error err = {.text = ""};
    double start = core_seconds();
    core_status status = one(&x, &s, &err);
    printf("%s %.4f ms %s\n", core_status_word(status), 1e3 * (core_seconds() - start), err.text);
    if (x.r.flags & IMPACT_OPEN_LEDGER) printf("open ledger\n");
    law_free(x.l);
    core_scratch_free(&s);
  }
  return 0;
}
