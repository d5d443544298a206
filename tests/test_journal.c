#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/journal.h"
#include "unity.h"

enum { HEADER = 16 + 10 + 23 + 4 }; /* magic, two lines, checksum, end */
static char path[64];
static size_t seen[1000];
static size_t count;
static core_error err;

void setUp(void) {
  snprintf(path, sizeof path, "/tmp/knock-journal-%ld", (long)getpid());
  count = 0;
  err = (core_error){0};
  unlink(path);
}

void tearDown(void) {
  unlink(path);
}

static core_status note(void *self, size_t i, const char *bytes, size_t n, core_error *e) {
  (void)self, (void)e;
  char expected[32];
  snprintf(expected, sizeof expected, "sample %zu", i);
  TEST_ASSERT_EQUAL_UINT64(strlen(expected), n);
  TEST_ASSERT_EQUAL_MEMORY(expected, bytes, n);
  seen[count++] = i;
  return CORE_OK;
}

static void add(sweep_journal *j, size_t i) {
  char text[32];
  snprintf(text, sizeof text, "sample %zu", i);
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_journal_append(j, i, text, strlen(text), &err));
}

static void write_some(size_t n) {
  sweep_journal j;
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_journal_create(&j, path, "a: 1\nb: 2\n", &err));
  for (size_t i = 0; i < n; i++) add(&j, 3 * i);
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_journal_close(&j, &err));
}

static long size_of_file(void) {
  FILE *f = fopen(path, "r");
  fseek(f, 0, SEEK_END);
  long n = ftell(f);
  fclose(f);
  return n;
}

static void what_was_written_is_replayed(void) {
  write_some(100);
  char *header;
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_journal_header(path, &header, NULL, &err));
  TEST_ASSERT_EQUAL_STRING("a: 1\nb: 2\n", header);
  free(header);
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_journal_resume(NULL, path, note, NULL, &err));
  TEST_ASSERT_EQUAL_UINT64(100, count);
  TEST_ASSERT_EQUAL_UINT64(297, seen[99]);
}

/* cut anywhere, what is left is whole frames, and appending goes on behind them */
static void a_journal_cut_anywhere_can_be_resumed(void) {
  write_some(5);
  long whole = size_of_file();
  for (long cut = whole; cut > 24; cut--) {
    sweep_journal j;
    unlink(path);
    write_some(5);
    TEST_ASSERT_EQUAL_INT(0, truncate(path, cut));
    count = 0;
    core_status status = sweep_journal_resume(&j, path, note, NULL, &err);
    if (status) { /* cut inside the header: it says that it is no journal */
      TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, status);
      TEST_ASSERT_TRUE(cut < HEADER);
      continue;
    }
    size_t before = count;
    TEST_ASSERT_EQUAL_UINT64(cut == whole ? 5 : before, before);
    add(&j, 77);
    TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_journal_close(&j, &err));
    count = 0;
    TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_journal_resume(NULL, path, note, NULL, &err));
    TEST_ASSERT_EQUAL_UINT64(before + 1, count);
    TEST_ASSERT_EQUAL_UINT64(77, seen[before]);
  }
}

static void a_flipped_bit_ends_the_journal_there(void) {
  write_some(10);
  FILE *f = fopen(path, "r+");
  fseek(f, -5 * 25, SEEK_END); /* somewhere in the fifth frame from the end */
  int c = fgetc(f);
  fseek(f, -1, SEEK_CUR);
  fputc(c ^ 4, f);
  fclose(f);
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_journal_resume(NULL, path, note, NULL, &err));
  TEST_ASSERT_TRUE(count >= 4 && count <= 6);
}

static void flip(long at, int bit) {
  FILE *f = fopen(path, "r+");
  fseek(f, at, SEEK_SET);
  int c = fgetc(f);
  fseek(f, at, SEEK_SET);
  fputc(c ^ (1 << bit), f);
  fclose(f);
}

/* 26 of 75 such flips gave other axes once */
static void any_flipped_bit_of_the_header_is_noticed(void) {
  write_some(3);
  for (long at = 0; at < HEADER; at++)
    for (int bit = 0; bit < 8; bit++) {
      char *header;
      flip(at, bit);
      TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, sweep_journal_header(path, &header, NULL, &err));
      TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, sweep_journal_resume(NULL, path, note, NULL, &err));
      flip(at, bit);
    }
  TEST_ASSERT_EQUAL_UINT64(0, count);
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_journal_resume(NULL, path, note, NULL, &err));
}

static void journals_of_the_first_kind_are_told_apart(void) {
  FILE *f = fopen(path, "w");
  fputs("knock journal 1\na: 1\n---\n", f);
  fclose(f);
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, sweep_journal_resume(NULL, path, note, NULL, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.text, "another version of knock"));
}

/* the second process is told who it is that writes, at once */
static void a_second_writer_is_told_who_the_first_is(void) {
  sweep_journal j, second;
  char *header, holder[120], me[40];
  snprintf(me, sizeof me, "process %ld (", (long)getpid());
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_journal_create(&j, path, "a: 1\n", &err));
  TEST_ASSERT_EQUAL_INT(CORE_IO, sweep_journal_resume(&second, path, note, NULL, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.text, "is in use by"));
  TEST_ASSERT_NOT_NULL(strstr(err.text, me));
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_journal_header(path, &header, holder, &err));
  TEST_ASSERT_EQUAL_STRING_LEN(me, holder, strlen(me));
  free(header);
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_journal_close(&j, &err));
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_journal_header(path, &header, holder, &err));
  TEST_ASSERT_EQUAL_STRING("", holder);
  free(header);
}

static void an_existing_journal_is_not_overwritten(void) {
  write_some(1);
  sweep_journal j;
  TEST_ASSERT_EQUAL_INT(CORE_IO, sweep_journal_create(&j, path, "", &err));
  TEST_ASSERT_NOT_NULL(strstr(err.text, "File exists"));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(what_was_written_is_replayed);
  RUN_TEST(a_journal_cut_anywhere_can_be_resumed);
  RUN_TEST(a_flipped_bit_ends_the_journal_there);
  RUN_TEST(any_flipped_bit_of_the_header_is_noticed);
  RUN_TEST(journals_of_the_first_kind_are_told_apart);
  RUN_TEST(a_second_writer_is_told_who_the_first_is);
  RUN_TEST(an_existing_journal_is_not_overwritten);
  return UNITY_END();
}
