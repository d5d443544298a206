#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/hdf5.h"

static core_status failed(core_error *err, const char *what, const char *path) {
  return core_fail(err, CORE_IO, "cannot %s '%s' as HDF5", what, path);
}

/* variable-length UTF-8 */
static hid_t text_type(void) {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

/* ---- writing
 * ------------------------------------------------------------------------------------- */

static int put_text(hid_t where, const char *name, const char *text) {
  hid_t type = text_type(), space = H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  herr_t bad = attribute < 0 ? -1 : H5Awrite(attribute, type, &text);
  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
  return bad < 0;
}

static int put_column(hid_t file, const record_table *t, const record_column *c) {
  hsize_t size[2] = {t->rows, (hsize_t)c->width};
  int strings = c->kind == RECORD_STRING;
  hid_t type = strings ? text_type() : H5Tcopy(H5T_NATIVE_DOUBLE);
  hid_t space = H5Screate_simple(c->width > 1 ? 2 : 1, size, NULL);
  hid_t set = H5Dcreate2(file, c->name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  int bad = set < 0;
  if (!bad && t->rows)
    bad = H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, strings ? (void *)c->s : c->x) < 0;
  if (!bad)
    bad = put_text(set, "unit", c->unit) || put_text(set, "kind", record_kind_word(c->kind));
  if (set >= 0) H5Dclose(set);
  H5Sclose(space);
  H5Tclose(type);
  return bad;
}

/* names in order, one a line; to be freed */
static char *column_list(const record_table *t) {
  size_t size = 1;
  for (int i = 0; i < t->n; i++) size += strlen(t->columns[i].name) + 1;
  char *list = calloc(size, 1), *at = list;
  for (int i = 0; list && i < t->n; i++) {
    size_t n = strlen(t->columns[i].name);
    memcpy(at, t->columns[i].name, n);
    at += n;
    *at++ = '\n';
  }
  return list;
}

static int put_table(hid_t file, const record_table *t) {
  char *list = column_list(t);
  int bad = !list || put_text(file, "columns", list) ||
            put_text(file, "provenance", t->provenance ? t->provenance : "");
  free(list);
  for (int i = 0; i < t->n && !bad; i++) bad = put_column(file, t, &t->columns[i]);
  return bad;
}

core_status record_hdf5_write(const record_table *t, const char *path, core_error *err) {
  char temp[4096];
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  snprintf(temp, sizeof temp, "%s.part-%ld", path, (long)getpid());
  hid_t file = H5Fcreate(temp, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file < 0) return failed(err, "write", path);
  int bad = put_table(file, t);
  bad |= H5Fflush(file, H5F_SCOPE_GLOBAL) < 0;
  bad |= H5Fclose(file) < 0;
  if (!bad && !rename(temp, path)) return CORE_OK;
  unlink(temp);
  return failed(err, "write", path);
}

/* ---- reading
 * ------------------------------------------------------------------------------------- */

/* a text attribute, to be freed; NULL when it is not there */
static char *get_text(hid_t where, const char *name) {
  char *text = NULL, *copy = NULL;
  if (H5Aexists(where, name) <= 0) return NULL;
  hid_t attribute = H5Aopen(where, name, H5P_DEFAULT), type = text_type();
  if (attribute >= 0 && H5Aread(attribute, type, &text) >= 0 && text) {
    copy = strdup(text);
    H5free_memory(text);
  }
  if (attribute >= 0) H5Aclose(attribute);
  H5Tclose(type);
  return copy;
}

static int read_strings(hid_t set, record_table *t, record_column *c) {
  hid_t type = text_type();
  char **text = calloc(t->rows + 1, sizeof *text);
  int bad = !text || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0;
  for (size_t i = 0; i < t->rows && !bad; i++) {
    if (!text[i]) continue;
    bad = record_set_string(c, i, text[i], strlen(text[i])) != CORE_OK;
    H5free_memory(text[i]);
  }
  free(text);
  H5Tclose(type);
  return bad;
}

static int read_column(hid_t set, record_table *t, const char *name) {
  char *unit = get_text(set, "unit"), *kind = get_text(set, "kind");
  hsize_t size[2] = {0, 1};
  hid_t space = H5Dget_space(set);
  int rank = H5Sget_simple_extent_ndims(space), k = kind ? record_kind_find(kind) : RECORD_NUMBER;
  int bad = k < 0 || rank < 1 || rank > 2;
  if (!bad) H5Sget_simple_extent_dims(space, size, NULL);
  if (!bad && !t->n) bad = record_resize(t, (size_t)size[0]) != CORE_OK;
  bad = bad || size[0] != t->rows;
  record_column *c = bad ? NULL : record_add(t, name, unit, (record_kind)k, (int)size[1]);
  bad = bad || !c;
  if (!bad && t->rows)
    bad = k == RECORD_STRING
              ? read_strings(set, t, c)
              : H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, c->x) < 0;
  H5Sclose(space);
  free(unit);
  free(kind);
  return bad;
}

static int read_table(hid_t file, record_table *t) {
  char *list = get_text(file, "columns");
  int bad = !list;
  for (char *name = list ? strtok(list, "\n") : NULL; name && !bad; name = strtok(NULL, "\n")) {
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    bad = set < 0 || read_column(set, t, name);
    if (set >= 0) H5Dclose(set);
  }
  t->provenance = get_text(file, "provenance");
  free(list);
  return bad;
}

core_status record_hdf5_read(const char *path, record_table *t, core_error *err) {
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  record_table_init(t);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) return failed(err, "read", path);
  int bad = read_table(file, t);
  H5Fclose(file);
  if (!bad) return CORE_OK;
  record_table_free(t);
  return core_fail(err, CORE_BAD_INPUT, "'%s' is not a knock table", path);
}
