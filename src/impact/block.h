/* The block matrix of paper J, for the blackboard.
 *
 *   [ M  A^T ] [ u+ ]   [  M u-    ]        [ M  A^T ]^-1   [ M†  A†^T ]
 *   [ A   0  ] [ P^ ] = [ -e A u-  ]        [ A   0  ]    = [ A†  Λ†   ]
 *
 *   u+ = u- - A†^T (1 + e) A u-,    P^ = -Λ† (1 + e) A u-
 *
 * Sign: the notes' P^ is what the body gives away. Everywhere else in knock p = -P^ is what the
 * obstacle gives the body. M may be singular as long as the block matrix is regular. Dependent rows
 * of A leave the velocity unique and P^ of smallest norm; the identities M†M + A†^T A = I and
 * A†M + Λ†A = 0 hold then too.
 */
#ifndef IMPACT_BLOCK_H
#define IMPACT_BLOCK_H

#include "core/scratch.h"
#include "core/status.h"

/* All matrices are column-major in the caller's memory. */
typedef struct impact_block_result {
  double *u;        /* n: velocity after */
  double *P;        /* m: impulse in the notes' sign [N s] */
  double *M_dagger; /* n x n */
  double *A_dagger; /* m x n */
  double *L_dagger; /* m x m */
  int rank;         /* of A; below m the rows depend on each other */
  double rcond;     /* of the block matrix, scaled */
} impact_block_result;

/* n speeds, m rows; M is n x n and symmetric, A is m x n, e has m numbers in [0, 1].
 * CORE_SINGULAR: the block matrix is; CORE_NO_SOLUTION: dependent rows whose e contradict. */
core_status impact_block(int n, int m, const double *M, const double *A, const double *u,
                         const double *e, core_scratch *s, impact_block_result *r, core_error *err);

#endif
