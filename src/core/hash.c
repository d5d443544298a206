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
  if (n) memcpy(block, rest, n); /* NOLINT: n bytes are there */
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

/* ---- CRC-32: reflected polynomial 0xEDB88320 ---- */

enum { SLICES = 8 };

/* table[0] divides one byte; table[k] divides a byte that has k more behind it */
static const uint32_t (*crc_tables(void))[256] {
  static uint32_t table[SLICES][256];
  static int made;
  for (uint32_t i = 0; i < 256 && !made; i++) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    table[0][i] = crc;
  }
  for (uint32_t i = 0; i < 256 && !made; i++)
    for (int k = 1; k < SLICES; k++)
      table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 255];
  made = 1;
  return (const uint32_t(*)[256])table;
}

/* eight bytes at a time: the quotients of all of them come from tables at once */
uint32_t core_crc32(uint32_t crc, const void *bytes, size_t n) {
  const uint32_t(*table)[256] = crc_tables();
  const unsigned char *at = bytes;
  crc = ~crc;
  for (; n >= SLICES; n -= SLICES, at += SLICES) {
    uint32_t low = crc ^ ((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                          (uint32_t)at[3] << 24);
    crc = table[7][low & 255] ^ table[6][low >> 8 & 255] ^ table[5][low >> 16 & 255] ^
          table[4][low >> 24] ^ table[3][at[4]] ^ table[2][at[5]] ^ table[1][at[6]] ^
          table[0][at[7]];
  }
  for (; n; n--, at++) crc = crc >> 8 ^ table[0][(crc ^ *at) & 255];
  return ~crc;
}
