/* Dynamic stiffness in O(n): what it solves is put into the equations, whose derivatives are taken
 * by differences of mass matrices and forces, which share no code with it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

#include "core/differ.h"
#include "mechanism_carry.h"
#include "model/stiffness.h"

void setUp(void) {
}

void tearDown(void) {
}

enum { MOST_NUMBERS = 160 };

/* b(q, u, a) = M a - f along one line of q and u */
typedef struct line {
  const model *m;
  const double *q, *u, *a, *dq, *du;
} line;

static core_status needed(void *self, double s, double *b) {
  const line *l = self;
  static double M[MOST_NUMBERS * MOST_NUMBERS];
  double q[MOST_NUMBERS], u[MOST_NUMBERS];
  int nq = l->m->shape.nq, nu = l->m->shape.nu;
  for (int i = 0; i < nq; i++) q[i] = l->q[i] + s * l->dq[i];
  for (int i = 0; i < nu; i++) u[i] = l->u[i] + s * l->du[i];
  core_status status = l->m->type->mass(l->m, q, M);
  if (!status) status = l->m->type->forces(l->m, 0, q, u, b);
  for (int i = 0; i < nu; i++) {
    b[i] = -b[i];
    for (int j = 0; j < nu; j++) b[i] += M[j * nu + i] * l->a[j];
  }
  return status;
}

/* out += K dq + C du, and the error of that */
static double add_derivative(line *l, const double *dq, const double *du, double *out) {
  double d[MOST_NUMBERS], work[8 * MOST_NUMBERS], error, size = 0;
  l->dq = dq, l->du = du;
  for (int i = 0; i < l->m->shape.nq; i++) size = fmax(size, fabs(dq[i]));
  for (int i = 0; i < l->m->shape.nu; i++) size = fmax(size, fabs(du[i]));
  if (size == 0) return 0;
  core_differ way = {needed, l, l->m->shape.nu, 0.1 / size, 0, 0, work};
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_differ_at(&way, d, &error));
  for (int i = 0; i < l->m->shape.nu; i++) out[i] += d[i];
  return error;
}

/* one lane: s w_q = r_q + R w_u and M (s w_u - r_u) + C w_u + K w_q = 0, complex */
static void equations_hold(line *l, const double *s, const double *r[2], const double *w[2]) {
  static double M[MOST_NUMBERS * MOST_NUMBERS];
  int nq = l->m->shape.nq, nu = l->m->shape.nu;
  l->m->type->mass(l->m, l->q, M);
  for (int part = 0; part < 2; part++) {
    const double *x = w[part], *y = w[1 - part];
    double sign = part ? 1 : -1, rate[MOST_NUMBERS], rest[MOST_NUMBERS] = {0}, size = 0;
    double other[MOST_NUMBERS] = {0};
    TEST_ASSERT_EQUAL_INT(CORE_OK, model_rates(l->m, l->q, x + nq, rate));
    for (int i = 0; i < nq; i++) {
      double left = s[0] * x[i] + sign * s[1] * y[i], right = r[part][i] + rate[i];
      near(right, left, fabs(r[part][i]) + fabs(rate[i]) + hypot(s[0], s[1]) * fabs(x[i]), 1e-13,
           "s w_q = r_q + R w_u");
    }
    double error = add_derivative(l, x, x + nq, rest);
    add_derivative(l, y, y + nq, other);
    for (int i = 0; i < nu; i++) size = fmax(size, hypot(rest[i], other[i]));
    for (int j = 0; j < nu; j++) {
      double a = s[0] * x[nq + j] + sign * s[1] * y[nq + j] - r[part][nq + j];
      double most = hypot(s[0], s[1]) * hypot(x[nq + j], y[nq + j]) + fabs(r[part][nq + j]);
      for (int i = 0; i < nu; i++) {
        rest[i] += M[j * nu + i] * a;
        size = fmax(size, fabs(M[j * nu + i]) * most);
      }
    }
    for (int i = 0; i < nu; i++)
      near(0, rest[i], 10 * error + 1e-13 * nu * size, 1, "M (s w_u - r_u) + C w_u + K w_q");
  }
}

/* shifts of one step, from short ones, where M rules, to long ones, where K does */
static void state_is_solved(const model *m, const double *q, const double *u, double scale) {
  const double s[4][2] = {{scale, 0}, {scale, 2 * scale}, {scale / 2, -scale}, {3 * scale, scale}};
  int nq = m->shape.nq, nu = m->shape.nu;
  double r[2][4][MOST_NUMBERS], w[2][4][MOST_NUMBERS], a[MOST_NUMBERS], *re[4], *im[4];
  core_scratch scratch;
  core_scratch_init(&scratch);
  TEST_ASSERT_EQUAL_INT(CORE_OK, model_accelerate(m, 0, q, u, NULL, &scratch, a));
  core_scratch_free(&scratch);
  for (int i = 0; i < 8 * (nq + nu); i++) r[i % 2][i / 2 % 4][i / 8] = i % 8 == 1 ? 0 : any();
  memcpy(w, r, sizeof r);
  for (int k = 0; k < 4; k++) re[k] = w[0][k], im[k] = w[1][k];
  void *memory = malloc(m->type->stiffness->bytes(m));
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->stiffness->look(m, q, u, a, memory));
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->stiffness->factor(m, memory, s));
  m->type->stiffness->solve(m, memory, re, im);
  free(memory);
  line l = {m, q, u, a, NULL, NULL};
  for (int k = 0; k < 4; k++)
    equations_hold(&l, s[k], (const double *[2]){r[0][k], r[1][k]},
                   (const double *[2]){w[0][k], w[1][k]});
}

static void trees_are_solved(int plane) {
  for (int round = 0; round < 60; round++) {
    machine k;
    double q[STATE], u[STATE];
    help_armature = round % 3 == 0;
    declare(&k, plane, 1 + below(9));
    k.springs = 0;
    make(&k);
    if (k.m && k.m->shape.nu && random_state(&k, q, u))
      for (double scale = 0.3; scale < 1e3; scale *= 10) state_is_solved(k.m, q, u, scale);
    unmake(&k);
  }
  help_armature = 0;
}

static void trees_in_the_plane_are_solved(void) {
  trees_are_solved(1);
}

static void arms_are_solved(void) {
  for (int n = 1; n < 40; n += 4) {
    model *m = MAKE("arm", {"n", 1, {n}, 0}, {"floor", 1, {-100}, 0}, {"damping", 1, {0.3}, 0},
                    {"stiffness", 1, {2}, 0}, {"slope", 1, {0.2}, 0}, {"torque", 1, {0.4}, 0});
    double q[40], u[40];
    for (int i = 0; i < n; i++) q[i] = any(), u[i] = any();
    for (double scale = 0.3; scale < 1e3; scale *= 10) state_is_solved(m, q, u, scale);
    model_free(m);
  }
}

/* springs between bodies are no part of a tree */
static void springs_between_bodies_are_refused(void) {
  machine k;
  declare(&k, 1, 4);
  make(&k);
  TEST_ASSERT_TRUE(k.m && k.springs);
  TEST_ASSERT_EQUAL_INT(0, (int)k.m->type->stiffness->bytes(k.m));
  unmake(&k);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(arms_are_solved);
  RUN_TEST(trees_in_the_plane_are_solved);
  RUN_TEST(springs_between_bodies_are_refused);
  return UNITY_END();
}
