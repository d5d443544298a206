/* Poisson's law: Coulomb friction and kinetic restitution, one rigid contact.
 *
 *   dv/dp_n = W (dp/dp_n),  dp_t = -mu (v_t/|v_t|) dp_n sliding, v_t = 0 sticking
 *   end:  p_n = (1 + e) p_c,   v_n(p_c) = 0
 *
 * The path is in rigid/planar.c and rigid/spatial.c, the ending in rigid/piece.h. It equals
 * Stronge's law when sliding does not change its direction, and can give back more work than was
 * taken when it does.
 */
#include "impact/laws/rigid/rigid.h"

static core_status solve(const law *l, const impact_problem *pr, core_scratch *s, impact_sink *sink,
                         impact_result *r, core_error *err) {
  law_rule rule = law_friction_rule(l->params, LAW_KINETIC);
  (void)s;
  return law_rigid_solve(&rule, pr, sink, r, err);
}

const law_type law_poisson = {
    .schema = {"law.poisson", law_friction_params, 3, sizeof(law_friction)},
    .name = "poisson",
    .doc = "Rigid contact with Coulomb friction; restitution gives e times the normal impulse of "
           "compression. Closed form when the motion is planar.",
    .paper = "Morgan, chapters 2 and 4, with Poisson's ending",
    .example = "k.law.poisson{e = 0.5, mu = 0.4}",
    .flags = LAW_FRICTION | LAW_ANY_DIM,
    .friction = &law_friction_params[1],
    .static_friction = &law_friction_params[2],
    .build = law_friction_build,
    .solve = solve,
};
