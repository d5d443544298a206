/* k.simulate{live = ...}: a figure that grows while the run goes on.
 *
 * Every step leaves its state in memory here; about ten times a second the script's side (the
 * function that lua/knock/draw/live.lua makes) gets all of it in columns. A live figure never
 * stops a run: when it fails, it is just not drawn any more.
 */
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/matrix.h"
#include "bind/run.h"
#include "core/clock.h"

typedef struct live {
  bind_state *state;
  int nq, width;  /* t, q and u */
  size_t n, room; /* rows */
  double *rows;
  double last;  /* when it was drawn [s] */
  double pause; /* until it is drawn again [s]: 30 times what the last picture took, or more */
  int off;      /* it failed, or memory is out */
  int final;
  int function; /* reference in the registry */
} live;

static int collect(lua_State *L) {
  live *v = lua_touserdata(L, 1);
  free(v->rows);
  v->rows = NULL;
  luaL_unref(L, LUA_REGISTRYINDEX, v->function);
  return 0;
}

/* columns t, q1 ..., u1 ... */
static void push_columns(lua_State *L, const live *v) {
  lua_createtable(L, 0, v->width);
  for (int j = 0; j < v->width; j++) {
    char name[24] = "t";
    if (j > 0 && j <= v->nq) snprintf(name, sizeof name, "q%d", j);
    if (j > v->nq) snprintf(name, sizeof name, "u%d", j - v->nq);
    bind_matrix *x = bind_matrix_new(L, (int)v->n, 1);
    for (size_t i = 0; i < v->n; i++) x->x[i] = v->rows[i * (size_t)v->width + (size_t)j];
    lua_setfield(L, -2, name);
  }
}

static int enter(lua_State *L) {
  const live *v = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, v->function);
  push_columns(L, v);
  lua_pushboolean(L, v->final);
  lua_call(L, 2, 0);
  return 0;
}

static void draw(live *v) {
  core_mark mark = core_scratch_mark(&v->state->scratch);
  double start = core_seconds();
  if (v->off || v->n == 0) return;
  v->off = bind_protect(v->state, enter, v, "live") != CORE_OK;
  v->state->error = (core_error){0};
  core_scratch_release(&v->state->scratch, mark);
  v->last = core_seconds();
  v->pause = fmax(0.1, 30 * (v->last - start));
}

static int make_room(live *v) {
  if (v->n < v->room) return 1;
  size_t room = 2 * v->room + 256;
  double *rows = realloc(v->rows, room * (size_t)v->width * sizeof *rows);
  if (!rows) return 0;
  v->rows = rows;
  v->room = room;
  return 1;
}

static void progress(void *self, double t, const double *y) {
  live *v = self;
  if (v->off || !make_room(v)) {
    v->off = 1;
    return;
  }
  double *row = v->rows + v->n++ * (size_t)v->width;
  row[0] = t;
  memcpy(row + 1, y, (size_t)(v->width - 1) * sizeof *row);
  if (v->n % 16 == 0 && core_seconds() - v->last > v->pause) draw(v);
}

/* makes the function that draws: require "knock.draw.live".run(model, spec) */
static int make_function(lua_State *L, int model_index) {
  lua_getglobal(L, "require");
  lua_pushliteral(L, "knock.draw.live");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "run");
  lua_pushvalue(L, model_index);
  lua_getfield(L, -4, "live");
  lua_call(L, 2, 1);
  lua_remove(L, -2);
  if (!lua_isfunction(L, -1)) {
    lua_pop(L, 1);
    return LUA_NOREF;
  }
  return luaL_ref(L, LUA_REGISTRYINDEX);
}

void bind_run_live(lua_State *L, int index, int model_index, const model *m, sim_options *o) {
  lua_getfield(L, index, "live");
  int wanted = lua_toboolean(L, -1);
  lua_pop(L, 1);
  if (!wanted) {
    lua_pushnil(L);
    return;
  }
  live *v = lua_newuserdatauv(L, sizeof *v, 0);
  *v = (live){.state = bind_state_of(L),
              .nq = m->shape.nq,
              .function = LUA_NOREF,
              .last = core_seconds(),
              .pause = 0.1};
  v->width = 1 + m->shape.nq + m->shape.nu;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, collect);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, index);
  v->function = make_function(L, model_index);
  lua_pop(L, 1);
  if (v->function == LUA_NOREF) return;
  o->progress = progress;
  o->progress_self = v;
}

void bind_run_live_end(lua_State *L, int index) {
  live *v = lua_touserdata(L, index);
  if (!v) return;
  v->final = 1;
  draw(v);
}
