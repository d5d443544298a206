/* Memory of the fast ways. */
#include <stdint.h>
#include <string.h>

#include "impact/laws/compliant/fast/inside.h"

/* the first whole line of the cache in memory that has one more than is needed */
static void *aligned(void *at) {
  return at ? (void *)(((uintptr_t)at + 63) / 64 * 64) : NULL;
}

core_status fast_start(compliant *z) {
  size_t fours = ((size_t)z->nc + 3) / 4;
  z->memory = (compliant_memory){.last = INFINITY, .stride = 1, .part = 1};
  compliant_fast *f = z->fast = core_scratch_bytes(z->scratch, sizeof *f);
  if (!f) return core_no_memory(z->err);
  memset(f, 0, sizeof *f);
  if (z->pr->dim == 3) {
    f->four = aligned(core_scratch_bytes(z->scratch, (fours + 1) * sizeof *f->four));
    if (!f->four) return core_no_memory(z->err);
    memset(f->four, 0, fours * sizeof *f->four);
    z->series.d = (double *)f->four->d;
    z->series.block = sizeof *f->four / sizeof(double);
  }
  fast_choose_orders(z);
  fast_find_bodies(z);
  return CORE_OK;
}
