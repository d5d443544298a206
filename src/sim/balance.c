/* K z = b of the forces at closed contacts (contact.c), group by group of those that feel each
 * other: bodies that lie beside each other on a floor have forces of their own, whatever the others
 * do, and cost what each of them costs.
 *
 * Rows that depend on each other (a table leg too many) get the smallest normal forces that do it,
 * and friction in proportion to what each contact has of it, so that a table on a slope slides when
 * all of its friction is used up and not that of the leg with the least load.
 */
#include "sim/balance.h"

#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "core/tiny.h"
#include "sim/tolerance.h"

/* ---- one group ---- */

/* rows whose part of their own is below this depend on each other: two ends of a link that lies on
 * the floor slide alike, but for the rounding of its angle */
static const double dependent = SIM_DEPENDENT;

static core_status solve_regular(int k, const double *K, double *b, core_scratch *s) {
  if (k <= 3) {
    int regular = fabs(core_tiny_det(k, K)) > dependent * core_tiny_permanent(k, K);
    return regular ? core_tiny_solve(k, K, b) : CORE_SINGULAR;
  }
  double *copy = core_scratch_doubles(s, (size_t)(k * k + k)), rcond;
  if (!copy) return CORE_NO_MEMORY;
  memcpy(copy, K, (size_t)(k * k) * sizeof *K);
  memcpy(copy + k * k, b, (size_t)k * sizeof *b);
  core_status status = core_lin_solve(k, copy, 1, copy + k * k, s, &rcond);
  if (!status && rcond < dependent) status = CORE_SINGULAR;
  if (!status) memcpy(b, copy + k * k, (size_t)k * sizeof *b);
  return status;
}

static int is_tangential(const sim_unknown *x) {
  return x->row != x->first + x->rows - 1;
}

/* friction counts in proportion to what its contact has of it, mu times its normal force, which is
 * z[j] of the same contact */
static void weigh(const sim_motion *f, const sim_closed *c, int k, const sim_unknown *x,
                  const double *z, double *S) {
  double most = 0;
  for (int j = 0; j < k; j++) {
    S[j] = is_tangential(&x[j]) ? 0 : fmin(f->hold[c->ids[x[j].at]], SIM_MOST_MU) * fmax(z[j], 0);
    most = fmax(most, S[j]);
  }
  for (int j = 0; j < k; j++)
    for (int l = 0; l < k && is_tangential(&x[j]); l++)
      if (x[l].at == x[j].at && !is_tangential(&x[l]))
        S[j] = most > 0 ? sqrt(fmax(S[l] / most, SIM_LEAST_SHARE)) : 1;
  for (int j = 0; j < k; j++)
    if (!is_tangential(&x[j])) S[j] = 1;
}

/* nobody has friction to share */
static int all_slide(int k, const sim_unknown *x) {
  for (int j = 0; j < k; j++)
    if (is_tangential(&x[j])) return 0;
  return 1;
}

/* rows that depend on each other: all alike first, which gives the normal forces to share by */
static core_status solve_shared(const sim_motion *f, const sim_closed *c, int k,
                                const sim_unknown *x, const double *K, double *b) {
  size_t n = (size_t)k;
  double *z = core_scratch_doubles(f->s, 2 * n), *S = z + n;
  if (!z) return CORE_NO_MEMORY;
  memcpy(z, b, n * sizeof *b);
  for (int j = 0; j < k; j++) S[j] = 1;
  core_status status = sim_solve_smallest(k, K, S, z, f->s);
  if (status) return status;
  if (all_slide(k, x)) {
    memcpy(b, z, n * sizeof *b);
    return CORE_OK;
  }
  weigh(f, c, k, x, z, S);
  return sim_solve_smallest(k, K, S, b, f->s);
}

static core_status solve(sim_motion *f, const sim_closed *c, int k, const sim_unknown *x,
                         const double *K, double *b) {
  core_status status = solve_regular(k, K, b, f->s);
  if (status != CORE_SINGULAR) return status;
  f->redundant = 1;
  return solve_shared(f, c, k, x, K, b);
}

/* ---- groups ---- */

typedef struct grouping {
  int *of;      /* k: its group, -1: not yet */
  int *members; /* k: a group's, in rising order */
} grouping;

static int feels(int k, const sim_unknown *x, const double *K, int i, int j) {
  return x[i].at == x[j].at || K[j * k + i] != 0 || K[i * k + j] != 0;
}

/* unknown i and all that it feels, and these feel ...; how many */
static int gather(int k, const sim_unknown *x, const double *K, int i, grouping *g) {
  int n = 0, size = 0;
  g->members[n++] = i;
  g->of[i] = i;
  for (int l = 0; l < n; l++)
    for (int j = i + 1; j < k; j++)
      if (g->of[j] < 0 && feels(k, x, K, g->members[l], j)) g->members[n++] = j, g->of[j] = i;
  for (int j = i; j < k; j++)
    if (g->of[j] == i) g->members[size++] = j;
  return n;
}

static core_status solve_group(sim_motion *f, const sim_closed *c, int k, const sim_unknown *x,
                               const double *K, int n, const int *members, double *b) {
  sim_unknown *part = core_scratch_bytes(f->s, (size_t)n * sizeof *part);
  double *A = core_scratch_doubles(f->s, (size_t)(n * n + n)), *z = A + n * n;
  if (!part || !A) return CORE_NO_MEMORY;
  for (int j = 0; j < n; j++) {
    part[j] = x[members[j]], z[j] = b[members[j]];
    for (int i = 0; i < n; i++) A[j * n + i] = K[members[j] * k + members[i]];
  }
  core_status status = solve(f, c, n, part, A, z);
  for (int j = 0; j < n && !status; j++) b[members[j]] = z[j];
  return status;
}

core_status sim_balance_solve(sim_motion *f, const sim_closed *c, int k, const sim_unknown *x,
                              const double *K, double *b) {
  f->redundant = 0;
  if (k <= 3) return solve(f, c, k, x, K, b);
  grouping g = {core_scratch_ints(f->s, 2 * (size_t)k), NULL};
  if (!g.of) return CORE_NO_MEMORY;
  g.members = g.of + k;
  for (int i = 0; i < k; i++) g.of[i] = -1;
  core_status status = CORE_OK;
  for (int i = 0; i < k && !status; i++) {
    if (g.of[i] >= 0) continue;
    int n = gather(k, x, K, i, &g);
    core_mark mark = core_scratch_mark(f->s);
    status = n == k ? solve(f, c, k, x, K, b) : solve_group(f, c, k, x, K, n, g.members, b);
    core_scratch_release(f->s, mark);
  }
  return status;
}
