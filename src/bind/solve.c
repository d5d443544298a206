/* The waist from the script's side: problems as plain data, laws applied to them, the block matrix.
 * lua/knock/problem.lua and lua/knock/solve.lua put the public face on core.waist. */
#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/hit.h"
#include "bind/impact.h"
#include "bind/lua_law.h"
#include "bind/matrix.h"
#include "bind/object.h"
#include "bind/param.h"
#include "bind/record.h"
#include "impact/block.h"

/* ---- from a model to a problem ---- */

static const law_type any_type = {.flags = 0};
static const law any_law = {.type = &any_type}; /* for "those that touch" */

/* problem(model[, law[, options]]) -> table */
static int problem(lua_State *L) {
  const model *m = bind_model_check(L, 1, "problem");
  const bind_law *b =
      bind_law_test(L, 2); /* by name or not: it only says which contacts it takes */
  const law *l = lua_isnoneornil(L, 2) ? &any_law : b ? b->l : bind_law_check(L, 2, "problem");
  bind_options o;
  int custom = !lua_isnoneornil(L, 3);
  if (custom) bind_options_read(L, 3, &o);
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  core_error err = {0};
  impact_setup setup;
  double touch;
  core_status status = bind_set_up(m, l, custom ? &o : NULL, &touch, s, &setup, &err);
  if (custom) bind_options_free(&o);
  if (!status) {
    bind_problem_push(L, &setup.problem);
    lua_createtable(L, setup.problem.nc, 0);
    for (int c = 0; c < setup.problem.nc; c++) {
      lua_pushinteger(L, setup.contacts[c] + 1);
      lua_rawseti(L, -2, c + 1);
    }
    lua_setfield(L, -2, "contacts");
    lua_pushstring(L, m->type->schema.owner);
    lua_setfield(L, -2, "model");
  }
  core_scratch_release(s, mark);
  err.status = status;
  return status ? bind_raise(L, &err) : 1;
}

/* ---- numbers from a table ---- */

/* the table at index 1 being read; what is taken from the scratch is given back before an error */
typedef struct reader {
  lua_State *L;
  core_scratch *s;
  core_mark mark;
  const char *who; /* "solve.block" */
} reader;

static reader start_reading(lua_State *L, const char *who) {
  reader r = {L, bind_scratch(L), {0}, who};
  r.mark = core_scratch_mark(r.s);
  return r;
}

/* own copy of a field: rows x cols numbers (rows < 0: any, cols < 0: square) */
static double *numbers(const reader *in, const char *name, int *rows, int cols) {
  char got[120];
  int r, c;
  double *x, *copy = NULL;
  lua_getfield(in->L, 1, name);
  int ok = bind_numbers(in->L, -1, in->s, &r, &c, &x, got, sizeof got);
  if (ok && (copy = core_scratch_doubles(in->s, (size_t)r * (size_t)c)))
    memcpy(copy, x, (size_t)r * (size_t)c * sizeof *x);
  lua_pop(in->L, 1);
  if (ok && cols == 1 && r == 1 && *name != 'A') r = c, c = 1; /* a row will do for a vector */
  if (ok && *rows < 0) *rows = r;
  int wanted = cols < 0 ? *rows : cols;
  if (copy && r == *rows && c == wanted) return copy;
  core_scratch_release(in->s, in->mark);
  if (!ok) bind_error(in->L, "%s: %s must be numbers, got %s", in->who, name, got);
  bind_error(in->L, "%s: %s must be %d x %d numbers, got %d x %d", in->who, name, *rows, wanted, r,
             c);
  return NULL;
}

static int field_type(lua_State *L, const char *name) {
  int type = lua_getfield(L, 1, name);
  lua_pop(L, 1);
  return type;
}

/* one number for all, or one for each of n */
static double *one_or_each(const reader *in, const char *name, int n, double otherwise) {
  int type = field_type(in->L, name);
  if (type != LUA_TNUMBER && type != LUA_TNIL) return numbers(in, name, &n, 1);
  double *x = core_scratch_doubles(in->s, (size_t)n);
  lua_getfield(in->L, 1, name);
  for (int i = 0; x && i < n; i++) x[i] = type == LUA_TNIL ? otherwise : lua_tonumber(in->L, -1);
  lua_pop(in->L, 1);
  return x;
}

static int find_dim(lua_State *L, int rows) {
  lua_getfield(L, 1, "dim");
  int dim = lua_isnil(L, -1) ? rows : (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  return dim >= 1 && dim <= 3 && rows % dim == 0 ? dim : 0;
}

/* dim = {2, 1}: the rows of each contact; the problem stays uniform when they are all the same.
 * impact_problem_check looks at what they are. */
static void read_dims(const reader *in, impact_problem *pr) {
  int n = -1;
  const double *list = numbers(in, "dim", &n, 1);
  int *first = core_scratch_ints(in->s, (size_t)n + 1), uniform = 1;
  if (!first) {
    core_scratch_release(in->s, in->mark);
    bind_error(in->L, "%s", core_status_text(CORE_NO_MEMORY));
    return;
  }
  pr->nc = n, pr->dim = 0, first[0] = 0;
  for (int c = 0; c < n; c++) {
    int rows = list[c] >= 1 && list[c] <= 3 && list[c] == floor(list[c]) ? (int)list[c] : 0;
    first[c + 1] = first[c] + rows;
    uniform &= rows == (int)list[0] && rows > 0;
    pr->dim = rows > pr->dim ? rows : pr->dim;
    if (rows > 0 && first[c + 1] <= pr->rows) continue;
    core_scratch_release(in->s, in->mark);
    bind_error(in->L,
               "solve: dim must say how many of the %d rows (1, 2 or 3) each contact has, got %g "
               "for contact %d",
               pr->rows, list[c], c + 1);
  }
  if (!uniform || first[n] != pr->rows) pr->first = first;
}

static void read_problem(const reader *in, impact_problem *pr) {
  int rows = -1;
  pr->W = numbers(in, "W", &rows, -1);
  pr->v = numbers(in, "v", &rows, 1);
  pr->rows = rows;
  int listed = field_type(in->L, "dim");
  if (listed == LUA_TTABLE || listed == LUA_TUSERDATA)
    read_dims(in, pr);
  else
    pr->dim = find_dim(in->L, rows);
  if (!pr->dim) {
    core_scratch_release(in->s, in->mark);
    bind_error(in->L, "solve: dim must say how many of the %d rows (1, 2 or 3) each contact has",
               rows);
  }
  if (!pr->nc) pr->nc = rows / pr->dim;
  pr->gap = field_type(in->L, "gap") == LUA_TNIL ? NULL : numbers(in, "gap", &pr->nc, 1);
}

/* ---- an answer ---- */

static void set_number(lua_State *L, const char *name, double x) {
  lua_pushnumber(L, x);
  lua_setfield(L, -2, name);
}

static void push_energy(lua_State *L, const impact_problem *pr, const impact_result *r) {
  double work = 0;
  for (int i = 0; i < pr->rows; i++) work += r->p[i] * (pr->v[i] + r->v[i]) / 2;
  bind_parts(L, 4);
  set_number(L, "lost", -work);
  set_number(L, "restitution", r->lost_restitution);
  set_number(L, "friction", r->lost_friction);
  set_number(L, "stored", r->stored);
}

/* the recording is on top, and becomes a part of the answer, which is pushed in its place */
static void push_answer(lua_State *L, const bind_record *rec) {
  const impact_result *r = &rec->r;
  lua_createtable(L, 0, 8);
  lua_insert(L, -2);
  lua_setfield(L, -2, "recording");
  lua_pushstring(L, core_status_word(r->status));
  lua_setfield(L, -2, "status");
  bind_vector_push(L, rec->pr.rows, r->p);
  lua_setfield(L, -2, "impulse");
  bind_vector_push(L, rec->pr.rows, r->v);
  lua_setfield(L, -2, "velocity");
  push_energy(L, &rec->pr, r);
  lua_setfield(L, -2, "energy");
  bind_path_events(L, &rec->path, &rec->pr, NULL, NULL);
  lua_setfield(L, -2, "events");
  for (int i = 0; i < 2; i++) {
    bind_path_work(L, &rec->path, i);
    lua_setfield(L, -2, i ? "returned" : "absorbed");
  }
  bind_result_flags(L, r);
  lua_setfield(L, -2, "flags");
  if (!isnan(r->duration)) set_number(L, "duration", r->duration);
  if (!isnan(r->residual)) set_number(L, "residual", r->residual);
}

/* solve(problem, law) -> table */
static int solve(lua_State *L) {
  if (!lua_istable(L, 1)) return bind_error(L, "solve: argument 1 must be a problem");
  lua_settop(L, 2);
  bind_law_of_problem(L, 2, 1);
  const law *l = bind_law_check(L, 2, "solve");
  impact_problem pr = {0};
  reader in = start_reading(L, "solve");
  read_problem(&in, &pr);
  bind_record *rec = bind_record_new(L, 2, l, &pr, NULL);
  core_error err = {0};
  int points = law_repeats(l) ? 0 : BIND_RECORD_POINTS; /* others can be replayed */
  core_status status = bind_record_solve(rec, points, in.s, &err);
  core_scratch_release(in.s, in.mark);
  if (core_status_good(status) || status == CORE_JAM || status == CORE_LIMIT) {
    push_answer(L, rec);
    return 1;
  }
  if (!err.text[0])
    core_fail(&err, status, "%s: %s", l->type->schema.owner, core_status_text(status));
  err.status = status;
  return bind_raise(L, &err);
}

/* path(recording) -> columns */
static int path(lua_State *L) {
  bind_record *rec = bind_record_test(L, 1);
  if (!rec) return bind_error(L, "path: argument 1 must be a recording");
  bind_record_replay(L, rec, BIND_RECORD_POINTS);
  bind_path_columns(L, &rec->path, &rec->pr, NULL, NULL);
  return 1;
}

/* unique(recording), solutions(recording) */
static int unique(lua_State *L) {
  bind_record *rec = bind_record_test(L, 1);
  if (!rec) return bind_error(L, "unique: argument 1 must be a recording");
  bind_solutions_unique(L, rec->l, &rec->pr, rec->solved ? rec->r.flags : 0);
  return 1;
}

static int solutions(lua_State *L) {
  bind_record *rec = bind_record_test(L, 1);
  if (!rec) return bind_error(L, "solutions: argument 1 must be a recording");
  bind_solutions_push(L, rec->l, &rec->pr);
  return 1;
}

/* ---- the block matrix ---- */

static bind_matrix *field(lua_State *L, const char *name, int rows, int cols) {
  bind_matrix *A = bind_matrix_new(L, rows, cols);
  lua_setfield(L, -2, name);
  return A;
}

/* block{M =, A =, u =, e =} -> {u, impulse, P, M_dagger, A_dagger, L_dagger, rank, rcond} */
static int block(lua_State *L) {
  int n = -1, m = -1;
  bind_check_table(L, 1, "solve.block");
  reader in = start_reading(L, "solve.block");
  const double *M = numbers(&in, "M", &n, -1);
  const double *u = numbers(&in, "u", &n, 1);
  const double *A = numbers(&in, "A", &m, n);
  const double *e = one_or_each(&in, "e", m, 0);
  core_error err = {0};
  impact_block_result r;
  lua_createtable(L, 0, 8);
  r.u = field(L, "u", n, 1)->x;
  r.P = field(L, "P", m, 1)->x;
  r.M_dagger = field(L, "M_dagger", n, n)->x;
  r.A_dagger = field(L, "A_dagger", m, n)->x;
  r.L_dagger = field(L, "L_dagger", m, m)->x;
  bind_matrix *impulse = field(L, "impulse", m, 1);
  err.status = impact_block(n, m, M, A, u, e, in.s, &r, &err);
  core_scratch_release(in.s, in.mark);
  if (err.status) return bind_raise(L, &err);
  for (int i = 0; i < m; i++) impulse->x[i] = 0 - r.P[i]; /* what the obstacle gives */
  lua_pushinteger(L, r.rank);
  lua_setfield(L, -2, "rank");
  set_number(L, "rcond", r.rcond);
  return 1;
}

void bind_open_solve(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"problem", problem},     {"solve", solve}, {"path", path}, {"unique", unique},
      {"solutions", solutions}, {"block", block}, {NULL, NULL}};
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "waist");
}
