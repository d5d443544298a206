/* The one flag that Ctrl-C sets. Every C loop that can run long polls it:
 *
 *   if (core_interrupted()) return core_fail(err, CORE_INTERRUPTED, "");
 *
 * The host's signal handler sets it, and the host clears it when the script has ended. C code that
 * stops because of it either raises an error (bind_raise), or has an answer all the same and takes
 * the interruption (a run or a sweep that keeps what is done): then the script goes on, and the
 * exit code still says that it was interrupted. Only the first one can be taken, so that Ctrl-C
 * also stops a loop of sweeps.
 */
#ifndef CORE_INTERRUPT_H
#define CORE_INTERRUPT_H

#include <signal.h>

enum {
  CORE_INTERRUPT_TAKEN = -1, /* somebody had an answer */
  CORE_INTERRUPT_NONE = 0,
  CORE_INTERRUPT_ASKED = 1,  /* Ctrl-C, and nobody has reacted yet */
  CORE_INTERRUPT_AGAIN = 2,  /* the same, after one that was taken */
  CORE_INTERRUPT_RAISED = 3, /* one error was raised; a script has a moment to tidy up */
  CORE_INTERRUPT_ENDING = 4  /* the moment is over */
};

extern volatile sig_atomic_t core_interrupt_flag;

/* 1 while C code is under way that reacts to the flag but may take seconds to put away what it has:
 * it is not given up as deaf */
extern volatile sig_atomic_t core_interrupt_listening;

static inline int core_interrupted(void) {
  return __builtin_expect(core_interrupt_flag > 0, 0);
}

/* 1: the interruption is yours, go on; 0: raise it */
static inline int core_interrupt_take(void) {
  if (core_interrupt_flag != CORE_INTERRUPT_ASKED) return 0;
  core_interrupt_flag = CORE_INTERRUPT_TAKEN;
  return 1;
}

#endif
