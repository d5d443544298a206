/* A session on a terminal: the line editor in front of lua/knock/repl.lua. */
#ifndef HOST_SESSION_H
#define HOST_SESSION_H

#include <lua.h>

#include "host/call.h"

/* Runs the session; 0 when there is no line editor here, and the plain one should serve. */
int host_session(lua_State *L, const host_caller *caller, int no_init);

#endif
