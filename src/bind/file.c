#include "bind/file.h"

#include <errno.h>
#include <lauxlib.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bind/bind.h"
#include "bind/param.h"

/* all without links; "" when there is none */
typedef struct sandbox {
  char out[PATH_MAX];     /* below it files are written and read */
  char current[PATH_MAX]; /* below it files are read */
  char home[PATH_MAX];    /* knock's own files */
  char script[PATH_MAX];  /* the one file that is read wherever it is */
  char beside[PATH_MAX];  /* its folder: below it files are read */
} sandbox;

static const char key;   /* registry[&key] is the sandbox */
static const char noted; /* registry[&noted] is { [path] = true } */

static sandbox *sandbox_of(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
  sandbox *box = lua_touserdata(L, -1);
  lua_pop(L, 1); /* the registry keeps it */
  return box;
}

int bind_file_confined(lua_State *L) {
  return sandbox_of(L) != NULL;
}

static void place(char *real, const char *path) {
  if (!path || !*path || !realpath(path, real)) *real = '\0';
}

/* in the folder or below it, hidden or not */
static int holds(const char *folder, const char *real) {
  size_t n = strlen(folder);
  return !strcmp(folder, "/") || (!strncmp(real, folder, n) && (!real[n] || real[n] == '/'));
}

int bind_file_broad(const char *folder) {
  char real[PATH_MAX], home[PATH_MAX];
  place(real, folder);
  place(home, getenv("HOME"));
  return !strcmp(real, "/") || (*real && *home && holds(real, home));
}

int bind_file_beside(const char *script, char folder[PATH_MAX]) {
  place(folder, script);
  char *slash = strrchr(folder, '/');
  if (!slash) return 0;
  slash[slash == folder] = '\0';
  return !bind_file_broad(folder);
}

int bind_file_confine(lua_State *L, const char *out, const char *home, const char *script) {
  sandbox *box = lua_newuserdatauv(L, sizeof *box, 0);
  place(box->current, ".");
  place(box->out, out ? out : ".");
  place(box->home, home);
  place(box->script, script);
  if (!bind_file_beside(script, box->beside)) *box->beside = '\0';
  lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
  return *box->out ? 0 : -1;
}

/* The path without links: the part that exists by realpath, the rest as it stands. 0 when that
 * cannot be told. */
static int resolve(const char *path, char *real) {
  char full[PATH_MAX], head[PATH_MAX];
  int n = snprintf(full, sizeof full, "%s%s", *path == '/' ? "" : "./", path);
  if (!*path || n >= (int)sizeof full) return 0;
  memcpy(head, full, sizeof head);
  while (!realpath(head, real)) {
    char *slash = strrchr(head, '/');
    if (errno != ENOENT || !slash || slash == head) return 0;
    *slash = '\0';
  }
  size_t used = strlen(real);
  const char *rest = full + strlen(head);
  return snprintf(real + used, PATH_MAX - used, "%s", rest) < (int)(PATH_MAX - used);
}

/* in the folder or below it, and nothing hidden on the way from there */
static int is_below(const char *real, const char *folder) {
  size_t n = strlen(folder);
  if (!n || strncmp(real, folder, n)) return 0;
  if (n > 1 && real[n] && real[n] != '/') return 0;
  return !strstr(real + n - (n == 1), "/.");
}

/* a writer makes regular files with the endings of figures and tables, and replaces only those */
static const char *cannot_write(const char *path) {
  static const char *const endings[] = {".pdf",   ".svg",     ".png", ".tex", ".txt",
                                        ".gif",   ".dat",     ".gp",  ".csv", ".h5",
                                        ".jsonl", ".journal", ".html"};
  struct stat st;
  if (!lstat(path, &st) && !S_ISREG(st.st_mode)) return "it is not a regular file";
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
    if (!strcmp(dot, endings[i])) return NULL;
  return "its ending is not that of a figure or a table";
}

const char *bind_file_refusal(lua_State *L, const char *path, bind_file_use use) {
  char real[PATH_MAX];
  const sandbox *box = sandbox_of(L);
  if (!box) return NULL;
  int known = resolve(path, real);
  if (known && is_below(real, box->out)) return use == BIND_FILE_WRITE ? cannot_write(path) : NULL;
  if (use != BIND_FILE_READ) return "it is not below the folder for results";
  int ours = known && (is_below(real, box->current) || is_below(real, box->home) ||
                       is_below(real, box->beside) || (*box->script && !strcmp(real, box->script)));
  return ours ? NULL : "it is not below the current folder";
}

const char *bind_file_check(lua_State *L, const char *path, bind_file_use use) {
  const char *why = bind_file_refusal(L, path, use);
  if (why)
    bind_error(L, "'%s' cannot be %s in a sandbox (--sandbox): %s", path,
               use == BIND_FILE_READ ? "read" : "written", why);
  return path;
}

const char *bind_file_arg(lua_State *L, int index, const char *who, bind_file_use use) {
  char got[96];
  if (lua_type(L, index) == LUA_TSTRING) return bind_file_check(L, lua_tostring(L, index), use);
  bind_describe(L, index, got, sizeof got);
  bind_error(L, "%s needs the name of a file, got %s", who, got);
  return NULL;
}

/* ---- files that a script depends on ---- */

void bind_file_noted(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &noted) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &noted);
}

void bind_file_note(lua_State *L, const char *path) {
  bind_file_noted(L);
  lua_pushboolean(L, 1);
  lua_setfield(L, -2, path);
  lua_pop(L, 1);
}
