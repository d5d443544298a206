/* The fast lane of sweeps: sweep:impact(model, law, fields) without a call of Lua per sample.
 *
 * Results go to shared memory; short sweeps run here, long ones in the pool of workers, with the
 * same numbers either way.
 */
#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bind/bind.h"
#include "bind/object.h"
#include "bind/param.h"
#include "bind/table.h"
#include "core/interrupt.h"
#include "sweep/lane.h"
#include "sweep/pool.h"
#include "sweep/progress.h"
#include "sweep/row.h"

enum { MAX_PORTS = 64, SHORT_SWEEP = 20000 };

typedef struct failure {
  core_status status;
  char text[120];
} failure;

typedef struct lane_run {
  sweep_lane lane;
  sweep_input inputs[MAX_PORTS];
  sweep_output outputs[MAX_PORTS];
  const char *names[MAX_PORTS]; /* of the output columns */
  const char *units[MAX_PORTS];
  record_table *table;
  size_t n;
  double *x;         /* n * width numbers, shared */
  failure *failures; /* n, shared */
  size_t *index;     /* 0 .. n - 1 */
  size_t mapped;     /* bytes at x */
  sweep_progress progress;
} lane_run;

/* ---- ports
 * ------------------------------------------------------------------------------------------ */

static int integer_at(lua_State *L, const char *key, int otherwise) {
  lua_getfield(L, -1, key);
  int x = (int)luaL_optinteger(L, -1, otherwise);
  lua_pop(L, 1);
  return x;
}

/* the string stays alive in the table of ports */
static const char *string_at(lua_State *L, const char *key) {
  lua_getfield(L, -1, key);
  const char *s = luaL_checkstring(L, -1);
  lua_pop(L, 1);
  return s;
}

/* an axis without a unit has that of the parameter it sets */
static void adopt_unit(record_column *c, const core_param *p) {
  char *unit = *c->unit ? NULL : strdup(p->unit);
  if (!unit) return;
  free(c->unit);
  c->unit = unit;
}

/* {column =, key =, element = (from 1, 0: all), of = "model", "law" or ""} on top of the stack: the
 * parameter of that name, of the model when it has one, else of the law */
static void read_input(lua_State *L, lane_run *r, sweep_input *in, const model *m, const law *l) {
  const char *key = string_at(L, "key"), *column = string_at(L, "column"), *of = string_at(L, "of");
  in->schema = &m->type->schema;
  in->param = strcmp(of, "law") ? bind_param_find(in->schema, key) : NULL;
  in->of_law = !in->param && strcmp(of, "model");
  if (in->of_law) {
    in->schema = &l->type->schema;
    in->param = bind_param_find(in->schema, key);
  }
  in->element = integer_at(L, "element", 0) - 1;
  in->column = record_find(r->table, column);
  if (!in->param || in->column->kind == RECORD_STRING) {
    core_error err;
    core_fail(&err, CORE_BAD_INPUT,
              "sweep: axis '%s' sets no parameter of %s or %s (map = { %s = \"velocity[1]\" } says "
              "which)",
              column, m->type->schema.owner, l->type->schema.owner, column);
    bind_raise(L, &err);
  }
  adopt_unit((record_column *)in->column, in->param);
}

static const struct figure {
  const char *key, *unit;
  sweep_what what;
} figures[] = {
    {"impulse", "N s", SWEEP_IMPULSE},
    {"contact_velocity", "m/s", SWEEP_CONTACT_VELOCITY},
    {"energy.before", "J", SWEEP_ENERGY_BEFORE},
    {"energy.after", "J", SWEEP_ENERGY_AFTER},
    {"energy.restitution", "J", SWEEP_ENERGY_RESTITUTION},
    {"energy.friction", "J", SWEEP_ENERGY_FRICTION},
    {"energy.stored", "J", SWEEP_ENERGY_STORED},
    {"duration", "s", SWEEP_DURATION},
};

/* a figure of the hit, or a group of the model's speeds; 0 when the key is neither */
static int find_output(const model *m, const char *key, sweep_output *o, const char **unit) {
  int rows = m->shape.nc * m->shape.dim;
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
    if (strcmp(key, figures[i].key)) continue;
    *o = (sweep_output){figures[i].what, 0, figures[i].what <= SWEEP_CONTACT_VELOCITY ? rows : 1};
    *unit = figures[i].unit;
    return 1;
  }
  for (const model_group *g = m->type->groups; g && g->name; g++) {
    if (g->of != 'u' || strcmp(key, g->name)) continue;
    *o = (sweep_output){SWEEP_SPEED, g->first, g->n < 0 ? m->shape.nu - g->first : g->n};
    *unit = g->unit;
    return 1;
  }
  *o = (sweep_output){SWEEP_SPEED, 0, m->shape.nu};
  *unit = "";
  return !strcmp(key, "u");
}

/* {name =, key =, element =} on top of the stack */
static void read_output(lua_State *L, lane_run *r, int k, const model *m) {
  const char *key = string_at(L, "key");
  int element = integer_at(L, "element", 0);
  sweep_output *o = &r->outputs[k];
  r->names[k] = string_at(L, "name");
  core_error err = {0};
  if (!find_output(m, key, o, &r->units[k]))
    core_fail(&err, CORE_BAD_INPUT, "sweep: '%s' is no field of a hit of %s", key,
              m->type->schema.owner);
  else if (element > o->n)
    core_fail(&err, CORE_BAD_INPUT, "sweep: '%s' has %d elements, got [%d]", key, o->n, element);
  if (err.status) bind_raise(L, &err);
  if (element) *o = (sweep_output){o->what, o->first + element - 1, 1};
}

static int read_list(lua_State *L, int index) {
  int n = (int)lua_rawlen(L, index);
  if (n > MAX_PORTS) luaL_error(L, "sweep: at most %d axes and %d fields", MAX_PORTS, MAX_PORTS);
  return n;
}

/* ---- running
 * ---------------------------------------------------------------------------------------- */

static void one_sample(lane_run *r, size_t i) {
  core_error err = {0};
  core_status status = sweep_lane_sample(&r->lane, i, r->x + i * (size_t)r->lane.width, &err);
  if (!status) return;
  r->failures[i].status = status;
  err.status = status;
  strncpy(r->failures[i].text, core_error_text(&err), sizeof r->failures[i].text - 1);
}

static void sample(void *self, size_t i, sweep_bytes *out) {
  (void)out; /* the numbers are in shared memory: an empty frame says that they are there */
  one_sample(self, i);
}

static core_status deliver(void *self, size_t i, const char *bytes, size_t n, core_error *err) {
  (void)self, (void)i, (void)bytes, (void)n, (void)err;
  return CORE_OK;
}

static core_status lost(void *self, size_t i, int signal, core_error *err) {
  lane_run *r = self;
  (void)signal, (void)err;
  r->failures[i] = (failure){CORE_CALLBACK, "the worker died twice at this sample"};
  return CORE_OK;
}

static void progress(void *self, size_t done) {
  sweep_progress_show(&((lane_run *)self)->progress, done);
}

static core_status run_here(lane_run *r, core_error *err) {
  for (size_t i = 0; i < r->n; i++) {
    if (core_interrupted()) return core_fail(err, CORE_INTERRUPTED, "%s", "");
    one_sample(r, i);
  }
  return CORE_OK;
}

static core_status run_pool(lane_run *r, int jobs, core_error *err) {
  sweep_job job = {r->n, r->index, jobs, r, NULL, sample, deliver, lost, progress};
  sweep_progress_start(&r->progress, r->n, 0);
  core_status status = sweep_pool_run(&job, err);
  sweep_progress_end(&r->progress);
  return status;
}

static core_status allocate(lane_run *r) {
  size_t numbers = r->n * (size_t)r->lane.width * sizeof(double);
  r->mapped = numbers + r->n * sizeof(failure) + 64;
  void *at = mmap(NULL, r->mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  r->index = malloc((r->n + 1) * sizeof *r->index);
  r->x = at == MAP_FAILED ? NULL : at;
  if (!r->x || !r->index) return CORE_NO_MEMORY;
  r->failures = (failure *)((char *)at + numbers);
  for (size_t i = 0; i < r->n; i++) r->index[i] = i;
  return CORE_OK;
}

static int close_run(lua_State *L) {
  lane_run *r = lua_touserdata(L, 1);
  sweep_lane_close(&r->lane);
  if (r->x) munmap(r->x, r->mapped);
  free(r->index);
  return 0;
}

/* ---- into the table
 * ----------------------------------------------------------------------------------- */

static core_status add_outputs(lane_run *r) {
  const double *from = r->x;
  size_t width = (size_t)r->lane.width;
  for (int k = 0; k < r->lane.n_outputs; k++) {
    size_t n = (size_t)r->outputs[k].n;
    record_column *c = record_add(r->table, r->names[k], r->units[k], RECORD_NUMBER, (int)n);
    if (!c) return CORE_NO_MEMORY;
    for (size_t i = 0; i < r->n; i++) memcpy(c->x + i * n, from + i * width, n * sizeof *from);
    from += n;
  }
  return CORE_OK;
}

static core_status set_text(record_column *c, size_t i, const char *text) {
  return record_set_string(c, i, text, strlen(text));
}

static core_status add_status(lane_run *r, size_t *failed) {
  record_column *c = record_add(r->table, "status", "", RECORD_STRING, 1);
  core_status status = c ? CORE_OK : CORE_NO_MEMORY;
  for (size_t i = 0; i < r->n && !status; i++) {
    *failed += r->failures[i].status != CORE_OK;
    status = set_text(c, i, core_status_word(r->failures[i].status));
  }
  if (!*failed || status) return status;
  c = record_add(r->table, "message", "", RECORD_STRING, 1);
  if (!c) return CORE_NO_MEMORY;
  for (size_t i = 0; i < r->n && !status; i++)
    if (r->failures[i].status) status = set_text(c, i, r->failures[i].text);
  return status;
}

static lane_run *push_run(lua_State *L) {
  lane_run *r = lua_newuserdatauv(L, sizeof *r, 0);
  memset(r, 0, sizeof *r);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, close_run);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  return r;
}

/* run_lane(table, model, law, inputs, outputs, jobs) -> failed, or nil when interrupted */
static int run_lane(lua_State *L) {
  record_table *t = bind_table_test(L, 1);
  luaL_argcheck(L, t, 1, "no table");
  const model *m = bind_model_check(L, 2, "sweep");
  const law *l = bind_law_check(L, 3, "sweep");
  int jobs = (int)luaL_checkinteger(L, 6), n_in = read_list(L, 4), n_out = read_list(L, 5);
  lane_run *r = push_run(L);
  r->table = t;
  r->n = t->rows;
  for (int k = 0; k < n_in; k++) {
    lua_rawgeti(L, 4, k + 1);
    read_input(L, r, &r->inputs[k], m, l);
  }
  for (int k = 0; k < n_out; k++) {
    lua_rawgeti(L, 5, k + 1);
    read_output(L, r, k, m);
  }
  core_error err = {0};
  size_t failed = 0;
  core_status status = sweep_lane_open(&r->lane, m, l, r->inputs, n_in, r->outputs, n_out);
  if (!status) status = allocate(r);
  if (!status)
    status = jobs == 1 || r->n < SHORT_SWEEP ? run_here(r, &err) : run_pool(r, jobs, &err);
  if (status == CORE_INTERRUPTED) return bind_raise(L, &err);
  if (!status) status = add_outputs(r);
  if (!status) status = add_status(r, &failed);
  if (status && !err.status) core_fail(&err, status, "%s", "");
  if (status) return bind_raise(L, &err);
  lua_pushinteger(L, (lua_Integer)failed);
  return 1;
}

static const bind_function functions[] = {
    {"run_lane", run_lane, "run_lane(table, model, law, inputs, outputs, jobs) -> failed",
     "Runs a sweep of impacts in C alone; used by sweep:impact.", NULL},
};

void bind_open_lane(lua_State *L) {
  luaL_getsubtable(L, -1, "records");
  bind_register(L, "records", functions, sizeof functions / sizeof *functions);
  lua_pop(L, 1);
}
