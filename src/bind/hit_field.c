#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/hit.h"
#include "bind/matrix.h"
#include "bind/model_field.h"
#include "bind/object.h"
#include "bind/record.h"
#include "core/lin.h"

static void set_number(lua_State *L, const char *name, double x) {
  lua_pushnumber(L, x);
  lua_setfield(L, -2, name);
}

static _Noreturn void raise(lua_State *L, core_status status) {
  core_error err = {.status = status};
  bind_raise(L, &err);
}

static int by_letters(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* the names of the parts at 1, in order, with NULL behind the last */
static void names_of(lua_State *L, const char *names[16]) {
  int n = 0;
  for (lua_pushnil(L); n < 15 && lua_next(L, 1); lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING) names[n++] = lua_tostring(L, -2);
  names[n] = NULL;
  qsort(names, (size_t)n, sizeof *names, by_letters);
}

/* __index of hit.energy and hit.audit: a part that is not there is an error, not nil */
static int no_part(lua_State *L) {
  const char *names[16];
  names_of(L, names);
  return bind_no_name(L, "there is no part", luaL_tolstring(L, 2, NULL), names);
}

/* "{ after = 3.97, before = 13.8 }" */
static int show_parts(lua_State *L) {
  const char *names[16];
  char text[512] = "{";
  names_of(L, names);
  for (int i = 0; names[i]; i++) {
    size_t used = strlen(text);
    lua_getfield(L, 1, names[i]);
    snprintf(text + used, sizeof text - used, "%s %s = %.10g", i ? "," : "", names[i],
             lua_tonumber(L, -1) + 0.0); /* no -0 */
  }
  lua_pushfstring(L, "%s }", text);
  return 1;
}

void bind_parts(lua_State *L, int n) {
  static const char key;
  lua_createtable(L, 0, n);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &key) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_createtable(L, 0, 2);
    lua_pushcfunction(L, no_part);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, show_parts);
    lua_setfield(L, -2, "__tostring");
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
  }
  lua_setmetatable(L, -2);
}

/* ---- energy ---- */

void bind_hit_energy(lua_State *L, const bind_hit *hit) {
  core_scratch *s = bind_scratch(L);
  double before, after;
  core_status status = model_kinetic(hit->m, hit->m->q, hit->m->u, s, &before);
  if (!status) status = model_kinetic(hit->m, hit->m->q, hit->u, s, &after);
  if (status) raise(L, status);
  bind_parts(L, 6);
  set_number(L, "before", before);
  set_number(L, "after", after);
  set_number(L, "lost", before - after);
  set_number(L, "restitution", hit->r.lost_restitution);
  set_number(L, "friction", hit->r.lost_friction);
  set_number(L, "stored", hit->r.stored);
}

/* ---- audit ---- */

void bind_hit_audit(lua_State *L, const bind_hit *hit) {
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  core_error err = {0};
  impact_setup setup;
  impact_audit a;
  const model *m = hit->m;
  core_status status = impact_assemble(m, m->q, m->u, hit->pr.nc, hit->contacts, s, &setup, &err);
  if (!status) {
    impact_touch(&setup, hit->touch);
    status = impact_audit_hit(m, m->q, m->u, hit->u, &setup, hit->l, &hit->r, s, &a);
  }
  core_scratch_release(s, mark);
  err.status = status;
  if (status) bind_raise(L, &err);
  bind_parts(L, 7);
  set_number(L, "momentum", a.momentum);
  set_number(L, "velocity", a.velocity);
  set_number(L, "energy", a.energy);
  set_number(L, "ledger", a.ledger);
  set_number(L, "cone", a.cone);
  set_number(L, "penetration", a.penetration);
  set_number(L, "pull", a.pull);
}

/* ---- flags and notes ---- */

static const struct {
  unsigned bit;
  const char *name, *note;
} flags[] = {
    {IMPACT_REDUNDANT, "redundant",
     "contact rows depend on each other: of the impulses with this velocity those of least norm"},
    {IMPACT_GAINS_ENERGY, "gains_energy", "the law created kinetic energy here"},
    {IMPACT_STUCK, "stuck", "the contact ends sticking"},
    {IMPACT_AS_PRINTED, "as_printed", "repeats a slip of the published program on purpose"},
    {IMPACT_CLOSED_GAP, "closed_gap", "a contact that was open at the start got an impulse"},
    {IMPACT_TIE, "tie",
     "contacts closed together and collided one by one in the order of their numbers: another "
     "order "
     "may give another answer"},
    {IMPACT_RETURNS, "returns",
     "a contact that touched has left and approaches again: another impact follows"},
    {IMPACT_OPEN_LEDGER, "open_ledger",
     "the energy ledger is open by more than 1e-12 of the work done: energies are less exact here "
     "than promised (audit.ledger)"},
    {IMPACT_PRESSED_AGAIN, "pressed_again",
     "a contact with e < 1 was pressed again before it opened: compare absorbed and returned; "
     "law.compliant has the option reload"},
    {IMPACT_CONTINUUM, "continuum",
     "dependent contacts could share otherwise, and move otherwise: this is what contacts do that "
     "give a little, all alike"},
    {IMPACT_INEXACT, "inexact",
     "the law of the contacts is met to hit.residual, not to 1e-12: contacts that lie flat up to "
     "rounding cannot all stick or press, there are more than 100 of them, or a larger tolerance "
     "was asked for"},
    {IMPACT_SKIPPED, "skipped",
     "events that repeat in cycles were stepped over many at a time: events and path leave them "
     "out, "
     "where they say `cycles`; the answer is that of all of them"},
};
enum { FLAGS = sizeof flags / sizeof *flags };

static void set_flag(lua_State *L, const char *name) {
  lua_pushboolean(L, 1);
  lua_setfield(L, -2, name);
}

void bind_result_flags(lua_State *L, const impact_result *r) {
  lua_newtable(L);
  for (int i = 0; i < FLAGS; i++)
    if (r->flags & flags[i].bit) set_flag(L, flags[i].name);
  if (r->status == CORE_NO_IMPACT) set_flag(L, "no_impact");
}

void bind_hit_flags(lua_State *L, const bind_hit *hit) {
  bind_result_flags(L, &hit->r);
  if (bind_model_differences(hit->m)) set_flag(L, "by_differences");
}

static void add_note(lua_State *L, const char *note) {
  lua_pushstring(L, note);
  lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

void bind_hit_notes(lua_State *L, const bind_hit *hit) {
  bind_model_notes(L, hit->m);
  for (int i = 0; i < FLAGS; i++)
    if (hit->r.flags & flags[i].bit) add_note(L, flags[i].note);
  if (hit->r.status) add_note(L, core_status_text(hit->r.status));
  if (hit->pr.dim == 1 && law_friction_limit(hit->l, 0) > 0)
    add_note(L, "contacts have no tangential rows: friction had nothing to act on");
}

/* contacts that were open at the start and got an impulse */
void bind_hit_closed_gaps(lua_State *L, const bind_hit *hit) {
  int n = 0;
  lua_newtable(L);
  for (int c = 0; c < hit->pr.nc; c++) {
    if (!impact_was_open(&hit->pr, c) || hit->r.p[impact_normal(&hit->pr, c)] == 0) continue;
    lua_pushinteger(L, hit->contacts[c] + 1);
    lua_rawseti(L, -2, ++n);
  }
}

/* ---- W, its condition and its rank ---- */

void bind_hit_matrix_figure(lua_State *L, const bind_hit *hit, char which) {
  int n = hit->pr.rows, rank = 0;
  if (which == 'W') {
    bind_matrix_push(L, n, n, hit->pr.W);
    return;
  }
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  double condition = NAN;
  core_status status = which == 'c' ? core_lin_condition(n, n, hit->pr.W, s, &condition)
                                    : core_lin_rank(n, n, hit->pr.W, -1, s, &rank);
  core_scratch_release(s, mark);
  if (status) raise(L, status);
  if (which == 'c') lua_pushnumber(L, condition);
  if (which == 'r') lua_pushinteger(L, rank);
}
