/* Files of others: every set of numbers of an HDF5 file, by its path ("fclib_local/W/x"). In a
 * table of one row each set is a column, as wide as the set is long; a column of whole numbers has
 * the unit "int32". Part of the module, called in a process of its own (hdf5.h). */
#include <hdf5.h>
#include <string.h>
#include <sys/stat.h>

#include "record/hdf5.h"

enum { MOST_SETS = 200, MOST_NUMBERS = 1 << 27 };

static void start_library(void) {
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* ---- reading ---- */

typedef struct reading {
  record_table *t;
  long long file_size;
  int bad;
} reading;

/* how many numbers a set has that the file itself holds, plainly; 0: it is another kind of set */
static hsize_t numbers_of(hid_t set, long long file_size, int *integer) {
  hid_t space = H5Dget_space(set), type = H5Dget_type(set), how = H5Dget_create_plist(set);
  hsize_t n = 0;
  int good = space >= 0 && type >= 0 && how >= 0 && H5Sget_simple_extent_ndims(space) == 1 &&
             H5Sget_simple_extent_dims(space, &n, NULL) == 1 && H5Pget_external_count(how) == 0 &&
             H5Pget_nfilters(how) == 0 && H5Pget_layout(how) != H5D_VIRTUAL;
  H5T_class_t class = good ? H5Tget_class(type) : H5T_NO_CLASS;
  *integer = class == H5T_INTEGER;
  good = good && (class == H5T_FLOAT || *integer) && n <= MOST_NUMBERS &&
         n * H5Tget_size(type) <= (hsize_t)file_size;
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  if (how >= 0) H5Pclose(how);
  return good ? n : 0;
}

static int read_set(reading *z, hid_t set, const char *name) {
  int integer = 0;
  hsize_t n = numbers_of(set, z->file_size, &integer);
  if (n == 0) return 0;
  if (record_bad_name(name) || record_find(z->t, name) || z->t->n >= MOST_SETS) return 1;
  record_column *c = record_add(z->t, name, integer ? "int32" : "", RECORD_NUMBER, (int)n);
  return !c || H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, c->x) < 0;
}

static herr_t visit(hid_t file, const char *name, const H5O_info_t *info, void *self) {
  reading *z = self;
  if (info->type != H5O_TYPE_DATASET) return 0;
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  z->bad = set < 0 || read_set(z, set, name);
  if (set >= 0) H5Dclose(set);
  return z->bad;
}

core_status record_hdf5_read_sets(const char *path, record_table *t, core_error *err) {
  struct stat st;
  start_library();
  record_table_init(t);
  hid_t file =
      stat(path, &st) || !S_ISREG(st.st_mode) ? -1 : H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) return core_fail(err, CORE_IO, "cannot read '%s' as HDF5", path);
  reading z = {t, (long long)st.st_size, record_resize(t, 1) != CORE_OK};
  if (!z.bad && H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, visit, &z, H5O_INFO_BASIC) < 0)
    z.bad = 1;
  H5Fclose(file);
  if (!z.bad) return CORE_OK;
  record_table_free(t);
  return core_fail(err, CORE_BAD_INPUT, "'%s' holds sets that cannot be read", path);
}

/* ---- writing ---- */

/* one set of a column: float64, int32, or a text that fills it */
static int write_set(hid_t file, hid_t links, const record_column *c) {
  hsize_t n = (hsize_t)c->width;
  const char *text = c->kind == RECORD_STRING ? record_text(c, 0) : NULL;
  int whole = !strcmp(c->unit, "int32");
  hid_t stored = text ? H5Tcopy(H5T_C_S1) : H5Tcopy(whole ? H5T_STD_I32LE : H5T_IEEE_F64LE);
  hid_t space = text ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, NULL);
  int bad = stored < 0 || space < 0 || (text && H5Tset_size(stored, strlen(text) + 1) < 0);
  hid_t set = bad ? -1 : H5Dcreate2(file, c->name, stored, space, links, H5P_DEFAULT, H5P_DEFAULT);
  bad = set < 0 || H5Dwrite(set, text ? stored : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                            text ? (const void *)text : c->x) < 0;
  if (set >= 0) H5Dclose(set);
  if (space >= 0) H5Sclose(space);
  if (stored >= 0) H5Tclose(stored);
  return bad;
}

core_status record_hdf5_write_sets(const record_table *t, const char *path, core_error *err) {
  start_library();
  hid_t file = H5Fcreate(path, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
  hid_t links = H5Pcreate(H5P_LINK_CREATE);
  int bad = file < 0 || links < 0 || t->rows != 1 || H5Pset_create_intermediate_group(links, 1) < 0;
  for (int i = 0; i < t->n && !bad; i++) bad = write_set(file, links, &t->columns[i]);
  if (file >= 0) bad |= H5Fflush(file, H5F_SCOPE_GLOBAL) < 0;
  if (links >= 0) H5Pclose(links);
  if (file >= 0) bad |= H5Fclose(file) < 0;
  return bad ? core_fail(err, CORE_IO, "the HDF5 library failed, as on a full disk") : CORE_OK;
}
