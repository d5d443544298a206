/* How long runs take: the shortest of many, so that a busy machine matters less.
 *
 *   build/tests/bench_sim [repeats]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unity.h>

#include "sim_help.h"

void setUp(void) {
}
void tearDown(void) {
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct figure {
  double seconds;          /* shortest run [s] */
  long steps, evaluations; /* */
  long impacts;
} figure;

static figure measure(const model *m, const law *l, sim_options o, int repeats) {
  figure f = {INFINITY, 0, 0, 0};
  for (int i = 0; i < repeats; i++) {
    core_error err = {0};
    sim_run *r = NULL;
    double start = now();
    if (sim_simulate(m, l, &o, &sim_scratch, &r, &err)) {
      printf("%s\n", err.text);
      exit(1);
    }
    double took = now() - start;
    if (took < f.seconds) f = (figure){took, r->accepted, r->evaluations, r->impacts};
    sim_free(r);
  }
  return f;
}

static void report(const char *what, figure f, double per, const char *unit, const char *goal) {
  printf("%-44s %9.2f us %-22s %6ld steps %7ld evaluations   goal %s\n", what,
         1e6 * f.seconds / per, unit, f.steps, f.evaluations, goal);
}

static void bar(int repeats) {
  model *m = MAKE("bar", ONE("k_w", 10));
  law *l = law_e_mu("stronge", 0, 0);
  sim_options o = until(2, 1e-10);
  o.atol = 1e-10;
  report("bar meets its wall, 2 s at 1e-10", measure(m, l, o, repeats), 1, "", "350 us");
  model_free(m);
  law_free(l);
}

static void pendulum(int repeats) {
  model *m =
      MAKE("double_pendulum", ONE("floor", -1.2), {"q", 2, {-0.2, 0.7}, 0}, {"u", 2, {0, 0}, 0});
  law *l = law_e_mu("stronge", 0.5, 0.3);
  sim_options o = until(10, 1e-9);
  report("double pendulum on a floor, 1e-9", measure(m, l, o, repeats), 10, "per simulated second",
         "150 us");
  model_free(m);
  law_free(l);
}

static void flights(const char *what, model *m, int repeats) {
  law *l = LAW("newton", ONE("e", 1));
  sim_options o = until(1e6, 1e-9);
  o.max_impacts = 1000;
  figure f = measure(m, l, o, repeats);
  report(what, f, 1000, "per flight and impact", "1-2 us (flight)");
  o.keep = 0;
  f = measure(m, l, o, repeats);
  report("  ... without keeping the dense output", f, 1000, "per flight and impact", "");
  model_free(m);
  law_free(l);
}

static void arm(int repeats) {
  model *m = MAKE("arm", {"n", 1, {8}, 0}, ONE("length", 0.5),
                  {"q", 8, {1.2, -0.2, -0.3, -0.1, 0.2, -0.2, -0.1, -0.4}, 0},
                  {"u", 8, {0, 0, 0, 0, 0, 0, 0, 0}, 0}, ONE("floor", 0));
  law *l = law_e_mu("stronge", 0.3, 0.4);
  report("arm of 8 links falls, 3 s at 1e-9", measure(m, l, until(3, 1e-9), repeats / 10 + 1), 3,
         "per simulated second", "");
  model_free(m);
  law_free(l);
}

int main(int argc, char **argv) {
  int repeats = argc > 1 ? atoi(argv[1]) : 300;
  UnityBegin("bench_sim");
  core_scratch_init(&sim_scratch);
  bar(repeats);
  pendulum(repeats);
  flights("particle bounces", MAKE("particle", {"position", 2, {0, 1}, 0}), repeats);
  flights("ball bounces",
          MAKE("ball", {"position", 3, {0, 0, 2}, 0}, {"velocity", 3, {1, 0, 0}, 0}), repeats);
  arm(repeats);
  core_scratch_free(&sim_scratch);
  return 0;
}
