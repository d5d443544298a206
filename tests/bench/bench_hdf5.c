/* What a table of three columns costs as an HDF5 file, against the same bytes by fwrite, in one
 * run:
 *
 *   bench_hdf5 [folder]
 *
 * Both reach the page cache; record_write brings the file to the disk and renames it too, and so
 * does the second fwrite (fsync, rename). CPU time is that of this process and its children, the
 * least of some rounds that alternate. The goal of issue 15 is twice fwrite alone. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "record/table.h"

static char path[300], temp[300];

static double seconds_of(int who) {
  struct rusage r;
  getrusage(who, &r);
  return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
         1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

static double wall(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_fwrite(const record_table *t, int synced) {
  FILE *f = fopen(synced ? temp : path, "wb");
  int good = f != NULL;
  for (int i = 0; i < t->n && good; i++)
    good = fwrite(t->columns[i].x, sizeof(double), t->rows, f) == t->rows;
  if (synced) good = good && !fflush(f) && !fsync(fileno(f));
  if (f) good = !fclose(f) && good;
  return good && (!synced || !rename(temp, path));
}

static int by_hdf5(const record_table *t) {
  core_error err = {0};
  if (!record_write(t, path, &err)) return 1;
  printf("%s\n", err.text);
  return 0;
}

typedef struct cost {
  double cpu, wall; /* [s] */
} cost;

static void measure(const record_table *t, int way, cost *least) {
  unlink(path);
  double cpu = seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN), start = wall();
  if (!(way == 2 ? by_hdf5(t) : by_fwrite(t, way))) exit(1);
  double now = wall() - start;
  cpu = seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN) - cpu;
  if (cpu < least->cpu) least->cpu = cpu;
  if (now < least->wall) least->wall = now;
}

static void compare(size_t rows, int rounds) {
  record_table t;
  record_table_init(&t);
  record_add(&t, "x", "m", RECORD_NUMBER, 1);
  record_add(&t, "y", "m", RECORD_NUMBER, 1);
  record_add(&t, "z", "m", RECORD_NUMBER, 1);
  if (record_resize(&t, rows)) exit(1);
  for (int i = 0; i < 3; i++)
    for (size_t k = 0; k < rows; k++) t.columns[i].x[k] = (double)k / (double)rows + i;
  cost least[3] = {{1e9, 1e9}, {1e9, 1e9}, {1e9, 1e9}};
  for (int k = 0; k < rounds; k++)
    for (int way = 0; way < 3; way++) measure(&t, way, &least[way]);
  static const char *const names[] = {"fwrite", "fwrite, fsync, rename", "HDF5"};
  for (int way = 0; way < 3; way++)
    printf("%9zu rows  %-22s CPU %8.2f ms  %5.2f times fwrite   wall %8.2f ms\n", rows, names[way],
           1e3 * least[way].cpu, least[way].cpu / least[0].cpu, 1e3 * least[way].wall);
  record_table_free(&t);
  unlink(path);
}

int main(int argc, char **argv) {
  const char *folder = argc > 1 ? argv[1] : "/tmp";
  snprintf(path, sizeof path, "%.200s/bench-hdf5-%ld.h5", folder, (long)getpid());
  snprintf(temp, sizeof temp, "%.200s/bench-hdf5-%ld.part", folder, (long)getpid());
  compare(100000, 20);
  compare(1000000, 10);
  compare(10000000, 3);
  return 0;
}
