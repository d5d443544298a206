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
  X(LEAST_SHARE, 1e-2, "largest normal force",                                                     \
    "friction of a contact counts as if it carried this")                                          \
  X(EDGE, 1e-5, "friction", "with so much less of it one sees where contacts at their limit go")   \
  X(STANDS, 1e-7, "largest acceleration", "contacts held together that would move by less stand")  \
  X(DRAGS, 1e5, "what is rounding of accelerations",                                               \
    "one that sticks moves: no force can hold it")                                                 \
  X(DEPENDENT, 1e-9, "the rows themselves", "rows with less of their own depend on each other")    \
  X(HELD, 1e-6, "W_nn", "a sliding contact with less to hold it is Painleve's")                    \
  X(USER_AGAIN, 1e-9, "largest value in the step", "a function that fired arms again beyond it")   \
  X(USER_JUMPED, 1e-3, "largest value in the step", "a function this far from zero has jumped")

#define SIM_TOLERANCE_VALUE(name, value, of, reason) static const double SIM_##name = value;
SIM_TOLERANCES(SIM_TOLERANCE_VALUE)
#undef SIM_TOLERANCE_VALUE

#endif
