/* require "knock.host": what Lua code of knock's own may ask the program. Not for scripts. */
#ifndef HOST_MODULE_H
#define HOST_MODULE_H

#include <lua.h>

#include "host/options.h"

/* makes knock.core and knock.host known to require, to be opened when asked for */
void host_open_module(lua_State *L, const host_options *o, const char *home);

/* 1 when the folder is there afterwards; makes the ones above it too */
int host_make_folder(const char *name);

#endif
