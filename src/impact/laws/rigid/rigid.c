#include "impact/laws/rigid/rigid.h"

#include <math.h>
#include <stddef.h>

#include "impact/laws/rigid/planar.h"
#include "impact/laws/rigid/spatial.h"

const core_param law_friction_params[3] = {
    {"e", "1", CORE_NUMBER, offsetof(law_friction, e), 1, "1", 0, 1, 0, "restitution", NULL},
    {"mu", "1", CORE_NUMBER, offsetof(law_friction, mu), 1, "0", 0, INFINITY, CORE_MAY_BE_INF,
     "friction while sliding", NULL},
    {"mu_static", "1", CORE_NUMBER, offsetof(law_friction, mu_static), 1, "nil", 0, INFINITY,
     CORE_MAY_BE_INF, "friction that can hold a stick, at least mu; mu by default", NULL},
};

core_status law_friction_build(law *l, core_error *err) {
  const law_friction *f = l->params;
  if (!(f->mu_static < f->mu)) return CORE_OK;
  return core_fail(err, CORE_BAD_INPUT, "%s: mu_static must be at least mu (%.10g), got %.10g",
                   l->type->schema.owner, f->mu, f->mu_static);
}

core_status law_rigid_solve(const law_rule *rule, const impact_problem *pr, impact_sink *sink,
                            impact_result *r, core_error *err) {
  if (pr->dim == 3) return law_spatial_solve(rule, pr, sink, r, err);
  if (!sink && pr->dim == 2 && law_planar_quick(rule, pr, r)) return CORE_OK;
  core_status status = law_planar_solve(rule, pr, sink, r, err);
  /* the same to the last bit, watched or not */
  if (sink && pr->dim == 2) law_planar_quick(rule, pr, r);
  return status;
}
