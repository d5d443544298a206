/* Which files a script may reach: all of them, or in a sandbox (--sandbox) only these.
 *
 * Every binding that opens a file by a name from Lua asks here first. In a sandbox files are read
 * below the current folder, --out and knock's own folder, and written below --out (the current
 * folder without it), with an ending of figures and tables. Links are followed before the answer;
 * hidden files are never reached.
 */
#ifndef BIND_FILE_H
#define BIND_FILE_H

#include <lua.h>

typedef enum bind_file_use { BIND_FILE_READ, BIND_FILE_WRITE, BIND_FILE_FOLDER } bind_file_use;

/* From now on this state is in a sandbox. `out` and `script` may be NULL; 0, or -1 when `out` is no
 * folder. */
int bind_file_confine(lua_State *L, const char *out, const char *home, const char *script);
int bind_file_confined(lua_State *L);

/* NULL, or why this file is out of reach */
const char *bind_file_refusal(lua_State *L, const char *path, bind_file_use use);

/* the path, or an error at the script's line */
const char *bind_file_check(lua_State *L, const char *path, bind_file_use use);

#endif
