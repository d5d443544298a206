/* Life of a law, and the one entrance to solving: what a law's flags exclude never reaches it. */
#include "impact/law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

core_status law_create(const law_type *type, const void *params, law **l, core_error *err) {
  *l = NULL;
  law *made = calloc(1, sizeof *made);
  if (!made) return core_no_memory(err);
  made->type = type;
  made->params = malloc(type->schema.size ? type->schema.size : 1);
  if (!made->params || core_schema_copy(&type->schema, made->params, params)) {
    free(made->params);
    free(made);
    return core_no_memory(err);
  }
  for (int i = 0; i < type->schema.n; i++) made->lists += type->schema.params[i].kind == CORE_LIST;
  core_status status = type->build ? type->build(made, err) : CORE_OK;
  if (status) {
    law_free(made);
    return status;
  }
  *l = made;
  return CORE_OK;
}

core_status law_rebuild(law *l, core_error *err) {
  if (l->type->destroy) l->type->destroy(l);
  l->extra = NULL;
  return l->type->build ? l->type->build(l, err) : CORE_OK;
}

void law_free(law *l) {
  if (!l) return;
  if (l->type->destroy) l->type->destroy(l);
  core_schema_free(&l->type->schema, l->params);
  free(l->params);
  law_free(l->owned);
  free(l);
}

/* ---- in one piece: struct and params ---- */

static size_t rounded(size_t bytes) {
  return (bytes + 7) / 8 * 8;
}

size_t law_piece(const law *l) {
  if (l->type->destroy || l->owned || !core_schema_is_flat(&l->type->schema, l->params)) return 0;
  return rounded(sizeof *l) + l->type->schema.size;
}

law *law_place(const law *l, void *piece) {
  law *made = piece;
  *made = (law){.type = l->type, .params = (char *)piece + rounded(sizeof *l), .lists = l->lists};
  memcpy(made->params, l->params, l->type->schema.size);
  return made;
}

core_status law_settle(law *made, core_error *err) {
  if (!core_schema_is_flat(&made->type->schema, made->params)) return CORE_UNSUPPORTED;
  return made->type->build ? made->type->build(made, err) : CORE_OK;
}

/* ---- what its type declares ---- */

static const law *inner(const law *l) {
  const core_param *p = l->type->inner;
  return p ? *(law *const *)((const char *)l->params + p->at) : NULL;
}

const law *law_innermost(const law *l) {
  for (const law *in = inner(l); in; in = inner(l)) l = in;
  return l;
}

int law_repeats(const law *l) {
  for (; l; l = inner(l))
    if (l->type->flags & LAW_SCRIPT) return 0;
  return 1;
}

/* ---- lists, one number per contact ---- */

static core_list *list_of(const core_schema *schema, void *params, int i) {
  const core_param *p = &schema->params[i];
  return p->kind == CORE_LIST ? (core_list *)((char *)params + p->at) : NULL;
}

int law_longest_list(const law *l) {
  int most = 1;
  for (; l; l = inner(l))
    for (int i = 0; i < l->type->schema.n; i++) {
      const core_list *list = list_of(&l->type->schema, l->params, i);
      if (list && list->n > most) most = list->n;
    }
  return most;
}

/* a list of nc numbers becomes one of n */
static core_status cut(core_list *list, int nc, int n, const int *ids) {
  if (list->n != nc || nc < 2) return CORE_OK;
  double *x = malloc((size_t)n * sizeof *x + 1);
  if (!x) return CORE_NO_MEMORY;
  for (int c = 0; c < n; c++) x[c] = core_list_at(list, ids[c]);
  core_status status = core_list_set(list, n, x);
  free(x);
  return status;
}

core_status law_part(const law *l, int nc, int n, const int *ids, law **part, core_error *err) {
  const core_schema *schema = &l->type->schema;
  law *own = NULL;
  void *params = malloc(schema->size + 1);
  *part = NULL;
  core_status status = params ? core_schema_copy(schema, params, l->params) : CORE_NO_MEMORY;
  if (status) {
    free(params);
    return core_fail(err, status, "%s", "");
  }
  for (int i = 0; i < schema->n && !status; i++) {
    core_list *list = list_of(schema, params, i);
    if (list) status = cut(list, nc, n, ids);
  }
  if (!status && inner(l)) {
    status = law_part(inner(l), nc, n, ids, &own, err);
    *(law **)((char *)params + l->type->inner->at) = own;
  }
  if (!status) status = law_create(l->type, params, part, err);
  core_schema_free(schema, params);
  free(params);
  if (*part)
    (*part)->owned = own;
  else
    law_free(own);
  return status;
}

/* ---- friction ---- */

static double coefficient(const law *l, const core_param *p, int c) {
  if (!p) return NAN;
  const void *at = (const char *)l->params + p->at;
  if (p->kind == CORE_NUMBER) return *(const double *)at;
  const core_list *list = at;
  return list->n && (list->n == 1 || c < list->n) ? core_list_at(list, c) : NAN;
}

double law_sliding_friction(const law *l, int c) {
  l = law_innermost(l);
  return coefficient(l, l->type->friction, c);
}

double law_friction_limit(const law *l, int c) {
  l = law_innermost(l);
  double mu = coefficient(l, l->type->friction, c);
  return fmax(mu, coefficient(l, l->type->static_friction, c)); /* NaN loses */
}

/* ---- solving ---- */

/* a list of the law holds for all contacts or has one number for each */
static core_status check_lists(const law *l, int nc, core_error *err) {
  const core_schema *schema = &l->type->schema;
  for (int i = 0; i < schema->n; i++) {
    const core_param *p = &schema->params[i];
    if (p->kind != CORE_LIST) continue;
    int n = ((const core_list *)((const char *)l->params + p->at))->n;
    if (n > 1 && n != nc)
      return core_fail(err, CORE_BAD_INPUT,
                       "%s: %s must be one number or one per contact (%d), got %d", schema->owner,
                       p->key, nc, n);
  }
  return CORE_OK;
}

/* contacts that differ in their rows: the law takes that, and each number of rows */
static core_status check_mixed(const law_type *type, const impact_problem *pr, core_error *err) {
  for (int c = 0; c < pr->nc; c++) {
    int rows = impact_rows_of(pr, c);
    if (!(type->flags & (LAW_DIM1 << (rows - 1))))
      return core_fail(err, CORE_UNSUPPORTED, "%s does not take contacts with %d rows",
                       type->schema.owner, rows);
  }
  if (type->flags & LAW_MIXED) return CORE_OK;
  return core_fail(
      err, CORE_UNSUPPORTED,
      "%s takes contacts with the same number of rows, got %d at contact 1 and others "
      "elsewhere: use law.compliant, law.newton, law.plastic or law.sequential{law = ...}",
      type->schema.owner, impact_rows_of(pr, 0));
}

static core_status check_capability(const law *l, const impact_problem *pr, core_error *err) {
  const law_type *type = l->type;
  if (pr->nc > 1 && !(type->flags & LAW_MANY))
    return core_fail(err, CORE_UNSUPPORTED,
                     "%s takes one contact, got %d: use law.sequential{law = ...}, law.moreau, "
                     "law.glocker, law.lzb or law.compliant",
                     type->schema.owner, pr->nc);
  if (!(type->flags & (LAW_DIM1 << (pr->dim - 1))))
    return core_fail(err, CORE_UNSUPPORTED, "%s does not take contacts with %d rows",
                     type->schema.owner, pr->dim);
  return pr->first ? check_mixed(type, pr, err) : CORE_OK;
}

/* what a made problem is need not be looked at again, only its numbers */
static inline core_status admit(const law *l, const impact_problem *pr, core_scratch *s,
                                core_error *err) {
  core_status status = CORE_OK;
  if (!pr->made || !impact_problem_finite(pr)) status = impact_problem_check(pr, err);
  if (!status && !pr->made && pr->rows > 2) status = impact_problem_definite(pr, s, err);
  if (!status) status = check_capability(l, pr, err);
  return status || !l->lists ? status : check_lists(l, pr->nc, err);
}

/* a law that answers with a NaN is wrong: it must never look like an answer */
static inline core_status finite_answer(const law *l, const impact_problem *pr,
                                        const impact_result *r, core_error *err) {
  double zero = 0;
  for (int i = 0; i < pr->rows; i++) zero += 0 * r->p[i]; /* NaN when one is not finite */
  if (zero == 0) return CORE_OK;
  return core_fail(
      err, CORE_NOT_FINITE,
      "%s: its impulse is not finite: a fault of the law, save the problem and report it",
      l->type->schema.owner);
}

/* impulses at contacts that were open at the start are worth a word: they are right only as long as
 * the mechanism hardly moves in the impact */
static inline void flag_closed_gaps(const impact_problem *pr, impact_result *r) {
  for (int c = 0; pr->gap && c < pr->nc; c++)
    if (pr->gap[c] > 0 && r->p[impact_normal(pr, c)] != 0) r->flags |= IMPACT_CLOSED_GAP;
}

/* A contact that touched, opened, and approaches again when the impact is over: its next impact
 * follows. Laws for several contacts that do not take such flights in leave it so. */
static inline void flag_returns(const impact_problem *pr, impact_result *r) {
  static const double ROUNDING = 1e-10; /* of the fastest row */
  double fastest = 0;
  for (int i = 0; i < pr->rows; i++) fastest = fmax(fastest, fmax(fabs(pr->v[i]), fabs(r->v[i])));
  for (int c = 0; c < pr->nc; c++)
    if (!impact_was_open(pr, c) && r->v[impact_normal(pr, c)] < -ROUNDING * fastest)
      r->flags |= IMPACT_RETURNS;
}

/* What a ledger may be open by, as a part of the work of all impulses taken as positive: DESIGN's
 * promise. */
static const double LEDGER_PROMISE = 1e-12;

/* -p (v- + v+) / 2 is what kinetic energy has lost; the law says where it went */
static inline void flag_open_ledger(const impact_problem *pr, impact_result *r) {
  double lost = 0, size = 0;
  for (int i = 0; i < pr->rows; i++) {
    lost -= r->p[i] * (pr->v[i] + r->v[i]) / 2;
    size += fabs(r->p[i]) * (fabs(pr->v[i]) + fabs(r->v[i])) / 2;
  }
  double open = fabs(lost - r->lost_restitution - r->lost_friction - r->stored);
  if (open > LEDGER_PROMISE * size) r->flags |= IMPACT_OPEN_LEDGER;
}

/* fewer rows are not worth the look */
enum { FEW_ROWS = 3 };

core_status law_solve(const law *l, const impact_problem *pr, core_scratch *s, impact_sink *sink,
                      impact_result *r, core_error *err) {
  r->flags = 0;
  r->lost_restitution = r->lost_friction = r->stored = 0;
  r->duration = r->residual = NAN;
  core_status status = admit(l, pr, s, err);
  if (status) return r->status = status;
  if (!impact_approaches(pr, l->type->flags & LAW_GAPS)) return impact_nothing(pr, r);
  core_mark mark = core_scratch_mark(s);
  impact_problem with = *pr;
  if (pr->rows > FEW_ROWS) with.span = impact_spans(pr, s);
  status = l->type->solve(l, &with, s, sink, r, err);
  core_scratch_release(s, mark);
  if (!status) status = finite_answer(l, pr, r, err);
  if (!status) flag_closed_gaps(pr, r), flag_open_ledger(pr, r);
  if (!status && l->type->flags & LAW_GAPS) flag_returns(pr, r);
  return r->status = status;
}
