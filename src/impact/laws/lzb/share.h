/* Contacts that stick together in law.lzb: what share.c and hold.c have in common; share.c has the
 * equations. */
#ifndef IMPACT_LAWS_LZB_SHARE_H
#define IMPACT_LAWS_LZB_SHARE_H

#include "impact/laws/lzb/state.h"

typedef struct lzb_share_of {
  lzb *z;
  int n, k, r;           /* contacts, their rows, ways to slide */
  int *of, *at, *pivot;  /* contacts; their first rows of the k, n + 1; k: order of pivots */
  double *L;             /* k x r, row by row */
  double *limit, *size;  /* n: m_i, and the size of accelerations */
  double *x, *psi;       /* k */
  double *a, *beta, *to; /* r */
  double *grad, *step;   /* r */
  double *H;             /* r x r */
  double eps;            /* over size */
} lzb_share_of;

/* L_i a of row r */
static inline double lzb_share_along(const lzb_share_of *q, int r, const double *a) {
  double sum = 0;
  for (int j = 0; j < q->r; j++) sum += q->L[r * q->k + j] * a[j];
  return sum;
}

/* entry r, s of the derivative of psi by x, where the root is (1 + x^2)^(1/2) */
static inline double lzb_share_part(const double *psi, int r, int s, double root) {
  return ((r == s) - psi[r] * psi[s]) / root;
}

/* beta with L beta = b, where b (k) is in the range of L */
static inline void lzb_share_solve(const lzb_share_of *q, const double *b, double *beta) {
  for (int c = 0; c < q->r; c++) {
    const double *row = q->L + q->pivot[c] * q->k;
    double sum = b[q->pivot[c]];
    for (int j = 0; j < c; j++) sum -= row[j] * beta[j];
    beta[c] = sum / row[c];
  }
}

/* x and psi of contact i for the accelerations a; returns (1 + x^2)^(1/2) */
double lzb_share_bend(lzb_share_of *q, int i, const double *a);

/* H += L^T C L for C = by d psi/dx of contact i */
void lzb_share_slope(lzb_share_of *q, int i, double by, double root);

/* ---- hold.c ---- */

/* Z, which is W_SS^+ W_S:, with the share psi */
core_status lzb_share_hold(lzb_share_of *q);

#endif
