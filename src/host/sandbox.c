#include "host/sandbox.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/file.h"
#include "host/command.h"
#include "host/confine.h"
#include "host/module.h"

static int refuse(lua_State *L, const char *what) {
  return bind_error(L, "%s is not available in a sandbox (--sandbox)", what);
}

/* what stands in place of a function: its name is the upvalue */
static int refused(lua_State *L) {
  return refuse(L, lua_tostring(L, lua_upvalueindex(1)));
}

/* library.name = refused, for names up to NULL */
static void refuse_all(lua_State *L, const char *library, const char *const *names) {
  lua_getglobal(L, library);
  for (; *names; names++) {
    lua_pushfstring(L, "%s.%s", library, *names);
    lua_pushcclosure(L, refused, 1);
    lua_setfield(L, -2, *names);
  }
  lua_pop(L, 1);
}

/* ---- reading ---- */

/* calls the function in upvalue 1 with all arguments */
static int pass_on(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

/* functions whose first argument names a file to read, or is none: io.lines, dofile ... */
static int read_only(lua_State *L) {
  if (lua_isstring(L, 1)) bind_file_check(L, lua_tostring(L, 1), BIND_FILE_READ);
  return pass_on(L);
}

static int open_file(lua_State *L) {
  const char *mode = luaL_optstring(L, 2, "r");
  if (*mode != 'r' || strchr(mode, '+')) refuse(L, "io.open for writing");
  luaL_checkstring(L, 1);
  return read_only(L);
}

/* io.output(handle) is harmless, io.output(name) makes a file */
static int output(lua_State *L) {
  return lua_isstring(L, 1) ? refuse(L, "io.output to a file") : pass_on(L);
}

/* a module that is out of reach is not there */
static int search_path(lua_State *L) {
  int n = pass_on(L);
  if (lua_isnil(L, 1) || !bind_file_refusal(L, lua_tostring(L, 1), BIND_FILE_READ)) return n;
  lua_pushnil(L);
  lua_pushliteral(L, "no file of that name in the sandbox");
  return 2;
}

/* what knock itself looks at to draw and to print; the rest may hold secrets */
static int get_environment(lua_State *L) {
  static const char *const harmless[] = {"KNOCK_TERM", "TERM", "NO_COLOR", "SOURCE_DATE_EPOCH"};
  const char *name = luaL_checkstring(L, 1);
  for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
    if (strcmp(name, harmless[i])) continue;
    lua_pushstring(L, getenv(name));
    return 1;
  }
  lua_pushnil(L);
  return 1;
}

/* the field of the table on top becomes f, with the function that was there as its upvalue */
static void wrap(lua_State *L, const char *name, lua_CFunction f) {
  lua_getfield(L, -1, name);
  lua_pushcclosure(L, f, 1);
  lua_setfield(L, -2, name);
}

/* ---- libraries ---- */

static void confine_files(lua_State *L) {
  lua_getglobal(L, "io");
  wrap(L, "open", open_file);
  wrap(L, "lines", read_only);
  wrap(L, "input", read_only);
  wrap(L, "output", output);
  lua_pushglobaltable(L);
  wrap(L, "loadfile", read_only);
  wrap(L, "dofile", read_only);
  lua_getglobal(L, "os");
  wrap(L, "getenv", get_environment);
  lua_pop(L, 3);
}

/* Lua modules below the current folder and knock's own; none in C */
static void confine_modules(lua_State *L) {
  lua_getglobal(L, "package");
  wrap(L, "searchpath", search_path);
  lua_pushliteral(L, "./?.lua;./?/init.lua");
  lua_setfield(L, -2, "path");
  lua_pushliteral(L, "");
  lua_setfield(L, -2, "cpath");
  lua_getfield(L, -1, "searchers");
  for (int i = 4; i > 2; i--) {
    lua_pushnil(L);
    lua_rawseti(L, -2, i);
  }
  lua_pop(L, 2);
}

/* getinfo([thread,] f or level[, what]): all but the function itself, which could be one of ours
 * that a wrapper keeps from the script */
static int get_info(lua_State *L) {
  int at = lua_isthread(L, 1) ? 3 : 2;
  const char *what = luaL_optstring(L, at, "nSltur");
  char left[32];
  size_t n = 0;
  luaL_argcheck(L, strlen(what) < sizeof left && *what != '>', at, "invalid option");
  for (; *what; what++)
    if (*what != 'f') left[n++] = *what;
  left[n] = '\0';
  if (lua_type(L, at - 1) == LUA_TNUMBER && lua_tointeger(L, at - 1) >= 0) {
    lua_pushinteger(L, lua_tointeger(L, at - 1) + 1); /* this function is a level of its own */
    lua_replace(L, at - 1);
  }
  lua_settop(L, at - 1);
  lua_pushstring(L, left);
  return pass_on(L);
}

/* the metatable, unless it is protected */
static void confine_debug(lua_State *L) {
  static const char *const names[] = {
      "debug",        "gethook",        "getlocal",  "getregistry", "getupvalue",
      "getuservalue", "setcstacklimit", "sethook",   "setlocal",    "setmetatable",
      "setupvalue",   "setuservalue",   "upvalueid", "upvaluejoin", NULL};
  refuse_all(L, "debug", names);
  lua_getglobal(L, "debug");
  wrap(L, "getinfo", get_info);
  lua_getglobal(L, "getmetatable");
  lua_setfield(L, -2, "getmetatable");
  lua_pop(L, 1);
}

static const char *script_of(const host_options *o) {
  if (o->script >= o->argc || host_command_find(o->argv[o->script])) return NULL;
  return o->argv[o->script];
}

void host_open_sandbox(lua_State *L, const host_options *o, const char *home) {
  static const char *const os[] = {"execute", "remove", "rename", "tmpname", NULL};
  static const char *const io[] = {"popen", "tmpfile", NULL};
  static const char *const package[] = {"loadlib", NULL};
  const char *out = o->given[HOST_OUT];
  if (out) host_make_folder(out);
  core_error err = {0};
  if (bind_file_confine(L, out, home, script_of(o)))
    luaL_error(L, "--out: cannot make the folder '%s'", out ? out : ".");
  if (!*o->given[HOST_SANDBOX] && host_confine(o, home, script_of(o), &err)) bind_raise(L, &err);
  refuse_all(L, "os", os);
  refuse_all(L, "io", io);
  refuse_all(L, "package", package);
  confine_debug(L);
  confine_files(L);
  confine_modules(L);
}
