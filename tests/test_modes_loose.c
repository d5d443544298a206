/* law.moreau and law.glocker with a larger `tolerance`, on piles and walls of bench/scene.h: what
 * is left over is what was asked for, worked out here anew and in long double; answers are near
 * those of another way to solve them; and few contacts, and runs, do not know of it. */
#include <stdio.h>

#include "law_help.h"
/* after it: both have a `between` */
#define between scene_between
#include "bench/scene.h"
#undef between

enum { ROWS_MOST = 3 * 420 };

typedef struct answer {
  core_status status;
  unsigned flags;
  double residual, lost, p[ROWS_MOST], v[ROWS_MOST];
} answer;

/* tolerance 0: the law's own */
static void solve(const char *name, const impact_modes *m, double e, double tolerance, int in_run,
                  answer *a) {
  double mu = m->mu[0];
  law *l = tolerance > 0 ? law_from(name, "mu", mu, "e", e, "tolerance", tolerance, NULL)
                         : law_from(name, "mu", mu, "e", e, NULL);
  static const double touching[ROWS_MOST];
  impact_problem pr = {.nc = m->nc, .dim = 3, .rows = m->rows, .W = m->W, .v = m->b};
  pr.gap = touching, pr.made = 1, pr.in_run = in_run;
  impact_result r = {.p = a->p, .v = a->v};
  core_scratch s;
  core_scratch_init(&s);
  a->status = law_solve(l, &pr, &s, NULL, &r, NULL);
  a->flags = r.flags, a->residual = r.residual;
  a->lost = r.lost_restitution + r.lost_friction;
  core_scratch_free(&s);
  law_free(l);
}

static long double entry(const impact_modes *m, int i, int j) {
  return m->W[(size_t)j * (size_t)m->rows + (size_t)i];
}

/* the larger eigenvalue of W_tt of contact c */
static long double across(const impact_modes *m, int c) {
  long double a = entry(m, 3 * c, 3 * c), b = entry(m, 3 * c + 1, 3 * c + 1);
  long double d = entry(m, 3 * c, 3 * c + 1);
  return (a + b + sqrtl((a - b) * (a - b) + 4 * d * d)) / 2;
}

/* u = b + W p */
static void velocity(const impact_modes *m, const long double *b, const long double *p,
                     long double *u) {
  for (int i = 0; i < m->rows; i++) u[i] = b[i];
  for (int j = 0; j < m->rows; j++)
    for (int i = 0; i < m->rows && p[j] != 0; i++) u[i] += entry(m, i, j) * p[j];
}

/* what Alart and Curnier's projections of contact c move p to */
static void project(const impact_modes *m, int c, const long double *p, const long double *u,
                    long double *to) {
  long double Wt = across(m, c), size;
  const long double *x = p + 3 * c, *w = u + 3 * c;
  to[2] = fmaxl(0, x[2] - w[2] / entry(m, 3 * c + 2, 3 * c + 2));
  for (int i = 0; i < 2; i++) to[i] = x[i] - w[i] / Wt;
  size = hypotl(to[0], to[1]);
  for (int i = 0; i < 2 && size > m->mu[c] * to[2]; i++) to[i] *= m->mu[c] * to[2] / size;
}

/* b of Moreau's law */
static void aim(const impact_modes *m, double e, long double *b) {
  for (int i = 0; i < m->rows; i++) b[i] = m->b[i] * (1.L + (i % 3 == 2 && m->b[i] < 0 ? e : 0));
}

/* how far p is from Moreau's law, of the largest impulse, rho |b| */
static double left_over(const impact_modes *m, double e, const double *p) {
  static long double b[ROWS_MOST], x[ROWS_MOST], u[ROWS_MOST];
  long double worst = 0, size = 0, to[3];
  aim(m, e, b);
  for (int i = 0; i < m->rows; i++) x[i] = p[i];
  velocity(m, b, x, u);
  for (int c = 0; c < m->nc; c++) {
    project(m, c, x, u, to);
    for (int i = 0; i < 3; i++) {
      long double W = i == 2 ? entry(m, 3 * c + 2, 3 * c + 2) : across(m, c);
      worst = fmaxl(worst, fabsl(to[i] - x[3 * c + i]));
      size = fmaxl(size, fmaxl(fabsl(x[3 * c + i]), fabsl(b[3 * c + i]) / W));
    }
  }
  return (double)(worst / size);
}

/* v = v- + W p, and energy is what was there less what was lost */
static void momentum_and_energy_close(const impact_modes *m, const answer *a) {
  static long double b[ROWS_MOST], p[ROWS_MOST], v[ROWS_MOST];
  long double lost = 0, size = 0;
  for (int i = 0; i < m->rows; i++) b[i] = m->b[i], p[i] = a->p[i];
  velocity(m, b, p, v);
  for (int i = 0; i < m->rows; i++) {
    TEST_ASSERT_DOUBLE_WITHIN(1e-13 * (1 + m->rows), (double)v[i], a->v[i]);
    lost -= p[i] * (b[i] + v[i]) / 2, size += fabsl(p[i] * (b[i] + v[i])) / 2;
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-12 * (double)size, (double)lost, a->lost);
}

static void keeps_what_it_says(const impact_modes *m, double tolerance) {
  static answer a;
  solve("moreau", m, 0.3, tolerance, 0, &a);
  TEST_ASSERT_EQUAL_INT(CORE_OK, a.status);
  double left = left_over(m, 0.3, a.p);
  printf("%4d contacts, mu %.1f, tolerance %.0e: residual %.2e\n", m->nc, m->mu[0], tolerance,
         left);
  TEST_ASSERT_TRUE(left <= tolerance * (1 + 1e-9));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9 * left + 1e-14, left, a.residual);
  TEST_ASSERT_EQUAL_INT(a.residual > 1e-12, (a.flags & IMPACT_INEXACT) != 0);
  momentum_and_energy_close(m, &a);
  solve("glocker", m, 0.3, tolerance, 0, &a);
  TEST_ASSERT_EQUAL_INT(CORE_OK, a.status);
  TEST_ASSERT_TRUE(a.residual <= tolerance);
  TEST_ASSERT_EQUAL_INT(a.residual > 1e-12, (a.flags & IMPACT_INEXACT) != 0);
  momentum_and_energy_close(m, &a);
}

/* by rounds, along the path (0.5), and where contacts depend on each other */
static void what_is_left_is_what_was_asked_for(void) {
  static const double tolerance[] = {1e-3, 1e-6, 1e-9}, mu[] = {0.1, 0.2, 0.5};
  static scene s;
  seed = 5;
  for (int i = 0; i < 9; i++) {
    if (i == 4)
      wall(&s, 8);
    else
      pile(&s, 125 + 40 * (i / 3));
    impact_modes m = assemble(&s, mu[i / 3]);
    keeps_what_it_says(&m, tolerance[i % 3]);
    drop(m);
  }
}

/* ---- against relaxation, where there is one answer ---- */

static void relax(const impact_modes *m, double e, long double *p) {
  static long double b[ROWS_MOST];
  long double u[3], to[3], moved = 1;
  aim(m, e, b);
  memset(p, 0, (size_t)m->rows * sizeof *p);
  for (int round = 0; round < 20000 && moved > 1e-15L; round++) {
    moved = 0;
    for (int c = 0; c < m->nc; c++) {
      for (int i = 0; i < 3; i++) {
        u[i] = b[3 * c + i];
        for (int j = 0; j < m->rows; j++) u[i] += entry(m, j, 3 * c + i) * p[j];
      }
      project(m, c, p, u - 3 * c, to);
      for (int i = 0; i < 3; i++) {
        moved = fmaxl(moved, fabsl(to[i] - p[3 * c + i]));
        p[3 * c + i] = to[i];
      }
    }
  }
  TEST_ASSERT_TRUE(moved <= 1e-15L);
}

static impact_modes_known known(const impact_modes *m) {
  core_scratch scratch;
  core_scratch_init(&scratch);
  impact_modes_known is = impact_modes_unique(m, &scratch, m->b);
  core_scratch_free(&scratch);
  return is;
}

/* contacts that give 0.05 of their own W: nothing depends, and below a bound of mu there is one
 * answer */
static void answers_are_near_those_of_relaxation(void) {
  static scene s;
  static long double p[ROWS_MOST];
  static answer a;
  seed = 9;
  for (int k = 0; k < 3; k++) {
    double tolerance = k == 0 ? 1e-3 : k == 1 ? 1e-6 : 1e-9, off = 0, most = 0;
    pile(&s, 125);
    impact_modes m = assemble(&s, 0.02);
    for (int i = 0; i < m.rows; i++) ((double *)m.W)[i * (m.rows + 1)] *= 1.05;
    TEST_ASSERT_EQUAL_INT(IMPACT_MODES_ONE, known(&m));
    relax(&m, 0.5, p);
    solve("moreau", &m, 0.5, tolerance, 0, &a);
    TEST_ASSERT_EQUAL_INT(CORE_OK, a.status);
    for (int i = 0; i < m.rows; i++) {
      off = fmax(off, fabs((double)p[i] - a.p[i]));
      most = fmax(most, fabs((double)p[i]));
    }
    printf("tolerance %.0e: impulses off by %.1e, residual %.1e\n", tolerance, off / most,
           a.residual);
    TEST_ASSERT_TRUE(off <= 30 * tolerance * most);
    TEST_ASSERT_TRUE(a.residual > tolerance * 1e-4); /* it was made use of */
    drop(m);
  }
}

/* ---- where it is not known ---- */

static void same_bits(const impact_modes *m, double tolerance, int in_run) {
  static answer a, b;
  static const char *const both[] = {"moreau", "glocker"};
  for (int k = 0; k < 2; k++) {
    solve(both[k], m, 0.3, 0, in_run, &a);
    solve(both[k], m, 0.3, tolerance, in_run, &b);
    TEST_ASSERT_EQUAL_INT(CORE_OK, a.status);
    TEST_ASSERT_EQUAL_INT(a.flags, b.flags);
    TEST_ASSERT_EQUAL_MEMORY(a.p, b.p, (size_t)m->rows * sizeof *a.p);
    TEST_ASSERT_EQUAL_MEMORY(a.v, b.v, (size_t)m->rows * sizeof *a.v);
  }
}

static void few_contacts_and_runs_are_solved_exactly(void) {
  static scene s;
  seed = 3;
  for (int n = 1; n <= 8; n++) {
    eight(&s), s.nc = n;
    impact_modes m = assemble(&s, 0.3);
    same_bits(&m, 1e-3, 0), drop(m);
  }
  pile(&s, 79);
  impact_modes m = assemble(&s, 0.2);
  TEST_ASSERT_TRUE(m.rows < IMPACT_MODES_MANY);
  same_bits(&m, 1e-3, 0), drop(m);
  pile(&s, 125), m = assemble(&s, 0.2);
  same_bits(&m, 1e-3, 1), same_bits(&m, 1e-12, 0), drop(m);
}

void setUp(void) {
}

void tearDown(void) {
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(what_is_left_is_what_was_asked_for);
  RUN_TEST(answers_are_near_those_of_relaxation);
  RUN_TEST(few_contacts_and_runs_are_solved_exactly);
  return UNITY_END();
}
