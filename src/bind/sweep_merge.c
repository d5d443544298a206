/* Journals of a sweep after it ran, or while others run it: merging them, and who works on what. */
#include <dirent.h>
#include <errno.h>
#include <lauxlib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bind/bind.h"
#include "bind/file.h"
#include "bind/sweep.h"
#include "bind/table.h"
#include "core/clock.h"
#include "core/hash.h"
#include "core/interrupt.h"
#include "sweep/join.h"
#include "sweep/stream.h"

/* adds the columns {name, unit, width} of the list at index: what a journal of the fast lane holds
 */
static core_status add_columns(lua_State *L, int index, record_table *t) {
  core_status status = CORE_OK;
  for (int k = 1, n = (int)lua_rawlen(L, index); k <= n && !status; k++) {
    lua_rawgeti(L, index, k);
    lua_getfield(L, -1, "name");
    lua_getfield(L, -2, "unit");
    const char *name = luaL_checkstring(L, -2), *unit = luaL_checkstring(L, -1);
    int width = (int)bind_integer_field(L, -3, "width", 1);
    luaL_argcheck(L, width > 0 && width < 1 << 20, index, "no column");
    if (!record_add(t, name, unit, RECORD_NUMBER, width)) status = CORE_NO_MEMORY;
    lua_pop(L, 3);
  }
  return status;
}

/* {design =, columns = or nil, table =, paths = list} at 1 -> a sweep whose table has all columns;
 * it has rows for all samples, or none */
static bind_sweep *read_merge(lua_State *L, int rows) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  lua_getfield(L, 1, "table");
  lua_getfield(L, 1, "design");
  lua_getfield(L, 1, "columns");
  lua_getfield(L, 1, "paths");
  record_table *t = bind_table_test(L, 2);
  luaL_argcheck(L, t, 1, "no table");
  luaL_checktype(L, 5, LUA_TTABLE);
  int lane = lua_istable(L, 4);
  bind_sweep *s = bind_sweep_push(L);
  bind_sweep_axes(L, 3, s);
  sweep_engine *e = &s->engine;
  e->samples = s->axes.samples;
  e->block = lane ? bind_lane_block(e->samples) : 1;
  core_status status = record_resize(t, rows ? e->samples : 0);
  if (!status) status = sweep_axes_add(&s->axes, t);
  if (!status) status = sweep_axes_fill(&s->axes, 0, t);
  if (!status && lane) status = add_columns(L, 4, t);
  if (!status)
    status =
        lane ? sweep_columns_lane(&e->columns, t, s->axes.n) : sweep_columns_init(&e->columns, t);
  if (status) bind_raise(L, &(core_error){status, ""});
  return s;
}

/* path number i of the list at 5; it stays alive there */
static const char *path_at(lua_State *L, int i) {
  lua_rawgeti(L, 5, i);
  const char *path = bind_file_check(L, luaL_checkstring(L, -1), BIND_FILE_READ);
  lua_pop(L, 1);
  return path;
}

/* fill_from_journals{table=, design=, columns=, paths=} -> info */
static int fill_from_journals(lua_State *L) {
  core_error err = {0};
  bind_sweep *s = read_merge(L, 1);
  sweep_engine *e = &s->engine;
  core_status status = sweep_engine_open(e, NULL, NULL, 0, &err);
  for (int i = 1, n = (int)lua_rawlen(L, 5); i <= n && !status; i++)
    status = bind_flag_field(L, 1, "open") ? sweep_engine_peek(e, path_at(L, i), &err)
                                           : sweep_engine_replay(e, path_at(L, i), &err);
  if (status) return bind_raise(L, &err);
  if (bind_flag_field(L, 1, "partial")) sweep_engine_compact(e);
  sweep_columns_sort(&e->columns);
  bind_sweep_info(L, s, 0);
  return 1;
}

/* stream_journals({table=, design=, columns=, paths=, messages=}, file) */
static int stream_journals(lua_State *L) {
  core_error err = {0};
  const char *file = bind_file_check(L, luaL_checkstring(L, 2), BIND_FILE_WRITE);
  lua_pushvalue(L, 2);
  lua_setfield(L, 1, "file"); /* keeps it alive */
  bind_sweep *s = read_merge(L, 0);
  record_table *t = s->engine.columns.table;
  int n = (int)lua_rawlen(L, 5);
  char **paths = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof *paths, 0);
  for (int i = 0; i < n; i++) paths[i] = (char *)path_at(L, i + 1);
  if (bind_flag_field(L, 1, "messages") && !record_add(t, "message", "", RECORD_STRING, 1))
    return bind_raise(L, &(core_error){CORE_NO_MEMORY, ""});
  int lock = !bind_flag_field(L, 1, "open");
  sweep_stream stream = {&s->axes, s->engine.block, &s->engine.columns, paths, n, lock, 0};
  core_status status = sweep_stream_write(&stream, file, &err);
  record_resize(t, 0);
  return status ? bind_raise(L, &err) : 0;
}

/* new_journal(path, header) -> true when it is new, false when there was one already */
static int new_journal(lua_State *L) {
  core_error err = {0};
  sweep_journal j;
  const char *path = bind_file_check(L, luaL_checkstring(L, 1), BIND_FILE_WRITE);
  core_status status = sweep_journal_create(&j, path, luaL_checkstring(L, 2), &err);
  if (!status) sweep_journal_close(&j, NULL);
  if (status && access(path, F_OK)) return bind_raise(L, &err);
  lua_pushboolean(L, !status);
  return 1;
}

/* claim_merge(folder, patience) -> true when merging is ours, false when it is done */
static int claim_merge(lua_State *L) {
  core_error err = {0};
  sweep_claims claims;
  int ours = 0;
  const char *folder = bind_file_check(L, luaL_checkstring(L, 1), BIND_FILE_READ);
  core_status status = sweep_claims_open(&claims, folder, 1, luaL_checknumber(L, 2), &err);
  if (!status) status = sweep_join_wait(&claims, &ours, &err);
  claims.n_held = 0; /* the lease stays until it is stale, or goes with the folder */
  sweep_claims_close(&claims);
  if (status) return bind_raise(L, &err);
  lua_pushboolean(L, ours);
  return 1;
}

/* count_chunks(folder, samples, lane) -> done, leased, chunks */
static int count_chunks(lua_State *L) {
  core_error err = {0};
  const char *folder = bind_file_check(L, luaL_checkstring(L, 1), BIND_FILE_READ);
  size_t samples = (size_t)luaL_checkinteger(L, 2), done, leased;
  size_t block = lua_toboolean(L, 3) ? bind_lane_block(samples) : 1;
  size_t units = (samples + block - 1) / block, size = sweep_chunk_units(units);
  size_t chunks = (units + size - 1) / size;
  if (sweep_claims_count(folder, chunks, &done, &leased, &err)) return bind_raise(L, &err);
  lua_pushinteger(L, (lua_Integer)done);
  lua_pushinteger(L, (lua_Integer)leased);
  lua_pushinteger(L, (lua_Integer)chunks);
  return 3;
}

static void remove_files(const char *path) {
  char name[4096];
  DIR *dir = opendir(path);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) unlink(name);
  }
  if (dir) closedir(dir);
}

/* remove_folder(path): of a sweep that is merged; only what workers made, never below other
 * folders. Others may be about to claim in it: they make files until it is gone. */
static int remove_folder(lua_State *L) {
  const char *path = bind_file_check(L, luaL_checkstring(L, 1), BIND_FILE_WRITE);
  for (int tries = 0; tries < 1000; tries++) {
    remove_files(path);
    if (!rmdir(path) || errno != ENOTEMPTY) break;
  }
  return 0;
}

/* journal_header(path) -> text, who is writing it now or nil */
static int journal_header(lua_State *L) {
  core_error err = {0};
  char *header, holder[120];
  const char *path = bind_file_check(L, luaL_checkstring(L, 1), BIND_FILE_READ);
  if (sweep_journal_header(path, &header, holder, &err)) return bind_raise(L, &err);
  lua_pushstring(L, header);
  free(header);
  lua_pushstring(L, *holder ? holder : NULL);
  return 2;
}

/* remove_journal(path): of a sweep that is complete; what is no journal stays */
static int remove_journal(lua_State *L) {
  core_error err = {0};
  char *header;
  const char *path = bind_file_check(L, luaL_checkstring(L, 1), BIND_FILE_WRITE);
  if (sweep_journal_header(path, &header, NULL, &err)) return bind_raise(L, &err);
  free(header);
  unlink(path);
  return 0;
}

/* clock() -> seconds of a clock that never goes back */
static int seconds(lua_State *L) {
  lua_pushnumber(L, core_seconds());
  return 1;
}

/* sleep(seconds): less when Ctrl-C comes */
static int nap(lua_State *L) {
  double s = luaL_checknumber(L, 1);
  for (; s > 0 && !core_interrupted(); s -= 0.05) nanosleep(&(struct timespec){0, 50000000}, NULL);
  if (core_interrupted()) return bind_raise(L, &(core_error){CORE_INTERRUPTED, ""});
  return 0;
}

static int sha256(lua_State *L) {
  size_t n;
  char hex[65];
  const char *text = luaL_checklstring(L, 1, &n);
  core_sha256(text, n, hex);
  lua_pushstring(L, hex);
  return 1;
}

static int cores(lua_State *L) {
  lua_pushinteger(L, sweep_cores());
  return 1;
}

static const bind_function functions[] = {
    {"fill_from_journals", fill_from_journals, "fill_from_journals(what) -> info",
     "Puts the samples that journals hold into a table; used by `knock merge`.", NULL},
    {"stream_journals", stream_journals, "stream_journals(what, file)",
     "Writes what journals hold to a file, in constant memory; used by sweep:impact.", NULL},
    {"new_journal", new_journal, "new_journal(path, header) -> boolean",
     "Makes a journal without results; false when there is one already.", NULL},
    {"claim_merge", claim_merge, "claim_merge(folder, patience) -> boolean",
     "Waits until merging a sweep is ours (true) or done by somebody else (false).", NULL},
    {"count_chunks", count_chunks, "count_chunks(folder, samples, lane) -> done, leased, chunks",
     "How far the workers in a sweep's folder are.", NULL},
    {"remove_folder", remove_folder, "remove_folder(path)",
     "Removes the folder of a sweep that is merged.", NULL},
    {"journal_header", journal_header, "journal_header(path) -> text, holder",
     "The lines `key: value` a journal starts with, and who is writing it now (nil: nobody).",
     NULL},
    {"remove_journal", remove_journal, "remove_journal(path)",
     "Removes the journal of a sweep that is complete.", NULL},
    {"clock", seconds, "clock() -> s", "Seconds of a clock that never goes back.", NULL},
    {"sleep", nap, "sleep(s)", "Waits; Ctrl-C ends it.", NULL},
    {"sha256", sha256, "sha256(text) -> hex", "SHA-256 of a string, in hexadecimal.", NULL},
    {"cores", cores, "cores() -> n", "How many cores this process may use.", NULL},
};

void bind_open_sweep_merge(lua_State *L) {
  luaL_getsubtable(L, -1, "records");
  bind_register(L, "records", functions, sizeof functions / sizeof *functions);
  lua_pop(L, 1);
}
