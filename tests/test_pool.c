#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/interrupt.h"
#include "sweep/pool.h"
#include "unity.h"

enum { N = 5000 };
static unsigned char *states;
static double got[N];
static int times[N], lost_signal[N];
static size_t poison, killer_every;
static core_error err;

void setUp(void) {
  sweep_states_free(states, N);
  states = sweep_states_new(N);
  for (size_t i = 0; i < N; i++) {
    got[i] = 0;
    times[i] = lost_signal[i] = 0;
  }
  poison = (size_t)-1;
  killer_every = 0;
  core_interrupt_flag = 0;
  err = (core_error){0};
}

void tearDown(void) {
}

static double value(size_t i) {
  return 1.0 / (double)(i + 1);
}

static void nap(long ns) {
  nanosleep(&(struct timespec){0, ns}, NULL);
}

static void sample(void *self, size_t i, sweep_bytes *out) {
  (void)self;
  if (i == poison) abort();
  if (killer_every && rand() % (int)killer_every == 0) kill(getpid(), SIGKILL);
  double x = value(i);
  sweep_put(out, &x, sizeof x);
}

static void reseed(void *self) {
  (void)self;
  srand((unsigned)getpid());
}

static core_status deliver(void *self, size_t i, const char *bytes, size_t n, core_error *e) {
  (void)self, (void)e;
  TEST_ASSERT_EQUAL_UINT64(sizeof(double), n);
  memcpy(&got[i], bytes, n);
  times[i]++;
  return CORE_OK;
}

static core_status lost(void *self, size_t i, int signal, core_error *e) {
  (void)self, (void)e;
  lost_signal[i] = signal;
  return CORE_OK;
}

static sweep_job job(int jobs, size_t n) {
  return (sweep_job){.n = n,
                     .states = states,
                     .jobs = jobs,
                     .start = reseed,
                     .unit = sample,
                     .deliver = deliver,
                     .lost = lost};
}

static void every_sample_arrives_once_whatever_the_workers(void) {
  for (int jobs = 1; jobs <= 5; jobs++) {
    setUp();
    sweep_job j = job(jobs, N);
    TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_pool_run(&j, &err));
    for (size_t i = 0; i < N; i++) {
      TEST_ASSERT_EQUAL_INT(1, times[i]);
      TEST_ASSERT_TRUE(got[i] == value(i));
    }
  }
}

static void a_sample_that_crashes_costs_itself_only(void) {
  poison = 1234;
  freopen("/dev/null", "w", stderr);
  sweep_job j = job(2, N);
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_pool_run(&j, &err));
  for (size_t i = 0; i < N; i++) {
    TEST_ASSERT_EQUAL_INT(i != poison, times[i]);
    TEST_ASSERT_EQUAL_INT(i == poison ? SIGABRT : 0, lost_signal[i]);
  }
}

static void workers_killed_at_random_lose_nothing_else(void) {
  killer_every = 200;
  sweep_job j = job(3, N);
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_pool_run(&j, &err));
  for (size_t i = 0; i < N; i++) {
    TEST_ASSERT_EQUAL_INT(1, times[i] + (lost_signal[i] == SIGKILL));
    TEST_ASSERT_TRUE(!times[i] || got[i] == value(i));
  }
}

static void die(void *self) {
  (void)self;
  _exit(7);
}

/* workers that die before they have a unit blame none: after 20 in a row without progress it ends
 */
static void workers_that_die_at_once_end_the_sweep(void) {
  int deaths = 0;
  sweep_job j = job(1, N);
  j.start = die;
  j.deaths = &deaths;
  TEST_ASSERT_EQUAL_INT(CORE_IO, sweep_pool_run(&j, &err));
  TEST_ASSERT_EQUAL_STRING("sweep: 20 workers died one after the other (exit code 7)", err.text);
  TEST_ASSERT_EQUAL_INT(21, deaths); /* the first one and 20 in its place */
  TEST_ASSERT_TRUE(wait(NULL) < 0);
}

static void die_now_and_then(void *self, size_t i, sweep_bytes *out) {
  if (i % 100 == 50) raise(SIGKILL);
  sample(self, i, out);
}

/* 50 units that kill their workers, twice each: more than 20 deaths, with progress between them */
static void many_deaths_with_progress_do_not(void) {
  int deaths = 0;
  sweep_job j = job(1, N);
  j.unit = die_now_and_then;
  j.deaths = &deaths;
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_pool_run(&j, &err));
  TEST_ASSERT_EQUAL_INT(2 * N / 100, deaths);
  for (size_t i = 0; i < N; i++) TEST_ASSERT_EQUAL_INT(i % 100 != 50, times[i]);
}

static void slow(void *self, size_t i, sweep_bytes *out) {
  nap(5000000);
  sample(self, i, out);
}

static void interrupt_soon(void) {
  pid_t parent = getpid();
  if (fork() == 0) {
    nap(200000000);
    kill(parent, SIGTERM);
    _exit(0);
  }
}

static void terminating_keeps_what_is_done(void) {
  sweep_job j = job(2, N);
  j.unit = slow;
  interrupt_soon();
  TEST_ASSERT_EQUAL_INT(CORE_INTERRUPTED, sweep_pool_run(&j, &err));
  int done = 0;
  for (size_t i = 0; i < N; i++) done += times[i];
  TEST_ASSERT_TRUE(done > 10 && done < 400);
  TEST_ASSERT_TRUE(wait(NULL) > 0); /* the child above */
  TEST_ASSERT_TRUE(wait(NULL) < 0); /* and no worker is left */
}

static void look_at_flag(void *self, size_t i, sweep_bytes *out) {
  (void)self, (void)i;
  double x = core_interrupted() ? -1 : 1;
  sweep_put(out, &x, sizeof x);
}

/* Ctrl-C just before the workers start is the parent's alone: a unit that they break off half-way
 * would come back as a result */
static void an_interruption_before_the_start_reaches_no_worker(void) {
  for (int round = 0; round < 20; round++) {
    setUp();
    sweep_job j = job(2, N);
    j.unit = look_at_flag;
    core_interrupt_flag = CORE_INTERRUPT_ASKED;
    TEST_ASSERT_EQUAL_INT(CORE_INTERRUPTED, sweep_pool_run(&j, &err));
    for (size_t i = 0; i < N; i++) TEST_ASSERT_TRUE(!times[i] || got[i] == 1);
  }
}

static void an_empty_sweep_is_done_at_once(void) {
  sweep_job j = job(2, 0);
  TEST_ASSERT_EQUAL_INT(CORE_OK, sweep_pool_run(&j, &err));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(every_sample_arrives_once_whatever_the_workers);
  RUN_TEST(a_sample_that_crashes_costs_itself_only);
  RUN_TEST(workers_killed_at_random_lose_nothing_else);
  RUN_TEST(workers_that_die_at_once_end_the_sweep);
  RUN_TEST(many_deaths_with_progress_do_not);
  RUN_TEST(terminating_keeps_what_is_done);
  RUN_TEST(an_interruption_before_the_start_reaches_no_worker);
  RUN_TEST(an_empty_sweep_is_done_at_once);
  return UNITY_END();
}
