#include "bind/bind.h"

#include <lauxlib.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind/vary.h"
#include "core/interrupt.h"

void bind_register(lua_State *L, const char *owner, const bind_function *functions, int n) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, "knock.doc");
  luaL_getsubtable(L, -1, owner); /* target, doc, doc[owner] */
  for (int i = 0; i < n; i++) {
    const bind_function *f = &functions[i];
    lua_createtable(L, 0, 3);
    lua_pushstring(L, f->usage);
    lua_setfield(L, -2, "usage");
    lua_pushstring(L, f->doc);
    lua_setfield(L, -2, "doc");
    lua_pushstring(L, f->example);
    lua_setfield(L, -2, "example");
    lua_setfield(L, -2, f->name);
    lua_pushcfunction(L, f->call);
    lua_setfield(L, -4, f->name);
  }
  lua_pop(L, 2);
}

/* ---- the state ---- */

static const char state_key; /* registry[&state_key] is the userdata that holds the bind_state */

static int free_state(lua_State *L) {
  bind_state *state = lua_touserdata(L, 1);
  core_scratch_free(&state->scratch);
  return 0;
}

static bind_state *new_state(lua_State *L) {
  bind_state *state = lua_newuserdatauv(L, sizeof *state, 0);
  *state = (bind_state){.L = L};
  core_scratch_init(&state->scratch);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, free_state);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &state_key);
  return state;
}

/* Lua keeps a pointer of ours beside each thread; new threads get that of the first one */
static bind_state **place(lua_State *L) {
  return (bind_state **)lua_getextraspace(L);
}

void bind_begin(lua_State *L) {
  *place(L) = NULL;
}

static bind_state *find_state(lua_State *L) {
  int type = lua_rawgetp(L, LUA_REGISTRYINDEX, &state_key);
  bind_state *state = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return *place(L) = type == LUA_TUSERDATA ? state : new_state(L);
}

bind_state *bind_state_of(lua_State *L) {
  bind_state *state = *place(L);
  return state ? state : find_state(L);
}

core_scratch *bind_scratch(lua_State *L) {
  bind_state *state = bind_state_of(L);
  state->L = L;
  return &state->scratch;
}

void bind_document(lua_State *L, const char *type, const bind_field *fields, int n) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, "knock.fields");
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    const char *texts[3] = {fields[i].name, fields[i].unit, fields[i].doc};
    lua_createtable(L, 3, 0);
    for (int k = 0; k < 3; k++) {
      lua_pushstring(L, texts[k]);
      lua_rawseti(L, -2, k + 1);
    }
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, type);
  lua_pop(L, 1);
}

/* ---- errors ---- */

void bind_where(lua_State *L) {
  lua_Debug ar;
  for (int level = 1; lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Sl", &ar);
    if (ar.currentline <= 0 || !strncmp(ar.source, "=knock", 6)) continue;
    lua_pushfstring(L, "%s:%d: ", ar.short_src, ar.currentline);
    return;
  }
  lua_pushliteral(L, "");
}

/* registry keys: the text and the status of the last raised error (asking needs no memory) */
static const char raised_text, raised_status;

/* lua_error, with a word to the compiler that it does not come back */
static _Noreturn void leave(lua_State *L) {
  lua_error(L);
  abort();
}

int bind_error(lua_State *L, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  bind_where(L);
  lua_pushstring(L, text);
  lua_concat(L, 2);
  leave(L);
}

int bind_raise(lua_State *L, const core_error *err) {
  if (err->status == CORE_INTERRUPTED && core_interrupted() &&
      core_interrupt_flag < CORE_INTERRUPT_RAISED)
    core_interrupt_flag = CORE_INTERRUPT_RAISED;
  const core_error *callback = &bind_state_of(L)->error;
  int ours = err->status == CORE_CALLBACK && callback->text[0];
  bind_where(L);
  if (err->status || err->text[0])
    lua_pushstring(L, core_error_text(ours ? callback : err));
  else
    lua_pushliteral(L, "a failure without a reason: a fault of knock, please report it");
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &raised_text);
  lua_pushinteger(L, err->status);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &raised_status);
  lua_concat(L, 2);
  leave(L);
}

void bind_raise_if(lua_State *L, core_status status, core_error *err) {
  if (!status) return;
  err->status = status;
  bind_raise(L, err);
}

core_status bind_status_of(lua_State *L, const char *message) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &raised_text);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &raised_status);
  const char *raised = lua_tostring(L, -2);
  core_status status = (core_status)lua_tointeger(L, -1);
  lua_pop(L, 2);
  return raised && strstr(message, raised) ? status : CORE_OK;
}

/* ---- callbacks ---- */

/* turns whatever was raised into a string, while errors are still caught */
static int error_to_text(lua_State *L) {
  luaL_tolstring(L, 1, NULL);
  return 1;
}

/* "what: text"; where that is too long its beginning and its end stay: errors inside errors have
 * their cause at the end */
static void tell(core_error *err, core_status status, const char *what, const char *text) {
  size_t room = sizeof err->text - strlen(what) - 3, n = strlen(text);
  size_t end = room / 2, begin = room - end - 5;
  if (n <= room)
    core_fail(err, status, "%s: %s", what, text);
  else
    core_fail(err, status, "%s: %.*s ... %s", what, (int)begin, text, text + n - end);
}

core_status bind_protect(bind_state *state, lua_CFunction f, void *arg, const char *what) {
  lua_State *L = state->L;
  if (!lua_checkstack(L, 4)) return CORE_NO_MEMORY;
  lua_pushcfunction(L, error_to_text);
  lua_pushcfunction(L, f);
  lua_pushlightuserdata(L, arg);
  int failed = lua_pcall(L, 1, 0, -3);
  state->L = L; /* f may have run knock on other threads */
  core_status status = CORE_OK;
  if (failed) {
    const char *text = lua_tostring(L, -1);
    status = core_interrupted() ? CORE_INTERRUPTED : CORE_CALLBACK;
    tell(&state->error, status, what, text ? text : "(no message)");
  }
  lua_pop(L, failed ? 2 : 1);
  return status;
}

/* ---- everything ---- */

int bind_open(lua_State *L) {
  lua_newtable(L);
  bind_open_matrix(L);
  bind_open_model(L);
  bind_open_mechanism(L);
  bind_open_law(L);
  bind_open_impact(L);
  bind_open_solve(L);
  bind_open_check(L);
  bind_open_run(L);
  bind_open_derive(L);
  bind_open_vary(L);
  bind_open_catalog(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, "knock.methods");
  lua_setfield(L, -2, "types");
  bind_open_table(L);
  bind_open_sweep(L);
  bind_open_prepare(L);
  bind_open_lane(L);
  bind_open_plot(L);
  bind_open_outline(L);
  return 1;
}
