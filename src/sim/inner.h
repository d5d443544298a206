/* What the files of sim share, and nobody else sees. */
#ifndef SIM_INNER_H
#define SIM_INNER_H

#include <math.h>

#include "core/event.h"
#include "core/ode.h"
#include "impact/assemble.h"
#include "sim/sim.h"
#include "sim/tolerance.h"

/* closed contacts and what they do */
typedef struct sim_closed {
  int n;
  int *ids;     /* n: contact indices, ascending */
  int *mode;    /* n: stick, slip or creep (open while deciding) */
  double *slip; /* 2 n: unit direction of sliding; the first number alone for planar contacts */
} sim_closed;

/* Contact space of some contacts at one state:  a = a_free + W f */
typedef struct sim_space {
  impact_setup setup; /* J, Y, W, v */
  double *a_free;     /* rows: acceleration of the points without contact forces [m/s^2] */
} sim_space;

/* what a watched function is */
typedef struct sim_item {
  enum { ITEM_GAP, ITEM_FORCE, ITEM_CONE, ITEM_SLIDE, ITEM_CREEP, ITEM_USER } kind;
  int at; /* contact index for ITEM_GAP; place in `closed`; index of the user's function */
} sim_item;

enum { SIM_ZENO_MAX = 8 }; /* flights that the Zeno test looks back */

typedef struct sim_flow {
  const model *m;
  const law *l;
  const sim_options *o;
  core_scratch *s;
  core_error *err;
  sim_run *run;
  int nq, nu, nc, dim, n; /* n = nq + nu + 2: q, u, work, sliding loss */
  int direction;          /* +1 forwards, -1 backwards in time */
  double *mu;             /* nc: friction while sliding; less while a point lands */
  const double *hold;     /* nc: friction that holds a stick, at least mu */
  sim_scale scale;        /* what is large and what is small */
  double touch;           /* gaps up to this touch [m] */

  core_ode ode;
  core_event events;
  sim_item *items;
  int n_items;
  double *user_level; /* n_watches: a function that fired arms again beyond this */
  int *user_jumped;   /* n_watches: it fired by a jump */

  sim_closed closed; /* room for nc */
  sim_closed trial;  /* for deciding */
  double *creep;     /* 2 nc: directions of creeping contacts at the last state */
  int phase;         /* index of `closed` in the run */

  double *y;       /* n: state at the last event */
  double *gap;     /* nc */
  double *contact; /* nc * dim: forces of the closed contacts in the order of `closed` */
  double *full;    /* nc * dim: work */
  double *h;       /* nu: extra force */
  int watching;    /* events are looked for: states beyond a stop are asked about too */
  double stopped;  /* sliding in space is over below this, at the last state watched [m/s] */
  double slow;     /* ... which is well below the speeds that the phase began with [m/s] */
  double noise;    /* rounding of contact velocities in this phase [m/s] */
  double *udot;    /* nu */
  double *u_after; /* nu */

  double lost, reset;           /* so far [J] */
  double flights[SIM_ZENO_MAX]; /* last times between impacts, newest first [s] */
  int n_flights;                /* */
  int *bouncing;                /* nc: took part in one of these impacts */
  double t_impact;              /* last impact [s] */
  double landed_at;             /* points that land lie still from here on [s]; NaN: none do */
  int zeno;                     /* ... and a series of bounces ends there */
  double hop;                   /* length of the next flight as far as one can tell [s] */
  int *announced;               /* nc: mode that the last event told of */
  double *heading;              /* nc: first number of its direction of sliding then */
  double loose_slip[2];         /* direction in which a contact breaks loose */
  int pinned;                   /* contact that stays whatever it does; -1: none */
  int halted;       /* contact whose sliding is over, though not quite still; -1: none */
  double theta;     /* place of the last event in its step */
  int at_event;     /* y holds the state, not ode.y */
  double t_pace;    /* pace of the steps is measured from here [s] */
  long tries_pace;  /* ... and after so many tries */
  int slow_paces;   /* times in a row that it was hopeless */
  int stalled;      /* events without progress in time */
  double t_stalled; /* */
} sim_flow;

static inline double *sim_q(const sim_flow *f, double *y) {
  (void)f;
  return y;
}
static inline double *sim_u(const sim_flow *f, double *y) {
  return y + f->nq;
}

/* scale.c */
core_status sim_set_scale(sim_flow *f); /* from m->q, m->u; f->gap holds the gaps there */
void sim_set_tolerances(sim_flow *f, double *atol);  /* n: absolute ones of the integrator */
double sim_size(const sim_flow *f, const double *q); /* what rounding of gaps refers to [m] */

/* flow.c: right-hand side, and the acceleration without contact forces */
core_status sim_rhs(void *flow, double t, const double *y, double *dy);
core_status sim_free_acceleration(sim_flow *f, double t, const double *q, const double *u,
                                  double *udot, double *power);

/* contact.c */
core_status sim_space_at(sim_flow *f, const double *q, const double *u, const double *udot, int n,
                         const int *ids, sim_space *space);
/* Forces (or impulses) x, rows numbers, that take the given right-hand side away in the modes:
 * stick: all rows of (b + W x) vanish; slip: the normal row does and x_t = -mu x_n s; open: x = 0.
 * CORE_NO_SOLUTION when sliding contacts cannot be held (Painleve). */
core_status sim_balance(sim_flow *f, const sim_space *space, const sim_closed *c, const double *b,
                        double *x);
core_status sim_contact_forces(sim_flow *f, double t, const double *q, const double *u,
                               const double *udot, const sim_closed *c, sim_space *space,
                               double *force);
core_status sim_slip_direction(const sim_flow *f, const sim_closed *c, int i, const double *v,
                               double *s);

/* creep.c: directions of the creeping contacts of c at this state, in c->slip */
core_status sim_creep(sim_flow *f, double t, const double *q, const double *u, const double *udot,
                      const sim_space *space, sim_closed *c);

/* decide.c: which of the contacts stay closed, and how; f->closed gets the answer */
core_status sim_decide(sim_flow *f, double t, const double *q, const double *u, int n,
                       const int *ids, int *was);

/* project.c: positions and speeds back onto the closed contacts */
core_status sim_project(sim_flow *f, double *y);

/* watch.c */
core_status sim_watch_phase(sim_flow *f, double t, const double *y);
/* the functions of the user arm beyond what rounding of the state makes of them here */
core_status sim_watch_rounding(sim_flow *f, double t, const double *y);
/* contact velocity and forces of the closed contacts at a state, in scratch */
core_status sim_forces_at(sim_flow *f, double t, const double *y, const double **v, double **force);
core_status sim_watch_values(void *flow, double t, const double *y, double *g);

/* settle.c: what goes on from y after an event. `released` (or -1) just lost its force, `loose` (or
 * -1) just broke loose in the direction that f->loose_slip holds. */
core_status sim_settle(sim_flow *f, double t, double *y, int released, int loose);
void sim_landed(sim_flow *f); /* the time of landing is over: friction as it is */
core_status sim_announce(sim_flow *f, double t, const double *y);

/* strike.c: one impact (or several, until nothing approaches) at y */
core_status sim_strike(sim_flow *f, double t, double *y);
/* closed contacts that cannot slide but move along the surface are stopped, by an impact */
core_status sim_grip(sim_flow *f, double t, double *y);

/* zeno.c */
void sim_zeno_impact(sim_flow *f, double t);
void sim_zeno_forget(sim_flow *f);
/* flights shorter than this are the end of a series, where a pulls back [s] */
double sim_zeno_time(const sim_flow *f, double a);
/* time that the rest of the series takes, or NaN when this is no series or its next flight is not
 * shorter than `shortest` */
double sim_zeno_rest(const sim_flow *f, double shortest);

/* store.c */
core_status sim_store_event(sim_flow *f, sim_event_kind kind, double t, const double *y,
                            const double *u_after, sim_event **event);
core_status sim_store_step(sim_flow *f, const core_ode *o);
core_status sim_store_phase(sim_flow *f);
core_status sim_store_ints(sim_run *r, int n, const int *x, size_t *at);
core_status sim_store_numbers(sim_run *r, int n, const double *x, size_t *at);

/* energy of a state [J] */
core_status sim_energy(const model *m, const double *q, const double *u, core_scratch *s,
                       double *kinetic, double *potential);

core_status sim_hybrid(sim_flow *f);

#endif
