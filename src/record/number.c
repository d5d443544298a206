/* Doubles as text: the fewest digits that read back to the same bits, and of those the nearest.
 *
 * A double v = c 2^q is what every decimal between vl = (c - 1/2) 2^q and vr = (c + 1/2) 2^q reads
 * back to (the ends too when c is even; vl = (c - 1/4) 2^q when v is the least of its binade). Take
 * the largest power of ten that is not larger than the width of that interval, 10^k: among the
 * multiples s 10^k there is at least one in it, and at most one multiple of 10^(k+1). So of four
 * candidates, the multiples of 10^(k+1) and of 10^k on both sides of v, the first that lies inside
 * is the shortest (R. Giulietti, "The Schubfach way to render doubles", 2020). All comparisons are
 * made with 4 v 10^-k, 4 vl 10^-k, 4 vr 10^-k, whose whole parts come from one product with a power
 * of ten of 128 bits; what lies below is one sticky bit, so that the answer is exact.
 */
#define _GNU_SOURCE
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/power.h"
#include "record/table.h"

/* floor(log10(2^q)), floor(log10(3/4 2^q)) and floor(log2(10^k)) for |q| < 1100, |k| < 350: the
 * logarithms to 31 bits or more, which no such power comes near enough to a whole number to break
 */
static int log10_pow2(int q) {
  return (int)(((int64_t)q * 1292913986) >> 32);
}

static int log10_three_quarters_pow2(int q) {
  return (int)(((int64_t)q * 1292913986 - 536607787) >> 32);
}

static int log2_pow10(int k) {
  return (int)(((int64_t)k * 1741647) >> 19);
}

/* floor(g x / 2^128) with its last bit set when anything is left over */
static uint64_t scaled(const record_power *g, uint64_t x) {
  unsigned __int128 low = (unsigned __int128)g->low * x, high = (unsigned __int128)g->high * x;
  high += (uint64_t)(low >> 64);
  return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* 10 s or 10 s + 10 when one of them alone lies inside; 0: neither or both */
static uint64_t shorter(uint64_t s, uint64_t left, uint64_t right) {
  uint64_t tens = s / 10;
  int low = left <= 40 * tens, high = 40 * tens + 40 <= right;
  return low == high ? 0 : tens + (uint64_t)high;
}

/* the digits of |x| as a whole number, and the power of ten it is times */
static uint64_t shortest(uint64_t bits, int *power) {
  uint64_t fraction = bits & 0xfffffffffffffu, c = fraction;
  int exponent = (int)(bits >> 52 & 0x7ff), q = -1074;
  if (exponent) c |= (uint64_t)1 << 52, q = exponent - 1075;
  int narrow = !fraction && exponent > 1; /* the least of its binade */
  int k = narrow ? log10_three_quarters_pow2(q) : log10_pow2(q), h = q + log2_pow10(-k) + 1;
  const record_power *g = &record_powers()[-k - RECORD_POWER_MIN];
  uint64_t v = scaled(g, 4 * c << h), odd = c & 1;
  uint64_t left = scaled(g, (4 * c - 2 + (uint64_t)narrow) << h) + odd;
  uint64_t right = scaled(g, (4 * c + 2) << h) - odd, s = v / 4;
  uint64_t few = s >= 10 ? shorter(s, left, right) : 0;
  *power = few ? k + 1 : k;
  if (few) return few;
  int low = left <= 4 * s, high = 4 * s + 4 <= right;
  if (low != high) return s + (uint64_t)high;
  return s + (v > 4 * s + 2 || (v == 4 * s + 2 && s & 1));
}

/* digits of n backwards from `end`, two at a time; returns where they start */
static char *put_digits(uint64_t n, char *end) {
  static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233"
                              "34353637383940414243444546474849505152535455565758596061626364656667"
                              "6869707172737475767778798081828384858687888990919293949596979899";
  while (n >= 100) {
    uint64_t rest = n / 100;
    memcpy(end -= 2, pairs + 2 * (n - 100 * rest), 2);
    n = rest;
  }
  if (n < 10) {
    *--end = (char)('0' + n);
    return end;
  }
  return memcpy(end - 2, pairs + 2 * n, 2);
}

static char *put_exponent(int e, char *to) {
  char digits[8], *end = digits + sizeof digits, *from = put_digits((uint64_t)abs(e), end);
  *to++ = 'e';
  *to++ = e < 0 ? '-' : '+';
  if (end - from < 2) *to++ = '0';
  memcpy(to, from, (size_t)(end - from));
  return to + (end - from);
}

/* as %g writes them: fixed from 1e-4 up to 15 places, or as many as there are digits */
static char *lay_out(const char *digits, int n, int e, char *to) {
  if (e < -4 || e >= (n > 15 ? n : 15)) {
    *to++ = *digits;
    if (n > 1) *to++ = '.';
    memcpy(to, digits + 1, (size_t)n - 1);
    return put_exponent(e, to + n - 1);
  }
  if (e < 0) {
    memcpy(to, "0.000", 6);
    to += 1 - e;
    memcpy(to, digits, (size_t)n);
    return to + n;
  }
  int before = e + 1; /* digits in front of the point */
  memcpy(to, digits, (size_t)(n < before ? n : before));
  if (n <= before) {
    memset(to + n, '0', (size_t)(before - n));
    return to + before;
  }
  to[before] = '.';
  memcpy(to + before + 1, digits + before, (size_t)(n - before));
  return to + n + 1;
}

static int put_words(const char *words, char text[32]) {
  size_t n = strlen(words);
  memcpy(text, words, n + 1);
  return (int)n;
}

int record_number_text(double x, char text[32]) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  if (isnan(x)) return put_words("nan", text);
  if (isinf(x)) return put_words(x > 0 ? "inf" : "-inf", text);
  char digits[24], *end = digits + sizeof digits, *from, *to = text;
  if (signbit(x)) *to++ = '-';
  int power = 0;
  uint64_t magnitude = bits & 0x7fffffffffffffffu, n = 0;
  if (magnitude) n = shortest(magnitude, &power);
  from = put_digits(n, end);
  while (end - from > 1 && end[-1] == '0') end--, power++;
  to = lay_out(from, (int)(end - from), (int)(end - from) - 1 + power, to);
  *to = '\0';
  return (int)(to - text);
}

int record_integer_text(int64_t i, char text[32]) {
  char digits[24], *end = digits + sizeof digits, *to = text;
  char *from = put_digits(i < 0 ? -(uint64_t)i : (uint64_t)i, end);
  if (i < 0) *to++ = '-';
  memcpy(to, from, (size_t)(end - from));
  to += end - from;
  *to = '\0';
  return (int)(to - text);
}

/* ---- reading ---- */

/* up to 15 digits and a power of ten up to 22 are exact doubles, and one operation rounds once */
static int read_simple(const char *s, char **end, double *x) {
  static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char *at = s + (*s == '-');
  uint64_t n = 0;
  int digits = 0, behind = 0;
  for (; *at >= '0' && *at <= '9'; at++, digits++) n = 10 * n + (uint64_t)(*at - '0');
  if (!digits) return 0;
  if (*at == '.')
    for (at++; *at >= '0' && *at <= '9'; at++, digits++, behind++)
      n = 10 * n + (uint64_t)(*at - '0');
  if (digits > 15 || behind > 22 || *at == 'e' || *at == 'E' || *at == 'x' || *at == 'X') return 0;
  *x = (double)n / tens[behind];
  if (*s == '-') *x = -*x;
  *end = (char *)at;
  return 1;
}

/* strtod, whatever the script has made of the locale */
double record_number_read(const char *text, char **end) {
  static locale_t plain;
  double x;
  char *unused;
  if (!end) end = &unused;
  if (read_simple(text, end, &x)) return x;
  if (!plain) plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return plain ? strtod_l(text, end, plain) : strtod(text, end);
}
