/* Reading an undefined global is an error that names it and the nearest name there is.
 *
 * The check sits in the metatable of _G, so that `_G.name` is checked as well: rawget(_G, "name")
 * asks without an error. Assigning makes a global as always. A few names that older Luas had are
 * let through, because libraries probe them.
 */
#ifndef HOST_GLOBALS_H
#define HOST_GLOBALS_H

#include <lua.h>

/* os.setlocale leaves the decimal point alone */
void host_open_locale(lua_State *L);

void host_open_globals(lua_State *L);

#endif
