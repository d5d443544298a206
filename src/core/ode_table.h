/* Coefficients of Dormand-Prince 8(5,3), as sparse rows; the tests check their order conditions. */
#ifndef CORE_ODE_TABLE_H
#define CORE_ODE_TABLE_H

/* sum over j < n of a[j] k[at[j]] */
typedef struct core_ode_row {
  int n;
  int at[12];
  double a[12];
} core_ode_row;

extern const double core_ode_c[16];               /* nodes */
extern const core_ode_row core_ode_a[16];         /* stages; row 12 is the step itself */
extern const core_ode_row core_ode_error5;        /* step minus a method of order 5 */
extern const core_ode_row core_ode_error3;        /* weights of a method of order 3 */
extern const core_ode_row core_ode_dense_rows[4]; /* the four highest rows of the dense output */

#endif
