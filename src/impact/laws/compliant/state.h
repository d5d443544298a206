/* Inside of law.compliant: what its files share. Nobody else includes this.
 *
 *   compliant.c          the law: parameters, set-up in scaled units, main loop, result
 *   events.c   what an event changes
 *   settle.c   who is in contact and how (open, pressed, held; stick, slip), from rates
 *   linear.c   power series of a phase in which no slip turns
 *   turn.c     power series of a phase in which slip turns
 *   turn_one.c the same for one contact, where most of the time goes
 *   fixed.c    whose slip turns, and whose direction may be taken as fixed
 *   stride.c   how far a step of turning slip reaches
 *   modes.c    modes of a linear phase that lasts, and what they can skip
 *   step.c     walks a phase in steps until its first events
 *   margin.c   event functions as polynomials, and their signs
 *   watch.c    their first roots
 *   history.c  samples and events for the sink
 *   single.c   closed form for one contact with uncoupled normal
 *
 * Units inside: time in T = 1/sqrt(largest k W_nn), deflections divided by T (so that they are
 * velocities), stiffness times T^2 (so that it is a mass), forces times T (impulses). Nothing then
 * depends on how stiff the contacts are, and numbers are of the size of the velocities.
 */
#ifndef IMPACT_LAWS_COMPLIANT_STATE_H
#define IMPACT_LAWS_COMPLIANT_STATE_H

#include "impact/law.h"
#include "impact/laws/tolerance.h"

/* parameters, each one number or one per contact */
typedef struct compliant_params {
  core_list mu;       /* Coulomb friction, 0 to infinity */
  core_list e;        /* energetic restitution, 0 to 1 */
  core_list eta;      /* sqrt(normal stiffness / tangential stiffness) in compression */
  core_list k;        /* normal stiffness in compression [N/m] */
  double window;      /* longest flight without any contact inside one impact [s], NaN: automatic */
  int max_events;     /* */
  int reload;         /* 0 elastic, 1 plastic: a contact pressed again before it opens */
  int published_slip; /* friction e mu while slipping in restitution, as the published program */
} compliant_params;

enum { COMPLIANT_NUMBERS = 5 }; /* of a state that is put aside, besides its vectors */
enum { COMPLIANT_ORDER = 24, COMPLIANT_LENGTH = COMPLIANT_ORDER + 1 };

typedef enum compliant_touch { OPEN, PRESSED, HELD } compliant_touch;
typedef enum compliant_grip { FREE, STICK, SLIP } compliant_grip; /* FREE: no friction at all */

/* FOR_NOW: until the end of the step; FOR_GOOD: until it opens */
typedef enum compliant_fixed { NOT_FIXED, FOR_NOW, FOR_GOOD } compliant_fixed;

/* One contact. Constants first, then its state. */
typedef struct compliant_contact {
  double mu, e;
  double k0, kt; /* normal stiffness in compression, tangential stiffness [kg, scaled] */
  int t, n;      /* first row, normal row */
  int tangents;  /* tangential rows: 0, 1, 2 */
  int printed;   /* friction e mu while slipping in restitution */
  compliant_touch touch;
  compliant_grip grip;
  int restituting;           /* 0 compression, 1 restitution */
  double hold, hold_rate;    /* held: its force and the rate of that after the last step */
  double k;                  /* normal stiffness now [kg, scaled] */
  int again;                 /* in restitution, and pressed again */
  double top;                /* its greatest compression on the line of loading [m/s, scaled] */
  double from;               /* energy of its normal spring where v_n was last 0 [J] */
  double absorbed, returned; /* work that it took in and gave back until then [J] */
  double d[2];               /* direction of slip, unit */
  int rested;                /* what it did was no more than rounding: it starts afresh, unseen */
  int stopped;               /* its v_n is 0 at the start of this phase, by definition */
  int just_closed;    /* closed at the start of this phase: force and deflections start at 0 */
  int stick_slip_tie; /* stick and slip both possible at the start of this phase: slip speed is 0 */
  int turning;        /* slips and its direction turns */
  int stiff;          /* turning, and so fast that it follows v */
  compliant_fixed fixed;        /* its direction of slip, as if it did not turn */
  compliant_touch touch_before; /* at the start of the last phase, to report changes */
  compliant_grip grip_before;
  int ended; /* reached its greatest compression at this event */
} compliant_contact;

/* Power series of one step in s in [0, reach]: time = h s from its start, or the integral of h pace
 * where time runs unevenly. Coefficient j of row r is at [j * rows + r]. */
typedef struct compliant_series {
  double h;      /* length of the step at s = 1 [T] */
  double reach;  /* usable up to this s */
  int order;     /* of the last coefficient, at most COMPLIANT_ORDER */
  int turning;   /* made by turn.c */
  int uneven;    /* time runs by pace */
  double *y;     /* deflections; right for normal rows, gaps of open contacts, sticking rows */
  double *v;     /* velocities */
  double *f;     /* linear: generalised forces, m per order; turning: forces times pace, rows */
  double *held;  /* normal force of held contacts, nc per order */
  double *fr;    /* turning: forces, one series after the other, padded */
  double *vr;    /* turning: velocities in the same way */
  double *d;     /* turning: directions, two series in a row per contact */
  double *pace;  /* dt/ds / h */
  double *rpace; /* backwards, padded */
} compliant_series;

/* rows [from, to) of a column that may be other than zero: bodies in a chain touch neighbours only
 */
typedef struct compliant_span {
  int from, to;
} compliant_span;

/* one event function that reached zero */
typedef enum compliant_watch {
  W_CLOSE,
  W_TOP,
  W_OPEN,
  W_RELEASE,
  W_PRESS,
  W_AGAIN,
  W_REJOIN,
  W_SLIP,
  W_STICK
} compliant_watch;
typedef struct compliant_found {
  int contact;
  compliant_watch what;
  double s;
} compliant_found;

/* a linear phase that lasts (modes.c) */
typedef enum compliant_modes_state { MODES_UNKNOWN, MODES_MADE, MODES_NONE } compliant_modes_state;
typedef struct compliant_modes {
  compliant_modes_state state;
  double *w;         /* m: frequencies [1/T], ascending */
  double *X, *Y;     /* m x m: u = K^-1/2 X q, and Y = X^-1 */
  int slips;         /* some contact does */
  double *G, *H, *P; /* rows, nc, rows x m: velocity, held force, impulse by mode, see there */
  double *S;         /* m x m work */
  double *q, *rate;  /* m: the modes now */
  double *start;     /* 2 rows work */
  double slowest;    /* frequency that is not 0 [1/T] */
  double length;     /* of the next skip [T], 0: any */
  long next_try;     /* step of the phase at which it is tried */
  int bounds;        /* event functions are lowered by what fast modes can do: */
  double *swing_y, *swing_v, *swing_held; /* rows, rows, nc */
} compliant_modes;

typedef struct compliant {
  const impact_problem *pr;
  int nc, dim, rows;
  const double *W;
  compliant_contact *c;
  core_scratch *scratch;
  double unit;                            /* T [s] */
  double speed;                           /* size of the velocities [m/s] */
  double v_rounding;                      /* what rounding makes of them [m/s] */
  double window;                          /* longest flight [T], NaN: see impact_may_fly */
  double period;                          /* of the slowest spring [T] */
  double *p, *v, *y;                      /* impulse, velocity, deflection now, rows each */
  double time;                            /* now [T] */
  double lost_restitution, lost_friction; /* [J] */
  int plastic;                            /* reload = "plastic" */
  int pressed_again;                      /* some contact with e < 1 was */

  /* the phase: generalised forces, one per sticking row and one per slipping or free contact */
  int m;
  int redundant;                     /* held contacts were redundant */
  compliant_span *span;              /* rows: where column r of W is not zero */
  compliant_span *reach_B, *reach_D; /* m: the same of B and D, which are zero elsewhere */
  int sparse;                        /* some column of W is mostly zero */
  double *row_sum;                   /* rows */
  int rank;                          /* of W, where it is small: W = L L^T; else 0 */
  double *L;                         /* rows x rank */
  int *row;                          /* m: row of the coordinate that drives it */
  int *owner;                        /* m: contact */
  double *stiff;                     /* m: force = -stiff * y[row] */
  double *B;    /* rows x m: acceleration by a unit of it, held contacts eliminated */
  double *D;    /* rows x m: impulse on each row by a unit of it */
  double *G;    /* nc x m: normal force of held contacts by a unit of it */
  double *M;    /* held x held: pseudo-inverse of their normal accelerations */
  double omega; /* bound of the phase's frequencies [1/T] */
  int turning;  /* some slip turns: B and D hold only for the fixed ones */
  int late;     /* some slip starts from complete rest: a tiny step first */
  int pressed, held_count;

  compliant_series series;
  compliant_modes modes;
  void *sums;             /* work of turn.c */
  double stride;          /* last step of turning slip, in natural ones */
  double max_fixed_step;  /* longest step with the directions fixed for now [T] */
  double patience;        /* steps before stiffness is looked for again */
  void *turns;            /* work of turn.c */
  double *work;           /* 2 nc */
  int *who;               /* nc */
  compliant_found *found; /* at most 5 per contact */
  int n_found;

  impact_sink *sink;
  int *mode, *restituting;     /* nc each, for samples */
  double *out;                 /* 2 * rows: x and force in the caller's units */
  double *work_out;            /* 2 * nc: absorbed and returned work [J] */
  double *kept, *kept_numbers; /* three states put aside while samples are taken */
  compliant_contact *kept_contacts;
  long events;
  core_error *err;
} compliant;

/* a step of turning slip is at most so many natural ones */
#define COMPLIANT_STRETCH 4.0
/* a phase is too long after this many radians of its fastest mode, or this many steps */
#define COMPLIANT_QUIET 2e5
#define COMPLIANT_MAX_STEPS 2000000L

/* Gauss-Legendre with 10 points at -x and x on [-1, 1] */
typedef struct compliant_node {
  double x, weight;
} compliant_node;
extern const compliant_node compliant_gauss[5];

extern const double compliant_inverse[COMPLIANT_LENGTH]; /* 1/(j+1) */

/* single.c: 1 when it has solved the problem of one contact */
int compliant_single(const compliant_params *q, const impact_problem *pr, impact_result *r);

/* linear.c */
void compliant_find_spans(compliant *z);
void compliant_multiply(const compliant *z, const double *F, double *v); /* v += W F */
void compliant_velocity(const compliant *z, const double *p, double *v); /* v before + W p */
double compliant_slip_mu(const compliant_contact *c); /* friction while slipping */
core_status compliant_build(compliant *z);            /* forces, B, D, G of the modes as they are */
void compliant_linear_series(compliant *z);
void compliant_linear_impulse(const compliant *z, double s, double *p);

/* fixed.c */
void compliant_find_turning(compliant *z);
core_status compliant_fix_directions(compliant *z); /* between two steps of a phase */

/* stride.c, with compliant/turn.c and compliant/turn_one.c behind it */
size_t compliant_turn_bytes(int nc);
enum { COMPLIANT_PAD = COMPLIANT_ORDER + 2 };
void compliant_turn_series(compliant *z);
void compliant_turn_direction(compliant *z, int contact, double s);
void compliant_turn_impulse(const compliant *z, double s, double *p);

/* watch.c */
int compliant_lead(const double *c, int from, double x);
int compliant_above(const double *c, int from, double noise);
int compliant_rests(const compliant *z, const compliant_contact *k);
void compliant_normal_force(const compliant *z, int contact, double *series);
double compliant_noise(const compliant *z, const compliant_contact *k);
int compliant_slip_sign(const compliant *z, int contact);
int compliant_margin_sign(const compliant *z, int contact);
double compliant_watch_step(compliant *z, int first);

/* modes.c */
int compliant_skip(compliant *z, long steps);      /* 1 when it has gone on */
int compliant_lasting(const compliant *z);         /* the phase has modes */
void compliant_move_modes(compliant *z, double t); /* the state t later */
void compliant_forget_modes(compliant *z);         /* at the start of a phase */

/* step.c */
void compliant_slave_deflections(compliant *z, double s);
void compliant_make_series(compliant *z);
void compliant_advance(compliant *z, double s);
core_status compliant_run_phase(compliant *z);

/* settle.c */
/* a held contact is pressed again by more force than this [scaled N]; infinity: never */
double compliant_yield(const compliant *z, const compliant_contact *k);
void compliant_apply(compliant *z);
void compliant_book_reloads(compliant *z, double s); /* of the step in hand, up to s */
void compliant_release_all(compliant *z);            /* contacts that nothing presses any more */
core_status compliant_settle(compliant *z);

/* history.c */
void compliant_report(compliant *z); /* events since the last phase */
void compliant_emit(compliant *z, impact_event_kind kind, int contact);
void compliant_sample_start(compliant *z);
void compliant_keep(compliant *z, int slot);                 /* puts the state aside */
core_status compliant_replay(compliant *z);                  /* samples of the phase just run */
void compliant_sample_flight(compliant *z, double duration); /* samples of a flight from here */
double compliant_strain(const compliant *z);                 /* [J] */

#endif
