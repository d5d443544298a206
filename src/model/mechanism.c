/* A mechanism's definition: what its parts are called, and the table of its parameters.
 *
 * Every number of the declaration is a parameter: "leg.mass", "leg.foot" (a point),
 * "hip.ball.radius", "floor.normal". The parameters of one model are a block of doubles with two
 * lists (q, u) in front; which numbers a body, a part or a spring has is said by one table each,
 * below.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/common.h"
#include "model/mech.h"
#include "model/mech_build.h"
#include "model/mech_part.h"

/* ---- what numbers there are ---- */

#define ANY -INFINITY, INFINITY, 0
#define POSITIVE 0, INFINITY, CORE_OPEN_MIN
#define NOT_NEGATIVE 0, INFINITY, 0

/* unit of a hinge (or ball), unit of a slide */
static const mech_field body_fields[MECH_BODY_FIELDS] = {
    [BODY_MASS] = {"mass", "kg", "kg", 1, 1, NOT_NEGATIVE, "mass"},
    [BODY_COM] = {"com", "m", "m", 2, 3, ANY, "mass centre, in its axes"},
    [BODY_INERTIA] = {"inertia", "kg m^2", "kg m^2", 1, 6, ANY,
                      "moments about the mass centre: xx, xy, xz, yy, yz, zz in space"},
    [BODY_AT] = {"at", "m", "m", 2, 3, ANY, "its joint, in the parent's axes"},
    [BODY_TURN] = {"turn", "rad", "rad", 1, 4, ANY,
                   "turn of the joint's axes: an angle, in space a quaternion w, x, y, z"},
    [BODY_AXIS] = {"axis", "1", "1", 2, 3, ANY, "axis of its hinge or slide"},
    [BODY_STIFFNESS] = {"stiffness", "N m/rad", "N/m", 1, 1, NOT_NEGATIVE, "spring of its joint"},
    [BODY_REST] = {"rest", "rad", "m", 1, 1, ANY, "where that spring is at rest"},
    [BODY_DAMPING] = {"damping", "N m s/rad", "N s/m", 1, 1, NOT_NEGATIVE, "damper of its joint"},
    [BODY_TORQUE] = {"torque", "N m", "N", 1, 1, ANY, "constant drive of its joint"},
    [BODY_LOWER] = {"lower", "rad", "m", 1, 1, ANY, "lower stop of its joint"},
    [BODY_UPPER] = {"upper", "rad", "m", 1, 1, ANY, "upper stop of its joint"},
};

static const mech_field point_fields[] = {{"", "m", "m", 2, 3, ANY, "place"}, {0}};
static const mech_field sphere_fields[] = {
    {"at", "m", "m", 2, 3, ANY, "centre"}, {"radius", "m", "m", 1, 1, NOT_NEGATIVE, "radius"}, {0}};
static const mech_field capsule_fields[] = {{"from", "m", "m", 2, 3, ANY, "centre of one end"},
                                            {"to", "m", "m", 2, 3, ANY, "centre of the other end"},
                                            {"radius", "m", "m", 1, 1, NOT_NEGATIVE, "radius"},
                                            {0}};
static const mech_field box_fields[] = {
    {"at", "m", "m", 2, 3, ANY, "centre"},
    {"turn", "rad", "rad", 1, 4, ANY, "turn of its axes"},
    {"size", "m", "m", 2, 3, NOT_NEGATIVE, "whole lengths along its axes"},
    {0}};
static const mech_field plane_fields[] = {
    {"point", "m", "m", 2, 3, ANY, "a point of it"},
    {"normal", "1", "1", 2, 3, ANY, "normal, away from the obstacle, any length"},
    {0}};
static const mech_field spring_fields[] = {
    {"stiffness", "N/m", "N/m", 1, 1, NOT_NEGATIVE, "stiffness"},
    {"damping", "N s/m", "N s/m", 1, 1, NOT_NEGATIVE, "damper beside it"},
    {"rest", "m", "m", 1, 1, NOT_NEGATIVE, "length at rest"},
    {0}};

static const mech_field *const part_fields[] = {
    [MECHANISM_POINT] = point_fields,     [MECHANISM_SPHERE] = sphere_fields,
    [MECHANISM_CAPSULE] = capsule_fields, [MECHANISM_BOX] = box_fields,
    [MECHANISM_PLANE] = plane_fields,
};

/* ---- the table of parameters ---- */

static int field_size(const mechanism *d, const mech_field *f) {
  return d->spec.plane ? f->in_plane : f->in_space;
}

/* a copy that the definition keeps; NULL when memory is out */
static char *keep(mechanism *d, const char *text) {
  char *copy = core_scratch_bytes(&d->text, strlen(text) + 1);
  return copy ? strcpy(copy, text) : NULL;
}

static core_status add_param(mechanism *d, const char *owner, const mech_field *f, int slide) {
  static const char *const zeros[] = {
      "", "0", "{0, 0}", "{0, 0, 0}", "{0, 0, 0, 0}", "", "{0, 0, 0, 0, 0, 0}"};
  char key[160];
  int n = field_size(d, f);
  snprintf(key, sizeof key, "%s%s%s", owner, *f->key && *owner ? "." : "", f->key);
  core_param *p = &d->params[d->n_params++];
  *p = (core_param){.key = keep(d, key),
                    .unit = slide ? f->slide_unit : f->unit,
                    .kind = n == 1 ? CORE_NUMBER : CORE_VECTOR,
                    .at = d->size,
                    .n = n,
                    .def = zeros[n],
                    .min = f->min,
                    .max = f->max,
                    .flags = f->flags,
                    .doc = f->doc};
  d->size += (size_t)n * sizeof(double);
  return p->key ? CORE_OK : CORE_NO_MEMORY;
}

static core_status add_fields(mechanism *d, const char *owner, const mech_field *f, int slide,
                              size_t *at) {
  core_status status = CORE_OK;
  *at = d->size;
  for (; f->key && !status; f++) status = add_param(d, owner, f, slide);
  return status;
}

/* does the joint of a body have this number? */
static int applies(const mechanism_body *b, int plane, int field) {
  int one = b->joint == MECHANISM_HINGE || b->joint == MECHANISM_SLIDE;
  switch (field) {
    case BODY_AXIS: return one && !(plane && b->joint == MECHANISM_HINGE);
    case BODY_STIFFNESS:
    case BODY_REST:
    case BODY_TORQUE: return one;
    case BODY_DAMPING: return one || b->joint == MECHANISM_BALL;
    case BODY_LOWER: return b->stops & 1;
    case BODY_UPPER: return b->stops & 2;
    case BODY_AT:
    case BODY_TURN: return b->joint != MECHANISM_FREE;
    default: return 1;
  }
}

static core_status add_body(mechanism *d, int i) {
  const mechanism_body *b = &d->spec.body[i];
  core_status status = CORE_OK;
  for (int f = 0; f < MECH_BODY_FIELDS && !status; f++) {
    d->body_at[i][f] = applies(b, d->spec.plane, f) ? d->size : 0;
    if (d->body_at[i][f])
      status = add_param(d, b->name, &body_fields[f], b->joint == MECHANISM_SLIDE);
  }
  return status;
}

static core_param list_param(const char *name, const char *unit, size_t at, const char *doc) {
  return (core_param){.key = name,
                      .unit = unit,
                      .kind = CORE_LIST,
                      .at = at,
                      .n = 1,
                      .def = "nil",
                      .min = -INFINITY,
                      .max = INFINITY,
                      .doc = doc};
}

static core_status fill_params(mechanism *d) {
  static const mech_field gravity[] = {
      {"gravity", "m/s^2", "m/s^2", 2, 3, ANY, "gravity, a vector"}, {0}};
  core_status status = CORE_OK;
  d->params[d->n_params++] =
      list_param("q", "1", offsetof(mech_params, q), "coordinates, in the order of the bodies");
  d->params[d->n_params++] =
      list_param("u", "1", offsetof(mech_params, u), "speeds, in the order of the bodies");
  d->size = sizeof(mech_params);
  status = add_fields(d, "", gravity, 0, &d->gravity_at);
  for (int i = 0; i < d->spec.bodies && !status; i++) status = add_body(d, i);
  for (int i = 0; i < d->spec.parts && !status; i++)
    status =
        add_fields(d, d->spec.part[i].name, part_fields[d->spec.part[i].shape], 0, &d->part_at[i]);
  for (int i = 0; i < d->spec.springs && !status; i++)
    status = add_fields(d, d->spec.spring[i].name, spring_fields, 0, &d->spring_at[i]);
  return status;
}

/* ---- copying the declaration ---- */

static void *copy_array(mechanism *d, const void *from, int n, size_t size) {
  void *to = core_scratch_bytes(&d->text, (size_t)n * size + 1);
  if (to && n) memcpy(to, from, (size_t)n * size);
  return to;
}

static core_status copy_spec(mechanism *d, const mechanism_spec *from) {
  mechanism_spec *s = &d->spec;
  *s = *from;
  mechanism_body *body = copy_array(d, from->body, from->bodies, sizeof *body);
  mechanism_part *part = copy_array(d, from->part, from->parts, sizeof *part);
  mechanism_link *spring = copy_array(d, from->spring, from->springs, sizeof *spring);
  s->name = keep(d, from->name);
  s->body = body, s->part = part, s->spring = spring;
  s->contact = copy_array(d, from->contact, from->contacts, sizeof *s->contact);
  s->loop = copy_array(d, from->loop, from->loops, sizeof *s->loop);
  int ok = body && part && spring && s->contact && s->loop && s->name;
  for (int i = 0; ok && i < s->bodies; i++) ok = !!(body[i].name = keep(d, body[i].name));
  for (int i = 0; ok && i < s->parts; i++) ok = !!(part[i].name = keep(d, part[i].name));
  for (int i = 0; ok && i < s->springs; i++) ok = !!(spring[i].name = keep(d, spring[i].name));
  return ok ? CORE_OK : CORE_NO_MEMORY;
}

static core_status allocate(mechanism *d) {
  const mechanism_spec *s = &d->spec;
  int most = 3 + MECH_BODY_FIELDS * s->bodies + 3 * (s->parts + s->springs);
  d->params = core_scratch_bytes(&d->text, (size_t)most * sizeof *d->params);
  d->body_at = core_scratch_bytes(&d->text, (size_t)s->bodies * sizeof *d->body_at + 1);
  d->part_at = core_scratch_bytes(&d->text, (size_t)s->parts * sizeof *d->part_at + 1);
  d->spring_at = core_scratch_bytes(&d->text, (size_t)s->springs * sizeof *d->spring_at + 1);
  return d->params && d->body_at && d->part_at && d->spring_at ? CORE_OK : CORE_NO_MEMORY;
}

/* ---- checks that need no numbers ---- */

static core_status check_body(const mechanism_spec *s, int i, core_error *err) {
  const mechanism_body *b = &s->body[i];
  if (b->parent >= i)
    return core_fail(err, CORE_BAD_INPUT, "%s: the parent of '%s' must come before it", s->name,
                     b->name);
  if (b->joint == MECHANISM_FREE && b->parent >= 0)
    return core_fail(err, CORE_BAD_INPUT,
                     "%s: '%s' is free, so its parent must be the world, not '%s'", s->name,
                     b->name, s->body[b->parent].name);
  if (b->joint == MECHANISM_BALL && s->plane)
    return core_fail(err, CORE_BAD_INPUT,
                     "%s: joint of '%s' must be hinge, slide, free or fixed in the plane, got ball",
                     s->name, b->name);
  for (int j = 0; j < i; j++)
    if (!strcmp(s->body[j].name, b->name))
      return core_fail(err, CORE_BAD_INPUT, "%s: two bodies are called '%s'", s->name, b->name);
  return CORE_OK;
}

static core_status check_pair(const mechanism_spec *s, const mechanism_link *l, const char *what,
                              core_error *err) {
  const mechanism_part *a = &s->part[l->a], *b = &s->part[l->b];
  if (a->body != b->body) return CORE_OK;
  return core_fail(err, CORE_BAD_INPUT, "%s: %s between '%s' and '%s', which are on the same body",
                   s->name, what, a->name, b->name);
}

static core_status check_spec(const mechanism_spec *s, core_error *err) {
  core_status status = CORE_OK;
  for (int i = 0; i < s->bodies && !status; i++) status = check_body(s, i, err);
  for (int i = 0; i < s->contacts && !status; i++)
    status = check_pair(s, &s->contact[i], "a contact", err);
  for (int i = 0; i < s->springs && !status; i++)
    status = check_pair(s, &s->spring[i], "a spring", err);
  for (int i = 0; i < s->loops && !status; i++) status = check_pair(s, &s->loop[i], "a loop", err);
  return status;
}

/* ---- life ---- */

core_status mechanism_define(const mechanism_spec *spec, mechanism **out, core_error *err) {
  *out = NULL;
  core_status status = check_spec(spec, err);
  if (status) return status;
  mechanism *d = calloc(1, sizeof *d);
  if (!d) return core_fail(err, CORE_NO_MEMORY, "%s", "");
  core_scratch_init(&d->text);
  status = copy_spec(d, spec);
  if (!status) status = allocate(d);
  if (!status) status = fill_params(d);
  if (!status) status = mech_names(d);
  if (status) {
    mechanism_free(d);
    return core_fail(err, status, "%s", "");
  }
  d->type = mech_hooks;
  d->type.schema = (core_schema){d->spec.name, d->params, d->n_params, d->size};
  if (d->spec.plane) {
    d->type.collide = mech_plane_collide;
    d->type.accelerate = mech_plane_accelerate;
  }
  if (d->spec.loops) {
    d->type.collide = mech_loop_collide;
    d->type.accelerate = mech_loop_accelerate;
    d->type.constraints = mech_constraints;
    d->type.close = mech_project;
  }
  *out = d;
  return CORE_OK;
}

void mechanism_free(mechanism *d) {
  if (!d) return;
  core_scratch_free(&d->text);
  free(d);
}

const model_type *mechanism_type(const mechanism *d) {
  return &d->type;
}

const mechanism *mechanism_of(const model *m) {
  if (m->type->build != mech_hooks.build) return NULL;
  return (const mechanism *)((const char *)m->type - offsetof(mechanism, type));
}

void mechanism_set_drive(mechanism *d, mechanism_drive drive) {
  d->drive = drive;
}
