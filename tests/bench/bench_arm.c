/* Why a swinging arm takes steps in proportion to its links: accuracy, not stability.
 *
 *   bench_arm [links]        32, 64 and 128 by default
 *
 * For some starts: steps, those that stability kept short ("hurried"), and the error of the last
 * state, for tolerances; then how much of a tight solution is in the fast modes. Those are the
 * modes of the motion there and then: with a = M^-1 f, M Phi w^2 = -d(f - M a)/dq Phi and c = Phi^T
 * M u, the part above a frequency is Phi c for rates and Phi c / w for angles.
 *
 * A method that is stable at any step, but does not follow a mode, is off by what the solution has
 * in it. With 128 links and 1e-6: the straight arm of bench_sim has 2e-4 rad and 0.2 rad/s above
 * three quarters of the top frequency; the smoothest start that we could think of (hanging, with
 * the speeds of the lowest mode) has 4e-8 rad and 4e-5 rad/s above a half, and takes 428 steps
 * where stability alone takes about 250. */
#include <stdio.h>
#include <stdlib.h>
#include <unity.h>

#include "core/lin.h"
#include "sim_help.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { MOST = 256 };
static double M[MOST * MOST], K[MOST * MOST], Phi[MOST * MOST], w2[MOST], a[MOST];

/* r = f(q, u) - M(q) a */
static void rest(const model *m, const double *q, const double *u, double *r) {
  static double mass[MOST * MOST];
  int n = m->shape.nu;
  m->type->mass(m, q, mass);
  m->type->forces(m, 0, q, u, r);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) r[i] -= mass[j * n + i] * a[j];
}

static void find_modes(const model *m, const double *q, const double *u) {
  double moved[MOST], up[MOST], down[MOST], h = 1e-5;
  int n = m->shape.nu;
  m->type->mass(m, q, M);
  m->type->forces(m, 0, q, u, a);
  memcpy(K, M, sizeof M);
  core_lin_solve_spd(n, K, 1, a, &sim_scratch, NULL);
  for (int j = 0; j < n; j++) {
    memcpy(moved, q, (size_t)n * sizeof *q);
    moved[j] = q[j] + h, rest(m, moved, u, up);
    moved[j] = q[j] - h, rest(m, moved, u, down);
    for (int i = 0; i < n; i++) K[j * n + i] = (down[i] - up[i]) / (2 * h);
  }
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) K[j * n + i] = (K[j * n + i] + K[i * n + j]) / 2;
  if (core_lin_eig_generalised(n, K, M, &sim_scratch, w2, Phi)) printf("no modes\n");
}

/* the largest rate and angle of a joint in modes above `part` of the top frequency */
static void print_above(int n, const double *u, double part) {
  double rate[MOST] = {0}, angle[MOST] = {0}, most_rate = 0, most_angle = 0;
  for (int k = 0; k < n; k++) {
    double c = 0;
    if (!(w2[k] > part * part * w2[n - 1])) continue;
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) c += Phi[k * n + i] * M[j * n + i] * u[j];
    for (int i = 0; i < n; i++) {
      rate[i] += Phi[k * n + i] * c;
      angle[i] += Phi[k * n + i] * c / sqrt(w2[k]);
    }
  }
  for (int i = 0; i < n; i++) {
    most_rate = fmax(most_rate, fabs(rate[i]));
    most_angle = fmax(most_angle, fabs(angle[i]));
  }
  printf("  above %.2f: %.0e rad, %.0e rad/s", part, most_angle, most_rate);
}

enum start { STRAIGHT, LOWEST_SHAPE, LOWEST_SPEEDS, STARTS };
static const char *const names[] = {"straight, let go at 21 degrees", "lowest mode, tip at 0.36 m",
                                    "hanging, speeds of the lowest mode"};

/* 1 m and 1 kg in all, far from any floor */
static model *make(int n, enum start how) {
  model *m =
      MAKE("arm", {"n", 1, {n}, 0}, ONE("length", 1. / n), ONE("mass", 1. / n), ONE("floor", -10));
  for (int i = 0; i < n; i++) m->q[i] = m->u[i] = 0;
  m->q[0] = how == STRAIGHT ? -1.2 : -acos(-1) / 2;
  if (how == STRAIGHT) return m;
  double angle = 0, tip = 0;
  find_modes(m, m->q, m->u);
  for (int i = 0; i < n; i++) tip += (angle += Phi[i]) / n;
  for (int i = 0; i < n; i++) {
    if (how == LOWEST_SHAPE) m->q[i] += 0.36 / tip * Phi[i];
    if (how == LOWEST_SPEEDS) m->u[i] = 0.36 / tip * sqrt(w2[0]) * Phi[i];
  }
  return m;
}

static sim_run *run(model *m, law *l, double t_end, double rtol) {
  sim_options o = until(t_end, rtol);
  o.keep = 0;
  return go(m, l, o);
}

static void steps_of(model *m, law *l, const sim_run *fine, double rtol) {
  double off = 0;
  sim_run *r = run(m, l, 1, rtol);
  for (int i = 0; i < m->shape.nu; i++) off = fmax(off, fabs(r->u[i] - fine->u[i]));
  printf("    rtol %.0e: %5ld steps, %3ld of them hurried, %6ld evaluations, rates off by %.0e "
         "rad/s\n",
         rtol, r->accepted, r->hurried, r->evaluations, off);
  sim_free(r);
}

static void look(int n, enum start how, law *l) {
  model *m = make(n, how);
  sim_run *fine = run(m, l, 1, 1e-13);
  printf("%d links, %s\n", n, names[how]);
  for (double rtol = 1e-2; rtol > 1e-11; rtol *= 1e-2) steps_of(m, l, fine, rtol);
  find_modes(m, fine->q, fine->u);
  printf("    after 1 s, top frequency %.0f rad/s:", sqrt(w2[n - 1]));
  for (double part = 0.25; part < 0.8; part += 0.25) print_above(n, fine->u, part);
  printf("\n");
  sim_free(fine);
  model_free(m);
}

int main(int argc, char **argv) {
  int only = argc > 1 ? atoi(argv[1]) : 0;
  UnityBegin("bench_arm");
  core_scratch_init(&sim_scratch);
  law *l = law_e_mu("stronge", 0.3, 0.4);
  for (enum start how = STRAIGHT; how < STARTS; how++)
    for (int n = only ? only : 32; n <= (only ? only : 128); n *= 2) look(n, how, l);
  law_free(l);
  core_scratch_free(&sim_scratch);
  return 0;
}
