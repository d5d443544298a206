/* Does what the command line asks for, in a state that is ready for it. */
#ifndef HOST_RUN_H
#define HOST_RUN_H

#include <lua.h>

#include "host/call.h"
#include "host/options.h"

/* libraries, knock's own modules, `arg`; then code, script or session. Returns the exit code. */
int host_run(lua_State *L, const host_options *o, const host_memory *memory);

#endif
