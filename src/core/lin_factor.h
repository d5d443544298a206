/* Inside core_lin_solve and its relatives: ways to factor a square matrix and solve with it. */
#ifndef CORE_LIN_FACTOR_H
#define CORE_LIN_FACTOR_H

#include "core/lin_work.h"

/* workspace and outcome of one factorisation */
typedef struct lin_factors {
  int *pivots;  /* n */
  int *iwork;   /* n */
  double *work; /* lwork */
  int lwork;    /* at least 4 n */
  double *r;    /* n: row scales, powers of two */
  double *c;    /* n: column scales */
  int want;     /* 1: rcond is wanted; 0: only whether A is regular */
  double rcond; /* of the scaled A */
} lin_factors;

/* one way: factor A in place and set rcond, then solve with the factors */
typedef struct lin_way {
  core_status (*factor)(int n, double *A, lin_factors *f);
  void (*solve)(int n, const double *A, const lin_factors *f, int nrhs, double *B);
} lin_way;

/* Few unknowns, without LAPACK, whose calls and estimates cost more than the work: a mass matrix is
 * solved with at every evaluation of a right-hand side. Here rcond is no estimate: |A^-1|_1 is
 * taken from A^-1 itself, column by column. */
enum { LIN_SMALL = 16 }; /* largest n */
extern const lin_way lin_small_general, lin_small_spd;

/* Scales A to R A C with rows and columns whose largest entries are near 1 (spd: with a diagonal
 * near 1, R = C), so that units of rows and columns neither spoil pivots nor look like singularity.
 * Powers of two: nothing is rounded. 0 when spd A has a diagonal entry that is not positive. */
void lin_equilibrate(int n, double *A, double *r, double *c);
int lin_equilibrate_spd(int n, double *A, double *r, double *c);

#endif
