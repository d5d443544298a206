/* Random impacts for the tests of law.compliant: a few bodies in random positions. */
#ifndef TESTS_COMPLIANT_SCENE_H
#define TESTS_COMPLIANT_SCENE_H

#include "compliant_help.h"

typedef struct scene {
  int nc, dim, rows;
  double W[ROWS * ROWS], v[ROWS], gap[4];
  spec q;
} scene;

/* W = J J^T, v = J u with `velocities` columns: redundant when these are fewer than the rows */
static inline void random_bodies(uint64_t *seed, scene *s, int velocities) {
  int n = s->rows;
  double J[ROWS * (ROWS + 1)];
  for (int i = 0; i < n * velocities; i++) J[i] = between(seed, -1, 1);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      s->W[j * n + i] = 0;
      for (int k = 0; k < velocities; k++) s->W[j * n + i] += J[k * n + i] * J[k * n + j];
    }
  memset(s->v, 0, sizeof s->v);
  for (int k = 0; k < velocities; k++) {
    double u = between(seed, -2, 2);
    for (int i = 0; i < n; i++) s->v[i] += J[k * n + i] * u;
  }
}

/* the first contact touches and approaches; the others may, or close later, or never */
static inline scene draw_scene(uint64_t *seed, int nc, int dim, int redundant) {
  scene s = {.nc = nc, .dim = dim, .rows = nc * dim};
  do random_bodies(seed, &s, redundant ? (s.rows + 1) / 2 : s.rows + 1);
  while (s.v[dim - 1] > -0.3 || s.W[(dim - 1) * (s.rows + 1)] < 0.1);
  s.q.n = nc;
  s.q.window = redundant ? 5 : 100;
  for (int i = 0; i < nc; i++) {
    s.q.mu[i] = fair(seed) < 0.1 ? 0 : between(seed, 0.05, 1.2);
    s.q.e[i] = fair(seed) < 0.2 ? 1 : between(seed, 0.3, 1);
    s.q.eta[i] = between(seed, 0.6, 2);
    s.q.k[i] = between(seed, 0.5, 2);
    s.gap[i] = i > 0 && fair(seed) < 0.5 ? between(seed, 0, 0.5) : 0;
  }
  return s;
}

static inline scene draw(uint64_t *seed, int nc, int dim) {
  return draw_scene(seed, nc, dim, 0);
}

static inline const course *solve_scene(const scene *s, int per_phase) {
  const course *c = run_spec(&s->q, s->nc, s->dim, s->W, s->v, s->gap, per_phase);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c->r.status, c->err.text);
  return keep(c);
}

static inline double size_of(const course *c) {
  double size = 0;
  for (int i = 0; i < c->rows; i++) size = fmax(size, fabs(c->p[i]));
  return size;
}

#endif
