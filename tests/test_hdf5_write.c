/* Our files as the HDF5 library itself sees them, in this process: types, sizes, attributes, texts;
 * and it can go on writing to them. (test_record.c reads them back by our own reader.) */
#include <errno.h>
#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "record/table.h"
#include "unity.h"

static record_table t, back;
static core_error err;
static char folder[] = "/tmp/knock-hdf5-XXXXXX", path[64];

void setUp(void) {
  record_table_init(&t);
  record_table_init(&back);
  err = (core_error){0};
}

void tearDown(void) {
  record_table_free(&t);
  record_table_free(&back);
  unlink(path);
}

static hid_t written(unsigned mode) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, record_write(&t, path, &err), err.text);
  TEST_ASSERT_TRUE(H5Fis_hdf5(path) > 0);
  hid_t file = H5Fopen(path, mode, H5P_DEFAULT);
  TEST_ASSERT_TRUE_MESSAGE(file >= 0, "the library cannot open it");
  return file;
}

static hid_t set_of(hid_t file, const char *name) {
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  TEST_ASSERT_TRUE_MESSAGE(set >= 0, name);
  return set;
}

static void has_type(hid_t set, hid_t wanted) {
  hid_t type = H5Dget_type(set);
  TEST_ASSERT_TRUE(H5Tequal(type, wanted) > 0);
  H5Tclose(type);
}

static void has_size(hid_t set, int rank, hsize_t rows, hsize_t width) {
  hsize_t size[2] = {0, 1}, most[2] = {0, 1};
  hid_t space = H5Dget_space(set);
  TEST_ASSERT_EQUAL_INT(rank, H5Sget_simple_extent_dims(space, size, most));
  TEST_ASSERT_TRUE(size[0] == rows && size[1] == width);
  TEST_ASSERT_TRUE(most[0] == rows && most[1] == width);
  H5Sclose(space);
}

static void has_text(hid_t object, const char *name, const char *wanted) {
  char *text = NULL;
  hid_t a = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(a);
  TEST_ASSERT_TRUE(H5Tis_variable_str(type) > 0 && H5Tget_cset(type) == H5T_CSET_UTF8);
  TEST_ASSERT_TRUE(H5Aread(a, type, &text) >= 0);
  TEST_ASSERT_EQUAL_STRING(wanted, text);
  H5free_memory(text);
  H5Tclose(type);
  H5Aclose(a);
}

static void sets_have_types_sizes_and_attributes(void) {
  double x[6];
  int64_t id[3];
  char words[3][4];
  record_add(&t, "x", "m/s", RECORD_NUMBER, 1);
  record_add(&t, "v", "", RECORD_NUMBER, 2);
  record_add(&t, "id", "1", RECORD_INTEGER, 1);
  record_add(&t, "a/b", "", RECORD_STRING, 1);
  record_resize(&t, 3);
  for (int i = 0; i < 6; i++) t.columns[1].x[i] = 0.1 * i;
  for (size_t i = 0; i < 2; i++) record_set_integer(&t.columns[2], i, INT64_MAX - (int64_t)i);
  record_set_string(&t.columns[3], 0, "one", 3);
  record_set_string(&t.columns[3], 1, "", 0);
  record_set_string(&t.columns[3], 2, "three", 5);
  t.provenance = strdup("script: a.lua\n");
  hid_t file = written(H5F_ACC_RDONLY), set = set_of(file, "v");
  has_text(file, "columns", "x\nv\nid\na%2Fb\n");
  has_text(file, "provenance", "script: a.lua\n");
  has_type(set, H5T_IEEE_F64LE);
  has_size(set, 2, 3, 2);
  has_text(set, "unit", "");
  has_text(set, "kind", "number");
  TEST_ASSERT_TRUE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
  TEST_ASSERT_EQUAL_MEMORY(t.columns[1].x, x, sizeof x);
  H5Dclose(set);
  set = set_of(file, "id");
  has_type(set, H5T_STD_I64LE);
  has_size(set, 1, 3, 1);
  TEST_ASSERT_TRUE(H5Dread(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, id) >= 0);
  TEST_ASSERT_TRUE(id[0] == INT64_MAX && id[1] == INT64_MAX - 1 && id[2] == INT64_MIN);
  H5Dclose(set);
  set = set_of(file, "a%2Fb");
  hid_t four = H5Tcopy(H5T_C_S1), five = H5Tcopy(H5T_C_S1);
  H5Tset_size(four, 4), H5Tset_cset(four, H5T_CSET_UTF8), H5Tset_strpad(four, H5T_STR_NULLPAD);
  H5Tset_size(five, 5), H5Tset_cset(five, H5T_CSET_UTF8), H5Tset_strpad(five, H5T_STR_NULLPAD);
  has_type(set, five);
  TEST_ASSERT_TRUE(H5Dread(set, four, H5S_ALL, H5S_ALL, H5P_DEFAULT, words) >= 0);
  TEST_ASSERT_EQUAL_MEMORY("one\0\0\0\0\0thre", words, sizeof words);
  H5Tclose(four), H5Tclose(five), H5Dclose(set), H5Fclose(file);
}

/* one, a full node of names, one more, and more nodes than the library's own trees have */
static void many_columns_are_found_by_name(void) {
  static const int counts[] = {1, 8, 9, 256, 257, 3000};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    char name[32];
    double x;
    H5G_info_t info;
    for (int i = 0; i < counts[k]; i++) {
      snprintf(name, sizeof name, "c%d", (7919 * i) % 10007); /* in no order */
      record_add(&t, name, "", RECORD_NUMBER, 1);
    }
    record_resize(&t, 1);
    for (int i = 0; i < counts[k]; i++) t.columns[i].x[0] = i;
    hid_t file = written(H5F_ACC_RDONLY);
    TEST_ASSERT_TRUE(H5Gget_info(file, &info) >= 0 && info.nlinks == (hsize_t)counts[k]);
    for (int i = 0; i < counts[k]; i++) {
      hid_t set = set_of(file, t.columns[i].name);
      H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &x);
      TEST_ASSERT_TRUE(x == i);
      H5Dclose(set);
    }
    TEST_ASSERT_TRUE(H5Lexists(file, "nothing", H5P_DEFAULT) == 0);
    H5Fclose(file);
    record_table_free(&t);
    record_table_init(&t);
  }
}

/* the text of a row: missing, empty, short, and a few of more than 64 KB; NULL: missing */
static const char *text_of(size_t i, char *room) {
  if (i % 5 == 0) return NULL;
  size_t n = i % 5 == 1 ? 0 : i % 1000 == 2 ? 70000 + i : i % 31;
  memset(room, 'a' + (int)(i % 26), n);
  room[n] = '\0';
  return room;
}

static void texts_of_their_own_length(void) {
  enum { ROWS = 9001 }; /* three collections */
  static char room[1 << 17];
  static char *texts[ROWS];
  record_add(&t, "s", "", RECORD_STRING, 1);
  record_resize(&t, ROWS);
  for (size_t i = 0; i < ROWS; i++) {
    const char *text = text_of(i, room);
    if (text) record_set_string(&t.columns[0], i, text, strlen(text));
  }
  hid_t file = written(H5F_ACC_RDONLY), set = set_of(file, "s"), type = H5Dget_type(set);
  TEST_ASSERT_TRUE(H5Tis_variable_str(type) > 0);
  TEST_ASSERT_TRUE(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) >= 0);
  for (size_t i = 0; i < ROWS; i++) {
    const char *wanted = text_of(i, room);
    TEST_ASSERT_EQUAL_INT(wanted == NULL, texts[i] == NULL);
    if (wanted) TEST_ASSERT_EQUAL_STRING(wanted, texts[i]);
    H5free_memory(texts[i]);
  }
  H5Tclose(type), H5Dclose(set), H5Fclose(file);
}

/* word w of the row, in runs of 1 to 37 rows; some are as long as `length` */
static const char *word_of(size_t i, unsigned words, size_t length, char *room) {
  unsigned w = (unsigned)(i / (1 + i % 37 % 5 * 9) * 7 % words);
  int n = sprintf(room, "w%u", w);
  if (w % 2) memset(room + n, '.', length), room[(size_t)n + length] = '\0';
  return room;
}

/* from one word to more than are kept by their numbers, and fields of more than 16 KB */
static void words_in_fields(void) {
  static const unsigned counts[] = {1, 2, 3, 5, 16, 200, 400};
  static char room[1 << 16];
  for (size_t k = 0; k < sizeof counts / sizeof *counts * 2; k++) {
    size_t rows = k % 2 ? 7 : 5003, length = k % 2 ? 20000 : 30;
    record_add(&t, "s", "", RECORD_STRING, 1);
    record_resize(&t, rows);
    for (size_t i = 0; i < rows; i++) {
      const char *word = word_of(i, counts[k / 2], length, room);
      record_set_string(&t.columns[0], i, word, strlen(word));
    }
    hid_t file = written(H5F_ACC_RDONLY), set = set_of(file, "s"), type = H5Dget_type(set);
    if (H5Tis_variable_str(type) == 0) {
      size_t size = H5Tget_size(type);
      char *x = malloc(rows * size);
      TEST_ASSERT_TRUE(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
      for (size_t i = 0; i < rows; i++) {
        memset(room, 0, size + 1);
        TEST_ASSERT_EQUAL_MEMORY(word_of(i, counts[k / 2], length, room), x + i * size, size);
      }
      free(x);
    } else {
      TEST_ASSERT_TRUE_MESSAGE(k % 2, "texts that differ by 30 bytes are in fields");
    }
    H5Tclose(type), H5Dclose(set), H5Fclose(file);
    record_table_free(&t);
    record_table_init(&t);
  }
}

/* row i of the table of rows that come piece by piece */
static void put_row(record_table *to, size_t row, size_t i, char *room) {
  const char *text = text_of(i, room), *word = i % 7 < 4 ? "ok" : "limit";
  to->columns[0].x[row] = 0.1 * (double)i;
  to->columns[1].x[2 * row] = (double)i, to->columns[1].x[2 * row + 1] = -(double)i;
  record_set_integer(&to->columns[2], row, i < 6000 ? (int64_t)i : INT64_MAX - (int64_t)i);
  if (text) record_set_string(&to->columns[3], row, text, strlen(text));
  record_set_string(&to->columns[4], row, word, strlen(word));
}

static void add_columns_of_pieces(record_table *to) {
  record_add(to, "x", "m", RECORD_NUMBER, 1);
  record_add(to, "v", "m/s", RECORD_NUMBER, 2);
  record_add(to, "id", "1", RECORD_INTEGER, 1);
  record_add(to, "s", "", RECORD_STRING, 1);
  record_add(to, "status", "", RECORD_STRING, 1);
}

/* pieces of one row, of some and of more than a collection; whole numbers that grow too large for
 * doubles on the way */
static void rows_that_come_piece_by_piece(void) {
  static const size_t pieces[] = {1, 4095, 1, 0, 17, 5000};
  static char room[1 << 17];
  size_t done = 0, all = 9114;
  record_stream *s;
  add_columns_of_pieces(&t);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, record_stream_open(&s, &t, all, path, &err), err.text);
  for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
    record_resize(&t, 0);
    record_resize(&t, pieces[k]);
    for (size_t i = 0; i < pieces[k]; i++) put_row(&t, i, done + i, room);
    TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, record_stream_rows(s, &t, &err), err.text);
    done += pieces[k];
  }
  TEST_ASSERT_TRUE(done == all);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, record_stream_close(s, &err), err.text);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, record_read(path, &back, &err), err.text);
  TEST_ASSERT_TRUE(back.rows == all && back.n == 5);
  for (size_t i = 0; i < all; i++) {
    const char *text = text_of(i, room), *is = record_text(&back.columns[3], i);
    TEST_ASSERT_TRUE(back.columns[0].x[i] == 0.1 * (double)i);
    TEST_ASSERT_TRUE(back.columns[1].x[2 * i + 1] == -(double)i);
    TEST_ASSERT_TRUE(record_integer(&back.columns[2], i) ==
                     (i < 6000 ? (int64_t)i : INT64_MAX - (int64_t)i));
    TEST_ASSERT_EQUAL_INT(text == NULL, is == NULL);
    if (text) TEST_ASSERT_EQUAL_STRING(text, is);
    TEST_ASSERT_EQUAL_STRING(i % 7 < 4 ? "ok" : "limit", record_text(&back.columns[4], i));
  }
}

static void nothing_at_all(void) {
  hid_t file = written(H5F_ACC_RDONLY);
  has_text(file, "columns", "");
  H5Fclose(file);
  record_add(&t, "x", "", RECORD_NUMBER, 1);
  record_add(&t, "s", "", RECORD_STRING, 1);
  file = written(H5F_ACC_RDONLY);
  hid_t set = set_of(file, "s");
  has_size(set, 1, 0, 1);
  H5Dclose(set), H5Fclose(file);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, record_read(path, &back, &err), err.text);
  TEST_ASSERT_TRUE(back.n == 2 && back.rows == 0);
}

/* a set, a group, another text: the library takes our tree, heaps and headers as its own */
static void the_library_can_go_on(void) {
  record_add(&t, "x", "m", RECORD_NUMBER, 1);
  record_resize(&t, 4);
  for (size_t i = 0; i < 4; i++) t.columns[0].x[i] = (double)i;
  hid_t file = written(H5F_ACC_RDWR), scalar = H5Screate(H5S_SCALAR), text = H5Tcopy(H5T_C_S1);
  const char *more = "more";
  H5Tset_size(text, H5T_VARIABLE);
  for (int i = 0; i < 40; i++) { /* more than a node takes */
    char name[16];
    snprintf(name, sizeof name, "more%d", i);
    hid_t set = H5Dcreate2(file, name, text, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    TEST_ASSERT_TRUE(set >= 0 && H5Dwrite(set, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, &more) >= 0);
    H5Dclose(set);
  }
  hid_t x = set_of(file, "x"), a = H5Acreate2(x, "note", text, scalar, H5P_DEFAULT, H5P_DEFAULT);
  TEST_ASSERT_TRUE(a >= 0 && H5Awrite(a, text, &more) >= 0);
  H5Aclose(a), H5Dclose(x);
  TEST_ASSERT_TRUE(H5Gclose(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)) >= 0);
  H5Tclose(text), H5Sclose(scalar);
  TEST_ASSERT_TRUE(H5Fclose(file) >= 0);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, record_read(path, &back, &err), err.text);
  TEST_ASSERT_TRUE(back.n == 1 && back.rows == 4);
  TEST_ASSERT_EQUAL_MEMORY(t.columns[0].x, back.columns[0].x, 4 * sizeof(double));
}

/* what was there stays, and nothing is left beside it */
static void a_full_disk_is_told(void) {
  struct rlimit old, small = {100000, RLIM_INFINITY};
  record_add(&t, "x", "m", RECORD_NUMBER, 1);
  record_resize(&t, 10);
  TEST_ASSERT_EQUAL_INT(CORE_OK, record_write(&t, path, &err));
  record_resize(&t, 100000);
  getrlimit(RLIMIT_FSIZE, &old);
  small.rlim_max = old.rlim_max;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  core_status status = record_write(&t, path, &err);
  setrlimit(RLIMIT_FSIZE, &old);
  TEST_ASSERT_EQUAL_INT(CORE_IO, status);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, strerror(EFBIG)), err.text);
  TEST_ASSERT_EQUAL_INT(CORE_OK, record_read(path, &back, &err));
  TEST_ASSERT_TRUE(back.rows == 10);
}

int main(void) {
  if (!mkdtemp(folder)) return 1;
  snprintf(path, sizeof path, "%s/x.h5", folder);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  UNITY_BEGIN();
  RUN_TEST(sets_have_types_sizes_and_attributes);
  RUN_TEST(many_columns_are_found_by_name);
  RUN_TEST(texts_of_their_own_length);
  RUN_TEST(words_in_fields);
  RUN_TEST(rows_that_come_piece_by_piece);
  RUN_TEST(nothing_at_all);
  RUN_TEST(the_library_can_go_on);
  RUN_TEST(a_full_disk_is_told);
  int failures = UNITY_END();
  return rmdir(folder) ? 1 : failures; /* something was left behind */
}
