/* The answer to k.impact: what the law found is in the userdata itself, all else is computed when
 * it is asked for, from the model and the law that the hit keeps alive. */
#ifndef BIND_HIT_H
#define BIND_HIT_H

#include <lua.h>

#include "impact/assemble.h"

enum { BIND_HIT_MODEL = 1, BIND_HIT_LAW, BIND_HIT_CACHE }; /* user values */

typedef struct bind_hit {
  const model *m; /* kept alive by the user values */
  const law *l;
  int nu, nc, rows;
  double touch;     /* gaps up to this count as closed [m] */
  impact_result r;  /* p and v point into data */
  double *u;        /* nu: after */
  double *v_before; /* rows */
  int *contacts;    /* nc indices into the model's contacts */
  double data[];
} bind_hit;

/* pushes a hit with room for the answer; model and law are the values at those indices */
bind_hit *bind_hit_new(lua_State *L, int model_index, int law_index, int nu, int nc, int rows);
bind_hit *bind_hit_test(lua_State *L, int index); /* NULL: not a hit */
bind_hit *bind_hit_check(lua_State *L, int index, const char *who);

/* Solves again with a sink (NULL: only the set-up). Scratch memory; the caller marks it. */
core_status bind_hit_again(const bind_hit *hit, core_scratch *s, impact_sink *sink,
                           impact_setup *setup, impact_result *r, core_error *err);

/* hit_field.c: pushes the field; the hit is at index 1 */
void bind_hit_energy(lua_State *L, const bind_hit *hit);
void bind_hit_audit(lua_State *L, const bind_hit *hit);
void bind_hit_flags(lua_State *L, const bind_hit *hit);
void bind_hit_notes(lua_State *L, const bind_hit *hit);
void bind_hit_matrix_figure(lua_State *L, const bind_hit *hit, char which); /* 'W', 'c', 'r' */

/* hit_path.c: lists of events and columns of the path */
void bind_hit_events(lua_State *L, const bind_hit *hit);
void bind_hit_path(lua_State *L, const bind_hit *hit, int per_phase);

void bind_open_hit(lua_State *L);

#endif
