#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/out.h"
#include "record/table.h"
#include "unity.h"

static record_table t, back;
static core_error err;
static char path[64];

void setUp(void) {
  record_table_init(&t);
  record_table_init(&back);
  err = (core_error){0};
  snprintf(path, sizeof path, "/tmp/knock-record-%ld.csv", (long)getpid());
}

void tearDown(void) {
  record_table_free(&t);
  record_table_free(&back);
  unlink(path);
}

static void end_path(const char *ending) {
  strcpy(strrchr(path, '.'), ending);
}

/* every kind of column, with values that are hard to write down */
static void fill(size_t rows) {
  static const double hard[] = {
      0.1,  -0.0, 1e308, 5e-324, 1.0 / 3, INFINITY, -INFINITY, NAN, 123456789012345678.0,
      1e15, -7,   2.5};
  static const char *const words[] = {"plain",      "",   "with,comma", "say \"hi\"",
                                      "two\nlines", "#1", NULL};
  record_add(&t, "x", "m/s", RECORD_NUMBER, 1);
  record_add(&t, "v", "1", RECORD_NUMBER, 3);
  record_add(&t, "n", "1", RECORD_INTEGER, 1);
  record_add(&t, "ok", "1", RECORD_BOOLEAN, 1);
  record_add(&t, "text", "", RECORD_STRING, 1);
  TEST_ASSERT_EQUAL_INT(CORE_OK, record_resize(&t, rows));
  for (size_t i = 0; i < rows; i++) {
    t.columns[0].x[i] = hard[i % 12];
    for (size_t j = 0; j < 3; j++) t.columns[1].x[3 * i + j] = sin((double)(i + j)) * hard[i % 5];
    t.columns[2].x[i] = i % 4 ? (double)i : NAN;
    t.columns[3].x[i] = i % 5 ? (double)(i % 2) : NAN;
    const char *w = words[i % 7];
    if (w) record_set_string(&t.columns[4], i, w, strlen(w));
  }
  t.provenance = strdup("script: a.lua\nseed: 7\n");
}

static void same_bits(const record_column *a, const record_column *b, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (isnan(a->x[i])) {
      TEST_ASSERT_TRUE(isnan(b->x[i]));
    } else {
      TEST_ASSERT_EQUAL_MEMORY(&a->x[i], &b->x[i], sizeof(double));
    }
  }
}

static void round_trip(void) {
  fill(100);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, record_write(&t, path, &err), err.text);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, record_read(path, &back, &err), err.text);
  TEST_ASSERT_EQUAL_INT(t.n, back.n);
  TEST_ASSERT_EQUAL_UINT64(100, back.rows);
  TEST_ASSERT_EQUAL_STRING(t.provenance, back.provenance);
  for (int i = 0; i < t.n; i++) {
    TEST_ASSERT_EQUAL_STRING(t.columns[i].name, back.columns[i].name);
    TEST_ASSERT_EQUAL_STRING(t.columns[i].unit, back.columns[i].unit);
    TEST_ASSERT_EQUAL_INT(t.columns[i].kind, back.columns[i].kind);
    if (t.columns[i].x)
      same_bits(&t.columns[i], &back.columns[i], 100 * (size_t)t.columns[i].width);
  }
  for (size_t i = 0; i < 100; i++) {
    if (t.columns[4].s[i]) {
      TEST_ASSERT_EQUAL_STRING(t.columns[4].s[i], back.columns[4].s[i]);
    } else {
      TEST_ASSERT_NULL(back.columns[4].s[i]);
    }
  }
}

static void csv_reads_back_bit_for_bit(void) {
  round_trip();
}

static void json_lines_read_back_bit_for_bit(void) {
  end_path(".jsonl");
  round_trip();
}

static void hdf5_reads_back_bit_for_bit(void) {
  end_path(".h5");
  if (record_write(&t, path, &err) == CORE_NO_TOOL) TEST_IGNORE_MESSAGE("built without HDF5");
  round_trip();
}

static void random_bits_survive_as_text(void) {
  unsigned long long state = 88172645463325252ull;
  for (int i = 0; i < 20000; i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    double x;
    memcpy(&x, &state, sizeof x);
    if (isnan(x)) continue;
    char text[32];
    record_number_text(x, text);
    double y = strtod(text, NULL);
    TEST_ASSERT_EQUAL_MEMORY(&x, &y, sizeof x);
  }
}

static void put(const char *text) {
  FILE *f = fopen(path, "w");
  fputs(text, f);
  fclose(f);
}

static void foreign_files_are_understood(void) {
  put("a, b,c\r\n1,x,\r\n2.5,y,3\r\n");
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, record_read(path, &back, &err), err.text);
  TEST_ASSERT_EQUAL_INT(3, back.n);
  TEST_ASSERT_EQUAL_INT(RECORD_NUMBER, back.columns[0].kind);
  TEST_ASSERT_EQUAL_INT(RECORD_STRING, back.columns[1].kind);
  TEST_ASSERT_EQUAL_INT(RECORD_NUMBER, back.columns[2].kind);
  TEST_ASSERT_TRUE(isnan(back.columns[2].x[0]));
  TEST_ASSERT_EQUAL_DOUBLE(2.5, back.columns[0].x[1]);
}

static void broken_files_name_the_line(void) {
  put("# column a: number [m]\na\n1\n2,3\n");
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, record_read(path, &back, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.text, "line 4: too many fields"));
  put("# column a: number [m]\na\nseven\n");
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, record_read(path, &back, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.text, "line 3: expected a number"));
}

static void a_full_disk_is_said_and_leaves_no_file(void) {
  fill(10);
  TEST_ASSERT_EQUAL_INT(CORE_IO, record_write(&t, "/dev/full", &err));
  TEST_ASSERT_EQUAL_STRING("cannot write '/dev/full': No space left on device", err.text);
  TEST_ASSERT_EQUAL_INT(CORE_IO, record_write(&t, "/nonexistent/x.csv", &err));
  TEST_ASSERT_NOT_NULL(strstr(err.text, "No such file or directory"));
}

static void an_unknown_ending_is_refused(void) {
  end_path(".xls");
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, record_write(&t, path, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.text, "not .xls"));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(csv_reads_back_bit_for_bit);
  RUN_TEST(json_lines_read_back_bit_for_bit);
  RUN_TEST(hdf5_reads_back_bit_for_bit);
  RUN_TEST(random_bits_survive_as_text);
  RUN_TEST(foreign_files_are_understood);
  RUN_TEST(broken_files_name_the_line);
  RUN_TEST(a_full_disk_is_said_and_leaves_no_file);
  RUN_TEST(an_unknown_ending_is_refused);
  return UNITY_END();
}
