#include "host/session.h"

#include <lauxlib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind/file.h"
#include "host/editor.h"
#include "host/interrupt.h"
#include "host/spare.h"

/* index of the module table of lua/knock/repl.lua on the stack */
enum { REPL = 1 };

/* repl.complete(text, start) -> list, after: called by the editor, never raises */
static char **complete(void *self, const char *text, int start, char *after) {
  lua_State *L = self;
  int top = lua_gettop(L);
  char **list = NULL;
  lua_getfield(L, REPL, "complete");
  lua_pushstring(L, text);
  lua_pushinteger(L, start);
  if (lua_pcall(L, 2, 2, 0) == LUA_OK && lua_istable(L, -2)) {
    size_t n = lua_rawlen(L, -2);
    list = calloc(n + 1, sizeof *list);
    for (size_t i = 0; list && i < n; i++) {
      lua_rawgeti(L, -2, (lua_Integer)i + 1);
      list[i] = strdup(luaL_optstring(L, -1, ""));
      lua_pop(L, 1);
    }
    const char *behind = lua_tostring(L, -1);
    *after = behind ? *behind : 0;
    if (list && !n) {
      free(list);
      list = NULL;
    }
  }
  lua_settop(L, top);
  return list;
}

/* a string field of the module, or a default */
static const char *field(lua_State *L, const char *name) {
  lua_getfield(L, REPL, name);
  const char *text = lua_tostring(L, -1); /* the module keeps it */
  lua_pop(L, 1);
  return text;
}

/* repl.more(text) or repl.feed(text): 1 when the text is not complete yet. feed runs it. */
static int ask(lua_State *L, const host_caller *caller, const char *what, const char *text) {
  lua_getfield(L, REPL, what);
  lua_pushstring(L, text);
  if (host_call(L, caller, 1, 1) != HOST_OK) {
    lua_settop(L, REPL);
    return 0;
  }
  int more = lua_isstring(L, -1) && !strcmp(lua_tostring(L, -1), "more");
  lua_settop(L, REPL);
  return more;
}

/* text + "\n" + line; frees both */
static char *append(char *text, char *line) {
  size_t n = strlen(text) + strlen(line) + 2;
  char *both = malloc(n);
  if (both) snprintf(both, n, "%s\n%s", text, line);
  free(text);
  free(line);
  return both;
}

/* where typed lines are kept, or NULL: a script in a sandbox could name any file */
static const char *history_of(lua_State *L) {
  return bind_file_confined(L) ? NULL : field(L, "history");
}

/* Runs what was typed. When that ends the process we are the spare: the line is given up. */
static void run_entry(lua_State *L, const host_caller *caller, const char *text) {
  int ended_by = host_spare_make();
  if (!ended_by) {
    host_interrupt_patience(host_spare_open_now() ? HOST_GIVES_UP_LINE : HOST_ENDS_SESSION);
    ask(L, caller, "feed", text);
    host_interrupt_patience(HOST_KILLS);
    host_spare_drop();
    return;
  }
  host_say(caller, "%s%s: the line was given up, and the session is as it was before it",
           ended_by == SIGINT ? "interrupted!" : "the line ended the program: ",
           ended_by == SIGINT ? "" : strsignal(ended_by));
}

/* reads lines until they make a whole, runs it; 0 at the end of input */
static int one_entry(lua_State *L, const host_caller *caller) {
  char *text = NULL, *line;
  for (;;) {
    int result = host_editor_read(field(L, text ? "prompt2" : "prompt"), &line);
    if (result != HOST_LINE_READ) {
      free(text);
      return result == HOST_LINE_CANCELLED;
    }
    text = text ? append(text, line) : line;
    if (!text) return 0;
    if (!ask(L, caller, "more", text)) break;
  }
  if (text[strspn(text, " \t\n")]) host_editor_remember(text, history_of(L)); /* before it runs */
  run_entry(L, caller, text);
  free(text);
  return 1;
}

int host_session(lua_State *L, const host_caller *caller, int no_init) {
  if (!host_editor_open(complete, L)) return 0;
  host_spare_open();
  lua_settop(L, 0);
  lua_getglobal(L, "require");
  lua_pushliteral(L, "knock.repl");
  if (host_call(L, caller, 1, 1) != HOST_OK) return 0;
  lua_getfield(L, REPL, "start");
  lua_pushboolean(L, !no_init);
  host_call(L, caller, 1, 0);
  lua_settop(L, REPL);
  const char *history = history_of(L);
  if (history) host_editor_load_history(history);
  while (one_entry(L, caller)) continue;
  fputc('\n', stdout);
  fflush(stdout);
  lua_settop(L, 0);
  return 1;
}
