/* What the files of the mode solver share; nobody else includes it. */
#ifndef IMPACT_MODES_PART_H
#define IMPACT_MODES_PART_H

#include "impact/modes.h"

/* one contact: what does not change, and how Alart and Curnier's projections see it at some p, u */
typedef struct modes_contact {
  int t, n;            /* first row, normal row */
  double mu, low;      /* friction, least normal impulse [N s] */
  double rho_n, rho_t; /* 1/W_nn and 1/(largest eigenvalue of W_tt); 0 where those are [kg] */
  int pressed, slips;  /* a_n > low; |a_t| > R */
  double an, at[2];    /* a = p - rho u [N s] */
  double R, length;    /* mu max(low, a_n), |a_t| [N s] */
  double d[2];         /* a_t/|a_t| where it slips */
} modes_contact;

/* a problem under way; arrays from the scratch */
typedef struct modes_work {
  const impact_modes *m;
  core_scratch *s;
  modes_contact *contact; /* nc */
  double *p, *u;          /* rows: the answer so far */
  double *F;              /* rows: what is left of the equations [N s] */
  double *T, *A, *x;      /* rows x rows, rows x rows, rows: Newton's reduced system */
  double *q, *v;          /* rows: another p and u, for line searches */
  int *pivot;             /* rows */
  double residual;        /* at p, u */
  double size_b;          /* largest rho |b| [N s] */
  int tiny_pivot;         /* the last system was singular to rounding */
} modes_work;

/* u = W p + b */
void modes_velocity(const impact_modes *m, const double *p, double *u);

/* mu, low, rho of all contacts */
void modes_describe(const impact_modes *m, modes_contact *contact);

/* largest rho |b| of all contacts: what p is measured by [N s] */
double modes_push(const modes_work *w);

/* modes at p, u, F there, and w->residual */
void modes_look(modes_work *w, const double *p, const double *u);

/* A = L U with row pivots, in place; returns the least |pivot| */
double modes_lu(int n, double *A, int *pivot);
void modes_lu_solve(int n, const double *A, const int *pivot, double *x);

/* one or two contacts in the plane, quickly; 0 when it did not end at a solution */
int modes_pair(const impact_modes *m, double *p, double *u);

/* Newton from w->p; stops where the residual is rounding or the steps are used up */
core_status modes_newton(modes_work *w, int steps);

/* the proximal point method from w->p; after each link `finish` steps of Newton are tried */
core_status modes_proximal(modes_work *w, int finish);

/* proj(p - rho u) of one contact, its rows */
void modes_project(modes_contact *k, const double *p, const double *u, double *to);

/* rounds over the contacts from w->p on, until the residual is `enough` */
core_status modes_rounds(modes_work *w, int rounds, double enough);

/* p of the problem whose cones have `facets` sides, by Lemke's method: exact in the plane with 2.
 * CORE_NO_SOLUTION: it ended on a ray. */
core_status modes_lemke(modes_work *w, int facets);

#endif
