/* Stronge's law: Coulomb friction and energetic restitution, one rigid contact.
 *
 *   dv/dp_n = W (dp/dp_n),  dp_t = -mu (v_t/|v_t|) dp_n sliding, v_t = 0 sticking
 *   end:  int_{p_c}^{p} v_n dp_n = -e^2 int_0^{p_c} v_n dp_n,   v_n(p_c) = 0
 *
 * The path is in rigid/planar.c and rigid/spatial.c, the ending in rigid/piece.h. The normal
 * impulse never gives back more than it took, and friction only takes: kinetic energy cannot grow.
 */
#include "impact/laws/rigid/rigid.h"

static core_status solve(const law *l, const impact_problem *pr, core_scratch *s, impact_sink *sink,
                         impact_result *r, core_error *err) {
  law_rule rule = law_friction_rule(l->params, LAW_ENERGETIC);
  (void)s;
  return law_rigid_solve(&rule, pr, sink, r, err);
}

const law_type law_stronge = {
    .schema = {"law.stronge", law_friction_params, 3, sizeof(law_friction)},
    .name = "stronge",
    .doc = "Rigid contact with Coulomb friction; the normal impulse gives back e^2 of the work it "
           "took. Closed form when the motion is planar. Never gains energy.",
    .paper = "Morgan, chapters 2 and 4",
    .example = "k.law.stronge{e = 0.5, mu = 0.4}",
    .flags = LAW_FRICTION | LAW_ANY_DIM,
    .friction = &law_friction_params[1],
    .static_friction = &law_friction_params[2],
    .build = law_friction_build,
    .solve = solve,
};
