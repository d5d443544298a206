#include <locale.h>
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
    if (record_text(&t.columns[4], (size_t)i)) {
      TEST_ASSERT_EQUAL_STRING(record_text(&t.columns[4], (size_t)i),
                               record_text(&back.columns[4], (size_t)i));
    } else {
      TEST_ASSERT_NULL(record_text(&back.columns[4], (size_t)i));
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

/* digits of a number without zeros in front and behind */
static int digits_of(const char *text, char *digits) {
  int n = 0;
  for (; *text && *text != 'e'; text++)
    if (*text >= '0' && *text <= '9' && (n || *text != '0')) digits[n++] = *text;
  while (n > 1 && digits[n - 1] == '0') n--;
  digits[n] = '\0';
  return n;
}

/* Against the C library: the fewest digits that %e needs to come back, and these very digits. At
 * the least number of a binade the interval is lopsided, and fewer digits than %e finds can do. */
static void check_text(double x) {
  char text[32], wanted[40], a[40], b[40];
  int n = 0;
  TEST_ASSERT_EQUAL_INT(strlen(text), (record_number_text(x, text), strlen(text)));
  double y = strtod(text, NULL), z = record_number_read(text, NULL);
  TEST_ASSERT_EQUAL_MEMORY(&x, &y, sizeof x);
  TEST_ASSERT_EQUAL_MEMORY(&x, &z, sizeof x);
  do snprintf(wanted, sizeof wanted, "%.*e", n++, x);
  while (strtod(wanted, NULL) != x);
  int least = frexp(fabs(x), &n) == 0.5;
  int lopsided = digits_of(text, a) < digits_of(wanted, b) && least;
  if (!lopsided) TEST_ASSERT_EQUAL_STRING(b, a);
}

static long numbers = 20000; /* argv[1] */

static void numbers_have_the_fewest_digits_that_come_back(void) {
  unsigned long long state = 88172645463325252ull, bits;
  for (long i = 0; i < numbers; i++) {
    double x;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    bits = i % 8 == 1   ? state & ~0xfffffffffffffull
           : i % 8 == 2 ? state & 0x800fffffffffffffull
                        : state;
    memcpy(&x, &bits, sizeof x);
    if (i % 8 == 3) x = (double)(long long)(state >> state % 64);
    if (i % 8 == 4) x = (double)(state % 100000000) / pow(10, (double)(state % 9));
    if (i % 8 == 5) x = (double)(state >> 11) * 0x1p-53;
    if (isfinite(x)) check_text(x);
  }
  static const struct {
    double x;
    const char *text;
  } known[] = {{5e-324, "5e-324"},
               {1e23, "1e+23"},
               {9007199254740993., "9007199254740992"},
               {0.1, "0.1"},
               {-0.0, "-0"},
               {1e15, "1e+15"},
               {123456, "123456"},
               {1e-5, "1e-05"},
               {0.0001234, "0.0001234"},
               {1.7976931348623157e308, "1.7976931348623157e+308"},
               {2.5, "2.5"},
               {299792458, "299792458"},
               {4.35, "4.35"},
               {100, "100"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    char text[32];
    record_number_text(known[i].x, text);
    TEST_ASSERT_EQUAL_STRING(known[i].text, text);
  }
}

static void a_locale_with_commas_changes_no_number(void) {
  char *end;
  setlocale(LC_NUMERIC, "de_DE.UTF-8"); /* where it is installed */
  TEST_ASSERT_EQUAL_DOUBLE(1.2345678901234567e-7,
                           record_number_read("1.2345678901234567e-7", &end));
  TEST_ASSERT_EQUAL_INT(0, *end);
  setlocale(LC_NUMERIC, "C");
}

static void put(const char *text) {
  FILE *f = fopen(path, "w");
  fputs(text, f);
  fclose(f);
}

/* newlines, control characters, quotes, everything that means something to a format */
static void names_and_units_of_any_kind_come_back(void) {
  static const char *const endings[] = {".csv", ".jsonl", ".h5"};
  static const char *const names[] = {"a,b",         "x\ny",   "say \"hi\"", "#1",
                                      "col: [m]",    " blank", "a/b%2F",     "\033[2J",
                                      "back\\slash", "..",     "'quote'",    "tab\t"};
  enum { N = sizeof names / sizeof *names };
  for (int i = 0; i < N; i++) {
    TEST_ASSERT_NOT_NULL(record_add(&t, names[i], names[(i + 1) % N], RECORD_NUMBER, 1 + i % 2));
  }
  TEST_ASSERT_EQUAL_INT(CORE_OK, record_resize(&t, 2));
  for (int i = 0; i < N; i++) t.columns[i].x[0] = i;
  for (size_t e = 0; e < 3; e++) {
    end_path(endings[e]);
    core_status status = record_write(&t, path, &err);
    if (status == CORE_NO_TOOL) continue;
    TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, status, err.text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, record_read(path, &back, &err), err.text);
    TEST_ASSERT_EQUAL_INT(N, back.n);
    for (int i = 0; i < N; i++) {
      TEST_ASSERT_EQUAL_STRING(names[i], back.columns[i].name);
      TEST_ASSERT_EQUAL_STRING(names[(i + 1) % N], back.columns[i].unit);
      TEST_ASSERT_TRUE(back.columns[i].x[0] == i);
    }
    record_table_free(&back);
    unlink(path);
  }
}

static void whole_numbers_of_64_bits_come_back(void) {
  static const char *const endings[] = {".csv", ".jsonl", ".h5"};
  static const int64_t hard[] = {9007199254740993, INT64_MAX, INT64_MIN + 1, -9007199254740993, 7};
  record_add(&t, "id", "1", RECORD_INTEGER, 1);
  TEST_ASSERT_EQUAL_INT(CORE_OK, record_resize(&t, 7));
  for (size_t i = 0; i < 5; i++)
    record_set_integer(&t.columns[0], 1 + i, hard[i]); /* the first and the last are missing */
  for (size_t e = 0; e < 3; e++) {
    end_path(endings[e]);
    core_status status = record_write(&t, path, &err);
    if (status == CORE_NO_TOOL) continue;
    TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, record_read(path, &back, &err), err.text);
    for (size_t i = 0; i < 5; i++)
      TEST_ASSERT_TRUE(hard[i] == record_integer(&back.columns[0], 1 + i));
    TEST_ASSERT_TRUE(isnan(back.columns[0].x[0]) && isnan(back.columns[0].x[6]));
    record_table_free(&back);
    unlink(path);
  }
}

/* two columns and rows of them, as text "name=first|second" */
static const char *shape_of(const char *text) {
  static char shape[200];
  put(text);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, record_read(path, &back, &err), err.text);
  char *to = shape;
  *to = 0;
  for (int i = 0; i < back.n; i++) {
    to += sprintf(to, "%s%s=", i ? " " : "", back.columns[i].name);
    for (size_t k = 0; k < back.rows; k++) {
      const record_column *c = &back.columns[i];
      const char *word = c->kind == RECORD_STRING ? record_text(c, k) : NULL;
      if (c->kind == RECORD_STRING)
        to += sprintf(to, "%s%s", k ? "|" : "", word ? word : "nil");
      else if (c->whole)
        to += sprintf(to, "%s%lld", k ? "|" : "", (long long)c->whole[k]);
      else
        to += sprintf(to, "%s%g", k ? "|" : "", fabs(c->x[k]));
    }
  }
  record_table_free(&back);
  return shape;
}

static void foreign_csv_is_read_as_people_expect(void) {
  TEST_ASSERT_EQUAL_STRING("a=1|3 b=2|4", shape_of("a,b\n1,2\n3,4\n\n"));
  TEST_ASSERT_EQUAL_STRING("a=1|3 b=2|4", shape_of("a,b\n1,2\n\n3,4\n\r\n\n"));
  TEST_ASSERT_EQUAL_STRING("a=1 b=2", shape_of("\xef\xbb\xbf"
                                               "a,b\n1,2\n"));
  TEST_ASSERT_EQUAL_STRING("a=1|3 b=2|4", shape_of("a,b\r1,2\r3,4\r"));
  TEST_ASSERT_EQUAL_STRING("a=1|3 b=2|x", shape_of("a,b\r\n1,2\r\n3,x\r\n"));
  TEST_ASSERT_EQUAL_STRING("a=1 a_2=2", shape_of("a,a\n1,2\n"));
  TEST_ASSERT_EQUAL_STRING("a=1 column2=2 c=3", shape_of("a,,c\n1,2,3\n"));
  TEST_ASSERT_EQUAL_STRING("a,b=1 c=2", shape_of("\"a,b\",c\n1,2\n"));
  TEST_ASSERT_EQUAL_STRING("a=say \"hi\"", shape_of("a\n\"say \"\"hi\"\"\"\n"));
  TEST_ASSERT_EQUAL_STRING("a=1 b=2", shape_of("a;b\n1;2\n"));
  TEST_ASSERT_EQUAL_STRING("a=1|3 b=2|4", shape_of("a, b\n1, 2\n3 , 4 \n"));
  TEST_ASSERT_EQUAL_STRING("a=1|nan|3", shape_of("a\n1\nNA\n3\n"));
  TEST_ASSERT_EQUAL_STRING("id=9007199254740993|1", shape_of("id\n9007199254740993\n1\n"));
}

static void quotes_that_do_not_close_are_told(void) {
  put("a,b\n\"1,2\n3,4\n");
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, record_read(path, &back, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.text, "a quote is not closed, or text stands behind it"));
  put("a\n\"x\"y\n");
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, record_read(path, &back, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.text, "line 2: a quote is not closed"));
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

/* rows of texts against a plain list of numbers: 1 to 400 different words, missing ones, rows that
 * are moved and cut off */
static void texts_are_kept_however_many_words_there_are(void) {
  enum { ROWS = 1000 };
  static const int words[] = {1, 2, 3, 4, 15, 16, 255, 256, 400};
  for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
    record_table own;
    int want[ROWS];
    char text[32];
    record_table_init(&own);
    TEST_ASSERT_NOT_NULL(record_add(&own, "s", "", RECORD_STRING, 1));
    for (int i = 0; i < ROWS; i++) {
      record_resize(&own, (size_t)i + 1);
      want[i] = i % 7 == 3 ? -1 : i * 31 % words[w];
      snprintf(text, sizeof text, "word %d", want[i]);
      if (want[i] >= 0) record_set_string(&own.columns[0], (size_t)i, text, strlen(text));
    }
    record_move(&own, 100, 333, 500);
    memmove(want + 100, want + 333, 500 * sizeof *want);
    record_resize(&own, 700);
    record_resize(&own, ROWS); /* what was cut off is missing */
    for (int i = 0; i < ROWS; i++) {
      const char *got = record_text(&own.columns[0], (size_t)i);
      snprintf(text, sizeof text, "word %d", want[i]);
      if (i >= 700 || want[i] < 0) {
        TEST_ASSERT_NULL(got);
      } else {
        TEST_ASSERT_EQUAL_STRING(text, got);
      }
    }
    record_table_free(&own);
  }
}

int main(int argc, char **argv) {
  if (argc > 1) numbers = atol(argv[1]);
  UNITY_BEGIN();
  RUN_TEST(texts_are_kept_however_many_words_there_are);
  RUN_TEST(csv_reads_back_bit_for_bit);
  RUN_TEST(json_lines_read_back_bit_for_bit);
  RUN_TEST(hdf5_reads_back_bit_for_bit);
  RUN_TEST(numbers_have_the_fewest_digits_that_come_back);
  RUN_TEST(a_locale_with_commas_changes_no_number);
  RUN_TEST(names_and_units_of_any_kind_come_back);
  RUN_TEST(whole_numbers_of_64_bits_come_back);
  RUN_TEST(foreign_csv_is_read_as_people_expect);
  RUN_TEST(quotes_that_do_not_close_are_told);
  RUN_TEST(foreign_files_are_understood);
  RUN_TEST(broken_files_name_the_line);
  RUN_TEST(a_full_disk_is_said_and_leaves_no_file);
  RUN_TEST(an_unknown_ending_is_refused);
  return UNITY_END();
}
