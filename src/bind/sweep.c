/* Running a sweep: the engine's units are calls of a Lua function, or C alone in the fast lane.
 *
 * lua/knock/sweep.lua makes the design (which sample has which parameters) and the header of the
 * journal; this file runs the samples and fills the table.
 */
#include "bind/sweep.h"

#include <lauxlib.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bind/bind.h"
#include "bind/file.h"
#include "bind/table.h"
#include "core/interrupt.h"
#include "core/lin.h"
#include "plot/folder.h"
#include "sweep/join.h"

enum { SHORT_LANE = 20000 }; /* samples that are done before workers would have started */

/* ---- the sweep as a value ---- */

static int free_sweep(lua_State *L) {
  bind_sweep *s = lua_touserdata(L, 1);
  free(s->keep);
  s->keep = NULL;
  sweep_engine_close(&s->engine);
  return 0;
}

bind_sweep *bind_sweep_push(lua_State *L) {
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

lua_Integer bind_integer_field(lua_State *L, int index, const char *name, lua_Integer otherwise) {
  lua_getfield(L, index, name);
  lua_Integer x = luaL_optinteger(L, -1, otherwise);
  lua_pop(L, 1);
  return x;
}

int bind_flag_field(lua_State *L, int index, const char *name) {
  lua_getfield(L, index, name);
  int x = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return x;
}

static int has_field(lua_State *L, int index, const char *name) {
  int there = lua_getfield(L, index, name) != LUA_TNIL;
  lua_pop(L, 1);
  return there;
}

/* ---- axes ---- */

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
  luaL_checktype(L, index, LUA_TTABLE);
  s->axes.samples = (size_t)bind_integer_field(L, index, "samples", 0);
  s->axes.n = (int)lua_rawlen(L, index);
  if (s->axes.n > SWEEP_MAX_AXES) luaL_error(L, "sweep: at most %d axes", SWEEP_MAX_AXES);
  for (int k = 0; k < s->axes.n; k++) {
    luaL_argcheck(L, lua_rawgeti(L, index, k + 1) == LUA_TTABLE, index, "no axes");
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

/* ---- the table ---- */

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

size_t bind_lane_block(size_t samples) {
  size_t block = samples / 4096;
  return block < 1 ? 1 : block > 1024 ? 1024 : block;
}

/* ---- running ---- */

/* watch(done, n): its error is told and ends watching; an interruption that came before it was
 * called, or while it ran, is the sweep's */
static core_status watch(void *self, size_t done, core_error *err) {
  bind_sweep *s = self;
  lua_State *L = s->L;
  if (!s->watcher) return CORE_OK;
  int before = core_interrupt_flag;
  if (before > 0) return core_fail(err, CORE_INTERRUPTED, "%s", "");
  lua_pushvalue(L, s->watcher);
  lua_pushinteger(L, (lua_Integer)done);
  lua_pushinteger(L, (lua_Integer)s->engine.samples);
  if (lua_pcall(L, 2, 0, 0) == LUA_OK) return CORE_OK;
  if (core_interrupted()) {
    lua_pop(L, 1);
    core_interrupt_flag = before ? CORE_INTERRUPT_AGAIN : CORE_INTERRUPT_ASKED;
    return core_fail(err, CORE_INTERRUPTED, "%s", "");
  }
  lua_replace(L, s->message);
  s->watcher = 0;
  return CORE_OK;
}

void bind_sweep_info(lua_State *L, const bind_sweep *s, int interrupted) {
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
  lua_pushboolean(L, e->terminated);
  lua_setfield(L, -2, "terminated");
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
  bind_sweep *s = bind_sweep_push(L);
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
  s->seed = bind_integer_field(L, OPTIONS, "seed", 0);
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
  e->jobs = (int)bind_integer_field(L, OPTIONS, "jobs", 0);
  e->shard = (size_t)bind_integer_field(L, OPTIONS, "shard", 1) - 1;
  e->shards = (size_t)bind_integer_field(L, OPTIONS, "shards", 1);
  e->block = s->lane ? bind_lane_block(e->samples) : 1;
  e->here = sweep_is_worker() || (s->lane && (e->jobs == 1 || e->samples < SHORT_LANE));
  e->body = (sweep_body){s, NULL, s->lane ? bind_lane_unit : bind_sweep_sample, leave, watch};
}

/* all chunks of the sweep whose folder is at `folder`, together with whoever else works there */
static core_status join(lua_State *L, bind_sweep *s, core_error *err) {
  sweep_engine *e = &s->engine;
  lua_getfield(L, OPTIONS, "join");
  lua_getfield(L, OPTIONS, "patience");
  size_t size = sweep_chunk_units(e->units), chunks = (e->units + size - 1) / size;
  sweep_claims claims;
  core_status status =
      sweep_claims_open(&claims, lua_tostring(L, -2), chunks, lua_tonumber(L, -1), err);
  if (!status) status = sweep_join(e, &claims, luaL_optstring(L, HEADER, ""), err);
  sweep_claims_close(&claims);
  lua_pop(L, 2);
  return status;
}

/* run_sweep{table=, design=, body= or lane=, jobs=, seed=, journal=, header=, resume=, shard=,
 * shards=, watch=, stream=, join=, patience=} */
static int run_sweep(lua_State *L) {
  core_error err = {0};
  record_table *t;
  bind_sweep *s = read_options(L, &t);
  const char *journal = luaL_optstring(L, JOURNAL, NULL);
  if (journal) bind_file_check(L, journal, BIND_FILE_WRITE);
  set_engine(L, s);
  core_status status = bind_flag_field(L, OPTIONS, "stream") ? CORE_OK : prepare_table(s, t);
  if (status) core_fail(&err, status, "%s", "");
  if (!status)
    status = sweep_engine_open(&s->engine, journal, luaL_optstring(L, HEADER, ""),
                               bind_flag_field(L, OPTIONS, "resume"), &err);
  int joins = has_field(L, OPTIONS, "join");
  core_interrupt_listening = 1;
  if (!status) status = joins ? join(L, s, &err) : sweep_engine_run(&s->engine, &err);
  if (s->engine.deaths) plot_folder_sweep();
  int kept =
      status == CORE_INTERRUPTED && (core_interrupt_take() || (joins && s->engine.terminated));
  core_interrupt_listening = 0;
  if (status && !kept) return bind_raise(L, &err);
  if (s->engine.columns.table && s->engine.done < s->engine.samples)
    sweep_engine_compact(&s->engine);
  if (s->engine.columns.table) sweep_columns_sort(&s->engine.columns);
  bind_sweep_info(L, s, status == CORE_INTERRUPTED);
  return 1;
}

static const bind_function functions[] = {
    {"run_sweep", run_sweep, "run_sweep(options) -> info",
     "Runs the samples of a sweep on all cores and fills its table; used by sweep:run.", NULL},
};

void bind_open_sweep(lua_State *L) {
  luaL_getsubtable(L, -1, "records");
  bind_register(L, "records", functions, sizeof functions / sizeof *functions);
  lua_pushstring(L, core_lin_backend());
  lua_setfield(L, -2, "lapack");
  lua_pop(L, 1);
  bind_open_sweep_merge(L);
}
