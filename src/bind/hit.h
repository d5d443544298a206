/* The answer to k.impact: the problem as it was solved and what the law found are in the userdata
 * itself, the path is in its recording (record.h), all else is computed when it is asked for. */
#ifndef BIND_HIT_H
#define BIND_HIT_H

#include <lua.h>

#include "bind/record.h"
#include "impact/assemble.h"

enum { BIND_HIT_MODEL = 1, BIND_HIT_LAW, BIND_HIT_RECORD }; /* user values */

typedef struct bind_hit {
  const void *is; /* names the type, see bind_object_of */
  const model *m; /* kept alive by the user values */
  const law *l;
  int nu;
  double touch;      /* gaps up to this count as closed [m] */
  impact_problem pr; /* as it was solved; it and the rest point into data */
  impact_result r;
  double *u;     /* nu: after */
  int *contacts; /* nc indices into the model's contacts */
  double data[];
} bind_hit;

/* pushes a hit of the problem with room for the answer; model and law are the values at 1 and 2 */
bind_hit *bind_hit_new(lua_State *L, const model *m, const law *l, const impact_setup *setup);
bind_hit *bind_hit_test(lua_State *L, int index); /* NULL: not a hit */
bind_hit *bind_hit_check(lua_State *L, int index, const char *who);

/* the hit's recording (pushed): made when there is none yet, with that many points between two
 * events (-1: as it is, or none) */
bind_record *bind_hit_recording(lua_State *L, int index, const bind_hit *hit, int per_phase);

/* hit_field.c: pushes an empty table of n numbers by name that prints them; others are errors */
void bind_parts(lua_State *L, int n);

/* pushes the field; the hit is at index 1 */
void bind_hit_energy(lua_State *L, const bind_hit *hit);
void bind_hit_audit(lua_State *L, const bind_hit *hit);
void bind_hit_flags(lua_State *L, const bind_hit *hit);
void bind_hit_notes(lua_State *L, const bind_hit *hit);
void bind_hit_closed_gaps(lua_State *L, const bind_hit *hit);
void bind_hit_work(lua_State *L, const bind_hit *hit, int returned);
void bind_hit_matrix_figure(lua_State *L, const bind_hit *hit, char which); /* 'W', 'c', 'r' */

/* hit_path.c: lists of events and columns of the path */
void bind_hit_events(lua_State *L, const bind_hit *hit);
void bind_hit_path(lua_State *L, const bind_hit *hit, int per_phase);
/* the path with the state before the impact at its start */
void bind_hit_course(lua_State *L, const bind_hit *hit, int per_phase);

void bind_open_hit(lua_State *L);

#endif
