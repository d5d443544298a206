/* Derivatives of hits and runs as Lua values. */
#ifndef BIND_VARY_H
#define BIND_VARY_H

#include <lua.h>

#include "impact/derive.h"

/* derive.c: the parameter of the model, the law, or a law inside, that `word` names; raises */
void bind_parameter(lua_State *L, const char *who, const model *m, const law *l, const char *word,
                    impact_parameter *out);

/* route, error and tie as fields of the table on top */
void bind_derived_fields(lua_State *L, const impact_derived *how);

void bind_open_derive(lua_State *L);
void bind_open_vary(lua_State *L);

#endif
