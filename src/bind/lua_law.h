/* Laws written in Lua. */
#ifndef BIND_LUA_LAW_H
#define BIND_LUA_LAW_H

#include <lua.h>

#include "impact/law.h"

/* k.law{...} -> law; the table k.law itself is argument 1 (it is called) */
int bind_lua_law(lua_State *L);

/* pushes what a law sees of a problem: {W =, v =, gap =, nc =, dim =, rows =} */
void bind_problem_push(lua_State *L, const impact_problem *pr);

#endif
