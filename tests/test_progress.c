/* The time that a sweep says is left: the start-up of the workers does not count. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <unity.h>

#include "sweep/progress.h"

void setUp(void) {
}
void tearDown(void) {
}

static void pass(double seconds) {
  struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
  nanosleep(&t, NULL);
}

/* what show says at once, whatever the pause between two lines */
static void show_now(sweep_progress *p, size_t done, char *text, size_t size) {
  FILE *file = tmpfile();
  TEST_ASSERT_NOT_NULL(file);
  int before = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  p->next = 0;
  p->terminal = 0;
  sweep_progress_show(p, done);
  dup2(before, STDERR_FILENO);
  close(before);
  rewind(file);
  size_t n = fread(text, 1, size - 1, file);
  text[n] = '\0';
  fclose(file);
}

/* 0.6 s until the first of 1,000 samples is there, then 100 of them in 0.2 s: at most 500 per
 * second. With start-up it would be 101 in 0.8 s, at most 127 per second, and 7 s left instead of
 * 2. A machine that is slow makes the true rate smaller; it is bounded by the clock that we read.
 */
static void test_startup_does_not_count(void) {
  sweep_progress p;
  char text[128];
  struct timespec from, to;
  double rate, left;
  sweep_progress_start(&p, 1000, 0);
  sweep_progress_show(&p, 0); /* as the sweep does while its workers start */
  pass(0.6);
  sweep_progress_show(&p, 1);
  clock_gettime(CLOCK_MONOTONIC, &from);
  pass(0.2);
  clock_gettime(CLOCK_MONOTONIC, &to);
  show_now(&p, 101, text, sizeof text);
  double seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
  TEST_ASSERT_EQUAL_INT(2, sscanf(text, "sweep: 101 of 1000, %lf/s, %lf s left", &rate, &left));
  TEST_ASSERT_DOUBLE_WITHIN(0.2 * 100 / seconds, 100 / seconds, rate);
  TEST_ASSERT_DOUBLE_WITHIN(0.3 * 899 * seconds / 100 + 0.5, 899 * seconds / 100, left);
}

static void test_nothing_is_known_before_the_first_result(void) {
  sweep_progress p;
  char text[128];
  sweep_progress_start(&p, 10, 4); /* four of an earlier run do not count either */
  show_now(&p, 4, text, sizeof text);
  TEST_ASSERT_NOT_NULL(strstr(text, "? s left"));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_startup_does_not_count);
  RUN_TEST(test_nothing_is_known_before_the_first_result);
  return UNITY_END();
}
