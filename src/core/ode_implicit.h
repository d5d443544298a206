/* Implicit steps of core_ode, for stiff equations: collocation at Radau's seven nodes.
 *
 * The polynomial P of degree 7 with P(0) = y_old and P'(c_i) = h f(t_old + c_i h, P(c_i)), c_7 = 1,
 * is the solution of a step of any length: what settles fast is damped, however fast it is, and
 * order 13 is left for the rest. P is also the dense output, exactly, with a local error h^8 as
 * that of the explicit method, and its error is judged by how far P'(0) is from h f(t_old, y_old).
 *
 * y = (q, u, rest): q' depends on q and u, linear in u; u' on both; nothing depends on the rest.
 * Jacobians are taken by differences and only steer Newton's method.
 *
 * Method: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.5 and IV.8.
 */
#ifndef CORE_ODE_IMPLICIT_H
#define CORE_ODE_IMPLICIT_H

#include "core/ode.h"
#include "core/scratch.h"

enum { IMPLICIT_NODES = 7, IMPLICIT_PAIRS = 4 }; /* 1 real eigenvalue, 3 conjugate pairs */

/* What the nodes say; rows and columns of D count from node 0, which is c = 0. */
typedef struct core_radau {
  double c[IMPLICIT_NODES + 1];
  double D[IMPLICIT_NODES + 1][IMPLICIT_NODES + 1]; /* P'(c_i) = sum_j D_ij P(c_j) */
  /* D without node 0 is T diag(lambda) T^-1, pairs as real and imaginary columns */
  double T[IMPLICIT_NODES][IMPLICIT_NODES], inverse[IMPLICIT_NODES][IMPLICIT_NODES];
  double lambda[IMPLICIT_PAIRS][2];
  double dense[IMPLICIT_NODES][IMPLICIT_NODES]; /* rows 1 .. 7 of the dense output from P(c_i) */
} core_radau;

/* Who knows the structure of J solves (l - J) w = r in its own way, for all eigenvalues at once. */
typedef struct core_shifted {
  void *self;
  /* J at (t, y), where dy = f. CORE_UNSUPPORTED: not here; full matrices */
  core_status (*look)(void *self, double t, const double *y, const double *dy);
  /* l[k] = re, im */
  core_status (*factor)(void *self, const double (*l)[2]);
  /* (q, u) of r = re + i im become those of w; unused lanes may share a row of zeros */
  void (*solve)(void *self, double *const *re, double *const *im);
} core_shifted;

typedef struct core_implicit {
  int nq, nu;
  core_radau radau;
  core_shifted shifted; /* self = NULL: nobody does */
  int structured;       /* the Jacobian that there is, is its */
  double *Aq, *Au;      /* du'/dq, du'/du: nu x nq, nu x nu, column by column; NULL: no room */
  double *Ru;           /* dq'/du: nq x nu */
  double *G;            /* Aq Ru: nu x nu */
  double *factors;      /* complex: IMPLICIT_PAIRS times nu x nu */
  int *pivots;          /* IMPLICIT_PAIRS times nu */
  double *Z;            /* P(c_i) - y_old, i = 1 .. 7, rows of n */
  double *R;            /* 7 n: residuals, then corrections */
  double *solve;        /* complex: nq + nu */
  double Z_from, Z_h;   /* Z belongs to the step from here, of this length; 0: none */
  int has_J;            /* Jacobians are there, */
  double J_from;        /* taken at this time */
  double factored_h;    /* factors are for this step; 0: none */
  double convergence;   /* of Newton's method, the last time: 0 fast, 1 not at all */
  long factorisations;  /* so far */
} core_implicit;

/* doubles that core_implicit_init needs, and those of full matrices */
size_t core_implicit_memory(int n);
size_t core_implicit_full_memory(int nq, int nu);

/* for an ode of n components of which the first nq + nu are q and u; then o->implicit = m turns
 * implicit steps on, NULL off, between any two steps */
core_status core_implicit_init(core_implicit *m, int nq, int nu, int n, double *memory,
                               core_scratch *s);

/* room for full matrices, which is needed unless m->shifted always does without */
void core_implicit_full(core_implicit *m, double *memory);

core_status core_radau_make(core_radau *r, core_scratch *s);

/* inside ode.c: has Jacobians for a try of length h from (t_old, y_old), or takes them; 0 where f
 * has none, beside the end of its domain. Then the try, and the dense output of the last one. */
int core_implicit_ready(core_ode *o, double h);
core_status core_implicit_try(core_ode *o, double h);
void core_implicit_dense(core_ode *o);

#endif
