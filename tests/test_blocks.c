/* Lua's allocator: blocks keep what was written into them, whatever is made, moved and freed. */
#include "host/blocks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unity.h>

void setUp(void) {
}
void tearDown(void) {
}

static unsigned long long seed = 88172645463325252ull;

static size_t any(size_t below) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return (size_t)(seed >> 33) % below;
}

/* mostly small, some beyond what lists keep */
static size_t any_size(void) {
  return 1 + (any(4) ? any(100) : any(2 * HOST_BLOCK_MOST));
}

static void check(const unsigned char *at, size_t size, int fill) {
  for (size_t i = 0; i < size; i++) TEST_ASSERT_EQUAL_INT(fill, at[i]);
}

static void blocks_keep_their_bytes(void) {
  enum { MANY = 300 };
  static struct {
    unsigned char *at;
    size_t size;
  } x[MANY];
  host_blocks b = {0};
  for (int round = 0; round < 20000; round++) {
    size_t k = any(MANY), size = any(3) ? any_size() : 0,
           kept = size < x[k].size ? size : x[k].size;
    check(x[k].at, x[k].size, (int)(k & 255));
    size_t tag = x[k].at ? x[k].size : any(9); /* of a new block Lua tells the type instead */
    x[k].at = host_blocks_change(&b, x[k].at, tag, size);
    TEST_ASSERT_TRUE((x[k].at != NULL) == (size > 0) && (size_t)x[k].at % 16 == 0);
    check(x[k].at, kept, (int)(k & 255));
    x[k].size = size;
    if (size) memset(x[k].at, (int)(k & 255), size);
  }
  for (int k = 0; k < MANY; k++) host_blocks_change(&b, x[k].at, x[k].size, 0);
  host_blocks_free(&b);
}

static void what_was_freed_is_used_again(void) {
#ifndef __SANITIZE_ADDRESS__ /* there every block is malloc's */
  host_blocks b = {0};
  void *first = host_blocks_change(&b, NULL, 0, 40);
  host_blocks_change(&b, first, 40, 0);
  TEST_ASSERT_TRUE(host_blocks_change(&b, NULL, 0, 48) == first); /* the same kind of size */
  TEST_ASSERT_TRUE(host_blocks_change(&b, first, 48, 34) == first);
  host_blocks_change(&b, first, 34, 0);
  host_blocks_free(&b);
#endif
}

/* Lua does not look whether a block could be made smaller */
static void smaller_blocks_can_always_be_had(void) {
#ifndef __SANITIZE_ADDRESS__
  host_blocks b = {0};
  struct rlimit old, none;
  size_t large = 64 * 1024;
  unsigned char *at = host_blocks_change(&b, NULL, 0, large);
  memset(at, 7, large);
  getrlimit(RLIMIT_AS, &old);
  none = old;
  none.rlim_cur = 0;
  setrlimit(RLIMIT_AS, &none);   /* no more from the kernel */
  while (malloc(1000)) continue; /* and nothing left that a slab or a block could come from */
  while (malloc(16)) continue;
  at = host_blocks_change(&b, at, large, 100);
  setrlimit(RLIMIT_AS, &old);
  TEST_ASSERT_NOT_NULL(at);
  check(at, 100, 7);
  host_blocks_change(&b, at, 100, 0);
  host_blocks_free(&b);
#endif
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(blocks_keep_their_bytes);
  RUN_TEST(what_was_freed_is_used_again);
  RUN_TEST(smaller_blocks_can_always_be_had);
  return UNITY_END();
}
