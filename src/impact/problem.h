/* The narrow waist: all that an impact law ever sees of a mechanism.
 *
 * With the configuration frozen, an impulse p at the contacts changes the contact velocity by
 *
 *   v+ = v- + W p,   W = J M^-1 J^T
 *
 * Rows go contact by contact: (n), (t, n) or (t1, t2, n). n points away from the obstacle, v_n < 0
 * approaches, gap > 0 is open, p is what the obstacle gives the body (p_n >= 0). Contacts of one
 * problem may differ in their rows: the stop of a joint has (n) alone beside feet with (t, n).
 */
#ifndef IMPACT_PROBLEM_H
#define IMPACT_PROBLEM_H

#include <float.h>
#include <math.h>
#include <stddef.h>

#include "core/pair.h"
#include "core/scratch.h"
#include "core/status.h"

/* rows [from, to) that may be other than zero */
typedef struct impact_span {
  int from, to;
} impact_span;

typedef struct impact_problem {
  int nc;            /* contacts */
  int dim;           /* rows of each contact: 1, 2 or 3; of the one with most where they differ */
  int rows;          /* of all contacts */
  const double *W;   /* rows x rows, column-major, symmetric, positive semi-definite [1/kg] */
  const double *v;   /* rows: contact velocity before the impact [m/s] */
  const double *gap; /* nc: distance still open [m]; NULL means all zero */
  int made;          /* 1: by impact_assemble, so sizes and shape of W are right as they are */
  int in_run;        /* 1: the caller moves the mechanism between impacts, flights are his */
  const int *first;  /* nc + 1: first row of each contact, then `rows`; NULL: dim rows each */
  /* rows: where the columns of W are not zero, since bodies in a chain touch neighbours only; NULL:
   * not looked up. Speed only: whoever multiplies asks impact_spans. */
  const impact_span *span;
} impact_problem;

/* first row of contact c; also the end of contact c - 1 */
static inline int impact_first(const impact_problem *pr, int c) {
  return pr->first ? pr->first[c] : c * pr->dim;
}

/* how many rows contact c has: 1, 2 or 3 */
static inline int impact_rows_of(const impact_problem *pr, int c) {
  return pr->first ? pr->first[c + 1] - pr->first[c] : pr->dim;
}

/* index of the normal row of contact c: its last */
static inline int impact_normal(const impact_problem *pr, int c) {
  return impact_first(pr, c + 1) - 1;
}

/* flags of a result: things that are true and worth saying, none of them a failure */
enum {
  IMPACT_REDUNDANT = 1,     /* rows depend on each other: minimum-norm impulses for this velocity */
  IMPACT_GAINS_ENERGY = 2,  /* the law created kinetic energy here */
  IMPACT_STUCK = 4,         /* ended in stick */
  IMPACT_AS_PRINTED = 8,    /* repeats a slip of a published program on purpose */
  IMPACT_CLOSED_GAP = 16,   /* a contact that was open at the start got an impulse */
  IMPACT_TIE = 32,          /* contacts closed together, and the law chose their order */
  IMPACT_RETURNS = 64,      /* a contact that touched has left and approaches again at the end */
  IMPACT_OPEN_LEDGER = 128, /* what was lost and is stored does not add up to what is missing */
  IMPACT_PRESSED_AGAIN = 256, /* a contact with e < 1 was pressed again before it opened */
  IMPACT_CONTINUUM = 512,     /* other shares of dependent contacts are other velocities */
  IMPACT_INEXACT = 1024,      /* the law of the contacts is met less closely than 1e-12: residual */
  IMPACT_SKIPPED = 2048       /* cycles of events were stepped over: they are not told one by one */
};

/* What a law gives back. The caller provides p and v (rows numbers each). */
typedef struct impact_result {
  core_status status;      /* CORE_OK, CORE_NO_IMPACT, or what failed */
  unsigned flags;          /* IMPACT_REDUNDANT ... */
  double *p;               /* impulse [N s] */
  double *v;               /* contact velocity after [m/s] */
  double lost_restitution; /* energy lost in the normal direction [J] */
  double lost_friction;    /* energy lost in sliding [J] */
  double stored;           /* energy still held by springs at the end [J] */
  double duration;         /* [s]; NaN for laws without time */
  double residual;         /* of the cone problem (impact/modes.h); NaN for laws without it */
} impact_result;

/* Checks that every law shares: sizes, finite numbers, symmetry, W_ii >= 0, gap >= 0. */
core_status impact_problem_check(const impact_problem *pr, core_error *err);

/* The rest of what W must be: positive semi-definite as a whole, which three rows may fail to be
 * although any two are. Give it a checked problem. */
core_status impact_problem_definite(const impact_problem *pr, core_scratch *s, core_error *err);

/* 0 when a number of a made problem is NaN or infinite: 0 x is then NaN, and so is the sum */
static inline int impact_problem_finite(const impact_problem *pr) {
  const double *W = pr->W, *v = pr->v;
  double zero = 0 * pr->gap[0];
  for (int c = 1; c < pr->nc; c++) zero += 0 * pr->gap[c];
  if (pr->rows == 2) {
    core_pair sum = 0 * core_pair_at(W) + 0 * core_pair_at(W + 2) + 0 * core_pair_at(v);
    return zero + (sum[0] + sum[1]) == 0;
  }
  for (int i = 0; i < pr->rows * pr->rows; i++) zero += 0 * W[i];
  for (int i = 0; i < pr->rows; i++) zero += 0 * v[i];
  return zero == 0;
}

/* Rounding of a sliding contact's velocity is no approach: an arm that hangs straight down has
 * W_nn ~ 1e-32, and a v_n of -1e-16 would become an impulse of 1e16. */
static inline int impact_slides(const impact_problem *pr, int c) {
  int n = impact_normal(pr, c);
  double size = 0;
  for (int i = impact_first(pr, c); i < n; i++) size += fabs(pr->v[i]);
  return -pr->v[n] <= 64 * DBL_EPSILON * size;
}

/* 1 when some contact with zero gap (or, with_gaps, any contact) approaches */
static inline int impact_approaches(const impact_problem *pr, int with_gaps) {
  for (int c = 0; c < pr->nc; c++) {
    int touching = with_gaps || !pr->gap || pr->gap[c] <= 0;
    if (touching && pr->v[impact_normal(pr, c)] < 0 && !impact_slides(pr, c)) return 1;
  }
  return 0;
}

/* contact c was open when the impact began */
static inline int impact_was_open(const impact_problem *pr, int c) {
  return pr->gap && pr->gap[c] > 0;
}

/* no contact touched when the impact began */
static inline int impact_all_open(const impact_problem *pr) {
  for (int c = 0; c < pr->nc; c++)
    if (!impact_was_open(pr, c)) return 0;
  return pr->nc > 0;
}

/* 1 when a flight to contact c, while nothing is loaded, belongs to this impact. q is frozen, so
 * that flights belong to who moves the mechanism: in a run a contact that was open at the start
 * closes under load or not at all. An impact by itself takes in what follows within `period`, that
 * of the slowest spring (0: laws without time). What touched at the start may leave and come back
 * within 25 of them. When nothing touches at the start the impact begins with the first that
 * closes. A window that was asked for (not NaN) replaces both times. Times in any one unit. */
static inline int impact_may_fly(const impact_problem *pr, int c, int begun, double duration,
                                 double window, double period) {
  int was_open = impact_was_open(pr, c);
  if (!begun && impact_all_open(pr)) return isnan(window) || period > 0 || duration <= window;
  if (was_open && pr->in_run) return 0;
  return duration <= (!isnan(window) ? window : was_open ? period : 25 * period);
}

/* where the n columns of W are not zero */
void impact_find_spans(int n, const double *W, impact_span *span);

/* pr->span, or looked up now; NULL: memory is out */
const impact_span *impact_spans(const impact_problem *pr, core_scratch *s);

/* *s grows to hold `more` too */
static inline void impact_include(impact_span *s, impact_span more) {
  if (s->to == s->from)
    *s = more;
  else if (more.to > more.from)
    *s =
        (impact_span){s->from < more.from ? s->from : more.from, s->to > more.to ? s->to : more.to};
}

/* A copy that owns its numbers: `room` of impact_problem_size bytes, aligned for doubles, and its
 * length is a multiple of theirs. */
size_t impact_problem_size(const impact_problem *pr);
void impact_problem_copy(const impact_problem *pr, void *room, impact_problem *copy);

/* v+ = v- + W p */
void impact_velocity_after(const impact_problem *pr, const double *p, double *v);

/* nothing happens: p = 0, v+ = v-, status CORE_NO_IMPACT; returns that status */
core_status impact_nothing(const impact_problem *pr, impact_result *r);

#endif
