/* Rounds over the contacts (modes_rounds.c), and after each the mixture of the last ones that
 * leaves least (Anderson). A round takes p to g(p); with f = g - p and their changes dF, dG over
 * the last rounds,
 *
 *   y = argmin |f - dF y|,   p <- g - dG y
 *
 * No elimination: a round costs as much as W has blocks. While friction does not wedge, some
 * hundred rounds do, more or less as many for any number of contacts; where it does, p wanders for
 * ever, which is soon seen. Of several answers the order of contacts may choose one.
 */
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "core/lin.h"
#include "impact/modes_part.h"
#include "impact/tolerance.h"

enum { KEEP = 10, LOOK = 16 };

/* what f may grow by from one round to the next before the past is forgotten */
static const double GROWS = 2;

typedef struct mixture {
  size_t n;                        /* rows */
  int have;                        /* changes seen since the past was forgotten */
  double *dF[KEEP], *dG[KEEP];     /* n each */
  double *f, *g, *f_last, *g_last; /* n each */
  double gram[KEEP][KEEP];         /* dF^T dF */
} mixture;

static int take_memory(modes_work *w, mixture *z) {
  size_t n = z->n = (size_t)w->m->rows;
  double *memory = core_scratch_doubles(w->s, (2 * KEEP + 4) * n + 1);
  if (!memory) return 0;
  for (int k = 0; k < KEEP; k++) z->dF[k] = memory + 2 * (size_t)k * n, z->dG[k] = z->dF[k] + n;
  z->f = memory + 2 * KEEP * n, z->g = z->f + n, z->f_last = z->g + n, z->g_last = z->f_last + n;
  return 1;
}

static double dot(size_t n, const double *a, const double *b) {
  double sum[2] = {0, 0};
  for (size_t i = 0; i + 1 < n; i += 2) sum[0] += a[i] * b[i], sum[1] += a[i + 1] * b[i + 1];
  return sum[0] + sum[1] + (n % 2 ? a[n - 1] * b[n - 1] : 0);
}

static void remember(mixture *z) {
  int k = z->have++ % KEEP;
  for (size_t i = 0; i < z->n; i++) {
    z->dF[k][i] = z->f[i] - z->f_last[i];
    z->dG[k][i] = z->g[i] - z->g_last[i];
  }
  for (int j = 0; j < KEEP && j < z->have; j++)
    z->gram[j][k] = z->gram[k][j] = dot(z->n, z->dF[j], z->dF[k]);
}

/* p <- g - dG y */
static void mix(const mixture *z, core_scratch *s, double *p) {
  double A[KEEP * KEEP], y[KEEP], trace = 0;
  int m = z->have < KEEP ? z->have : KEEP;
  memcpy(p, z->g, z->n * sizeof *p);
  for (int k = 0; k < m; k++) trace += z->gram[k][k];
  for (int k = 0; k < m; k++) {
    for (int j = 0; j < m; j++) A[k * m + j] = z->gram[k][j] + (j == k) * TOL_MIXTURE * trace;
    y[k] = dot(z->n, z->dF[k], z->f);
  }
  if (m == 0 || core_lin_solve_spd(m, A, 1, y, s, NULL)) return;
  for (int k = 0; k < m; k++)
    for (size_t i = 0; i < z->n; i++) p[i] -= y[k] * z->dG[k][i];
}

/* one round from p on; returns the largest |f|, NaN included */
static double go_round(const modes_round *r, mixture *z, const double *p) {
  double most = 0;
  memcpy(z->g, p, z->n * sizeof *p);
  modes_round_over(r, z->g);
  for (size_t i = 0; i < z->n; i++) {
    z->f[i] = z->g[i] - p[i];
    most = most >= fabs(z->f[i]) ? most : fabs(z->f[i]);
  }
  return most;
}

static void next(mixture *z) {
  double *f = z->f, *g = z->g;
  z->f = z->f_last, z->g = z->g_last, z->f_last = f, z->g_last = g;
}

/* after as many rounds as there are contacts: an answer is not in sight */
static int is_wedged(const modes_work *w, int rounds) {
  return rounds >= w->m->nc && !(w->residual <= TOL_WEDGED);
}

core_status modes_mix(modes_work *w, int rounds, double enough) {
  core_mark mark = core_scratch_mark(w->s);
  mixture z = {.have = 0};
  modes_round r;
  double last = INFINITY;
  core_status status = modes_round_begin(w, &r);
  if (status || !take_memory(w, &z)) return CORE_NO_MEMORY;
  for (int i = 1; i <= rounds && !status; i++) {
    double most = go_round(&r, &z, w->p);
    if (!(most <= GROWS * last))
      z.have = 0;
    else if (i > 1)
      remember(&z);
    mix(&z, w->s, w->p);
    next(&z), last = most;
    if (core_interrupted()) status = CORE_INTERRUPTED;
    if (i % LOOK && i < rounds) continue;
    modes_near_velocity(w, w->p, w->u);
    modes_look(w, w->p, w->u);
    if (!(w->residual > enough) || is_wedged(w, i)) break;
  }
  core_scratch_release(w->s, mark);
  return status;
}
