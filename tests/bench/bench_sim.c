/* How long runs take: the shortest of many by CPU time (runs of tens of ms are never left alone on
 * a busy machine); and how accurate they are: the largest error of the last state against a run at
 * rtol 1e-13, beside its size.
 *
 *   build/tests/bench_sim [repeats]
 *   build/tests/bench_sim bounces | bar | swing [links]
 *                                 1000 bounces, or one run, for callgrind in sim_simulate
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
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct figure {
  double seconds;          /* shortest run [s] */
  long steps, evaluations; /* of the last run */
  long impacts;
  double error; /* of the last state, relative */
} figure;

static sim_run *run_once(const model *m, const law *l, const sim_options *o) {
  core_error err = {0};
  sim_run *r = NULL;
  if (sim_simulate(m, l, o, &sim_scratch, &r, &err)) {
    printf("%s\n", err.text);
    exit(1);
  }
  return r;
}

/* against the same run at rtol 1e-13 */
static double error_of(const model *m, const law *l, sim_options o) {
  sim_run *r = run_once(m, l, &o);
  o.rtol = 1e-13;
  o.atol = 1e-15;
  sim_run *fine = run_once(m, l, &o);
  double error = 0, size = 0;
  for (int i = 0; i < m->shape.nq + m->shape.nu; i++) {
    error = fmax(error, fabs(r->q[i] - fine->q[i]));
    size = fmax(size, fabs(fine->q[i]));
  }
  sim_free(r);
  sim_free(fine);
  return error / size;
}

static figure measure(const model *m, const law *l, sim_options o, int repeats) {
  figure f = {INFINITY, 0, 0, 0, 0};
  for (int i = 0; i < repeats; i++) {
    double start = now();
    sim_run *r = run_once(m, l, &o);
    double took = now() - start;
    if (took < f.seconds) f = (figure){took, r->accepted, r->evaluations, r->impacts, 0};
    sim_free(r);
  }
  f.error = error_of(m, l, o);
  return f;
}

static void report(const char *what, figure f, double per, const char *unit, const char *goal) {
  printf("%-52s %9.2f us %-22s %6ld steps %7ld evaluations, error %.0e   goal %s\n", what,
         1e6 * f.seconds / per, unit, f.steps, f.evaluations, f.error, goal);
}

static void bar(int repeats) {
  model *m = MAKE("bar", ONE("k_w", 400));
  law *l = law_e_mu("stronge", 0, 0);
  sim_options o = until(2, 1e-10);
  o.atol = 1e-10;
  report("bar and wall of paper F, k_w = 400, 2 s at 1e-10", measure(m, l, o, repeats), 1, "",
         "350 us");
  model_free(m);
  law_free(l);
}

/* Fig 3.1 of paper M, as scenarios/m_fig3_1.lua has it */
static void pendulum(int repeats) {
  model *m =
      MAKE("double_pendulum", ONE("floor", -1.6), {"q", 2, {-0.35, 0.5}, 0}, {"u", 2, {0, 0}, 0});
  law *l = law_e_mu("stronge", 0.7, 0.3);
  report("double pendulum of Fig 3.1 (floor -1.6 m), at 1e-9",
         measure(m, l, until(1.5, 1e-9), repeats), 1.5, "per simulated second", "150 us");
  model_free(m);
  law_free(l);
}

static void flights(const char *what, model *m, int repeats) {
  law *l = LAW("newton", ONE("e", 1));
  sim_options o = until(1e6, 1e-9);
  o.max_events = 1000;
  figure f = measure(m, l, o, repeats);
  report(what, f, 1000, "per flight and impact", "0.5 us");
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

/* A hanging arm of n links, 1 m in all, that swings for a second at 1e-6, far from any floor.
 *
 * An evaluation takes time proportional to n (128 links: 62 instructions per link for the forces,
 * sines included; 114 for all that the run does), and so does the number of steps: the fastest mode
 * of n links has omega = 10.4 n rad/s, and accuracy, not stability, needs it. Steps follow the
 * tolerance by its eighth root (128 links: 620, 1097, 1966, 3536 for 1e-4, 1e-6, 1e-8, 1e-10;
 * stability alone would take 250): a straight arm that is let go bends first at the support, and
 * the front of that bend runs down the arm. Above three quarters of the top frequency there are
 * 2e-4 rad and 0.3 rad/s of joint motion (bench_arm, which has smooth starts too). Who says where
 * the arm is to 1e-6 must follow n modes through a number of turns that grows with n, so that the
 * exponent of this motion is 2.
 *
 * Other methods, for y' = i omega y with omega = 1331 rad/s, one second, an error of 4e-4: Dormand
 * and Prince take 10 evaluations per radian; Adams' methods of orders 8 and 9 (predictor,
 * corrector) take 8 and those of 10 and 11 are not stable at steps of use; extrapolation takes 19
 * and more; a Taylor series of order p has about p^2 / 2 products for each product of an
 * evaluation, which makes 40 per radian with order 12 or 20.
 *
 * Implicit steps do not help: 756 of them instead of 1097, since accuracy limits them too, and
 * 15830 evaluations beside solutions in O(n), in four times the time (method = implicit). An
 * evaluation costs the same per link from 128 to 512 links (9.5 and 9.2 ns).
 *
 * With dampers the fast modes settle, and implicit steps need not follow them: 0.1 N m s/rad took
 * 1.6 million explicit steps with 128 links and takes 94, of which 30 are implicit. Their matrices
 * are solved in O(n) (model/stiffness.h): 0.9, 4.4, 21 ms for 32, 128, 512 links, exponent 1.15;
 * with full ones it was 2.8 and 93 ms.
 */
static model *swinging(int n, double damping) {
  model *m = MAKE("arm", {"n", 1, {n}, 0}, ONE("length", 1. / n), ONE("mass", 1. / n),
                  ONE("floor", -10), ONE("damping", damping));
  m->q[0] = -1.2;
  for (int i = 1; i < n; i++) m->q[i] = 0;
  for (int i = 0; i < n; i++) m->u[i] = 0;
  return m;
}

static void swing(int n, double damping, int repeats) {
  char what[64];
  model *m = swinging(n, damping);
  law *l = law_e_mu("stronge", 0.3, 0.4);
  snprintf(what, sizeof what, "arm of %d links%s swings at 1e-6", n,
           damping > 0 ? " with dampers" : "");
  sim_options o = until(1, 1e-6);
  o.keep = 0;
  report(what, measure(m, l, o, repeats), 1, "per simulated second",
         n == 32    ? "17 ms (Bullet, without)"
         : n == 128 ? "89 ms (Bullet, without)"
                    : "");
  model_free(m);
  law_free(l);
}

/* for budgets of instructions: one run and nothing else */
static int only(const char *what, int links) {
  int bounces = !strcmp(what, "bounces"), swings = !strcmp(what, "swing");
  model *m = swings    ? swinging(links, 0)
             : bounces ? MAKE("particle", {"position", 2, {0, 1}, 0})
                       : MAKE("bar", ONE("k_w", 400));
  law *l = bounces ? LAW("newton", ONE("e", 1)) : law_e_mu("stronge", 0, 0);
  sim_options o = swings ? until(1, 1e-6) : until(bounces ? 1e6 : 2, bounces ? 1e-9 : 1e-10);
  o.max_events = 1000;
  o.keep = !swings;
  sim_free(run_once(m, l, &o));
  model_free(m);
  law_free(l);
  core_scratch_free(&sim_scratch);
  return 0;
}

int main(int argc, char **argv) {
  int repeats = argc > 1 ? atoi(argv[1]) : 300;
  UnityBegin("bench_sim");
  core_scratch_init(&sim_scratch);
  if (argc > 1 && repeats == 0) return only(argv[1], argc > 2 ? atoi(argv[2]) : 32);
  bar(repeats);
  pendulum(repeats);
  flights("particle bounces", MAKE("particle", {"position", 2, {0, 1}, 0}), repeats);
  flights("ball bounces",
          MAKE("ball", {"position", 3, {0, 0, 2}, 0}, {"velocity", 3, {1, 0, 0}, 0}), repeats);
  arm(repeats);
  for (int n = 8; n <= 128; n *= 2) swing(n, 0, 3);
  for (int n = 8; n <= 512; n *= 2) swing(n, 0.1, 3);
  core_scratch_free(&sim_scratch);
  return 0;
}
