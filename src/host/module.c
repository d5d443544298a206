#include "host/module.h"

#include <dirent.h>
#include <lauxlib.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "bind/bind.h"
#include "bind/file.h"
#include "bind/object.h"
#include "bind/param.h"
#include "core/param.h"
#include "host/command.h"
#include "host/editor.h"
#include "host/version.h"

/* nearest(name, names) -> the name in the list or in the keys of the table that looks most alike,
 * or nil */
static int nearest(lua_State *L) {
  const char *name = luaL_checkstring(L, 1), *best = NULL;
  luaL_checktype(L, 2, LUA_TTABLE);
  int limit = bind_guess(name);
  for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
    int at = lua_type(L, -2) == LUA_TSTRING ? -2 : -1;
    const char *other = lua_type(L, at) == LUA_TSTRING ? lua_tostring(L, at) : NULL;
    if (!other) continue;
    int d = core_distance(name, other, limit);
    if (d > limit || (best && d == limit && strcmp(best, other) < 0)) continue;
    best = other;
    limit = d;
  }
  lua_pushstring(L, best);
  return 1;
}

/* fail(message): an error at the line of the script that called into knock */
static int fail(lua_State *L) {
  luaL_checkstring(L, 1);
  bind_where(L);
  lua_pushvalue(L, 1);
  lua_concat(L, 2);
  return lua_error(L);
}

/* files(folder) -> names in it, folders with a slash behind; nil when it cannot be read */
static int files(lua_State *L) {
  DIR *dir = opendir(bind_file_check(L, luaL_checkstring(L, 1), BIND_FILE_READ));
  if (!dir) return 0;
  lua_newtable(L);
  lua_Integer n = 0;
  for (struct dirent *entry; (entry = readdir(dir));) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    lua_pushfstring(L, "%s%s", entry->d_name, entry->d_type == DT_DIR ? "/" : "");
    lua_rawseti(L, -2, ++n);
  }
  closedir(dir);
  return 1;
}

int host_make_folder(const char *name) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s", name);
  for (char *slash = path + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
    *slash = '\0';
    mkdir(path, 0777);
  }
  struct stat st;
  mkdir(path, 0777);
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* make_folder(path) -> true when it is there afterwards */
static int make_folder(lua_State *L) {
  lua_pushboolean(L,
                  host_make_folder(bind_file_check(L, luaL_checkstring(L, 1), BIND_FILE_FOLDER)));
  return 1;
}

static int usage(lua_State *L) {
  (void)L;
  host_options_usage(stdout);
  return 0;
}

/* the long options that were given: options["mem-limit"] == "64M"; flags are "" */
static void push_options(lua_State *L, const host_options *o) {
  lua_newtable(L);
  for (int i = 0; i < HOST_LONG_COUNT; i++) {
    lua_pushstring(L, o->given[i]);
    lua_setfield(L, -2, host_option_name(i));
  }
}

/* option_docs["mem-limit"] = "--mem-limit SIZE: ..." */
static void push_option_docs(lua_State *L) {
  lua_newtable(L);
  for (int i = 0; i < HOST_LONG_COUNT; i++) {
    char usage[32];
    host_option_usage(i, usage, sizeof usage);
    lua_pushfstring(L, "%s: %s", usage, host_option_doc(i));
    lua_setfield(L, -2, host_option_name(i));
  }
}

static void set_text(lua_State *L, const char *key, const char *text) {
  lua_pushstring(L, text);
  lua_setfield(L, -2, key);
}

/* { { name, usage, doc, about, options or nil, example } ... } as in the table of commands */
static void push_commands(lua_State *L) {
  lua_newtable(L);
  const host_command *c;
  for (int i = 0; (c = host_command_at(i)); i++) {
    const char *args = c->usage ? c->usage : c->args;
    lua_newtable(L);
    set_text(L, "name", c->name);
    lua_pushfstring(L, "knock %s%s%s", c->name, *args ? " " : "", args);
    lua_setfield(L, -2, "usage");
    set_text(L, "doc", c->doc);
    set_text(L, "about", c->about);
    set_text(L, "options", c->options);
    set_text(L, "example", c->example);
    lua_rawseti(L, -2, i + 1);
  }
}

/* got(value): what came, in the words of all messages */
static int got(lua_State *L) {
  char text[96];
  bind_describe(L, 1, text, sizeof text);
  lua_pushstring(L, text);
  return 1;
}

static int open_host(lua_State *L) {
  static const luaL_Reg functions[] = {{"nearest", nearest}, {"fail", fail},
                                       {"usage", usage},     {"files", files},
                                       {"got", got},         {"make_folder", make_folder},
                                       {NULL, NULL}};
  luaL_newlib(L, functions);
  push_options(L, lua_touserdata(L, lua_upvalueindex(1)));
  lua_setfield(L, -2, "options");
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_setfield(L, -2, "home");
  push_commands(L);
  lua_setfield(L, -2, "commands");
  push_option_docs(L);
  lua_setfield(L, -2, "option_docs");
  set_text(L, "editor", host_editor_name());
  set_text(L, "version", host_version());
  set_text(L, "describe", host_describe());
  return 1;
}

void host_open_module(lua_State *L, const host_options *o, const char *home) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, bind_open);
  lua_setfield(L, -2, "knock.core");
  lua_pushlightuserdata(L, (void *)o);
  lua_pushstring(L, home);
  lua_pushcclosure(L, open_host, 2);
  lua_setfield(L, -2, "knock.host");
  lua_pop(L, 1);
}
