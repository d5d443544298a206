/* What claiming costs: many workers share a sweep in one folder; the work of a sample is sleep.
 *
 *   bench_claim [workers [samples [ms per sample [folder]]]]      64 1e7 0.1
 *
 * Prints the share of the workers' time that claiming takes (looking, leases, renewals, marks), as
 * measured and for 1 ms per sample, which must be at most 1 %; and the time that all took against
 * the work alone. A real sweep's journal and its fsync are in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sweep/join.h"

enum { BLOCK = 1000 }; /* samples per unit */

typedef struct tally {
  double claiming, working; /* [s] */
  long claims, looks, chunks;
  size_t done;
} tally;

static double per_sample; /* [s] */
static double worked;     /* [s] */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* BLOCK samples: sleeps, and gives 24 bytes each as three numbers would */
static void unit(void *self, size_t i, sweep_bytes *out) {
  double start = now(), s = per_sample * BLOCK;
  (void)self, (void)i;
  nanosleep(&(struct timespec){(time_t)s, (long)((s - (double)(time_t)s) * 1e9)}, NULL);
  memset(sweep_row_block(out, BLOCK, 3), 0, 24 * BLOCK);
  worked += now() - start;
}

static void work(const char *folder, size_t samples, tally *t) {
  core_error err = {0};
  sweep_claims c;
  sweep_engine e = {.samples = samples, .block = BLOCK, .shards = 1, .here = 1};
  e.body.unit = unit;
  sweep_engine_open(&e, NULL, NULL, 0, &err);
  size_t size = sweep_chunk_units(e.units), chunks = (e.units + size - 1) / size;
  if (sweep_claims_open(&c, folder, chunks, 60, &err) || sweep_join(&e, &c, "", &err)) {
    fprintf(stderr, "%s\n", err.text);
    _exit(1);
  }
  *t = (tally){c.spent, worked, c.claims, c.looks, (long)chunks, e.done};
  sweep_claims_close(&c);
  sweep_engine_close(&e);
  _exit(0);
}

int main(int argc, char **argv) {
  int workers = argc > 1 ? atoi(argv[1]) : 64, failed = 0;
  size_t samples = argc > 2 ? (size_t)atof(argv[2]) : 10000000;
  per_sample = 1e-3 * (argc > 3 ? atof(argv[3]) : 0.1);
  char folder[200], line[300];
  snprintf(folder, sizeof folder, "%s/knock-claim-XXXXXX", argc > 4 ? argv[4] : "/tmp");
  tally *t = mmap(NULL, (size_t)workers * sizeof *t, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (t == MAP_FAILED || !mkdtemp(folder)) return 1;
  double start = now();
  for (int w = 0; w < workers; w++)
    if (fork() == 0) work(folder, samples, &t[w]);
  for (int status; wait(&status) > 0;) failed |= status;
  double wall = now() - start, alone = (double)samples * per_sample / workers;
  tally sum = {0};
  for (int w = 0; w < workers; w++) {
    sum.claiming += t[w].claiming, sum.working += t[w].working, sum.done += t[w].done;
    sum.claims += t[w].claims, sum.looks += t[w].looks, sum.chunks = t[w].chunks;
  }
  double share = sum.claiming / (double)samples / 1e-3;
  printf(
      "%d workers, %zu samples of %g ms, %ld chunks: %ld claims, the folder was read %ld times\n",
      workers, samples, per_sample * 1e3, sum.chunks, sum.claims, sum.looks);
  printf("claiming %.3f ms a claim, %.4f %% of the time; at 1 ms per sample %.4f %% (at most 1)\n",
         1e3 * sum.claiming / (double)sum.claims, 100 * sum.claiming / (sum.claiming + sum.working),
         100 * share);
  printf("%.2f s in all, %.2f s of work alone: %.2f %% more; done %zu (%zu twice)\n", wall, alone,
         100 * (wall / alone - 1), sum.done, sum.done - samples);
  snprintf(line, sizeof line, "rm -rf %s", folder);
  return system(line) || failed || share > 0.01;
}
