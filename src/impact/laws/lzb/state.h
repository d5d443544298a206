/* What the files of law.lzb share; lzb.c has the equations.
 *
 * All numbers here are in units of the problem: velocities of the fastest row before the impact,
 * impulses of what stops it at the contact that is moved most easily, stiffnesses of the stiffest
 * contact; so scales of masses, speeds and stiffness change nothing but the last bits.
 *
 *   forces.c   forces at a state                    settle.c   who sticks, who slides
 *   series.c   the Taylor series of one step        watch.c    its first events
 *   turn.c     slip in space that is stiff          inside.c   the state inside a step
 *   phase.c    compressed, expanding, open          run.c      from event to event
 *   record.c   what the sink hears                  share.c    stick of contacts that depend
 *   reach.c    what friction cannot reach           lanes.c    series where no slip turns
 *   group.c    and their slip                       hold.c     the forces of these
 *   clock.c    how time runs in a step            live.c     whom a step concerns
 */
#ifndef IMPACT_LAWS_LZB_STATE_H
#define IMPACT_LAWS_LZB_STATE_H

#include "core/poly.h"
#include "core/taylor.h"
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
  double soft;     /* (K (1 + mu))^(-1/n) */
  double length;   /* its deflection when it holds one unit of energy */
  lzb_phase phase, next;
  lzb_grip grip, before; /* now, and before the last event */
  lzb_grip last;         /* when it carried load last */
  int away;              /* open, and has been off the surface */
  double d[2];           /* direction of slip; in space, of slip that has just begun */
  double off;            /* how fast it begins, beside others that began with it */
  int sets_out;          /* in space: slides by d, as v_t is only what its last stop left */
  int full;              /* sticks at its limit, against d: others that stick hold it */
  int ends;              /* its slip has just ended, or its stick has come to its limit */
  double from;           /* energy that it held when its phase began */
  double absorbed;       /* work taken in, in phases that are over */
  double returned;       /* and given back */
} lzb_contact;

/* where an impact is */
typedef struct lzb_state {
  double *x;     /* nc: deflections; minus the gap of open contacts */
  double *v, *p; /* rows: velocities and impulses */
  double lost;   /* to friction */
  double time;
} lzb_state;

enum { LZB_ORDER = 20, LZB_PAD = CORE_TAYLOR_PAD };

/* Series of one contact over a step; back: backwards (core/taylor.h). */
typedef struct lzb_curve {
  double x[LZB_PAD];                  /* deflection; by time in BEGIN */
  double a[LZB_PAD], a_back[LZB_PAD]; /* what is raised to a power: see series.c */
  double w[LZB_PAD];                  /* j a_j, or a^2 */
  double b[LZB_PAD], b_back[LZB_PAD]; /* the power */
  double f[LZB_PAD], f_back[LZB_PAD]; /* the normal force */
  double u[2][LZB_PAD];               /* in space: direction of slip, */
  double s[LZB_PAD], sj[LZB_PAD];     /* v_t^2, j s_j, */
  double r[LZB_PAD], r_back[LZB_PAD]; /* and its power -1/2 */
  int lead;                           /* x = s^lead a(s) */
  double power;                       /* of a */
  enum { LZB_NO_LOAD, LZB_WAITS, LZB_LOADED } load;
  double V[2][LZB_PAD], square[LZB_PAD]; /* stiff: along the direction of slip; V^2 */
  /* slides in space: by a direction that is known, that of v, or by its angle (turn.c) */
  enum { LZB_FIXED, LZB_TURNS, LZB_STIFF } slip;
} lzb_curve;

/* how time runs in a step: t = h s, t = h s^(2/(n+1)), t = h s^2, or dt = h root ds (clock.c) */
typedef enum lzb_clock { LZB_EVEN, LZB_BEGIN, LZB_SQUARE, LZB_ROOT } lzb_clock;

typedef struct lzb_series {
  lzb_clock clock;
  int rooted;     /* contact whose root of the deflection is the series a; -1: none */
  double h;       /* scale of time */
  double first;   /* BEGIN: 2/(n+1) h^n, by which K s a^n h is F dt/ds */
  double reach;   /* s up to which it is used, */
  double natural; /* and up to which its last orders are small enough */
  double *v, *p;  /* rows x LZB_PAD */
  double *g;      /* rows: forces times pace, of the order in hand */
  lzb_curve *of;  /* nc */
} lzb_series;

/* x^n as x^factors times the root of x (is_half), or times x */
typedef struct lzb_power {
  int is_half, factors;
} lzb_power;

/* the same for all that are live, side by side (lanes.c) */
typedef struct lzb_lanes {
  int possible; /* n or n + 1/2 is whole */
  int known;    /* G, WG, M are those of the modes now */
  int width;    /* live contacts, and up to three more */
  lzb_power n;
  double *x, *v, *f;                      /* orders x width: deflection, normal velocity, force */
  double *g, *u;                          /* f and v times the root that time runs by */
  double *power;                          /* root of x, or x; and that times x, x^2, ... */
  double *pace, *K, *half, *turn, *waits; /* width: x'/v, K, 1/(2 root), a'/v, constant force */
  double *G, *WG;    /* nc x rows: forces, and W times these, by normal forces */
  double *M;         /* width x width: normal rows of WG, of live contacts */
  impact_span *near; /* width / 4: columns where these rows of M are not zero */
} lzb_lanes;

/* an event: contact and kind (watch.c), at s of the step */
typedef struct lzb_found {
  int contact, kind;
  double s;
} lzb_found;

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
  lzb_contact *c;    /* nc */
  double *W;         /* the problem in its units */
  impact_span *span; /* rows: where the columns of W are not zero */
  int *owner;        /* rows: the contact that they belong to */
  int *live,
      n_live;    /* contacts whose forces or velocities change in this step, in order (live.c) */
  int *place;    /* nc: where among them; -1: nowhere */
  int *queue;    /* nc */
  double unit_v; /* [m/s] */
  double unit_p; /* [N s] */
  double unit_t; /* [s] */
  double *v0;    /* rows: velocities before */
  int crept;     /* some of these, and of W, were left out (reach.c) */
  lzb_state now, at;  /* and one inside of the last step */
  double noise;       /* what rounding makes of a velocity */
  double speed;       /* along normals: what there is still, or springs can make, */
  double first_speed; /* and at the start */
  double softest;     /* the least K */
  double stop_time;   /* in which the softest contact stops what moves still */
  double faint_speed; /* the speed for which that, and */
  double faint;       /* deflection that does not count, of a contact with K = 1, mu = 0 */
  double asleep;      /* that of one that stands still and has no force at all */
  int is_whole;       /* n is a whole number: d^n is smooth at 0 */
  lzb_series series;  /* of the last step */
  double last_order;  /* of the impulse of (1 - t)^n */
  lzb_lanes lanes;
  int plain;        /* without lanes.c and what else is there for speed only, for tests */
  double next_time; /* that the next step may take */
  long steps;       /* so far */
  int stalled;      /* of these, the last ones that took no time */
  lzb_found *found; /* 2 nc: events that end the last step */
  int n_found;
  double *f;           /* rows: forces at the last state that was asked for */
  double *later;       /* nc: deflections a little later */
  double *Z;           /* n_stuck x rows: forces that stick are -Z times the others */
  int *stuck, n_stuck; /* which rows */
  int rank, depend;    /* of W_SS; 1: some of these rows follow from others */
  int at_limit;        /* contacts that have just come to their limits */
  double slack;        /* what their friction may be above its limit, of that */
  double *held;        /* n_stuck: their forces */
  int starts_slip;     /* some slip in space begins with the next step */
  int patience;        /* steps until stiffness is tried again */
  int *stiff, n_stiff; /* contacts whose slip is, in the last step */
  struct {
    struct lzb_group *group; /* of contacts that are stiff (group.h) */
    int groups, n;           /* how many, and their unknowns */
    double *first;           /* rows: first forces of the step */
    double *g;               /* rows */
    double *x;               /* n */
    double *A, *work;        /* n^2; and n (2 n + 1) more */
  } turn;
  double *d;          /* 2 nc: directions of slip before an event */
  double most_energy; /* no springs can hold more than this */
  long events;
  int redundant;
  lzb_shown shown;
} lzb;

static inline int lzb_tangents(const lzb_contact *c) {
  return c->n - c->t;
}

/* x'/v_n */
static inline double lzb_pace(const lzb_contact *c) {
  return c->phase == LZB_EXPANDING ? -1 / (c->e * c->e) : -1;
}

static inline int lzb_touches(const lzb_contact *c) {
  return c->phase >= LZB_PRESSED;
}

/* Where a wave has been, balls that came to rest on each other are left with deflections of
 * rounding, half a row of them: they have no force as long as nothing moves them. */
static inline int lzb_is_asleep(const lzb *z, const lzb_contact *c, double x, double v) {
  return v == 0 && x <= z->asleep * c->soft && c->grip == LZB_SMOOTH;
}

/* its friction is mu F_n against d */
static inline int lzb_at_limit(const lzb_contact *c) {
  return c->grip == LZB_SLIDE || (c->grip == LZB_STICK && c->full);
}

/* touches, and nothing presses it yet: its friction is not asked for */
static inline int lzb_waits(const lzb *z, int i) {
  return z->now.x[i] == 0 && z->now.v[z->c[i].n] == 0;
}

/* ../lzb.c: `solve` without what is there for speed only */
core_status lzb_solve_plain(const law *l, const impact_problem *pr, core_scratch *s,
                            impact_sink *sink, impact_result *r, core_error *err);

/* slides in space, in the direction of v */
int lzb_has_direction(const lzb_contact *c, const double *v);

/* ---- forces.c ---- */

/* F_n at a deflection, and the energy held there */
double lzb_spring(const lzb *z, const lzb_contact *c, double deflection);
double lzb_energy(const lzb *z, const lzb_contact *c, double deflection);

/* of one that waits: that at the start of the step, to its end */
double lzb_waiting_force(const lzb *z, int i);

/* forces at the deflections x and velocities v into z->f */
void lzb_forces(lzb *z, const double *x, const double *v);

/* forces of the rows that stick, where z->f holds the others */
void lzb_hold(lzb *z, double *f);

/* rate of row r at the forces z->f, and the size of its terms */
double lzb_rate(const lzb *z, int r, double *size);

/* |v_t|, |f_t| of z->f */
double lzb_slip(const lzb_contact *c, const double *v);
double lzb_pull(const lzb *z, const lzb_contact *c);

/* how far the friction that holds contact c is from its limit, at z->f */
double lzb_margin(const lzb *z, const lzb_contact *c);

/* ---- settle.c ---- */

/* who sticks and who slides now */
core_status lzb_settle(lzb *z);

/* ---- reach.c ---- */

/* v0, W and the velocities now without what friction cannot reach */
core_status lzb_reach(lzb *z);

/* ---- share.c ---- */

/* of contacts that stick and depend on each other, at the forces z->f: those that slide off, or Z
 */
core_status lzb_share(lzb *z, int *released);

/* ---- clock.c ---- */

/* error that a step may make in a velocity */
double lzb_tolerance(const lzb *z);

void lzb_find_faint(lzb *z);
double lzb_faint(const lzb *z, int i); /* a deflection whose force does not count */
int lzb_begins(const lzb *z, int i);   /* as a power of time that has a clock */

void lzb_choose_clock(lzb *z);

/* order k of x/t in BEGIN by that of v_n */
double lzb_first_deflection(const lzb *z, int i, int k, double v);
double lzb_time_at(const lzb *z, double s); /* since the start of the step */

/* ---- live.c ---- */

int lzb_live_start(lzb *z); /* memory and spans; 0: it is out */
void lzb_find_live(lzb *z); /* for the step that is about to be made */

/* ---- series.c ---- */

int lzb_must_wait(const lzb *z, int i); /* its force begins in no way that the step could follow */

void lzb_expand(lzb *z); /* from now on */

/* direction of slip u = v (v.v)^-1/2, to order k */
void lzb_direction(lzb_curve *q, int k, const double *v, const double *w);

/* ---- lanes.c ---- */

int lzb_lanes_start(lzb *z);      /* memory; 0: it is out */
int lzb_lanes_take(const lzb *z); /* 1: the step that has been started may be done so */
void lzb_lanes_sweep(lzb *z);

/* ---- inside.c ---- */

void lzb_at(const lzb *z, double s, lzb_state *to); /* the state there */
double lzb_deflection_at(const lzb *z, int i, double s);

/* ---- turn.c ---- */

double lzb_stiffness(lzb *z, int i); /* times that slip follows v by in a long step */
int lzb_turn_begin(lzb *z);          /* 0: not possible */
void lzb_turn_known(const lzb *z, int i, int K);
core_status lzb_turn_order(lzb *z, int K);
int lzb_turn_converged(lzb *z);
double lzb_turn_off(const lzb *z);
void lzb_turn_end(lzb *z, double s); /* directions for what comes */
void lzb_turn_reach(lzb *z);         /* the step ends where slip that sets out gets a direction */

/* ---- watch.c ---- */

/* the first event of the series, and those at the same moment: z->found, and its s */
double lzb_watch(lzb *z);
void lzb_arrive(lzb *z); /* what is zero now by definition */

/* ---- phase.c ---- */

int lzb_move_on(lzb *z); /* phases for what comes, at the forces z->f; 1: forces have changed */

/* ---- run.c ---- */

/* to the end of the impact */
core_status lzb_run(lzb *z);
void lzb_refresh(lzb *z); /* v from p */

/* ---- record.c ---- */

int lzb_record_start(lzb *z); /* memory; 0: it is out */

void lzb_tell(lzb *z, impact_event_kind kind, int contact);
void lzb_tell_step(lzb *z, double s); /* samples of the last step, which ended there */
void lzb_tell_state(lzb *z, const lzb_state *y);

/* energy lost in contacts that is neither held nor given back */
double lzb_lost(const lzb *z, const lzb_state *y);

#endif
