/* Sine and cosine of two angles at once, or of four, for the places where they are most of the
 * work.
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

#define CORE_SINCOS_FAR 1e5 /* [rad] from here on it is the C library */

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

#define CORE_SINCOS_ONE(x) (x)
#define CORE_SINCOS_FOUR(x)                                                                        \
  { (x)[0], (x)[0], (x)[0], (x)[0] }
#define CORE_HORNER6(T, all, a, z, sum)                                                            \
  T sum = all((a)[0]);                                                                             \
  for (int j = 1; j < 6; j++) {                                                                    \
    T next = all((a)[j]);                                                                          \
    sum = sum * (z) + next;                                                                        \
  }

/* both kernels for numbers T in lanes, with constants spread by `all` */
#define CORE_SINCOS_LANES(T, B, all, x, s, c)                                                      \
  const core_sincos_table *k = &core_sincos_constants;                                             \
  T per = all(k->per_half_pi), rounder = all(k->round), high = all(k->high);                       \
  T middle = all(k->middle), lowest = all(k->low), a_half = all(k->half), one = all(k->one);       \
  B first = all(k->first), second = all(k->second);                                                \
  /* reduce */                                                                                     \
  T a = (x), t = a * per + rounder, n = t - rounder;                                               \
  a -= n * high;                                                                                   \
  T w = n * middle, r = a - w, low = ((a - r) - w) - n * lowest;                                   \
  T y = r + low, e = (r - y) + low, z = y * y;                                                     \
  /* both series */                                                                                \
  T half = a_half * z, near = one - half;                                                          \
  CORE_HORNER6(T, all, k->S, z, S)                                                                 \
  CORE_HORNER6(T, all, k->C, z, C)                                                                 \
  B sn = (B)(y + (y * z * S + e * near));                                                          \
  B cs = (B)(near + (((one - near) - half) + (z * z * C - y * e)));                                \
  /* odd n: they change places; then the signs */                                                  \
  B turns = (B)t, differ = (sn ^ cs) & -(turns & first);                                           \
  *(s) = (T)((sn ^ differ) ^ ((turns & second) << 62));                                            \
  *(c) = (T)((cs ^ differ) ^ (((turns + first) & second) << 62));

static inline void core_sincos2(const double x[2], core_pair *s, core_pair *c) {
  if (__builtin_expect(!(fabs(x[0]) < CORE_SINCOS_FAR && fabs(x[1]) < CORE_SINCOS_FAR), 0)) {
    core_sincos2_far(x, s, c);
    return;
  }
  core_pair both = {x[0], x[1]};
  CORE_SINCOS_LANES(core_pair, core_bits, CORE_SINCOS_ONE, both, s, c)
}

/* four at once, all |x| < CORE_SINCOS_FAR: the same bits as two and two */
CORE_PART void core_sincos4(const core_four *x, core_four *s, core_four *c) {
  CORE_SINCOS_LANES(core_four, core_four_bits, CORE_SINCOS_FOUR, *x, s, c)
}

#endif
