/* Modes of touching contacts on trial: are they consistent, what does the mode problem say; for
 * decide.c, which tells the story. */
#ifndef SIM_TRIAL_H
#define SIM_TRIAL_H

#include "sim/support.h"

enum { TRIAL_RESTS, TRIAL_SLIDES, TRIAL_LOOSE };

typedef struct sim_trial {
  sim_motion *f;
  const sim_space *space;
  sim_closed *c;     /* modes on trial */
  const int *moving; /* n: its direction is given: TRIAL_SLIDES, or TRIAL_LOOSE: no speed yet */
  double *force;     /* rows */
  double *a;         /* rows: acceleration with the forces */
  double tol;   /* accelerations below this are rounding [m/s^2]; of a stop in rad, see below */
  int held;     /* contacts are held together: forces of others are within their limits */
  double slack; /* ... of one that breaks loose: as tol, or what held contacts may move by */
} sim_trial;

/* ---- trial.c ---- */

int sim_trial_normal(const sim_trial *t, int i);       /* row of contact i */
int sim_trial_tangents(const sim_trial *t, int i);     /* 0, 1 or 2 */
double sim_trial_tolerance(const sim_trial *t, int i); /* tol in the unit of contact i */
/* what slides slides on, what rests sticks */
sim_mode sim_trial_natural(const sim_trial *t, int i);
core_status sim_trial_balance(sim_trial *t); /* force and a */
int sim_trial_worst(const sim_trial *t); /* the contact that is furthest from consistency, or -1 */
int sim_trial_consistent(sim_trial *t);  /* 1 when nobody violates anything */

/* its answer, with friction that holds at first, a part `less` of it missing; CORE_OK: modes of
 * t->c are those of a solution */
core_status sim_trial_solve(sim_trial *t, double less, sim_support *z);
void sim_trial_read(sim_trial *t, const sim_support *z); /* modes and directions of an answer */
/* contacts without a force in the answer may leave, though they hardly do: 1 when that is
 * consistent */
int sim_trial_leave_unloaded(sim_trial *t, const sim_support *z);
/* 1 when a contact that held slides, and has less friction from now on */
int sim_trial_loosen(const sim_trial *t, sim_support *z);

/* ---- depend.c: contacts that depend on each other ---- */

/* The solver found that contacts stand, though the forces of contact.c are outside of their limits:
 * others are within (support.c). Those with a force are held together, the others are left. */
int sim_trial_hold_together(sim_trial *t, const sim_support *z);
/* modes that go with the forces that such contacts have: which of them sticks may hang on how the
 * load is shared. 1 when they are consistent. */
int sim_trial_by_shares(sim_trial *t, sim_support *z);
/* modes of the solver whose forces are not the only ones: 1 when there are some that are within all
 * limits */
int sim_trial_dependent(sim_trial *t, sim_support *z);

#endif
