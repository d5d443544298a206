/* Chunks claimed in a folder: exclusion, takeover, vanished folders, whatever the clocks say. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sweep/claim.h"
#include "unity.h"

static char folder[32];
static core_error err;
static sweep_claims a, b;

void setUp(void) {
  strcpy(folder, "/tmp/knock-claim-XXXXXX");
  TEST_ASSERT_NOT_NULL(mkdtemp(folder));
  err = (core_error){0};
}

void tearDown(void) {
  char line[80];
  sweep_claims_close(&a);
  sweep_claims_close(&b);
  snprintf(line, sizeof line, "rm -rf %s", folder);
  TEST_ASSERT_EQUAL_INT(0, system(line));
}

static void nap(double s) {
  nanosleep(&(struct timespec){(time_t)s, (long)((s - (double)(time_t)s) * 1e9)}, NULL);
}

static void begin(sweep_claims *c, size_t chunks, double patience) {
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_claims_open(c, folder, chunks, patience, &err));
}

/* claims one; how many it holds then, -1: all is done */
static int next(sweep_claims *c, size_t want) {
  int all_done = 0;
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, sweep_claims_next(c, want, &all_done, &err), err.text);
  return all_done ? -1 : (int)c->n_held;
}

static void a_chunk_has_one_holder(void) {
  begin(&a, 2, 60);
  begin(&b, 2, 60);
  TEST_ASSERT_EQUAL_INT(1, next(&a, 1));
  TEST_ASSERT_EQUAL_INT(1, next(&b, 1));
  TEST_ASSERT_TRUE(a.held[0] != b.held[0]);
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_claims_release(&a, 1, &err));
  TEST_ASSERT_EQUAL_INT(0, next(&a, 1)); /* the other one is b's */
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_claims_release(&b, 0, &err));
  TEST_ASSERT_EQUAL_INT(1, next(&a, 1)); /* given back */
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_claims_release(&a, 1, &err));
  TEST_ASSERT_EQUAL_INT(-1, next(&b, 1));
}

static void claimers_leave_work_for_others(void) {
  begin(&a, 400, 60);
  TEST_ASSERT_EQUAL_INT(200, next(&a, 1000)); /* half of what is free */
}

/* mtimes an hour ahead and behind: clocks of machines are never compared */
static void set_times(double hours) {
  char path[80];
  snprintf(path, sizeof path, "%s/lease-%06zu", folder, a.held[0]);
  struct timespec t[2];
  clock_gettime(CLOCK_REALTIME, &t[0]);
  t[0].tv_sec += (time_t)(hours * 3600);
  t[1] = t[0];
  TEST_ASSERT_EQUAL_INT(0, utimensat(AT_FDCWD, path, t, 0));
}

static void a_lease_that_is_renewed_is_kept_whatever_the_clocks_say(void) {
  begin(&a, 1, 0.4);
  begin(&b, 1, 0.4);
  TEST_ASSERT_EQUAL_INT(1, next(&a, 1));
  for (int i = 0; i < 10; i++) {
    set_times(i % 2 ? 1 : -1);
    TEST_ASSERT_EQUAL_INT(0, next(&b, 1));
    nap(0.1);
    TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_claims_renew(&a, &err));
  }
}

static void a_lease_that_is_not_renewed_is_taken_over(void) {
  begin(&a, 1, 0.2);
  begin(&b, 1, 0.2);
  TEST_ASSERT_EQUAL_INT(1, next(&a, 1));
  set_times(1);
  TEST_ASSERT_EQUAL_INT(0, next(&b, 1));
  nap(0.3);
  TEST_ASSERT_EQUAL_INT(1, next(&b, 1));
  TEST_ASSERT_EQUAL_INT(1, b.taken_over);
  /* the first one is not dead, only slow: what it does now is harmless */
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_claims_renew(&a, &err));
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_claims_release(&a, 1, &err));
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_claims_renew(&b, &err));
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_claims_release(&b, 1, &err));
  TEST_ASSERT_EQUAL_INT(-1, next(&b, 1));
}

static void a_folder_that_vanishes_is_told(void) {
  int all_done;
  char line[80];
  begin(&a, 4, 60);
  TEST_ASSERT_EQUAL_INT(1, next(&a, 1));
  snprintf(line, sizeof line, "rm -rf %s", folder);
  TEST_ASSERT_EQUAL_INT(0, system(line));
  TEST_ASSERT_EQUAL_INT(CORE_IO, sweep_claims_release(&a, 1, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.text, "has vanished"));
  TEST_ASSERT_EQUAL_INT(CORE_IO, sweep_claims_next(&a, 1, &all_done, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.text, "has vanished"));
}

/* sixteen processes, two hundred chunks, no chunk twice: each appends a line to a file of its own
 */
static void claim_all(void) {
  char path[80];
  sweep_claims c;
  int all_done = 0;
  if (sweep_claims_open(&c, folder, 200, 60, &err)) _exit(1);
  snprintf(path, sizeof path, "%s/log.%ld", folder, (long)getpid());
  FILE *f = fopen(path, "w");
  while (!all_done) {
    if (sweep_claims_next(&c, 2, &all_done, &err)) _exit(2);
    for (size_t i = 0; i < c.n_held; i++) fprintf(f, "%zu\n", c.held[i]);
    if (sweep_claims_release(&c, 1, &err)) _exit(3);
  }
  fclose(f);
  _exit(0);
}

static void many_processes_claim_every_chunk_once(void) {
  char line[200];
  for (int i = 0; i < 16; i++)
    if (fork() == 0) claim_all();
  for (int i = 0, status; i < 16; i++) {
    TEST_ASSERT_TRUE(wait(&status) > 0);
    TEST_ASSERT_EQUAL_INT(0, status);
  }
  snprintf(line, sizeof line,
           "test $(cat %s/log.* | wc -l) = 200 && test $(sort -u %s/log.* | wc -l) = 200", folder,
           folder);
  TEST_ASSERT_EQUAL_INT(0, system(line));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(a_chunk_has_one_holder);
  RUN_TEST(claimers_leave_work_for_others);
  RUN_TEST(a_lease_that_is_renewed_is_kept_whatever_the_clocks_say);
  RUN_TEST(a_lease_that_is_not_renewed_is_taken_over);
  RUN_TEST(a_folder_that_vanishes_is_told);
  RUN_TEST(many_processes_claim_every_chunk_once);
  return UNITY_END();
}
