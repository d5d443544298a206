/* What models and laws written in Lua share: a definition table with functions, and parameters that
 * become a schema like that of any model or law written in C.
 *
 * A spec is a userdata; its first user value is the definition, the second is free for who uses it.
 * It is found from C by its address, through a table with weak values, so that functions which know
 * their own model can still be collected. Who uses it keeps it alive as the first user value of its
 * own userdata.
 */
#ifndef BIND_SPEC_H
#define BIND_SPEC_H

#include <lua.h>

#include "bind/bind.h"
#include "core/param.h"

typedef struct bind_spec {
  bind_state *state;
  core_schema schema; /* q and u (models), then the parameters in alphabetical order; core_lists */
  core_param *params;
} bind_spec;

/* one key of a definition */
typedef struct bind_spec_key {
  const char *key;
  const char *types;   /* Lua types it may have: "function|number|table|matrix" */
  const char *expects; /* for the message: "a function of q" */
  int required;
} bind_spec_key;

/* Checks the definition at `index` (keys end with {0}) and pushes a spec: `size` bytes that start
 * with a bind_spec, cleared otherwise. who is "model" or "law"; extra is a NULL-ended list of
 * parameters that come first ("q", "u"). The schema's owner is prefix .. definition.name. */
bind_spec *bind_spec_new(lua_State *L, int index, size_t size, const char *who, const char *prefix,
                         const bind_spec_key *keys, const char *const *extra);

/* pushes a table of parameters from definition: {q =, u =, and its `parameters`} */
void bind_spec_values(lua_State *L, int index, const char *const *extra);

/* Inside bind_protect: pushes a value of the definition; returns its type. */
int bind_spec_get(lua_State *L, const bind_spec *spec, const char *key);

/* pushes {key = value} of the parameters of one instance, without the `skip` first ones */
void bind_spec_parameters(lua_State *L, const bind_spec *spec, const void *params, int skip);

#endif
