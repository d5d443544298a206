/* Linear algebra over LAPACKE: the only door to it. Everything is column-major and dense.
 *
 * Workspace comes from the scratch; nothing here calls malloc. Matrices passed as `const` are
 * left alone, others are overwritten as each comment says. n = 0 is legal everywhere. A NaN or
 * infinity in the input gives CORE_NOT_FINITE. tiny.h has the unrolled paths for n <= 3.
 */
#ifndef CORE_LIN_H
#define CORE_LIN_H

#include "core/scratch.h"
#include "core/status.h"

/* "LAPACK 3.11.0 (reference, static)" or what it was built with */
const char *core_lin_backend(void);

/* C = alpha op(A) op(B) + beta C; op is 'N' or 'T'; C is m x n, inner size k;
 * C must not overlap A or B */
void core_lin_multiply(char op_a, char op_b, int m, int n, int k, double alpha, const double *A,
                       int lda, const double *B, int ldb, double beta, double *C, int ldc);

/* X = A^-1 B: A is n x n (overwritten by its factors), B is n x nrhs (overwritten by X).
 * rcond, unless NULL, gets the reciprocal 1-norm condition of R A C, where R and C are diagonal and
 * make the largest entries of all rows and columns about 1: it does not depend on the units of rows
 * and columns. CORE_SINGULAR when a pivot is 0 or rcond < machine epsilon; B is then left alone,
 * and rcond tells how bad it is. */
core_status core_lin_solve(int n, double *A, int nrhs, double *B, core_scratch *s, double *rcond);

/* the same for symmetric positive definite A (Cholesky; lower triangle is read; R A R has a
 * diagonal of about 1); CORE_SINGULAR when A is not positive definite. rcond = NULL is cheaper. */
core_status core_lin_solve_spd(int n, double *A, int nrhs, double *B, core_scratch *s,
                               double *rcond);

/* the same for symmetric indefinite A (Bunch-Kaufman; lower triangle is read): block matrices
 * [M A^T; A 0] */
core_status core_lin_solve_symmetric(int n, double *A, int nrhs, double *B, core_scratch *s,
                                     double *rcond);

/* X = argmin |A X - B| of smallest norm: A is m x n, B is m x nrhs, X is n x nrhs (leading dim n).
 * Singular values below tol * largest count as zero (tol < 0: max(m, n) * epsilon). */
core_status core_lin_least_squares(int m, int n, const double *A, int nrhs, const double *B,
                                   double tol, core_scratch *s, double *X, int *rank);

/* A = U diag(S) V^T: U is m x m, V^T is n x n (each may be NULL), S has min(m, n), descending */
core_status core_lin_svd(int m, int n, const double *A, core_scratch *s, double *S, double *U,
                         double *Vt);

/* symmetric A = V diag(w) V^T, w ascending, V n x n (may be NULL); lower triangle is read */
core_status core_lin_eig_symmetric(int n, const double *A, core_scratch *s, double *w, double *V);

/* the same by Jacobi's rotations, for few rows: of a positive definite A = D H D with any diagonal
 * D and a well-conditioned H every eigenvalue is exact to rounding of itself, not of the largest */
core_status core_lin_eig_graded(int n, const double *A, core_scratch *s, double *w, double *V);

/* A V = B V diag(w), A symmetric, B symmetric positive definite, V^T B V = I, w ascending */
core_status core_lin_eig_generalised(int n, const double *A, const double *B, core_scratch *s,
                                     double *w, double *V);

/* any real A: w_re + i w_im, right vectors as LAPACK packs them (V may be NULL) */
core_status core_lin_eig(int n, const double *A, core_scratch *s, double *w_re, double *w_im,
                         double *V);

core_status core_lin_inverse(int n, double *A, core_scratch *s, double *rcond); /* in place */
core_status core_lin_det(int n, const double *A, core_scratch *s, double *det); /* det of 0x0: 1 */

/* '1', 'i' (infinity), 'f' (Frobenius), 'm' (largest entry), '2' (largest singular value) */
core_status core_lin_norm(char which, int m, int n, const double *A, core_scratch *s, double *norm);

core_status core_lin_rank(int m, int n, const double *A, double tol, core_scratch *s, int *rank);

/* largest / smallest singular value; infinite when that is 0, and 0 for an empty matrix */
core_status core_lin_condition(int m, int n, const double *A, core_scratch *s, double *cond);

/* A = U^T U, U in place of the upper triangle of A, which alone is read; ld: distance of columns.
 * CORE_SINGULAR when A is not positive definite. */
core_status core_lin_cholesky(int n, double *A, int ld);

/* the same where column j of A, and so of U, is zero above row from[j]: where that is much, zeros
 * are not worked on */
core_status core_lin_cholesky_below(int n, double *A, int ld, const int *from);

/* P A = L U of a complex A (n x n, real and imaginary parts side by side), in place; pivots has n.
 * Then b becomes A^-1 b. CORE_SINGULAR when a pivot is 0. */
core_status core_lin_factor_complex(int n, double *A, int *pivots);
void core_lin_solve_complex(int n, const double *factors, const int *pivots, double *b);

int core_lin_finite(size_t n, const double *x); /* 1 when all are finite */

#endif
