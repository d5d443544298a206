/* Functions of the script that a simulation calls: forces, events, resets.
 *
 * The functions live in a table, the user value of a userdata that the run keeps. C finds the table
 * by the userdata's address through a registry table with weak values, so that a function which
 * knows its own run does not keep it alive for ever.
 */
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind/matrix.h"
#include "bind/mechanism.h"
#include "bind/object.h"
#include "bind/param.h"
#include "bind/run.h"

static const char key; /* registry[&key]: calls userdata -> table of functions, weak */

typedef struct calls calls;

/* one function: value, force or reset */
typedef struct site {
  calls *owner;
  int at;           /* place in the table of functions */
  const char *what; /* "simulate: force" */
} site;

struct calls {
  bind_state *state;
  const model *m; /* of the run that is being made */
  int nq, nu;
  int n;
  sim_watch *watches; /* n, in this block */
  site force;
  site sites[]; /* 2 n: value and reset of each */
};

/* ---- calling ---- */

typedef struct call {
  const site *site;
  double t;
  const double *q, *u;
  double *out;         /* force: nu numbers; value: one */
  double *q_to, *u_to; /* reset */
} call;

/* pushes the function and t, q, u */
static void push_call(lua_State *L, const call *c) {
  const calls *owner = c->site->owner;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
  lua_rawgetp(L, -1, owner);
  lua_rawgeti(L, -1, c->site->at);
  lua_pushnumber(L, c->t);
  bind_state_push(L, owner->m, 'q', c->q);
  bind_state_push(L, owner->m, 'u', c->u);
}

/* n finite numbers at `index` */
static void read_numbers(lua_State *L, const call *c, int index, int n, double *out) {
  char got[120];
  int rows, cols;
  double *x;
  core_scratch *s = &c->site->owner->state->scratch;
  if (!bind_numbers(L, index, s, &rows, &cols, &x, got, sizeof got))
    luaL_error(L, "must return %d number%s, got %s", n, n > 1 ? "s" : "", got);
  if (rows * cols != n)
    luaL_error(L, "must return %d number%s, got %d", n, n > 1 ? "s" : "", rows * cols);
  for (int i = 0; i < n; i++)
    if (!isfinite(out[i] = x[i]))
      luaL_error(L, "number %d is %s", i + 1, isnan(x[i]) ? "nan" : "infinite");
}

static int enter_force(lua_State *L) {
  const call *c = lua_touserdata(L, 1);
  push_call(L, c);
  lua_call(L, 3, 1);
  read_numbers(L, c, -1, c->site->owner->nu, c->out);
  return 0;
}

/* a truth counts as -1, a falsehood as 1: becoming true is a root */
static int enter_value(lua_State *L) {
  const call *c = lua_touserdata(L, 1);
  push_call(L, c);
  lua_call(L, 3, 1);
  if (lua_isboolean(L, -1))
    *c->out = lua_toboolean(L, -1) ? -1 : 1;
  else
    read_numbers(L, c, -1, 1, c->out);
  return 0;
}

static int enter_reset(lua_State *L) {
  const call *c = lua_touserdata(L, 1);
  push_call(L, c);
  lua_call(L, 3, 2);
  if (!lua_isnil(L, -2)) read_numbers(L, c, -2, c->site->owner->nq, c->q_to);
  if (!lua_isnil(L, -1)) read_numbers(L, c, -1, c->site->owner->nu, c->u_to);
  return 0;
}

/* the message names the function and the time */
static core_status protect(call *c, lua_CFunction f) {
  char what[120];
  bind_state *state = c->site->owner->state;
  core_mark mark = core_scratch_mark(&state->scratch);
  snprintf(what, sizeof what, "%s at t = %.10g s", c->site->what, c->t);
  core_status status = bind_protect(state, f, c, what);
  core_scratch_release(&state->scratch, mark);
  return status;
}

static core_status call_force(void *self, double t, const double *q, const double *u, double *h,
                              core_error *err) {
  (void)err;
  call c = {.site = self, .t = t, .q = q, .u = u, .out = h};
  return protect(&c, enter_force);
}

static core_status call_value(void *self, double t, const double *q, const double *u, double *g,
                              core_error *err) {
  (void)err;
  call c = {.site = self, .t = t, .q = q, .u = u, .out = g};
  return protect(&c, enter_value);
}

static core_status call_reset(void *self, double t, double *q, double *u, core_error *err) {
  (void)err;
  call c = {.site = (site *)self + 1, .t = t, .q = q, .u = u, .q_to = q, .u_to = u};
  return protect(&c, enter_reset);
}

/* ---- reading the options ---- */

static int has(lua_State *L, int index, const char *name) {
  int type = lua_getfield(L, index, name);
  lua_pop(L, 1);
  return type != LUA_TNIL;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* names of the events at `index`, sorted, as pointers into Lua's strings; `stop` is not one */
static int list_names(lua_State *L, int index, const char ***names) {
  int n = 0;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING)
      bind_error(L, "simulate: events must be a table of functions by name");
    n++;
  }
  *names = lua_newuserdatauv(L, (size_t)(n + 1) * sizeof **names, 0);
  n = 0;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) (*names)[n++] = lua_tostring(L, -2);
  qsort(*names, (size_t)n, sizeof **names, by_name);
  return n;
}

static int read_direction(lua_State *L, const char *name) {
  static const char *const words[] = {"falling", "both", "rising"};
  if (lua_isnil(L, -1)) return 0;
  for (int i = 0; i < 3; i++) {
    if (lua_type(L, -1) == LUA_TNUMBER && lua_tonumber(L, -1) == i - 1) return i - 1;
    if (lua_type(L, -1) == LUA_TSTRING && !strcmp(lua_tostring(L, -1), words[i])) return i - 1;
  }
  char got[96];
  bind_describe(L, -1, got, sizeof got);
  bind_error(L, "simulate: events.%s: direction must be 'falling', 'rising' or 'both', got %s",
             name, got);
  return 0;
}

static void expect_function(lua_State *L, const char *name, const char *part) {
  if (lua_isfunction(L, -1)) return;
  char got[96];
  bind_describe(L, -1, got, sizeof got);
  bind_error(L, "simulate: events.%s%s must be a function of t, q, u, got %s", name, part, got);
}

static void check_keys(lua_State *L, const char *name) {
  static const char *const known[] = {"direction", "stop", "reset", NULL};
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TNUMBER && lua_tonumber(L, -2) == 1) continue;
    const char *word = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";
    int found = 0;
    for (int i = 0; known[i]; i++) found |= !strcmp(known[i], word);
    if (found) continue;
    bind_error(L,
               "simulate: events.%s: unknown field '%s' (it has: a function, direction, stop, "
               "reset)",
               name, word);
  }
}

/* the event on top of the stack: a function, or a table with one at [1] */
static void read_event(lua_State *L, calls *c, int i, int functions, const char *name) {
  sim_watch *w = &c->watches[i];
  int event = lua_gettop(L);
  *w = (sim_watch){.name = name, .self = &c->sites[2 * i], .value = call_value};
  if (lua_istable(L, event)) {
    check_keys(L, name);
    lua_getfield(L, event, "direction");
    w->direction = read_direction(L, name);
    lua_getfield(L, event, "stop");
    w->stop = lua_toboolean(L, -1);
    if (lua_getfield(L, event, "reset") != LUA_TNIL) {
      expect_function(L, name, ".reset");
      w->reset = call_reset;
      lua_pushvalue(L, -1);
      lua_rawseti(L, functions, c->sites[2 * i + 1].at);
    }
    lua_rawgeti(L, event, 1);
  }
  expect_function(L, name, lua_istable(L, event) ? "[1]" : "");
  lua_rawseti(L, functions, c->sites[2 * i].at);
  lua_settop(L, event - 1);
}

/* "simulate: event 'name'" lives in the table of functions */
static const char *keep_text(lua_State *L, int functions, int at, const char *format,
                             const char *name) {
  const char *text = lua_pushfstring(L, format, name);
  lua_rawseti(L, functions, at);
  return text;
}

static void read_events(lua_State *L, calls *c, int functions, int events, int named, int stop,
                        const char **names) {
  for (int i = 0; i < c->n; i++) {
    const char *name = i < named ? names[i] : "stop";
    const char *what = keep_text(L, functions, 4 * i + 4, "simulate: event '%s'", name);
    c->sites[2 * i] = (site){c, 4 * i + 2, what};
    c->sites[2 * i + 1] = (site){c, 4 * i + 3, what};
    if (i < named)
      lua_getfield(L, events, name);
    else
      lua_pushvalue(L, stop);
    read_event(L, c, i, functions, keep_text(L, functions, 4 * i + 5, "%s", name));
    if (i >= named) c->watches[i].stop = 1;
  }
}

static void read_force(lua_State *L, int index, calls *c, int functions, sim_options *o) {
  if (lua_getfield(L, index, "force") == LUA_TNIL) return;
  if (!lua_isfunction(L, -1)) {
    char got[96];
    bind_describe(L, -1, got, sizeof got);
    bind_error(L, "simulate: force must be a function of t, q, u, got %s", got);
  }
  lua_rawseti(L, functions, 1);
  c->force = (site){c, 1, "simulate: force"};
  o->force = call_force;
  o->force_self = &c->force;
}

/* registry[&key][c] = functions */
static void register_calls(lua_State *L, const calls *c, int functions) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &key) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "v");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
  }
  lua_pushvalue(L, functions);
  lua_rawsetp(L, -2, c);
  lua_pop(L, 1);
}

/* pushes the table opts.events, or an empty one */
static int push_events(lua_State *L, int index) {
  if (lua_getfield(L, index, "events") == LUA_TNIL) {
    lua_pop(L, 1);
    lua_newtable(L);
  } else if (!lua_istable(L, -1)) {
    char got[96];
    bind_describe(L, -1, got, sizeof got);
    bind_error(L, "simulate: events must be a table of functions by name, got %s", got);
  }
  return lua_gettop(L);
}

void bind_run_calls(lua_State *L, int index, const model *m, sim_options *o) {
  const char **names;
  int base = lua_gettop(L), events = push_events(L, index);
  int named = list_names(L, events, &names), n = named + has(L, index, "stop");
  lua_getfield(L, index, "stop");
  int stop = lua_gettop(L);
  size_t head = sizeof(calls) + 2 * (size_t)n * sizeof(site);
  calls *c = lua_newuserdatauv(L, head + (size_t)n * sizeof(sim_watch), 1);
  memset(c, 0, head);
  *c = (calls){.state = bind_state_of(L), .m = m, .nq = m->shape.nq, .nu = m->shape.nu, .n = n};
  c->watches = (sim_watch *)((char *)c + head);
  lua_newtable(L);
  int functions = lua_gettop(L);
  lua_pushvalue(L, functions);
  lua_setiuservalue(L, functions - 1, 1);
  register_calls(L, c, functions);
  read_events(L, c, functions, events, named, stop, names);
  read_force(L, index, c, functions, o);
  o->n_watches = n;
  o->watches = c->watches;
  lua_pushvalue(L, functions - 1);
  lua_replace(L, base + 1);
  lua_settop(L, base + 1);
}
