#include "bind/record.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/object.h"

static const bind_kind key = {.slot = BIND_RECORD}; /* registry[&key]: metatable of recordings */

static int collect(lua_State *L) {
  bind_record *rec = lua_touserdata(L, 1);
  impact_path_free(&rec->path);
  return 0;
}

static void set_metatable(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &key) == LUA_TNIL) {
    luaL_newlib(L, ((const luaL_Reg[]){{"__gc", collect}, {NULL, NULL}}));
    lua_pushliteral(L, "recording");
    lua_setfield(L, -2, "__name");
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
    bind_class_add(L, key.slot);
  }
  lua_pop(L, 1);
  bind_object_is(L, lua_touserdata(L, -1), &key);
}

static void keep_result(bind_record *rec, const impact_result *r) {
  double *p = rec->r.p, *v = rec->r.v;
  memcpy(p, r->p, (size_t)rec->pr.rows * sizeof *p);
  memcpy(v, r->v, (size_t)rec->pr.rows * sizeof *v);
  rec->r = *r;
  rec->r.p = p, rec->r.v = v;
  rec->solved = 1;
}

bind_record *bind_record_new(lua_State *L, int law_index, const law *l, const impact_problem *pr,
                             const impact_result *r) {
  size_t rows = (size_t)pr->rows, answer = 2 * rows * sizeof(double);
  bind_record *rec = lua_newuserdatauv(L, sizeof *rec + answer + impact_problem_size(pr), 1);
  memset(rec, 0, sizeof *rec);
  rec->l = l;
  rec->per_phase = -1;
  rec->r.p = rec->data, rec->r.v = rec->r.p + rows;
  impact_problem_copy(pr, rec->r.v + rows, &rec->pr);
  if (r) keep_result(rec, r);
  impact_path_init(&rec->path, &rec->pr);
  lua_pushvalue(L, law_index);
  lua_setiuservalue(L, -2, 1);
  set_metatable(L);
  return rec;
}

bind_record *bind_record_test(lua_State *L, int index) {
  return bind_object_of(L, index, &key);
}

/* runs the law with the recorder; r->p and r->v are the caller's */
static core_status record(bind_record *rec, int per_phase, core_scratch *s, impact_result *r,
                          core_error *err) {
  impact_path_free(&rec->path);
  rec->path.status = CORE_OK;
  rec->per_phase = -1;
  int by_default = per_phase == BIND_RECORD_POINTS;
  impact_sink sink = impact_path_sink(&rec->path, by_default ? BIND_RECORD_LEAST : per_phase);
  sink.per_turn = by_default ? BIND_RECORD_PER_TURN : 0;
  core_status status = law_solve(rec->l, &rec->pr, s, &sink, r, err);
  if (status == CORE_INTERRUPTED) return status;
  if (rec->path.status) return core_fail(err, rec->path.status, "%s", "");
  rec->per_phase = per_phase;
  return status;
}

core_status bind_record_solve(bind_record *rec, int per_phase, core_scratch *s, core_error *err) {
  for (int i = 0; i < 2 * rec->pr.rows; i++) rec->r.p[i] = NAN; /* p and v */
  core_status status = record(rec, per_phase, s, &rec->r, err);
  rec->solved = 1;
  if (!status && law_repeats(rec->l)) impact_path_end(&rec->path, &rec->r);
  return rec->r.status = status;
}

void bind_record_replay(lua_State *L, bind_record *rec, int per_phase) {
  int there = rec->per_phase != -1;
  if (there && (per_phase == -1 || per_phase == rec->per_phase || !law_repeats(rec->l))) return;
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  core_error err = {0};
  impact_result r;
  r.p = core_scratch_doubles(s, 2 * (size_t)rec->pr.rows);
  r.v = r.p + rec->pr.rows;
  err.status = r.p ? record(rec, per_phase == -1 ? 0 : per_phase, s, &r, &err) : CORE_NO_MEMORY;
  core_scratch_release(s, mark);
  if (err.status && err.status != rec->r.status) bind_raise(L, &err);
  if (!err.status) impact_path_end(&rec->path, &rec->r);
}
