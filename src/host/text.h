/* Lua source comes as text only: a corrupt binary chunk can crash Lua.
 *
 * load, loadfile, dofile and require's search behave as stock ones, except that bytecode is
 * refused. require also finds knock's own modules wherever knock lives.
 */
#ifndef HOST_TEXT_H
#define HOST_TEXT_H

#include <lua.h>

/* `home`: folder with lua/knock.lua in it */
void host_open_text(lua_State *L, const char *home);

#endif
