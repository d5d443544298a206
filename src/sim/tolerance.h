/* Every tolerance of a run: a part of a scale that the model and its state have (scale.c), with the
 * reason for its size. Nothing in src/sim compares with a bare number.
 *
 *   length       how large gaps and the places of contacts are at the start
 *   time         how long it takes to move that far, by the speeds or accelerations at the start
 *   speed        length/time        acceleration   length/time^2
 */
#ifndef SIM_TOLERANCE_H
#define SIM_TOLERANCE_H

/* X(name, value, relative to, reason) */
#define SIM_TOLERANCES(X)                                                                          \
  X(TOUCH, 1e-9, "length",                                                                         \
    "gaps that close together; well above the error of a step at rtol 1e-9")                       \
  X(ATOL, 1e-12, "length; length/time; energy", "far below rtol of what moves at all")             \
  X(REST, 1e-14, "length", "a hop lower than this is rounding of the place after some bounces")    \
  X(ZENO_HOP, 3e-11, "length", "lower hops are summed: half way between rounding and what counts") \
  X(LEAVES, 1e-11, "speed", "slower ones do not leave the surface: rounding of a projection")      \
  X(SLIDES, 1e-9, "speed", "slower ones do not slide: the integrator's tolerance")                 \
  X(CREEPS, 5e-6, "speed", "sliding in space that sets out; its direction is good to the square")  \
  X(GRIPS, 1e-6, "speed", "infinite friction stops faster ones by an impact of their own")         \
  X(HOPS_STILL, 1e-6, "speed", "slow as the hops that are left out: counts as still in need")      \
  X(GOES_ON, 1e-11, "speed", "a law's answer that still approaches by more needs another impact")  \
  X(TURNS, 1e-8, "speed", "below this rounding rules whether sliding stops or turns")              \
  X(STOPS, 1e-10, "time", "sliding that stops within this has stopped")                            \
  X(VAGUE, 1e-6, "time", "... or that its tolerance makes vague, but not more than this before")   \
  X(LAST_HOP, 1e-5, "time", "the last straight piece of sliding is not longer")                    \
  X(CREEP_STEP, 1e-5, "time", "difference along the motion of creeping")                           \
  X(SHORTEST, 1e-13, "time", "events nearer than this are at one time; steps, 1000 times it")      \
  X(AT_END, 1e-12, "time so far", "an impact this near to the end of the run is in time")          \
  X(GAP_ROUNDING, 16, "eps length", "rounding of a gap")                                           \
  X(ON_SURFACE, 4, "eps length", "a gap that small needs no projection")                           \
  X(FORCE_ROUNDING, 1e-10, "largest force or acceleration", "of a contact that carries nothing")   \
  X(GIVES, 1e-9, "largest W_ii", "what contacts that share a load give: well above rounding")      \
  X(MOST_MU, 1e3, "1", "more friction than this shares a load as this does")                       \
  X(LEAST_SHARE, 1e-4, "largest normal force",                                                     \
    "friction of a contact counts as if it carried this")                                          \
  X(EDGE, 1e-5, "friction", "with so much less of it one sees where contacts at their limit go")   \
  X(STANDS, 1e-7, "largest acceleration", "contacts held together that would move by less stand")  \
  X(DRAGS, 1e5, "what is rounding of accelerations",                                               \
    "one that sticks moves: no force can hold it")                                                 \
  X(DEPENDENT, 1e-9, "the rows themselves", "rows with less of their own depend on each other")    \
  X(RAY, 1e-6, "largest contact velocity",                                                         \
    "approach of an impact without collision: laws resolve it, its square is rounding")            \
  X(RAY_BEYOND, 100, "RAY", "more than what holds a contact with HELD of its W_nn")                \
  X(APART, 0.1, "what the impact changes", "answers further apart do not tend to one")             \
  X(JOLTS, 1e-4, "largest contact velocity", "an impact without collision changes more than this") \
  X(HELD, 1e-6, "W_nn", "a sliding contact with less to hold it is Painleve's")                    \
  X(BOUNDED, 1e6, "what they have to hold",                                                        \
    "sliding contacts with larger forces hold each other up")                                      \
  X(GROWS, 1e3, "what they have to hold",                                                          \
    "forces this large where steps fail: Painleve, not motion")                                    \
  X(V_ROUNDING, 64, "eps |J| |u|", "rounding of a contact velocity")                               \
  X(CREEP_ANGLE, 1e-5, "rad", "difference of the direction of creeping, for its slope")            \
  X(CREEP_TURN, 0.3, "rad", "most that Newton turns it by in a step")                              \
  X(CREEP_FOUND, 1e-12, "rad", "turned by less it is found")                                       \
  X(TURNS_AWAY, 1e-3, "deceleration", "more across than this: sliding turns rather than stops")    \
  X(INSTANT, 1e-3, "time", "near t = 0 rounding of times is that of this part of it")              \
  X(HOPELESS, 1e9, "1", "a run that would take so many steps gets nowhere")                        \
  X(LONG, 1e3, "the time so far", "steps of a run that ends much later are judged by this")        \
  X(ROUNDED_AWAY, 1e-14, "how far speeds take contacts", "those below this are rounding of it")    \
  X(NOTHING, 1e-6, "how far speeds take contacts", "gaps and places below this are no length")     \
  X(STILL, 1, "eps length", "contacts that go less far in the whole run start at rest")            \
  X(BREAKS, 1e-6, "terms of A u", "speeds that break a standing constraint by more are a mistake") \
  X(AT_REST, 1e-3, "speed", "... but of a machine at rest they need only be small beside this")    \
  X(USER_STEP, 1e-7, "the state", "difference that tells the rounding of a user's function")       \
  X(USER_ROUNDING, 16, "eps", "rounding of what such a function reads")                            \
  X(USER_SHORTEST, 1e-5, "length of the run", "a user's function that jumps is resolved to this")  \
  X(VAGUE_SPEED, 1e3, "tolerance of speeds", "the direction of slower sliding cannot be told")     \
  X(SLOW, 0.01, "slowest sliding of the phase", "it stops below this, or goes on")                 \
  X(SLOW_MOST, 50, "that", "and not above half of the speed it had")                               \
  X(GAP_LEVEL, 4, "rounding of a gap", "a gap that is more is open")                               \
  X(GAP_DEEP, 256, "rounding of a gap", "a gap that is less by this much is deep: look again")     \
  X(STEPS_SHORTEST, 1e3, "SHORTEST", "steps are not made shorter for smooth functions")            \
  X(SLIDES_FOR_SURE, 2, "SLIDES", "sliding is seen beyond this, so that it does not flicker")      \
  X(SLOW_AS_HOPS, 10, "speed along the normal", "slower sliding than this is part of the hops")    \
  X(REACHES, 2, "time of the impact", "a contact that could close within this takes part")         \
  X(ZENO_RATIO, 0.9999, "1", "flights that shrink by less are no series")                          \
  X(ZENO_STEADY, 1e-3, "the ratio", "... nor are those whose ratios differ by more")               \
  X(ZENO_NOISE, 1e3, "rounding of a gap", "lower hops are no longer steady")                       \
  X(ZENO_GROWS, 10, "rounding of a gap", "hops that lose less may grow again")                     \
  X(ZENO_VAGUE, 0.1, "the shortest flight", "... unless all that is left of them is not longer")   \
  X(LEDGER, 1e4, "rtol of the energies",                                                           \
    "a ledger that is open by more is told: forces and potential")                                 \
  X(UNFELT, 1e-10, "|J_j|/sqrt(M_jj) of others", "rows of J below this are rounding")              \
  X(SHARED, 1e-6, "motions of others, by sqrt(M_jj)", "what no contact feels is moved by them")    \
  X(AHEAD, 1e-9, "time so far", "the state to be asked where a step cannot go on")                 \
  X(USER_AGAIN, 1e-9, "largest value in the step", "a function that fired arms again beyond it")   \
  X(USER_JUMPED, 1e-3, "largest value in the step", "a function this far from zero has jumped")    \
  X(KEPT_PART, 0.5, "memory of the machine", "what a run may keep of it, unless told")             \
  X(VARY_LOST, 1e-12, "a direction before a step or event", "shrunk to this: taken away")          \
  X(VARY_SAME, 1e-7, "the largest of the direction",                                               \
    "orders of events that agree, by differences")                                                 \
  X(VARY_GRAZES, 1e-6, "the run's speed", "slower impacts graze: no derivative")                   \
  X(VARY_DEPENDENT, 1e-9, "the largest singular value", "rows of contacts that stand, in doubt")   \
  X(VARY_TWO_POINTS, 1e-5, "a coordinate or speed", "step of differences good to 1e-10")           \
  X(VARY_FOUR_POINTS, 1e-3, "a coordinate or speed",                                               \
    "good to 1e-12; 1e-8 of what is known to 1e-11")                                               \
  X(VARY_LEAST, 1e-3, "its size by contacts", "a coordinate that goes less far is not smaller")    \
  X(VARY_DONE, 1e-9, "the step", "what is left of it is rounding of its parts")

#define SIM_TOLERANCE_VALUE(name, value, of, reason) static const double SIM_##name = value;
SIM_TOLERANCES(SIM_TOLERANCE_VALUE)
#undef SIM_TOLERANCE_VALUE

/* ---- counts ---- */
enum {
  SIM_CREEP_ROUNDS = 12,     /* of Newton, to a direction of creeping */
  SIM_CREEP_PASSES = 6,      /* over contacts that creep together */
  SIM_STALLED = 200,         /* events at one time are too many */
  SIM_TRIES = 5000,          /* steps over which progress is measured */
  SIM_SLOW_TIMES = 4,        /* such measurements in a row without hope end a run */
  SIM_IMPACTS_AT_ONCE = 100, /* at one time, by a law whose answers still approach */
  SIM_PROJECTIONS = 3,       /* rounds of Newton to put contacts on their surface */
  SIM_LANDINGS = 3           /* times that landing may turn a sliding contact round */
};

#endif
