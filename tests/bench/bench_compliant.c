/* law.compliant, law.vibration and law.lzb through law_solve, with a warm scratch and no sink.
 *
 *   bench_compliant              ns per impact (best of some rounds) and the error of the result
 *   bench_compliant NAME 1000    1000 impacts of that case and nothing else, for callgrind:
 *     valgrind --tool=callgrind --toggle-collect=repeat bench_compliant ball 1000
 * Exit code 1 when one is not solved, or is off what is known by more than 1e-10.
 *
 * Targets in C: ball 1.5 us, pencil 40 us at 1e-10, three balls 8 us at 1e-12, the rod's Fig 3 20
 * us, two contacts with any e 1 ms; three balls by law.lzb 20 us.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "impact/law.h"
#include "impact/laws/lzb/state.h"

enum { MOST = 192, CASES = 64 };

typedef struct bench {
  const char *name;
  law *l;
  impact_problem pr;
  double *W, *v, *gap; /* rows x rows, rows, rows; in one piece, with p and after */
  int row;             /* of the impulse that is known */
  double want;         /* its value, or NaN */
  core_scratch s;
  impact_result r;
  double *p, *after;
} bench;

static law *make_with(const char *name, double mu, double e, double eta, double k,
                      double tolerance) {
  const law_type *type = law_find(name);
  void *params = calloc(1, type->schema.size);
  const char *keys[] = {"mu", "e", "eta", "k", "tolerance"};
  double values[] = {mu, e, eta, k, tolerance};
  law *l = NULL;
  core_schema_defaults(&type->schema, params);
  for (int i = 0; i < 5; i++) {
    const core_param *p = core_schema_find(&type->schema, keys[i]);
    if (p) core_param_set(&type->schema, p, params, 1, &values[i], NULL);
  }
  law_create(type, params, &l, NULL);
  core_schema_free(&type->schema, params);
  free(params);
  return l;
}

static law *make(const char *name, double mu, double e, double eta, double k) {
  return make_with(name, mu, e, eta, k, 1e-10);
}

static law *make_lzb(double mu, double e, double exponent) {
  law *l = make("lzb", mu, e, 1, 1);
  ((lzb_params *)l->params)->exponent = exponent;
  return l;
}

static bench list[CASES];
static int n_cases;

static bench *add(const char *name, law *l, int nc, int dim, const double *W, const double *v,
                  const double *gap, int row, double want) {
  int rows = nc * dim;
  if (n_cases == CASES) printf("more than %d cases\n", CASES), exit(1);
  bench *b = &list[n_cases++];
  b->name = name, b->l = l, b->row = row, b->want = want;
  b->W = calloc((size_t)(rows * (rows + 4)), sizeof *b->W);
  b->v = b->W + rows * rows, b->gap = b->v + rows, b->p = b->gap + rows, b->after = b->p + rows;
  if (W) memcpy(b->W, W, (size_t)(rows * rows) * sizeof *W);
  if (v) memcpy(b->v, v, (size_t)rows * sizeof *v);
  if (gap) memcpy(b->gap, gap, (size_t)nc * sizeof *gap);
  b->pr = (impact_problem){.nc = nc, .dim = dim, .rows = rows, .W = b->W, .v = b->v, .gap = b->gap};
  b->r.p = b->p, b->r.v = b->after;
  core_scratch_init(&b->s);
  return b;
}

__attribute__((noinline)) static void repeat(bench *b, long times) {
  for (long i = 0; i < times; i++) law_solve(b->l, &b->pr, &b->s, NULL, &b->r, NULL);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double best_ns(bench *b) {
  double best = INFINITY;
  repeat(b, 3);
  for (int round = 0; round < 20; round++) {
    long times = 1;
    double took;
    for (;; times *= 4) {
      double start = now();
      repeat(b, times);
      took = now() - start;
      if (took > 2e-3) break;
    }
    best = fmin(best, took / (double)times * 1e9);
  }
  return best;
}

static double fair(uint64_t *seed) { /* splitmix64 */
  uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* a plate that falls on n points of a circle, spinning: six velocities whatever n is */
static void plate(bench *b, int n, int dim) {
  static const int used[3][3] = {{2}, {0, 2}, {0, 1, 2}};
  uint64_t seed = 1;
  const double u[6] = {0.3, 0.1, -1, 0.2, -0.1, 0.4}, inertia[3] = {0.3, 0.4, 0.6};
  double J[MOST][6] = {{0}};
  for (int c = 0; c < n; c++) {
    double a = 2 * M_PI * (c + 0.3 * fair(&seed)) / n, x[3] = {cos(a), sin(a), -0.2};
    for (int k = 0; k < dim; k++) {
      int axis = used[dim - 1][k];
      double *row = J[c * dim + k];
      row[axis] = 1;
      row[3 + (axis + 2) % 3] += x[(axis + 1) % 3] * 1;
      row[3 + (axis + 1) % 3] -= x[(axis + 2) % 3] * 1;
      for (int i = 0; i < 3; i++) row[3 + i] = -row[3 + i];
    }
  }
  int rows = n * dim;
  for (int i = 0; i < rows; i++) {
    b->v[i] = 0;
    for (int k = 0; k < 6; k++) b->v[i] += J[i][k] * u[k];
    for (int j = 0; j < rows; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) sum += J[i][k] * J[j][k] / (k < 3 ? 1 : inertia[k - 3]);
      b->W[j * rows + i] = sum;
    }
  }
}

/* the first of n + 1 equal balls in a row strikes */
static void chain(const char *name, law *l, int n) {
  bench *b = add(name, l, n, 1, NULL, NULL, NULL, 0, NAN);
  b->pr.made = 1;
  for (int i = 0; i < n; i++) {
    b->v[i] = i ? 0 : -1;
    for (int j = 0; j < n; j++) b->W[j * n + i] = i == j ? 2 : abs(i - j) == 1 ? -1 : 0;
  }
}

static void pencil(double *W, double *v) {
  const double h = 72.75 / 38, Q = 0.903869459833795, s = sqrt(3) / 2, c = 0.5;
  double a = h * h / Q,
         w[9] = {1 + a * s * s, 0, -a * s * c, 0, 1 + a, 0, -a * s * c, 0, 1 + a * c * c};
  double x[3] = {-5 * s + h * 0.5 * s, -h, -2.5 - h * 0.5 * c};
  memcpy(W, w, sizeof w);
  memcpy(v, x, sizeof x);
}

static void cases(void) {
  const double eta = sqrt(17 / 14.), ball[9] = {3.5, 0, 0, 0, 3.5, 0, 0, 0, 1}, bv[3] = {-3, 0, -5};
  const double flat[4] = {3.5, 0, 0, 1}, fv[2] = {-3, -5};
  const double line[4] = {2, -1, -1, 2}, lv[2] = {-1, 0};
  const double rod[4] = {4, -8, -8, 28}, rv[2] = {-1, -1}, gap[2] = {350e-6, 0};
  double pW[9], pv[3];
  pencil(pW, pv);
  add("ball", make("compliant", 0.4, 0.5, eta, 1e8), 1, 3, ball, bv, NULL, 0, 1.54409015513753409);
  add("disc", make("compliant", 0.4, 0.5, eta, 1e8), 1, 2, flat, fv, NULL, 0, 1.54409015513753409);
  add("pencil", make("compliant", 0.8, 0.5, eta, 1e8), 1, 3, pW, pv, NULL, 0, 4.03748367522);
  add("three", make("compliant", 0, 1, 1, 1e8), 2, 1, line, lv, NULL, 0, NAN);
  add("three-modes", make("vibration", 0, 1, 1, 1e8), 2, 1, line, lv, NULL, 0, NAN);
  add("three-lzb", make_lzb(0, 1, 1), 2, 1, line, lv, NULL, 0, NAN);
  add("three-hertz", make_lzb(0, 1, 1.5), 2, 1, line, lv, NULL, 0, NAN);
  add("rod", make("compliant", 0, 1, 1, 1e8), 2, 1, rod, rv, gap, 0, NAN);
  add("rod-modes", make("vibration", 0, 1, 1, 1e8), 2, 1, rod, rv, gap, 0, NAN);
  /* the tail: a stiff contact that a soft one keeps pressing (k / e^2 in restitution) */
  add("rod-e-1e-6", make("compliant", 0, 1e-6, 1, 1e8), 2, 1, rod, rv, NULL, 0, NAN);
  add("line-e-1e-6", make("compliant", 0, 1e-6, 1, 1e8), 2, 1, line, lv, NULL, 0, NAN);
  for (int points = 1; points <= 64; points *= 2)
    for (int dim = 1; dim <= 3; dim++) {
      char *name = malloc(32);
      snprintf(name, 32, "plate-%d-%d", points, dim);
      law *l = make("compliant", 0.3, 0.7, 1.1, 1e8);
      plate(add(name, l, points, dim, NULL, NULL, NULL, 0, NAN), points, dim);
    }
  law *loose = make_with("compliant", 0.3, 0.7, 1.1, 1e8, 1e-6);
  plate(add("plate-64-3-loose", loose, 64, 3, NULL, NULL, NULL, 0, NAN), 64, 3);
  chain("chain-60", make("vibration", 0, 1, 1, 1e8), 60);
  chain("chain-60-loose", make_with("vibration", 0, 1, 1, 1e8, 1e-6), 60);
  chain("chain-250", make("vibration", 0, 1, 1, 1e8), 250);
  chain("chain-1000-newton", make("newton", 0, 1, 1, 1e8), 1000);
  chain("ten-hertz", make_lzb(0, 1, 1.5), 9);
  chain("chain-250-hertz", make_lzb(0, 1, 1.5), 250);
  chain("chain-250-linear", make_lzb(0, 1, 1), 250);
  for (int dim = 2; dim <= 3; dim++) {
    const char *name = dim == 2 ? "plate-4-2-hertz" : "plate-4-3-hertz";
    plate(add(name, make_lzb(0.3, 0.7, 1.5), 4, dim, NULL, NULL, NULL, 0, NAN), 4, dim);
  }
}

static double off(const bench *b) {
  return isnan(b->want) ? 0 : b->p[b->row] - b->want;
}

/* 1 when it is solved, and right where that is known */
static int good(const bench *b) {
  return b->r.status == CORE_OK && fabs(off(b)) <= 1e-10;
}

static void report(bench *b) {
  double ns = best_ns(b);
  printf("%-16s %12.0f ns  %s  p = %.15g", b->name, ns, core_status_word(b->r.status),
         b->p[b->row]);
  if (!isnan(b->want)) printf("  off by %.1e", off(b));
  printf("\n");
  fflush(stdout);
}

int main(int argc, char **argv) {
  int failed = 0;
  cases();
  for (int i = 0; i < n_cases; i++) {
    bench *b = &list[i];
    int wanted = argc < 2 || !strcmp(argv[1], b->name);
    if (wanted && argc > 2) repeat(b, 3), repeat(b, atol(argv[2]));
    if (wanted && argc <= 2) report(b);
    failed |= wanted && !good(b);
    law_free(b->l);
    core_scratch_free(&b->s);
    free(b->W);
  }
  return failed;
}
