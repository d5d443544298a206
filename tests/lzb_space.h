/* For the tests of law.lzb in space: problems with several contacts, and the same with other
 * tangents. */
#ifndef TESTS_LZB_SPACE_H
#define TESTS_LZB_SPACE_H

#include "law_help.h"

enum { MOST = 8, ROWS = 3 * MOST };

typedef struct problem {
  int nc;
  double W[ROWS * ROWS], v[ROWS], e[MOST], mu[MOST], K[MOST], exponent;
} problem;

typedef struct answer {
  impact_result r;
  core_error err;
  double p[ROWS], v[ROWS];
} answer;

static inline law *with_list(law *l, const char *name, int n, const double *x) {
  const core_param *key = core_schema_find(&l->type->schema, name);
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_param_set(&l->type->schema, key, l->params, n, x, NULL));
  return l;
}

static inline void solve_by(law *l, const problem *q, answer *h) {
  core_scratch s;
  core_scratch_init(&s);
  memset(h, 0, sizeof *h);
  h->r.p = h->p, h->r.v = h->v;
  impact_problem pr = {.nc = q->nc, .dim = 3, .rows = 3 * q->nc, .W = q->W, .v = q->v};
  law_solve(l, &pr, &s, NULL, &h->r, &h->err);
  core_scratch_free(&s);
  law_free(l);
}

static inline void solve(const problem *q, answer *h) {
  law *l = law_from("lzb", "exponent", q->exponent, NULL);
  with_list(with_list(l, "e", q->nc, q->e), "mu", q->nc, q->mu);
  solve_by(with_list(l, "stiffness", q->nc, q->K), q, h);
}

/* ---- other tangents ---- */

/* R W R^T and R v, where R turns the tangents of each contact by an angle */
static inline void turn(const problem *q, const double *angle, problem *to) {
  int n = 3 * q->nc;
  double R[ROWS * ROWS] = {0};
  *to = *q;
  for (int c = 0; c < q->nc; c++) {
    int i = 3 * c;
    R[n * i + i] = R[n * (i + 1) + i + 1] = cos(angle[c]), R[n * (i + 2) + i + 2] = 1;
    R[n * i + i + 1] = sin(angle[c]), R[n * (i + 1) + i] = -sin(angle[c]);
  }
  for (int k = 0; k < n; k++) {
    to->v[k] = 0;
    for (int j = 0; j < n; j++) {
      double sum = 0;
      to->v[k] += R[n * j + k] * q->v[j];
      for (int m = 0; m < n * n; m++) sum += R[n * (m / n) + k] * q->W[m] * R[n * (m % n) + j];
      to->W[n * j + k] = sum;
    }
  }
  for (int k = 0; k < n; k++)
    for (int j = 0; j < k; j++) to->W[n * j + k] = to->W[n * k + j];
}

/* x in the tangents that were turned by the angle */
static inline void turn_back(const double *x, double angle, double *to) {
  to[0] = x[0] * cos(angle) + x[1] * sin(angle);
  to[1] = x[1] * cos(angle) - x[0] * sin(angle);
  to[2] = x[2];
}

static inline void ledger_closes(const problem *q, const answer *h) {
  double lost = 0, size = 0;
  for (int k = 0; k < 3 * q->nc; k++) {
    lost -= h->p[k] * (q->v[k] + h->v[k]) / 2;
    size += fabs(h->p[k] * q->v[k]);
  }
  double told = h->r.lost_friction + h->r.lost_restitution + h->r.stored;
  TEST_ASSERT_DOUBLE_WITHIN(1e-11 * size, told, lost);
  TEST_ASSERT_TRUE(h->r.lost_friction >= -1e-12 * size);
}

#endif
