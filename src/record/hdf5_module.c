#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/hdf5.h"
#include "record/texts.h"

enum { MAX_WIDTH = 1 << 20, MAX_TEXT = 1 << 16 };

/* Every call is looked at: below zero is a failure, and the first one is kept. */
static int failed(long long result, int *bad) {
  if (result < 0) *bad = 1;
  return *bad;
}

/* no messages, and no handler at the end of the process: a library that has failed would try again
 */
static void start_library(void) {
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* UTF-8 of `size` bytes filled up with zeros, or H5T_VARIABLE */
static hid_t text_of_size(size_t size, int *bad) {
  hid_t type = H5Tcopy(H5T_C_S1);
  if (failed(type, bad)) return type;
  failed(H5Tset_size(type, size), bad);
  failed(H5Tset_cset(type, H5T_CSET_UTF8), bad);
  if (size != H5T_VARIABLE) failed(H5Tset_strpad(type, H5T_STR_NULLPAD), bad);
  return type;
}

static hid_t text_type(int *bad) {
  return text_of_size(H5T_VARIABLE, bad);
}

/* ---- reading ---- */

/* a text attribute that is one variable-length text, to be freed; NULL otherwise */
static char *get_text(hid_t where, const char *name) {
  char *text = NULL, *copy = NULL;
  int bad = 0;
  if (H5Aexists(where, name) <= 0) return NULL;
  hid_t attribute = H5Aopen(where, name, H5P_DEFAULT), want = text_type(&bad);
  hid_t type = attribute < 0 ? -1 : H5Aget_type(attribute);
  hid_t space = attribute < 0 ? -1 : H5Aget_space(attribute);
  int good = !bad && type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING &&
             H5Tis_variable_str(type) > 0 && H5Sget_simple_extent_type(space) == H5S_SCALAR;
  if (good && H5Aread(attribute, want, &text) >= 0 && text) {
    copy = strdup(text);
    H5free_memory(text);
  }
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
  if (want >= 0) H5Tclose(want);
  if (attribute >= 0) H5Aclose(attribute);
  return copy;
}

/* what is read of a set, after everything about it was checked */
typedef struct shape {
  hsize_t rows, width;
  record_kind kind;
  int integer;  /* stored as int64 */
  size_t field; /* bytes of texts of one length, 0: each has its own */
} shape;

/* the set holds its data itself, in one piece, all of it in the file */
static int is_stored_here(hid_t set, hsize_t bytes, long long file_size) {
  hid_t options = H5Dget_create_plist(set);
  int good = options >= 0 && H5Pget_external_count(options) == 0 &&
             H5Pget_layout(options) == H5D_CONTIGUOUS && H5Pget_nfilters(options) == 0;
  if (options >= 0) H5Pclose(options);
  return good && bytes <= (hsize_t)file_size && (!bytes || H5Dget_storage_size(set) == bytes);
}

/* bytes of a text: 16 for a length, an address and an index; 0 when it is of another type */
static size_t text_size(hid_t type, shape *s) {
  if (H5Tget_class(type) != H5T_STRING || H5Tget_cset(type) != H5T_CSET_UTF8) return 0;
  if (H5Tis_variable_str(type) > 0) return 16;
  s->field = H5Tget_size(type);
  return H5Tget_strpad(type) == H5T_STR_NULLPAD && s->field < MAX_TEXT ? s->field : 0;
}

static size_t number_size(hid_t type, shape *s) {
  H5T_class_t class = H5Tget_class(type);
  s->integer = class == H5T_INTEGER;
  if (s->integer && s->kind != RECORD_INTEGER) return 0;
  return (class == H5T_FLOAT || s->integer) && H5Tget_size(type) == 8 ? 8 : 0;
}

/* bytes of one value as we store it, 0 when it is of another type */
static size_t value_size(hid_t set, shape *s) {
  hid_t type = H5Dget_type(set);
  if (type < 0) return 0;
  size_t size = s->kind == RECORD_STRING ? text_size(type, s) : number_size(type, s);
  H5Tclose(type);
  return size;
}

static int read_shape(hid_t set, const char *kind, long long file_size, shape *s) {
  hsize_t size[2] = {0, 1};
  int k = kind ? record_kind_find(kind) : -1;
  hid_t space = H5Dget_space(set);
  int rank = space < 0 ? 0 : H5Sget_simple_extent_ndims(space);
  int good = k >= 0 && (rank == 1 || (rank == 2 && k == RECORD_NUMBER)) &&
             H5Sis_simple(space) > 0 && H5Sget_simple_extent_dims(space, size, NULL) == rank;
  if (space >= 0) H5Sclose(space);
  if (!good || size[1] < 1 || size[1] > MAX_WIDTH || size[0] > (hsize_t)file_size) return 0;
  *s = (shape){size[0], size[1], (record_kind)k, 0, 0};
  size_t bytes = value_size(set, s);
  return bytes && is_stored_here(set, size[0] * size[1] * bytes, file_size);
}

static int read_strings(hid_t set, record_table *t, record_column *c) {
  int bad = 0;
  hid_t type = text_type(&bad);
  char **text = calloc(t->rows + 1, sizeof *text);
  bad = bad || !text || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0;
  for (size_t i = 0; i < t->rows && !bad; i++) {
    if (!text[i]) continue;
    bad = record_set_string(c, i, text[i], strlen(text[i])) != CORE_OK;
    H5free_memory(text[i]);
  }
  free(text);
  if (type >= 0) H5Tclose(type);
  return bad;
}

static int read_fields(hid_t set, record_table *t, record_column *c, size_t size) {
  int bad = 0;
  hid_t type = text_of_size(size, &bad);
  char *x = malloc(t->rows * size);
  bad = bad || !x || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) < 0;
  for (size_t i = 0; i < t->rows && !bad; i++)
    bad = record_set_string(c, i, x + i * size, strnlen(x + i * size, size)) != CORE_OK;
  free(x);
  if (type >= 0) H5Tclose(type);
  return bad;
}

static int read_integers(hid_t set, record_table *t, record_column *c) {
  int64_t *x = malloc((t->rows + 1) * sizeof *x);
  int bad = !x || H5Dread(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) < 0;
  for (size_t i = 0; i < t->rows && !bad; i++)
    if (x[i] != INT64_MIN) bad = record_set_integer(c, i, x[i]) != CORE_OK;
  free(x);
  return bad;
}

static int read_data(hid_t set, const shape *s, record_table *t, record_column *c) {
  if (!t->rows) return 0;
  if (s->field) return read_fields(set, t, c, s->field);
  if (s->kind == RECORD_STRING) return read_strings(set, t, c);
  if (s->integer) return read_integers(set, t, c);
  return H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, c->x) < 0;
}

static int read_column(hid_t set, record_table *t, const char *name, long long file_size) {
  char *unit = get_text(set, "unit"), *kind = get_text(set, "kind");
  shape s;
  int bad = !unit || !read_shape(set, kind, file_size, &s) || record_bad_name(name) ||
            record_find(t, name) || (t->n && s.rows != t->rows);
  if (!bad && !t->n) bad = record_resize(t, (size_t)s.rows) != CORE_OK;
  record_column *c = bad ? NULL : record_add(t, name, unit, s.kind, (int)s.width);
  bad = bad || !c || read_data(set, &s, t, c);
  free(unit);
  free(kind);
  return bad;
}

/* a set of this file, not a link to somewhere else */
static hid_t open_set(hid_t file, const char *name) {
  H5L_info_t link;
  if (!*name || strchr(name, '/') || H5Lexists(file, name, H5P_DEFAULT) <= 0 ||
      H5Lget_info(file, name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
    return -1;
  hid_t object = H5Oopen(file, name, H5P_DEFAULT);
  if (object >= 0 && H5Iget_type(object) == H5I_DATASET) return object;
  if (object >= 0) H5Oclose(object);
  return -1;
}

static int read_table(hid_t file, record_table *t, long long file_size) {
  char *list = get_text(file, "columns"), *rest = NULL, name[RECORD_HDF5_NAME];
  int bad = !list;
  for (char *word = list ? strtok_r(list, "\n", &rest) : NULL; word && !bad;
       word = strtok_r(NULL, "\n", &rest)) {
    hid_t set = open_set(file, word);
    record_hdf5_decode(word, name);
    bad = set < 0 || read_column(set, t, name, file_size);
    if (set >= 0) H5Dclose(set);
  }
  t->provenance = get_text(file, "provenance");
  free(list);
  return bad || !t->provenance;
}

core_status record_hdf5_read(const char *path, record_table *t, core_error *err) {
  struct stat st;
  start_library();
  record_table_init(t);
  hid_t file =
      stat(path, &st) || !S_ISREG(st.st_mode) ? -1 : H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) return core_fail(err, CORE_IO, "cannot read '%s' as HDF5", path);
  int bad = read_table(file, t, (long long)st.st_size);
  H5Fclose(file);
  if (!bad) return CORE_OK;
  record_table_free(t);
  return core_fail(err, CORE_BAD_INPUT, "'%s' is not a table that knock wrote", path);
}
