#include "core/hash.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- SHA-256
 * --------------------------------------------------------------------------------------- The
 * constants are the first 32 bits of the fractional parts of the cube roots (K) and square roots
 * (H) of the first primes: worked out in integers rather than copied. */

static int is_prime(uint32_t n) {
  for (uint32_t d = 2; d * d <= n; d++)
    if (n % d == 0) return 0;
  return n > 1;
}

/* floor(2^32 * frac(p^(1/power))): the largest x with x^power <= p * 2^(32 power) */
static uint32_t root_bits(uint32_t p, int power) {
  uint64_t low = 0, high = (uint64_t)1 << 37;
  while (high - low > 1) {
    uint64_t x = low + (high - low) / 2;
    __int128 square = (__int128)x * x; /* < 2^74; compare x^3 with p 2^96 by halves */
    int fits = power == 2 ? square <= ((__int128)p << 64)
                          : square <= (((__int128)p << 64) / (__int128)x << 32) +
                                          ((((__int128)p << 64) % (__int128)x) << 32) / (__int128)x;
    if (fits)
      low = x;
    else
      high = x;
  }
  return (uint32_t)low;
}

static void constants(uint32_t k[64], uint32_t h[8]) {
  uint32_t p = 1;
  for (int i = 0; i < 64; i++) {
    do p++;
    while (!is_prime(p));
    k[i] = root_bits(p, 3);
    if (i < 8) h[i] = root_bits(p, 2);
  }
}

static uint32_t turn(uint32_t x, int n) {
  return x >> n | x << (32 - n);
}

static void schedule(const unsigned char *block, uint32_t w[64]) {
  for (int i = 0; i < 16; i++, block += 4)
    w[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 | block[3];
  for (int i = 16; i < 64; i++) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[i - 7] +
           (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
  }
}

static void compress(const uint32_t k[64], uint32_t h[8], const unsigned char *block) {
  uint32_t w[64], s[8];
  schedule(block, w);
  memcpy(s, h, sizeof s);
  for (int i = 0; i < 64; i++) {
    uint32_t a = s[0], e = s[4];
    uint32_t t1 =
        s[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + k[i] + w[i];
    uint32_t t2 =
        (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += t1;
    s[0] = t1 + t2;
  }
  for (int i = 0; i < 8; i++) h[i] += s[i];
}

/* the last bytes, a one bit, zeros, and the length in bits: one or two blocks */
static size_t pad(const unsigned char *rest, size_t n, size_t total, unsigned char block[128]) {
  size_t size = n + 9 <= 64 ? 64 : 128;
  memset(block, 0, 128);
  if (n) memcpy(block, rest, n);
  block[n] = 0x80;
  uint64_t bits = (uint64_t)total * 8;
  for (size_t i = 0; i < 8; i++) block[size - 1 - i] = (unsigned char)(bits >> (8 * i));
  return size;
}

void core_sha256(const void *bytes, size_t n, char hex[65]) {
  uint32_t k[64], h[8];
  unsigned char last[128];
  const unsigned char *at = bytes;
  constants(k, h);
  size_t whole = n / 64 * 64;
  for (size_t i = 0; i < whole; i += 64) compress(k, h, at + i);
  size_t size = pad(n > whole ? at + whole : NULL, n - whole, n, last);
  for (size_t i = 0; i < size; i += 64) compress(k, h, last + i);
  for (int i = 0; i < 8; i++) snprintf(hex + 8 * i, 9, "%08x", h[i]);
}

/* ---- CRC-32: reflected polynomial 0xEDB88320
 * --------------------------------------------------------- */

uint32_t core_crc32(uint32_t crc, const void *bytes, size_t n) {
  static const uint32_t nibble[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                      0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                      0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                      0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
  const unsigned char *at = bytes;
  crc = ~crc;
  for (size_t i = 0; i < n; i++) {
    crc ^= at[i];
    crc = crc >> 4 ^ nibble[crc & 15];
    crc = crc >> 4 ^ nibble[crc & 15];
  }
  return ~crc;
}
