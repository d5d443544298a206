/* Events of a run as Lua tables; the hit of an impact is solved again when it is asked for. */
#include <lauxlib.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/matrix.h"
#include "bind/object.h"
#include "bind/record.h"
#include "bind/run.h"

static const char key;                     /* registry[&key] is k.impact */
static const char LIST[] = "knock.events"; /* metatable of the list; methods in core.types.events */

static const char *const mode_words[] = {"open", "stick", "slip"};

static void set_string(lua_State *L, const char *name, const char *text) {
  lua_pushstring(L, text);
  lua_setfield(L, -2, name);
}

/* contacts that took part, and the impulse in row order */
static void add_impact(lua_State *L, const sim_run *r, const sim_event *e) {
  lua_createtable(L, e->n, 0);
  for (int i = 0; i < e->n; i++) {
    lua_pushinteger(L, r->integers[e->ids + (size_t)i] + 1);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "contacts");
  bind_vector_push(L, e->n * r->m->shape.dim, r->numbers + e->impulse);
  lua_setfield(L, -2, "impulse");
  lua_pushnumber(L, e->lost);
  lua_setfield(L, -2, "lost");
  impact_result result = {.status = e->status, .flags = e->flags};
  bind_result_flags(L, &result);
  lua_setfield(L, -2, "flags");
}

static void add_kind(lua_State *L, const sim_run *r, const sim_event *e) {
  set_string(L, "kind", sim_event_word(e->kind));
  if (e->contact >= 0) {
    lua_pushinteger(L, e->contact + 1);
    lua_setfield(L, -2, "contact");
  }
  if (e->kind == SIM_CONTACT) set_string(L, "mode", mode_words[e->mode]);
  if (e->kind == SIM_USER) set_string(L, "name", r->o.watches[e->watch].name);
  if (e->kind == SIM_STOP) {
    set_string(L, "why", sim_stop_word(r->why));
    set_string(L, "status", core_status_word(r->status));
  }
}

static void push_event(lua_State *L, const sim_run *r, const sim_event *e) {
  lua_createtable(L, 0, 9);
  add_kind(L, r, e);
  lua_pushnumber(L, e->t);
  lua_setfield(L, -2, "t");
  bind_vector_push(L, r->m->shape.nq, sim_event_q(r, e));
  lua_setfield(L, -2, "q");
  bind_vector_push(L, r->m->shape.nu, sim_event_u(r, e));
  lua_setfield(L, -2, "u");
  if (e->kind == SIM_IMPACT || e->kind == SIM_USER) {
    bind_vector_push(L, r->m->shape.nu, sim_event_u_after(r, e));
    lua_setfield(L, -2, "u_after");
  }
  if (e->kind == SIM_IMPACT) add_impact(L, r, e);
}

/* ---- hits ----------------------------------------------------------------------------------- */

/* pushes the model of the run in the state of the event at index 1; upvalue 1: the run */
static void push_model(lua_State *L) {
  lua_getiuservalue(L, lua_upvalueindex(1), BIND_RUN_MODEL);
  lua_getfield(L, -1, "at");
  lua_insert(L, -2);
  lua_getfield(L, 1, "q");
  lua_getfield(L, 1, "u");
  lua_call(L, 3, 1);
}

/* event.hit: k.impact in the state before, at the contacts that took part; kept in the event */
static int get_hit(lua_State *L) {
  lua_settop(L, 2);
  if (lua_type(L, 2) != LUA_TSTRING || strcmp(lua_tostring(L, 2), "hit")) return 0;
  const bind_run *b = lua_touserdata(L, lua_upvalueindex(1));
  if (lua_getfield(L, 1, "contacts") != LUA_TTABLE) return 0;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
  push_model(L);
  lua_getiuservalue(L, lua_upvalueindex(1), BIND_RUN_LAW);
  lua_createtable(L, 0, 2);
  lua_pushvalue(L, 3);
  lua_setfield(L, -2, "contacts");
  lua_pushnumber(L, b->r->o.touch);
  lua_setfield(L, -2, "touch");
  lua_pushboolean(L, 1);
  lua_setfield(L, -2, "in_run");
  lua_call(L, 3, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, 1, "hit");
  return 1;
}

void bind_run_events(lua_State *L, const bind_run *b) {
  const sim_run *r = b->r;
  lua_createtable(L, (int)r->n_events, 0);
  luaL_setmetatable(L, LIST);
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, get_hit, 1);
  lua_setfield(L, -2, "__index");
  for (size_t i = 0; i < r->n_events; i++) {
    push_event(L, r, &r->events[i]);
    if (r->events[i].kind == SIM_IMPACT) {
      lua_pushvalue(L, -2);
      lua_setmetatable(L, -2);
    }
    lua_rawseti(L, -3, (lua_Integer)i + 1);
  }
  lua_pop(L, 1);
}

void bind_open_run_events(lua_State *L) {
  luaL_newmetatable(L, LIST);
  bind_methods(L, "events");
  lua_setfield(L, -2, "__index");
  lua_pushnil(L);
  lua_setfield(L, -2, "__name"); /* it is printed as the list it is */
  lua_pop(L, 1);
  lua_getfield(L, -1, "impact");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
}
