/* How a run changes with its start: the variational equations between events, and at each event the
 * saltation matrix.
 *
 *   flow    d' = A(t) d,  A = dF/d(q, u) of the phase (flight or contact), along the dense output
 *   event   g(t, y) = 0, reset R, flows F- and F+:
 *           d+ = DR (d + F- s) + R_t s - F+ s,   s = -Dg d / (g_t + Dg F-)
 *
 * A change of state is (dq, du), nq + nu numbers. Matrices are told in 2 nu directions: dq =
 * rates(q) xi, and du. Contact that stays loses directions: gaps and held velocities cannot differ
 * any more; so do standing constraints. A variation is therefore kept as left * right with as few
 * columns in between as the narrowest phase leaves, so that the zeros of its spectrum are exact.
 */
#ifndef SIM_VARY_H
#define SIM_VARY_H

#include "impact/derive.h"
#include "sim/motion.h"
#include "sim/tolerance.h"

/* what is true of a variation, none of it a failure */
enum {
  SIM_VARY_GRAZING = 1, /* an impact that hardly approaches: the derivative is as a square root's */
  SIM_VARY_ORDER = 2,   /* contacts closed together: the derivative hangs on who comes first */
  SIM_VARY_ZENO = 4,    /* bounces were ended by their limit: a projection stands for them */
  SIM_VARY_TIE = 8      /* the law is about to change its sequence of events */
};

typedef struct sim_vary_options {
  int fine;    /* four points in differences of the flow, for models that are noisy themselves */
  int section; /* the run ends at an event of its own: a map onto it, not to a fixed time */
  int on_touching; /* the start lies on all contacts that touch there, open ones too */
  int with_error;  /* estimates how good the differences of the flow are */
} sim_vary_options;

typedef struct sim_variation {
  int nu;
  int rank;           /* directions that are left */
  double *left;       /* 2 nu x rank: end */
  double *right;      /* rank x 2 nu: start */
  double *dt;         /* 2 nu: how the time of the section changes; zeros without one [s] */
  unsigned flags;     /* SIM_VARY_GRAZING ... */
  double t_flag;      /* of the first event with a flag [s] */
  impact_derived how; /* by which routes impacts were derived */
  double flow_error;  /* of the flow's derivatives, of the largest entry; 0 when not asked for */
} sim_variation;

/* The whole run; memory from s. The run must have kept its dense output. */
core_status sim_vary(const sim_run *r, const sim_vary_options *o, core_scratch *s, sim_variation *v,
                     core_error *err);

/* One event (and all that happen with it): its saltation matrix X, 2 nu x 2 nu. */
typedef struct sim_salt {
  double *X;          /* 2 nu x 2 nu; NaN when it grazes */
  double rate;        /* g_t + Dg F-, of the event's function per second */
  double coefficient; /* grazing: |v_n| is this times the square root of the overlap [sqrt(m)/s] */
  unsigned flags;
  int orders;        /* contacts that closed together: matrices, one for each order; 0: one */
  double *by_order;  /* orders matrices */
  int *order;        /* orders x n contacts */
  int n;             /* contacts in an order */
  double difference; /* largest entry of the difference of two orders */
  impact_derived how;
} sim_salt;

core_status sim_salt_at(const sim_run *r, size_t event, const sim_vary_options *o, core_scratch *s,
                        sim_salt *x, core_error *err);

/* Lyapunov exponents of the run, 2 nu, largest first [1/s]; -infinity where contact takes a
 * direction away */
core_status sim_vary_growth(const sim_run *r, const sim_vary_options *o, core_scratch *s,
                            double *exponents, core_error *err);

/* ---- vary_flow.c: inside a phase ---- */

typedef struct sim_vary_work {
  const sim_run *r;
  const sim_vary_options *o;
  sim_motion f; /* its phase is set by sim_vary_enter */
  core_scratch *s;
  core_error *err;
  int n;                  /* nq + nu */
  double pace;            /* in which speeds change [s] */
  double *step;           /* n: how far differences go */
  double *y, *high, *low; /* run.n each */
} sim_vary_work;

core_status sim_vary_begin(const sim_run *r, const sim_vary_options *o, core_scratch *s,
                           core_error *err, sim_vary_work *w);
void sim_vary_enter(sim_vary_work *w, int phase); /* -1: nothing is closed */

/* F at (t, y) in the phase entered, n numbers */
core_status sim_vary_rates(sim_vary_work *w, double t, const double *y, double *F);

/* a function of state whose directional derivatives are wanted: m numbers */
typedef core_status (*sim_vary_f)(sim_vary_work *w, void *self, double t, const double *y,
                                  double *out);
/* d f along (dt, d), d in state directions; out has m numbers, room for 3 m */
core_status sim_vary_along(sim_vary_work *w, sim_vary_f f, void *self, int m, double t,
                           const double *y, double dt, const double *d, double *out);

/* columns d (n x k) through one step of the run */
core_status sim_vary_step(sim_vary_work *w, const sim_step *step, int k, double *d);

/* how good A is in the middle of a step, of its largest entry: by steps of twice the length */
core_status sim_vary_doubt(sim_vary_work *w, const sim_step *step, double *error);

void sim_vary_read(const sim_run *r, const sim_step *step, double t, double *y);

/* ---- vary_space.c: directions ---- */

/* B, n x 2 nu: [rates(q) 0; 0 1], and back by least squares */
core_status sim_vary_basis(sim_vary_work *w, const double *y, double *B);
core_status sim_vary_reduce(sim_vary_work *w, const double *y, int k, const double *d, double *out);

/* columns onto what the model and the phase hold: its standing constraints, gaps and held
 * velocities of its closed contacts, and the gaps of `more` other contacts; *rank is how many
 * directions can be left */
core_status sim_vary_hold(sim_vary_work *w, double t, const double *y, int more, const int *others,
                          int k, double *d, int *rank);

/* ---- vary_stand.c ---- */

/* columns onto the standing constraints of the model; *taken: directions that these take away */
core_status sim_vary_stand(sim_vary_work *w, double t, const double *y, int k, double *d,
                           int *taken);

/* ---- vary_salt.c: one time at which something happens ---- */

typedef struct sim_vary_event {
  size_t first, last; /* events of the run, last is one behind */
  int before, after;  /* phases; after is -1 at the end of the run */
  const double *y;    /* run.n: before */
  const double *next; /* run.n: after */
} sim_vary_event;

/* d+ (n x k, in place) and ds (k: shift of the time of the event); `section`: without F+ */
core_status sim_vary_cross(sim_vary_work *w, const sim_vary_event *e, int section, int k, double *d,
                           double *ds, sim_salt *x);

/* the same for contacts that close together, one after the other in each order: n x k each */
core_status sim_vary_orders(sim_vary_work *w, const sim_vary_event *v, int k, const double *d,
                            sim_salt *x);

#endif
