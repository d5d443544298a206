/* Scratch memory with marks: numerics take what they need and give it all back at once.
 *
 *   core_mark mark = core_scratch_mark(s);
 *   double *x = core_scratch_doubles(s, n);      // NULL when memory is out
 *   ...
 *   core_scratch_release(s, mark);
 *
 * Memory comes in blocks that are kept for the next use, so a warm scratch never calls malloc, and
 * pointers stay valid until their mark is released. Everything is aligned to 64 bytes at block
 * start and 16 bytes after that. Memory is not cleared.
 */
#ifndef CORE_SCRATCH_H
#define CORE_SCRATCH_H

#include <stddef.h>

typedef struct core_block core_block;

typedef struct core_scratch {
  core_block *first;   /* chain of blocks, oldest first */
  core_block *current; /* block that is being filled */
} core_scratch;

typedef struct core_mark {
  core_block *block;
  size_t used;
} core_mark;

void core_scratch_init(core_scratch *s);
void core_scratch_free(core_scratch *s);

void *core_scratch_bytes(core_scratch *s, size_t bytes);
double *core_scratch_doubles(core_scratch *s, size_t n);
int *core_scratch_ints(core_scratch *s, size_t n);

core_mark core_scratch_mark(const core_scratch *s);
void core_scratch_release(core_scratch *s, core_mark mark);

#endif
