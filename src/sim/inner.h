/* A simulation under way: what the files of sim share, and nobody else sees. */
#ifndef SIM_INNER_H
#define SIM_INNER_H

#include <math.h>

#include "core/event.h"
#include "core/ode.h"
#include "core/ode_implicit.h"
#include "sim/motion.h"

/* ---- watch.c: functions that are watched in a phase ---- */

typedef struct sim_item {
  enum {
    ITEM_GAP,
    ITEM_FORCE,
    ITEM_CONE,
    ITEM_SLIDE,
    ITEM_CREEP,
    ITEM_HOLD, /* all that are held together */
    ITEM_USER
  } kind;
  int at; /* contact index for ITEM_GAP; place in `closed`; index of the user's function */
} sim_item;

typedef struct sim_watched {
  core_event events;
  sim_item *items;
  int n_items;
  double *user_level; /* n_watches: a function that fired arms again beyond this */
  int *user_jumped;   /* n_watches: it fired by a jump */
  double slow;        /* well below the speeds of sliding that the phase began with [m/s] */
} sim_watched;

/* ---- landing.c, tell.c and zeno.c: bounces that end, points that come down ---- */

enum { SIM_ZENO_MAX = 8 }; /* flights that the Zeno test looks back */

/* bounces of one contact */
typedef struct sim_series {
  double flights[SIM_ZENO_MAX]; /* last times between its impacts, newest first [s] */
  double t;                     /* its last impact [s]; NaN: none yet */
  int n;                        /* flights that there are */
} sim_series;

typedef struct sim_landing {
  sim_series *series; /* nc */
  double *over_at;    /* nc: it lands, and lies still from here on [s]; NaN: it does not land */
  int *ends_series;   /* nc: ... and its series of bounces ends there */
  double next;        /* the first of over_at [s]; NaN: none lands */
} sim_landing;

/* what the last events told of the contacts */
typedef struct sim_told {
  int *mode;         /* nc: sim_mode */
  double *direction; /* nc: first number of its direction of sliding */
} sim_told;

/* ---- pace.c: is there progress? ---- */

typedef struct sim_pace {
  double t;         /* pace of the steps is measured from here [s] */
  long tries;       /* ... and after so many tries */
  int slow;         /* times in a row that it was hopeless */
  int stalled;      /* events at one time */
  double t_stalled; /* that time [s] */
} sim_pace;

/* ---- stiff.c: explicit or implicit steps ---- */

typedef struct sim_stiff {
  core_implicit method;
  int ready;            /* it has its memory */
  void *tree;           /* memory of the model's own way to solve; NULL: full matrices */
  long until;           /* steps at which the window ends */
  double t;             /* where it began [s], */
  double cost;          /* work until there, in evaluations, */
  long hurried;         /* and steps that stability kept short */
  double explicit_rate; /* time per evaluation of explicit steps, the last time [s] */
  int warm;             /* implicit steps have found their size */
  int wait, patience;   /* windows until the next trial, and after the next failure */
} sim_stiff;

/* ---- coast.c: free flight in closed form ---- */

typedef struct sim_coast {
  int ready; /* the model has it, and nothing else acts */
  double *J; /* nc x nu, row by row: normal rows */
  double *a; /* nc: normal accelerations [m/s^2] */
} sim_coast;

typedef struct sim_flow {
  sim_motion motion;
  const law *l;
  sim_run *run;
  core_ode ode;
  sim_watched watched;
  sim_landing landing;
  sim_told told;
  sim_pace pace;
  sim_coast coast;
  sim_stiff stiff;
  int coasting;       /* this phase is free flight in closed form */
  int phase;          /* index of the closed contacts in the run */
  double *y;          /* n: state at the last event */
  int at_event;       /* that is where the flow stands, not ode.y */
  double *u_after;    /* nu: work */
  double lost, reset; /* so far [J] */
} sim_flow;

/* What an event says about contacts, for the choice of what goes on. Indices, -1: none. */
typedef struct sim_cause {
  int released;      /* lost its force: leaves */
  int loose;         /* broke loose in the direction `slip` */
  int stopped;       /* its sliding is over, though it is not quite still */
  int forced_closed; /* stays, whatever it does */
  int held;          /* others may hold `loose`: it is at the limit of its friction, no more */
  double slip[2];
} sim_cause;

static inline sim_cause sim_no_cause(void) {
  return (sim_cause){-1, -1, -1, -1, 0, {0, 0}};
}

/* ---- watch.c ---- */
core_status sim_watch_phase(sim_flow *f, double t, const double *y);
/* the functions of the user arm beyond what rounding of the state makes of them here */
core_status sim_watch_rounding(sim_flow *f, double t, const double *y);
int sim_watch_most(void *flow, const core_ode *o, double *most);
core_status sim_watch_values(void *flow, double t, const double *y, double *g);
/* contact velocity and forces of the closed contacts at a state, in scratch */
core_status sim_forces_at(sim_motion *f, double t, const double *y, sim_space *space,
                          double **force);

/* ---- landing.c: what goes on from y after an event; *hop is the time that the shortest flight of
 * those that leave takes as far as one can tell, or infinity [s] ---- */
core_status sim_after_event(sim_flow *f, double t, double *y, const sim_cause *cause, double *hop);
/* onto the surface, speeds too, with friction mu (nc) or none (NULL); what that costs is booked */
core_status sim_put_on(sim_flow *f, const sim_closed *c, const double *mu, double *y);

/* ---- strike.c: one impact (or several, until nothing approaches) at y ---- */
core_status sim_strike(sim_flow *f, double t, double *y);
/* gaps as the run sees them, where a problem is given to the law */
void sim_law_sees(const sim_flow *f, impact_setup *setup);
/* the law at a problem; r->p and r->v in scratch, f->u_after set. *kept is the impact as it was
 * solved where it cannot be solved again from the state, or `always`; else NULL */
core_status sim_law_acts(sim_flow *f, double t, const double *y, const impact_setup *setup,
                         int always, impact_result *r, sim_kept **kept);
/* keeps the impact as an event and in the ledger; y gets the speeds after it */
core_status sim_record_impact(sim_flow *f, sim_event_kind kind, double t, double *y,
                              const impact_setup *setup, const impact_result *r, sim_kept *kept);
/* closed contacts that cannot slide but move along the surface are stopped, by an impact */
core_status sim_grip(sim_flow *f, double t, double *y);

/* ---- paradox.c: no contact force satisfies the laws at y for the contacts of c, and f->motion.err
 * says so: an impact without collision, or CORE_NO_SOLUTION when the law cannot make one. Where
 * contacts were landing they have landed, no more: what goes on is to be chosen again. ---- */
core_status sim_without_collision(sim_flow *f, double t, double *y, const sim_closed *c);

/* ---- tell.c ---- */
/* landing of a contact is over; no series of bounces is told to end */
void sim_landed(sim_flow *f, int contact);
/* ... of those that landed by t, told where a series ends */
core_status sim_land_until(sim_flow *f, double t);
core_status sim_cut_landing(sim_flow *f, double t, int contact); /* ... of one, before its time */
/* tells what changed; of points that end a series of bounces only when they have landed */
core_status sim_announce(sim_flow *f, double t, const double *y);

/* ---- zeno.c ---- */
void sim_zeno_impact(sim_flow *f, int contact, double t);
void sim_zeno_forget(sim_flow *f, int contact);
/* flights shorter than this are the end of a series, where a pulls back [s] */
double sim_zeno_time(const sim_flow *f, double a);
/* time from t on that the rest of a contact's series takes, or NaN when this is no series or its
 * flights are too long. At t a hop begins, by the acceleration a there; gaps are rounded by
 * `rounding` */
double sim_zeno_rest(const sim_flow *f, int contact, double t, double hop, double a,
                     double rounding);

/* ---- coast.c ---- */
core_status sim_coast_init(sim_flow *f);
int sim_may_coast(const sim_flow *f); /* from f->y, with the contacts chosen */
/* speed only (1,700 of 5,600 instructions of a bounce): 1 when all that touches at y leaves, and so
 * far that no series of bounces ends there; 0: not known */
int sim_coast_leaves(sim_flow *f, const double *y);
/* Flies to the next impact or to the end. *hits: 1 an impact, 0 the end, -1 not for closed forms:
 * nothing was done, integrate. */
core_status sim_coast_step(sim_flow *f, int *hits);

/* ---- store.c ---- */
core_status sim_store_flight(sim_flow *f, const core_ode *o); /* from o->y_old at o->t_old */
void sim_kept_free(sim_kept *kept);
core_status sim_store_event(sim_flow *f, sim_event_kind kind, double t, const double *y,
                            const double *u_after, sim_event **event);
double sim_most_kept(void); /* by default [B] */
core_status sim_store_step(sim_flow *f, const core_ode *o);
core_status sim_store_phase(sim_flow *f);
core_status sim_store_ints(sim_run *r, int n, const int *x, size_t *at);
core_status sim_store_numbers(sim_run *r, int n, const double *x, size_t *at);

/* ---- stiff.c ---- */
core_status sim_stiff_begin(sim_flow *f);
void sim_stiff_room(sim_flow *f);         /* before every step: memory for what is closed now */
core_status sim_stiff_check(sim_flow *f); /* after every step: which ones from here on */
void sim_stiff_off(sim_flow *f);          /* implicit ones got stuck: explicit ones, for a while */

/* ---- pace.c ---- */
core_status sim_check_progress(sim_flow *f, double t); /* an event at t */
core_status sim_check_pace(sim_flow *f);               /* after every step */
/* what a step that failed with this status ran into: its status, with a line where that is known */
core_status sim_explain_failure(sim_flow *f, core_status failed);

core_status sim_hybrid(sim_flow *f);

#endif
