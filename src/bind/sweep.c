/* Running a sweep: the pool's samples are calls of a Lua function, or C alone in the fast lane.
 *
 * lua/knock/sweep.lua makes the design (which sample has which parameters), the table with the axes
 * and the header of the journal; this file runs the samples and fills the table.
 */
#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bind/bind.h"
#include "bind/file.h"
#include "bind/matrix.h"
#include "bind/table.h"
#include "core/hash.h"
#include "core/interrupt.h"
#include "core/lin.h"
#include "sweep/journal.h"
#include "sweep/pool.h"
#include "sweep/progress.h"
#include "sweep/row.h"

typedef struct sweep {
  lua_State *L;
  int body;    /* stack index of the sample function */
  int seeder;  /* stack index of math.randomseed */
  int watcher; /* stack index of progress(done, n), 0: none */
  lua_Integer seed;
  int names; /* stack index of the list of field names of the sample before */
  size_t n;
  unsigned char *is_done; /* per sample */
  size_t *pending;        /* numbers of the samples still to run */
  size_t pending_count;
  size_t lost; /* samples that killed their workers */
  sweep_columns columns;
  sweep_journal journal; /* fd < 0: none */
  sweep_progress progress;
  sweep_bytes *out; /* where the sample that is running puts its result */
  core_status watcher_failed;
} sweep;

/* ---- in a worker: one sample
 * ----------------------------------------------------------------------- */

/* 1 when the result has just the fields in the list of names */
static int same_names(lua_State *L, int names, int result) {
  int n = (int)lua_rawlen(L, names), fields = 0;
  for (lua_pushnil(L); lua_next(L, result); lua_pop(L, 1)) fields++;
  for (int i = 1; i <= n && fields == n; i++) {
    lua_rawgeti(L, names, i);
    if (lua_rawget(L, result) == LUA_TNIL) fields = -1;
    lua_pop(L, 1);
  }
  return fields == n;
}

/* fills the list of names with those of the result, sorted */
static void sort_names(lua_State *L, int names, int result) {
  for (lua_Integer i = (lua_Integer)lua_rawlen(L, names); i >= 1; i--) {
    lua_pushnil(L);
    lua_rawseti(L, names, i);
  }
  lua_Integer n = 0;
  for (lua_pushnil(L); lua_next(L, result); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING)
      luaL_error(L, "a sample must return named fields, got the key %s",
                 luaL_tolstring(L, -2, NULL));
    lua_pushvalue(L, -2);
    lua_rawseti(L, names, ++n);
  }
  lua_getglobal(L, "table");
  lua_getfield(L, -1, "sort");
  lua_pushvalue(L, names);
  lua_call(L, 1, 0);
  lua_pop(L, 1);
}

static void put_numbers(lua_State *L, sweep *s, const char *name, record_kind kind, int width) {
  double small[8];
  record_column c = {NULL, NULL, kind, width, small, NULL};
  if (width > 8) {
    c.x = lua_newuserdatauv(L, (size_t)width * sizeof(double), 0);
    lua_insert(L, -2);
  }
  if (bind_table_set(L, lua_gettop(L), &c, 0))
    luaL_error(L, "field '%s' cannot be stored: it is a list of something else than numbers", name);
  sweep_row_numbers(s->out, name, c.kind, width, c.x);
}

/* appends the value on top of the stack */
static void put_value(lua_State *L, sweep *s, const char *name) {
  record_kind kind;
  int width;
  if (!bind_table_kind(L, -1, &kind, &width) || width > 60000)
    luaL_error(L, "field '%s' cannot be stored: it is a %s", name, luaL_typename(L, -1));
  if (kind != RECORD_STRING) {
    put_numbers(L, s, name, kind, width);
    return;
  }
  size_t n;
  const char *text = lua_tolstring(L, -1, &n);
  if (strlen(text) != n) luaL_error(L, "field '%s' cannot be stored: it holds a zero byte", name);
  sweep_row_string(s->out, name, text, n);
}

enum { SELF = 1, BODY, SEEDER, NAMES, NUMBER, RESULT };

/* stack: SELF..NUMBER; runs under pcall: seeds the random numbers, calls the body, packs the result
 */
static int run_one(lua_State *L) {
  sweep *s = lua_touserdata(L, SELF);
  lua_pushvalue(L, SEEDER);
  lua_pushinteger(L, s->seed);
  lua_pushvalue(L, NUMBER);
  lua_call(L, 2, 0);
  lua_pushvalue(L, BODY);
  lua_pushvalue(L, NUMBER);
  lua_call(L, 1, 1);
  if (lua_type(L, RESULT) != LUA_TTABLE)
    luaL_error(L, "a sample must return a table of named fields, got %s", luaL_typename(L, RESULT));
  if (!same_names(L, NAMES, RESULT)) sort_names(L, NAMES, RESULT);
  int n = (int)lua_rawlen(L, NAMES);
  sweep_row_begin(s->out, n);
  for (int i = 1; i <= n; i++) {
    lua_rawgeti(L, NAMES, i);
    const char *name = lua_tostring(L, -1);
    lua_pushvalue(L, -1);
    lua_rawget(L, RESULT);
    put_value(L, s, name);
    lua_settop(L, RESULT);
  }
  return 0;
}

static void run_sample(void *self, size_t i, sweep_bytes *out) {
  sweep *s = self;
  lua_State *L = s->L;
  size_t start = out->n;
  s->out = out;
  lua_pushcfunction(L, run_one);
  lua_pushlightuserdata(L, s);
  lua_pushvalue(L, s->body);
  lua_pushvalue(L, s->seeder);
  lua_pushvalue(L, s->names);
  lua_pushinteger(L, (lua_Integer)i + 1);
  if (lua_pcall(L, 5, 0, 0) == LUA_OK) return;
  const char *message = luaL_tolstring(L, -1, NULL);
  core_status status = bind_status_of(L, message);
  out->n = start;
  sweep_row_failed(out, status ? status : CORE_CALLBACK, message);
  lua_pop(L, 2);
}

/* ---- in the parent
 * ----------------------------------------------------------------------------------- */

static core_status store(void *self, size_t i, const char *bytes, size_t n, core_error *err) {
  sweep *s = self;
  if (i < s->n && s->is_done[i]) return CORE_OK;
  core_status status = sweep_row_store(&s->columns, i, bytes, n, err);
  if (!status) s->is_done[i] = 1;
  return status;
}

static core_status deliver(void *self, size_t i, const char *bytes, size_t n, core_error *err) {
  sweep *s = self;
  core_status status = store(self, i, bytes, n, err);
  if (!status && s->journal.fd >= 0) status = sweep_journal_append(&s->journal, i, bytes, n, err);
  return status;
}

/* not journalled: resuming tries it again */
static core_status lost(void *self, size_t i, int signal, core_error *err) {
  sweep *s = self;
  s->is_done[i] = 1;
  s->lost++;
  return sweep_row_lost(&s->columns, i, signal, err);
}

static void progress(void *self, size_t done) {
  sweep *s = self;
  (void)done;
  sweep_progress_show(&s->progress, s->columns.done);
  if (!s->watcher || s->watcher_failed) return;
  lua_pushvalue(s->L, s->watcher);
  lua_pushinteger(s->L, (lua_Integer)s->columns.done);
  lua_pushinteger(s->L, (lua_Integer)s->n);
  if (lua_pcall(s->L, 2, 0, 0)) {
    lua_pop(s->L, 1);
    s->watcher_failed = CORE_CALLBACK;
  }
}

/* the samples of this shard that are not done, in order */
static core_status list_pending(sweep *s, size_t shard, size_t shards) {
  s->pending = malloc((s->n + 1) * sizeof *s->pending);
  if (!s->pending) return CORE_NO_MEMORY;
  for (size_t i = shard; i < s->n; i += shards)
    if (!s->is_done[i]) s->pending[s->pending_count++] = i;
  return CORE_OK;
}

static core_status open_journal(sweep *s, const char *path, const char *header, int resume,
                                core_error *err) {
  if (!path) return CORE_OK;
  if (resume) return sweep_journal_resume(&s->journal, path, store, s, err);
  return sweep_journal_create(&s->journal, path, header, err);
}

static int free_sweep(lua_State *L) {
  sweep *s = lua_touserdata(L, 1);
  free(s->is_done);
  free(s->pending);
  sweep_journal_close(&s->journal, NULL);
  return 0;
}

/* a sweep whose memory goes with the Lua stack, whatever happens */
static sweep *push_sweep(lua_State *L) {
  sweep *s = lua_newuserdatauv(L, sizeof *s, 0);
  *s = (sweep){.L = L, .journal = {.fd = -1}};
  lua_createtable(L, 0, 2);
  lua_pushcfunction(L, free_sweep);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  return s;
}

static lua_Integer integer_field(lua_State *L, const char *name, lua_Integer otherwise) {
  lua_getfield(L, 1, name);
  lua_Integer x = luaL_optinteger(L, -1, otherwise);
  lua_pop(L, 1);
  return x;
}

static int flag_field(lua_State *L, const char *name) {
  lua_getfield(L, 1, name);
  int x = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return x;
}

/* in a worker: the lock belongs to the parent alone */
static void start_worker(void *self) {
  sweep *s = self;
  if (s->journal.fd >= 0) close(s->journal.fd);
}

static core_status run(sweep *s, int jobs, core_error *err) {
  sweep_job job = {s->pending_count, s->pending, jobs, s,       start_worker,
                   run_sample,       deliver,    lost, progress};
  sweep_progress_start(&s->progress, s->n, s->columns.done);
  core_status status = sweep_pool_run(&job, err);
  sweep_progress_end(&s->progress);
  core_error close_err = {0};
  if (s->journal.fd >= 0 && sweep_journal_close(&s->journal, &close_err) && !status) {
    *err = close_err;
    status = close_err.status;
  }
  return status;
}

/* {done =, failed =, lost =, interrupted =, list of the rows that are done or nil when all are} */
static void push_info(lua_State *L, const sweep *s, int interrupted) {
  lua_createtable(L, 0, 5);
  lua_pushinteger(L, (lua_Integer)s->columns.done);
  lua_setfield(L, -2, "done");
  lua_pushinteger(L, (lua_Integer)s->columns.failed);
  lua_setfield(L, -2, "failed");
  lua_pushinteger(L, (lua_Integer)s->lost);
  lua_setfield(L, -2, "lost");
  lua_pushboolean(L, interrupted);
  lua_setfield(L, -2, "interrupted");
  if (s->columns.done == s->n) return;
  lua_newtable(L);
  lua_Integer k = 0;
  for (size_t i = 0; i < s->n; i++) {
    if (!s->is_done[i]) continue;
    lua_pushinteger(L, (lua_Integer)i + 1);
    lua_rawseti(L, -2, ++k);
  }
  lua_setfield(L, -2, "rows");
}

/* run_sweep{table=, body=, jobs=, seed=, journal=, header=, resume=, shard=, shards=, watch=} */
static int run_sweep(lua_State *L) {
  core_error err = {0};
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  sweep *s = push_sweep(L);
  lua_getfield(L, 1, "table");
  record_table *t = bind_table_test(L, 3);
  luaL_argcheck(L, t, 1, "no table");
  lua_getfield(L, 1, "body");
  lua_getglobal(L, "math");
  lua_getfield(L, -1, "randomseed");
  lua_newtable(L);
  lua_getfield(L, 1, "watch");
  s->body = 4, s->seeder = 6, s->names = 7, s->watcher = lua_isnil(L, 8) ? 0 : 8;
  lua_getfield(L, 1, "journal");
  lua_getfield(L, 1, "header");
  if (!lua_isnil(L, 9)) bind_file_check(L, luaL_checkstring(L, 9), BIND_FILE_WRITE);
  s->seed = integer_field(L, "seed", 0);
  s->n = t->rows;
  s->is_done = calloc(s->n + 1, 1);
  core_status status = s->is_done ? sweep_columns_init(&s->columns, t) : CORE_NO_MEMORY;
  if (!status)
    status = open_journal(s, lua_tostring(L, 9), luaL_optstring(L, 10, ""), flag_field(L, "resume"),
                          &err);
  if (!status)
    status = list_pending(s, (size_t)integer_field(L, "shard", 1) - 1,
                          (size_t)integer_field(L, "shards", 1));
  if (status && !err.status) core_fail(&err, status, "%s", "");
  if (!status) status = run(s, (int)integer_field(L, "jobs", 0), &err);
  int kept = status == CORE_INTERRUPTED && core_interrupt_take(); /* what is done is the answer */
  if (status && !kept) return bind_raise(L, &err);
  sweep_columns_sort(&s->columns);
  push_info(L, s, status == CORE_INTERRUPTED);
  return 1;
}

/* ---- merging journals, fingerprints
 * ------------------------------------------------------------------ */

/* fill_from_journal(table, path...) -> info: puts what the journals hold into the table */
static int fill_from_journals(lua_State *L) {
  core_error err = {0};
  record_table *t = bind_table_test(L, 1);
  luaL_argcheck(L, t, 1, "no table");
  int paths = lua_gettop(L) - 1;
  for (int i = 0; i < paths; i++) bind_file_check(L, luaL_checkstring(L, 2 + i), BIND_FILE_READ);
  sweep *s = push_sweep(L);
  s->n = t->rows;
  s->is_done = calloc(s->n + 1, 1);
  core_status status = s->is_done ? sweep_columns_init(&s->columns, t) : CORE_NO_MEMORY;
  if (status) core_fail(&err, status, "%s", "");
  for (int i = 0; i < paths && !status; i++)
    status = sweep_journal_resume(NULL, luaL_checkstring(L, 2 + i), store, s, &err);
  if (status) return bind_raise(L, &err);
  sweep_columns_sort(&s->columns);
  push_info(L, s, 0);
  return 1;
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
    {"fill_from_journals", fill_from_journals, "fill_from_journals(table, path...) -> info",
     "Puts the samples that journals hold into a table; used by `knock merge`.", NULL},
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
