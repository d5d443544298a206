/* Tables as HDF5 files, without the library: the sets are plain bytes, and what describes them is
 * small and simple (hdf5_image.h). Starting the library in a process of its own takes longer than
 * writing a million numbers.
 *
 *   superblock | a place for the data of each column | texts of their own length, as they come |
 * texts of attributes | a header for each set | names | the root group
 *
 * How many rows there will be is known from the start, so that each column has its place and rows
 * may come piece by piece. The superblock is written last: it says where the root group is. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "record/hdf5.h"
#include "record/hdf5_image.h"
#include "record/out.h"
#include "record/texts.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "numbers are written as they stand in memory, which must be little endian"
#endif

enum { MAX_FIELD = 1 << 16 }; /* bytes of a text in a field */

typedef struct place {
  char name[RECORD_HDF5_NAME]; /* of its set */
  h5_set set;
  h5_text unit, kind;
  const char *last; /* text that was written last, a word of its column, and where it is */
  h5_text at;
} place;

struct record_h5 {
  const record_table *columns;
  place *places;         /* one for each column */
  size_t rows, done;     /* in all, and so far */
  uint64_t here;         /* where in the file the next bytes go */
  uint64_t end;          /* bytes of the file so far */
  h5_image meta;         /* all that is not data */
  h5_image part;         /* texts under way */
  h5_text row[H5_TEXTS]; /* and where they are */
  int no_memory;
  record_out out;
};
typedef record_h5 writer;

static void go_to(writer *w, uint64_t at) {
  if (w->here != at) record_out_seek(&w->out, at);
  w->here = at;
}

static void write_bytes(writer *w, const void *bytes, size_t n) {
  record_out_bytes(&w->out, bytes, n);
  w->here += n;
}

static void write_zeros(writer *w, size_t n) {
  static const char zeros[64] = {0};
  for (size_t part; n; n -= part) write_bytes(w, zeros, part = n < sizeof zeros ? n : sizeof zeros);
}

/* `part` behind all that there is; its address */
static uint64_t append_part(writer *w) {
  uint64_t address = w->end;
  if (w->part.failed) w->no_memory = 1;
  go_to(w, address);
  write_bytes(w, w->part.bytes, w->part.n);
  w->end += w->part.n;
  return address;
}

static int goes_on(const writer *w) {
  return !w->no_memory && !w->out.failed;
}

/* ---- texts of a column ---- */

/* Bytes per text when all are stored in fields of one length, filled up with zeros; 0 when that
 * takes more room than texts of their own, or when some are missing (or not there yet). */
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

static void write_fields(writer *w, const record_column *c, size_t rows, size_t size) {
  for (size_t i = 0, run; i < rows && goes_on(w); i += run) {
    run = record_texts_run(c, i, rows);
    write_run(w, record_text(c, i), size, run);
  }
}

/* One collection with the texts of these rows, each as often as it comes anew, and then 16 bytes
 * for each row that point to them. Words of a column stay where they are in memory. */
static void write_collection(writer *w, place *p, const record_column *c, size_t from, size_t to) {
  h5_text *at = w->row;
  unsigned index = 0;
  w->part.n = 0;
  size_t began = h5_texts_begin(&w->part);
  for (size_t i = from; i < to; i++) {
    const char *text = record_text(c, i);
    if (text && text != p->last) {
      p->at = (h5_text){w->end, (uint32_t)strlen(text), ++index};
      p->last = text;
      h5_texts_add(&w->part, index, text, p->at.length);
    }
    at[i - from] = text ? p->at : (h5_text){0};
  }
  h5_texts_end(&w->part, began);
  if (index) append_part(w);
  w->part.n = 0;
  for (size_t i = from; i < to; i++) h5_put_text(&w->part, at[i - from]);
  if (w->part.failed) w->no_memory = 1;
}

static void write_texts(writer *w, place *p, const record_column *c, size_t rows) {
  uint64_t address = w->here;
  for (size_t from = 0; from < rows && goes_on(w); from += H5_TEXTS) {
    write_collection(w, p, c, from, rows - from < H5_TEXTS ? rows : from + H5_TEXTS);
    go_to(w, address);
    write_bytes(w, w->part.bytes, w->part.n);
    address = w->here;
  }
}

/* ---- data ---- */

/* whole numbers with -2^63 for missing ones */
static void write_integers(writer *w, const record_column *c, size_t rows) {
  int64_t part[512];
  enum { PART = sizeof part / sizeof *part };
  for (size_t from = 0; from < rows && goes_on(w); from += PART) {
    size_t n = rows - from < PART ? rows - from : PART;
    for (size_t i = 0; i < n; i++)
      part[i] = c->x[from + i] != c->x[from + i] ? INT64_MIN : record_integer(c, from + i);
    write_bytes(w, part, n * sizeof *part);
  }
}

static size_t row_bytes(const h5_set *set) {
  size_t each = set->class == H5_FIELD ? set->field : set->class == H5_VARIABLE ? 16 : 8;
  return each * set->size[1];
}

static void write_column(writer *w, place *p, const record_table *t, const record_column *c) {
  go_to(w, p->set.data + w->done * row_bytes(&p->set));
  switch (p->set.class) {
    case H5_FLOAT64: write_bytes(w, c->x, t->rows * row_bytes(&p->set)); break;
    case H5_INT64: write_integers(w, c, t->rows); break;
    case H5_FIELD: write_fields(w, c, t->rows, p->set.field); break;
    case H5_VARIABLE: write_texts(w, p, c, t->rows); break;
  }
}

/* A place for each column. When the rows are not there yet, whole numbers may become larger than
 * doubles can tell, and texts of any length. */
static void lay_out(writer *w) {
  const record_table *t = w->columns;
  int all = t->rows == w->rows;
  w->end = H5_SUPERBLOCK;
  for (int i = 0; i < t->n; i++) {
    place *p = &w->places[i];
    const record_column *c = &t->columns[i];
    size_t width = (size_t)c->width, field = all && c->kind == RECORD_STRING ? field_of(t, c) : 0;
    h5_class class = c->whole || (!all && c->kind == RECORD_INTEGER) ? H5_INT64 : H5_FLOAT64;
    if (c->kind == RECORD_STRING) class = field ? H5_FIELD : H5_VARIABLE;
    record_hdf5_encode(c->name, p->name);
    p->set = (h5_set){class, field, width > 1 ? 2 : 1, {w->rows, width}, w->end, 0};
    p->set.bytes = w->rows * row_bytes(&p->set);
    w->end += (p->set.bytes + 7) / 8 * 8;
  }
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
  for (int i = 0; i < w->columns->n; i++) n += strlen(w->places[i].name) + 1;
  char *list = malloc(n), *at = list;
  for (int i = 0; i < w->columns->n && list; i++) {
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
  of_root[1] =
      (h5_attribute){"provenance", keep(&x, w->columns->provenance ? w->columns->provenance : "")};
  free(list);
  for (int i = 0; i < w->columns->n; i++) {
    place *p = &w->places[i];
    p->unit = keep(&x, w->columns->columns[i].unit);
    p->kind = keep(&x, record_kind_word(w->columns->columns[i].kind));
  }
  close_texts(&x);
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const h5_link *)a)->name, ((const h5_link *)b)->name);
}

static void describe(writer *w) {
  h5_attribute of_root[2];
  uint64_t tree, heap;
  int n = w->columns->n;
  h5_link *links = malloc(((size_t)n + 1) * sizeof *links);
  w->meta.base = w->end;
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

/* ---- a file ---- */

static void forget(writer *w) {
  h5_free(&w->meta);
  h5_free(&w->part);
  free(w->places);
  free(w);
}

core_status record_h5_open(record_h5 **to, const record_table *columns, size_t rows,
                           const char *path, core_error *err) {
  *to = NULL;
  if (columns->n > H5_MOST_LINKS)
    return core_fail(err, CORE_BAD_INPUT, "cannot write '%s': HDF5 takes %d columns, got %d", path,
                     H5_MOST_LINKS, columns->n);
  writer *w = calloc(1, sizeof *w);
  if (!w) return core_no_memory(err);
  w->columns = columns;
  w->rows = rows;
  w->places = calloc((size_t)columns->n + 1, sizeof *w->places);
  core_status status = w->places ? record_out_open(&w->out, path, err) : core_no_memory(err);
  if (status) {
    forget(w);
    return status;
  }
  lay_out(w);
  write_zeros(w, H5_SUPERBLOCK);
  *to = w;
  return CORE_OK;
}

static core_status state_of(const writer *w, core_error *err) {
  return w->no_memory ? core_no_memory(err) : record_out_check(&w->out, err);
}

core_status record_h5_rows(record_h5 *w, const record_table *t, core_error *err) {
  assert(t->n == w->columns->n && t->rows <= w->rows - w->done);
  for (int i = 0; i < t->n && goes_on(w); i++) write_column(w, &w->places[i], t, &t->columns[i]);
  w->done += t->rows;
  return state_of(w, err);
}

void record_h5_abandon(record_h5 *w) {
  record_out_abandon(&w->out);
  forget(w);
}

core_status record_h5_close(record_h5 *w, core_error *err) {
  assert(w->done == w->rows);
  if (goes_on(w)) describe(w);
  core_status status = state_of(w, err);
  if (status) {
    record_h5_abandon(w);
    return status;
  }
  go_to(w, w->end);
  record_out_bytes(&w->out, w->meta.bytes, w->meta.n);
  go_to(w, 0);
  record_out_bytes(&w->out, w->part.bytes, H5_SUPERBLOCK);
  status = record_out_close(&w->out, err);
  forget(w);
  return status;
}
