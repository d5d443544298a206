/* One contact, rigid, with Coulomb friction: the path of paper M and its three endings.
 *
 * The normal impulse grows from 0. While the contact slides, dp_t = -mu (v_t/|v_t|) dp_n; when it
 * sticks, dp_t is what keeps v_t = 0. Compression lasts until v_n = 0. Where restitution ends is
 * the only thing in which the three laws differ:
 *
 *   energetic (Stronge)   the normal work has given back e^2 of what compression took
 *   kinetic (Poisson)     p_n = (1 + e) p_n at the end of compression
 *   kinematic (Newton)    v_n = -e v_n before the impact
 */
#ifndef IMPACT_LAWS_RIGID_RIGID_H
#define IMPACT_LAWS_RIGID_RIGID_H

#include "impact/law.h"

typedef enum law_ending { LAW_ENERGETIC, LAW_KINETIC, LAW_KINEMATIC } law_ending;

typedef struct law_rule {
  law_ending ending;
  double e;         /* restitution, 0 .. 1 */
  double mu;        /* friction while sliding, >= 0, may be infinite */
  double mu_static; /* friction that can hold a stick, >= mu, may be infinite */
} law_rule;

/* the parameters that stronge and poisson share */
typedef struct law_friction {
  double e, mu, mu_static; /* [1]; mu_static NaN: the same as mu */
} law_friction;

extern const core_param law_friction_params[3];
core_status law_friction_build(law *l, core_error *err); /* mu_static >= mu */

static inline law_rule law_friction_rule(const law_friction *f, law_ending ending) {
  return (law_rule){ending, f->e, f->mu, f->mu_static >= f->mu ? f->mu_static : f->mu};
}

/* Solves a problem with one approaching contact; closed form for one and two rows and for planar
 * motion in three. CORE_JAM: the normal velocity cannot be stopped; r then holds the state in which
 * it jams. */
core_status law_rigid_solve(const law_rule *rule, const impact_problem *pr, impact_sink *sink,
                            impact_result *r, core_error *err);

#endif
