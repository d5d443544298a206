#include "host/blocks.h"

#include <stdlib.h>
#include <string.h>

enum { STEP = 16, SLAB = 32 * 1024 }; /* bytes between two sizes, and of a slab */

typedef struct block {
  struct block *next;
} block;

/* slabs begin with a pointer to the one before, and room up to the next multiple of STEP */
static int new_slab(host_blocks *b) {
  char *slab = malloc(SLAB);
  if (!slab) return 0;
  *(void **)slab = b->slabs;
  b->slabs = slab;
  b->at = slab + STEP;
  b->end = slab + SLAB;
  return 1;
}

static int is_small(size_t size) {
#ifdef __SANITIZE_ADDRESS__ /* which looks after every block itself */
  return size == 0;
#else
  return size <= HOST_BLOCK_MOST;
#endif
}

static size_t kind_of(size_t size) {
  return (size + STEP - 1) / STEP;
}

/* a block of `bytes` from a slab; what the slab before has left is lost */
static __attribute__((noinline)) void *cut(host_blocks *b, size_t bytes) {
  if ((size_t)(b->end - b->at) < bytes && !new_slab(b)) return NULL;
  void *at = b->at;
  b->at += bytes;
  return at;
}

/* `size` > 0 */
static inline void *take(host_blocks *b, size_t size) {
  if (!is_small(size)) return malloc(size);
  size_t kind = kind_of(size);
  block *first = b->free[kind];
  if (!first) return cut(b, kind * STEP);
  b->free[kind] = first->next;
  return first;
}

static inline void give(host_blocks *b, void *at, size_t size) {
  if (!is_small(size)) {
    free(at);
  } else if (size) {
    block *first = at;
    size_t kind = kind_of(size);
    first->next = b->free[kind];
    b->free[kind] = first;
  }
}

/* A block that cannot move to a smaller one stays: Lua relies on it. It then counts as small, which
 * it can be: its memory is kept until the end. */
static __attribute__((noinline)) void *move(host_blocks *b, void *at, size_t old_size,
                                            size_t new_size) {
  int small = is_small(old_size);
  if (!small && !is_small(new_size)) return realloc(at, new_size);
  if (small && is_small(new_size) && kind_of(old_size) == kind_of(new_size)) return at;
  void *now = take(b, new_size);
  if (!now) return new_size < old_size ? at : NULL;
  memcpy(now, at, old_size < new_size ? old_size : new_size);
  give(b, at, old_size);
  return now;
}

void *host_blocks_change(void *blocks, void *at, size_t old_size, size_t new_size) {
  host_blocks *b = blocks;
  if (!at) return new_size ? take(b, new_size) : NULL; /* old_size tells the type then */
  if (new_size) return move(b, at, old_size, new_size);
  give(b, at, old_size);
  return NULL;
}

void host_blocks_free(host_blocks *b) {
  for (void *slab = b->slabs, *next; slab; slab = next) {
    next = *(void **)slab;
    free(slab);
  }
  *b = (host_blocks){0};
}
