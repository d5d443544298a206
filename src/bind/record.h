/* Recorded paths as Lua tables. */
#ifndef BIND_RECORD_H
#define BIND_RECORD_H

#include <lua.h>

#include "impact/path.h"

/* pushes a recorder that is freed with the userdata at the latest */
impact_path *bind_path_new(lua_State *L, const impact_problem *pr);

/* pushes the list of events; contacts maps to the model's contacts (NULL: as they are) */
void bind_path_events(lua_State *L, const impact_path *path, int dim, const int *contacts);

/* pushes a table of columns with their names and units */
void bind_path_columns(lua_State *L, const impact_path *path, int dim);

/* pushes the set of flags of a result: {redundant = true, ...}, with no_impact for that status */
void bind_result_flags(lua_State *L, const impact_result *r);

#endif
