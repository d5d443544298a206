/* The interactive mode: reads, evaluates and prints until the input ends. */
#ifndef HOST_REPL_H
#define HOST_REPL_H

#include <lua.h>

#include "host/memory.h"

void host_repl(lua_State *L, const host_memory *memory, int no_init);

#endif
