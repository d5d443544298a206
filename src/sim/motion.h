/* Motion with given contacts closed: the equations, complete in themselves. The simulation moves by
 * them, and whoever reads a run afterwards asks them for forces. */
#ifndef SIM_MOTION_H
#define SIM_MOTION_H

#include <math.h>

#include "impact/assemble.h"
#include "sim/sim.h"
#include "sim/tolerance.h"

/* closed contacts and what they do */
typedef struct sim_closed {
  int n;
  int *ids;     /* n: contact indices, ascending */
  int *mode;    /* n: stick, slip, creep or held (open while deciding) */
  double *slip; /* 2 n: unit direction of sliding; the first number alone for planar contacts */
  double *held; /* 3 n: forces of those that are held, where the search for others begins [N] */
} sim_closed;

typedef struct sim_motion {
  const model *m;
  const sim_options *o;
  core_scratch *s;
  core_error *err;
  int nq, nu, nc, dim, n; /* n = nq + nu + 2: q, u, work, sliding loss; dim: most rows */
  int direction;          /* +1 forwards, -1 backwards in time */
  sim_scale scale;        /* what is large and what is small */
  double touch;           /* gaps up to this touch [m] */
  double *mu;             /* nc: friction while sliding */
  const double *hold;     /* nc: friction that holds a stick, at least mu */
  sim_closed closed;      /* room for nc */
  sim_closed trial;       /* the same, for deciding */
  double v_rounding;      /* of contact velocities in this phase [m/s] */
  int answers;            /* motions that the last decision could choose from; -1: not known */
  int redundant; /* the last forces were not the only ones: contacts depend on each other */
  /* work */
  double *creep;    /* 2 nc: directions of creeping contacts at the last state */
  double *gap;      /* nc [m] */
  double *force;    /* rows of the closed contacts in the order of `closed` [N] */
  double *all_rows; /* rows of all contacts */
  double *extra;    /* nu: extra force */
  double *udot;     /* nu */
} sim_motion;

/* the closed contacts of a phase of a run */
static inline sim_closed sim_closed_in(const sim_run *r, int phase) {
  const sim_phase *p = &r->phases[phase];
  int *ids = r->integers + p->ids;
  double *slip = r->numbers + p->slip;
  return (sim_closed){p->n, ids, ids + p->n, slip, slip + 2 * p->n};
}

/* does not move along the surface */
static inline int sim_stands(int mode) {
  return mode == SIM_MODE_STICK || mode == SIM_MODE_HELD;
}

/* times nearer to t than this are t: rounding */
static inline double sim_instant(const sim_motion *f, double t) {
  double at = fabs(t), least = SIM_INSTANT * f->scale.time;
  return SIM_SHORTEST * (at > least ? at : least);
}

/* rows of contact `id` of the model: 1, 2 or 3 */
static inline int sim_rows_of(const sim_motion *f, int id) {
  return model_rows_of(&f->m->shape, id);
}

/* rows of the contacts of c */
static inline int sim_closed_rows(const sim_motion *f, const sim_closed *c) {
  int rows = 0;
  for (int i = 0; i < c->n; i++) rows += sim_rows_of(f, c->ids[i]);
  return rows;
}

/* numbers and whole numbers of work that a motion takes, and their distribution: mu is set by the
 * caller when it lives elsewhere */
size_t sim_motion_numbers(const model_shape *shape);
size_t sim_motion_ints(const model_shape *shape);
void sim_motion_init(sim_motion *f, const sim_run *r, core_scratch *s, core_error *err,
                     double *numbers, int *ints);

/* Contact space of some contacts at one state:  a = a_free + W f */
typedef struct sim_space {
  impact_setup setup; /* J, Y, W, v */
  double *a_free;     /* rows: acceleration of the points without contact forces [m/s^2] */
} sim_space;

/* How forces are balanced: with which friction, and whether states beyond the stop of a sliding
 * point may be asked about. Events look there; the integrator must not go through. */
typedef struct sim_rule {
  const double *mu; /* nc */
  int beyond;
} sim_rule;

/* ---- scale.c ---- */
core_status sim_set_scale(sim_motion *f); /* from m->q, m->u; f->gap holds the gaps there */
core_status sim_set_tolerances(sim_motion *f, double *atol); /* n: absolute ones */
/* what counts as touching, and what is fast, in the unit of contact c */
static inline double sim_touch(const sim_motion *f, int c) {
  return f->touch * f->scale.per[c];
}
static inline double sim_speed(const sim_motion *f, int c) {
  return f->scale.speed * f->scale.per[c];
}

double sim_size(const sim_motion *f, const double *q); /* what rounding of gaps refers to [m] */

/* ---- flow.c: right-hand side, and the acceleration without contact forces ---- */
core_status sim_rhs(void *motion, double t, const double *y, double *dy);
core_status sim_free_acceleration(sim_motion *f, double t, const double *q, const double *u,
                                  double *udot, double *power);
core_status sim_energy(const model *m, const double *q, const double *u, core_scratch *s,
                       double *kinetic, double *potential); /* of a state [J] */

/* x of K x = b for a singular K (k x k), b becomes x: smallest.c; S: weights of the unknowns */
core_status sim_solve_smallest(int k, const double *K, const double *S, double *b, core_scratch *s);

/* ---- contact.c ---- */
core_status sim_space_at(sim_motion *f, const double *q, const double *u, const double *udot, int n,
                         const int *ids, sim_space *space);
/* Forces (or impulses) x, rows numbers, that take the given right-hand side away in the modes:
 * stick, held: all rows of (b + W x) vanish; slip: the normal row does and x_t = -mu x_n s; open:
 * x = 0. Contacts may pull. Sets f->redundant.
 * CORE_NO_SOLUTION when sliding contacts cannot be held (Painleve). */
core_status sim_balance(sim_motion *f, const sim_space *space, const sim_closed *c, sim_rule rule,
                        const double *b, double *x);
core_status sim_contact_forces(sim_motion *f, double t, const double *q, const double *u,
                               const double *udot, const sim_closed *c, int beyond,
                               sim_space *space, double *force);

/* ---- creep.c: directions of the creeping contacts of c at this state, in c->slip ---- */
core_status sim_creep(sim_motion *f, double t, const double *q, const double *u, const double *udot,
                      const sim_space *space, sim_rule rule, sim_closed *c);

/* ---- decide.c: which of the contacts stay closed, and how; f->closed gets the answer ---- */
core_status sim_decide(sim_motion *f, double t, const double *q, const double *u, int n,
                       const int *ids, int *was);

/* ---- project.c: positions and speeds back onto the contacts of c ---- */
core_status sim_close(const model *m, core_scratch *s, double *q, double *u); /* onto A u = 0 */
/* mu: friction that goes with the normal impulses where points slide, nc; NULL: none. friction, if
 * not NULL, is what it takes [J] */
core_status sim_project(sim_motion *f, const sim_closed *c, const double *mu, double *y,
                        double *friction);
/* ... positions out of what they are inside of, by less than `touch`; f->gap is that of y.
 * *raised: energy that it takes [J] */
core_status sim_lift(sim_motion *f, int n, const int *ids, double *y, double *raised);

#endif
