#define _GNU_SOURCE
#include "host/memory.h"

#include <lauxlib.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* bytes that malloc has handed out to anybody in this process */
static size_t handed_out(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/* What C holds beside Lua: LAPACK's work, runs, tables, HDF5. To count it takes a walk through
 * malloc's free lists, so it is done when Lua has grown by a 64th of the limit. */
static void count_c(host_memory *m) {
  size_t all = handed_out(), lua = m->base + m->used;
  m->in_c = all > lua ? all - lua : 0;
  m->count_at = m->used + m->limit / 64;
}

/* Is there room for `more` bytes? After a refusal Lua collects all garbage and asks again: then a
 * tenth must be free, or a script that fills its memory would collect again and again for crumbs.
 */
static int has_room(host_memory *m, size_t more) {
  if (m->used + more >= m->count_at || m->refused) count_c(m);
  size_t taken = m->used + m->in_c, free_bytes = m->limit > taken ? m->limit - taken : 0;
  int ok = more <= free_bytes && !(m->refused && free_bytes < m->limit / 10);
  m->refused = !ok;
  return ok;
}

/* Lua's allocator: old_size is a type tag, not a size, when at is NULL */
static void *limited(void *ud, void *at, size_t old_size, size_t new_size) {
  host_memory *m = ud;
  size_t old = at ? old_size : 0;
  if (new_size == 0) {
    m->used -= old;
    return host_blocks_change(&m->blocks, at, old, 0);
  }
  if (new_size > old && !has_room(m, new_size - old)) return NULL;
  void *now = host_blocks_change(&m->blocks, at, old, new_size);
  m->refused |= !now;
  if (now) m->used = m->used - old + new_size;
  return now;
}

/* ---- the state ---- */

static int panic(lua_State *L) {
  const char *text = lua_tostring(L, -1);
  fprintf(stderr, "PANIC: unprotected error in call to Lua API (%s)\n",
          text ? text : "error object is not a string");
  return 0;
}

/* Warnings as stock Lua has them: off until "@on"; one message may come in several pieces. ud
 * points to the state of the words: 0 off, 1 on and at the start of a message, 2 within one. */
static void warn(void *ud, const char *text, int goes_on) {
  int *now = ud;
  if (*now < 2 && !goes_on && text[0] == '@') {
    if (!strcmp(text, "@on")) *now = 1;
    if (!strcmp(text, "@off")) *now = 0;
    return;
  }
  if (*now == 0) return;
  fprintf(stderr, "%s%s%s", *now == 1 ? "Lua warning: " : "", text, goes_on ? "" : "\n");
  *now = goes_on ? 2 : 1;
}

lua_State *host_memory_state(host_memory *m) {
  lua_State *L = lua_newstate(host_blocks_change, &m->blocks);
  if (!L) return NULL;
  lua_atpanic(L, panic);
  lua_setwarnf(L, warn, &m->warns);
  return L;
}

void host_memory_close(host_memory *m, lua_State *L) {
  lua_close(L);
  host_blocks_free(&m->blocks);
}

/* ---- the limit ---- */

/* bytes of private memory that can be written, as the kernel counts them; 0 when it does not say */
static size_t data_bytes(void) {
  unsigned long pages = 0;
  FILE *f = fopen("/proc/self/statm", "re");
  if (!f) return 0;
  if (fscanf(f, "%*u %*u %*u %*u %*u %lu", &pages) != 1) pages = 0;
  fclose(f);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* The kernel's wall, for malloc and mmap alike. The hard limit stays, for gnuplot. */
static void wall(size_t limit) {
#ifndef __SANITIZE_ADDRESS__ /* which keeps what was freed for a while */
  struct rlimit data;
  size_t now = data_bytes();
  if (!now || getrlimit(RLIMIT_DATA, &data)) return;
  if (data.rlim_cur > now + limit) data.rlim_cur = now + limit;
  setrlimit(RLIMIT_DATA, &data);
#else
  (void)data_bytes, (void)limit;
#endif
}

void host_memory_limit(host_memory *m, lua_State *L, size_t limit) {
  m->limit = limit;
  if (!limit) return;
  m->used = (size_t)lua_gc(L, LUA_GCCOUNT) * 1024 + (size_t)lua_gc(L, LUA_GCCOUNTB);
  if (m->limit < m->used) m->limit = m->used;
  size_t all = handed_out();
  m->base = all > m->used ? all - m->used : 0;
  wall(m->limit);
  lua_setallocf(L, limited, m);
}

const char *host_memory_note(const host_memory *m, char *text, size_t size) {
  *text = 0;
  if (m->limit) snprintf(text, size, " (limit %.4g MB)", (double)m->limit / (1024 * 1024));
  return text;
}
