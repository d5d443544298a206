/* --sandbox: scripts of others start no programs and reach no files but their own.
 *
 * The kernel holds it (host/confine.h). What is done here in Lua is for good messages: functions of
 * the standard libraries that would fail are replaced in place, for knock's own Lua as well, and
 * files that knock itself reads and writes for a script are checked by bind/file.h. With
 * --sandbox=lua, for kernels that cannot, this is all there is.
 */
#ifndef HOST_SANDBOX_H
#define HOST_SANDBOX_H

#include <lua.h>

#include "host/options.h"

/* after all libraries are open */
void host_open_sandbox(lua_State *L, const host_options *o, const char *home);

#endif
