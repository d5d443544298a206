/* The linear system of the forces at closed contacts: see contact.c. */
#ifndef SIM_BALANCE_H
#define SIM_BALANCE_H

#include "sim/motion.h"

/* one unknown: which row it balances, and the force it stands for (`rows` numbers from row `first`,
 * those of the contact at place `at`) */
typedef struct sim_unknown {
  int row, first, rows, at;
  double force[3];
} sim_unknown;

/* K z = b (k x k), b becomes z. Sets f->redundant. */
core_status sim_balance_solve(sim_motion *f, const sim_closed *c, int k, const sim_unknown *x,
                              const double *K, double *b);

#endif
