/* A recorder: the path of one impact as a table of numbers, with its events.
 *
 *   impact_path path;
 *   impact_path_init(&path, &problem);
 *   impact_sink sink = impact_path_sink(&path, 64);
 *   law_solve(..., &sink, ...);
 *   if (path.status) ...                 // memory was out
 *   impact_path_free(&path);
 *
 * Each point is one line of `width` numbers; events are points too, so that corners are exact.
 */
#ifndef IMPACT_PATH_H
#define IMPACT_PATH_H

#include <stddef.h>

#include "impact/sink.h"

/* where things are in a line; the others follow from `rows` */
enum {
  IMPACT_PATH_T,           /* [s], NaN for laws without time */
  IMPACT_PATH_STRAIN,      /* energy held by springs [J] */
  IMPACT_PATH_RESTITUTION, /* lost so far [J] */
  IMPACT_PATH_FRICTION,    /* lost so far [J] */
  IMPACT_PATH_WORK,        /* work of the normal impulses so far [J] */
  IMPACT_PATH_ROWS         /* p, v, x, force: rows numbers each; then nc each: mode, restituting,
                            * absorbed and returned work [J] */
};

typedef struct impact_path_event {
  impact_event_kind kind;
  int contact; /* from 0; -1 for the whole */
  int at;      /* line of the path */
} impact_path_event;

typedef struct impact_path {
  int nc, rows, width;
  int n, room; /* lines */
  double *lines;
  int n_events, room_events;
  impact_path_event *events;
  int has_time, has_deflection, has_force; /* some point had it */
  core_status status;                      /* CORE_NO_MEMORY when points were lost */
} impact_path;

void impact_path_init(impact_path *path, const impact_problem *pr);
void impact_path_free(impact_path *path);
core_status impact_path_copy(impact_path *to, const impact_path *from); /* to is empty */
impact_sink impact_path_sink(impact_path *path, int per_phase);

/* the `end` of a path is its result, to the last bit: laws sum along the way in another order */
void impact_path_end(impact_path *path, const impact_result *r);

static inline const double *impact_path_line(const impact_path *path, int i) {
  return path->lines + (size_t)i * (size_t)path->width;
}

/* offset in a line of the impulse (0), velocity (1), deflection (2), force (3) of the first row */
static inline int impact_path_column(const impact_path *path, int which) {
  return IMPACT_PATH_ROWS + which * path->rows;
}

/* offset of the mode (0), phase (1), absorbed (2) and returned (3) work of the first contact */
static inline int impact_path_state(const impact_path *path, int which) {
  return IMPACT_PATH_ROWS + 4 * path->rows + which * path->nc;
}

#endif
