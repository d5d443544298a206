/* Running a sweep: the engine's units are calls of a Lua function, or C alone in the fast lane.
 *
 * lua/knock/sweep.lua makes the design (which sample has which parameters) and the header of the
 * journal; this file runs the samples and fills the table.
 */
#include "bind/sweep.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bind/bind.h"
#include "bind/file.h"
#include "bind/table.h"
#include "core/hash.h"
#include "core/interrupt.h"
#include "core/lin.h"
#include "sweep/stream.h"

enum { SHORT_LANE = 20000 }; /* samples that are done before workers would have started */

/* ---- the sweep as a value
 * ------------------------------------------------------------------------ */

static int free_sweep(lua_State *L) {
  bind_sweep *s = lua_touserdata(L, 1);
  free(s->keep);
  s->keep = NULL;
  sweep_engine_close(&s->engine);
  return 0;
}

/* a sweep whose memory goes with the Lua stack, whatever happens */
static bind_sweep *push_sweep(lua_State *L) {
  bind_sweep *s = lua_newuserdatauv(L, sizeof *s, 0);
  memset(s, 0, sizeof *s);
  s->L = L;
  s->engine.journal.fd = -1;
  s->engine.block = s->engine.shards = 1;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, free_sweep);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  return s;
}

static lua_Integer integer_field(lua_State *L, int index, const char *name, lua_Integer otherwise) {
  lua_getfield(L, index, name);
  lua_Integer x = luaL_optinteger(L, -1, otherwise);
  lua_pop(L, 1);
  return x;
}

static int flag_field(lua_State *L, int index, const char *name) {
  lua_getfield(L, index, name);
  int x = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return x;
}

/* ---- axes
 * ---------------------------------------------------------------------------------------- */

/* the list of samples of a filter on top of the stack, numbers from 1 */
static void read_keep(lua_State *L, bind_sweep *s) {
  size_t n = lua_rawlen(L, -1);
  s->keep = malloc((n + 1) * sizeof *s->keep);
  if (!s->keep) bind_raise(L, &(core_error){CORE_NO_MEMORY, ""});
  for (size_t i = 0; i < n; i++) {
    lua_rawgeti(L, -1, (lua_Integer)i + 1);
    s->keep[i] = (size_t)lua_tointeger(L, -1) - 1;
    lua_pop(L, 1);
  }
  s->axes.keep = s->keep;
}

void bind_sweep_axes(lua_State *L, int index, bind_sweep *s) {
  s->axes.samples = (size_t)integer_field(L, index, "samples", 0);
  s->axes.n = (int)lua_rawlen(L, index);
  if (s->axes.n > SWEEP_MAX_AXES) luaL_error(L, "sweep: at most %d axes", SWEEP_MAX_AXES);
  for (int k = 0; k < s->axes.n; k++) {
    lua_rawgeti(L, index, k + 1);
    lua_rawgeti(L, -1, 1);
    const record_table *values = bind_table_test(L, -1);
    lua_rawgeti(L, -2, 2);
    lua_Integer inner = lua_tointeger(L, -1);
    luaL_argcheck(L, values && values->n == 1 && values->rows && inner > 0, index, "no axes");
    s->axes.axis[k] = (sweep_axis){values, (size_t)inner};
    lua_pop(L, 3);
  }
  if (lua_getfield(L, index, "keep") == LUA_TTABLE) read_keep(L, s);
  lua_pop(L, 1);
}

/* ---- the table
 * ----------------------------------------------------------------------------------- */

/* rows for all samples with their axes, then the columns of the results */
static core_status prepare_table(bind_sweep *s, record_table *t) {
  core_status status = record_resize(t, s->axes.samples);
  if (!status) status = sweep_axes_add(&s->axes, t);
  if (!status) status = sweep_axes_fill(&s->axes, 0, t);
  if (!status && s->lane) status = bind_lane_columns(s->lane, t);
  if (!status)
    status = s->lane ? sweep_columns_lane(&s->engine.columns, t, s->axes.n)
                     : sweep_columns_init(&s->engine.columns, t);
  return status;
}

/* samples of a unit: so few that a killed worker loses 1/4000 of the whole at most, so many that
 * handing them out costs nothing; the same for every run of a sweep */
static size_t lane_block(size_t samples) {
  size_t block = samples / 4096;
  return block < 1 ? 1 : block > 1024 ? 1024 : block;
}

/* ---- running
 * ------------------------------------------------------------------------------------- */

/* watch(done, n): its error ends the sweep; an interruption that came while it ran is the sweep's
 */
static core_status watch(void *self, size_t done, core_error *err) {
  bind_sweep *s = self;
  lua_State *L = s->L;
  if (!s->watcher) return CORE_OK;
  int quiet = core_interrupt_flag <= 0;
  lua_pushvalue(L, s->watcher);
  lua_pushinteger(L, (lua_Integer)done);
  lua_pushinteger(L, (lua_Integer)s->engine.samples);
  if (lua_pcall(L, 2, 0, 0) == LUA_OK) return CORE_OK;
  if (quiet && core_interrupt_flag > 0) {
    lua_pop(L, 1);
    core_interrupt_flag = CORE_INTERRUPT_ASKED;
    return core_fail(err, CORE_INTERRUPTED, "%s", "");
  }
  lua_replace(L, s->message);
  s->watcher = 0;
  return CORE_OK;
}

/* {done =, failed =, lost =, interrupted =, complete =, watch_error =} */
static void push_info(lua_State *L, const bind_sweep *s, int interrupted) {
  const sweep_engine *e = &s->engine;
  lua_createtable(L, 0, 6);
  lua_pushinteger(L, (lua_Integer)e->done);
  lua_setfield(L, -2, "done");
  lua_pushinteger(L, (lua_Integer)e->failed);
  lua_setfield(L, -2, "failed");
  lua_pushinteger(L, (lua_Integer)e->lost);
  lua_setfield(L, -2, "lost");
  lua_pushboolean(L, interrupted);
  lua_setfield(L, -2, "interrupted");
  lua_pushboolean(L, e->done == e->samples);
  lua_setfield(L, -2, "complete");
  if (!s->message) return;
  lua_pushvalue(L, s->message);
  lua_setfield(L, -2, "watch_error");
}

enum {
  OPTIONS = 1,
  SWEEP,
  TABLE,
  DESIGN,
  LANE,
  BODY,
  SEEDER,
  NAMES,
  WATCH,
  MESSAGE,
  JOURNAL,
  HEADER
};

/* options -> the stack as in the enum above */
static bind_sweep *read_options(lua_State *L, record_table **t) {
  luaL_checktype(L, OPTIONS, LUA_TTABLE);
  lua_settop(L, OPTIONS);
  bind_sweep *s = push_sweep(L);
  lua_getfield(L, OPTIONS, "table");
  *t = bind_table_test(L, TABLE);
  luaL_argcheck(L, *t, 1, "no table");
  lua_getfield(L, OPTIONS, "design");
  luaL_checktype(L, DESIGN, LUA_TTABLE);
  bind_sweep_axes(L, DESIGN, s);
  if (lua_getfield(L, OPTIONS, "lane") == LUA_TTABLE) {
    s->lane = bind_lane_push(L, &s->axes);
    lua_replace(L, LANE);
  }
  lua_getfield(L, OPTIONS, "body");
  lua_getglobal(L, "math");
  lua_getfield(L, -1, "randomseed");
  lua_replace(L, SEEDER);
  lua_newtable(L);
  lua_getfield(L, OPTIONS, "watch");
  lua_pushnil(L);
  lua_getfield(L, OPTIONS, "journal");
  lua_getfield(L, OPTIONS, "header");
  s->body = BODY, s->seeder = SEEDER, s->names = NAMES, s->message = MESSAGE;
  s->watcher = lua_isnil(L, WATCH) ? 0 : WATCH;
  s->seed = integer_field(L, OPTIONS, "seed", 0);
  return s;
}

/* in a worker: folders of figures that its samples drew go with it */
static void leave(void *self) {
  bind_sweep *s = self;
  bind_plot_leave(s->L);
}

static void set_engine(lua_State *L, bind_sweep *s) {
  sweep_engine *e = &s->engine;
  e->samples = s->axes.samples;
  e->jobs = (int)integer_field(L, OPTIONS, "jobs", 0);
  e->shard = (size_t)integer_field(L, OPTIONS, "shard", 1) - 1;
  e->shards = (size_t)integer_field(L, OPTIONS, "shards", 1);
  e->block = s->lane ? lane_block(e->samples) : 1;
  e->here = sweep_is_worker() || (s->lane && (e->jobs == 1 || e->samples < SHORT_LANE));
  e->body = (sweep_body){s, NULL, s->lane ? bind_lane_unit : bind_sweep_sample, leave, watch};
}

/* run_sweep{table=, design=, body= or lane=, jobs=, seed=, journal=, header=, resume=, shard=,
 * shards=, watch=, stream=} */
static int run_sweep(lua_State *L) {
  core_error err = {0};
  record_table *t;
  bind_sweep *s = read_options(L, &t);
  const char *journal = luaL_optstring(L, JOURNAL, NULL);
  if (journal) bind_file_check(L, journal, BIND_FILE_WRITE);
  set_engine(L, s);
  core_status status = flag_field(L, OPTIONS, "stream") ? CORE_OK : prepare_table(s, t);
  if (status) core_fail(&err, status, "%s", "");
  if (!status)
    status = sweep_engine_open(&s->engine, journal, luaL_optstring(L, HEADER, ""),
                               flag_field(L, OPTIONS, "resume"), &err);
  if (!status) status = sweep_engine_run(&s->engine, &err);
  int kept = status == CORE_INTERRUPTED && core_interrupt_take(); /* what is done is the answer */
  if (status && !kept) return bind_raise(L, &err);
  if (s->engine.columns.table && s->engine.done < s->engine.samples)
    sweep_engine_compact(&s->engine);
  if (s->engine.columns.table) sweep_columns_sort(&s->engine.columns);
  push_info(L, s, status == CORE_INTERRUPTED);
  return 1;
}

/* ---- merging journals, fingerprints
 * ------------------------------------------------------------------ */

/* adds the columns {name, unit, width} of the list at index: what a journal of the fast lane holds
 */
static core_status add_columns(lua_State *L, int index, record_table *t) {
  core_status status = CORE_OK;
  for (int k = 1, n = (int)lua_rawlen(L, index); k <= n && !status; k++) {
    lua_rawgeti(L, index, k);
    lua_getfield(L, -1, "name");
    lua_getfield(L, -2, "unit");
    const char *name = luaL_checkstring(L, -2), *unit = luaL_checkstring(L, -1);
    int width = (int)integer_field(L, -3, "width", 1);
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
  bind_sweep *s = push_sweep(L);
  bind_sweep_axes(L, 3, s);
  sweep_engine *e = &s->engine;
  e->samples = s->axes.samples;
  e->block = lane ? lane_block(e->samples) : 1;
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
    status = sweep_engine_replay(e, path_at(L, i), &err);
  if (status) return bind_raise(L, &err);
  sweep_columns_sort(&e->columns);
  push_info(L, s, 0);
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
  if (flag_field(L, 1, "messages") && !record_add(t, "message", "", RECORD_STRING, 1))
    return bind_raise(L, &(core_error){CORE_NO_MEMORY, ""});
  sweep_stream stream = {&s->axes, s->engine.block, &s->engine.columns, paths, n, 0};
  core_status status = sweep_stream_write(&stream, file, &err);
  record_resize(t, 0);
  return status ? bind_raise(L, &err) : 0;
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
    {"run_sweep", run_sweep, "run_sweep(options) -> info",
     "Runs the samples of a sweep on all cores and fills its table; used by sweep:run.", NULL},
    {"fill_from_journals", fill_from_journals, "fill_from_journals(what) -> info",
     "Puts the samples that journals hold into a table; used by `knock merge`.", NULL},
    {"stream_journals", stream_journals, "stream_journals(what, file)",
     "Writes what journals hold to a file, in constant memory; used by sweep:impact.", NULL},
    {"journal_header", journal_header, "journal_header(path) -> text, holder",
     "The lines `key: value` a journal starts with, and who is writing it now (nil: nobody).",
     NULL},
    {"remove_journal", remove_journal, "remove_journal(path)",
     "Removes the journal of a sweep that is complete.", NULL},
    {"sha256", sha256, "sha256(text) -> hex", "SHA-256 of a string, in hexadecimal.", NULL},
    {"cores", cores, "cores() -> n", "How many cores this process may use.", NULL},
};

void bind_open_sweep(lua_State *L) {
  luaL_getsubtable(L, -1, "records");
  bind_register(L, "records", functions, sizeof functions / sizeof *functions);
  lua_pushstring(L, core_lin_backend());
  lua_setfield(L, -2, "lapack");
  lua_pop(L, 1);
}
