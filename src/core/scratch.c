#include "core/scratch.h"

#include <stdlib.h>

struct core_block {
  core_block *next;
  size_t size; /* bytes in data */
  size_t used;
  _Alignas(64) char data[];
};

enum { FIRST_BLOCK = 1 << 14 };

void core_scratch_init(core_scratch *s) {
  s->first = s->current = NULL;
}

void core_scratch_free(core_scratch *s) {
  for (core_block *b = s->first; b;) {
    core_block *next = b->next;
    free(b);
    b = next;
  }
  core_scratch_init(s);
}

/* a block that holds at least `bytes`, twice as large as the last one */
static core_block *new_block(const core_block *last, size_t bytes) {
  size_t size = last ? 2 * last->size : FIRST_BLOCK;
  if (size < bytes) size = bytes;
  if (size > (size_t)-1 / 2) return NULL;
  size_t total = (sizeof(core_block) + size + 63) & ~(size_t)63;
  core_block *b = aligned_alloc(64, total);
  if (!b) return NULL;
  b->next = NULL;
  b->size = size;
  b->used = 0;
  return b;
}

/* moves on to the next block with room, dropping kept blocks that are too small */
static core_block *next_block(core_scratch *s, size_t bytes) {
  core_block *here = s->current;
  core_block **link = here ? &here->next : &s->first;
  while (*link && (*link)->size < bytes) {
    core_block *small = *link;
    *link = small->next;
    free(small);
  }
  if (!*link) *link = new_block(here, bytes);
  if (*link) {
    s->current = *link;
    s->current->used = 0;
  }
  return *link;
}

void *core_scratch_bytes(core_scratch *s, size_t bytes) {
  if (bytes > (size_t)-1 / 4) return NULL;
  size_t need = (bytes + 15) & ~(size_t)15;
  core_block *b = s->current;
  if (!b || b->size - b->used < need) {
    b = next_block(s, need);
    if (!b) return NULL;
  }
  void *at = b->data + b->used;
  b->used += need;
  return at;
}

double *core_scratch_doubles(core_scratch *s, size_t n) {
  return n > (size_t)-1 / 8 / sizeof(double) ? NULL : core_scratch_bytes(s, n * sizeof(double));
}

int *core_scratch_ints(core_scratch *s, size_t n) {
  return n > (size_t)-1 / 8 / sizeof(int) ? NULL : core_scratch_bytes(s, n * sizeof(int));
}

core_mark core_scratch_mark(const core_scratch *s) {
  core_mark mark = {s->current, s->current ? s->current->used : 0};
  return mark;
}

void core_scratch_release(core_scratch *s, core_mark mark) {
  s->current = mark.block;
  if (s->current) s->current->used = mark.used;
}
