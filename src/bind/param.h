/* Lua tables to described structs and back: the one place where scripts' arguments are checked. */
#ifndef BIND_PARAM_H
#define BIND_PARAM_H

#include <lua.h>

#include "bind/numbers.h"
#include "core/param.h"
#include "core/scratch.h"

/* Reads the table at `index` into the struct; parameters that are not named stay as they are.
 * Never raises a Lua error; the line in err names the parameter, what came and what was expected.
 * Objects (laws, functions) are also put into the table at `anchors`, under their key. */
/* *common: the flags that all of them have */
core_status bind_params_flags(lua_State *L, int index, const core_schema *schema, void *at,
                              int anchors, core_scratch *s, unsigned *common, core_error *err);
core_status bind_params_read(lua_State *L, int index, const core_schema *schema, void *at,
                             int anchors, core_scratch *s, core_error *err);

/* every parameter without a default is in the table at `index`? */
core_status bind_params_complete(lua_State *L, int index, const core_schema *schema,
                                 core_error *err);

/* pushes the value of one parameter: number, boolean, word, vector, matrix, or nil when absent;
 * objects come from the table at `anchors` */
void bind_param_push(lua_State *L, const core_param *p, const void *at, int anchors);

/* the parameter a script means by this key ("friction" is mu, "restitution" is e), or NULL */
const core_param *bind_param_find(const core_schema *schema, const char *key);

/* "a string ('heavy')", "-1", "a list of 2": what came, in words */
void bind_describe(lua_State *L, int index, char *text, size_t size);

/* k or k.law itself, which is what a colon hands over? */
int bind_is_knock(lua_State *L, int index);

/* a table whose first key is a name: {foot = 0.8}, not {0.8} */
int bind_by_name(lua_State *L, int index);

/* pushes a shallow copy of the table at `from` */
void bind_push_copy(lua_State *L, int from);

#endif
