/* law.moreau and law.glocker at many contacts in space against another way to solve them, in long
 * double and sharing no code: one contact after the other, p_n <- max(low, p_n - u_n/W_nn), then
 * p_t <- the point of the disc mu p_n nearest to p_t - u_t/(W_t1t1 + W_t2t2), until nothing moves.
 * W is regular, mu up to 0.8. test_modes_fixed [cases] */
#include <stdio.h>

#include "law_help.h"

enum { MOST = 24, ROWS = 3 * MOST, BODIES = 8 };

static int cases = 300;

typedef struct scene {
  int nc, rows;
  double W[ROWS * ROWS], v[ROWS], mu[MOST], e[MOST];
} scene;

static void cross(const double *a, const double *b, double *to) {
  for (int i = 0; i < 3; i++)
    to[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* a frame (t1, t2, n) that is turned anyhow */
static void random_frame(uint64_t *seed, double d[3][3]) {
  double size = 0, x[3] = {between(seed, -1, 1), between(seed, -1, 1), between(seed, -1, 1)};
  for (int i = 0; i < 3; i++) d[2][i] = between(seed, -1, 1), size += d[2][i] * d[2][i];
  for (int i = 0; i < 3; i++) d[2][i] /= sqrt(size);
  cross(d[2], x, d[0]);
  size = sqrt(d[0][0] * d[0][0] + d[0][1] * d[0][1] + d[0][2] * d[0][2]);
  for (int i = 0; i < 3; i++) d[0][i] /= size;
  cross(d[2], d[0], d[1]);
}

/* contacts between bodies of mass 1, moments 0.5, that are chosen anyhow, and give a little */
static void random_scene(uint64_t *seed, scene *s) {
  static double J[ROWS][6 * BODIES];
  memset(J, 0, sizeof J);
  s->nc = (int)between(seed, 6, MOST + 0.99), s->rows = 3 * s->nc;
  for (int c = 0; c < s->nc; c++) {
    double d[3][3], r[3], turn[3];
    int a = (int)between(seed, 0, BODIES), b = (a + 1 + (int)between(seed, 0, BODIES - 1)) % BODIES;
    random_frame(seed, d);
    for (int side = 0; side < 2; side++) {
      for (int i = 0; i < 3; i++) r[i] = between(seed, -0.5, 0.5);
      for (int k = 0; k < 3; k++) {
        double *to = J[3 * c + k] + 6 * (side ? b : a), sign = side ? -1 : 1;
        cross(r, d[k], turn);
        for (int i = 0; i < 3; i++) to[i] = sign * d[k][i], to[3 + i] = sign * turn[i];
      }
    }
    s->mu[c] = between(seed, 0, 0.8), s->e[c] = between(seed, 0, 1);
  }
  for (int i = 0; i < s->rows; i++) {
    s->v[i] = i % 3 == 2 ? between(seed, -1, i == 2 ? 0 : 0.4) : between(seed, -1, 1);
    for (int j = 0; j < s->rows; j++) {
      s->W[j * s->rows + i] = i == j ? 0.1 : 0;
      for (int k = 0; k < 6 * BODIES; k++)
        s->W[j * s->rows + i] += J[i][k] * J[j][k] * (k % 6 < 3 ? 1 : 2);
    }
  }
}

/* one contact; returns how far it moves */
static long double relax(const scene *s, int c, const long double *b, const long double *low,
                         long double *p) {
  long double u[3], to[3], W[3], length, most = 0, *x = p + 3 * c;
  for (int i = 0; i < 3; i++) {
    u[i] = b[3 * c + i], W[i] = s->W[(3 * c + i) * (s->rows + 1)];
    for (int j = 0; j < s->rows; j++) u[i] += s->W[j * s->rows + 3 * c + i] * p[j];
  }
  to[2] = fmaxl(low[c], x[2] - u[2] / W[2]);
  for (int i = 0; i < 2; i++) to[i] = x[i] - u[i] / (W[0] + W[1]);
  length = hypotl(to[0], to[1]);
  for (int i = 0; i < 2 && length > s->mu[c] * to[2]; i++) to[i] *= s->mu[c] * to[2] / length;
  for (int i = 0; i < 3; i++) {
    most = fmaxl(most, fabsl(to[i] - x[i]));
    x[i] = to[i];
  }
  return most;
}

/* 1 when it came to a stop */
static int until_still(const scene *s, const long double *b, const long double *low,
                       long double *p) {
  memset(p, 0, ROWS * sizeof *p);
  for (int round = 0; round < 100000; round++) {
    long double most = 0;
    for (int c = 0; c < s->nc; c++) most = fmaxl(most, relax(s, c, b, low, p));
    if (most < 1e-16L) return 1;
  }
  return 0;
}

static void velocity(const scene *s, const long double *b, const long double *p, long double *u) {
  for (int i = 0; i < s->rows; i++) {
    u[i] = b[i];
    for (int j = 0; j < s->rows; j++) u[i] += s->W[j * s->rows + i] * p[j];
  }
}

/* p of Moreau's law, or of Glocker and Pfeiffer's; 0 when it was not found */
static int fixed(const scene *s, int glocker, long double *p) {
  long double b[ROWS] = {0}, low[MOST] = {0}, q[ROWS], u[ROWS] = {0};
  for (int i = 0; i < s->rows; i++)
    b[i] = s->v[i] * (1 + (!glocker && i % 3 == 2 && s->v[i] < 0 ? s->e[i / 3] : 0));
  if (!until_still(s, b, low, p)) return 0;
  if (!glocker) return 1;
  velocity(s, b, p, u);
  for (int c = 0; c < s->nc; c++) low[c] = s->e[c] * p[3 * c + 2];
  int found = until_still(s, u, low, q);
  for (int i = 0; i < s->rows; i++) p[i] += q[i];
  return found;
}

/* the law with mu and e of each contact */
static law *law_of(const char *name, const scene *s) {
  const law_type *type = law_find(name);
  void *params = calloc(1, type->schema.size);
  core_error err = {0};
  core_schema_defaults(&type->schema, params);
  core_param_set(&type->schema, core_schema_find(&type->schema, "mu"), params, s->nc, s->mu, &err);
  core_param_set(&type->schema, core_schema_find(&type->schema, "e"), params, s->nc, s->e, &err);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, err.status, err.text);
  law *l = make_law(name, params);
  core_schema_free(&type->schema, params);
  free(params);
  return l;
}

static void compare(const char *name, const scene *s, int *found, double *worst) {
  double p[ROWS], v[ROWS];
  long double q[ROWS];
  law *l = law_of(name, s);
  impact_problem pr = {.nc = s->nc, .dim = 3, .rows = s->rows, .W = s->W, .v = s->v};
  impact_result r = {.p = p, .v = v};
  core_scratch scratch;
  core_scratch_init(&scratch);
  TEST_ASSERT_EQUAL_INT(CORE_OK, law_solve(l, &pr, &scratch, NULL, &r, NULL));
  if (fixed(s, !strcmp(name, "glocker"), q)) {
    ++*found;
    for (int i = 0; i < s->rows; i++) *worst = fmax(*worst, fabs((double)(p[i] - q[i])));
  }
  core_scratch_free(&scratch);
  law_free(l);
}

static void check(const char *name, uint64_t seed) {
  static scene s;
  int found = 0;
  double worst = 0;
  for (int i = 0; i < cases; i++) {
    random_scene(&seed, &s);
    compare(name, &s, &found, &worst);
  }
  printf("%s: %d of %d found, impulses differ by %.0e at most\n", name, found, cases, worst);
  TEST_ASSERT_EQUAL_INT(cases, found);
  TEST_ASSERT_TRUE(worst < 1e-11); /* 1e-12 of impulses of about 1, over a W that gives 0.1 */
}

static void moreau_is_where_relaxation_ends(void) {
  check("moreau", 5);
}

static void glocker_is_where_relaxation_ends(void) {
  check("glocker", 6);
}

void setUp(void) {
}

void tearDown(void) {
}

int main(int argc, char **argv) {
  if (argc > 1) cases = atoi(argv[1]);
  UNITY_BEGIN();
  RUN_TEST(moreau_is_where_relaxation_ends);
  RUN_TEST(glocker_is_where_relaxation_ends);
  return UNITY_END();
}
