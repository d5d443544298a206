#include "host/repl.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/call.h"
#include "host/session.h"

/* the prompt: _PROMPT or _PROMPT2 when the script set one */
static void show_prompt(lua_State *L, int first) {
  lua_pushglobaltable(L);
  lua_pushstring(L, first ? "_PROMPT" : "_PROMPT2");
  lua_rawget(L, -2);
  const char *text = lua_isnil(L, -1) ? (first ? "> " : ">> ") : luaL_tolstring(L, -1, NULL);
  fputs(text ? text : "", stdout);
  fflush(stdout);
  lua_settop(L, first ? 0 : 1);
}

/* Pushes one line without its newline; 0 at the end of input. A line that does not come from a
 * terminal is echoed, so that the output reads as a session. */
static int read_line(lua_State *L, int first) {
  show_prompt(L, first);
  luaL_Buffer line;
  luaL_buffinit(L, &line);
  int c = getc(stdin), any = c != EOF;
  for (; c != EOF && c != '\n'; c = getc(stdin)) luaL_addchar(&line, (char)c);
  luaL_pushresult(&line);
  if (any && !isatty(STDIN_FILENO)) {
    fwrite(lua_tostring(L, -1), 1, lua_rawlen(L, -1), stdout);
    fputc('\n', stdout);
  }
  if (!any) lua_pop(L, 1);
  return any;
}

static int load_text(lua_State *L, const char *code, size_t size) {
  return luaL_loadbufferx(L, code, size, "=stdin", "t");
}

/* does the syntax error on top say that the input stopped too early? */
static int is_incomplete(lua_State *L, int status) {
  if (status != LUA_ERRSYNTAX) return 0;
  size_t length;
  const char *message = lua_tolstring(L, -1, &length);
  static const char mark[] = "<eof>";
  return length >= sizeof mark - 1 && !strcmp(message + length - (sizeof mark - 1), mark);
}

/* tries the line at index 1 as an expression, "?ball" as a question; pushes the function or nothing
 */
static int load_expression(lua_State *L) {
  const char *line = lua_tostring(L, 1), *code;
  if (*line == '?')
    code = lua_pushfstring(L, "return help [==[%s]==]", line + strspn(line, "? "));
  else
    code = lua_pushfstring(L, "return %s", line + (*line == '=')); /* as in Lua 5.1 */
  int status = load_text(L, code, strlen(code));
  lua_remove(L, -2);
  if (status != LUA_OK) lua_pop(L, 1);
  return status;
}

/* loads the text at index 1 as statements, reading on while it is incomplete */
static int load_statement(lua_State *L) {
  for (;;) {
    size_t size;
    const char *code = lua_tolstring(L, 1, &size);
    int status = load_text(L, code, size);
    if (!is_incomplete(L, status)) return status;
    lua_settop(L, 1);
    if (!read_line(L, 0)) return load_text(L, code, size);
    lua_pushliteral(L, "\n");
    lua_insert(L, -2);
    lua_concat(L, 3);
  }
}

/* reads until there is something to run; -1 at the end of input */
static int read_chunk(lua_State *L) {
  lua_settop(L, 0);
  if (!read_line(L, 1)) return -1;
  int status = load_expression(L);
  if (status != LUA_OK) status = load_statement(L);
  lua_remove(L, 1);
  return status;
}

/* Calls a function of lua/knock/repl.lua with the n values on top, which become its results. A
 * session does without when knock's own Lua is not there. */
static void call_session(lua_State *L, const char *name, int n) {
  int top = lua_gettop(L);
  lua_getglobal(L, "require");
  lua_pushliteral(L, "knock.repl");
  if (lua_pcall(L, 1, 1, 0) != LUA_OK || lua_getfield(L, -1, name) != LUA_TFUNCTION) {
    lua_settop(L, top);
    return;
  }
  lua_replace(L, -2);
  lua_insert(L, -n - 1);
  if (lua_pcall(L, n, LUA_MULTRET, 0) != LUA_OK) lua_pop(L, 1);
}

/* shows what is on the stack with the script's print */
static void print_results(lua_State *L, const host_caller *caller) {
  int n = lua_gettop(L);
  if (n == 0) return;
  luaL_checkstack(L, LUA_MINSTACK, "too many results to print");
  call_session(L, "readable", n);
  n = lua_gettop(L);
  lua_getglobal(L, "print");
  lua_insert(L, 1);
  if (lua_pcall(L, n, 0, 0) != LUA_OK)
    host_say(caller, "error calling 'print' (%s)", lua_tostring(L, -1));
}

void host_repl(lua_State *L, const host_memory *memory, int no_init) {
  host_caller caller = {memory, 0};
  int status;
  if (host_session(L, &caller, no_init)) return;
  call_session(L, "plain", 0);
  lua_settop(L, 0);
  while ((status = read_chunk(L)) != -1) {
    if (status != LUA_OK)
      host_report(L, &caller);
    else if (host_call(L, &caller, 0, LUA_MULTRET) == HOST_OK)
      print_results(L, &caller);
  }
  lua_settop(L, 0);
  fputc('\n', stdout);
  fflush(stdout);
}
