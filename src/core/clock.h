/* Seconds of a clock that only goes on, for waiting and for progress; and of the time that the
 * processor has given to this program, for benches beside others. */
#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H

#include <time.h>

static inline double core_clock_at(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double core_seconds(void) {
  return core_clock_at(CLOCK_MONOTONIC);
}

static inline double core_cpu_seconds(void) {
  return core_clock_at(CLOCK_PROCESS_CPUTIME_ID);
}

#endif
