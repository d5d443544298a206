/* The closed-form path of a planar impact with friction (paper M). */
#ifndef IMPACT_LAWS_RIGID_PLANAR_H
#define IMPACT_LAWS_RIGID_PLANAR_H

#include "impact/laws/rigid/rigid.h"

/* one contact with rows (n) or (t, n), approaching */
core_status law_planar_solve(const law_rule *rule, const impact_problem *pr, impact_sink *sink,
                             impact_result *r, core_error *err);

/* Rows (t, n), without a sink: 1 when r is filled with the ordinary outcome; 0 when the case is
 * special (v_t = 0 before, mu > 1, sliding that drives v_n down, stick that cannot move v_n). */
int law_planar_quick(const law_rule *rule, const impact_problem *pr, impact_result *r);

#endif
