/* Calling into Lua from the outside: errors, tracebacks and exit codes. */
#ifndef HOST_CALL_H
#define HOST_CALL_H

#include <lua.h>

#include "host/memory.h"

enum host_exit {
  HOST_OK = 0,
  HOST_SCRIPT_ERROR = 1,
  HOST_USAGE = 2,
  HOST_NUMERICAL = 3, /* a solver failed: jam, singular, not converged, not finite ... */
  HOST_NO_TOOL = 4,   /* a needed program is missing */
  HOST_INTERRUPTED = 130
};

typedef struct host_caller {
  const host_memory *memory; /* for the note on the limit */
  int named;                 /* messages start with "knock: " (not in the interactive mode) */
} host_caller;

/* Calls the function and its n arguments on top of the stack with Ctrl-C armed; on failure prints
 * message and traceback on stderr. Returns an exit code; results only with HOST_OK. */
int host_call(lua_State *L, const host_caller *caller, int n, int results);

/* reports the error message on top of the stack, pops it, returns the exit code it stands for */
int host_report(lua_State *L, const host_caller *caller);

/* one line on stderr */
void host_say(const host_caller *caller, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
