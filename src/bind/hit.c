#include "bind/hit.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/matrix.h"
#include "bind/model_field.h"
#include "bind/object.h"
#include "bind/param.h"

static const char key; /* registry[&key] is the metatable */

/* ---- life ----------------------------------------------------------------------------------- */

bind_hit *bind_hit_new(lua_State *L, int model_index, int law_index, int nu, int nc, int rows) {
  size_t doubles = (size_t)nu + 3 * (size_t)rows;
  size_t size = sizeof(bind_hit) + doubles * sizeof(double) + (size_t)nc * sizeof(int);
  bind_hit *hit = lua_newuserdatauv(L, size, 3);
  memset(hit, 0, sizeof *hit);
  hit->nu = nu;
  hit->nc = nc;
  hit->rows = rows;
  hit->u = hit->data;
  hit->r.p = hit->u + nu;
  hit->r.v = hit->r.p + rows;
  hit->v_before = hit->r.v + rows;
  hit->contacts = (int *)(hit->v_before + rows);
  lua_pushvalue(L, model_index);
  lua_setiuservalue(L, -2, BIND_HIT_MODEL);
  lua_pushvalue(L, law_index);
  lua_setiuservalue(L, -2, BIND_HIT_LAW);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
  lua_setmetatable(L, -2);
  return hit;
}

bind_hit *bind_hit_test(lua_State *L, int index) {
  return bind_object_of(L, index, &key);
}

bind_hit *bind_hit_check(lua_State *L, int index, const char *who) {
  bind_hit *hit = bind_hit_test(L, index);
  if (hit) return hit;
  char got[96];
  bind_describe(L, index, got, sizeof got);
  bind_error(L, "%s: argument %d must be a hit, as k.impact gives it, got %s", who, index, got);
  return NULL;
}

core_status bind_hit_again(const bind_hit *hit, core_scratch *s, impact_sink *sink,
                           impact_setup *setup, impact_result *r, core_error *err) {
  const model *m = hit->m;
  core_status status = impact_assemble(m, m->q, m->u, hit->nc, hit->contacts, s, setup, err);
  if (status) return status;
  impact_touch(setup, hit->touch);
  *r = hit->r;
  if (!sink) return CORE_OK;
  r->p = core_scratch_doubles(s, 2 * (size_t)hit->rows);
  if (!r->p) return core_fail(err, CORE_NO_MEMORY, "%s", "");
  r->v = r->p + hit->rows;
  return law_solve(hit->l, &setup->problem, s, sink, r, err);
}

/* ---- small fields --------------------------------------------------------------------------- */

/* impulse (or velocity) of each contact: a list of vectors in row order */
static void push_per_contact(lua_State *L, const bind_hit *hit, const double *x) {
  int dim = hit->m->shape.dim;
  lua_createtable(L, hit->nc, 0);
  for (int c = 0; c < hit->nc; c++) {
    bind_vector_push(L, dim, x + c * dim);
    lua_rawseti(L, -2, c + 1);
  }
}

static void push_contacts(lua_State *L, const bind_hit *hit) {
  lua_createtable(L, hit->nc, 0);
  for (int c = 0; c < hit->nc; c++) {
    lua_pushinteger(L, hit->contacts[c] + 1);
    lua_rawseti(L, -2, c + 1);
  }
}

static void push_duration(lua_State *L, const bind_hit *hit) {
  if (isnan(hit->r.duration))
    lua_pushnil(L);
  else
    lua_pushnumber(L, hit->r.duration);
}

/* the model with the speeds after the impact */
static void push_after(lua_State *L, const bind_hit *hit) {
  lua_getiuservalue(L, 1, BIND_HIT_MODEL);
  bind_model *b = bind_model_new(L);
  lua_getiuservalue(L, -2, 1);
  lua_setiuservalue(L, -2, 1);
  core_error err = {0};
  err.status = model_copy(hit->m, &b->m);
  if (err.status) bind_raise(L, &err);
  memcpy(b->m->u, hit->u, (size_t)hit->nu * sizeof *hit->u);
  b->moved = 1;
}

/* ---- by name -------------------------------------------------------------------------------- */

/* X(name, expression that pushes the value, doc); the order is that of the documentation */
#define FIELDS(X)                                                                                  \
  X(u, bind_vector_push(L, hit->nu, hit->u))                                                       \
  X(u_before, bind_vector_push(L, hit->nu, hit->m->u))                                             \
  X(impulse, bind_vector_push(L, hit->rows, hit->r.p))                                             \
  X(impulses, push_per_contact(L, hit, hit->r.p))                                                  \
  X(contact_velocity, bind_vector_push(L, hit->rows, hit->r.v))                                    \
  X(contact_velocity_before, bind_vector_push(L, hit->rows, hit->v_before))                        \
  X(contacts, push_contacts(L, hit))                                                               \
  X(events, bind_hit_events(L, hit))                                                               \
  X(path, bind_hit_path(L, hit, 64))                                                               \
  X(energy, bind_hit_energy(L, hit))                                                               \
  X(audit, bind_hit_audit(L, hit))                                                                 \
  X(W, bind_hit_matrix_figure(L, hit, 'W'))                                                        \
  X(condition, bind_hit_matrix_figure(L, hit, 'c'))                                                \
  X(rank, bind_hit_matrix_figure(L, hit, 'r'))                                                     \
  X(status, lua_pushstring(L, core_status_word(hit->r.status)))                                    \
  X(flags, bind_hit_flags(L, hit))                                                                 \
  X(notes, bind_hit_notes(L, hit))                                                                 \
  X(duration, push_duration(L, hit))                                                               \
  X(model, lua_getiuservalue(L, 1, BIND_HIT_MODEL))                                                \
  X(law, lua_getiuservalue(L, 1, BIND_HIT_LAW))                                                    \
  X(before, lua_getiuservalue(L, 1, BIND_HIT_MODEL))                                               \
  X(after, push_after(L, hit))                                                                     \
  X(dim, lua_pushinteger(L, hit->m->shape.dim))

#define CODE(name, push) FIELD_##name,
enum field { NO_FIELD, FIELDS(CODE) FIELD_COUNT };
#undef CODE
#define NAME(name, push) #name,
static const char *const names[] = {FIELDS(NAME) "next", "trace", "plot", "velocity", "spin", NULL};
#undef NAME

static int push_field(lua_State *L, const bind_hit *hit, int code) {
  switch (code) {
#define PUSH(name, push)                                                                           \
  case FIELD_##name: push; return 1;
    FIELDS(PUSH)
#undef PUSH
    default: return 0;
  }
}

/* hit.key; upvalues: methods, names of fields to their codes */
static int get_field(lua_State *L) {
  const bind_hit *hit = lua_touserdata(L, 1);
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(2));
  int code = (int)lua_tointeger(L, -1);
  if (code) return push_field(L, hit, code);
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  const char *word = lua_tostring(L, 2);
  if (bind_model_group(L, hit->m, hit->m->q, hit->u, word)) return 1;
  if (bind_late_method(L)) return 1;
  return bind_no_field(L, "a hit", bind_nearest(word, names));
}

static int refuse_write(lua_State *L) {
  return bind_error(L, "a hit is never changed");
}

/* ---- methods -------------------------------------------------------------------------------- */

static int next(lua_State *L) {
  push_after(L, bind_hit_check(L, 1, "next"));
  return 1;
}

static int trace(lua_State *L) {
  const bind_hit *hit = bind_hit_check(L, 1, "trace");
  lua_Integer n = luaL_optinteger(L, 2, 64);
  if (n < 0 || n > 1000000)
    return bind_error(L, "trace: points per phase must be a whole number between 0 and 1000000");
  bind_hit_path(L, hit, (int)n);
  return 1;
}

static const bind_function methods[] = {
    {"next", next, "hit:next() -> model", "The model with the velocities after the impact.",
     "print(k.impact(k.ball{ velocity = {0, 0, -1} }, k.law.newton{ e = 1 }):next().velocity[3]) "
     "--> 1.0"},
    {"trace", trace, "hit:trace([n]) -> path",
     "The path with n points between two events (64 unless said); hit.path is hit:trace().",
     "print(#k.impact(k.ball{}, k.law.newton{ e = 1 }):trace(10).p_n > 0) --> true"},
};

void bind_open_hit(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__newindex", refuse_write}, {"__tostring", bind_page}, {NULL, NULL}};
  bind_metatable(L, "hit", meta, &key);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
  bind_methods(L, "hit");
  lua_newtable(L);
  for (int i = 1; i < FIELD_COUNT; i++) {
    lua_pushinteger(L, i);
    lua_setfield(L, -2, names[i - 1]);
  }
  lua_pushcclosure(L, get_field, 2);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  bind_methods(L, "hit");
  bind_register(L, "hit", methods, sizeof methods / sizeof *methods);
  lua_pop(L, 1);
}
