/* The one flag that Ctrl-C sets. Every C loop that can run long polls it:
 *
 *   if (core_interrupted()) return core_fail(err, CORE_INTERRUPTED, "");
 *
 * The host's signal handler sets it, and the host clears it when the script has ended. C code that
 * raises the error (bind_raise) moves it on to CORE_INTERRUPT_RAISED. Code that takes the
 * interruption for an answer of its own (a sweep that keeps what is done) may set it to 0: then the
 * script goes on.
 */
#ifndef CORE_INTERRUPT_H
#define CORE_INTERRUPT_H

#include <signal.h>

enum {
  CORE_INTERRUPT_ASKED = 1,  /* nobody has reacted yet */
  CORE_INTERRUPT_RAISED = 2, /* one error was raised; a script has a moment to tidy up */
  CORE_INTERRUPT_ENDING = 3  /* the moment is over */
};

extern volatile sig_atomic_t core_interrupt_flag;

static inline int core_interrupted(void) {
  return __builtin_expect(core_interrupt_flag != 0, 0);
}

#endif
