/* Bytes of the HDF5 file format, put together in memory: the oldest forms (superblock 0, object
 * headers 1, a B-tree and a local heap for the group), which every reader knows. Little endian,
 * addresses and lengths of 8 bytes. Offsets in comments are those of the HDF Group's "File Format
 * Specification". */
#ifndef RECORD_HDF5_IMAGE_H
#define RECORD_HDF5_IMAGE_H

#include <stddef.h>
#include <stdint.h>

/* Grows as bytes are put to it. A failure (memory) is remembered, and what follows does nothing. */
typedef struct h5_image {
  unsigned char *bytes;
  size_t n, room;
  uint64_t base; /* where in the file the first byte will be */
  int failed;
} h5_image;

void h5_free(h5_image *m);
uint64_t h5_here(const h5_image *m); /* address of the next byte */
void h5_put(h5_image *m, const void *bytes, size_t n);
void h5_number(h5_image *m, uint64_t x, int bytes);
void h5_zeros(h5_image *m, size_t n);
void h5_align(h5_image *m); /* to 8 bytes from the beginning of the image */

/* ---- texts: a collection of the global heap ---- */

enum { H5_TEXTS = 4096 }; /* texts of a collection; the format takes 65,535 */

/* where a text is: `length`, address of its collection, number in it (from 1). A missing one has no
 * address. */
typedef struct h5_text {
  uint64_t address;
  uint32_t length, index;
} h5_text;

void h5_put_text(h5_image *m, h5_text text); /* 16 bytes that point to it */

/* A collection from here on: begin, add up to H5_TEXTS, end. The length of what `begin` opened is
 * filled in by `end`. */
size_t h5_texts_begin(h5_image *m);
void h5_texts_add(h5_image *m, unsigned index, const char *text, size_t length);
void h5_texts_end(h5_image *m, size_t began);

/* ---- objects ---- */

typedef enum h5_class { H5_FLOAT64, H5_INT64, H5_FIELD, H5_VARIABLE } h5_class;

typedef struct h5_set {
  h5_class class;
  size_t field; /* H5_FIELD: bytes of a text */
  int rank;     /* 1 or 2 */
  uint64_t size[2];
  uint64_t data, bytes; /* contiguous, from this address on; bytes = 0: nothing is stored */
} h5_set;

typedef struct h5_attribute {
  const char *name;
  h5_text text;
} h5_attribute;

/* both return the address of the object */
uint64_t h5_put_set(h5_image *m, const h5_set *set, int n, const h5_attribute *attributes);
uint64_t h5_put_group(h5_image *m, uint64_t tree, uint64_t heap, int n,
                      const h5_attribute *attributes);

/* ---- names of a group ---- */

typedef struct h5_link {
  const char *name;
  uint64_t object; /* its address */
} h5_link;

enum { H5_MOST_LINKS = 8 * 65534 }; /* a tree of one node, whose size is a number of 16 bits */

/* `links` are in the order of their names (as bytes), n <= H5_MOST_LINKS */
void h5_put_links(h5_image *m, int n, const h5_link *links, uint64_t *tree, uint64_t *heap);

/* ---- the beginning of the file ---- */

enum { H5_SUPERBLOCK = 96 };

/* of a file of `end` bytes whose root group has n links */
void h5_put_superblock(h5_image *m, int n, uint64_t root, uint64_t tree, uint64_t heap,
                       uint64_t end);

#endif
