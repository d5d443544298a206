/* The only way out of a law besides its result: events and samples of the path.
 *
 * A sink is NULL when nobody looks, which is the fast way. Laws call it in the order of the
 * process.
 */
#ifndef IMPACT_SINK_H
#define IMPACT_SINK_H

#include "impact/problem.h"

#define IMPACT_EVENT_LIST(X)                                                                       \
  X(IMPACT_SLIP, "slip", "sliding starts")                                                         \
  X(IMPACT_STICK, "stick", "sliding stops and the contact sticks")                                 \
  X(IMPACT_REVERSAL, "reversal", "sliding stops and starts the other way")                         \
  X(IMPACT_COMPRESSION_END, "compression_end", "greatest compression, v_n = 0")                    \
  X(IMPACT_OPEN, "open", "the contact opens")                                                      \
  X(IMPACT_CLOSE, "close", "the contact closes")                                                   \
  X(IMPACT_JAM, "jam", "the normal velocity cannot be stopped")                                    \
  X(IMPACT_CYCLES, "cycles", "the last events have repeated many times, not told one by one")      \
  X(IMPACT_END, "end", "the impact is over")

#define IMPACT_EVENT_ENUM(name, word, text) name,
typedef enum impact_event_kind { IMPACT_EVENT_LIST(IMPACT_EVENT_ENUM) } impact_event_kind;
#undef IMPACT_EVENT_ENUM

const char *impact_event_word(impact_event_kind kind);

/* state of one contact along the path */
typedef enum impact_mode { IMPACT_MODE_OPEN, IMPACT_MODE_STICK, IMPACT_MODE_SLIP } impact_mode;

/* One point of the process. Pointers live only during the call; NULL where the law has no such
 * thing (a rigid law has no deflection). Energies count from the start of the impact. */
typedef struct impact_sample {
  double t;                /* [s], NaN for laws without time */
  const double *p;         /* rows: impulse so far [N s] */
  const double *v;         /* rows: contact velocity [m/s] */
  const double *x;         /* rows: spring deflection [m] */
  const double *force;     /* rows: contact force [N] */
  const int *mode;         /* nc: impact_mode */
  const int *restituting;  /* nc: 0 compression, 1 restitution */
  double strain;           /* energy held by springs [J] */
  double lost_restitution; /* [J] */
  double lost_friction;    /* [J] */
  double work_normal;      /* work of the normal impulses so far [J], negative while compressing */
  const double *absorbed;  /* nc: work that each contact has taken in while it was compressed [J] */
  const double *returned;  /* nc: and given back [J] */
} impact_sample;

typedef struct impact_event {
  impact_event_kind kind;
  int contact;          /* from 0; -1 for the whole */
  impact_sample sample; /* state at the event */
} impact_event;

typedef struct impact_sink {
  void *self;
  int per_phase; /* samples a law should give between two events (0: events only) */
  int per_turn;  /* and in each period of the fastest vibration, where there is one (0: any number)
                  */
  void (*sample)(void *self, const impact_sample *s); /* or NULL: events only */
  void (*event)(void *self, const impact_event *e);
} impact_sink;

/* how many samples of so many rows that makes of a phase in which the fastest vibration turns by
 * `angle` [rad] */
int impact_sink_samples(const impact_sink *sink, int rows, double angle);

#endif
