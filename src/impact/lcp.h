/* Linear complementarity with a positive semi-definite matrix, solved exactly.
 *
 *   0 <= z,   w = A z + q >= 0,   z.w = 0
 *
 * It is the optimality of min z^T A z / 2 + q^T z over z >= 0: w is unique, z is when A is regular.
 */
#ifndef IMPACT_LCP_H
#define IMPACT_LCP_H

#include "core/scratch.h"
#include "core/status.h"

/* A is n x n, column-major; tol, unless NULL, is what w may miss by, beyond rounding. CORE_JAM: no
 * z >= 0 makes A z + q >= 0. *redundant is set when rows with w = 0 depend on each other; z is then
 * the one of smallest norm, zero where w > 0. */
core_status law_lcp(int n, const double *A, const double *q, const double *tol, core_scratch *s,
                    double *z, double *w, int *redundant);

/* A z = -q for any sign of z, smallest norm; CORE_NO_SOLUTION when q is not in the range of A */
core_status law_lcp_equality(int n, const double *A, const double *q, core_scratch *s, double *z,
                             int *redundant);

/* Orthonormal columns R (n x rank; room for n x n) that span the range of A, symmetric and positive
 * semi-definite. Returns the rank, or -1 when memory is out. */
int law_lcp_range(int n, const double *A, core_scratch *s, double *R);

/* Q = I - R R^T (n x n): the projector on the null space of A; y = x - Q x */
void law_lcp_null(int n, int rank, const double *R, double *Q);
void law_lcp_take_out(int n, const double *Q, const double *x, double *y);

/* The shortest z >= 0 with R^T of it as of `z`, by Newton (R: n x rank, orthonormal columns); 0
 * when it was not found. */
int law_lcp_least(int n, int rank, const double *R, const double *z, core_scratch *s,
                  double *least);

#endif
