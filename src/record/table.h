/* Results in columns with names and units, and the files they go to.
 *
 * A column holds numbers (one per row, or a vector of `width`), whole numbers, booleans or strings.
 * A value that is missing (a sample that failed) is NaN, or NULL for strings.
 */
#ifndef RECORD_TABLE_H
#define RECORD_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

#define RECORD_KIND_LIST(X)                                                                        \
  X(RECORD_NUMBER, "number")                                                                       \
  X(RECORD_INTEGER, "integer")                                                                     \
  X(RECORD_BOOLEAN, "boolean")                                                                     \
  X(RECORD_STRING, "string")

#define RECORD_KIND_ENUM(name, word) name,
typedef enum record_kind { RECORD_KIND_LIST(RECORD_KIND_ENUM) RECORD_KINDS } record_kind;
#undef RECORD_KIND_ENUM

const char *record_kind_word(record_kind kind);
int record_kind_find(const char *word); /* -1 when it is none */

/* The texts of a column, each kept once as far as a small table of them remembers. They live until
 * the column is freed. */
typedef struct record_words record_words;

typedef struct record_column {
  char *name;
  char *unit; /* "m/s"; "" when unknown, "1" for pure numbers */
  record_kind kind;
  int width;      /* numbers per row: 1, or the length of a vector */
  double *x;      /* rows * width, row after row; NULL for strings */
  int64_t *whole; /* exact values of whole numbers where doubles are not; usually NULL */
  size_t room;    /* rows allocated */
  /* texts, see texts.c and record_text: */
  record_words *words; /* what they are kept in */
  unsigned char *code; /* rows numbers of words, `bits` each; 0: missing */
  const char **few;    /* n_few words by their number, from 1 */
  int bits, n_few;
  const char **s; /* or, when there are many words: rows pointers, NULL: missing */
} record_column;

typedef struct record_table {
  size_t rows; /* rows in use */
  size_t room; /* rows allocated */
  int n;       /* columns */
  record_column *columns;
  char *provenance; /* lines "key: value", or NULL */
} record_table;

void record_table_init(record_table *t);
void record_table_free(record_table *t);

/* a new column, filled with "missing"; NULL when memory is out */
record_column *record_add(record_table *t, const char *name, const char *unit, record_kind kind,
                          int width);
void record_remove(record_table *t, int at); /* the column at this place */
record_column *record_find(const record_table *t, const char *name);
core_status record_resize(record_table *t, size_t rows);               /* new rows are missing */
void record_move(record_table *t, size_t to, size_t from, size_t n);   /* rows, to <= from */
const char *record_word(record_column *c, const char *text, size_t n); /* kept; NULL: no memory */
core_status record_set_string(record_column *c, size_t row, const char *text, size_t length);
/* n rows from `row` on get a word of record_word, or become missing (NULL) */
core_status record_set_word(record_column *c, size_t row, size_t n, const char *word);
const char *record_text(const record_column *c, size_t row); /* NULL: missing */

/* Files. Writing goes to a temporary file beside the target, which is renamed when it is complete:
 * a failure leaves what was there. The kind of file follows its ending: .csv, .jsonl, .h5 */
core_status record_write(const record_table *t, const char *path, core_error *err);
core_status record_read(const char *path, record_table *t, core_error *err);
core_status record_read_columns(const char *path, record_table *t, core_error *err); /* no rows */

core_status record_check_name(const char *path, core_error *err); /* can tables go there? */

/* A file that is written piece by piece, in constant memory. The table gives the columns and the
 * provenance; its `rows` rows are written by record_stream_rows, as often as it is called. */
typedef struct record_stream record_stream;
core_status record_stream_open(record_stream **s, const record_table *columns, size_t rows,
                               const char *path, core_error *err);
core_status record_stream_rows(record_stream *s, const record_table *t, core_error *err);
core_status record_stream_close(record_stream *s, core_error *err); /* the file appears */
void record_stream_abandon(record_stream *s);                       /* nothing is left */

/* writers and readers behind the functions above */
typedef struct record_out record_out;
void record_begin_csv(const record_table *t, record_out *out);
void record_rows_csv(const record_table *t, record_out *out);
void record_begin_jsonl(const record_table *t, record_out *out);
void record_rows_jsonl(const record_table *t, record_out *out);
core_status record_read_csv(char *text, const char *path, record_table *t, core_error *err);
core_status record_read_jsonl(char *text, const char *path, record_table *t, core_error *err);

/* shortest text that reads back to the same bits; "nan", "inf", "-inf"; returns its length */
int record_number_text(double x, char text[32]);
int record_integer_text(int64_t i, char text[32]);
double record_number_read(const char *text, char **end); /* strtod in the C locale */

/* Whole numbers of 64 bits: beyond 2^53 a double is not enough, and the column keeps `whole`. */
core_status record_set_integer(record_column *c, size_t row, int64_t i);
core_status record_keep_whole(record_column *c); /* makes room for them; it has none yet */
int64_t record_integer(const record_column *c, size_t row); /* of a value that is not missing */

/* value i of a column into a row of another one of the same kind and width */
core_status record_copy(record_column *to, size_t row, const record_column *from, size_t i);

/* why this cannot be the name of a column, or a unit; NULL when it can */
const char *record_bad_name(const char *name);

#endif
