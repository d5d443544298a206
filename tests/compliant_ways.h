/* law.compliant by one of its ways (as it is, event by event, without what is there for speed only)
 * on a scene, and whether two of them agree. */
#ifndef TESTS_COMPLIANT_WAYS_H
#define TESTS_COMPLIANT_WAYS_H

#include "compliant_scene.h"

typedef core_status solver(const law *l, const impact_problem *pr, core_scratch *s,
                           impact_sink *sink, impact_result *r, core_error *err);

/* other: NULL or one of those for tests */
static inline const course *answer_or_limit(const scene *s, int per_phase, solver *other) {
  law_type type = *law_find("compliant");
  if (other) type.solve = other;
  law *l = compliant_law(&s->q);
  const law_type *as_it_was = l->type;
  l->type = &type;
  const course *c = run_law(l, s->nc, s->dim, s->W, s->v, s->gap, per_phase);
  l->type = as_it_was;
  law_free(l);
  return keep(c);
}

static inline const course *answer(const scene *s, int per_phase, solver *other) {
  const course *c = answer_or_limit(s, per_phase, other);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c->r.status, c->err.text);
  return c;
}

static inline double speed_of(const scene *s) {
  double size = 0;
  for (int i = 0; i < s->rows; i++) size = fmax(size, fabs(s->v[i]));
  return size;
}

static inline void same_answer(const scene *s, const course *a, const course *b, double within) {
  for (int i = 0; i < s->rows; i++)
    TEST_ASSERT_DOUBLE_WITHIN(within * speed_of(s), a->v[i], b->v[i]);
  double lost = fmax(a->r.lost_friction, a->r.lost_restitution);
  TEST_ASSERT_DOUBLE_WITHIN(within * lost, a->r.lost_friction, b->r.lost_friction);
  TEST_ASSERT_DOUBLE_WITHIN(within * lost, a->r.lost_restitution, b->r.lost_restitution);
}

#endif
