/* Cycles of events (cycles.c): what its four files share. Nobody else includes this. */
#ifndef IMPACT_LAWS_COMPLIANT_CYCLE_H
#define IMPACT_LAWS_COMPLIANT_CYCLE_H

#include <stdint.h>

#include "impact/laws/compliant/fast/fast.h"

enum {
  CYCLE_NODES = 6,    /* of a stretch */
  CYCLE_LIVE = 16,    /* numbers of the state at most, */
  CYCLE_SUMS = 32,    /* and sums beside it */
  CYCLE_PHASES = 8,   /* of one cycle at most */
  CYCLE_CONTACTS = 6, /* whose modes are one word of ten bits each */
  CYCLE_MARGINS = CYCLE_PHASES + 2 * CYCLE_CONTACTS,
  CYCLE_RING = 4 * CYCLE_PHASES
};

/* ---- cycle_rule.c ---- */

/* A stretch of so many cycles, 0 to count - 1: sums of polynomials over them, and differences. Node
 * 0 is the start, which is no node of the sum; the last one is count - 1. */
typedef struct cycle_rule {
  double count;
  double at[CYCLE_NODES + 1];
  double weight[CYCLE_NODES]; /* of nodes 1 to CYCLE_NODES: exact up to degree 2 nodes - 2 */
  double D[CYCLE_NODES * CYCLE_NODES]; /* U(k_i + 1) - U(k_i) = sum_j D[j * nodes + i] U(k_j) */
  double back[CYCLE_NODES];            /* value at 0 of what nodes 1 on say */
} cycle_rule;

core_status cycle_make_rule(double count, core_scratch *s, cycle_rule *rule);

/* ---- cycle_map.c ---- */

/* where a number of the state stands */
typedef struct cycle_slot {
  enum { CYCLE_Y, CYCLE_V, CYCLE_TOP, CYCLE_FROM } what;
  int index; /* row, or contact */
  int fast;  /* a spring that has events in the cycle, or its v_n */
} cycle_slot;

/* what one cycle changes: the state, and sums (impulses, time, lost energies, work of contacts);
 * and what must stay positive for it to go on like this: lengths of its phases squared, [T^2], and
 * event functions of contacts without events */
typedef struct cycle_step {
  double state[CYCLE_LIVE], sum[CYCLE_SUMS], margin[CYCLE_MARGINS];
} cycle_step;

struct compliant_cycles {
  /* what has been, the last of it in rings */
  uint64_t modes[CYCLE_RING]; /* of all contacts after the events */
  long events[CYCLE_RING];    /* told by then, */
  double times[CYCLE_RING];   /* and their time [T], */
  double *states;             /* y and v: CYCLE_RING x 2 rows */
  long phases;                /* so far without a flight, */
  long skipped;               /* and when cycles were skipped last */
  long next_try, pause;       /* in phases */
  /* the cycle in hand */
  int length;                    /* phases */
  uint64_t course[CYCLE_PHASES]; /* modes after each */
  int busy[CYCLE_CONTACTS];      /* contacts: has events of its own in it */
  double period;                 /* of the last one [T] */
  long told;                     /* events of one */
  int live, sums, margins;
  cycle_slot slot[CYCLE_LIVE];
  int summed[3 * CYCLE_CONTACTS]; /* rows: what y changes by is known from gone */
  /* the state at its start */
  double *y, *v, *p;     /* rows each */
  double *gone, *before; /* 3 rows: see compliant.gone; rows */
  compliant_contact *c;
  double time, lost_restitution, lost_friction, energy;
  compliant_memory memory;
};

uint64_t cycle_modes(const compliant *z);
static inline unsigned cycle_mode(const compliant *z, uint64_t all, int contact) {
  return all >> (10 * (z->nc - 1 - contact)) & 1023;
}
enum { /* parts of a mode */
       CYCLE_GRIP = 15,
       CYCLE_BACK = 1 << 4, /* in restitution */
       CYCLE_CLOSED = 1 << 5,
       CYCLE_TIE = 1 << 6,
       CYCLE_STAYS = 3 | CYCLE_BACK | CYCLE_CLOSED
};

void cycle_keep_start(compliant *z);
void cycle_take_back(compliant *z);
void cycle_choose_slots(compliant *z);
/* one cycle from the start and what is off it: 1 when it went as the course says; z is left where
 * it ends, but for sums */
int cycle_walk(compliant *z, const double *off, cycle_step *step, core_status *status);
void cycle_land(compliant *z, const double *sum); /* sums of all */

/* ---- cycle_stretch.c ---- */

typedef struct cycle_stretch {
  cycle_rule rule;
  int live, time;                    /* numbers of the state; which sum is the time */
  int reached;                       /* nodes that went as the course says */
  cycle_step start, at[CYCLE_NODES]; /* what one cycle changes, at the start and the nodes */
  double J[CYCLE_LIVE * CYCLE_LIVE]; /* d(change)/d(state), column by column */
  double J_time[CYCLE_LIVE];         /* and of its time */
  double J_at[CYCLE_NODES][CYCLE_LIVE * CYCLE_LIVE]; /* the same at the nodes */
  double U[CYCLE_NODES * CYCLE_LIVE]; /* state at the nodes, less that at the start */
  double size[CYCLE_LIVE];            /* of a number of the state */
  double weight[CYCLE_LIVE];          /* what a number of the state does to the speeds */
  double noise[CYCLE_LIVE];           /* rounding of what it changes by */
  int has_path;                       /* the last stretch ended where this one starts: */
  double path_at[4];                  /* nodes of it, less its end, */
  double path[4][CYCLE_LIVE];         /* and the state there, less that at its start */
  int sweeps;
  double unsettled; /* in the last of them, parts of its margins */
  double error;     /* its estimate, 1: what is allowed */
} cycle_stretch;

void cycle_note_path(cycle_stretch *x); /* for the first guess of the next one, */
/* or of the first: what has been walked, the state then `cycles` j / 3 before the start */
void cycle_note_walk(const compliant *z, cycle_stretch *x, int cycles, const double *states[]);
int cycle_differentiate(compliant *z, cycle_stretch *x, core_status *status);
/* 1: done, z is where they end, but for the sums */
int cycle_try(compliant *z, cycle_stretch *x, double count, core_status *status);

#endif
