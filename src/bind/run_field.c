/* What a run can be asked: fields by name, and its state at any time. */
#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/matrix.h"
#include "bind/mechanism.h"
#include "bind/model_field.h"
#include "bind/object.h"
#include "bind/record.h"
#include "bind/run.h"

static void set_number(lua_State *L, const char *name, double x) {
  lua_pushnumber(L, x);
  lua_setfield(L, -2, name);
}

/* ---- state at a time ---- */

static void push_modes(lua_State *L, int n, const int *mode) {
  static const char *const words[] = {"open", "stick", "slip"};
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    lua_pushstring(L, words[mode[i]]);
    lua_rawseti(L, -2, i + 1);
  }
}

static void push_state(lua_State *L, const sim_run *r, const sim_state *at) {
  const model_shape *shape = &r->m->shape;
  lua_createtable(L, 0, 16);
  set_number(L, "t", at->t);
  bind_state_push(L, r->m, 'q', at->q);
  lua_setfield(L, -2, "q");
  bind_state_push(L, r->m, 'u', at->u);
  lua_setfield(L, -2, "u");
  bind_vector_push(L, shape->nc, at->gap);
  lua_setfield(L, -2, "gap");
  bind_vector_push(L, model_all_rows(shape), at->force);
  lua_setfield(L, -2, "force");
  push_modes(L, shape->nc, at->mode);
  lua_setfield(L, -2, "mode");
  set_number(L, "kinetic", at->kinetic);
  set_number(L, "potential", at->potential);
  set_number(L, "energy", at->kinetic + at->potential);
  set_number(L, "work", at->work);
  set_number(L, "sliding", at->sliding);
  set_number(L, "lost", at->lost);
  set_number(L, "reset", at->reset);
  lua_pushboolean(L, at->redundant);
  lua_setfield(L, -2, "redundant");
  if (*at->solutions >= 0) lua_pushboolean(L, *at->solutions == 1), lua_setfield(L, -2, "unique");
}

/* the model in that state; the state is on top, the run at index 1 */
static void add_model(lua_State *L) {
  lua_getiuservalue(L, 1, BIND_RUN_MODEL);
  lua_getfield(L, -1, "at");
  lua_insert(L, -2);
  lua_getfield(L, -3, "q");
  lua_getfield(L, -4, "u");
  lua_call(L, 3, 1);
  lua_setfield(L, -2, "model");
}

void bind_run_at(lua_State *L, const bind_run *b, double t, int before) {
  const sim_run *r = b->r;
  const model_shape *shape = &r->m->shape;
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  core_error err = {0};
  int solutions = -1;
  sim_state at = {.solutions = &solutions};
  size_t n = (size_t)(shape->nq + shape->nu + shape->nc + model_all_rows(shape));
  at.q = core_scratch_doubles(s, n);
  at.mode = core_scratch_ints(s, (size_t)shape->nc);
  err.status = at.q && at.mode ? CORE_OK : CORE_NO_MEMORY;
  if (!err.status) {
    at.u = at.q + shape->nq;
    at.gap = at.u + shape->nu;
    at.force = at.gap + shape->nc;
    err.status = sim_at(r, t, before, s, &at, &err);
  }
  if (!err.status) push_state(L, r, &at);
  core_scratch_release(s, mark);
  if (err.status) bind_raise(L, &err);
  add_model(L);
}

/* ---- small fields ---- */

static void push_ledger(lua_State *L, const sim_ledger *g) {
  lua_createtable(L, 0, 10);
  set_number(L, "start", g->start);
  set_number(L, "end", g->end);
  set_number(L, "work", g->work);
  set_number(L, "restitution", g->restitution);
  set_number(L, "friction", g->friction);
  set_number(L, "stored", g->stored);
  set_number(L, "sliding", g->sliding);
  set_number(L, "bounces", g->bounces);
  set_number(L, "reset", g->reset);
  set_number(L, "residual", g->residual);
}

static void push_effort(lua_State *L, const sim_run *r) {
  lua_createtable(L, 0, 5);
  lua_pushinteger(L, r->accepted);
  lua_setfield(L, -2, "steps");
  lua_pushinteger(L, r->rejected);
  lua_setfield(L, -2, "rejected");
  lua_pushinteger(L, r->evaluations);
  lua_setfield(L, -2, "evaluations");
  lua_pushinteger(L, r->hurried);
  lua_setfield(L, -2, "hurried");
  lua_pushinteger(L, r->implicit);
  lua_setfield(L, -2, "implicit");
}

/* the model where the run ended */
static void push_last(lua_State *L, const sim_run *r) {
  lua_getiuservalue(L, 1, BIND_RUN_MODEL);
  lua_getfield(L, -1, "at");
  lua_insert(L, -2);
  bind_vector_push(L, r->m->shape.nq, r->q);
  bind_vector_push(L, r->m->shape.nu, r->u);
  lua_call(L, 3, 1);
}

static void push_message(lua_State *L, const sim_run *r) {
  if (r->status)
    lua_pushstring(L, core_error_text(&r->error));
  else
    lua_pushnil(L);
}

static void push_flags(lua_State *L, const sim_run *r) {
  impact_result result = {.status = CORE_OK, .flags = r->flags};
  bind_result_flags(L, &result);
}

enum { MANY_STEPS = 100 }; /* fewer need no excuse */

/* Painleve: no motion, or several; adds to the list on top, which has n lines */
static int add_paradoxes(lua_State *L, const sim_run *r, int n) {
  if (r->jolts) {
    lua_pushfstring(L,
                    "%d impact%s without collision: no contact force could hold what slid "
                    "(Painleve), and %s ended it",
                    (int)r->jolts, r->jolts > 1 ? "s" : "", r->l->type->schema.owner);
    lua_rawseti(L, -2, ++n);
  }
  if (r->ambiguous) {
    lua_pushfstring(L,
                    "at %d time%s, first at t = %f s, several motions satisfied the laws: what "
                    "slides slides on and what rests stays where that can last, else all leave",
                    (int)r->ambiguous, r->ambiguous > 1 ? "s" : "", r->t_ambiguous);
    lua_rawseti(L, -2, ++n);
  }
  return n;
}

/* what is worth saying about the run: why it ended early, and what is true of all of it */
static void push_notes(lua_State *L, const bind_run *b) {
  int n = 0;
  lua_newtable(L);
  if (b->note) {
    lua_pushstring(L, b->note);
    lua_rawseti(L, -2, ++n);
  }
  if (b->r->flags & IMPACT_OPEN_LEDGER) {
    lua_pushfstring(L,
                    "the energy ledger is open by %f J: forces, mass and potential contradict "
                    "each other, an impact's ledger is open, or rtol is too loose",
                    fabs(b->r->ledger.residual));
    lua_rawseti(L, -2, ++n);
  }
  if (b->r->accepted >= MANY_STEPS && 2 * b->r->hurried > b->r->accepted) {
    lua_pushliteral(
        L, "stiff: most steps are short for stability, not for accuracy; something settles "
           "much faster than what is seen (a strong damper), and a looser rtol is no help; "
           "method = 'implicit' may be");
    lua_rawseti(L, -2, ++n);
  }
  n = add_paradoxes(L, b->r, n);
  if (!b->r->status) return;
  lua_pushstring(L, core_error_text(&b->r->error));
  lua_rawseti(L, -2, ++n);
}

/* ---- what is made once ---- */

/* pushes cache[name], made by `make` the first time */
static void push_cached(lua_State *L, const bind_run *b, const char *name, char which) {
  if (lua_getiuservalue(L, 1, BIND_RUN_CACHE) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, 1, BIND_RUN_CACHE);
  }
  if (lua_getfield(L, -1, name) != LUA_TNIL) return;
  lua_pop(L, 1);
  int cache = lua_gettop(L);
  if (which == 'e')
    bind_run_events(L, b);
  else
    bind_run_columns(L, b, b->samples);
  lua_pushvalue(L, -1);
  lua_setfield(L, cache, name);
}

/* a column of run:sample(), by its name */
static int push_column(lua_State *L, const bind_run *b, const char *name) {
  push_cached(L, b, "columns", 'c');
  return lua_getfield(L, -1, name) != LUA_TNIL;
}

/* ---- by name ---- */

#define FIELDS(X)                                                                                  \
  X(events, "", "what happened, in order: kind, t, q, u, and the hit of an impact",                \
    push_cached(L, b, "events", 'e'))                                                              \
  X(columns, "",                                                                                   \
    "t, coordinates, speeds, energies, forces and gaps at the chosen rate and at all events",      \
    push_cached(L, b, "columns", 'c'))                                                             \
  X(ledger, "J",                                                                                   \
    "energy over the whole run: start, end, lost in impacts and by sliding, work, and what is "    \
    "left over",                                                                                   \
    push_ledger(L, &r->ledger))                                                                    \
  X(status, "", "'ok', or what stopped it", lua_pushstring(L, core_status_word(r->status)))        \
  X(message, "", "the status in words, nil when all went well", push_message(L, r))                \
  X(flags, "",                                                                                     \
    "those of all its impacts together; open_ledger also when the energies of the run do not "     \
    "add up",                                                                                      \
    push_flags(L, r))                                                                              \
  X(notes, "", "the message, and what else is worth knowing of the run", push_notes(L, b))         \
  X(why, "", "why it stopped: its end, a number of impacts, a function, Ctrl-C",                   \
    lua_pushstring(L, sim_stop_word(r->why)))                                                      \
  X(impacts, "1", "number of impacts", lua_pushinteger(L, r->impacts))                             \
  X(effort, "",                                                                                    \
    "steps, rejected, hurried (short for stability, not accuracy) and implicit ones, and "         \
    "evaluations",                                                                                 \
    push_effort(L, r))                                                                             \
  X(t_start, "s", "where it started", lua_pushnumber(L, r->o.t_start))                             \
  X(t_end, "s", "where it stopped", lua_pushnumber(L, r->t))                                       \
  X(last, "", "the model as it stood at the end", push_last(L, r))                                 \
  X(model, "", "the model at the start", lua_getiuservalue(L, 1, BIND_RUN_MODEL))                  \
  X(law, "", "the law of its impacts", lua_getiuservalue(L, 1, BIND_RUN_LAW))

#define NAME(name, unit, doc, push) #name,
const char *const bind_run_fields[] = {
    FIELDS(NAME) "at", "sample",    "t",      "q",    "u",       "gap",  "force", "mode",
    "kinetic",         "potential", "energy", "work", "sliding", "lost", "plot",  NULL};
#undef NAME

int bind_run_field(lua_State *L, const bind_run *b, const char *name) {
  const sim_run *r = b->r;
#define PUSH(field, unit, doc, push)                                                               \
  if (!strcmp(name, #field)) {                                                                     \
    push;                                                                                          \
    return 1;                                                                                      \
  }
  FIELDS(PUSH)
#undef PUSH
  static const char *const methods[] = {"at", "sample", "page", "plot", "animate", "write"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (!strcmp(name, methods[i])) return 0;
  return push_column(L, b, name);
}

void bind_run_document(lua_State *L) {
  static const bind_field docs[] = {FIELDS(BIND_FIELD_DOC)};
  bind_document(L, "run", docs, sizeof docs / sizeof *docs);
}
