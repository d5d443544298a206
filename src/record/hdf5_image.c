#include "record/hdf5_image.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t NOWHERE = UINT64_MAX; /* the undefined address */

/* ---- bytes ---- */

void h5_free(h5_image *m) {
  free(m->bytes);
  *m = (h5_image){0};
}

uint64_t h5_here(const h5_image *m) {
  return m->base + m->n;
}

static unsigned char *more(h5_image *m, size_t n) {
  if (m->failed) return NULL;
  if (m->room - m->n < n) {
    size_t room = m->room * 2 > m->n + n ? m->room * 2 : m->n + n + 4096;
    unsigned char *bytes = realloc(m->bytes, room);
    if (!bytes) return m->failed = 1, NULL;
    m->bytes = bytes;
    m->room = room;
  }
  m->n += n;
  return m->bytes + m->n - n;
}

void h5_put(h5_image *m, const void *bytes, size_t n) {
  unsigned char *to = more(m, n);
  if (to && n) memcpy(to, bytes, n);
}

static void set_number(unsigned char *to, uint64_t x, int bytes) {
  for (int i = 0; i < bytes; i++) to[i] = (unsigned char)(x >> 8 * i);
}

void h5_number(h5_image *m, uint64_t x, int bytes) {
  unsigned char *to = more(m, (size_t)bytes);
  if (to) set_number(to, x, bytes);
}

void h5_zeros(h5_image *m, size_t n) {
  unsigned char *to = more(m, n);
  if (to) memset(to, 0, n);
}

void h5_align(h5_image *m) {
  h5_zeros(m, (8 - m->n % 8) % 8);
}

/* ---- texts ---- */

void h5_put_text(h5_image *m, h5_text text) {
  h5_number(m, text.length, 4);
  h5_number(m, text.address, 8);
  h5_number(m, text.index, 4);
}

enum { OBJECT = 16, LEAST = 4096 }; /* bytes in front of a text; least size of a collection */

/* "GCOL", version 1, size of all */
size_t h5_texts_begin(h5_image *m) {
  size_t at = m->n;
  h5_put(m, "GCOL\1\0\0", 8);
  h5_number(m, 0, 8);
  return at;
}

/* number, references (which nobody counts), size, the bytes */
void h5_texts_add(h5_image *m, unsigned index, const char *text, size_t length) {
  h5_number(m, index, 2);
  h5_zeros(m, 6);
  h5_number(m, length, 8);
  h5_put(m, text, length);
  h5_align(m);
}

/* what is left is an object of number 0, whose size counts its head */
void h5_texts_end(h5_image *m, size_t began) {
  size_t used = m->n - began, left = used + OBJECT < LEAST ? LEAST - used : OBJECT;
  h5_zeros(m, 8);
  h5_number(m, left, 8);
  h5_zeros(m, left - OBJECT);
  if (!m->failed) set_number(m->bytes + began + 8, m->n - began, 8);
}

/* ---- messages of an object header: type, size, flags, body; sizes are multiples of 8 ---- */

enum {
  DATASPACE = 0x01,
  DATATYPE = 0x03,
  FILL_VALUE = 0x05,
  LAYOUT = 0x08,
  ATTRIBUTE = 0x0c,
  SYMBOL_TABLE = 0x11
};

static void message(h5_image *m, int type, size_t size, int constant) {
  h5_number(m, (uint64_t)type, 2);
  h5_number(m, size, 2);
  h5_number(m, (uint64_t)constant, 4);
}

/* version 1 with largest sizes; a scalar has no dimension */
static void put_dataspace(h5_image *m, int rank, const uint64_t *size) {
  message(m, DATASPACE, 8 + 16 * (size_t)rank, 0);
  h5_number(m, 1, 1);
  h5_number(m, (uint64_t)rank, 1);
  h5_number(m, 1, 6);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < rank; i++) h5_number(m, size[i], 8);
}

/* class and version 1, three bytes of bits, size, properties */
static void put_type(h5_image *m, h5_class class, size_t field) {
  switch (class) {
    case H5_FLOAT64: /* sign at 63; exponent of 11 bits at 52, bias 1023; mantissa of 52, 1 implied
                      */
      h5_put(m, "\x11\x20\x3f\0\x08\0\0\0\0\0\x40\0\x34\x0b\0\x34\xff\x03\0\0", 20);
      break;
    case H5_INT64: h5_put(m, "\x10\x08\0\0\x08\0\0\0\0\0\x40\0", 12); break; /* signed */
    case H5_FIELD: /* UTF-8, filled up with zeros */
      h5_put(m, "\x13\x11\0\0", 4);
      h5_number(m, field, 4);
      break;
    case H5_VARIABLE: /* a text of UTF-8, of bytes */
      h5_put(m, "\x19\1\1\0\x10\0\0\0\x10\0\0\0\1\0\0\0\0\0\x08\0", 20);
      break;
  }
  h5_align(m);
}

enum { TYPE_OF_TEXT = 20, SCALAR = 8 };

/* version 1: sizes of name, type and space, then these, each in steps of 8 bytes, and the text */
static void put_attribute(h5_image *m, const h5_attribute *a) {
  size_t name = strlen(a->name) + 1, padded = (name + 7) / 8 * 8;
  message(m, ATTRIBUTE, 8 + padded + 24 + SCALAR + 16, 0);
  h5_number(m, 1, 2);
  h5_number(m, name, 2);
  h5_number(m, TYPE_OF_TEXT, 2);
  h5_number(m, SCALAR, 2);
  h5_put(m, a->name, name);
  h5_align(m);
  put_type(m, H5_VARIABLE, 0);
  h5_number(m, 1, 8);
  h5_put_text(m, a->text);
}

/* ---- object headers ---- */

/* version 1, messages, references, size of the messages, which `end_object` fills in */
static size_t begin_object(h5_image *m, int messages) {
  h5_align(m);
  size_t at = m->n;
  h5_number(m, 1, 2);
  h5_number(m, (uint64_t)messages, 2);
  h5_number(m, 1, 4);
  h5_zeros(m, 8);
  return at;
}

static uint64_t end_object(h5_image *m, size_t at) {
  if (!m->failed) set_number(m->bytes + at + 8, m->n - at - 16, 4);
  return m->base + at;
}

uint64_t h5_put_set(h5_image *m, const h5_set *set, int n, const h5_attribute *attributes) {
  static const size_t type_size[] = {24, 16, 8, 24};
  size_t at = begin_object(m, 4 + n);
  put_dataspace(m, set->rank, set->size);
  message(m, DATATYPE, type_size[set->class], 1);
  put_type(m, set->class, set->field);
  message(m, FILL_VALUE, 8, 1); /* version 2: room late, filled if set, the default */
  h5_put(m, set->class == H5_VARIABLE ? "\2\2\0\1" : "\2\2\2\1", 4);
  h5_zeros(m, 4);
  message(m, LAYOUT, 24, 0); /* version 3, contiguous */
  h5_put(m, "\3\1", 2);
  h5_number(m, set->bytes ? set->data : NOWHERE, 8);
  h5_number(m, set->bytes, 8);
  h5_align(m);
  for (int i = 0; i < n; i++) put_attribute(m, &attributes[i]);
  return end_object(m, at);
}

uint64_t h5_put_group(h5_image *m, uint64_t tree, uint64_t heap, int n,
                      const h5_attribute *attributes) {
  size_t at = begin_object(m, 1 + n);
  message(m, SYMBOL_TABLE, 16, 0);
  h5_number(m, tree, 8);
  h5_number(m, heap, 8);
  for (int i = 0; i < n; i++) put_attribute(m, &attributes[i]);
  return end_object(m, at);
}

/* ---- names of a group ---- */

enum { LEAF_K = 4, PER_NODE = 2 * LEAF_K, ENTRY = 40 }; /* as the library has it */

static int nodes_of(int n) {
  return (n + PER_NODE - 1) / PER_NODE;
}

/* half of the children that the one node of the tree has room for; at least what the library has */
static int tree_k(int n) {
  int k = (nodes_of(n) + 1) / 2;
  return k > 16 ? k : 16;
}

/* bytes of a name in the heap */
static size_t name_size(const char *name) {
  return (strlen(name) + 8) / 8 * 8;
}

/* offset of its name, the object, nothing cached */
static void put_entry(h5_image *m, uint64_t name_at, uint64_t object) {
  h5_number(m, name_at, 8);
  h5_number(m, object, 8);
  h5_zeros(m, ENTRY - 16);
}

/* "SNOD", version 1, up to PER_NODE entries in room for as many; returns the offset of the last
 * name, from that of the first */
static uint64_t put_node(h5_image *m, int n, const h5_link *links, uint64_t name_at) {
  uint64_t last = name_at;
  h5_put(m, "SNOD\1\0", 6);
  h5_number(m, (uint64_t)n, 2);
  for (int i = 0; i < n; i++) {
    put_entry(m, last = name_at, links[i].object);
    name_at += name_size(links[i].name);
  }
  h5_zeros(m, (size_t)(PER_NODE - n) * ENTRY);
  return last;
}

/* "HEAP", version 0, size, no free part, address of the names; offset 0 is the empty one */
static uint64_t put_names(h5_image *m, int n, const h5_link *links) {
  h5_align(m);
  uint64_t names = h5_here(m);
  size_t began = m->n;
  h5_zeros(m, 8);
  for (int i = 0; i < n; i++) {
    h5_put(m, links[i].name, strlen(links[i].name) + 1);
    h5_align(m);
  }
  size_t size = m->n - began;
  uint64_t heap = h5_here(m);
  h5_put(m, "HEAP\0\0\0", 8);
  h5_number(m, size, 8);
  h5_number(m, 1, 8);
  h5_number(m, names, 8);
  return heap;
}

/* "TREE", of a group, level 0, children, no neighbours; then key, child, key ... where a key is the
 * last name of the child in front of it */
static void put_tree(h5_image *m, int n, const h5_link *links, uint64_t first_node) {
  uint64_t name_at = 8;
  size_t began = m->n;
  h5_put(m, "TREE\0\0", 6);
  h5_number(m, (uint64_t)nodes_of(n), 2);
  h5_number(m, NOWHERE, 8);
  h5_number(m, NOWHERE, 8);
  h5_number(m, 0, 8);
  for (int i = 0; i < n; i++) {
    if (i % PER_NODE == 0)
      h5_number(m, first_node + (uint64_t)(i / PER_NODE) * (8 + PER_NODE * ENTRY), 8);
    if (i % PER_NODE == PER_NODE - 1 || i == n - 1) h5_number(m, name_at, 8);
    name_at += name_size(links[i].name);
  }
  size_t size = 24 + (4 * (size_t)tree_k(n) + 1) * 8;
  h5_zeros(m, m->failed ? 0 : size - (m->n - began));
}

void h5_put_links(h5_image *m, int n, const h5_link *links, uint64_t *tree, uint64_t *heap) {
  *heap = put_names(m, n, links);
  uint64_t first_node = h5_here(m), name_at = 8;
  for (int i = 0; i < n; i += PER_NODE) {
    int here = n - i < PER_NODE ? n - i : PER_NODE;
    uint64_t last = put_node(m, here, links + i, name_at);
    name_at = last + name_size(links[i + here - 1].name);
  }
  *tree = h5_here(m);
  put_tree(m, n, links, first_node);
}

/* ---- the beginning of the file ---- */

void h5_put_superblock(h5_image *m, int n, uint64_t root, uint64_t tree, uint64_t heap,
                       uint64_t end) {
  h5_put(m, "\x89HDF\r\n\x1a\n\0\0\0\0\0\x08\x08\0", 16); /* versions 0; addresses, lengths of 8 */
  h5_number(m, LEAF_K, 2);
  h5_number(m, (uint64_t)tree_k(n), 2);
  h5_number(m, 0, 4);
  h5_number(m, 0, 8);
  h5_number(m, NOWHERE, 8);
  h5_number(m, end, 8);
  h5_number(m, NOWHERE, 8);
  h5_number(m, 0, 8);
  h5_number(m, root, 8);
  h5_number(m, 1, 8); /* what follows is cached */
  h5_number(m, tree, 8);
  h5_number(m, heap, 8);
}
