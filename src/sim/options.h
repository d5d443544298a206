/* The options of a run, once: keys, units, defaults, limits and texts. sim_defaults and its checks
 * read the table, and so do the binding (which adds what only scripts have), help and Tab. */
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H

#include <math.h>
#include <stddef.h>

#include "core/param.h"
#include "sim/sim.h"

#define SIM_NUMBER(type, at, field, unit, def, min, max, flags, doc)                               \
  { #field, unit, CORE_NUMBER, offsetof(type, at field), 1, def, min, max, flags, doc, 0 }
#define SIM_FLAG(type, at, field, def, doc)                                                        \
  { #field, "1", CORE_FLAG, offsetof(type, at field), 1, def, 0, 1, 0, doc, 0 }
#define SIM_WHOLE(type, at, field, def, min, doc)                                                  \
  { #field, "1", CORE_INTEGER, offsetof(type, at field), 1, def, min, 1e9, 0, doc, 0 }

/* rows of a core_param table, for a struct `type` that has the sim_options at `at` ("sim." or
 * nothing) */
#define SIM_OPTION_PARAMS(type, at)                                                                \
  SIM_NUMBER(type, at, t_end, "s", NULL, -INFINITY, INFINITY, 0, "time at which the run ends"),    \
      SIM_NUMBER(type, at, t_start, "s", "0", -INFINITY, INFINITY, 0,                              \
                 "time at which the run starts"),                                                  \
      SIM_FLAG(type, at, backward, "false",                                                        \
               "integrates backwards in time, in free flight, up to an obstacle"),                 \
      SIM_NUMBER(type, at, rtol, "1", "1e-9", 1e-14, 0.1, 0,                                       \
                 "relative tolerance of the integrator"),                                          \
      SIM_NUMBER(type, at, atol, "1", "nil", 0, INFINITY, CORE_OPEN_MIN,                           \
                 "absolute tolerance of the integrator; by default 1e-12 of the run's scales"),    \
      SIM_NUMBER(type, at, h_max, "s", "nil", 0, INFINITY, CORE_OPEN_MIN, "longest step"),         \
      {"method",                                                                                   \
       "1",                                                                                        \
       CORE_CHOICE,                                                                                \
       offsetof(type, at method),                                                                  \
       1,                                                                                          \
       "'auto'",                                                                                   \
       0,                                                                                          \
       2,                                                                                          \
       0,                                                                                          \
       "steps of the integrator: explicit, implicit (Radau, for strong dampers and stiff "         \
       "springs), or auto, which takes implicit ones where they get further",                      \
       "auto|explicit|implicit"},                                                                  \
      SIM_NUMBER(                                                                                  \
          type, at, touch, "m", "nil", 0, INFINITY, CORE_OPEN_MIN,                                 \
          "gaps up to this count as closed in an impact; by default 1e-9 of the run's length"),    \
      SIM_NUMBER(                                                                                  \
          type, at, rest, "m", "nil", 0, INFINITY, 0,                                              \
          "a point stays where it would hop lower than this; by default 1e-14 of the run's "       \
          "length"),                                                                               \
      SIM_FLAG(type, at, zeno, "true", "a series of ever smaller bounces ends at its limit"),      \
      SIM_NUMBER(type, at, zeno_time, "s", "nil", 0, INFINITY, 0,                                  \
                 "a series of bounces ends when the next flight is shorter than this; by default " \
                 "when it is lower than 3e-11 of the run's length"),                               \
      SIM_NUMBER(type, at, mu, "1", "nil", 0, INFINITY, CORE_MAY_BE_INF,                           \
                 "friction in sustained contact; by default the law's mu, or 0 when it has none"), \
      SIM_WHOLE(type, at, max_events, "1000000", 1, "the run ends after so many impacts"),         \
      SIM_WHOLE(type, at, max_steps, "1000000000", 1,                                              \
                "the run ends after so many steps of the integrator"),                             \
      SIM_NUMBER(type, at, max_bytes, "B", "nil", 0, INFINITY, CORE_OPEN_MIN,                      \
                 "the run ends when what it keeps is more; by default half of the memory of "      \
                 "the machine"),                                                                   \
      SIM_FLAG(type, at, keep, "true",                                                             \
               "keeps the dense output, for run:at(t) and the columns, and the events; false "     \
               "keeps the last state, the ledger and the counts alone, in constant memory")

#endif
