/* A ceiling on what a process may allocate (--mem-limit), Lua and C together.
 *
 * Lua asks here before it takes more, so that it collects its garbage first; C meets the kernel's
 * limit on data and says that it is out of memory. */
#ifndef HOST_MEMORY_H
#define HOST_MEMORY_H

#include <lua.h>
#include <stddef.h>

#include "host/blocks.h"

typedef struct host_memory {
  size_t limit;    /* bytes, 0: none */
  size_t used;     /* bytes, by Lua */
  size_t in_c;     /* bytes, by C when it was last counted */
  size_t base;     /* bytes that C had before there was a limit */
  size_t count_at; /* bytes of Lua from which C is counted again */
  int refused;     /* the last request that wanted more was turned down */
  int warns;       /* see `warn` in memory.c */
  host_blocks blocks;
} host_memory;

/* a state whose memory is m's, as luaL_newstate makes one; NULL without memory. m must be zero, and
 * live as long as the state; host_memory_close ends both. */
lua_State *host_memory_state(host_memory *m);
void host_memory_close(host_memory *m, lua_State *L);

/* limits a fresh state */
void host_memory_limit(host_memory *m, lua_State *L, size_t limit);

/* " (limit 64 MB)" into text, or "" without a limit; returns text */
const char *host_memory_note(const host_memory *m, char *text, size_t size);

#endif
