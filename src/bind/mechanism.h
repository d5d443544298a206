/* Mechanisms as Lua values: mechanism.c makes them from the declaration that
 * lua/knock/mechanism.lua has put in order, mechanism_state.c lets scripts speak of q and u by the
 * bodies' names. */
#ifndef BIND_MECHANISM_H
#define BIND_MECHANISM_H

#include <lua.h>

#include "model/mechanism.h"

/* Reads the declaration at stack index 1, whose texts it points into. What it needs stays on the
 * stack above. Raises an error when it is none. */
mechanism_spec bind_mechanism_read(lua_State *L);

/* Pushes what belongs to a definition: { spec =, q =, u =, torque = }, or nothing (0). `q` and `u`
 * are the names of coordinates and speeds: a place, or {first, n} of a body with several. */
int bind_mechanism_info(lua_State *L, const mechanism *d);

/* the table on top gets `turns`, {[c] = true} of contacts that are stops of hinges, if there are
 * some */
void bind_mechanism_turns(lua_State *L, const model *m);

/* pushes q (or u, by `of`) of a model as a vector; that of a mechanism knows its names: q.leg */
void bind_state_push(lua_State *L, const model *m, char of, const double *x);

/* Replaces the table at `index` by one in which q and u, by body or as a whole, have become the
 * parameters of the bodies ("leg.q"). Tables without them, and other models, stay as they are. */
void bind_mechanism_spread(lua_State *L, int index, const model_type *type);

/* x (nq or nu numbers, by `of`) changed by a table like {leg = 0.3}; 0: it is no such table */
int bind_mechanism_named(lua_State *L, int index, const model *m, char of, const char *who,
                         double *x);

/* does the table at `index` name the body of coordinate (or speed) i? */
int bind_mechanism_names(lua_State *L, int index, const model *m, char of, int i);

#endif
