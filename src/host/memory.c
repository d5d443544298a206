#include "host/memory.h"

#include <stdio.h>
#include <stdlib.h>

/* Lua's allocator: old_size is a type tag, not a size, when at is NULL */
static void *limited(void *ud, void *at, size_t old_size, size_t new_size) {
  host_memory *m = ud;
  size_t old = at ? old_size : 0;
  if (new_size == 0) {
    free(at);
    m->used -= old;
    return NULL;
  }
  if (new_size > old && new_size - old > m->limit - m->used) return NULL;
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
  double mb = (double)m->limit / (1024 * 1024);
  *text = 0;
  if (m->limit && mb >= 1)
    snprintf(text, size, " (limit %.10g MB)", (double)(long)(mb * 100) / 100);
  if (m->limit && mb < 1) snprintf(text, size, " (limit %.0f KB)", (double)m->limit / 1024);
  return text;
}
