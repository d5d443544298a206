/* Lua's memory: small blocks from lists of free ones, one list for each size, the others from
 * malloc. A script makes and drops many small objects; a list takes ten instructions where malloc
 * and free take ninety. Small blocks go back to malloc when the state is closed. */
#ifndef HOST_BLOCKS_H
#define HOST_BLOCKS_H

#include <stddef.h>

enum { HOST_BLOCK_MOST = 1536 }; /* bytes: larger ones are malloc's */

typedef struct host_blocks {
  void *
      free[HOST_BLOCK_MOST / 16 + 1]; /* first free block of 16, 32 ... bytes, at index size / 16 */
  char *at, *end;                     /* what the last slab has left */
  void *slabs;                        /* the last one; each knows the one before */
} host_blocks;

/* A lua_Alloc: new_size 0 frees; at == NULL makes a new block (old_size is a type tag then). NULL
 * when there is no memory, but never when the new size is smaller. */
void *host_blocks_change(void *blocks, void *at, size_t old_size, size_t new_size);
void host_blocks_free(host_blocks *b); /* when no block is in use */

#endif
