/* What the files of law.lzb share; lzb.c has the equations.
 *
 * All numbers here are in units of the problem: velocities of the fastest row before the impact,
 * impulses of what stops it at the contact that is moved most easily, stiffnesses of the stiffest
 * contact; so scales of masses, speeds and stiffness change nothing but the last bits.
 *
 *   forces.c   forces at a state, the right-hand side        settle.c   who sticks, who slides
 *   watch.c    events inside a step                          run.c      from event to event
 *   record.c   what the sink hears
 */
#ifndef IMPACT_LAWS_LZB_STATE_H
#define IMPACT_LAWS_LZB_STATE_H

#include "core/ode.h"
#include "impact/law.h"

typedef struct lzb_params {
  core_list e, stiffness, mu; /* for all or for each contact */
  double exponent;            /* n of F = K d^n */
  int max_events;             /* most events of one impact */
} lzb_params;

/* what a contact does along its normal. OUT: it was open at the start and takes no part. APART:
 * touching at the start, open now; its d is minus the gap. PRESSED: compressed, or touching without
 * load. EXPANDING: it gives back. */
typedef enum lzb_phase { LZB_OUT, LZB_APART, LZB_PRESSED, LZB_EXPANDING } lzb_phase;

/* and along its tangents. NEW: it has just begun to touch. SMOOTH: it has no friction. */
typedef enum lzb_grip { LZB_NEW, LZB_SMOOTH, LZB_STICK, LZB_SLIDE } lzb_grip;

typedef struct lzb_contact {
  int t, n;        /* its first row, and its normal row */
  double mu, e, K; /* [1, 1, stiffness of the stiffest] */
  double length;   /* its deflection when it holds one unit of energy */
  lzb_phase phase;
  lzb_grip grip, before; /* now, and before the last event */
  lzb_grip last;         /* when it carried load last */
  double d[2];           /* direction of slip: at the start of the step, in space */
  double slip;           /* |v_t| at the start of the step */
  double start;          /* v_t.d that its slip started with, if below zero */
  double from;           /* energy that it held when its phase began */
  double absorbed;       /* work taken in, in phases that are over */
  double returned;       /* and given back */
} lzb_contact;

/* what the sink is shown, in SI units */
typedef struct lzb_shown {
  double *p, *v, *x, *force;   /* rows */
  double *absorbed, *returned; /* nc */
  int *mode, *restituting;     /* nc */
} lzb_shown;

typedef struct lzb {
  const impact_problem *pr;
  const lzb_params *q;
  core_scratch *s;
  impact_sink *sink;
  core_error *err;
  int nc, rows;
  lzb_contact *c;      /* nc */
  double *W, *v0;      /* the problem in its units */
  double unit_v;       /* [m/s] */
  double unit_p;       /* [N s] */
  double unit_t;       /* [s] */
  double noise;        /* what rounding makes of a velocity */
  double *y;           /* nc deflections, rows impulses, work of friction, time */
  int is_smooth;       /* d^n is smooth at 0: n is a whole number */
  int rooted;          /* contact whose y is the root of its deflection: see forces.c; -1: none */
  double next_step;    /* time that the next step may take */
  int after_event;     /* the piece begins with an event */
  double *v, *f;       /* rows: at the last state that was asked for */
  double *later;       /* as y: a state a little later, or inside a step */
  double *Z;           /* n_stuck x rows: forces that stick are -Z times the others */
  int *stuck, n_stuck; /* which rows */
  double *held;        /* n_stuck: their forces */
  double *d;           /* 2 nc: directions of slip before an event */
  double *atols;       /* as y: tolerances */
  void *ends;          /* of watch.c */
  int which;           /* function that ends the step, of watch.c */
  core_ode ode;
  double most_energy; /* no springs can hold more than this */
  long events;
  int redundant;
  lzb_shown shown;
} lzb;

static inline int lzb_tangents(const lzb_contact *c) {
  return c->n - c->t;
}

static inline int lzb_touches(const lzb_contact *c) {
  return c->phase >= LZB_PRESSED;
}

/* deflection of contact i at the state y */
static inline double lzb_deflection(const lzb *z, int i, const double *y) {
  return i == z->rooted ? y[i] * fabs(y[i]) : y[i];
}

static inline double lzb_time(const lzb *z, const double *y) {
  return y[z->ode.n - 1];
}

/* ---- forces.c ---- */

/* v = v- + W p into z->v */
void lzb_velocity(lzb *z, const double *y);

/* F_n at a deflection, and the energy held there */
double lzb_spring(const lzb *z, const lzb_contact *c, double deflection);
double lzb_energy(const lzb *z, const lzb_contact *c, double deflection);

/* all velocities and forces at y, into z->v and z->f */
void lzb_forces(lzb *z, const double *y);

/* |v_t| of z->v, |f_t| of z->f */
double lzb_slip(const lzb *z, const lzb_contact *c);
double lzb_pull(const lzb *z, const lzb_contact *c);

/* how far the friction that holds contact c is from its limit, at z->f */
double lzb_margin(const lzb *z, const lzb_contact *c);

core_status lzb_rhs(void *self, double t, const double *y, double *dy);

/* ---- settle.c ---- */

/* who sticks and who slides at z->y */
core_status lzb_settle(lzb *z);

/* ---- watch.c ---- */

/* Where the last step of z->ode ends because something happens: its part of the step, or 1 and
 * *happens = 0. */
core_status lzb_watch(lzb *z, double *part, int *happens);

/* ends the last step there, with the full order of the method */
core_status lzb_cut(lzb *z, double part);

size_t lzb_watch_memory(int nc); /* bytes */

/* ---- run.c ---- */

/* from the state in z->y to the end of the impact */
core_status lzb_run(lzb *z);

/* ---- record.c ---- */

int lzb_record_start(lzb *z); /* memory; 0: it is out */

/* at the state y; z->f is asked for anew */
void lzb_tell(lzb *z, impact_event_kind kind, int contact, const double *y);
void lzb_tell_step(lzb *z); /* samples of the last step */
void lzb_tell_state(lzb *z, const double *y);

/* energy lost in contacts that is neither held nor given back, at y */
double lzb_lost(const lzb *z, const double *y);

#endif
