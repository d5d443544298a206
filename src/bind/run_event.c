/* Events of a run as Lua tables. The hit of an impact is solved again when it is asked for, or,
 * where the law runs a script, is what the run kept of its only solve. */
#include <lauxlib.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/hit.h"
#include "bind/matrix.h"
#include "bind/mechanism.h"
#include "bind/object.h"
#include "bind/record.h"
#include "bind/run.h"

static const char key; /* registry[&key] is k.impact */

const char *bind_run_mode_word(sim_mode mode) {
  static const char *const words[] = {"open", "stick", "slip"};
  return words[mode];
}

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
  bind_vector_push(L, sim_event_rows(r, e), r->numbers + e->impulse);
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
  if (e->kind == SIM_CONTACT) set_string(L, "mode", bind_run_mode_word(e->mode));
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
  bind_state_push(L, r->m, 'q', sim_event_q(r, e));
  lua_setfield(L, -2, "q");
  bind_state_push(L, r->m, 'u', sim_event_u(r, e));
  lua_setfield(L, -2, "u");
  if (sim_is_impact(e) || e->kind == SIM_USER) {
    bind_state_push(L, r->m, 'u', sim_event_u_after(r, e));
    lua_setfield(L, -2, "u_after");
  }
  if (sim_is_impact(e)) add_impact(L, r, e);
  bind_mechanism_turns(L, r->m);
}

/* ---- hits ---- */

/* pushes the model of the run in the state of the event at index 1; upvalue 1: the run */
static void push_model(lua_State *L) {
  lua_getiuservalue(L, lua_upvalueindex(1), BIND_RUN_MODEL);
  lua_getfield(L, -1, "at");
  lua_insert(L, -2);
  lua_getfield(L, 1, "q");
  lua_getfield(L, 1, "u");
  lua_call(L, 3, 1);
}

/* Pushes the contacts of the event at index 1 (its list of them is at 3) that got an impulse. Laws
 * that look at gaps in time keep all of them: an impact ends where an open one would close without
 * load. */
static void push_loaded(lua_State *L, const model_shape *shape, unsigned flags) {
  if (flags & LAW_TIME && flags & LAW_GAPS) {
    lua_pushvalue(L, 3);
    return;
  }
  lua_newtable(L);
  lua_getfield(L, 1, "impulse");
  for (lua_Integer i = 1, n = 0, row = 0; lua_rawgeti(L, 3, i) != LUA_TNIL; i++) {
    row += model_rows_of(shape, (int)lua_tointeger(L, -1) - 1);
    lua_geti(L, -2, row);
    int loaded = lua_tonumber(L, -1) != 0;
    lua_pop(L, 1);
    if (loaded)
      lua_rawseti(L, -3, ++n);
    else
      lua_pop(L, 1);
  }
  lua_pop(L, 2);
  if (lua_rawlen(L, -1) > 0) return;
  lua_pop(L, 1);
  lua_pushvalue(L, 3); /* along the surface alone: all of them */
}

/* a hit of what a run kept: model, law, event (light) and run (light) are the arguments */
static int hit_of_kept(lua_State *L) {
  const model *m = bind_model_check(L, 1, "hit");
  const law *l = bind_law_check(L, 2, "hit");
  const sim_event *e = lua_touserdata(L, 3);
  const sim_run *r = lua_touserdata(L, 4);
  const sim_kept *kept = e->kept;
  impact_setup setup = {.problem = kept->pr, .contacts = kept->contacts};
  size_t rows = (size_t)kept->pr.rows;
  bind_hit *hit = bind_hit_new(L, m, l, &setup);
  double *p = hit->r.p, *v = hit->r.v;
  hit->r = kept->r;
  hit->r.p = memcpy(p, kept->r.p, rows * sizeof *p);
  hit->r.v = memcpy(v, kept->r.v, rows * sizeof *v);
  hit->touch = sim_largest_touch(r);
  memcpy(hit->u, sim_event_u_after(r, e), (size_t)hit->nu * sizeof *hit->u);
  bind_record *rec = bind_record_new(L, 2, l, &hit->pr, &hit->r);
  lua_setiuservalue(L, -2, BIND_HIT_RECORD);
  core_error err = {.status = impact_path_copy(&rec->path, &kept->path)};
  if (err.status) return bind_raise(L, &err);
  rec->per_phase = SIM_KEPT_POINTS;
  return 1;
}

/* puts the hit that the run kept into the event's table on top; the run is at upvalue 1 */
static void add_kept(lua_State *L, const sim_run *r, const sim_event *e) {
  lua_pushcfunction(L, hit_of_kept);
  lua_getiuservalue(L, lua_upvalueindex(1), BIND_RUN_MODEL);
  lua_getfield(L, -1, "at");
  lua_insert(L, -2);
  lua_getfield(L, -4, "q");
  lua_getfield(L, -5, "u");
  lua_call(L, 3, 1);
  lua_getiuservalue(L, lua_upvalueindex(1), BIND_RUN_LAW);
  lua_pushlightuserdata(L, (void *)e);
  lua_pushlightuserdata(L, (void *)r);
  lua_call(L, 4, 1);
  lua_setfield(L, -2, "hit");
}

/* event.hit: k.impact in the state before, at the contacts that got an impulse; kept in the event
 */
static int get_hit(lua_State *L) {
  lua_settop(L, 2);
  if (lua_type(L, 2) != LUA_TSTRING || strcmp(lua_tostring(L, 2), "hit")) return 0;
  const bind_run *b = lua_touserdata(L, lua_upvalueindex(1));
  if (lua_getfield(L, 1, "contacts") != LUA_TTABLE) return 0;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
  push_model(L);
  lua_getiuservalue(L, lua_upvalueindex(1), BIND_RUN_LAW);
  lua_createtable(L, 0, 3);
  push_loaded(L, &b->r->m->shape, bind_law_test(L, -2)->l->type->flags);
  lua_setfield(L, -2, "contacts");
  lua_pushnumber(L, sim_largest_touch(b->r));
  lua_setfield(L, -2, "touch");
  lua_pushboolean(L, 1);
  lua_setfield(L, -2, "in_run");
  lua_call(L, 3, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, 1, "hit");
  return 1;
}

/* ---- the list ---- */

/* Events become tables when they are asked for: a run of 1e6 bounces has 1e6 of them, and most are
 * never looked at. The list is an empty table that fills itself and holds its events weakly, so
 * that a loop over all of them keeps none; its metatable has the run, the methods and the metatable
 * of impacts as upvalues. */
enum { UP_RUN = 1, UP_METHODS, UP_IMPACT };

static const sim_run *run_of(lua_State *L) {
  return ((const bind_run *)lua_touserdata(L, lua_upvalueindex(UP_RUN)))->r;
}

/* pushes event i (from 1); the list at index 1 has it as long as somebody holds it */
static void make_event(lua_State *L, const sim_run *r, lua_Integer i) {
  push_event(L, r, &r->events[i - 1]);
  if (r->events[i - 1].kept) add_kept(L, r, &r->events[i - 1]);
  if (sim_is_impact(&r->events[i - 1])) {
    lua_pushvalue(L, lua_upvalueindex(UP_IMPACT));
    lua_setmetatable(L, -2);
  } else {
    bind_shown(L, "event");
  }
  lua_pushvalue(L, -1);
  lua_rawseti(L, 1, i);
}

/* events[i], or a method */
static int list_index(lua_State *L) {
  const sim_run *r = run_of(L);
  lua_settop(L, 2);
  if (lua_isinteger(L, 2)) {
    lua_Integer i = lua_tointeger(L, 2);
    if (i < 1 || i > (lua_Integer)r->n_events) return 0;
    make_event(L, r, i);
    return 1;
  }
  lua_gettable(L,
               lua_upvalueindex(UP_METHODS)); /* loads run_table.lua when it is first asked for */
  return 1;
}

static int list_length(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)run_of(L)->n_events);
  return 1;
}

/* pairs: as ipairs */
static int list_next(lua_State *L) {
  lua_Integer i = lua_isnil(L, 2) ? 1 : lua_tointeger(L, 2) + 1;
  lua_pushinteger(L, i);
  return lua_geti(L, 1, i) == LUA_TNIL ? 1 : 2;
}

static int list_pairs(lua_State *L) {
  lua_pushcfunction(L, list_next);
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

/* core.records.events_table(run.events): the run is an upvalue of the list's functions */
static int events_table(lua_State *L) {
  if (!luaL_getmetafield(L, 1, "__index") || lua_tocfunction(L, -1) != list_index)
    return bind_error(L, "events: this is not the list of a run's events: use : as in "
                         "run.events:write(...), not a dot");
  lua_getupvalue(L, -1, UP_RUN);
  bind_run_event_table(L, ((const bind_run *)lua_touserdata(L, -1))->r);
  return 1;
}

static const bind_function functions[] = {
    {"events_table", events_table, "events_table(run.events) -> table",
     "The events of a run, one row each, in columns.", NULL},
};

void bind_run_events(lua_State *L, const bind_run *b) {
  static const luaL_Reg meta[] = {
      {"__index", list_index}, {"__len", list_length}, {"__pairs", list_pairs}, {NULL, NULL}};
  (void)b;
  lua_newtable(L);
  lua_newtable(L);
  bind_shown_by(L, "events");
  lua_pushvalue(L, 1);
  bind_methods(L, "events");
  lua_createtable(L, 0, 3); /* metatable of impacts */
  bind_shown_by(L, "event");
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, get_hit, 1);
  lua_setfield(L, -2, "__index");
  luaL_setfuncs(L, meta, 3);
  set_string(L, "__mode", "v");
  lua_setmetatable(L, -2);
}

void bind_open_run_events(lua_State *L) {
  bind_methods(L, "events"); /* filled by lua/knock/run_table.lua */
  bind_methods(L, "event");  /* these by lua/knock/page.lua */
  bind_methods(L, "hit_event");
  bind_methods(L, "hit_events");
  lua_pop(L, 4);
  lua_getfield(L, -1, "impact");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
  luaL_getsubtable(L, -1, "records");
  bind_register(L, "records", functions, sizeof functions / sizeof *functions);
  lua_pop(L, 1);
}
