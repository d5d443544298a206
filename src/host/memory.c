#include "host/memory.h"

#include <stdio.h>
#include <stdlib.h>

/* Is there room for `more` bytes? After a refusal Lua collects all garbage and asks again: then a
 * tenth must be free, or a script that fills its memory would collect again and again for crumbs.
 */
static int has_room(host_memory *m, size_t more) {
  size_t free_bytes = m->limit - m->used;
  int ok = more <= free_bytes && !(m->refused && free_bytes < m->limit / 10);
  m->refused = !ok;
  return ok;
}

/* Lua's allocator: old_size is a type tag, not a size, when at is NULL */
static void *limited(void *ud, void *at, size_t old_size, size_t new_size) {
  host_memory *m = ud;
  size_t old = at ? old_size : 0;
  if (new_size == 0) {
    free(at);
    m->used -= old;
    return NULL;
  }
  if (new_size > old && !has_room(m, new_size - old)) return NULL;
  void *now = realloc(at, new_size);
  if (now) m->used = m->used - old + new_size;
  return now;
}

void host_memory_limit(host_memory *m, lua_State *L, size_t limit) {
  m->limit = limit;
  if (!limit) return;
  m->used = (size_t)lua_gc(L, LUA_GCCOUNT) * 1024 + (size_t)lua_gc(L, LUA_GCCOUNTB);
  if (m->limit < m->used) m->limit = m->used;
  lua_setallocf(L, limited, m);
}

const char *host_memory_note(const host_memory *m, char *text, size_t size) {
  *text = 0;
  if (m->limit) snprintf(text, size, " (limit %.4g MB)", (double)m->limit / (1024 * 1024));
  return text;
}
