/* k.law{...}: a law written in Lua. It gets the problem as plain data and gives an impulse back; v+
 * follows from v+ = v- + W p and the ledger from the work of the impulses unless the law keeps its
 * own. */
#include "bind/lua_law.h"

#include <lauxlib.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bind/matrix.h"
#include "bind/object.h"
#include "bind/param.h"
#include "bind/spec.h"

typedef struct lua_law {
  bind_spec spec;
  law_type type;
} lua_law;

static const char *const extra[] = {NULL};

static lua_law *definition_of(const law *l) {
  return (lua_law *)((char *)(uintptr_t)l->type - offsetof(lua_law, type));
}

void bind_dim_push(lua_State *L, int nc, int dim, const int *first) {
  if (!first) {
    lua_pushinteger(L, dim);
    return;
  }
  lua_createtable(L, nc, 0);
  for (int c = 0; c < nc; c++) {
    lua_pushinteger(L, first[c + 1] - first[c]);
    lua_rawseti(L, -2, c + 1);
  }
}

void bind_problem_push(lua_State *L, const impact_problem *pr) {
  lua_createtable(L, 0, 6);
  bind_matrix_push(L, pr->rows, pr->rows, pr->W);
  lua_setfield(L, -2, "W");
  bind_vector_push(L, pr->rows, pr->v);
  lua_setfield(L, -2, "v");
  bind_matrix *gap = bind_matrix_new(L, pr->nc, 1);
  for (int c = 0; c < pr->nc; c++) gap->x[c] = pr->gap ? pr->gap[c] : 0;
  lua_setfield(L, -2, "gap");
  lua_pushinteger(L, pr->nc);
  lua_setfield(L, -2, "nc");
  bind_dim_push(L, pr->nc, pr->dim, pr->first);
  lua_setfield(L, -2, "dim");
  lua_pushinteger(L, pr->rows);
  lua_setfield(L, -2, "rows");
}

/* ---- one call of `solve` ---- */

typedef struct call {
  const law *l;
  const impact_problem *pr;
  impact_sink *sink;
  impact_result *r;
} call;

/* rows numbers of the value on top into x */
static void read_rows(lua_State *L, const call *c, const char *what, double *x) {
  char got[120];
  int rows, cols;
  double *from;
  core_scratch *s = &definition_of(c->l)->spec.state->scratch;
  core_mark mark = core_scratch_mark(s);
  if (!bind_numbers(L, -1, s, &rows, &cols, &from, got, sizeof got))
    luaL_error(L, "%s must be %d numbers, got %s", what, c->pr->rows, got);
  if (rows * cols != c->pr->rows)
    luaL_error(L, "%s must be %d numbers, got %d", what, c->pr->rows, rows * cols);
  for (int i = 0; i < c->pr->rows; i++) {
    x[i] = from[i];
    if (!isfinite(x[i])) luaL_error(L, "%s holds a NaN or an infinity", what);
  }
  core_scratch_release(s, mark);
}

static double number_or(lua_State *L, int table, const char *name, double otherwise) {
  int type = lua_getfield(L, table, name);
  double x = type == LUA_TNUMBER ? lua_tonumber(L, -1) : otherwise;
  if (type != LUA_TNUMBER && type != LUA_TNIL) luaL_error(L, "%s must be a number", name);
  lua_pop(L, 1);
  return x;
}

/* work along a straight path in impulse: normal part and tangential part */
static void split_work(const call *c, double *normal, double *tangential) {
  const impact_problem *pr = c->pr;
  *normal = *tangential = 0;
  for (int k = 0; k < pr->nc; k++)
    for (int i = impact_first(pr, k); i <= impact_normal(pr, k); i++) {
      double work = c->r->p[i] * (pr->v[i] + c->r->v[i]) / 2;
      *(i == impact_normal(pr, k) ? normal : tangential) += work;
    }
}

static void read_ledger(lua_State *L, int table, const call *c) {
  double normal, tangential;
  split_work(c, &normal, &tangential);
  c->r->stored = number_or(L, table, "stored", 0);
  c->r->lost_restitution = number_or(L, table, "restitution", NAN);
  c->r->lost_friction = number_or(L, table, "friction", NAN);
  double lost = -normal - tangential - c->r->stored;
  int known_r = !isnan(c->r->lost_restitution), known_f = !isnan(c->r->lost_friction);
  if (!known_r)
    c->r->lost_restitution = known_f ? lost - c->r->lost_friction : -normal - c->r->stored;
  if (!known_f) c->r->lost_friction = known_r ? lost - c->r->lost_restitution : -tangential;
  c->r->duration = number_or(L, table, "duration", NAN);
}

/* ---- events that the law reports ---- */

static impact_event_kind kind_of(lua_State *L, const char *word) {
  for (int k = IMPACT_SLIP; k <= IMPACT_END; k++)
    if (word && !strcmp(word, impact_event_word((impact_event_kind)k))) return (impact_event_kind)k;
  luaL_error(L, "events: unknown kind '%s'", word ? word : "?");
  return IMPACT_END;
}

/* the event at the top: {kind =, contact =, p =, velocity =, t =} */
static void send_event(lua_State *L, const call *c, double *p, double *v) {
  int table = lua_gettop(L);
  impact_event e = {.contact = -1, .sample = {.t = number_or(L, table, "t", NAN), .p = p, .v = v}};
  lua_getfield(L, table, "kind");
  e.kind = kind_of(L, lua_tostring(L, -1));
  e.contact = (int)number_or(L, table, "contact", 0) - 1;
  if (e.contact >= c->pr->nc) luaL_error(L, "events: there is no contact %d", e.contact + 1);
  lua_getfield(L, table, "p");
  read_rows(L, c, "p of an event", p);
  impact_velocity_after(c->pr, p, v);
  c->sink->event(c->sink->self, &e);
  lua_settop(L, table);
}

static void send_events(lua_State *L, int table, const call *c) {
  core_scratch *s = &definition_of(c->l)->spec.state->scratch;
  double *p = core_scratch_doubles(s, 2 * (size_t)c->pr->rows), *v = p + c->pr->rows;
  if (!p) {
    luaL_error(L, "not enough memory");
    return;
  }
  if (lua_getfield(L, table, "events") == LUA_TTABLE) {
    int n = (int)lua_rawlen(L, -1), list = lua_gettop(L);
    for (int i = 1; i <= n; i++, lua_settop(L, list)) {
      lua_rawgeti(L, list, i);
      if (!lua_istable(L, -1)) luaL_error(L, "events[%d] must be a table", i);
      send_event(L, c, p, v);
    }
  } else {
    impact_event first = {IMPACT_CLOSE, -1, {.t = NAN, .v = c->pr->v}};
    impact_event last = {IMPACT_END, -1, {.t = NAN, .p = c->r->p, .v = c->r->v}};
    memset(p, 0, (size_t)c->pr->rows * sizeof *p);
    first.sample.p = p;
    if (c->sink->sample) c->sink->sample(c->sink->self, &first.sample);
    c->sink->event(c->sink->self, &last);
  }
  lua_settop(L, table);
}

/* ---- solve ---- */

static core_status status_of(lua_State *L, const char *word) {
  for (int i = 0; i < CORE_STATUS_COUNT; i++)
    if (!strcmp(word, core_status_word((core_status)i))) return (core_status)i;
  luaL_error(L, "unknown status '%s'", word);
  return CORE_CALLBACK;
}

/* result on top: {impulse =, ...} or a plain list of impulses */
static void read_answer(lua_State *L, const call *c) {
  int table = lua_gettop(L);
  if (lua_istable(L, table) && lua_getfield(L, table, "status") == LUA_TSTRING)
    c->r->status = status_of(L, lua_tostring(L, -1));
  if (!core_status_good(c->r->status)) return;
  lua_settop(L, table);
  int full = lua_istable(L, table) && lua_getfield(L, table, "impulse") != LUA_TNIL;
  if (!full) lua_settop(L, table);
  read_rows(L, c, "impulse", c->r->p);
  lua_settop(L, table);
  impact_velocity_after(c->pr, c->r->p, c->r->v);
  if (!full) {
    lua_newtable(L);
    lua_replace(L, table);
  }
  read_ledger(L, table, c);
  if (c->sink) send_events(L, table, c);
}

static int enter(lua_State *L) {
  call *c = lua_touserdata(L, 1);
  const bind_spec *spec = &definition_of(c->l)->spec;
  bind_spec_get(L, spec, "solve");
  bind_problem_push(L, c->pr);
  bind_spec_parameters(L, spec, c->l->params, 0);
  lua_call(L, 2, 1);
  if (lua_isnil(L, -1)) luaL_error(L, "must return a table with the impulse, got nil");
  read_answer(L, c);
  return 0;
}

static void flag_gain(const impact_problem *pr, impact_result *r) {
  double lost = r->lost_restitution + r->lost_friction + r->stored, size = 0;
  for (int i = 0; i < pr->rows; i++) size += fabs(r->p[i] * pr->v[i]);
  if (lost < -1e-12 * size) r->flags |= IMPACT_GAINS_ENERGY;
}

static core_status solve(const law *l, const impact_problem *pr, core_scratch *s, impact_sink *sink,
                         impact_result *r, core_error *err) {
  (void)s;
  char what[96];
  call c = {l, pr, sink, r};
  lua_law *d = definition_of(l);
  snprintf(what, sizeof what, "%s: solve", l->type->schema.owner);
  r->status = CORE_OK;
  core_status status = bind_protect(d->spec.state, enter, &c, what);
  if (status) return core_fail(err, status, "%s", d->spec.state->error.text);
  if (core_status_good(r->status)) flag_gain(pr, r);
  return r->status;
}

/* ---- the definition ---- */

static const bind_spec_key keys[] = {
    {"name", "string", "a word", 0},
    {"doc", "string", "a text", 0},
    {"solve", "function", "a function of the problem that gives {impulse = ...}", 1},
    {"parameters", "table", "a table of numbers, handed to solve as its second argument", 0},
    {"units", "table", "a table of units by name", 0},
    {"many", "boolean", "true when it takes several contacts at once (the default) or false", 0},
    {"gaps", "boolean", "true when it takes contacts that are still open, or false (the default)",
     0},
    {"mixed", "boolean",
     "true when it takes contacts that differ in their rows (dim of the problem is a list then), "
     "or "
     "false (the default)",
     0},
    {0},
};

static int flag(lua_State *L, const char *name, int otherwise) {
  int yes = lua_getfield(L, 1, name) == LUA_TNIL ? otherwise : lua_toboolean(L, -1);
  lua_pop(L, 1);
  return yes;
}

static core_status make(const void *type, const void *params, void *to, core_error *err) {
  return law_create(type, params, to, err);
}

int bind_lua_law(lua_State *L) {
  lua_remove(L, 1);
  bind_check_table(L, 1, "law");
  lua_law *d = (lua_law *)bind_spec_new(L, 1, sizeof *d, "law", "law.", keys, extra); /* 2 */
  unsigned flags = LAW_FRICTION | LAW_MAY_GAIN | LAW_ANY_DIM | LAW_SCRIPT;
  if (flag(L, "many", 1)) flags |= LAW_MANY;
  if (flag(L, "gaps", 0)) flags |= LAW_GAPS;
  if (flag(L, "mixed", 0)) flags |= LAW_MIXED;
  d->type = (law_type){.schema = d->spec.schema,
                       .name = d->spec.schema.owner + strlen("law."),
                       .doc = "A law written in Lua.",
                       .paper = "",
                       .example = "",
                       .flags = flags,
                       .solve = solve,
                       /* by agreement: parameters of these names are its friction */
                       .friction = core_schema_find(&d->spec.schema, "mu"),
                       .static_friction = core_schema_find(&d->spec.schema, "mu_static")};
  bind_spec_values(L, 1, extra); /* 3 */
  bind_law *b = bind_law_new(L); /* 4 */
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, 4, 1);
  core_error err = {0};
  bind_raise_if(L, bind_object_make(L, 3, 4, &d->type.schema, NULL, make, &d->type, &b->l, &err),
                &err);
  return 1;
}
