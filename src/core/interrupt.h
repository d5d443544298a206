/* The one flag that Ctrl-C sets. Every C loop that can run long polls it:
 *
 *   if (core_interrupted()) return core_fail(err, CORE_INTERRUPTED, "");
 *
 * The host's signal handler sets it; whoever turns the interruption into an error clears it.
 */
#ifndef CORE_INTERRUPT_H
#define CORE_INTERRUPT_H

#include <signal.h>

extern volatile sig_atomic_t core_interrupt_flag;

static inline int core_interrupted(void) {
  return __builtin_expect(core_interrupt_flag != 0, 0);
}

#endif
