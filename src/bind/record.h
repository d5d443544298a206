/* The recording of a solve: the problem as the law saw it, and the path that the law told.
 *
 * A problem is solved once. A law whose answer may differ when it is asked again (LAW_SCRIPT) is
 * recorded while it is solved. The others are functions of the problem and their parameters: their
 * path is had by a replay of the same problem, when it is first looked at, and kept. Events, path,
 * figures and pages read the recording.
 */
#ifndef BIND_RECORD_H
#define BIND_RECORD_H

#include <lua.h>

#include "impact/law.h"
#include "impact/path.h"
#include "model/model.h"

/* Points between two events, unless a script says how many: 80, and 16 in a period of the fastest
 * vibration. */
enum { BIND_RECORD_POINTS = -2, BIND_RECORD_LEAST = 80, BIND_RECORD_PER_TURN = 16 };

typedef struct bind_record {
  const void *is;    /* names the type, see bind_object_of */
  const law *l;      /* kept alive by the user value */
  impact_problem pr; /* own copy */
  int solved;        /* the first solve is over, and gave: */
  impact_result r;   /* p and v point into data */
  int per_phase;     /* points between two events that the path has; -1: not recorded yet */
  impact_path path;
  double data[]; /* of pr and r */
} bind_record;

/* pushes a recording without a path; the law's value is at law_index. r is what the solve gave, or
 * NULL: it is still to come. */
bind_record *bind_record_new(lua_State *L, int law_index, const law *l, const impact_problem *pr,
                             const impact_result *r);
bind_record *bind_record_test(lua_State *L, int index); /* NULL: not a recording */

/* the solve, with the recorder at the law's sink; the result is in rec->r */
core_status bind_record_solve(bind_record *rec, int per_phase, core_scratch *s, core_error *err);

/* After this the path is there, with that many points between two events (or
 * BIND_RECORD_POINTS; -1: any number will do).
 * Raises what goes wrong, but for what went wrong in the first solve too. */
void bind_record_replay(lua_State *L, bind_record *rec, int per_phase);

/* list of the work that each contact took in (0) or gave back (1); nil where the law has none */
void bind_path_work(lua_State *L, const impact_path *path, int returned);

/* hit_path.c: pushes the list of events; contacts maps to those of the model (NULL, and m too: as
 * they are) */
void bind_path_events(lua_State *L, const impact_path *path, const impact_problem *pr,
                      const int *contacts, const model *m);

struct bind_hit;

/* What comes before the first line of a path: the state before the impact. */
typedef struct bind_path_start {
  const double *v;   /* rows: contact velocity before [m/s] */
  const double *gap; /* nc: distances before [m] */
  double kinetic;    /* energy before [J] */
} bind_path_start;

/* pushes a table of columns with their names and units; with a start the columns begin there, and
 * there are two more: kinetic energy, and impulse (normal, of all contacts). The hit's contacts say
 * the units (NULL: metres) */
void bind_path_columns(lua_State *L, const impact_path *path, const impact_problem *pr,
                       const bind_path_start *start, const struct bind_hit *hit);

/* pushes the set of flags of a result: {redundant = true, ...}, with no_impact for that status */
void bind_result_flags(lua_State *L, const impact_result *r);

/* solutions.c: pushes true, false, or nil when it is not known whether the answer is the only one
 */
void bind_solutions_unique(lua_State *L, const law *l, const impact_problem *pr, unsigned flags);
/* pushes the list of all solutions, each {impulse =, velocity =}; nil when they are not known */
void bind_solutions_push(lua_State *L, const law *l, const impact_problem *pr);

#endif
