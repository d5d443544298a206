/* Hybrid simulation: free flight, impact, sustained contact, release, as often as it comes.
 *
 *   flight    M u' = f(t, q, u) + h, watched: every gap
 *   impact    a gap closes: u+ by any law, time stands still; gaps within `touch` take part
 * together contact   a_n = 0 at the points that stay, f_n >= 0 pushes them, Coulomb's law along the
 * surface; watched: f_n of each (release), stick and slip of each, the gaps of the others
 *
 * Everything comes from model.h and law.h; what happened is kept in a sim_run: the dense output of
 * every step, the events, and a ledger of the energy:
 *
 *   kinetic + potential = start + work of forces outside the potential
 *                         - lost in impacts - lost in sliding - lost at the end of bounces
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include <stddef.h>

#include "impact/law.h"
#include "impact/path.h"
#include "model/model.h"

#define SIM_EVENT_LIST(X)                                                                          \
  X(SIM_IMPACT, "impact", "an impact")                                                             \
  X(SIM_JOLT, "impact without collision", "no force could hold a sliding point (Painleve)")        \
  X(SIM_CONTACT, "contact", "a point stays in contact")                                            \
  X(SIM_RELEASE, "release", "a contact force reached zero and the point leaves")                   \
  X(SIM_STICK, "stick", "sliding ended, the point sticks or rolls")                                \
  X(SIM_SLIP, "slip", "the point starts to slide")                                                 \
  X(SIM_ZENO, "zeno", "a series of ever smaller bounces ended")                                    \
  X(SIM_USER, "user", "a function of the user passed zero")                                        \
  X(SIM_STOP, "stop", "the end of the run")

#define SIM_EVENT_ENUM(name, word, text) name,
typedef enum sim_event_kind { SIM_EVENT_LIST(SIM_EVENT_ENUM) SIM_EVENT_KINDS } sim_event_kind;
#undef SIM_EVENT_ENUM

const char *sim_event_word(sim_event_kind kind);

/* what a point in contact does */
typedef enum sim_mode {
  SIM_MODE_OPEN,
  SIM_MODE_STICK,
  SIM_MODE_SLIP,
  SIM_MODE_CREEP, /* slides in space and has just set out; told as sliding */
  SIM_MODE_HELD   /* stands, with others and by forces that are not the only ones; told as stuck */
} sim_mode;

/* why a run ended */
#define SIM_STOP_LIST(X)                                                                           \
  X(SIM_STOP_TIME, "t_end")                                                                        \
  X(SIM_STOP_IMPACTS, "max_events")                                                                \
  X(SIM_STOP_USER, "user")                                                                         \
  X(SIM_STOP_OBSTACLE, "obstacle")                                                                 \
  X(SIM_STOP_FAILED, "failed")                                                                     \
  X(SIM_STOP_INTERRUPTED, "interrupted")

#define SIM_STOP_ENUM(name, word) name,
typedef enum sim_stop { SIM_STOP_LIST(SIM_STOP_ENUM) } sim_stop;
#undef SIM_STOP_ENUM

const char *sim_stop_word(sim_stop why);

/* A function of the user that is watched. value and reset may fail; their text goes into err. */
typedef struct sim_watch {
  const char *name; /* lives as long as the run */
  void *self;
  core_status (*value)(void *self, double t, const double *q, const double *u, double *g,
                       core_error *err);
  /* may change q and u at the event; NULL: does not */
  core_status (*reset)(void *self, double t, double *q, double *u, core_error *err);
  int direction; /* -1 falling, +1 rising, 0 both */
  int stop;      /* the event ends the run */
} sim_watch;

/* steps of a run */
typedef enum sim_method { SIM_AUTO, SIM_EXPLICIT, SIM_IMPLICIT } sim_method;

typedef struct sim_options {
  double t_start;   /* [s] default 0 */
  double t_end;     /* [s] must be given; before t_start only with `backward` */
  int backward;     /* integrate back in time: free flight only, stops where it meets an obstacle */
  double rtol;      /* relative tolerance of the integrator, default 1e-9 */
  double atol;      /* absolute tolerance; NaN (default): 1e-12 of the scales of the run */
  double h_max;     /* longest step [s]; NaN (default): any */
  int method;       /* sim_method, default SIM_AUTO */
  double touch;     /* gaps up to this take part in an impact [m]; NaN: 1e-9 of the length */
  double rest;      /* lower hops are not made, the point stays [m]; NaN: 1e-14 of the length */
  int zeno;         /* 1: series of bounces are finished by their limit, default 1 */
  double zeno_time; /* ... when their next flight is shorter [s]; NaN: lower than 3e-11 of it */
  double mu;        /* friction in sustained contact; NaN: the law's mu, or 0 without one */
  int max_events;   /* stop after so many impacts, default 1000000 */
  int max_steps;    /* ... and after so many steps, default 1e9 */
  int keep;         /* 1: keep the dense output for sim_at, and the events, default 1 */
  double max_bytes; /* ... and when what is kept is more [B]; NaN: half of the machine's memory */
  int n_watches;
  const sim_watch *watches;
  /* extra generalised force h (nu numbers) added to the model's own; may be NULL */
  core_status (*force)(void *self, double t, const double *q, const double *u, double *h,
                       core_error *err);
  void *force_self;
  /* called after every step with its end and q, u there; may be NULL. Must not fail. */
  void (*progress)(void *self, double t, const double *y);
  void *progress_self;
} sim_options;

sim_options sim_defaults(void); /* sim/options.h is the table */

/* where the energy went, all in J, from the start of the run */
typedef struct sim_ledger {
  double start;       /* kinetic + potential at the start */
  double end;         /* and at the end */
  double work;        /* done by forces that are not in the potential */
  double restitution; /* lost in impacts, normal direction */
  double friction;    /* lost in impacts, sliding */
  double stored;      /* left in springs of impacts that ended compressed */
  double sliding;     /* lost to friction in sustained contact */
  double bounces;     /* lost where a series of bounces was cut short */
  double reset;       /* given by resets of user events */
  double residual;    /* start + work + reset - all losses - end: 0 but for the tolerance */
} sim_ledger;

typedef struct sim_event {
  sim_event_kind kind;
  double t;              /* [s] */
  int contact;           /* first contact concerned, from 0; -1: none */
  int watch;             /* SIM_USER: which; else -1 */
  sim_mode mode;         /* SIM_CONTACT: how it stays */
  size_t state;          /* q, u and, for impacts and resets, u after: see sim_event_q ... */
  int n;                 /* SIM_IMPACT, SIM_JOLT: contacts that took part */
  size_t ids;            /* their indices, in the pool of integers */
  size_t impulse;        /* rows of these contacts: impulses [N s], in the pool of numbers */
  double lost;           /* energy lost in it [J] */
  core_status status;    /* of the law */
  unsigned flags;        /* IMPACT_REDUNDANT ... of the law */
  struct sim_kept *kept; /* owned by the run; NULL: the law repeats itself */
} sim_event;

/* An impact as it was solved, of a law that may answer otherwise when it is asked again (one that
 * runs a script), and those without collision, which the state alone does not tell: the hit of the
 * event is this, and not a second solve. */
typedef struct sim_kept {
  impact_problem pr; /* it and r point into data */
  impact_result r;
  int *contacts; /* pr.nc indices into the model's contacts */
  impact_path path;
  double data[];
} sim_kept;

enum { SIM_KEPT_POINTS = 80 }; /* of its path, between two events */

/* one step: state = dense polynomial on [t0, t1] */
typedef struct sim_step {
  double t0, h; /* start and length of the polynomial [s] */
  double t1;    /* valid up to here */
  size_t dense; /* 8 rows in the pool of numbers */
  int phase;    /* which contacts were closed */
  int flight;   /* 1: free flight in closed form; `dense` is the state at its start */
  double lost;  /* lost in impacts and bounces so far [J] */
  double reset; /* given by resets so far [J] */
} sim_step;

/* the closed contacts of a stretch of time */
typedef struct sim_phase {
  int n;
  size_t ids; /* n contacts, then n modes, in the pool of integers */
  size_t
      slip; /* in the pool of numbers: 2 n, directions of sliding; then 3 n, forces of those held */
} sim_phase;

/* what is large and what is small in a run: see scale.c */
typedef struct sim_scale {
  double length; /* [m] */
  double time;   /* [s] */
  double speed;  /* [m/s] */
  double energy; /* [J] */
  double *per;   /* nc: a metre in the unit of each gap: 1, but for stops beside points (rad) */
  double *reach; /* nu: how far a contact moves per unit of each coordinate [m per its unit] */
  int *of;       /* nu: the coordinate that goes with each speed; three of a quaternion's four */
} sim_scale;

typedef struct sim_run {
  const model *m; /* the caller keeps both alive */
  const law *l;
  sim_options o; /* as given; `touch` as it was chosen */
  int n;         /* components of the flow: nq + nu + 2 */
  double *mu;    /* 2 nc: friction in sustained contact while sliding, then when it holds */
  sim_scale scale;

  sim_event *events;
  size_t n_events, room_events;
  sim_step *steps;
  size_t n_steps, room_steps;
  sim_phase *phases;
  size_t n_phases, room_phases;
  double *numbers;
  size_t n_numbers, room_numbers;
  int *integers;
  size_t n_integers, room_integers;

  double t;      /* where it ended [s] */
  double *q, *u; /* and the state there */
  sim_ledger ledger;
  sim_stop why;
  core_status status; /* CORE_OK, or what stopped it */
  core_error error;   /* its line for people */
  unsigned flags;     /* IMPACT_REDUNDANT ... of all impacts; IMPACT_OPEN_LEDGER: of the run too */
  long jolts;         /* impacts without collision, of `impacts` */
  long ambiguous; /* times that several motions satisfied the laws, as far as it is looked for */
  double t_ambiguous; /* the first of them [s] */
  long impacts, evaluations, accepted, rejected;
  long hurried;  /* accepted steps that stability kept short, as far as one can tell */
  long implicit; /* accepted ones that were implicit */
} sim_run;

/* Runs m from its state (m->q, m->u). Bad input fails with a line in err and *run = NULL; all that
 * goes wrong later (no solution, Ctrl-C, a function that fails) leaves a run that ends there, with
 * its status. */
core_status sim_simulate(const model *m, const law *l, const sim_options *o, core_scratch *s,
                         sim_run **run, core_error *err);
void sim_free(sim_run *run);

/* ---- reading a run ---- */

/* has speeds after it and impulses */
static inline int sim_is_impact(const sim_event *e) {
  return e->kind == SIM_IMPACT || e->kind == SIM_JOLT;
}

static inline const double *sim_event_q(const sim_run *r, const sim_event *e) {
  return r->numbers + e->state;
}
static inline const double *sim_event_u(const sim_run *r, const sim_event *e) {
  return r->numbers + e->state + r->m->shape.nq;
}
/* after the impact or the reset; the same as before for other kinds */
static inline const double *sim_event_u_after(const sim_run *r, const sim_event *e) {
  return r->numbers + e->state + r->m->shape.nq + r->m->shape.nu;
}

/* rows of the contacts that took part in an impact */
static inline int sim_event_rows(const sim_run *r, const sim_event *e) {
  int rows = 0;
  for (int i = 0; i < e->n; i++)
    rows += model_rows_of(&r->m->shape, r->integers[e->ids + (size_t)i]);
  return rows;
}

/* Everything at one time. The caller gives memory, or NULL where not wanted. */
typedef struct sim_state {
  double t;
  double *q, *u; /* nq, nu */
  double *gap;   /* nc [m] */
  double *
      force; /* rows of all contacts: forces, 0 where open, NaN where none satisfies the laws [N] */
  int *mode; /* nc: sim_mode */
  double kinetic, potential; /* [J] */
  double work, sliding;      /* done by outer forces, lost in sliding, since the start [J] */
  double lost;               /* in impacts and bounces, since the start [J] */
  double reset;              /* given by resets, since the start [J] */
  int redundant; /* 1: other forces do the same, contacts depend on each other; set with `force` */
  /* how many motions of the closed contacts the laws allow; -1: not known (in space, or more than 4
   * contacts) */
  int *solutions;
} sim_state;

/* gaps up to this were closed in impacts, of whatever unit [m, rad] */
static inline double sim_largest_touch(const sim_run *r) {
  double most = 1;
  for (int c = 0; c < r->m->shape.nc; c++) most = r->scale.per[c] > most ? r->scale.per[c] : most;
  return most * r->o.touch;
}

/* index of the step that holds t; at the time of an event the one after it, or with `before` the
 * one before it. Times outside are clamped. */
size_t sim_find(const sim_run *r, double t, int before);

/* state at t from the dense output; CORE_BAD_INPUT outside of the run or when it was not kept */
core_status sim_at(const sim_run *r, double t, int before, core_scratch *s, sim_state *at,
                   core_error *err);

#endif
