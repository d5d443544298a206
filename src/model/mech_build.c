/* From the parameters of a mechanism to its tree, with the checks that need numbers; names; hooks.
 *
 * In the plane the numbers are (x, z) and angles; here they become vectors in space.
 */
#include "model/mech_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/lin.h"
#include "model/common.h"
#include "model/mech.h"
#include "model/mech_plane.h"
#include "model/rigid.h"
#include "model/tolerance.h"

/* ---- numbers ---- */

static const double *number(const model *m, size_t at) {
  return (const double *)((const char *)m->params + at);
}

/* a vector of the declaration: (x, z) in the plane */
static void vector(const mechanism *d, const double *from, double *x) {
  x[0] = from[0], x[1] = d->spec.plane ? 0 : from[1], x[2] = from[d->spec.plane ? 1 : 2];
}

/* an angle in the plane, a quaternion in space (all zero: no turn) */
static void turn(const mechanism *d, const double *from, double R[9]) {
  double q[4] = {1, 0, 0, 0};
  if (d->spec.plane)
    q[0] = cos(from[0] / 2), q[2] = -sin(from[0] / 2);
  else if (from[0] != 0 || from[1] != 0 || from[2] != 0 || from[3] != 0)
    memcpy(q, from, sizeof q);
  model_rotation(q, R);
}

/* ---- bodies ---- */

static const double *of_body(const model *m, int i, int field) {
  size_t at = mechanism_of(m)->body_at[i][field];
  return at ? number(m, at) : NULL;
}

static double one(const model *m, int i, int field) {
  const double *x = of_body(m, i, field);
  return x ? *x : 0;
}

/* moments about the body's origin from those about its mass centre: I + m (c.c 1 - c c^T) */
static void carry_inertia(mech_link *k, const double *about_centre) {
  static const int row[6] = {0, 0, 0, 1, 1, 2}, col[6] = {0, 1, 2, 1, 2, 2};
  double cc = model_dot(k->c, k->c);
  for (int e = 0; e < 6; e++)
    k->I[e] = about_centre[e] + k->m * ((row[e] == col[e] ? cc : 0) - k->c[row[e]] * k->c[col[e]]);
}

/* principal moments must be those of some body: none negative, none more than the sum of the others
 */
int mechanism_odd_inertia(const double I[6], double p[3]) {
  double A[9] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]};
  core_scratch s;
  core_scratch_init(&s);
  core_status status = core_lin_eig_symmetric(3, A, &s, p, NULL);
  core_scratch_free(&s);
  double rounding = MODEL_INERTIA * (fabs(p[0]) + fabs(p[2]));
  return status || p[0] < -rounding || p[2] > p[0] + p[1] + rounding;
}

static core_status check_inertia(const model *m, const char *name, const double *I,
                                 core_error *err) {
  double p[3];
  if (mechanism_of(m)->spec.lenient || !mechanism_odd_inertia(I, p)) return CORE_OK;
  return core_fail(err, CORE_BAD_INPUT,
                   "%s: %s.inertia is that of no body: its principal moments are %.6g, %.6g and "
                   "%.6g kg m^2, and the largest may not exceed the sum of the others",
                   m->type->schema.owner, name, p[0], p[1], p[2]);
}

static core_status fill_mass(const model *m, int i, mech_link *k, core_error *err) {
  const mechanism *d = mechanism_of(m);
  const double *I = of_body(m, i, BODY_INERTIA);
  double full[6];
  k->m = one(m, i, BODY_MASS);
  vector(d, of_body(m, i, BODY_COM), k->c);
  if (d->spec.plane) {
    if (I[0] < 0)
      return core_fail(err, CORE_BAD_INPUT, "%s: %s.inertia must be at least 0 kg m^2, got %.10g",
                       m->type->schema.owner, d->spec.body[i].name, I[0]);
    const double flat[6] = {I[0] / 2, 0, 0, I[0], 0, I[0] / 2};
    memcpy(full, flat, sizeof full);
  } else {
    core_status status = check_inertia(m, d->spec.body[i].name, I, err);
    if (status) return status;
    memcpy(full, I, sizeof full);
  }
  if (k->m == 0 && model_dot(k->c, k->c) > 0) memset(k->c, 0, sizeof k->c);
  carry_inertia(k, full);
  return CORE_OK;
}

static core_status fill_axis(const model *m, int i, mech_link *k, core_error *err) {
  static const double about_minus_y[3] = {0, -1, 0};
  const double *x = of_body(m, i, BODY_AXIS);
  double v[3], length;
  memcpy(k->axis, about_minus_y, sizeof k->axis);
  if (!x) return CORE_OK;
  vector(mechanism_of(m), x, v);
  length = sqrt(model_dot(v, v));
  for (int j = 0; j < 3; j++) k->axis[j] = v[j] / length;
  if (length > 0 && isfinite(length)) return CORE_OK;
  return core_fail(err, CORE_BAD_INPUT, "%s: %s.axis must have a direction, got length zero",
                   m->type->schema.owner, mechanism_of(m)->spec.body[i].name);
}

static core_status fill_link(const model *m, int i, mech *s, core_error *err) {
  const mechanism *d = mechanism_of(m);
  const mechanism_body *b = &d->spec.body[i];
  mech_link *k = &s->link[i];
  static const double none[4] = {0};
  const double *at = of_body(m, i, BODY_AT), *by = of_body(m, i, BODY_TURN);
  *k = (mech_link){.parent = b->parent, .joint = b->joint, .q = s->nq, .u = s->nu};
  k->nu = mech_speeds(d, b);
  s->nq += mech_coordinates(d, b);
  s->nu += k->nu;
  vector(d, at ? at : none, k->at);
  turn(d, by ? by : none, k->turn);
  k->flat_turn = d->spec.plane && by ? *by : 0;
  k->k = one(m, i, BODY_STIFFNESS), k->rest = one(m, i, BODY_REST);
  k->d = one(m, i, BODY_DAMPING), k->torque = one(m, i, BODY_TORQUE);
  k->armature = one(m, i, BODY_ARMATURE);
  s->armature |= k->armature > 0;
  core_status status = fill_axis(m, i, k, err);
  return status ? status : fill_mass(m, i, k, err);
}

/* ---- shapes ---- */

static const double *of_part(const model *m, int part, int skip) {
  return number(m, mechanism_of(m)->part_at[part]) + skip;
}

static mech_feature round_part(const model *m, int part) {
  const mechanism *d = mechanism_of(m);
  const mechanism_part *p = &d->spec.part[part];
  int dim = d->spec.plane ? 2 : 3, capsule = p->shape == MECHANISM_CAPSULE;
  mech_feature f = {.body = p->body, .segment = capsule};
  vector(d, of_part(m, part, 0), f.p[0]);
  vector(d, of_part(m, part, capsule ? dim : 0), f.p[1]);
  if (p->shape != MECHANISM_POINT) f.r = *of_part(m, part, capsule ? 2 * dim : dim);
  return f;
}

/* corner `which` of a box, a bit for each axis */
mech_feature mech_corner(const model *m, int part, int which) {
  const mechanism *d = mechanism_of(m);
  int plane = d->spec.plane, dim = plane ? 2 : 3;
  mech_feature f = {.body = d->spec.part[part].body};
  double at[3], size[3], R[9], reach[3];
  vector(d, of_part(m, part, 0), at);
  turn(d, of_part(m, part, dim), R);
  vector(d, of_part(m, part, dim + (plane ? 1 : 4)), size);
  double half[3] = {which & 1 ? 0.5 : -0.5,
                    plane       ? 0
                    : which & 4 ? 0.5
                                : -0.5,
                    which & 2 ? 0.5 : -0.5};
  for (int i = 0; i < 3; i++) half[i] *= size[i];
  model_turn(R, half, reach);
  for (int i = 0; i < 3; i++) f.p[0][i] = f.p[1][i] = at[i] + reach[i];
  return f;
}

static core_status plane_part(const model *m, int part, mech_face *face, core_error *err) {
  const mechanism *d = mechanism_of(m);
  int dim = d->spec.plane ? 2 : 3;
  double n[3];
  face->body = d->spec.part[part].body;
  vector(d, of_part(m, part, 0), face->p);
  vector(d, of_part(m, part, dim), n);
  double length = sqrt(model_dot(n, n));
  for (int i = 0; i < 3; i++) face->n[i] = n[i] / length;
  if (length > 0 && isfinite(length)) return CORE_OK;
  return core_fail(err, CORE_BAD_INPUT, "%s: %s.normal must have a direction, got length zero",
                   m->type->schema.owner, d->spec.part[part].name);
}

static core_status fill_pair(const model *m, const mechanism_link *l, mech_contact *c,
                             core_error *err) {
  const mechanism *d = mechanism_of(m);
  int on_a = d->spec.part[l->a].shape == MECHANISM_PLANE, n = mech_pair_contacts(d, l);
  int face = on_a ? l->a : l->b, other = on_a ? l->b : l->a;
  if (d->spec.part[face].shape != MECHANISM_PLANE) {
    *c = (mech_contact){MECH_ON_ROUND, .a = round_part(m, l->a), .b = round_part(m, l->b)};
    return CORE_OK;
  }
  for (int i = 0; i < n; i++) {
    int box = d->spec.part[other].shape == MECHANISM_BOX;
    c[i] = (mech_contact){MECH_ON_FACE, .a = box ? mech_corner(m, other, i) : round_part(m, other)};
    if (!box && i) memcpy(c[i].a.p[0], c[i].a.p[1], sizeof c[i].a.p[0]);
    c[i].a.segment = 0;
    core_status status = plane_part(m, face, &c[i].face, err);
    if (status) return status;
  }
  return CORE_OK;
}

static void fill_stops(const model *m, mech *s, mech_contact *c) {
  for (int i = 0; i < s->n; i++)
    for (int upper = 0; upper < 2; upper++) {
      const double *limit = of_body(m, i, upper ? BODY_UPPER : BODY_LOWER);
      if (!limit) continue;
      *c++ = (mech_contact){.kind = MECH_STOP,
                            .a = {.body = i},
                            .b = {.body = s->link[i].parent},
                            .link = i,
                            .sign = upper ? -1 : 1,
                            .limit = *limit};
    }
}

static core_status fill_contacts(const model *m, mech *s, core_error *err) {
  const mechanism *d = mechanism_of(m);
  mech_contact *c = s->contact;
  for (int i = 0; i < d->spec.contacts; i++) {
    core_status status = fill_pair(m, &d->spec.contact[i], c, err);
    if (status) return status;
    c += mech_pair_contacts(d, &d->spec.contact[i]);
  }
  fill_stops(m, s, c);
  return CORE_OK;
}

static void fill_springs_and_loops(const model *m, mech *s) {
  const mechanism *d = mechanism_of(m);
  for (int i = 0; i < s->springs; i++) {
    const double *x = number(m, d->spring_at[i]);
    const mechanism_link *l = &d->spec.spring[i];
    s->spring[i] = (mech_spring){round_part(m, l->a), round_part(m, l->b), x[0], x[1], x[2]};
  }
  for (int i = 0; i < s->loops; i++) {
    const mechanism_link *l = &d->spec.loop[i];
    s->contact[s->nc + i] =
        (mech_contact){MECH_LOOP, .a = round_part(m, l->a), .b = round_part(m, l->b)};
  }
}

/* ---- building ---- */

/* one block for the tree and all it points to */
static mech *allocate(const mechanism *d) {
  size_t links = (size_t)d->spec.bodies * sizeof(mech_link);
  size_t contacts = (size_t)(mech_count_contacts(d) + d->spec.loops) * sizeof(mech_contact);
  size_t springs = (size_t)d->spec.springs * sizeof(mech_spring);
  size_t rows = ((size_t)mech_count_contacts(d) / 2 + 1) * 2 * sizeof(int); /* whole doubles */
  size_t places = (size_t)d->spec.bodies * 4 * sizeof(int); /* at most 3, whole doubles */
  size_t flat = d->spec.plane ? (size_t)d->spec.bodies * sizeof(mech_flat_link) : 0;
  mech *s = calloc(1, sizeof *s + links + contacts + springs + flat + rows + places);
  if (!s) return NULL;
  s->link = (mech_link *)(s + 1);
  s->contact = (mech_contact *)((char *)s->link + links);
  s->spring = (mech_spring *)((char *)s->contact + contacts);
  if (flat) s->flat = (mech_flat_link *)((char *)s->spring + springs);
  s->first = (int *)((char *)s->spring + springs + flat);
  s->place = (int *)((char *)s->first + rows);
  s->work = malloc(sizeof *s->work);
  if (!s->work) {
    free(s);
    return NULL;
  }
  core_scratch_init(s->work);
  s->n = d->spec.bodies, s->nc = mech_count_contacts(d);
  s->springs = d->spec.springs, s->loops = d->spec.loops;
  s->plane = d->spec.plane, s->dim = s->plane ? 2 : 3;
  s->drive = d->drive;
  return s;
}

/* joint stops have one row beside the others' two or three */
static void count_rows(mech *s, model_shape *shape) {
  int most = 0, least = 3;
  for (int c = 0; c < s->nc; c++) {
    int rows = mech_contact_rows(s, &s->contact[c]);
    s->first[c + 1] = s->first[c] + rows;
    most = rows > most ? rows : most;
    least = rows < least ? rows : least;
  }
  shape->dim = s->nc ? most : s->dim;
  shape->first = s->nc && least < most ? s->first : NULL;
}

static void list_places(mech *s) {
  for (int i = 0; i < s->n; i++) {
    const mech_link *k = &s->link[i];
    int n = k->joint == MECHANISM_SLIDE ? 1 : k->joint == MECHANISM_FREE ? s->dim : 0;
    for (int j = 0; j < n; j++) s->place[s->n_places++] = k->q + j;
  }
}

/* how large it is: from joint to joint, to mass centres, and to points that loops tie (free bodies
 * may have nothing else) */
static void measure(mech *s) {
  double ends = 0;
  for (int i = 0; i < s->n; i++)
    s->size += model_length(s->link[i].at) + model_length(s->link[i].c);
  for (int i = 0; i < s->loops; i++) {
    const mech_feature *a = &s->contact[s->nc + i].a, *b = &s->contact[s->nc + i].b;
    if (a->body >= 0) ends = fmax(ends, model_length(a->p[0]));
    if (b->body >= 0) ends = fmax(ends, model_length(b->p[0]));
  }
  s->size += ends;
}

static core_status build(model *m, core_error *err) {
  const mechanism *d = mechanism_of(m);
  mech *s = m->extra = allocate(d);
  if (!s) return core_no_memory(err);
  vector(d, number(m, d->gravity_at), s->g);
  core_status status = CORE_OK;
  for (int i = 0; i < s->n && !status; i++) status = fill_link(m, i, s, err);
  if (!status) status = fill_contacts(m, s, err);
  if (status) return status;
  fill_springs_and_loops(m, s);
  if (s->plane) mech_flatten(s);
  list_places(s);
  measure(s);
  m->shape = (model_shape){.nq = s->nq, .nu = s->nu, .nc = s->nc, .na = s->loops * s->dim};
  count_rows(s, &m->shape);
  return CORE_OK;
}

static void destroy(model *m) {
  mech *s = m->extra;
  if (!s) return;
  core_scratch_free(s->work);
  free(s->work);
  free(s);
}

/* ---- hooks ---- */

const model_type mech_hooks = {
    .doc = "A mechanism: a tree of bodies on joints, declared by k.mechanism{...}.",
    .paper = "",
    .example = "",
    .build = build,
    .destroy = destroy,
    .start = mech_start,
    .mass = mech_mass,
    .gap = mech_gap,
    .size = mech_gap_size,
    .jacobian = mech_jacobian,
    .forces = mech_forces,
    .potential = mech_potential,
    .rates = mech_rates,
    .normalise = mech_normalise,
    .drift = mech_drift,
    .collide = mech_space_collide,
    .accelerate = mech_space_accelerate,
    .power = mech_power,
    .kinetic = mech_kinetic,
    .sway = mech_sway,
    .outline = mech_outline,
};
