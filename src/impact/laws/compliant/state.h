/* Inside of law.compliant: its state, and what its files share. Nobody else includes this.
 *
 *   ../compliant.c  the law: parameters, set-up in scaled units, the course of an impact
 *   phase.c         one phase, the same modes from its start to its first events
 *   forces.c        the forces of a phase and what they do
 *   series.c        the Taylor series of a linear step
 *   series_turn.c   that of one in which slip turns
 *   rows.c          sums over the rows of a series: values, integrals, work
 *   stride.c        how far a step of turning slip reaches
 *   turn.c          whose slip turns, and whose direction may be taken as fixed
 *   events.c        event functions over a step, and their first roots
 *   rest.c          what is nothing but rounding
 *   change.c        what events change
 *   settle.c        which modes can go on after them
 *   squeeze.c       obstacles that squeeze the bodies without end
 *   record.c        events and samples for the sink
 *   cycles.c        events that repeat: many cycles at once (cycle_map.c: one of them as a map,
 *                   cycle_rule.c: sums over many)
 *   fast/           what is there for speed only (fast/fast.h)
 *
 * Units inside: time in T = 1/sqrt(largest k W_nn), deflections divided by T (so that they are
 * velocities), stiffness times T^2 (so that it is a mass), forces times T (impulses). Nothing then
 * depends on how stiff the contacts are, and numbers are of the size of the velocities.
 */
#ifndef IMPACT_LAWS_COMPLIANT_STATE_H
#define IMPACT_LAWS_COMPLIANT_STATE_H

#include "core/poly.h"
#include "core/taylor.h"
#include "impact/law.h"
#include "impact/laws/tolerance.h"

/* parameters, each one number or one per contact */
typedef struct compliant_params {
  core_list mu;       /* Coulomb friction, 0 to infinity */
  core_list e;        /* energetic restitution, 0 to 1 */
  core_list eta;      /* sqrt(normal stiffness / tangential stiffness) in compression */
  core_list k;        /* normal stiffness in compression [N/m] */
  double window;      /* longest flight without any contact inside one impact [s], NaN: automatic */
  int max_events;     /* then the impact stops with `limit` */
  int reload;         /* 0 elastic, 1 plastic: a contact pressed again before it opens */
  double tolerance;   /* relative error that will do */
  int published_slip; /* friction e mu while slipping in restitution, as the published program */
} compliant_params;

typedef enum compliant_touch { OPEN, PRESSED, HELD } compliant_touch;
typedef enum compliant_grip { FREE, STICK, SLIP } compliant_grip; /* FREE: no friction at all */

/* FOR_NOW: until the end of the step; FOR_GOOD: until it opens */
typedef enum compliant_fixed { NOT_FIXED, FOR_NOW, FOR_GOOD } compliant_fixed;

/* One contact: constants, then its state. */
typedef struct compliant_contact {
  double mu, mu_restitution; /* friction; and while it slips in restitution, less as printed only */
  double e;
  double k0, kt; /* normal stiffness in compression, tangential stiffness [kg, scaled] */
  int t, n;      /* first row, normal row */
  int tangents;  /* tangential rows: 0, 1, 2 */

  compliant_touch touch;
  compliant_grip grip;
  int restituting;           /* 0 compression, 1 restitution */
  int again;                 /* in restitution, and pressed again */
  double k;                  /* normal stiffness now [kg, scaled] */
  double hold, hold_rate;    /* held: its force and the rate of that after the last step */
  double top;                /* its greatest compression on the line of loading [m/s, scaled] */
  double from;               /* energy of its normal spring where v_n was last 0 [J] */
  double absorbed, returned; /* work that it took in and gave back until then [J] */
  double d[2];               /* direction of slip, unit */
  compliant_fixed fixed;     /* that is taken as if it did not turn */
  int turning;               /* slips and its direction turns */
  int stiff;                 /* turning, and so fast that it follows v */
  double stiff_from;         /* not before this time [T], */
  double refused, lags;      /* or so many times rho/|v| after this one [T, 1] */
  double put, d_before[2];   /* radians that d was turned by onto the slow solution; d before */

  int unnoticed;      /* held, whatever presses it, since its vibration is nothing, */
  double swing;       /* as long as there is more than this, by which its force would swing */
  int let_go;         /* was held, and would have to pull: open unless the others say otherwise */
  int stopped;        /* its v_n is 0 at the start of this phase, by definition */
  int closing;        /* phases in a row that ended because its gap closes */
  int just_closed;    /* closed at the start of this phase: force and deflections start at 0 */
  int stick_slip_tie; /* stick and slip both possible at the start of this phase: slip speed is 0 */

  int rested; /* what it did was no more than rounding: it starts afresh, unseen */
  int ended;  /* reached its greatest compression at this event */
  compliant_touch touch_before; /* at the start of the last phase, to report changes */
  compliant_grip grip_before;
} compliant_contact;

/* The forces of a phase, one per sticking row and one per pressed contact: force i is
 * -stiff[i] y[row[i]], acceleration B f, impulse D f. */
typedef struct compliant_phase {
  int m;             /* forces */
  int pressed, held; /* contacts */
  int *row, *owner;  /* m: row of the coordinate that drives it, its contact */
  double *stiff;     /* m */
  int has_B;         /* B is made; see compliant_make_B */
  double *B, *D;     /* rows x m: acceleration and impulse by a unit of it, held ones eliminated */
  impact_span *reach_B, *reach_D; /* m: rows where they are not zero */
  double *G;                      /* nc x m: normal force of held contacts by a unit of it */
  double *M;                      /* held x held: pseudo-inverse of their normal accelerations */
  double omega;                   /* bound of the frequencies [1/T] */
  int turning;                    /* some slip turns: B and D hold only for the fixed ones */
  int late;                       /* some slip starts from complete rest: a tiny step first */
  int redundant;                  /* held contacts were */
} compliant_phase;

typedef struct compliant_turn compliant_turn;

/* Power series of one step in s in [0, reach]: time = h s from its start, or the integral of h pace
 * where time runs unevenly. Coefficient j of row r is at [j * rows + r]. */
typedef struct compliant_series {
  int order;     /* coefficients are known up to this one: N, or as few as the event needs */
  double loose;  /* what the last of them may be, 1 unless `tolerance` is more */
  int undecided; /* some first coefficient that counts lies beyond it */
  double h;      /* length of the step at s = 1 [T] */
  double reach;  /* usable up to this s */
  double lasts;  /* turning: time of it, at most [T] */
  int turning;   /* some slip turns in it */
  int uneven;    /* time runs by pace */
  double *y;     /* deflections; right for normal rows, gaps of open contacts, sticking rows */
  double *v;     /* velocities */
  double *f;     /* turning: forces times pace */
  double *held;  /* normal force of held contacts, nc per order */
  double *pace;  /* dt/ds / h */
  compliant_turn *four; /* turning: directions of slip and more, see series_turn.h */
} compliant_series;

/* one event function that reached zero */
typedef enum compliant_event {
  E_CLOSE,
  E_TOP,    /* greatest compression */
  E_OPEN,   /* also a held contact that is let go */
  E_PRESS,  /* a held contact yields */
  E_AGAIN,  /* plastic: pressed again before it has opened, */
  E_REJOIN, /* back on the line of loading */
  E_SLIP,
  E_STICK
} compliant_event;
typedef struct compliant_found {
  int contact;
  compliant_event what;
  double s;
} compliant_found;

typedef struct compliant_record compliant_record;
typedef struct compliant_cycles compliant_cycles;
typedef struct compliant_fast compliant_fast;

/* what fast ways remember from step to step; the law itself never looks at it */
typedef struct compliant_memory {
  double last;   /* time that the last step took to its event [T] */
  double stride; /* last step of turning slip in natural ones; plate on 64 contacts 12 % more
                    without */
  double part;   /* of the natural step that the next stiff one tries first */
} compliant_memory;

/* how an impact is solved */
typedef struct compliant_way {
  int fast;         /* with what is there for speed only */
  double least_eta; /* eta is raised to this */
  long most_steps;  /* then it stops with `limit`; 0: any number */
  double stretch;   /* cycles of events at once at most, 0: each event is walked to */
} compliant_way;

/* what obstacles do that move against each other (squeeze.c) */
typedef struct compliant_squeeze {
  double *v;      /* rows: the part of v before that no impulse can change; NULL: not known yet */
  double kinetic; /* energy of the rest [J] */
} compliant_squeeze;

typedef struct compliant {
  const impact_problem *pr;
  core_scratch *scratch;
  core_error *err;
  int nc, rows;
  const double *W;
  const impact_span *span; /* rows: where column r of W is not zero */
  double unit;             /* T [s] */
  double speed;            /* size of the velocities [m/s] */
  double v_rounding;       /* what rounding makes of them [m/s] */
  double window;           /* longest flight [T], NaN: see impact_may_fly */
  double period;           /* of the slowest spring [T] */
  double loose;            /* tolerance that is asked for, in units of what is promised */
  int plastic;             /* reload = "plastic" */

  compliant_contact *c;
  double *p, *v, *y;                      /* impulse, velocity, deflection now, rows each */
  double time;                            /* now [T] */
  double lost_restitution, lost_friction; /* [J] */
  int pressed_again;                      /* some contact with e < 1 was */
  long events;
  double skipped; /* events of cycles that were not walked, */
  long walked;    /* and of those that were, to know the others */

  compliant_phase phase;
  compliant_series series;
  double max_fixed_step;  /* longest step with the directions fixed for now [T] */
  compliant_found *found; /* at most 5 per contact */
  int n_found;
  double *row_work; /* rows */
  double *push;     /* rows: impulse of a step */
  double *work;     /* 2 nc */
  int *who;         /* nc */
  impact_sink *sink;
  compliant_record *record; /* NULL: nobody looks */
  compliant_cycles *cycles; /* NULL: every event is walked to */
  double *gone;             /* unless NULL: y, v, p are added up there, 3 rows, */
  double patience;          /* and nothing goes on beyond this time [T] */
  compliant_fast *fast;     /* NULL: without what is there for speed only */
  compliant_memory memory;
  long steps; /* so far */
  compliant_way way;
  compliant_squeeze squeeze;
} compliant;

enum { N = CORE_TAYLOR_ORDER, LENGTH = CORE_TAYLOR_LENGTH, PAD = CORE_TAYLOR_PAD, BESIDE = 4 };

static inline double w_normal(const compliant *z, const compliant_contact *k) {
  return z->W[(size_t)k->n * (size_t)z->rows + (size_t)k->n]; /* NOLINT: nc >= 1 */
}

/* friction while slipping */
static inline double slip_mu(const compliant_contact *k) {
  return k->restituting ? k->mu_restitution : k->mu;
}

/* as printed: less friction in slip than what starts it */
static inline int friction_drops(const compliant_contact *k) {
  return slip_mu(k) < k->mu;
}

/* by f[j]: generalised force i of order j of a linear series, times by */
static inline double compliant_force(const compliant *z, int i, int j, double by) {
  const compliant_phase *f = &z->phase;
  return by * (-f->stiff[i] * z->series.y[j * z->rows + f->row[i]]);
}

static inline int slips(const compliant_contact *k) {
  return k->touch != OPEN && k->grip == SLIP;
}

static inline double norm(int n, const double *x) {
  return n == 2 ? hypot(x[0], x[1]) : n == 1 ? fabs(x[0]) : 0;
}

static inline double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* components of x across and along the direction of slip */
static inline double slip_across(const compliant_contact *k, const double *x) {
  return k->d[0] * x[k->t + 1] - k->d[1] * x[k->t];
}

static inline double slip_along(const compliant_contact *k, const double *x) {
  return k->d[0] * x[k->t] + k->d[1] * x[k->t + 1];
}

static inline double slip_tangential(const compliant_contact *k, const double *x) {
  return sqrt(x[k->t] * x[k->t] + x[k->t + 1] * x[k->t + 1]);
}

/* now, or after the last step of a held one */
static inline double compliant_normal_force(const compliant *z, const compliant_contact *k) {
  return k->touch == HELD ? k->hold : -k->k * z->y[k->n];
}

/* [J] */
static inline double normal_energy(const compliant *z, const compliant_contact *k) {
  return k->touch == PRESSED ? k->k * z->y[k->n] * z->y[k->n] / 2 : 0;
}

static inline double tangential_energy(const compliant *z, const compliant_contact *k) {
  return k->kt * dot(k->tangents, z->y + k->t, z->y + k->t) / 2;
}

static inline double compliant_largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = core_max(most, fabs(x[i]));
  return most;
}

/* impulse so far, what rounding counts from */
static inline double compliant_given(const compliant *z) {
  return compliant_largest(z->rows, z->p);
}

/* ../compliant.c */
core_status compliant_solve_by(const law *l, const impact_problem *pr, core_scratch *s,
                               impact_sink *sink, impact_result *r, core_error *err,
                               compliant_way way);
/* for tests: event by event, that without what is there for speed only, and with short stretches of
 * cycles */
core_status compliant_solve_each(const law *l, const impact_problem *pr, core_scratch *s,
                                 impact_sink *sink, impact_result *r, core_error *err);
core_status compliant_solve_plain(const law *l, const impact_problem *pr, core_scratch *s,
                                  impact_sink *sink, impact_result *r, core_error *err);
core_status compliant_solve_short(const law *l, const impact_problem *pr, core_scratch *s,
                                  impact_sink *sink, impact_result *r, core_error *err);

/* forces.c */
void compliant_multiply(const compliant *z, double by, const double *F,
                        double *v);        /* v += by W F */
core_status compliant_build(compliant *z); /* of the modes as they are */
void compliant_make_B(compliant *z);       /* where it was not needed so far */

/* phase.c */
void compliant_slave_deflections(compliant *z, double s);
void compliant_make_series(compliant *z,
                           double time);       /* of the next step; an event is expected by then */
core_status compliant_run_phase(compliant *z); /* to its first events */

/* series.c */
void compliant_linear_series(compliant *z, double time); /* an event is expected by then */
void compliant_linear_orders(compliant *z, int to);      /* goes on */

/* series_turn.c */
core_status compliant_start_turning(compliant *z); /* memory */
void compliant_turn_series(compliant *z, int lead, int order);
void compliant_stretch_turning(compliant *z, double x);  /* makes s = 1 what s = x was */
void compliant_improve_rates(compliant *z, int contact); /* stiff slip: between two sweeps */

/* rows.c */
void compliant_rows_at(const compliant *z, int order, const double *c, double s, double *out);
void compliant_rows_up_to(const compliant *z, const double *c, double s,
                          double *out);                   /* integrals */
double compliant_slip_work(const compliant *z, double s); /* against friction and its springs */
typedef struct compliant_node {
  double x, weight;
} compliant_node;
extern const compliant_node compliant_gauss[5]; /* 10 points at -x and x on [-1, 1] */

/* turn.c */
void compliant_find_turning(compliant *z);
double compliant_fading(const compliant *z, const compliant_contact *k); /* rate of F_n, falling */
double compliant_impulse_left(const compliant *z, const compliant_contact *k);
core_status compliant_fix_directions(compliant *z); /* between two steps of a phase */

/* stride.c */
int compliant_find_lead(const compliant *z); /* whose force paces the time; -1: nobody's */
double compliant_natural_step(const compliant *z, int lead);
void compliant_stride_series(compliant *z, double time); /* an event is expected by then */

/* rest.c */
int compliant_lead(const compliant *z, const compliant_contact *k, int from);
int compliant_rests(const compliant *z, const compliant_contact *k);
int compliant_at_rest(const compliant *z, const compliant_contact *k);
double compliant_emerges(const compliant *z, const compliant_contact *k);
double compliant_noise(const compliant *z, const compliant_contact *k);
double compliant_tie_noise(const compliant *z, const compliant_contact *k);

/* events.c */
int compliant_goes_on(const compliant *z, int contact); /* stick or slip, at a tie of both */
double compliant_watch(compliant *z, int first);        /* s of the first events of the step */

/* change.c */
void compliant_drop_tangent(compliant *z, compliant_contact *k); /* its tangential springs let go */
void compliant_open(compliant *z, compliant_contact *k);
void compliant_slide(compliant *z, compliant_contact *k, const double *direction);
void compliant_fall_back(compliant *z, compliant_contact *k, double normal);
void compliant_stop_sliding(compliant_contact *k);
double compliant_yield(const compliant *z, const compliant_contact *k); /* what presses it anew */
void compliant_hold(compliant *z, compliant_contact *k);                /* vibrates unnoticed */
void compliant_apply(compliant *z);                                     /* what was found */
void compliant_book_reloads(compliant *z, double s); /* of the step in hand, up to s */
void compliant_release_all(compliant *z);            /* contacts that nothing presses any more */

/* settle.c */
core_status compliant_settle(compliant *z);

/* squeeze.c */
core_status compliant_check_squeeze(compliant *z); /* after each step; counts them */

/* cycles.c */
core_status compliant_start_cycles(compliant *z); /* memory */
core_status compliant_skip_cycles(compliant *z);  /* after every phase: goes on where they repeat */

/* record.c */
double compliant_strain(const compliant *z);      /* [J] */
double compliant_energy(const compliant *z);      /* that and kinetic, less what there was [J] */
core_status compliant_record_start(compliant *z); /* memory, when somebody looks */
void compliant_report(compliant *z);              /* events since the last phase */
void compliant_note_modes(compliant *z);          /* to tell what changes from here on */
void compliant_emit(compliant *z, impact_event_kind kind, int contact);
void compliant_sample_start(compliant *z);
core_status compliant_walk(compliant *z);              /* a phase, twice when samples are wanted */
void compliant_sample_ahead(compliant *z, double span, /* what falls into the next span of time, */
                            void (*go)(compliant *z, double t)); /* each by going there */
void compliant_fly(compliant *z, double duration);

#endif
