/* Sine and cosine of two angles at once, for the places where they are most of the work.
 *
 * x = n pi/2 + y + e with |y| <= pi/4, pi/2 in three parts of which two have so few bits that
 * n times them is exact. Then, with z = y^2, both kernels in Horner form
 *
 *   sin = y + (y z S(z) + e (1 - z/2)),   cos = (1 - z/2) + (z^2 C(z) - y e + rounding of 1 - z/2)
 *
 * S and C are the Chebyshev interpolants of (sin y - y)/y^3 and (cos y - 1 + z/2)/z^2, 2^-55 and
 * 2^-60 from them. n mod 4 swaps the two and sets the signs. The error is below 0.9 units in the
 * last place; from |x| = 1e5 on, and for NaN and infinities, it is the C library that answers.
 */
#ifndef CORE_SINCOS_H
#define CORE_SINCOS_H

#include <math.h>

#include "core/pair.h"

/* constants in pairs: the compiler would otherwise build each of them from one half */
typedef struct core_sincos_table {
  core_pair per_half_pi;       /* 2 / pi */
  core_pair round;             /* adding it leaves the nearest integer in the low bits */
  core_pair high, middle, low; /* pi/2 in three parts */
  core_pair half, one;
  core_pair S[6], C[6]; /* from the highest power to the lowest */
  core_bits first, second;
} core_sincos_table;

extern const core_sincos_table core_sincos_constants;

/* any angles at all, by the C library */
void core_sincos2_far(const double x[2], core_pair *s, core_pair *c);

static inline core_pair core_horner6(const core_pair *a, core_pair z) {
  return ((((a[0] * z + a[1]) * z + a[2]) * z + a[3]) * z + a[4]) * z + a[5];
}

static inline void core_sincos2(const double x[2], core_pair *s, core_pair *c) {
  const core_sincos_table *k = &core_sincos_constants;
  if (__builtin_expect(!(fabs(x[0]) < 1e5 && fabs(x[1]) < 1e5), 0)) {
    core_sincos2_far(x, s, c);
    return;
  }
  /* reduce */
  core_pair a = {x[0], x[1]}, t = a * k->per_half_pi + k->round, n = t - k->round;
  a -= n * k->high;
  core_pair w = n * k->middle, r = a - w, low = ((a - r) - w) - n * k->low;
  core_pair y = r + low, e = (r - y) + low, z = y * y;
  /* both kernels */
  core_pair half = k->half * z, near = k->one - half;
  core_bits sn = (core_bits)(y + (y * z * core_horner6(k->S, z) + e * near));
  core_bits cs =
      (core_bits)(near + (((k->one - near) - half) + (z * z * core_horner6(k->C, z) - y * e)));
  /* odd n: they change places; then the signs */
  core_bits turns = (core_bits)t, differ = (sn ^ cs) & -(turns & k->first);
  *s = (core_pair)((sn ^ differ) ^ ((turns & k->second) << 62));
  *c = (core_pair)((cs ^ differ) ^ (((turns + k->first) & k->second) << 62));
}

#endif
