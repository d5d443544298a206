/* The solver of contact modes: bench_modes [name [turns]]. Names: planar (two contacts in the
 * plane), eight (one body on 8 points in space), wall (4 x 4 boxes, 64 contacts), pile (spheres, up
 * to 1,000 contacts). Without a name: all, with times. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "impact/modes.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t seed = 7;

static double between(double a, double b) {
  uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return a + (b - a) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

/* ---- bodies in space, mass 1 and moment 0.1, and contacts between them ---- */

enum { MOST = 1200 };

typedef struct scene {
  int bodies, nc;
  double centre[MOST][3], u[MOST][6];
  struct {
    int a, b; /* b: below, -1 the floor */
    double at[3], n[3];
  } contact[MOST];
} scene;

static void meet(scene *s, int a, int b, const double *at, const double *n) {
  s->contact[s->nc].a = a, s->contact[s->nc].b = b;
  memcpy(s->contact[s->nc].at, at, 3 * sizeof *at);
  memcpy(s->contact[s->nc++].n, n, 3 * sizeof *n);
}

/* row of J: the velocity of body k at a point along d, times sign */
static void row(const scene *s, int k, const double *at, const double *d, double sign, double *J) {
  if (k < 0) return;
  const double *c = s->centre[k], r[3] = {at[0] - c[0], at[1] - c[1], at[2] - c[2]};
  double *to = J + 6 * k;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, l = (i + 2) % 3;
    to[i] += sign * d[i];
    to[3 + i] += sign * (r[j] * d[l] - r[l] * d[j]);
  }
}

static void tangents(const double *n, double *t1, double *t2) {
  int least = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
  double e[3] = {least == 0, least == 1, 0}, along = e[0] * n[0] + e[1] * n[1] + e[2] * n[2], size;
  for (int i = 0; i < 3; i++) t1[i] = e[i] - along * n[i];
  size = sqrt(t1[0] * t1[0] + t1[1] * t1[1] + t1[2] * t1[2]);
  for (int i = 0; i < 3; i++) t1[i] /= size;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, l = (i + 2) % 3;
    t2[i] = n[j] * t1[l] - n[l] * t1[j];
  }
}

static impact_modes assemble(const scene *s, double mu) {
  int rows = 3 * s->nc, nu = 6 * s->bodies;
  double *J = calloc((size_t)rows * (size_t)nu, sizeof *J);
  double *W = malloc((size_t)rows * (size_t)rows * sizeof *W), *b = calloc((size_t)rows, sizeof *b);
  double *friction = malloc((size_t)s->nc * sizeof *friction), t[2][3];
  for (int c = 0; c < s->nc; c++) {
    tangents(s->contact[c].n, t[0], t[1]);
    friction[c] = mu;
    for (int k = 0; k < 3; k++) {
      const double *d = k < 2 ? t[k] : s->contact[c].n;
      row(s, s->contact[c].a, s->contact[c].at, d, 1, J + (3 * c + k) * nu);
      row(s, s->contact[c].b, s->contact[c].at, d, -1, J + (3 * c + k) * nu);
    }
  }
  for (int i = 0; i < rows; i++) {
    for (int k = 0; k < nu; k++) b[i] += J[i * nu + k] * s->u[k / 6][k % 6];
    for (int j = 0; j < rows; j++) {
      double sum = 0;
      for (int side = 0; side < 2; side++) {
        int body = side ? s->contact[i / 3].b : s->contact[i / 3].a;
        for (int k = 0; k < 6 && body >= 0; k++)
          sum += J[i * nu + 6 * body + k] * J[j * nu + 6 * body + k] * (k < 3 ? 1 : 10);
      }
      W[j * rows + i] = sum;
    }
  }
  free(J);
  return (impact_modes){.nc = s->nc, .dim = 3, .rows = rows, .W = W, .b = b, .mu = friction};
}

/* a box on 8 points of the floor */
static void eight(scene *s) {
  s->bodies = 1, s->nc = 0;
  for (int i = 0; i < 8; i++) {
    double at[3] = {between(-1, 1), between(-1, 1), -0.5}, up[3] = {0, 0, 1};
    meet(s, 0, -1, at, up);
  }
  for (int i = 0; i < 6; i++) s->u[0][i] = between(-1, 1);
  s->u[0][2] = -1.5;
}

/* n x n boxes of size 1 on each other, four corners each; the wall falls with 1 m/s and is pushed
 */
static void wall(scene *s, int n) {
  s->bodies = n * n, s->nc = 0;
  for (int k = 0; k < n * n; k++) {
    double x = k % n + 0.5 * (k / n % 2) * 0, z = k / n + 0.5;
    s->centre[k][0] = x, s->centre[k][1] = 0, s->centre[k][2] = z;
    for (int i = 0; i < 6; i++) s->u[k][i] = between(-0.2, 0.2);
    s->u[k][2] -= 1;
    for (int i = 0; i < 4; i++) {
      double at[3] = {x + (i % 2 ? 0.45 : -0.45), i / 2 ? 0.45 : -0.45, z - 0.5}, up[3] = {0, 0, 1};
      meet(s, k, k >= n ? k - n : -1, at, up);
    }
  }
}

/* spheres of diameter 1 in a heap of layers, each on four below it; it falls with 1 m/s */
static void pile(scene *s, int contacts) {
  int layers = 1, side;
  s->bodies = s->nc = 0;
  for (layers = 2;; layers++) {
    int count = 0;
    for (int l = 0; l < layers; l++) count += (l + 1) * (l + 1) * 4;
    if (count >= contacts) break;
  }
  static int index[64][64], below[64][64];
  for (int l = 0; l < layers && s->nc + 4 <= contacts; l++) {
    side = layers - l;
    for (int i = 0; i < side; i++)
      for (int j = 0; j < side && s->nc + 4 <= contacts; j++) {
        int k = s->bodies++;
        double *c = s->centre[k];
        c[0] = i + 0.5 * l, c[1] = j + 0.5 * l, c[2] = 0.5 + l * sqrt(0.5);
        for (int a = 0; a < 6; a++) s->u[k][a] = between(-0.2, 0.2);
        s->u[k][2] -= 1;
        index[i][j] = k;
        double at[3] = {c[0], c[1], 0}, up[3] = {0, 0, 1};
        if (l == 0) meet(s, k, -1, at, up);
        for (int a = 0; a < 4 && l > 0; a++) {
          int under = below[i + a % 2][j + a / 2];
          double n[3], m[3];
          for (int x = 0; x < 3; x++) n[x] = c[x] - s->centre[under][x];
          for (int x = 0; x < 3; x++) m[x] = s->centre[under][x] + n[x] / 2;
          meet(s, k, under, m, n);
        }
      }
    memcpy(below, index, sizeof below);
  }
}

/* a rod that falls nearly flat */
static impact_modes planar(int i) {
  static double W[16], b[4], mu[2];
  double a = 0.02 * (i % 7 - 3), J[4][3] = {{1, 0, a - 1}, {0, 1, 1}, {1, 0, a + 1}, {0, 1, -1}};
  double u[3] = {0.3 * (i % 3 - 1), -1, 0.1 * (i % 5 - 2)};
  for (int r = 0; r < 4; r++) {
    b[r] = 0;
    for (int k = 0; k < 3; k++) b[r] += J[r][k] * u[k];
    for (int c = 0; c < 4; c++)
      W[c * 4 + r] = J[r][0] * J[c][0] + J[r][1] * J[c][1] + 3 * J[r][2] * J[c][2];
  }
  mu[0] = mu[1] = 0.3;
  return (impact_modes){.nc = 2, .dim = 2, .rows = 4, .W = W, .b = b, .mu = mu};
}

static void bench(const char *name, const impact_modes *m, int turns) {
  core_scratch s;
  core_scratch_init(&s);
  double *p = malloc(2 * (size_t)m->rows * sizeof *p), *u = p + m->rows, best = INFINITY;
  core_status status = CORE_OK;
  for (int i = 0; i < turns && !status; i++) {
    double t = now();
    status = impact_modes_solve(m, &s, p, u);
    best = fmin(best, now() - t);
  }
  printf("%-8s %4d contacts  %12.2f us  residual %.0e  %s\n", name, m->nc, 1e6 * best,
         impact_modes_residual(m, p, u), core_status_text(status));
  core_scratch_free(&s);
  free(p);
}

static void drop(impact_modes m) {
  free((void *)m.W), free((void *)m.b), free((void *)m.mu);
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  const char *name = argc > 1 ? argv[1] : "";
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
  return 0;
}
