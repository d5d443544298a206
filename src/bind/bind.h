/* The Lua side of knock: one file per Lua type, each with a table of documented functions.
 *
 * `require "knock.core"` gives a table that lua/knock.lua builds the public module on. Every
 * function is registered with its usage and a line of documentation, so that help, the man page and
 * the editor annotations have one source. Lua errors never jump through numerics: bindings check
 * arguments first, call C, and raise at the outermost level from a core_error.
 */
#ifndef BIND_BIND_H
#define BIND_BIND_H

#include <lua.h>

#include "core/scratch.h"
#include "core/status.h"

/* one documented function or method */
typedef struct bind_function {
  const char *name;    /* "solve" */
  lua_CFunction call;  /* */
  const char *usage;   /* "A:solve(b) -> x" */
  const char *doc;     /* one or two sentences */
  const char *example; /* Lua that runs, with `--> output` where it prints; may be NULL */
} bind_function;

/* sets the functions as fields of the table on top, and their documentation in
 * registry["knock.doc"][owner][name] = {usage=, doc=, example=} */
void bind_register(lua_State *L, const char *owner, const bind_function *functions, int n);

/* Raises the error as a plain string with the script's line in front, and remembers its status for
 * the host's exit code. The line is that of the nearest function that is not knock's own Lua. */
int bind_raise(lua_State *L, const core_error *err);

/* pushes "script.lua:3: " for the nearest function on the stack that is not knock's own, or "" */
void bind_where(lua_State *L);

/* the status of the last raised error when `message` carries its text, else CORE_OK */
core_status bind_status_of(lua_State *L, const char *message);

/* the state's scratch memory (one per lua_State, freed with it) */
core_scratch *bind_scratch(lua_State *L);

/* opens everything: pushes the table of `require "knock.core"` */
int bind_open(lua_State *L);

/* one opener per type; each adds to the table on top of the stack and leaves it there */
void bind_open_matrix(lua_State *L);

#endif
