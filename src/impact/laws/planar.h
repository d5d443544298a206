/* The closed-form path of a planar impact with friction (paper M). */
#ifndef IMPACT_LAWS_PLANAR_H
#define IMPACT_LAWS_PLANAR_H

#include "impact/laws/rigid.h"

/* An impact in the plane of n and one tangential direction: v_t = t * direction. */
typedef struct law_plane {
  double tt, tn, nn;   /* W in the plane [1/kg] */
  double vt, vn;       /* velocity before, vn < 0 [m/s] */
  double direction[2]; /* of t in the problem's tangential rows; {0, 1} for rows (t, n) */
} law_plane;

core_status law_planar_solve(const law_rule *rule, const law_plane *plane, int dim,
                             impact_sink *sink, impact_result *r, core_error *err);

#endif
