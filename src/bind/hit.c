#include "bind/hit.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/lua_law.h"
#include "bind/matrix.h"
#include "bind/mechanism.h"
#include "bind/model_field.h"
#include "bind/object.h"
#include "bind/param.h"

static const bind_kind key = {.slot = BIND_HIT}; /* registry[&key] is the metatable */

/* ---- life ---- */

/* the parts are behind the struct: u, p, v+, the problem of `bytes`, contacts */
static void fill(bind_hit *hit, const impact_setup *setup, size_t bytes) {
  size_t rows = (size_t)setup->problem.rows, nc = (size_t)setup->problem.nc;
  hit->u = hit->data;
  hit->r.p = hit->u + hit->nu;
  hit->r.v = hit->r.p + rows;
  for (size_t i = 0; i < 2 * rows; i++) hit->r.p[i] = NAN; /* p and v+ */
  char *room = (char *)(hit->r.v + rows);
  impact_problem_copy(&setup->problem, room, &hit->pr);
  hit->contacts = (int *)(room + bytes);
  memcpy(hit->contacts, setup->contacts, nc * sizeof *setup->contacts);
}

bind_hit *bind_hit_new(lua_State *L, const model *m, const law *l, const impact_setup *setup) {
  size_t rows = (size_t)setup->problem.rows, nc = (size_t)setup->problem.nc;
  size_t bytes = impact_problem_size(&setup->problem);
  size_t size = sizeof(bind_hit) + ((size_t)m->shape.nu + 2 * rows) * sizeof(double) + bytes +
                nc * sizeof(int);
  bind_hit *hit = lua_newuserdatauv(L, size, 3);
  memset(hit, 0, sizeof *hit);
  hit->m = m;
  hit->l = l;
  hit->nu = m->shape.nu;
  fill(hit, setup, bytes);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, BIND_HIT_MODEL);
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, -2, BIND_HIT_LAW);
  bind_object_is(L, hit, &key);
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
  bind_check_colon(L, index, who, "a hit");
  bind_error(L, "%s: argument %d must be a hit, as k.impact gives it, got %s", who, index, got);
  return NULL;
}

bind_record *bind_hit_recording(lua_State *L, int index, const bind_hit *hit, int per_phase) {
  index = lua_absindex(L, index);
  if (lua_getiuservalue(L, index, BIND_HIT_RECORD) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_getiuservalue(L, index, BIND_HIT_LAW);
    bind_record_new(L, lua_gettop(L), hit->l, &hit->pr, &hit->r);
    lua_remove(L, -2);
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, index, BIND_HIT_RECORD);
  }
  bind_record *rec = lua_touserdata(L, -1);
  bind_record_replay(L, rec, per_phase);
  return rec;
}

/* ---- small fields ---- */

/* impulse (or velocity) of each contact: a list of vectors in row order */
static void push_per_contact(lua_State *L, const bind_hit *hit, const double *x) {
  lua_createtable(L, hit->pr.nc, 0);
  for (int c = 0; c < hit->pr.nc; c++) {
    bind_vector_push(L, impact_rows_of(&hit->pr, c), x + impact_first(&hit->pr, c));
    lua_rawseti(L, -2, c + 1);
  }
}

static void push_contacts(lua_State *L, const bind_hit *hit) {
  lua_createtable(L, hit->pr.nc, 0);
  for (int c = 0; c < hit->pr.nc; c++) {
    lua_pushinteger(L, hit->contacts[c] + 1);
    lua_rawseti(L, -2, c + 1);
  }
}

/* what a law does not say is NaN, and nil in Lua */
static void push_said(lua_State *L, double x) {
  if (isnan(x))
    lua_pushnil(L);
  else
    lua_pushnumber(L, x);
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

/* ---- by name ---- */

/* X(name, expression that pushes the value, doc); the order is that of the documentation */
#define FIELDS(X)                                                                                  \
  X(u, "", "speeds after", bind_state_push(L, hit->m, 'u', hit->u))                                \
  X(u_before, "", "speeds before", bind_state_push(L, hit->m, 'u', hit->m->u))                     \
  X(impulse, "N s", "impulse at all contacts, row by row; N m s at the stop of a hinge",           \
    bind_vector_push(L, hit->pr.rows, hit->r.p))                                                   \
  X(impulses, "N s", "impulse at each contact", push_per_contact(L, hit, hit->r.p))                \
  X(contact_velocity, "m/s", "contact velocity after, row by row; rad/s at the stop of a hinge",   \
    bind_vector_push(L, hit->pr.rows, hit->r.v))                                                   \
  X(contact_velocity_before, "m/s", "contact velocity before",                                     \
    bind_vector_push(L, hit->pr.rows, hit->pr.v))                                                  \
  X(contacts, "", "numbers of the contacts that took part", push_contacts(L, hit))                 \
  X(closed_gaps, "", "those of them that were open at the start and got an impulse",               \
    bind_hit_closed_gaps(L, hit))                                                                  \
  X(absorbed, "J",                                                                                 \
    "work that each contact took in while it was compressed, nil for laws that do not say",        \
    bind_hit_work(L, hit, 0))                                                                      \
  X(returned, "J", "work that each contact gave back", bind_hit_work(L, hit, 1))                   \
  X(events, "",                                                                                    \
    "what happened, in order: kind, contact, impulse (normal; of all contacts where there is no "  \
    "contact, nil where a hinge's stop is among points, whose unit is another), p, velocity, t",   \
    bind_hit_events(L, hit))                                                                       \
  X(path, "", "columns of the process, for plots", bind_hit_path(L, hit, BIND_RECORD_POINTS))      \
  X(energy, "J", "before, after, lost = restitution + friction + stored", bind_hit_energy(L, hit)) \
  X(audit, "", "relative residuals of an independent check; 0 is perfect", bind_hit_audit(L, hit)) \
  X(W, "1/kg", "J M^-1 J^T", bind_hit_matrix_figure(L, hit, 'W'))                                  \
  X(condition, "1", "condition of W", bind_hit_matrix_figure(L, hit, 'c'))                         \
  X(rank, "1", "rank of W", bind_hit_matrix_figure(L, hit, 'r'))                                   \
  X(unique, "",                                                                                    \
    "whether the velocities after are the only ones, of law.moreau. In the plane with up to 8 "    \
    "contacts all modes are tried: true or false. Else true where it is proved (no friction, or "  \
    "W regular and friction below a bound), false where another answer or a continuum was found, " \
    "nil where neither is known",                                                                  \
    bind_solutions_unique(L, hit->l, &hit->pr, hit->r.flags))                                      \
  X(solutions, "",                                                                                 \
    "all of them, each { impulse, velocity } row by row; nil when they are not known. One that "   \
    "lies among others without a gap says continuum = 'impulses' (the velocity is the same) or "   \
    "'velocities', and has its ends, each { impulse, velocity }",                                  \
    bind_solutions_push(L, hit->l, &hit->pr))                                                      \
  X(status, "", "'ok', 'no impact', or what failed",                                               \
    lua_rawgeti(L, lua_upvalueindex(3), hit->r.status + 1))                                        \
  X(flags, "",                                                                                     \
    "redundant, gains_energy, stuck, as_printed, closed_gap, tie, returns, open_ledger, "          \
    "pressed_again, continuum, inexact, skipped, no_impact, by_differences",                       \
    bind_hit_flags(L, hit))                                                                        \
  X(notes, "", "the flags in words", bind_hit_notes(L, hit))                                       \
  X(residual, "1",                                                                                 \
    "how far law.moreau and law.glocker are from being met: the largest |p - proj(p - rho u)| of " \
    "a contact (Alart and Curnier, rho = 1/W_nn and 1/W_tt), of the largest impulse; at most "     \
    "1e-12 (or the law's tolerance), else flags.inexact; nil for other laws",                      \
    push_said(L, hit->r.residual))                                                                 \
  X(duration, "s", "how long it took, nil for laws without time", push_said(L, hit->r.duration))   \
  X(model, "", "the model before", lua_getiuservalue(L, 1, BIND_HIT_MODEL))                        \
  X(law, "", "the law", lua_getiuservalue(L, 1, BIND_HIT_LAW))                                     \
  X(before, "", "the model before", lua_getiuservalue(L, 1, BIND_HIT_MODEL))                       \
  X(after, "", "the model after", push_after(L, hit))                                              \
  X(dim, "1", "rows of the contacts that took part, a list where they differ",                     \
    bind_dim_push(L, hit->pr.nc, hit->pr.dim, hit->pr.first))

#define CODE(name, unit, doc, push) FIELD_##name,
enum field { NO_FIELD, FIELDS(CODE) FIELD_COUNT };
#undef CODE
#define NAME(name, unit, doc, push) #name,
static const char *const names[] = {FIELDS(NAME) "next", "trace", "plot", "velocity", "spin", NULL};
#undef NAME

static int push_field(lua_State *L, const bind_hit *hit, int code) {
  switch (code) {
#define PUSH(name, unit, doc, push)                                                                \
  case FIELD_##name: push; return 1; /* NOLINT: push is a statement */
    FIELDS(PUSH)
#undef PUSH
    default: return 0;
  }
}

/* hit.key; upvalues: methods, names of fields to their codes, words of statuses */
static int get_field(lua_State *L) {
  const bind_hit *hit = lua_touserdata(L, 1);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) == LUA_TNUMBER)
    return push_field(L, hit, (int)lua_tointeger(L, -1));
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  const char *word = lua_tostring(L, 2);
  if (bind_model_group(L, hit->m, hit->m->q, hit->u, word)) return 1;
  if (bind_late_method(L)) return 1;
  return bind_no_field(L, "a hit", bind_nearest(word, names));
}

static int refuse_write(lua_State *L) {
  return bind_error(L, "a hit is never changed");
}

/* ---- methods ---- */

static int next(lua_State *L) {
  push_after(L, bind_hit_check(L, 1, "next"));
  return 1;
}

/* points between two events, argument 2 */
static int points(lua_State *L, const char *who) {
  char got[96];
  if (lua_isnoneornil(L, 2)) return BIND_RECORD_POINTS;
  int whole = 0;
  lua_Integer n = lua_tointegerx(L, 2, &whole);
  if (whole && n >= 0 && n <= 1000000) return (int)n;
  bind_describe(L, 2, got, sizeof got);
  bind_error(L, "%s: points between two events must be a whole number from 0 to 1000000, got %s",
             who, got);
  return 0;
}

static int trace(lua_State *L) {
  const bind_hit *hit = bind_hit_check(L, 1, "trace");
  bind_hit_path(L, hit, points(L, "trace"));
  return 1;
}

static int course(lua_State *L) {
  const bind_hit *hit = bind_hit_check(L, 1, "course");
  bind_hit_course(L, hit, points(L, "course"));
  return 1;
}

static const bind_function methods[] = {
    {"next", next, "hit:next() -> model", "The model with the velocities after the impact.",
     "print(k.impact(k.ball{ velocity = {0, 0, -1} }, k.law.newton{ e = 1 }):next().velocity[3]) "
     "--> 1.0"},
    {"trace", trace, "hit:trace([n]) -> path",
     "The path with n points between two events; by default 80, and 16 in a period of the fastest "
     "vibration. hit.path is hit:trace().",
     "print(#k.impact(k.ball{}, k.law.newton{ e = 1 }):trace(10).p_n > 0) --> true"},
    {"course", course, "hit:course([n]) -> path",
     "The path as figures want it: it begins with the state before the impact, and has the kinetic "
     "energy and the normal impulse of all contacts too (not where a hinge's stop is among points: "
     "N m s and N s have no sum).",
     "print(k.impact(k.ball{}, k.law.newton{ e = 1 }):course().kinetic[1]) --> 0.5"},
};

void bind_open_hit(lua_State *L) {
  static const bind_field docs[] = {FIELDS(BIND_FIELD_DOC)};
  bind_document(L, "hit", docs, sizeof docs / sizeof *docs);
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
  lua_createtable(L, CORE_STATUS_COUNT, 0);
  for (int i = 0; i < CORE_STATUS_COUNT; i++) {
    lua_pushstring(L, core_status_word(i));
    lua_rawseti(L, -2, i + 1);
  }
  lua_pushcclosure(L, get_field, 3);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  bind_methods(L, "hit");
  bind_register(L, "hit", methods, sizeof methods / sizeof *methods);
  lua_pop(L, 1);
}
