#include "record/power.h"

#include <string.h>

/* whole numbers of 1,344 bits, the least significant word first: 10^324 has 1,077 bits, and
 * 2^1343 / 10^292 still has 373 */
enum { WORDS = 42 };
typedef struct big {
  uint32_t w[WORDS];
} big;

static void times_ten(big *b) {
  uint64_t carry = 0;
  for (int i = 0; i < WORDS; i++) {
    carry += (uint64_t)b->w[i] * 10;
    b->w[i] = (uint32_t)carry;
    carry >>= 32;
  }
}

/* floor(b / 10); 1 when something was left over. Floors of floors are floors of the whole. */
static int divide_by_ten(big *b) {
  uint64_t rest = 0;
  for (int i = WORDS - 1; i >= 0; i--) {
    rest = rest << 32 | b->w[i];
    b->w[i] = (uint32_t)(rest / 10);
    rest %= 10;
  }
  return rest != 0;
}

/* bit i, 0 below the number */
static uint64_t bit(const big *b, int i) {
  return i < 0 ? 0 : b->w[i / 32] >> i % 32 & 1;
}

/* the leading 128 bits, rounded up when there are more (or `more` says so) */
static record_power leading(const big *b, int more) {
  int top = 32 * WORDS - 1;
  record_power p = {0, 0};
  while (!bit(b, top)) top--;
  for (int i = 0; i < 64; i++) p.high = p.high << 1 | bit(b, top - i);
  for (int i = 64; i < 128; i++) p.low = p.low << 1 | bit(b, top - i);
  for (int i = top - 128; i >= 0 && !more; i--) more = bit(b, i) != 0;
  p.low += more != 0;
  p.high += more && !p.low;
  return p;
}

const record_power *record_powers(void) {
  static record_power table[RECORD_POWER_MAX - RECORD_POWER_MIN + 1];
  if (table[0].high) return table;
  big b = {{1}};
  for (int k = 0; k <= RECORD_POWER_MAX; k++, times_ten(&b))
    table[k - RECORD_POWER_MIN] = leading(&b, 0);
  memset(&b, 0, sizeof b);
  b.w[WORDS - 1] = 0x80000000u;
  for (int k = -1, more = 0; k >= RECORD_POWER_MIN; k--) {
    more |= divide_by_ten(&b);
    table[k - RECORD_POWER_MIN] = leading(&b, more);
  }
  return table;
}
