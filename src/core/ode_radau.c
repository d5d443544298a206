/* The seven nodes of Radau, and what follows from them. */
#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "core/ode_implicit.h"

enum { S = IMPLICIT_NODES };

/* zeros of P_7 - P_6 (Legendre), carried to [0, 1] */
static const double nodes[S + 1] = {0,
                                    0.02931642715978489197,
                                    0.14807859966848429185,
                                    0.33698469028115429910,
                                    0.55867151877155013208,
                                    0.76923386203005450092,
                                    0.92694567131974111485,
                                    1};

/* D_ij = (w_j / w_i) / (c_i - c_j), w_i = 1 / prod (c_i - c_k); rows sum to 0 */
static void differentiate(core_radau *r) {
  double w[S + 1];
  for (int i = 0; i <= S; i++) {
    w[i] = 1;
    for (int k = 0; k <= S; k++)
      if (k != i) w[i] /= r->c[i] - r->c[k];
  }
  for (int i = 0; i <= S; i++) {
    double sum = 0;
    for (int j = 0; j <= S; j++)
      if (j != i) sum += r->D[i][j] = w[j] / w[i] / (r->c[i] - r->c[j]);
    r->D[i][i] = -sum;
  }
}

/* columns of T and eigenvalues: the real one first, then the pairs as LAPACK packs them */
static void sort_pairs(core_radau *r, const double *re, const double *im, const double *V) {
  int column = 1, pair = 1;
  for (int j = 0; j < S; j++) {
    int real = im[j] == 0, at = real ? 0 : column;
    for (int i = 0; i < S; i++) r->T[i][at] = V[j * S + i];
    column += !real;
    if (im[j] < 0) continue; /* the second of a pair */
    double *lambda = r->lambda[real ? 0 : pair++];
    lambda[0] = re[j], lambda[1] = im[j];
  }
}

/* B becomes A^-1, both by rows */
static core_status invert(double A[S][S], double B[S][S], core_scratch *s) {
  double columns[S * S];
  memcpy(columns, A, sizeof columns); /* of the transpose, whose inverse is that of A transposed */
  core_status status = core_lin_inverse(S, columns, s, NULL);
  memcpy(B, columns, sizeof columns);
  return status;
}

static core_status decouple(core_radau *r, core_scratch *s) {
  double A[S * S], V[S * S], re[S], im[S];
  for (int j = 0; j < S; j++)
    for (int i = 0; i < S; i++) A[j * S + i] = r->D[i + 1][j + 1];
  core_status status = core_lin_eig(S, A, s, re, im, V);
  if (status) return status;
  sort_pairs(r, re, im, V);
  return invert(r->T, r->inverse, s);
}

/* The dense output is d0 + s (d1 + (1 - s) (d2 + s (d3 + ...))), see ode.c: the factors of d1 .. d7
 * at the nodes, inverted. */
static core_status express_dense(core_radau *r, core_scratch *s) {
  double basis[S][S];
  for (int i = 0; i < S; i++) {
    double c = r->c[i + 1], product = 1;
    for (int j = 0; j < S; j++) basis[i][j] = product *= j % 2 ? 1 - c : c;
  }
  return invert(basis, r->dense, s);
}

core_status core_radau_make(core_radau *r, core_scratch *s) {
  memcpy(r->c, nodes, sizeof nodes);
  differentiate(r);
  core_status status = decouple(r, s);
  return status ? status : express_dense(r, s);
}
