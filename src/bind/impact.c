/* k.impact(model, law[, options]) -> hit */
#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/hit.h"
#include "bind/impact.h"
#include "bind/object.h"
#include "bind/param.h"

static const core_param option_params[] = {
    {"contacts", "1", CORE_LIST, offsetof(bind_options, contacts), 1, "nil", 1, INFINITY, 0,
     "the contacts that take part, from 1; by default those that touch", 0},
    {"touch", "m", CORE_NUMBER, offsetof(bind_options, touch), 1, "nil", 0, INFINITY, 0,
     "a gap up to this counts as touching; by default 1e-9 of the lengths that it comes from (1 m "
     "for models in Lua)",
     0},
    {"status", "1", CORE_FLAG, offsetof(bind_options, status), 1, "false", 0, 1, 0,
     "a solve that fails gives a hit with its status instead of an error", 0},
    {"in_run", "1", CORE_FLAG, offsetof(bind_options, in_run), 1, "false", 0, 1, 0,
     "as in k.simulate: contacts that are open close under load only, whatever the law's window",
     0},
};
static const core_schema option_schema = {"impact", option_params, 4, sizeof(bind_options)};

/* contacts as the options name them, from 0; scratch memory */
static core_status named_contacts(const model *m, const core_list *list, core_scratch *s, int *n,
                                  int **contacts, core_error *err) {
  *n = list->n;
  *contacts = core_scratch_ints(s, (size_t)list->n);
  if (!*contacts) return core_no_memory(err);
  for (int i = 0; i < list->n; i++) {
    double c = core_list_data(list)[i];
    int twice = 0;
    for (int j = 0; j < i; j++) twice |= (*contacts)[j] == (int)c - 1;
    if (c != floor(c) || c > m->shape.nc || twice)
      return core_fail(err, CORE_BAD_INPUT,
                       "impact: contacts[%d] must be a contact of the %s (1 to %d)%s, got %.10g",
                       i + 1, m->type->schema.owner, m->shape.nc, twice ? ", each once" : "", c);
    (*contacts)[i] = (int)c - 1;
  }
  return CORE_OK;
}

core_status bind_set_up(const model *m, const law *l, const bind_options *o, double *touch,
                        core_scratch *s, impact_setup *setup, core_error *err) {
  int n, *contacts;
  *touch = o ? o->touch : NAN;
  if (m->type->wants_tangents && impact_check_rows(m, l, NAN, err)) return CORE_BAD_INPUT;
  if (!o || !o->contacts.n) {
    core_status status = impact_meet(m, m->q, m->u, l, *touch, s, setup, err);
    if (!status && o) setup->problem.in_run = o->in_run;
    return status;
  }
  core_status status = named_contacts(m, &o->contacts, s, &n, &contacts, err);
  if (!status) status = impact_assemble(m, m->q, m->u, n, contacts, s, setup, err);
  if (status) return status;
  if (!(l->type->flags & LAW_GAPS)) *touch = INFINITY;
  impact_touch(setup, *touch);
  setup->problem.in_run = o->in_run;
  return CORE_OK;
}

static core_status explain(const law *l, core_status status, core_error *err) {
  if (core_status_good(status)) return status;
  if (!err->text[0])
    core_fail(err, status, "%s: %s", l->type->schema.owner, core_status_text(status));
  err->status = status;
  return status;
}

/* a law that may answer otherwise when asked again is recorded at once; the hit is on top */
static core_status watch(lua_State *L, bind_hit *hit, core_scratch *s, core_error *err) {
  bind_record *rec = bind_record_new(L, 2, hit->l, &hit->pr, NULL);
  lua_setiuservalue(L, -2, BIND_HIT_RECORD);
  core_status status = bind_record_solve(rec, BIND_RECORD_POINTS, s, err);
  double *p = hit->r.p, *v = hit->r.v;
  memcpy(p, rec->r.p, (size_t)hit->pr.rows * sizeof *p);
  memcpy(v, rec->r.v, (size_t)hit->pr.rows * sizeof *v);
  hit->r = rec->r;
  hit->r.p = p, hit->r.v = v;
  return status;
}

/* A law with a number for each contact of the model, where only some take part: its part for these
 * takes its place at 2, so that the hit and its recording keep it. */
static core_status cut_lists(lua_State *L, const model *m, const impact_setup *setup, const law **l,
                             core_error *err) {
  int n = setup->problem.nc, nc = m->shape.nc;
  if (n == nc || law_longest_list(*l) != nc || nc < 2) return CORE_OK;
  bind_law *b = bind_law_new(L);
  core_status status = law_part(*l, nc, n, setup->contacts, &b->l, err);
  lua_pushvalue(L, 2); /* what the law borrows lives as long as this */
  lua_setiuservalue(L, -2, 1);
  lua_replace(L, 2);
  if (!status) *l = b->l;
  return status;
}

/* solves; the hit is pushed unless what failed comes before it. Returns the hit or NULL. */
static bind_hit *solve(lua_State *L, const model *m, const law *l, const bind_options *o,
                       core_error *err) {
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  impact_setup setup;
  double touch;
  bind_hit *hit = NULL;
  err->status = bind_set_up(m, l, o, &touch, s, &setup, err);
  if (!err->status && l->lists + (l->type->inner != NULL) > 0)
    err->status = cut_lists(L, m, &setup, &l, err);
  if (!err->status) {
    const impact_problem *pr = &setup.problem;
    hit = bind_hit_new(L, m, l, &setup);
    hit->touch = touch;
    explain(l, law_repeats(l) ? law_solve(l, pr, s, NULL, &hit->r, err) : watch(L, hit, s, err),
            err);
    impact_back(&setup, m->u, hit->r.p, hit->u);
  }
  core_scratch_release(s, mark);
  return hit;
}

void bind_options_read(lua_State *L, int index, bind_options *o) {
  core_error err = {0};
  bind_check_table(L, index, "impact");
  core_scratch *s = bind_scratch(L);
  core_schema_defaults(&option_schema, o);
  core_status status = bind_params_read(L, index, &option_schema, o, 0, s, &err);
  if (status) core_schema_free(&option_schema, o);
  bind_raise_if(L, status, &err);
}

void bind_options_free(bind_options *o) {
  core_schema_free(&option_schema, o);
}

/* a law by the names of contacts becomes one for those that take part */
static const law *law_for(lua_State *L, const model *m, const bind_options *o, core_error *err) {
  const law *l = bind_law_test(L, 2)->l;
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  impact_setup setup;
  double touch;
  core_status status = bind_set_up(m, l, o, &touch, s, &setup, err);
  lua_createtable(L, status ? 0 : setup.problem.nc, 0);
  for (int c = 0; !status && c < setup.problem.nc; c++) {
    lua_pushinteger(L, setup.contacts[c] + 1);
    lua_rawseti(L, -2, c + 1);
  }
  core_scratch_release(s, mark);
  bind_raise_if(L, status, err);
  bind_law_resolve(L, 2, 1, lua_gettop(L));
  lua_pop(L, 1);
  return bind_law_check(L, 2, "impact");
}

static int impact(lua_State *L) {
  const bind_model *of = bind_model_test(L, 1);
  const model *m = of ? of->m : bind_model_check(L, 1, "impact"); /* which raises */
  const bind_law *b = bind_law_test(L, 2);
  int by_name = b && b->named;
  const law *l = b ? b->l : bind_law_check(L, 2, "impact");
  core_error err;
  err.status = CORE_OK, err.text[0] = 0;
  bind_options o; /* read when there are any */
  o.status = 0;
  int custom = lua_gettop(L) > 2 && !lua_isnil(L, 3);
  if (custom) bind_options_read(L, 3, &o);
  if (by_name) l = law_for(L, m, custom ? &o : NULL, &err);
  bind_hit *hit = solve(L, m, l, custom ? &o : NULL, &err);
  int keep = o.status;
  if (custom) bind_options_free(&o);
  if (!hit || (!core_status_good(hit->r.status) && !keep)) return bind_raise(L, &err);
  return 1;
}

static const bind_function functions[] = {
    {"impact", impact, "k.impact(model, law[, options]) -> hit",
     "Lets the law act at the contacts that touch. The model is not changed; the hit holds "
     "everything. A law that finds no answer (a jam) raises an error, unless status = true: then "
     "the hit says it in hit.status.",
     "print(k.impact(k.ball{ velocity = {0, 0, -4} }, k.law.newton{ e = 0.5 }).velocity[3]) "
     "--> 2.0"},
};

void bind_open_impact(lua_State *L) {
  bind_option_schema(L, "k.impact", &option_schema);
  bind_open_hit(L);
  bind_register(L, "k", functions, sizeof functions / sizeof *functions);
}
