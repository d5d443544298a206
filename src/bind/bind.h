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
  lua_CFunction call;  /* what it does */
  const char *usage;   /* "A:solve(b) -> x" */
  const char *doc;     /* one or two sentences */
  const char *example; /* Lua that runs, with `--> output` where it prints; may be NULL */
} bind_function;

/* one documented field of a Lua type; its push is in the X list that makes both */
typedef struct bind_field {
  const char *name, *unit, *doc;
} bind_field;

#define BIND_FIELD_DOC(name, unit, doc, push) {#name, unit, doc},

/* registry["knock.fields"][type] = list of {name, unit, doc}: core.fields, for help and Tab */
void bind_document(lua_State *L, const char *type, const bind_field *fields, int n);

/* sets the functions as fields of the table on top, and their documentation in
 * registry["knock.doc"][owner][name] = {usage=, doc=, example=} */
void bind_register(lua_State *L, const char *owner, const bind_function *functions, int n);

/* The options of a function ("k.simulate"), described as the parameters of models are: checked at
 * start-up, and in core.options and the catalogue for help and Tab. bind_params_read reads them. */
struct core_schema;
void bind_option_schema(lua_State *L, const char *function, const struct core_schema *schema);

/* Raises the error as a plain string with the script's line in front, and remembers its status for
 * the host's exit code. The line is that of the nearest function that is not knock's own Lua.
 * A CORE_CALLBACK error says what the script's own function said. */
int bind_raise(lua_State *L, const core_error *err) __attribute__((noreturn));

/* raises unless status is CORE_OK; the error gets that status: a callee may leave it without text
 */
void bind_raise_if(lua_State *L, core_status status, core_error *err);

/* pushes "script.lua:3: " for the nearest function on the stack that is not knock's own, or "" */
void bind_where(lua_State *L);

/* the status of the last raised error when `message` carries its text, else CORE_OK */
core_status bind_status_of(lua_State *L, const char *message);

/* luaL_error, but with the line of the script even when knock's own Lua stands in between */
int bind_error(lua_State *L, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

/* The state's scratch memory (one per lua_State, freed with it). Every binding that runs numerics
 * starts here, so this also notes L as the thread that callbacks into Lua run on. */
core_scratch *bind_scratch(lua_State *L);

/* Metatables of userdata. A type is named by the address of its bind_kind, which says which of
 * them it has; changed copies of models and laws that own nothing have another one
 * (bind_object_rests). */
enum bind_slot {
  BIND_MATRIX,
  BIND_ROW,
  BIND_MODEL,
  BIND_MODEL_RESTS,
  BIND_LAW,
  BIND_LAW_RESTS,
  BIND_HIT,
  BIND_RECORD,
  BIND_RUN,
  BIND_SLOTS
};
typedef struct bind_kind {
  enum bind_slot slot, rests; /* rests: of models and laws */
} bind_kind;

/* What hangs off one lua_State. Functions of the script that numerics call back (Lua models, Lua
 * laws, events) run on `L` by bind_protect, and leave their error in `error` when they fail. */
typedef struct bind_state {
  core_scratch scratch;
  lua_State *L;               /* thread of the binding that is running */
  core_error error;           /* what the last failed callback said */
  int metatables[BIND_SLOTS]; /* registry[that] */
} bind_state;

/* to be called on a new lua_State before anything else: where its bind_state will be kept */
void bind_begin(lua_State *L);

bind_state *bind_state_of(lua_State *L);

/* Calls f(arg as light userdata) on state->L by pcall: the only way from numerics into Lua. f
 * pushes, calls and reads as it likes. CORE_OK, or CORE_CALLBACK or CORE_INTERRUPTED with the
 * message, "<what>: ...", in state->error. */
core_status bind_protect(bind_state *state, lua_CFunction f, void *arg, const char *what);

/* ends the plotting session of this process, before a worker of a sweep ends without an exit */
void bind_plot_leave(lua_State *L);

/* opens everything: pushes the table of `require "knock.core"` */
int bind_open(lua_State *L);

/* one opener per type; each adds to the table on top of the stack and leaves it there */
void bind_open_matrix(lua_State *L);
void bind_open_model(lua_State *L);
void bind_open_mechanism(lua_State *L);
void bind_open_xml(lua_State *L); /* on the table of mechanisms */
void bind_open_law(lua_State *L);
void bind_open_impact(lua_State *L);
void bind_open_table(lua_State *L);
void bind_open_sweep(lua_State *L);
void bind_open_prepare(lua_State *L);
void bind_open_lane(lua_State *L);
void bind_open_solve(lua_State *L);
void bind_open_check(lua_State *L);
void bind_open_plot(lua_State *L);
void bind_open_outline(lua_State *L); /* after plot */
void bind_open_catalog(lua_State *L);
void bind_open_run(lua_State *L);

#endif
