/* Powers of ten to 128 bits, for writing doubles. */
#ifndef RECORD_POWER_H
#define RECORD_POWER_H

#include <stdint.h>

enum { RECORD_POWER_MIN = -292, RECORD_POWER_MAX = 324 };

/* 10^k = (high 2^64 + low) 2^(e - 127) with e = floor(log2 10^k): the number in brackets is rounded
 * up unless it is exact, so it has its top bit set and is too large by less than one */
typedef struct record_power {
  uint64_t high, low;
} record_power;

/* the table from RECORD_POWER_MIN on, worked out by its first use (50 us); entry k - MIN */
const record_power *record_powers(void);

#endif
