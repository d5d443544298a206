/* Which files a script may reach: all of them, or in a sandbox (--sandbox) only these.
 *
 * Every binding that opens a file by a name from Lua asks here first. In a sandbox files are read
 * below the current folder, the script's, --out and knock's own, and written below --out (the
 * current folder without it), with an ending of figures and tables. Links are followed before the
 * answer; hidden files are never reached. The answers here are for good messages: what holds a
 * script that got round them is the kernel (host/confine.h).
 */
#ifndef BIND_FILE_H
#define BIND_FILE_H

#include <limits.h>
#include <lua.h>

typedef enum bind_file_use { BIND_FILE_READ, BIND_FILE_WRITE, BIND_FILE_FOLDER } bind_file_use;

/* From now on this state is in a sandbox. `out` and `script` may be NULL; 0, or -1 when `out` is no
 * folder. */
int bind_file_confine(lua_State *L, const char *out, const char *home, const char *script);
int bind_file_confined(lua_State *L);

/* Does this folder hold the user's home folder (or everything)? Then it is too much to hand out. */
int bind_file_broad(const char *folder);

/* the folder of a script without links; 0 when there is none, or when it is too broad */
int bind_file_beside(const char *script, char folder[PATH_MAX]);

/* NULL, or why this file is out of reach */
const char *bind_file_refusal(lua_State *L, const char *path, bind_file_use use);

/* the path, or an error at the script's line */
const char *bind_file_check(lua_State *L, const char *path, bind_file_use use);

/* the same for argument `index`: "table: write needs the name of a file, got 3" */
const char *bind_file_arg(lua_State *L, int index, const char *who, bind_file_use use);

/* The script depends on this file: code that it ran, data that it read. What a sweep gives depends
 * on them too: lua/knock/fingerprint.lua. */
void bind_file_note(lua_State *L, const char *path);
void bind_file_noted(lua_State *L); /* pushes the table { [path] = true } */

#endif
