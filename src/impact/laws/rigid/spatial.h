/* One rigid contact in space with Coulomb friction: rows (t1, t2, n). */
#ifndef IMPACT_LAWS_RIGID_SPATIAL_H
#define IMPACT_LAWS_RIGID_SPATIAL_H

#include "impact/laws/rigid/rigid.h"

core_status law_spatial_solve(const law_rule *rule, const impact_problem *pr, impact_sink *sink,
                              impact_result *r, core_error *err);

#endif
