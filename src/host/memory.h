/* A ceiling on what Lua may allocate (--mem-limit). */
#ifndef HOST_MEMORY_H
#define HOST_MEMORY_H

#include <lua.h>
#include <stddef.h>

typedef struct host_memory {
  size_t limit; /* bytes, 0: none */
  size_t used;  /* bytes */
  int refused;  /* the last request that wanted more was turned down */
} host_memory;

/* limits a fresh state; `m` must live as long as the state */
void host_memory_limit(host_memory *m, lua_State *L, size_t limit);

/* " (limit 64 MB)" into text, or "" without a limit; returns text */
const char *host_memory_note(const host_memory *m, char *text, size_t size);

#endif
