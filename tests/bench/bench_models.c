/* Cost of models: collide (q to J, Y, W), gap and accelerate over random states.
 *
 *   bench_models                          nanoseconds per call, all cases
 *   bench_models <case> [n]               one case alone: collide, gap or accelerate of
 * double_pendulum, ball, particle, pencil, pair, arm (n links)
 *
 * Instructions per call, without what the bench itself needs:
 *   valgrind --tool=callgrind --toggle-collect=bench_run ./bench_models collide.arm 1024
 * and divide the total by the number of calls it prints.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/model.h"

enum { STATES = 64 };

typedef struct job {
  const model *m;
  const char *what; /* collide, gap, accelerate */
  double *q, *u;    /* STATES of them */
  double *J, *Y, *W, *out;
  core_scratch scratch;
} job;

static double uniform(void) {
  static unsigned long long x = 88172645463325252ull;
  x ^= x << 13, x ^= x >> 7, x ^= x << 17;
  return (double)(x >> 11) / 4503599627370496.0 - 1;
}

/* the only part that counts; all its calls are real work */
double bench_run(job *j, int calls);
__attribute__((noinline)) double bench_run(job *j, int calls) {
  const model *m = j->m;
  int contact = m->shape.nc - 1;
  double sum = 0;
  for (int i = 0; i < calls; i++) {
    const double *q = j->q + (size_t)(i % STATES) * (size_t)m->shape.nq;
    const double *u = j->u + (size_t)(i % STATES) * (size_t)m->shape.nu;
    core_mark mark = core_scratch_mark(&j->scratch);
    if (j->what[0] == 'c')
      m->type->collide(m, q, 1, &contact, &j->scratch, j->J, j->Y, j->W, j->out);
    if (j->what[0] == 'g') m->type->gap(m, q, j->W);
    if (j->what[0] == 'a') model_accelerate(m, 0, q, u, NULL, &j->scratch, j->out);
    core_scratch_release(&j->scratch, mark);
    sum += j->W[0];
  }
  return sum;
}

static model *make(const char *name, int n) {
  const model_type *type = model_find(name);
  if (!type) return NULL;
  void *params = malloc(type->schema.size);
  core_error err = {0};
  model *m = NULL;
  double links = n;
  core_schema_defaults(&type->schema, params);
  if (!strcmp(name, "arm"))
    core_param_set(&type->schema, core_schema_find(&type->schema, "n"), params, 1, &links, &err);
  if (model_create(type, params, &m, &err)) fprintf(stderr, "%s\n", core_error_text(&err));
  core_schema_free(&type->schema, params);
  free(params);
  return m;
}

static void random_states(job *j) {
  size_t nq = (size_t)j->m->shape.nq, nu = (size_t)j->m->shape.nu;
  for (size_t i = 0; i < STATES * nq; i++) j->q[i] = j->m->q[i % nq] + 0.3 * uniform();
  for (size_t i = 0; i < STATES * nu; i++) j->u[i] = uniform();
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int bench(const char *what, const char *name, int n, int calls) {
  model *m = make(name, n);
  if (!m) return 1;
  size_t nq = (size_t)m->shape.nq, nu = (size_t)m->shape.nu, rows = (size_t)m->shape.dim;
  job j = {.m = m, .what = what};
  double *block = calloc(STATES * (nq + nu) + 2 * rows * nu + 9 + nu, sizeof *block);
  j.q = block, j.u = j.q + STATES * nq, j.J = j.u + STATES * nu, j.Y = j.J + rows * nu;
  j.W = j.Y + rows * nu, j.out = j.W + 9;
  core_scratch_init(&j.scratch);
  random_states(&j);
  double start = seconds(), sum = bench_run(&j, calls), ns = 1e9 * (seconds() - start) / calls;
  printf("%-10s %-16s n = %-5d %8d calls %12.1f ns per call%s\n", what, name, n, calls, ns,
         isfinite(sum) ? "" : " (not finite!)");
  core_scratch_free(&j.scratch);
  free(block);
  model_free(m);
  return 0;
}

static int all(void) {
  static const char *const names[] = {"double_pendulum", "ball", "particle", "pencil", "pair"};
  int bad = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    bad |= bench("collide", names[i], 1, 1000000);
    bad |= bench("accelerate", names[i], 1, 300000);
  }
  for (int n = 2; n <= 1024; n *= 2) {
    bad |= bench("gap", "arm", n, 2000000 / n);
    bad |= bench("collide", "arm", n, 2000000 / n);
    bad |= bench("accelerate", "arm", n, 2000000 / n);
  }
  return bad;
}

int main(int argc, char **argv) {
  char *dot = argc > 1 ? strchr(argv[1], '.') : NULL;
  if (!dot) return all();
  *dot = 0;
  int n = argc > 2 ? atoi(argv[2]) : 1;
  return bench(argv[1], dot + 1, n, n > 100 ? 1000 : 10000);
}
