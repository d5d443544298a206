/* Two free rigid bodies in space that touch at a point: Jia's (1)-(5) for any inertias and
 * orientations. Two balls unless an arm says where a body touches.
 *
 *   q = (x1, quaternion 1, x2, quaternion 2),  u = (V1, omega1, V2, omega2), all in world axes
 *   M = diag(m1, R1 Q1 R1^T, m2, R2 Q2 R2^T)
 *
 * pair_contact.c has the contact: balls, points and faces.
 */
#include "model/pair.h"

#include <string.h>

#include "core/tiny.h"
#include "model/common.h"
#include "model/rigid.h"
#include "model/tolerance.h"

#define VECTOR(field, n, unit, def, doc) MODEL_VECTOR(pair, field, n, unit, def, -INFINITY, 0, doc)
#define INERTIA(field, which)                                                                      \
  {                                                                                                \
#field, "kg m^2", CORE_MATRIX, offsetof(pair, field), 1, "nil", -INFINITY, INFINITY, 0,        \
        "moments of body " which                                                                   \
        " about its mass centre: one number, three principal moments or a "                        \
        "3 x 3 matrix in body axes; 2/5 m r^2 for a ball by default",                              \
        0                                                                                          \
  }

static const core_param params[] = {
    MODEL_LIST(pair, mass, "kg", "1", 0, INFINITY, CORE_OPEN_MIN,
               "mass of both bodies: one number or two"),
    MODEL_LIST(pair, radius, "m", "1", 0, INFINITY, CORE_OPEN_MIN,
               "radius of both balls: one number or two"),
    INERTIA(inertia1, "1"),
    INERTIA(inertia2, "2"),
    VECTOR(position1, 3, "m", "nil", "mass centre of body 1; touching body 2 by default"),
    VECTOR(position2, 3, "m", "nil",
           "mass centre of body 2; touching body 1 by default, at the origin when both are absent"),
    VECTOR(orientation1, 4, "1", "{1, 0, 0, 0}", "quaternion w, x, y, z of body 1"),
    VECTOR(orientation2, 4, "1", "{1, 0, 0, 0}", "quaternion w, x, y, z of body 2"),
    VECTOR(velocity1, 3, "m/s", "{0, 0, -1}", "velocity of the mass centre of body 1"),
    VECTOR(velocity2, 3, "m/s", "{0, 0, 0}", "velocity of the mass centre of body 2"),
    VECTOR(spin1, 3, "rad/s", "{0, 0, 0}", "angular velocity of body 1, world axes"),
    VECTOR(spin2, 3, "rad/s", "{0, 0, 0}", "angular velocity of body 2, world axes"),
    VECTOR(arm1, 3, "m", "nil",
           "from the mass centre of body 1 to the point that touches, body axes; a ball by "
           "default"),
    VECTOR(arm2, 3, "m", "nil",
           "from the mass centre of body 2 to its face, body axes; a ball by default"),
    VECTOR(normal, 3, "1", "{0, 0, 1}",
           "from body 2 to body 1, any length: places bodies without position, and is the normal "
           "of the face at the start"),
    MODEL_GRAVITY(pair, "0"),
};

static const model_group groups[] = {
    {"position1", "m", 'q', 0, 3, "mass centre of body 1"},
    {"orientation1", "1", 'q', 3, 4, "quaternion of body 1"},
    {"position2", "m", 'q', 7, 3, "mass centre of body 2"},
    {"orientation2", "1", 'q', 10, 4, "quaternion of body 2"},
    {"velocity1", "m/s", 'u', 0, 3, "velocity of the mass centre of body 1"},
    {"spin1", "rad/s", 'u', 3, 3, "angular velocity of body 1, world axes"},
    {"velocity2", "m/s", 'u', 6, 3, "velocity of the mass centre of body 2"},
    {"spin2", "rad/s", 'u', 9, 3, "angular velocity of body 2, world axes"},
    {0},
};

/* ---- building ---- */

/* one moment, three, or a matrix; a ball's when absent */
static core_status fill_inertia(int b, const core_list *l, double ball, double *Q,
                                core_error *err) {
  if (l->n != 0 && l->n != 1 && l->n != 3 && l->n != 9)
    return core_fail(err, CORE_BAD_INPUT, "pair: inertia%d must be 1, 3 or 9 numbers, got %d",
                     b + 1, l->n);
  for (int i = 0; i < 9; i++)
    Q[i] = l->n == 9 ? core_list_data(l)[i] : i % 4 ? 0 : l->n ? core_list_at(l, i / 4) : ball;
  return CORE_OK;
}

static core_status make_inertia(pair *p, int b, core_error *err) {
  const core_list *l = b ? &p->inertia2 : &p->inertia1;
  double r = core_list_at(&p->radius, b), *Q = p->Q[b], L[9];
  if (l->n == 0 && !model_absent(b ? p->arm2[0] : p->arm1[0]))
    return core_fail(err, CORE_BAD_INPUT, "pair: a body with arm%d needs inertia%d", b + 1, b + 1);
  core_status status = fill_inertia(b, l, 0.4 * p->m[b] * r * r, Q, err);
  if (status) return status;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++)
      if (fabs(Q[3 * i + j] - Q[3 * j + i]) > MODEL_SYMMETRIC * (fabs(Q[4 * i]) + fabs(Q[4 * j])))
        return core_fail(err, CORE_BAD_INPUT, "pair: inertia%d must be symmetric", b + 1);
  memcpy(L, Q, sizeof L);
  if (core_tiny_chol(3, L) || core_tiny_inverse(3, Q, p->Qi[b]))
    return core_fail(err, CORE_BAD_INPUT, "pair: inertia%d must be positive definite", b + 1);
  return CORE_OK;
}

static core_status build(model *m, core_error *err) {
  pair *p = m->params;
  double length, q[4], R[9];
  core_status status = model_fits(m, "mass", &p->mass, 2, err);
  if (!status) status = model_fits(m, "radius", &p->radius, 2, err);
  if (!status) status = model_gravity(m, &p->gravity, 3, p->g, err);
  if (!status) status = model_unit(m, "normal", 3, p->normal, p->n, &length, err);
  if (!status) status = model_unit(m, "orientation1", 4, p->orientation1, q, &length, err);
  if (!status) status = model_unit(m, "orientation2", 4, p->orientation2, q, &length, err);
  for (int b = 0; b < 2 && !status; b++) {
    p->m[b] = core_list_at(&p->mass, b);
    status = make_inertia(p, b, err);
  }
  if (status) return status;
  p->face = !model_absent(p->arm2[0]);
  p->rho = model_absent(p->arm1[0]) ? core_list_at(&p->radius, 0) : 0;
  p->r2 = core_list_at(&p->radius, 1);
  for (int i = 0; i < 3; i++) {
    p->reach[0][i] = model_or(p->arm1[i], 0);
    p->reach[1][i] = model_or(p->arm2[i], 0);
  }
  model_rotation(q, R);
  model_turn_back(R, p->n, p->n2);
  m->shape = (model_shape){14, 12, 1, 3, 0, NULL};
  return CORE_OK;
}

/* ---- the start ---- */

/* from the mass centre of body b to the point of contact when it touches with normal n */
static void to_contact(const pair *p, int b, const double *q, double *d) {
  double R[9];
  model_rotation(q, R);
  model_turn(R, p->reach[b], d);
  double r = b == 0 ? -p->rho : p->face ? 0 : p->r2;
  for (int i = 0; i < 3; i++) d[i] += r * p->n[i];
}

/* the contact is where a given position puts it, or at the origin */
static void place(const pair *p, double *q) {
  double d1[3], d2[3];
  to_contact(p, 0, q + 3, d1);
  to_contact(p, 1, q + 10, d2);
  for (int i = 0; i < 3; i++) {
    double at = model_or(p->position1[i] + d1[i], model_or(p->position2[i] + d2[i], 0));
    q[i] = model_or(p->position1[i], at - d1[i]);
    q[7 + i] = model_or(p->position2[i], at - d2[i]);
  }
}

static double size(const model *m, const double *q, int c) {
  const pair *p = m->params;
  (void)c;
  double sum = p->rho + p->r2;
  for (int i = 0; i < 3; i++)
    sum += fabs(q[i] - q[7 + i]) + fabs(p->reach[0][i]) + fabs(p->reach[1][i]);
  return sum;
}

static core_status start(const model *m, double *q, double *u, core_error *err) {
  const pair *p = m->params;
  double length;
  pair_touch t;
  model_unit(m, "orientation1", 4, p->orientation1, q + 3, &length, err);
  model_unit(m, "orientation2", 4, p->orientation2, q + 10, &length, err);
  place(p, q);
  memcpy(u, p->velocity1, sizeof p->velocity1);
  memcpy(u + 3, p->spin1, sizeof p->spin1);
  memcpy(u + 6, p->velocity2, sizeof p->velocity2);
  memcpy(u + 9, p->spin2, sizeof p->spin2);
  model_pair_touch(p, q, &t);
  if (!p->face && !(t.size > 0))
    return core_fail(err, CORE_BAD_INPUT, "pair: body 1 touches in the centre of ball 2");
  return model_outside(m, q, &t.gap, err);
}

/* ---- what it is ---- */

static core_status mass(const model *m, const double *q, double *M) {
  const pair *p = m->params;
  memset(M, 0, 144 * sizeof *M);
  for (int b = 0; b < 2; b++) {
    double R[9], I[9];
    model_rotation(q + 7 * b + 3, R);
    model_inertia_world(R, p->Q[b], I);
    for (int i = 0; i < 3; i++) {
      M[13 * (6 * b + i)] = p->m[b];
      for (int j = 0; j < 3; j++) M[12 * (6 * b + 3 + j) + 6 * b + 3 + i] = I[3 * j + i];
    }
  }
  return CORE_OK;
}

/* gyroscopic torque -omega x (I omega), in world axes */
static core_status forces(const model *m, double t, const double *q, const double *u, double *f) {
  const pair *p = m->params;
  (void)t;
  for (int b = 0; b < 2; b++) {
    double R[9], I[9], L[3];
    const double *w = u + 6 * b + 3;
    model_rotation(q + 7 * b + 3, R);
    model_inertia_world(R, p->Q[b], I);
    model_turn(I, w, L);
    model_cross(L, w, f + 6 * b + 3);
    for (int i = 0; i < 3; i++) f[6 * b + i] = p->m[b] * p->g[i];
  }
  return CORE_OK;
}

/* omega' = R Q^-1 R^T (torque), V' = force / m */
static core_status accelerate(const model *m, double t, const double *q, const double *u,
                              const double *h, core_scratch *s, double *udot) {
  const pair *p = m->params;
  double f[12], R[9], inverse[9];
  (void)s;
  forces(m, t, q, u, f);
  for (int i = 0; i < 12 && h; i++) f[i] += h[i];
  for (int b = 0; b < 2; b++) {
    for (int i = 0; i < 3; i++) udot[6 * b + i] = f[6 * b + i] / p->m[b];
    model_rotation(q + 7 * b + 3, R);
    model_inertia_world(R, p->Qi[b], inverse);
    model_turn(inverse, f + 6 * b + 3, udot + 6 * b + 3);
  }
  return CORE_OK;
}

static double potential(const model *m, const double *q) {
  const pair *p = m->params;
  return -p->m[0] * model_dot(p->g, q) - p->m[1] * model_dot(p->g, q + 7);
}

static core_status rates(const model *m, const double *q, const double *u, double *qdot) {
  for (int b = 0; b < 2; b++) model_body_rates_world(m, q + 7 * b, u + 6 * b, qdot + 7 * b);
  return CORE_OK;
}

static void normalise(const model *m, double *q) {
  for (int b = 0; b < 2; b++) model_body_normalise(m, q + 7 * b);
}

/* seen along y: balls as circles with a mark that turns, other bodies by their arm */
static void outline(const model *m, const double *q, model_pen *pen) {
  const pair *p = m->params;
  pair_touch t;
  model_pair_touch(p, q, &t);
  for (int b = 0; b < 2; b++) {
    double x = q[7 * b], z = q[7 * b + 2], r = b ? p->r2 : p->rho;
    int ball = b ? !p->face : p->rho > 0;
    const double *to = ball ? t.R[b] + 6 : t.d[b]; /* own z axis, or the arm */
    if (ball) pen->circle(pen->self, x, z, r, b ? "ball 2" : "ball 1");
    model_draw_line(pen, x, z, x + (ball ? r : 1) * to[0], z + (ball ? r : 1) * to[2],
                    ball ? "mark" : "arm");
    pen->point(pen->self, x, z, "centre");
  }
  pen->point(pen->self, q[0] + t.d[0][0], q[2] + t.d[0][2], "contact");
}

const model_type model_pair = {
    .schema = MODEL_SCHEMA("pair", params, pair),
    .doc = "Two free rigid bodies in space that touch at a point; two balls by default. With arm1, "
           "body 1 touches with that point; with arm2, body 2 has a flat face there whose normal "
           "turns with it. Everything in world axes but inertias and arms, which are in body axes. "
           "No gravity unless given. Contact rows t1, t2, n; n points from body 2 to body 1.",
    .paper = "Jia, (1) to (5)",
    .example =
        "k.pair { mass = 0.17, radius = 0.0286, velocity1 = {1, 0, 0}, normal = {-1, 0, 0} }",
    .groups = groups,
    .build = build,
    .start = start,
    .mass = mass,
    .gap = model_pair_gap,
    .size = size,
    .jacobian = model_pair_jacobian,
    .forces = forces,
    .potential = potential,
    .rates = rates,
    .normalise = normalise,
    .drift = model_pair_drift,
    .collide = model_pair_collide,
    .accelerate = accelerate,
    .outline = outline,
};
