/* Files that we did not write, and our own with bytes changed at random: refused, never a crash. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/table.h"
#include "unity.h"

static record_table t, back;
static core_error err;
static char folder[] = "/tmp/knock-hdf5-XXXXXX", path[64], outside[64];
static long mutations = 40; /* argv[1]; argv[2] is a seed: other changes */

void setUp(void) {
  record_table_init(&t);
  record_table_init(&back);
  err = (core_error){0};
}

void tearDown(void) {
  record_table_free(&t);
  record_table_free(&back);
  unlink(path);
  unlink(outside);
}

/* ---- what others write */

static hid_t text_type(void) {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

/* n texts as an attribute; 0: one, as a scalar */
static void attribute(hid_t where, const char *name, const char *text, hsize_t n) {
  const char *texts[64];
  for (int i = 0; i < 64; i++) texts[i] = text;
  hid_t type = text_type(), space = n ? H5Screate_simple(1, &n, NULL) : H5Screate(H5S_SCALAR);
  hid_t a = H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(a, type, texts);
  H5Aclose(a);
  H5Sclose(space);
  H5Tclose(type);
}

static hid_t begin(const char *name, const char *columns) {
  hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  attribute(file, "columns", columns, 0);
  attribute(file, "provenance", "", 0);
  return file;
}

/* a set called "a"; chunks so that sizes can be said without being there */
static void set(hid_t file, hid_t type, int rank, hsize_t rows, hsize_t width, const char *kind,
                const void *data, int chunked) {
  hsize_t size[2] = {rows, width}, chunk[2] = {1, 64};
  hid_t space = H5Screate_simple(rank, size, NULL), options = H5Pcreate(H5P_DATASET_CREATE);
  if (chunked) H5Pset_chunk(options, rank, chunk);
  hid_t s = H5Dcreate2(file, "a", type, space, H5P_DEFAULT, options, H5P_DEFAULT);
  if (data) H5Dwrite(s, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
  attribute(s, "kind", kind, 0);
  attribute(s, "unit", "", 0);
  H5Dclose(s);
  H5Pclose(options);
  H5Sclose(space);
}

static void refused(hid_t file, const char *why) {
  H5Fclose(file);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_BAD_INPUT, record_read(path, &back, &err), why);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "is not a table that knock wrote"), err.text);
}

static const double three[] = {1, 2, 3};

/* second dimensions beyond 2^31 and 2^32, 2^61 rows: six of these crashed once */
static void sizes_that_cannot_be_are_refused(void) {
  static const hsize_t widths[] = {((hsize_t)1 << 32) + 1, (hsize_t)1 << 32, (hsize_t)1 << 31,
                                   ((hsize_t)1 << 32) - 1, 0};
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
    hid_t f = begin(path, "a\n");
    set(f, H5T_NATIVE_DOUBLE, 2, 1, widths[i], "number", NULL, widths[i] != 0);
    refused(f, "width");
  }
  static const hsize_t rows[] = {(hsize_t)1 << 61, ((hsize_t)1 << 61) + 1, (hsize_t)1 << 40};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    hid_t f = begin(path, "a\n");
    set(f, H5T_NATIVE_DOUBLE, 1, rows[i], 1, "number", NULL, 1);
    refused(f, "rows");
  }
}

static void other_types_are_refused(void) {
  const char *texts[] = {"a", "b", "c", "d", "e", "f"};
  hid_t type = text_type(), f = begin(path, "a\n");
  set(f, type, 2, 2, 3, "string", texts, 0);
  refused(f, "wide strings");
  f = begin(path, "a\n");
  set(f, type, 1, 3, 1, "number", texts, 0);
  refused(f, "strings as numbers");
  f = begin(path, "a\n");
  set(f, H5T_NATIVE_DOUBLE, 1, 3, 1, "string", three, 0);
  refused(f, "numbers as strings");
  f = begin(path, "a\n");
  set(f, H5T_NATIVE_DOUBLE, 1, 3, 1, "nonsense", three, 0);
  refused(f, "kind");
  f = begin(path, "a\na\n");
  set(f, H5T_NATIVE_DOUBLE, 1, 3, 1, "number", three, 0);
  refused(f, "twice");
  f = begin(path, "a\n");
  H5Gclose(H5Gcreate2(f, "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  refused(f, "a group");
  H5Tclose(type);
}

static void attributes_that_are_lists_are_refused(void) {
  hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  attribute(f, "columns", "a", 4);
  set(f, H5T_NATIVE_DOUBLE, 1, 3, 1, "number", three, 0);
  refused(f, "columns");
  f = begin(path, "a\n");
  hsize_t n = 3;
  hid_t space = H5Screate_simple(1, &n, NULL);
  hid_t s = H5Dcreate2(f, "a", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  attribute(s, "kind", "number", 50);
  attribute(s, "unit", "", 0);
  H5Dclose(s);
  H5Sclose(space);
  refused(f, "kind");
}

/* neither bytes of /etc/passwd nor the sets of another file */
static void other_files_are_out_of_reach(void) {
  hsize_t n = 16;
  hid_t f = begin(path, "a\n"), options = H5Pcreate(H5P_DATASET_CREATE);
  hid_t space = H5Screate_simple(1, &n, NULL);
  H5Pset_external(options, "/etc/passwd", 0, n);
  hid_t s = H5Dcreate2(f, "a", H5T_NATIVE_UCHAR, space, H5P_DEFAULT, options, H5P_DEFAULT);
  attribute(s, "kind", "number", 0);
  attribute(s, "unit", "", 0);
  H5Dclose(s);
  H5Sclose(space);
  H5Pclose(options);
  refused(f, "external storage");
  hid_t other = begin(outside, "a\n");
  set(other, H5T_NATIVE_DOUBLE, 1, 3, 1, "number", three, 0);
  H5Fclose(other);
  TEST_ASSERT_EQUAL_INT(CORE_OK, record_read(outside, &back, &err));
  record_table_free(&back);
  f = begin(path, "a\n");
  H5Lcreate_external(outside, "/a", f, "a", H5P_DEFAULT, H5P_DEFAULT);
  refused(f, "external link");
  f = begin(path, "a\n");
  H5Lcreate_soft("/b", f, "a", H5P_DEFAULT, H5P_DEFAULT);
  refused(f, "soft link");
}

/* ---- what we write */

static void fill(void) {
  record_add(&t, "x", "m/s", RECORD_NUMBER, 1);
  record_add(&t, "v", "1", RECORD_NUMBER, 3);
  record_add(&t, "id", "1", RECORD_INTEGER, 1);
  record_add(&t, "word", "", RECORD_STRING, 1);
  record_add(&t, "text", "", RECORD_STRING, 1);
  record_resize(&t, 20);
  for (size_t i = 0; i < 20; i++) {
    t.columns[0].x[i] = 1.0 / (double)(i + 1);
    for (size_t j = 0; j < 3; j++) t.columns[1].x[3 * i + j] = (double)(i * j);
    record_set_integer(&t.columns[2], i, INT64_MAX - (int64_t)i);
    record_set_string(&t.columns[3], i, "ok", 2);
    if (i % 3) record_set_string(&t.columns[4], i, "longer text", 4 + i % 7);
  }
  t.provenance = strdup("script: a.lua\n");
}

static char *slurp(const char *name, long *size) {
  FILE *f = fopen(name, "rb");
  fseek(f, 0, SEEK_END);
  *size = ftell(f);
  rewind(f);
  char *bytes = malloc((size_t)*size + 1);
  TEST_ASSERT_EQUAL_UINT64(1, fread(bytes, (size_t)*size, 1, f));
  fclose(f);
  return bytes;
}

static void the_same_table_is_the_same_bytes(void) {
  long n, m;
  fill();
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, record_write(&t, path, &err), err.text);
  char *one = slurp(path, &n);
  sleep(1); /* a time of making would show */
  TEST_ASSERT_EQUAL_INT(CORE_OK, record_write(&t, path, &err));
  char *two = slurp(path, &m);
  TEST_ASSERT_EQUAL_INT64(n, m);
  TEST_ASSERT_EQUAL_MEMORY(one, two, (size_t)n);
  free(one);
  free(two);
}

static unsigned long long state = 88172645463325252ull;

static unsigned long long draw(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state >> 11;
}

/* a few bytes changed, a piece copied over another one, or the end cut off */
static void mutate(char *bytes, long *n) {
  unsigned long long size = (unsigned long long)*n;
  static const unsigned char hard[] = {0, 1, 0x7f, 0x80, 0xff};
  for (unsigned long long k = draw() % 6; k < 6; k++)
    bytes[draw() % size] = (char)(draw() % 2 ? hard[draw() % 5] : draw() % 256);
  if (draw() % 4 == 0) {
    unsigned long long length = 1 + draw() % 64, from = draw() % (size - 64);
    memmove(bytes + draw() % (size - 64), bytes + from, length);
  }
  if (draw() % 8 == 0) *n = 1 + (long)(draw() % size);
}

static void changed_files_are_read_or_refused(void) {
  long size, good = 0, died = 0;
  fill();
  TEST_ASSERT_EQUAL_INT(CORE_OK, record_write(&t, path, &err));
  char *whole = slurp(path, &size), *bytes = malloc((size_t)size);
  for (long i = 0; i < mutations; i++) {
    long n = size;
    memcpy(bytes, whole, (size_t)size);
    mutate(bytes, &n);
    FILE *f = fopen(path, "wb");
    fwrite(bytes, 1, (size_t)n, f);
    fclose(f);
    core_status status = record_read(path, &back, &err);
    TEST_ASSERT_TRUE(status == CORE_OK || status == CORE_BAD_INPUT || status == CORE_IO);
    good += status == CORE_OK;
    died += status && strstr(err.text, "library died");
    TEST_ASSERT_TRUE(status || (back.rows <= 20 && back.n <= 5));
    record_table_free(&back);
  }
  printf("%ld changed files: %ld read, %ld refused, %ld of them because the library died\n",
         mutations, good, mutations - good, died);
  free(whole);
  free(bytes);
}

int main(int argc, char **argv) {
  if (argc > 1) mutations = atol(argv[1]);
  if (argc > 2) state += 0x9e3779b97f4a7c15ull * strtoull(argv[2], NULL, 10);
  if (!mkdtemp(folder)) return 1;
  snprintf(path, sizeof path, "%s/x.h5", folder);
  snprintf(outside, sizeof outside, "%s/outside.h5", folder);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  UNITY_BEGIN();
  RUN_TEST(sizes_that_cannot_be_are_refused);
  RUN_TEST(other_types_are_refused);
  RUN_TEST(attributes_that_are_lists_are_refused);
  RUN_TEST(other_files_are_out_of_reach);
  RUN_TEST(the_same_table_is_the_same_bytes);
  RUN_TEST(changed_files_are_read_or_refused);
  rmdir(folder);
  return UNITY_END();
}
