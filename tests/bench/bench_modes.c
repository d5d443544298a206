/* The solver of contact modes: bench_modes [name [turns]]. Names: planar (two contacts in the
 * plane), eight (one body on 8 points in space), wall (4 x 4 boxes, 64 contacts), pile (spheres, up
 * to 1,000 contacts), row (of balls without friction). Without a name: all, with times; the second
 * one is that of the shares of dependent contacts. bench_modes heap mu contacts [seed
 * [enough]]: one pile; bench_modes growth mu: seeds 1 to 3, with the exponent from one size to the
 * next: 1.7 to 2.15 up to mu = 0.2. Above that contacts wedge and the number of systems on the path
 * is a matter of luck that worsens with size (seeds 1 to 5, systems of the first path; -: lost, or
 * not at its end after a minute on a busy machine):
 *
 *   mu 0.3   413 contacts   48, 157, 81, 218, 103      897   -, 448, -, 353, - (26 ms each)
 *   mu 0.5   413 contacts   -, -, -, -, 201; with all that follows four of five are solved in 60 s
 *   mu 0.8   256 contacts   six of eight are solved; 413: no first path of five ends
 */
#include <stdio.h>

#include "scene.h"

static int failed;

static void bench(const char *name, const impact_modes *m, int turns) {
  core_scratch s;
  core_scratch_init(&s);
  double *p = malloc(2 * (size_t)m->rows * sizeof *p), *u = p + m->rows, best = INFINITY;
  core_status status = CORE_OK;
  impact_modes_freedom freedom;
  for (int i = 0; i < turns && !status; i++) {
    double t = now();
    status = impact_modes_solve(m, &s, p, u);
    best = fmin(best, now() - t);
  }
  double share = now(), left = impact_modes_residual(m, p, u);
  if (!status) impact_modes_share(m, &s, p, u, &freedom);
  share = now() - share;
  printf("%-8s %4d contacts  %12.2f us  %12.2f us  residual %.0e  %s\n", name, m->nc, 1e6 * best,
         1e6 * share, left, core_status_text(status));
  failed |= status != CORE_OK;
  core_scratch_free(&s);
  free(p);
}

/* CPU time [s] of one pile */
static double heap(double mu, int contacts, uint64_t from, double enough, int *nc) {
  static scene s;
  seed = from;
  pile(&s, contacts);
  impact_modes m = assemble(&s, mu);
  m.enough = enough;
  double t = now();
  bench("heap", &m, 1);
  t = now() - t, *nc = m.nc;
  drop(m);
  return t;
}

static void growth(double mu) {
  for (uint64_t from = 1; from <= 3; from++) {
    double last = 0, first = 0;
    int before = 0, least = 0, nc;
    for (int n = 125; n <= 1000; n *= 2, before = nc) {
      double t = heap(mu, n, from, 0, &nc);
      if (last > 0) printf("    growth %.2f\n", log(t / last) / log((double)nc / before));
      if (!first) first = t, least = nc;
      last = t;
    }
    printf("    of all %.2f\n", log(last / first) / log((double)before / least));
  }
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  const char *name = argc > 1 ? argv[1] : "";
  int nc;
  if (argc > 3 && !strcmp(name, "heap"))
    heap(atof(argv[2]), atoi(argv[3]), argc > 4 ? strtoull(argv[4], NULL, 10) : 1,
         argc > 5 ? atof(argv[5]) : 0, &nc);
  if (argc > 2 && !strcmp(name, "growth")) growth(atof(argv[2]));
  int turns = argc > 2 ? atoi(argv[2]) : 20;
  static scene s;
  for (int i = 0; i < 7 && (!*name || !strcmp(name, "planar")); i++) {
    impact_modes m = planar(i);
    bench("planar", &m, turns);
  }
  for (int i = 0; i < 5 && (!*name || !strcmp(name, "eight")); i++) {
    eight(&s);
    impact_modes m = assemble(&s, 0.3);
    bench("eight", &m, turns), drop(m);
  }
  for (int n = 2; n <= 4 && (!*name || !strcmp(name, "wall")); n += 2) {
    wall(&s, n);
    impact_modes m = assemble(&s, 0.3);
    bench("wall", &m, turns), drop(m);
  }
  for (int n = 125; n <= 1000 && (!*name || !strcmp(name, "pile")); n *= 2) {
    pile(&s, n);
    impact_modes m = assemble(&s, 0.3);
    bench("pile", &m, 1), drop(m);
  }
  for (int n = 125; n <= 1000 && (!*name || !strcmp(name, "row")); n *= 2) {
    impact_modes m = row_of_balls(n, 0);
    bench("row", &m, 1), drop(m);
  }
  return failed;
}
