/* SHA-256 (FIPS 180-4) for provenance and fingerprints, CRC-32 for journals. */
#ifndef CORE_HASH_H
#define CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* lower-case hexadecimal digest of n bytes */
void core_sha256(const void *bytes, size_t n, char hex[65]);

/* CRC-32 as in zip and png; start with crc = 0 and feed the parts one after the other */
uint32_t core_crc32(uint32_t crc, const void *bytes, size_t n);

#endif
