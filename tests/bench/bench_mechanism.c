/* What a declared mechanism costs beside the builder of the same machine: J, M^-1 J^T and W of one
 * contact at the tip of an arm of n links, and its accelerations.
 *
 *   bench_mechanism          time per call, ratio, growth
 *   bench_mechanism <n> <which> <calls>   for callgrind: which = arm | mechanism
 *   bench_mechanism <n> impact <calls>    whole impacts of the mechanism with law.stronge:
 *     valgrind --tool=callgrind --toggle-collect=all_impacts bench_mechanism 2 impact 10000
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "impact/assemble.h"
#include "model/mechanism.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void set(const core_schema *s, void *params, const char *key, int n, const double *x) {
  core_error err = {0};
  if (core_param_set(s, core_schema_find(s, key), params, n, x, &err)) {
    fprintf(stderr, "%s\n", err.text);
    exit(1);
  }
}

static model *build(const model_type *type, void (*fill)(const core_schema *, void *, int), int n) {
  core_error err = {0};
  void *params = malloc(type->schema.size);
  model *m = NULL;
  core_schema_defaults(&type->schema, params);
  fill(&type->schema, params, n);
  if (model_create(type, params, &m, &err)) fprintf(stderr, "%s\n", err.text), exit(1);
  core_schema_free(&type->schema, params);
  free(params);
  return m;
}

static void fill_arm(const core_schema *s, void *params, int n) {
  double count = n, low = -1e9;
  set(s, params, "n", 1, &count);
  set(s, params, "floor", 1, &low);
}

static void fill_mechanism(const core_schema *s, void *params, int n) {
  char key[32];
  double one = 1, half[2] = {0.5, 0}, whole[2] = {1, 0}, inertia = 1.0 / 12, up[2] = {0, 1};
  double low[2] = {0, -1e9}, g[2] = {0, -9.81};
  for (int i = 0; i < n; i++) {
    snprintf(key, sizeof key, "l%d.mass", i), set(s, params, key, 1, &one);
    snprintf(key, sizeof key, "l%d.com", i), set(s, params, key, 2, half);
    snprintf(key, sizeof key, "l%d.inertia", i), set(s, params, key, 1, &inertia);
    snprintf(key, sizeof key, "l%d.at", i);
    if (i) set(s, params, key, 2, whole);
  }
  set(s, params, "tip", 2, whole);
  set(s, params, "floor.point", 2, low);
  set(s, params, "floor.normal", 2, up);
  set(s, params, "gravity", 2, g);
}

static model *mechanism_arm(int n, mechanism **d) {
  mechanism_body *body = calloc((size_t)n, sizeof *body);
  char(*names)[16] = calloc((size_t)n, sizeof *names);
  for (int i = 0; i < n; i++) {
    snprintf(names[i], sizeof names[i], "l%d", i);
    body[i] = (mechanism_body){names[i], i - 1, MECHANISM_HINGE, 0, 0};
  }
  mechanism_part part[] = {{"tip", n - 1, MECHANISM_POINT}, {"floor", -1, MECHANISM_PLANE}};
  mechanism_link contact = {NULL, 0, 1};
  mechanism_spec spec = {"arm", 1, n, 2, 1, 0, 0, body, part, &contact, NULL, NULL, 0};
  core_error err = {0};
  if (mechanism_define(&spec, d, &err)) fprintf(stderr, "%s\n", err.text), exit(1);
  free(body);
  free(names);
  return build(mechanism_type(*d), fill_mechanism, n);
}

typedef struct room {
  core_scratch s;
  double *q, *u, *J, *Y, W[4], gap;
} room;

static room make_room(int n) {
  room r = {0};
  core_scratch_init(&r.s);
  r.q = calloc(6 * (size_t)n, sizeof(double));
  r.u = r.q + n, r.J = r.u + n, r.Y = r.J + 2 * n;
  for (int i = 0; i < n; i++) r.q[i] = 0.3 * (i % 7) - 0.9, r.u[i] = 0.1 * (i % 5);
  return r;
}

static void collide(const model *m, room *r, long calls) {
  static const int only = 0;
  for (long i = 0; i < calls; i++) {
    core_mark mark = core_scratch_mark(&r->s);
    m->type->collide(m, r->q, 1, &only, &r->s, r->J, r->Y, r->W, &r->gap);
    core_scratch_release(&r->s, mark);
  }
}

static void accelerate(const model *m, room *r, long calls) {
  for (long i = 0; i < calls; i++) {
    core_mark mark = core_scratch_mark(&r->s);
    m->type->accelerate(m, 0, r->q, r->u, NULL, &r->s, r->Y);
    core_scratch_release(&r->s, mark);
  }
}

/* q, u to u+ through the waist; 1 unless it was an impact */
static int one_impact(const model *m, const law *l, room *r, const double *q) {
  impact_setup setup;
  impact_result answer;
  core_error err = {0};
  core_mark mark = core_scratch_mark(&r->s);
  core_status status =
      impact_solve(m, q, q + m->shape.nu, l, INFINITY, &r->s, NULL, &setup, &answer, r->J, &err);
  core_scratch_release(&r->s, mark);
  return status != CORE_OK;
}

__attribute__((noinline)) static int all_impacts(const model *m, const law *l, room *r,
                                                 const double *states, long calls) {
  int failed = 0;
  for (long i = 0; i < calls; i++) failed += one_impact(m, l, r, states + 2 * m->shape.nu * i);
  return failed;
}

static void impacts(const model *m, room *r, long calls) {
  const law_type *type = law_find("stronge");
  void *params = malloc(type->schema.size);
  core_error err = {0};
  law *l;
  int n = m->shape.nu;
  double *states = malloc((size_t)(2 * n * calls) * sizeof *states), mu = 0.3, e = 0.5;
  core_schema_defaults(&type->schema, params);
  set(&type->schema, params, "mu", 1, &mu), set(&type->schema, params, "e", 1, &e);
  if (law_create(type, params, &l, &err)) exit(1);
  srand(1);
  for (long i = 0; i < calls;) {
    for (int k = 0; k < 2 * n; k++)
      states[2 * n * i + k] = (k < n ? 6.28 : 4) * ((double)rand() / RAND_MAX - 0.5);
    i += !one_impact(m, l, r, states + 2 * n * i);
  }
  double t = now();
  int failed = all_impacts(m, l, r, states, calls);
  printf("%d links: %.0f ns per impact, %d failed\n", n, (now() - t) / (double)calls * 1e9, failed);
  free(states), law_free(l);
  core_schema_free(&type->schema, params), free(params);
}

static double time_of(void (*work)(const model *, room *, long), const model *m, room *r, int n) {
  long calls = 2000000 / n + 1;
  double best = 1e9;
  for (int round = 0; round < 5; round++) {
    double t = now();
    work(m, r, calls);
    t = (now() - t) / (double)calls;
    if (t < best) best = t;
  }
  return best;
}

int main(int argc, char **argv) {
  mechanism *d;
  if (argc == 4) {
    int n = atoi(argv[1]);
    room r = make_room(n);
    model *m =
        strcmp(argv[2], "arm") ? mechanism_arm(n, &d) : build(model_find("arm"), fill_arm, n);
    if (!strcmp(argv[2], "impact"))
      impacts(m, &r, atol(argv[3]));
    else
      collide(m, &r, atol(argv[3]));
    return 0;
  }
  printf("links   collide: arm  mechanism  ratio   accelerate: arm  mechanism  ratio\n");
  for (int n = 2; n <= 1024; n *= 2) {
    room r = make_room(n);
    model *arm = build(model_find("arm"), fill_arm, n), *m = mechanism_arm(n, &d);
    double a = time_of(collide, arm, &r, n), b = time_of(collide, m, &r, n);
    double c = time_of(accelerate, arm, &r, n), e = time_of(accelerate, m, &r, n);
    printf("%5d %11.0f ns %8.0f ns %6.2f %13.0f ns %8.0f ns %6.2f\n", n, a * 1e9, b * 1e9, b / a,
           c * 1e9, e * 1e9, e / c);
    model_free(arm), model_free(m), mechanism_free(d);
    core_scratch_free(&r.s), free(r.q);
  }
  return 0;
}
