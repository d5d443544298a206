/* Laws written in Lua. */
#ifndef BIND_LUA_LAW_H
#define BIND_LUA_LAW_H

#include <lua.h>

#include "impact/law.h"

/* k.law{...} -> law; the table k.law itself is argument 1 (it is called) */
int bind_lua_law(lua_State *L);

/* pushes the rows per contact: a number, or a list where `first` says that they differ */
void bind_dim_push(lua_State *L, int nc, int dim, const int *first);

/* pushes what a law sees of a problem: {W =, v =, gap =, nc =, dim =, rows =} */
void bind_problem_push(lua_State *L, const impact_problem *pr);

#endif
