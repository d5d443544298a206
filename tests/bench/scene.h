/* Scenes that bench_modes.c and bench_siconos.c solve: bodies in space, mass 1 and moment 0.1, and
 * contacts between them; a rod in the plane; complementarity problems without friction. */
#ifndef BENCH_SCENE_H
#define BENCH_SCENE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/lin.h"
#include "impact/modes.h"

/* time of this process [s] */
static inline double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t seed = 7;

static inline double between(double a, double b) {
  uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return a + (b - a) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

/* ---- bodies in space ---- */

enum { MOST = 1200 };

typedef struct scene {
  int bodies, nc;
  double centre[MOST][3], u[MOST][6];
  struct {
    int a, b; /* b: below, -1 the floor */
    double at[3], n[3];
  } contact[MOST];
} scene;

static inline void meet(scene *s, int a, int b, const double *at, const double *n) {
  s->contact[s->nc].a = a, s->contact[s->nc].b = b;
  memcpy(s->contact[s->nc].at, at, 3 * sizeof *at);
  memcpy(s->contact[s->nc++].n, n, 3 * sizeof *n);
}

/* row of J: the velocity of body k at a point along d, times sign */
static inline void row(const scene *s, int k, const double *at, const double *d, double sign,
                       double *J) {
  if (k < 0) return;
  const double *c = s->centre[k], r[3] = {at[0] - c[0], at[1] - c[1], at[2] - c[2]};
  double *to = J + 6 * k;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, l = (i + 2) % 3;
    to[i] += sign * d[i];
    to[3 + i] += sign * (r[j] * d[l] - r[l] * d[j]);
  }
}

static inline void tangents(const double *n, double *t1, double *t2) {
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

static inline impact_modes assemble(const scene *s, double mu) {
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
static inline void eight(scene *s) {
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
static inline void wall(scene *s, int n) {
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
static inline void pile(scene *s, int contacts) {
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
static inline impact_modes planar(int i) {
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

/* n + 1 balls of mass 1 in a row; those up to ball `from` fly into the others with 1 m/s */
static inline impact_modes row_of_balls(int n, int from) {
  size_t size = (size_t)n;
  double *W = calloc(size * size, sizeof *W), *b = calloc(size, sizeof *b);
  for (int i = 0; i < n; i++) {
    W[i * n + i] = 2;
    if (i > 0) W[i * n + i - 1] = W[(i - 1) * n + i] = -1;
  }
  b[from] = -1;
  return (impact_modes){
      .nc = n, .dim = 1, .rows = n, .W = W, .b = b, .mu = calloc(size, sizeof *b)};
}

static inline void drop(impact_modes m) {
  free((void *)m.W), free((void *)m.b), free((void *)m.mu);
}

/* ---- the judge ---- */

/* |p - P_K(p - u^)| / max(|b|, |p|, |u|) with u = W p + b, u^ = (u_t, u_n + mu |u_t|) and P_K the
 * projection on |p_t| <= mu p_n: three rows a contact, whoever p comes from */
static inline double judge(const impact_modes *m, const double *p) {
  int rows = m->rows;
  double *u = malloc((size_t)rows * sizeof *u), sum = 0, size[3] = {0, 0, 0};
  memcpy(u, m->b, (size_t)rows * sizeof *u);
  for (int j = 0; j < rows; j++)
    for (int i = 0; i < rows; i++) u[i] += m->W[j * rows + i] * p[j];
  for (int i = 0; i < rows; i++)
    size[0] += m->b[i] * m->b[i], size[1] += p[i] * p[i], size[2] += u[i] * u[i];
  for (int c = 0; c < m->nc; c++) {
    const double *q = p + 3 * c, *w = u + 3 * c, mu = m->mu[c];
    double x[3] = {q[0] - w[0], q[1] - w[1], q[2] - w[2] - mu * hypot(w[0], w[1])};
    double t = hypot(x[0], x[1]), to[3] = {0, 0, 0};
    if (t <= mu * x[2]) {
      memcpy(to, x, sizeof to);
    } else if (mu * t > -x[2]) {
      to[2] = (x[2] + mu * t) / (1 + mu * mu);
      for (int i = 0; i < 2; i++) to[i] = mu * to[2] * x[i] / t;
    }
    for (int i = 0; i < 3; i++) sum += (q[i] - to[i]) * (q[i] - to[i]);
  }
  free(u);
  return sqrt(sum / fmax(size[0], fmax(size[1], size[2])));
}

/* ---- without friction ---- */

/* W = J J^T with nu columns: nu = n is dense and regular, nu = 3 a plate on n points */
static inline void make_lcp(int n, int nu, int all, double *A, double *q) {
  double *J = calloc((size_t)(n * nu), sizeof *J), u[1024];
  for (int k = 0; k < nu; k++) u[k] = between(-1, 1);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < nu; k++) J[k * n + i] = nu == 3 && k == 0 ? 1 : between(-1, 1);
  if (nu == 3) u[0] = -1;
  core_lin_multiply('N', 'T', n, n, nu, 1, J, n, J, n, 0, A, n);
  for (int i = 0; i < n; i++) {
    q[i] = nu == n ? between(-1, all ? 0 : 1) : 0;
    for (int k = 0; k < nu && nu < n; k++) q[i] += J[k * n + i] * u[k];
  }
  free(J);
}

/* the largest of -z, -w and |z w|, relative */
static inline double lcp_residual(int n, const double *q, const double *z, const double *w) {
  double worst = 0, most_z = 0, most_w = 0;
  for (int i = 0; i < n; i++) most_z = fmax(most_z, fabs(z[i])), most_w = fmax(most_w, fabs(q[i]));
  for (int i = 0; i < n; i++) {
    worst = fmax(worst, fmax(-z[i] / most_z, -w[i] / fmax(most_w, 1e-300)));
    worst = fmax(worst, fmin(fabs(z[i]) / most_z, fabs(w[i]) / fmax(most_w, 1e-300)));
  }
  return worst;
}

#endif
