#include "host/run.h"

#include <lauxlib.h>
#include <limits.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bind/bind.h"
#include "host/command.h"
#include "host/confine.h"
#include "host/globals.h"
#include "host/home.h"
#include "host/interrupt.h"
#include "host/module.h"
#include "host/repl.h"
#include "host/sandbox.h"
#include "host/text.h"
#include "host/version.h"

/* ---- preparing the state ---- */

/* arg[0] is the script, what comes before it has negative indexes */
static void set_arg(lua_State *L, const host_options *o) {
  int zero = o->script < o->argc ? o->script : 0;
  lua_createtable(L, o->argc - zero, zero + 1);
  for (int i = 0; i < o->argc; i++) {
    lua_pushstring(L, o->argv[i]);
    lua_rawseti(L, -2, i - zero);
  }
  lua_setglobal(L, "arg");
}

static void prepare(lua_State *L, const host_options *o) {
  char home[PATH_MAX];
  host_home(home, sizeof home, !o->no_environment);
  lua_gc(L, LUA_GCSTOP);
  if (o->no_environment) {
    lua_pushboolean(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV"); /* read by the package library */
  }
  luaL_openlibs(L);
  host_open_text(L, home);
  host_open_coroutine(L);
  host_open_locale(L);
  host_open_module(L, o, home);
  set_arg(L, o);
  if (o->cpu_limit) host_limit_time(o->cpu_limit);
  if (o->given[HOST_SANDBOX]) host_open_sandbox(L, o, home);
  if (!o->given[HOST_LAX]) host_open_globals(L);
  lua_gc(L, LUA_GCRESTART);
  lua_gc(L, LUA_GCGEN, 0, 0);
}

/* ---- code, modules and files ---- */

/* after a load: calls the chunk without arguments, or reports what is wrong with it */
static int run_chunk(lua_State *L, const host_caller *c, int load_status) {
  return load_status == LUA_OK ? host_call(L, c, 0, 0) : host_report(L, c);
}

static int run_code(lua_State *L, const host_caller *c, const char *code, const char *name) {
  return run_chunk(L, c, luaL_loadbufferx(L, code, strlen(code), name, "t"));
}

static int run_file(lua_State *L, const host_caller *c, const char *name) {
  return run_chunk(L, c, luaL_loadfilex(L, name, "t"));
}

/* -l mod, -l g=mod: the module becomes a global */
static int run_library(lua_State *L, const host_caller *c, const char *what) {
  const char *equals = strchr(what, '=');
  const char *module = equals ? equals + 1 : what;
  size_t length = equals ? (size_t)(equals - what) : strlen(what);
  lua_getglobal(L, "require");
  lua_pushstring(L, module);
  int code = host_call(L, c, 1, 1);
  if (code != HOST_OK) return code;
  lua_pushglobaltable(L);
  lua_pushlstring(L, what, length);
  lua_rotate(L, -3, -1); /* globals, name, module */
  lua_settable(L, -3);
  lua_pop(L, 1);
  return HOST_OK;
}

/* LUA_INIT: code, or @file */
static int run_environment(lua_State *L, const host_caller *c) {
  const char *name = "=LUA_INIT_5_4", *code = getenv(name + 1);
  if (!code) code = getenv((name = "=LUA_INIT") + 1);
  if (!code) return HOST_OK;
  return *code == '@' ? run_file(L, c, code + 1) : run_code(L, c, code, name);
}

/* -e, -l and -W in the order they were given */
static int run_options(lua_State *L, const host_caller *c, const host_options *o) {
  int code = HOST_OK;
  for (int i = 1; i < o->script && code == HOST_OK; i++) {
    const char *word = o->argv[i];
    if (word[0] != '-') continue; /* the value of a long option */
    if (word[1] == 'W') lua_warning(L, "@on", 0);
    if (word[1] != 'e' && word[1] != 'l') continue;
    const char *value = word[2] ? word + 2 : o->argv[++i];
    code = word[1] == 'e' ? run_code(L, c, value, "=(command line)") : run_library(L, c, value);
  }
  return code;
}

/* ---- scripts and commands ---- */

/* pushes arg[1] ... arg[#arg] (the script may have changed it); returns how many */
static int push_args(lua_State *L) {
  lua_pushglobaltable(L);
  lua_pushliteral(L, "arg");
  lua_rawget(L, -2);
  if (!lua_istable(L, -1)) luaL_error(L, "'arg' is not a table");
  int n = (int)luaL_len(L, -1);
  luaL_checkstack(L, n + 3, "too many arguments to script");
  for (int i = 1; i <= n; i++) lua_rawgeti(L, -i, i);
  lua_rotate(L, -(n + 2), n); /* arguments, globals, arg */
  lua_pop(L, 2);
  return n;
}

/* the script cannot be read: perhaps it was meant as a command */
static int no_script(lua_State *L, const host_caller *c, const char *name) {
  const char *command = name ? host_command_nearest(name) : NULL;
  if (command)
    lua_pushfstring(L, "%s (did you mean the command '%s'?)", lua_tostring(L, -1), command);
  return host_report(L, c);
}

/* figures that the script has made but neither saved nor shown appear now */
static int show_figures(lua_State *L, const host_caller *c) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  int ready = lua_getfield(L, -1, "knock.figure") == LUA_TTABLE;
  if (ready) ready = lua_getfield(L, -1, "flush") == LUA_TFUNCTION;
  return ready ? host_call(L, c, 0, 0) : HOST_OK;
}

static int run_script(lua_State *L, const host_caller *c, const host_options *o) {
  const char *name = o->argv[o->script];
  if (!strcmp(name, "-") && strcmp(o->argv[o->script - 1], "--")) name = NULL; /* stdin */
  int status = luaL_loadfilex(L, name, "t");
  if (status == LUA_ERRFILE) return no_script(L, c, name);
  if (status != LUA_OK) return host_report(L, c);
  int code = host_call(L, c, push_args(L), 0);
  return code == HOST_OK ? show_figures(L, c) : code;
}

static const host_command *wanted_command(const host_options *o) {
  if (o->script >= o->argc) return NULL;
  return host_command_find(o->argv[o->script]);
}

/* `knock list --help` is `knock help list` */
static int wants_page(const host_options *o) {
  const char *word = o->script + 1 < o->argc ? o->argv[o->script + 1] : "";
  return !strcmp(word, "--help") || !strcmp(word, "-h");
}

/* the command's module is a function; what it returns is the exit status */
static int run_command(lua_State *L, const host_caller *c, const host_command *command, int page) {
  lua_getglobal(L, "require");
  lua_pushstring(L, page ? host_command_find("help")->module : command->module);
  int code = host_call(L, c, 1, 1);
  if (code != HOST_OK) return code;
  if (page) lua_pushstring(L, command->name);
  code = host_call(L, c, page ? 1 : push_args(L), 1);
  if (code == HOST_OK) {
    code = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
  }
  return code;
}

/* nothing to run: a session on a terminal, otherwise standard input is the script */
static int wants_input(const host_options *o) {
  return o->script == o->argc && !o->has_code && !o->banner;
}

static int wants_session(const host_options *o) {
  return o->interactive || (wants_input(o) && isatty(STDIN_FILENO));
}

/* everything before a session, in the order of stock lua */
static int run_batch(lua_State *L, const host_caller *c, const host_options *o) {
  int code = o->no_environment ? HOST_OK : run_environment(L, c);
  if (code == HOST_OK) code = run_options(L, c, o);
  if (code != HOST_OK) return code;
  const host_command *command = wanted_command(o);
  if (command) return run_command(L, c, command, wants_page(o));
  if (o->script < o->argc) return run_script(L, c, o);
  return wants_input(o) && !wants_session(o) ? run_file(L, c, NULL) : HOST_OK;
}

static int run_all(lua_State *L, const host_caller *c, const host_options *o) {
  prepare(L, o);
  if (o->banner) host_version_banner();
  int code = run_batch(L, c, o);
  if (code != HOST_OK) return code;
  if (!wants_session(o)) return host_interrupt_taken() ? HOST_INTERRUPTED : HOST_OK;
  if (!o->banner) host_version_banner();
  host_repl(L, c->memory, o->given[HOST_NO_INIT] != NULL);
  return HOST_OK;
}

typedef struct job {
  const host_options *options;
  const host_caller caller;
  int code;    /* exit code */
  int started; /* times */
} job;

/* a script can find this function on the stack: it runs once, whoever calls it */
static int run_job(lua_State *L) {
  job *j = lua_touserdata(L, lua_upvalueindex(1));
  if (j->started++) return luaL_error(L, "knock is running already");
  lua_settop(L, 0);
  j->code = run_all(L, &j->caller, j->options);
  return 0;
}

int host_run(lua_State *L, const host_options *o, const host_memory *memory) {
  job j = {o, {memory, 1}, HOST_OK, 0};
  lua_pushlightuserdata(L, &j);
  lua_pushcclosure(L, run_job, 1);
  return lua_pcall(L, 0, 0, 0) == LUA_OK ? j.code : host_report(L, &j.caller);
}
