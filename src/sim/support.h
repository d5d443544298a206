/* Contacts as a problem of contact modes, and how they share a load: for trial.c and depend.c. */
#ifndef SIM_SUPPORT_H
#define SIM_SUPPORT_H

#include "impact/modes.h"
#include "sim/motion.h"

typedef struct sim_support {
  impact_modes m;
  int *first;                 /* n + 1: its rows, contact by contact */
  int *row;                   /* its rows -> those of the space */
  double *W, *b, *mu, *p, *u; /* of m; scratch memory */
} sim_support;

/* the problem of the contacts of c (those of the space): line[i] says which have one unknown, along
 * n - mu s; the others hold with f->hold. b: rows of the space. */
core_status sim_support_make(const sim_motion *f, const sim_space *space, const sim_closed *c,
                             const int *line, const double *mu, const double *b, sim_support *z);

/* z->p near the share of contacts that give a little, which begins at z->p, and from there to the
 * solution beside it, with z->u */
core_status sim_support_share(const sim_motion *f, sim_support *z);

/* contacts of f->closed that are held together: what accelerations they may have and still stand,
 * less those that they would have [m/s^2]; below 0 they do not stand any more */
core_status sim_support_hold(sim_motion *f, const sim_space *space, double *margin);

/* their forces, within all cones, shared by what each has to give; rows of f->closed [N] */
core_status sim_support_forces(sim_motion *f, const sim_space *space, double *force);

/* How many different motions of the contacts of c the laws allow, line[i] as above: in the plane,
 * up to 4 contacts; else -1. */
core_status sim_support_count(sim_motion *f, const sim_space *space, const sim_closed *c,
                              const int *line, int *count);

/* how many different motions of the contacts of f->closed the laws allow in this state: in the
 * plane, up to 4 contacts; else -1 */
core_status sim_support_solutions(sim_motion *f, const sim_space *space, int *count);

#endif
