/* A table as an HDF5 file, without the library: the sets are plain bytes, and what describes them
 * is small and simple (hdf5_image.h). Starting the library in a process of its own takes longer
 * than writing a million numbers.
 *
 *   superblock | the data of each column | texts of attributes | a header for each set | names |
 * the root group
 *
 * The superblock is written last: it says where the root group is. */
#include <stdlib.h>
#include <string.h>

#include "core/interrupt.h"
#include "record/hdf5.h"
#include "record/hdf5_image.h"
#include "record/out.h"
#include "record/texts.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "numbers are written as they stand in memory, which must be little endian"
#endif

enum {
  MAX_FIELD = 1 << 16,
  PIECE = 1 << 22
}; /* bytes: of a text in a field; between two looks at Ctrl-C */

typedef struct place {
  const record_column *c;
  char name[RECORD_HDF5_NAME]; /* of its set */
  h5_set set;
  h5_text unit, kind;
} place;

typedef struct writer {
  const record_table *t;
  place *places; /* one for each column */
  uint64_t at;   /* bytes of the file so far */
  h5_image meta; /* all that is not data */
  h5_image part; /* texts under way */
  int no_memory, interrupted;
  record_out out;
} writer;

static void write_bytes(writer *w, const void *bytes, size_t n) {
  const char *from = bytes;
  for (size_t part; n && !w->interrupted; from += part, n -= part) {
    part = n < PIECE ? n : PIECE;
    record_out_bytes(&w->out, from, part);
    w->at += part;
    w->interrupted = core_interrupted();
  }
}

static void write_zeros(writer *w, size_t n) {
  static const char zeros[64] = {0};
  for (size_t part; n; n -= part) write_bytes(w, zeros, part = n < sizeof zeros ? n : sizeof zeros);
}

static int goes_on(const writer *w) {
  return !w->no_memory && !w->interrupted && !w->out.failed;
}

/* ---- texts of a column ---- */

/* Bytes per text when all are stored in fields of one length, filled up with zeros; 0 when that
 * takes more room than texts of their own, or when some are missing. */
static size_t field_of(const record_table *t, const record_column *c) {
  size_t most = 1, all = 0;
  for (size_t i = 0, run; i < t->rows; i += run) {
    const char *text = record_text(c, i);
    size_t n = text ? strlen(text) : MAX_FIELD;
    if (n >= MAX_FIELD) return 0;
    run = record_texts_run(c, i, t->rows);
    most = n > most ? n : most;
    all += n * run;
  }
  return t->rows && most <= 40 + all / t->rows ? most : 0;
}

/* `run` times the text in a field: as many as fit into a piece, which is written again and again */
static void write_run(writer *w, const char *text, size_t size, size_t run) {
  char piece[1 << 14];
  size_t n = strlen(text), fit = sizeof piece / size, most = run < fit ? run : fit;
  for (size_t i = 0; i < most; i++) {
    memcpy(piece + i * size, text, n);
    memset(piece + i * size + n, 0, size - n);
  }
  for (size_t part; fit && run; run -= part)
    write_bytes(w, piece, size * (part = run < most ? run : most));
  for (; !fit && run; run--) write_bytes(w, text, n), write_zeros(w, size - n);
}

static void write_fields(writer *w, const record_column *c, size_t size) {
  for (size_t i = 0, run; i < w->t->rows && goes_on(w); i += run) {
    run = record_texts_run(c, i, w->t->rows);
    write_run(w, record_text(c, i), size, run);
  }
}

/* rows that share a collection, and where it is */
static uint64_t write_collection(writer *w, const record_column *c, size_t from, size_t to) {
  uint64_t address = w->at;
  unsigned index = 0;
  w->part.n = 0;
  size_t began = h5_texts_begin(&w->part);
  for (size_t i = from; i < to; i++) {
    const char *text = record_text(c, i);
    if (text) h5_texts_add(&w->part, ++index, text, strlen(text));
  }
  h5_texts_end(&w->part, began);
  if (w->part.failed) w->no_memory = 1;
  if (goes_on(w)) write_bytes(w, w->part.bytes, w->part.n);
  return address;
}

/* what points to the texts of these rows */
static void write_pointers(writer *w, const record_column *c, size_t from, size_t to,
                           uint64_t address) {
  unsigned index = 0;
  w->part.n = 0;
  for (size_t i = from; i < to; i++) {
    const char *text = record_text(c, i);
    h5_put_text(&w->part,
                text ? (h5_text){address, (uint32_t)strlen(text), ++index} : (h5_text){0});
  }
  if (w->part.failed) w->no_memory = 1;
  if (goes_on(w)) write_bytes(w, w->part.bytes, w->part.n);
}

/* texts of their own length: collections of H5_TEXTS rows, and then 16 bytes for each row */
static void write_texts(writer *w, place *p) {
  size_t rows = w->t->rows, n = (rows + H5_TEXTS - 1) / H5_TEXTS;
  uint64_t *address = malloc((n + 1) * sizeof *address);
  if (!address) w->no_memory = 1;
  for (size_t k = 0; k < n && goes_on(w); k++)
    address[k] = write_collection(w, p->c, k * H5_TEXTS, k + 1 < n ? (k + 1) * H5_TEXTS : rows);
  p->set.data = w->at;
  for (size_t k = 0; k < n && goes_on(w); k++)
    write_pointers(w, p->c, k * H5_TEXTS, k + 1 < n ? (k + 1) * H5_TEXTS : rows, address[k]);
  free(address);
}

/* ---- data ---- */

/* whole numbers with -2^63 for missing ones */
static void write_integers(writer *w, const record_column *c) {
  int64_t part[512];
  enum { PART = sizeof part / sizeof *part };
  for (size_t from = 0; from < w->t->rows && goes_on(w); from += PART) {
    size_t n = w->t->rows - from < PART ? w->t->rows - from : PART;
    for (size_t i = 0; i < n; i++)
      part[i] = c->x[from + i] != c->x[from + i] ? INT64_MIN : record_integer(c, from + i);
    write_bytes(w, part, n * sizeof *part);
  }
}

static size_t bytes_of(const h5_set *set) {
  return set->class == H5_FIELD ? set->field : set->class == H5_VARIABLE ? 16 : 8;
}

static void write_column(writer *w, place *p) {
  const record_column *c = p->c;
  size_t rows = w->t->rows, width = (size_t)c->width;
  size_t field = c->kind == RECORD_STRING ? field_of(w->t, c) : 0;
  h5_class class = c->whole ? H5_INT64 : H5_FLOAT64;
  if (c->kind == RECORD_STRING) class = field ? H5_FIELD : H5_VARIABLE;
  p->set = (h5_set){class, field, c->width > 1 ? 2 : 1, {rows, width}, w->at, 0};
  p->set.bytes = rows * width * bytes_of(&p->set);
  switch (class) {
    case H5_FLOAT64: write_bytes(w, c->x, p->set.bytes); break;
    case H5_INT64: write_integers(w, c); break;
    case H5_FIELD: write_fields(w, c, field); break;
    case H5_VARIABLE: write_texts(w, p); break;
  }
  write_zeros(w, (8 - w->at % 8) % 8);
}

/* ---- what describes them ---- */

/* texts of attributes, in collections one after the other */
typedef struct texts {
  h5_image *m;
  size_t began; /* the collection that is open */
  unsigned n;   /* texts in it; 0: none is open */
} texts;

static void close_texts(texts *x) {
  if (x->n) h5_texts_end(x->m, x->began);
  x->n = 0;
}

static h5_text keep(texts *x, const char *text) {
  if (x->n == H5_TEXTS) close_texts(x);
  if (!x->n) x->began = h5_texts_begin(x->m);
  size_t length = strlen(text);
  h5_texts_add(x->m, ++x->n, text, length);
  return (h5_text){x->m->base + x->began, (uint32_t)length, x->n};
}

/* names of the sets in order, one a line; to be freed */
static char *column_list(const writer *w) {
  size_t n = 1;
  for (int i = 0; i < w->t->n; i++) n += strlen(w->places[i].name) + 1;
  char *list = malloc(n), *at = list;
  for (int i = 0; i < w->t->n && list; i++) {
    size_t length = strlen(w->places[i].name);
    memcpy(at, w->places[i].name, length);
    at += length;
    *at++ = '\n';
  }
  if (list) *at = '\0';
  return list;
}

static void keep_texts(writer *w, h5_attribute of_root[2]) {
  texts x = {&w->meta, 0, 0};
  char *list = column_list(w);
  if (!list) w->no_memory = 1;
  of_root[0] = (h5_attribute){"columns", keep(&x, list ? list : "")};
  of_root[1] = (h5_attribute){"provenance", keep(&x, w->t->provenance ? w->t->provenance : "")};
  free(list);
  for (int i = 0; i < w->t->n; i++) {
    place *p = &w->places[i];
    p->unit = keep(&x, p->c->unit);
    p->kind = keep(&x, record_kind_word(p->c->kind));
  }
  close_texts(&x);
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const h5_link *)a)->name, ((const h5_link *)b)->name);
}

static void describe(writer *w) {
  h5_attribute of_root[2];
  uint64_t tree, heap;
  int n = w->t->n;
  h5_link *links = malloc(((size_t)n + 1) * sizeof *links);
  w->meta.base = w->at;
  keep_texts(w, of_root);
  if (!links) w->no_memory = 1;
  for (int i = 0; i < n && links; i++) {
    const place *p = &w->places[i];
    const h5_attribute of_set[2] = {{"unit", p->unit}, {"kind", p->kind}};
    links[i] = (h5_link){p->name, h5_put_set(&w->meta, &p->set, 2, of_set)};
  }
  if (links) {
    qsort(links, (size_t)n, sizeof *links, by_name);
    h5_put_links(&w->meta, n, links, &tree, &heap);
    uint64_t root = h5_put_group(&w->meta, tree, heap, 2, of_root);
    w->part.n = 0;
    h5_put_superblock(&w->part, n, root, tree, heap, h5_here(&w->meta));
  }
  if (w->meta.failed || w->part.failed) w->no_memory = 1;
  free(links);
}

static void write_all(writer *w) {
  write_zeros(w, H5_SUPERBLOCK);
  for (int i = 0; i < w->t->n && goes_on(w); i++) {
    place *p = &w->places[i];
    p->c = &w->t->columns[i];
    record_hdf5_encode(p->c->name, p->name);
    write_column(w, p);
  }
  if (goes_on(w)) describe(w);
  if (!goes_on(w)) return;
  record_out_bytes(&w->out, w->meta.bytes, w->meta.n);
  record_out_over(&w->out, w->part.bytes, H5_SUPERBLOCK);
}

static core_status finish(writer *w, core_error *err) {
  if (!w->no_memory && !w->interrupted) return record_out_close(&w->out, err);
  record_out_abandon(&w->out);
  return core_fail(err, w->interrupted ? CORE_INTERRUPTED : CORE_NO_MEMORY, "%s", "");
}

core_status record_write_h5(const record_table *t, const char *path, core_error *err) {
  if (t->n > H5_MOST_LINKS)
    return core_fail(err, CORE_BAD_INPUT, "cannot write '%s': HDF5 takes %d columns, got %d", path,
                     H5_MOST_LINKS, t->n);
  writer *w = calloc(1, sizeof *w);
  if (!w) return core_fail(err, CORE_NO_MEMORY, "%s", "");
  w->t = t;
  w->places = calloc((size_t)t->n + 1, sizeof *w->places);
  core_status status =
      w->places ? record_out_open(&w->out, path, err) : core_fail(err, CORE_NO_MEMORY, "%s", "");
  if (!status) {
    write_all(w);
    status = finish(w, err);
  }
  h5_free(&w->meta);
  h5_free(&w->part);
  free(w->places);
  free(w);
  return status;
}
