#include "host/call.h"

#include <lauxlib.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bind/bind.h"
#include "host/interrupt.h"

/* where "not enough memory" (Lua) or "out of memory" (C) ends in a message, or NULL */
static const char *memory_end(const char *message) {
  static const char *const words[] = {"not enough memory", "out of memory"};
  for (int i = 0; i < 2; i++) {
    const char *at = strstr(message, words[i]);
    if (at) return at + strlen(words[i]);
  }
  return NULL;
}

void host_say(const host_caller *caller, const char *format, ...) {
  va_list args;
  fflush(stdout);
  if (caller->named) fputs("knock: ", stderr);
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
  fflush(stderr);
}

/* the error as text on top of the stack; 1 when a traceback helps */
static int describe(lua_State *L) {
  if (lua_isstring(L, 1)) return lua_tostring(L, 1) != NULL;
  if (luaL_callmeta(L, 1, "__tostring") && lua_type(L, -1) == LUA_TSTRING) return 0;
  lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
  return 1;
}

static int begins(const char *text, const char *word) {
  return !strncmp(text, word, strlen(word));
}

/* Pushes the traceback at `index`; of an error that came out of knock, without its levels and those
 * of C: people look for lines of theirs. A message of knock's own code keeps them: that is a fault
 * of ours. */
static void push_theirs(lua_State *L, int index, const char *message) {
  static const char *const not_theirs[] = {"\n\tknock.", "\n\t[C]: ", "\n\t(...tail calls...)"};
  const char *text = lua_tostring(L, index);
  int shown = begins(message, "knock.") || !(strstr(text, "\n\tknock.") || strstr(text, "'knock."));
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (const char *line = text, *end; *line; line = end) {
    int theirs = 1;
    end = line + 1 + strcspn(line + 1, "\n");
    for (int i = 0; i < 3; i++) theirs = theirs && (shown || !begins(line, not_theirs[i]));
    if (theirs) luaL_addlstring(&b, line, (size_t)(end - line));
  }
  luaL_pushresult(&b);
}

/* message handler: the message with a traceback of at most 22 levels */
static int add_traceback(lua_State *L) {
  lua_settop(L, 1);
  if (!describe(L)) return 1;
  int message = lua_gettop(L);
  luaL_traceback(L, L, NULL, 1);
  push_theirs(L, message + 1, lua_tostring(L, message));
  if (strchr(lua_tostring(L, -1), '\n')) /* some level is left */
    lua_pushfstring(L, "%s\n%s", lua_tostring(L, message), lua_tostring(L, -1));
  else
    lua_pushvalue(L, message);
  return 1;
}

/* length without the traceback's last line, which is the host's own call */
static size_t without_host(const char *text) {
  static const char host[] = "\n\t[C]: in ?";
  size_t length = strlen(text), tail = sizeof host - 1;
  return length > tail && !strcmp(text + length - tail, host) ? length - tail : length;
}

/* the exit code for the error that ended the script */
static int exit_code(lua_State *L, const char *message) {
  switch (bind_status_of(L, message)) {
    case CORE_JAM:
    case CORE_LIMIT:
    case CORE_NOT_FINITE:
    case CORE_SINGULAR:
    case CORE_NOT_CONVERGED:
    case CORE_NO_SOLUTION: return HOST_NUMERICAL;
    case CORE_NO_TOOL: return HOST_NO_TOOL;
    case CORE_INTERRUPTED: return HOST_INTERRUPTED;
    default: return HOST_SCRIPT_ERROR;
  }
}

int host_report(lua_State *L, const host_caller *caller) {
  char note[32];
  const char *message = lua_tostring(L, -1);
  if (!message) message = "(the error has no message)";
  const char *memory = memory_end(message);
  const char *stop = strstr(message, "interrupted!\n");
  size_t length = stop && !caller->named ? (size_t)(stop - message) + 12 : without_host(message);
  size_t head = memory ? (size_t)(memory - message) : 0;
  host_say(caller, "%.*s%s%.*s", (int)head, message,
           memory ? host_memory_note(caller->memory, note, sizeof note) : "", (int)(length - head),
           message + head);
  int code = exit_code(L, message);
  lua_pop(L, 1);
  return code;
}

int host_call(lua_State *L, const host_caller *caller, int n, int results) {
  int base = lua_gettop(L) - n;
  lua_pushcfunction(L, add_traceback);
  lua_insert(L, base);
  host_interrupt_begin(L);
  int status = lua_pcall(L, n, results, base);
  int interrupted = host_interrupt_end(L);
  lua_remove(L, base);
  int code = status == LUA_OK ? HOST_OK : host_report(L, caller);
  if (interrupted && status == LUA_OK) host_say(caller, "interrupted!"); /* the script caught it */
  return interrupted ? HOST_INTERRUPTED : code;
}
