#include "host/text.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "bind/file.h"

/* "t", or NULL with nil and a message pushed when the script's mode excludes text */
static const char *text_mode(lua_State *L, int at) {
  const char *mode = luaL_optstring(L, at, "bt");
  if (strchr(mode, 't')) return "t";
  lua_pushnil(L);
  lua_pushfstring(L, "attempt to load a text chunk (mode is '%s')", mode);
  return NULL;
}

/* after a loading function: sets the environment at stack index env (0: none) */
static int loaded(lua_State *L, int status, int env) {
  if (status != LUA_OK) {
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
  }
  if (env) {
    lua_pushvalue(L, env);
    if (!lua_setupvalue(L, -2, 1)) lua_pop(L, 1);
  }
  return 1;
}

enum { PIECE = 5 }; /* stack slot that keeps the reader's string alive */

/* calls the script's reader function at index 1 for the next piece */
static const char *next_piece(lua_State *L, void *unused, size_t *size) {
  (void)unused;
  luaL_checkstack(L, 2, "too many nested functions");
  lua_pushvalue(L, 1);
  lua_call(L, 0, 1);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    *size = 0;
    return NULL;
  }
  if (!lua_isstring(L, -1)) luaL_error(L, "reader function must return a string");
  lua_replace(L, PIECE);
  return lua_tolstring(L, PIECE, size);
}

static int load(lua_State *L) {
  size_t size;
  const char *code = lua_tolstring(L, 1, &size);
  int env = lua_isnone(L, 4) ? 0 : 4;
  if (!code) luaL_checktype(L, 1, LUA_TFUNCTION);
  const char *name = luaL_optstring(L, 2, code ? code : "=(load)");
  const char *mode = text_mode(L, 3);
  if (!mode) return 2;
  if (code) return loaded(L, luaL_loadbufferx(L, code, size, name, mode), env);
  lua_settop(L, PIECE);
  return loaded(L, lua_load(L, next_piece, NULL, name, mode), env);
}

static int load_file(lua_State *L) {
  const char *file = luaL_optstring(L, 1, NULL);
  const char *mode = text_mode(L, 2);
  int env = lua_isnone(L, 3) ? 0 : 3;
  if (!mode) return 2;
  if (file) bind_file_note(L, file);
  return loaded(L, luaL_loadfilex(L, file, mode), env);
}

static int after_file(lua_State *L, int status, lua_KContext context) {
  (void)status, (void)context;
  return lua_gettop(L) - 1;
}

static int do_file(lua_State *L) {
  const char *file = luaL_optstring(L, 1, NULL);
  lua_settop(L, 1);
  if (file) bind_file_note(L, file);
  if (luaL_loadfilex(L, file, "t") != LUA_OK) return lua_error(L);
  lua_callk(L, 0, LUA_MULTRET, 0, after_file);
  return after_file(L, 0, 0);
}

typedef struct source {
  FILE *file;
  char piece[4096];
} source;

static const char *read_source(lua_State *L, void *from, size_t *size) {
  (void)L;
  source *s = from;
  *size = fread(s->piece, 1, sizeof s->piece, s->file);
  return *size ? s->piece : NULL;
}

static int bad_module(lua_State *L, const char *name, const char *path) {
  return luaL_error(L, "error loading module '%s' from file '%s':\n\t%s", name, path,
                    lua_tostring(L, -1));
}

/* Loads one of knock's own modules, called "knock.plot" in messages and tracebacks rather than by
 * its path. Pushes the loader and the path, or a line about what was tried. */
static int search_home(lua_State *L, const char *name) {
  const char *home = lua_tostring(L, lua_upvalueindex(1));
  const char *path = lua_pushfstring(L, "%s/lua/%s.lua", home, luaL_gsub(L, name, ".", "/"));
  const char *chunk = lua_pushfstring(L, "=%s", name);
  source from = {.file = fopen(path, "rb")};
  if (!from.file) {
    lua_pushfstring(L, "no file '%s'", path);
    return 1;
  }
  int status = lua_load(L, read_source, &from, chunk, "t");
  fclose(from.file);
  if (status != LUA_OK) return bad_module(L, name, path);
  lua_pushstring(L, path);
  return 2;
}

/* require's search along package.path */
static int search_path(lua_State *L, const char *name) {
  lua_getfield(L, lua_upvalueindex(2), "searchpath");
  lua_pushstring(L, name);
  if (lua_getfield(L, lua_upvalueindex(2), "path") != LUA_TSTRING)
    return luaL_error(L, "'package.path' must be a string");
  lua_call(L, 2, 2);
  if (lua_isnil(L, -2)) return 1; /* the line about what was tried */
  lua_pop(L, 1);
  const char *path = bind_file_check(L, lua_tostring(L, -1), BIND_FILE_READ);
  if (luaL_loadfilex(L, path, "t") != LUA_OK) return bad_module(L, name, path);
  lua_pushstring(L, path);
  return 2;
}

static int search(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  if (!strcmp(name, "knock")) return search_home(L, name);
  if (strncmp(name, "knock.", 6) != 0) return search_path(L, name);
  if (search_home(L, name) == 2) return 2;
  if (search_path(L, name) == 2) return 2;
  lua_pushfstring(L, "%s\n\t%s", lua_tostring(L, -3), lua_tostring(L, -1));
  return 1;
}

void host_open_text(lua_State *L, const char *home) {
  lua_register(L, "load", load);
  lua_register(L, "loadfile", load_file);
  lua_register(L, "dofile", do_file);
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "searchers");
  lua_pushstring(L, home);
  lua_pushvalue(L, -3);
  lua_pushcclosure(L, search, 2);
  lua_rawseti(L, -2, 2);
  lua_pop(L, 2);
}
