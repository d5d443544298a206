/* Contacts of law.lzb whose slip is stiff, in groups that slide in ways that depend on each other:
 * all velocities that a group of n contacts can have are B y, with y in r dimensions. */
#ifndef IMPACT_LAWS_LZB_GROUP_H
#define IMPACT_LAWS_LZB_GROUP_H

#include "impact/laws/lzb/state.h"

enum { LZB_GROUP_MOST = 32 }; /* contacts of one group; more are followed without it */

typedef struct lzb_group {
  int n, r, *of;    /* contacts, ways to slide, which contacts */
  int at;           /* first of its unknowns among those of all groups */
  int *pivot;       /* r: rows that tell y */
  double *B;        /* 2 n x r, row by row; lower triangular at the pivots */
  double *w, *last; /* r x LZB_PAD: the direction of y, and by the sweep before */
  double eta[LZB_PAD];
} lzb_group;

/* the contacts z->stiff in groups: z->turn; 0: memory is out, or there are too many */
int lzb_group_all(lzb *z);

/* row i of B x, with `stride` between entries of x */
static inline double lzb_group_row(const lzb_group *a, int i, const double *x, int stride) {
  double sum = 0;
  for (int j = 0; j < a->r; j++) sum += a->B[i * a->r + j] * x[j * stride];
  return sum;
}

/* y with B y = v */
void lzb_group_solve(const lzb_group *a, const double *v, double *y);

#endif
