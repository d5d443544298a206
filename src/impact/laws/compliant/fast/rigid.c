/* Tangential springs so stiff that only their limit can be told, eta -> 0: contacts without them.
 *
 * Where slip stops the spring is stretched by mu F_n / kt and sticks: it vibrates from then on
 * about what stick asks for, with an amplitude of force that is as large as its margin and a
 * frequency of 1/eta. As F_n falls each vibration slips a little at its peak: 1/eta events and
 * steps, for a mean force that is that of a contact which sticks without a spring. What is left of
 * the springs, their energy F^2 / 2 kt, and the lag of slip behind v, rho / |v|, are eta^2. So the
 * answer is that of rigid tangents (law.lzb with n = 1, which shares nothing with this law) but for
 * what falls as eta^2, here and there as eta^1.5 only, or as eta where slip stops and goes on
 * another way at once: there the force needs a time of eta to turn.
 *
 * Taken only where this law says so itself: solved once more with eta raised to ETA_CHECKED, it
 * must be so near to that limit that eta^1.5 makes it half of what is asked for. Nothing is taken
 * where slip reverses, or a contact is pressed again before it opens (law.lzb has another rule).
 *
 * Two contacts in space, mu = 1, eta = 1e-6 (`bench_tail eta 24`, seeds 1 and 3): where the springs
 * can be followed as well (19 problems, 0.5 to 8 s each) the limit is within 1.9e-11 where it is
 * taken; of two where it is not, it would be 3.6e-11 and 1.16e-10 off.
 */
#include <string.h>

#include "impact/laws/compliant/fast/inside.h"

extern const law_type law_lzb;

/* so many steps that follow each spring are tried first: a few milliseconds */
enum { STEPS_TRIED = 1000 };
static const double ETA_CHECKED = 1e-4;

/* ---- whose springs are so stiff ---- */

static double stiffest(const compliant_params *q, const impact_problem *pr) {
  double most = 0;
  for (int c = 0; c < pr->nc; c++) most = core_max(most, core_list_at(&q->eta, c));
  return most;
}

/* eta of ETA_CHECKED is a hundred times as large at least, and what law.lzb does not know is not
 * there: gaps, contacts that are held */
static int may_be_rigid(const compliant_params *q, const impact_problem *pr) {
  if (q->published_slip || pr->dim < 2 || stiffest(q, pr) > ETA_CHECKED / 100) return 0;
  for (int c = 0; c < pr->nc; c++)
    if (impact_was_open(pr, c) || core_list_at(&q->e, c) == 0 || isinf(core_list_at(&q->mu, c)))
      return 0;
  return 1;
}

/* ---- the limit ---- */

/* something happens that is not the limit of this law */
static void hear(void *self, const impact_event *e) {
  if (e->kind == IMPACT_REVERSAL || e->kind == IMPACT_JAM) *(int *)self = 1;
}

static void set_list(void *params, const char *key, const core_list *list) {
  const core_param *p = core_schema_find(&law_lzb.schema, key);
  memcpy((char *)params + p->at, list, sizeof *list);
}

/* law.lzb with the same springs along the normals; lists are only lent */
static core_status solve_limit(const compliant_params *q, const impact_problem *pr, core_scratch *s,
                               impact_sink *sink, impact_result *r) {
  void *params = core_scratch_bytes(s, law_lzb.schema.size);
  if (!params || core_schema_defaults(&law_lzb.schema, params)) return CORE_NO_MEMORY;
  set_list(params, "e", &q->e);
  set_list(params, "mu", &q->mu);
  set_list(params, "stiffness", &q->k);
  *(double *)((char *)params + core_schema_find(&law_lzb.schema, "exponent")->at) = 1;
  law l = {.type = &law_lzb, .params = params};
  return law_lzb.solve(&l, pr, s, sink, r, NULL);
}

/* springs keep energy at the end: wedged in, and not only rounding of what has come to rest */
static int is_wedged(const impact_problem *pr, const impact_result *r) {
  double size = 0;
  for (int i = 0; i < pr->rows; i++) size += fabs(r->p[i] * pr->v[i]);
  return r->stored > TOL_LAST * size;
}

/* without anything that the limit of this law would do otherwise */
static int find_limit(const compliant_params *q, const impact_problem *pr, core_scratch *s,
                      impact_result *r) {
  int otherwise = 0;
  impact_sink sink = {&otherwise, 0, 0, NULL, hear};
  return !solve_limit(q, pr, s, &sink, r) && !otherwise && !is_wedged(pr, r);
}

/* ---- the check ---- */

/* largest difference of the impulses, of the largest */
static double apart(const impact_problem *pr, const impact_result *a, const impact_result *b) {
  double most = 0, size = 0;
  for (int r = 0; r < pr->rows; r++) {
    most = core_max(most, fabs(a->p[r] - b->p[r]));
    size = core_max(size, fabs(b->p[r]));
  }
  return most / size;
}

/* its error, as told by that of eta = ETA_CHECKED, is half of what was asked for */
static int is_near(const law *l, const impact_problem *pr, core_scratch *s,
                   const impact_result *limit, impact_result *r) {
  const compliant_params *q = l->params;
  double falls = pow(ETA_CHECKED / stiffest(q, pr), 1.5);
  compliant_way way = {.fast = 1, .least_eta = ETA_CHECKED};
  if (compliant_solve_by(l, pr, s, NULL, r, NULL, way) || r->flags & IMPACT_PRESSED_AGAIN) return 0;
  return apart(pr, r, limit) <= q->tolerance * falls / 2;
}

static impact_result result_of(const impact_problem *pr, core_scratch *s) {
  double *p = core_scratch_doubles(s, 2 * (size_t)pr->rows);
  return (impact_result){.p = p, .v = p ? p + pr->rows : NULL};
}

/* 1: the springs take too many steps, and their limit will do */
static int will_do(const law *l, const impact_problem *pr, core_scratch *s) {
  compliant_way few = {.fast = 1, .most_steps = STEPS_TRIED};
  impact_result limit = result_of(pr, s), r = result_of(pr, s);
  if (!limit.p || !r.p) return 0;
  if (compliant_solve_by(l, pr, s, NULL, &r, NULL, few) != CORE_LIMIT) return 0;
  return find_limit(l->params, pr, s, &limit) && is_near(l, pr, s, &limit, &r);
}

int fast_rigid(const law *l, const impact_problem *pr, core_scratch *s, impact_sink *sink,
               impact_result *r) {
  if (!may_be_rigid(l->params, pr)) return 0;
  core_mark mark = core_scratch_mark(s);
  int done = will_do(l, pr, s) && !solve_limit(l->params, pr, s, sink, r);
  core_scratch_release(s, mark);
  return done;
}
