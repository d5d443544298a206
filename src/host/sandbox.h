/* --sandbox: scripts of others start no programs and reach no files but their own.
 *
 * The functions of the standard libraries that could are replaced in place, for knock's own Lua as
 * well, so that no reference to the real ones is left in the state. Files that knock itself reads
 * and writes for a script are checked by bind/file.h.
 */
#ifndef HOST_SANDBOX_H
#define HOST_SANDBOX_H

#include <lua.h>

#include "host/options.h"

/* after all libraries are open */
void host_open_sandbox(lua_State *L, const host_options *o, const char *home);

#endif
