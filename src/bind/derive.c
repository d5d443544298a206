/* hit:derivative{...}: d(u+) with coordinates, speeds and parameters by name. */
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/hit.h"
#include "bind/matrix.h"
#include "bind/object.h"
#include "bind/param.h"
#include "bind/vary.h"
#include "impact/derive.h"

/* ---- parameters by name ---- */

/* "mass[2]" -> "mass", 1; "model.mass" and "law.mu" say whose it is */
typedef struct wanted {
  char key[64];
  char of; /* 'm', 'l', or 0: whoever has it */
  int at;  /* -1: all */
} wanted;

static int parse(const char *word, wanted *w) {
  int end = 0, entry = 0;
  w->of = !strncmp(word, "model.", 6) ? 'm' : !strncmp(word, "law.", 4) ? 'l' : 0;
  if (w->of) word += w->of == 'm' ? 6 : 4;
  w->at = -1;
  if (sscanf(word, "%63[A-Za-z0-9_.]%n", w->key, &end) != 1) return 0;
  if (!word[end]) return 1;
  int more = 0;
  if (sscanf(word + end, "[%d]%n", &entry, &more) != 1 || word[end + more] || entry < 1) return 0;
  w->at = entry - 1;
  return 1;
}

static int moves(const core_param *p) {
  return p && (p->kind == CORE_NUMBER || p->kind == CORE_LIST || p->kind == CORE_VECTOR);
}

/* how many numbers a parameter has in this struct; 0: absent */
static int numbers_of(const core_param *p, const void *params) {
  const char *at = (const char *)params + p->at;
  if (p->kind == CORE_LIST) return ((const core_list *)at)->n;
  return isnan(*(const double *)at) ? 0 : p->n;
}

static int find(const model *m, const law *l, const wanted *w, impact_parameter *out) {
  const core_param *p = core_schema_find(&m->type->schema, w->key);
  if (w->of != 'l' && moves(p)) {
    *out = (impact_parameter){m, NULL, p, w->at};
    return numbers_of(p, m->params);
  }
  for (; l && w->of != 'm';
       l = l->type->inner ? *(law *const *)((const char *)l->params + l->type->inner->at) : NULL) {
    p = core_schema_find(&l->type->schema, w->key);
    if (!moves(p)) continue;
    *out = (impact_parameter){NULL, l, p, w->at};
    return numbers_of(p, l->params);
  }
  return 0;
}

/* the parameter that a script names; raises when neither model nor law has it, or not now */
void bind_parameter(lua_State *L, const char *who, const model *m, const law *l, const char *word,
                    impact_parameter *out) {
  wanted w;
  int n = parse(word, &w) ? find(m, l, &w, out) : 0;
  if (n > 0 && (w.at < n) && !(w.at < 0 && n > 1 && out->param->kind == CORE_VECTOR)) return;
  if (n > 0) bind_error(L, "%s: '%s' has %d numbers: name one, as '%s[1]'", who, word, n, w.key);
  bind_error(L, "%s: neither %s nor %s has a parameter '%s' that is a number", who,
             m->type->schema.owner, l->type->schema.owner, word);
}

/* ---- the answer ---- */

static void push_names(lua_State *L, int nu, int n, int list) {
  char name[16];
  lua_createtable(L, 2 * nu + n, 0);
  for (int i = 0; i < 2 * nu; i++) {
    snprintf(name, sizeof name, "%c%d", i < nu ? 'q' : 'u', i % nu + 1);
    lua_pushstring(L, name);
    lua_rawseti(L, -2, i + 1);
  }
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, list, i + 1);
    lua_rawseti(L, -2, 2 * nu + i + 1);
  }
}

static void push_rows(lua_State *L, int nu) {
  lua_createtable(L, nu, 0);
  for (int i = 0; i < nu; i++) {
    lua_pushfstring(L, "u%d", i + 1);
    lua_rawseti(L, -2, i + 1);
  }
}

void bind_derived_fields(lua_State *L, const impact_derived *how) {
  lua_pushstring(L, impact_route_word(how->route)); /* NOLINT: filled, or an error has jumped */
  lua_setfield(L, -2, "route");
  lua_pushnumber(L, how->error);
  lua_setfield(L, -2, "error");
  lua_pushboolean(L, how->tie);
  lua_setfield(L, -2, "tie");
  if (!how->exact_model && !how->differenced_model) return;
  lua_pushstring(L, how->differenced_model ? "differences" : "exact");
  lua_setfield(L, -2, "model");
}

/* the same problem as the hit's, with J and Y */
static core_status point_of(const bind_hit *hit, core_scratch *s, impact_point *at,
                            core_error *err) {
  *at = (impact_point){.m = hit->m, .l = hit->l, .q = hit->m->q, .u = hit->m->u, .r = hit->r};
  core_status status =
      impact_assemble(hit->m, hit->m->q, hit->m->u, hit->pr.nc, hit->contacts, s, &at->setup, err);
  if (!status) at->setup.problem = hit->pr;
  return status;
}

static int derivative(lua_State *L) {
  const bind_hit *hit = bind_hit_check(L, 1, "derivative");
  lua_settop(L, 2);
  bind_check_table(L, 2, "derivative");
  int n = (int)lua_rawlen(L, 2), nu = hit->nu;
  if (!core_status_good(hit->r.status))
    bind_error(L, "derivative: the hit has no answer: %s", core_status_text(hit->r.status));
  core_scratch *s = bind_scratch(L);
  core_error err = {0};
  impact_parameter *params = lua_newuserdatauv(L, (size_t)(n + 1) * sizeof *params, 0);
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, 2, i + 1);
    if (lua_type(L, -1) != LUA_TSTRING)
      bind_error(L, "derivative: parameter %d must be a name, got a %s", i + 1,
                 luaL_typename(L, -1));
    bind_parameter(L, "derivative", hit->m, hit->l, lua_tostring(L, -1), &params[i]);
    lua_pop(L, 1);
  }
  bind_matrix *D = bind_matrix_new(L, nu, 2 * nu + n);
  int matrix = lua_gettop(L);
  impact_derived how;
  impact_point at;
  core_mark mark = core_scratch_mark(s);
  core_status status = point_of(hit, s, &at, &err);
  if (!status) status = impact_derive_all(&at, n, params, s, D->x, &how, &err);
  core_scratch_release(s, mark);
  bind_raise_if(L, status, &err);
  lua_createtable(L, 0, 6);
  lua_pushvalue(L, matrix);
  lua_setfield(L, -2, "matrix");
  push_rows(L, nu);
  lua_setfield(L, -2, "rows");
  push_names(L, nu, n, 2);
  lua_setfield(L, -2, "columns");
  bind_derived_fields(L, &how);
  return 1;
}

static const bind_function functions[] = {
    {"derive_hit", derivative, "core.derive_hit(hit, names) -> table",
     "What hit:derivative is made of.", NULL},
};

void bind_open_derive(lua_State *L) {
  bind_register(L, "records", functions, 1);
}
