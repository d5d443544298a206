/* A mechanism's definition: what its parts are called, and the table of its parameters.
 *
 * Every number of the declaration is a parameter: "leg.mass", "leg.foot" (a point),
 * "hip.ball.radius", "floor.normal", and where it starts: "leg.q", "leg.u". The parameters of one
 * model are a block of doubles; which numbers a body, a part or a spring has is said by one table
 * each, below.
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
    [BODY_ARMATURE] = {"armature", "kg m^2", "kg", 1, 1, NOT_NEGATIVE,
                       "inertia of its motor, as the joint feels it"},
    [BODY_LOWER] = {"lower", "rad", "m", 1, 1, ANY, "lower stop of its joint"},
    [BODY_UPPER] = {"upper", "rad", "m", 1, 1, ANY, "upper stop of its joint"},
    [BODY_Q] = {"q", "", "", 0, 0, ANY,
                "where its joint starts: q = { name = ... } of the mechanism"},
    [BODY_U] = {"u", "", "", 0, 0, ANY, "how fast its joint starts: u = { name = ... } likewise"},
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

/* ---- for help ---- */

static const mech_field *fields_of(const char *of) {
  static const char *const words[] = {"point", "sphere", "capsule", "box", "plane", NULL};
  if (!strcmp(of, "body")) return body_fields;
  if (!strcmp(of, "spring")) return spring_fields;
  for (int i = 0; words[i]; i++)
    if (!strcmp(of, words[i])) return part_fields[i];
  return NULL;
}

int mechanism_numbers(const char *of, int i, mechanism_number *number) {
  const mech_field *f = fields_of(of);
  if (!f || (f == body_fields && i >= MECH_BODY_FIELDS)) return 0;
  for (int j = 0; f != body_fields && j < i; j++)
    if (!f[j].key) return 0;
  if (!f[i].key) return 0;
  *number = (mechanism_number){f[i].key,      f[i].unit,     f[i].slide_unit,
                               f[i].in_plane, f[i].in_space, f[i].doc};
  return 1;
}

/* ---- the table of parameters ---- */

static int field_size(const mechanism *d, const mech_field *f) {
  return d->spec.plane ? f->in_plane : f->in_space;
}

/* a copy that the definition keeps; NULL when memory is out */
static char *keep(mechanism *d, const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = core_scratch_bytes(&d->text, size);
  return copy ? memcpy(copy, text, size) : NULL;
}

/* zeros; four numbers are a quaternion, seven a place and one */
static const char *default_of(int n) {
  static const char *const plain[] = {"",
                                      "0",
                                      "{0, 0}",
                                      "{0, 0, 0}",
                                      "{1, 0, 0, 0}",
                                      "",
                                      "{0, 0, 0, 0, 0, 0}",
                                      "{0, 0, 0, 1, 0, 0, 0}"};
  return plain[n];
}

static core_status add_param(mechanism *d, const char *owner, const mech_field *f, int n,
                             const char *unit) {
  char key[160];
  snprintf(key, sizeof key, "%s%s%s", owner, *f->key && *owner ? "." : "", f->key);
  core_param *p = &d->params[d->n_params++];
  *p = (core_param){.key = keep(d, key),
                    .unit = unit,
                    .kind = n == 1 ? CORE_NUMBER : CORE_VECTOR,
                    .at = d->size,
                    .n = n,
                    .def = default_of(n),
                    .min = f->min,
                    .max = f->max,
                    .flags = f->flags,
                    .doc = f->doc};
  d->size += (size_t)n * sizeof(double);
  return p->key ? CORE_OK : CORE_NO_MEMORY;
}

static core_status add_fields(mechanism *d, const char *owner, const mech_field *f, size_t *at) {
  core_status status = CORE_OK;
  *at = d->size;
  for (; f->key && !status; f++) status = add_param(d, owner, f, field_size(d, f), f->unit);
  return status;
}

/* does the joint of a body have this number? */
static int applies(const mechanism_body *b, int plane, int field) {
  int one = b->joint == MECHANISM_HINGE || b->joint == MECHANISM_SLIDE;
  switch (field) {
    case BODY_AXIS: return one && !(plane && b->joint == MECHANISM_HINGE);
    case BODY_STIFFNESS:
    case BODY_REST:
    case BODY_ARMATURE:
    case BODY_TORQUE: return one;
    case BODY_DAMPING: return one || b->joint == MECHANISM_BALL;
    case BODY_LOWER: return b->stops & 1;
    case BODY_UPPER: return b->stops & 2;
    case BODY_AT:
    case BODY_TURN: return b->joint != MECHANISM_FREE;
    case BODY_Q:
    case BODY_U: return b->joint != MECHANISM_FIXED;
    default: return 1;
  }
}

/* "m, rad": the units of a joint's coordinates or speeds */
static const char *state_unit(const mechanism *d, const mechanism_body *b, int rates) {
  static const char *const plane[] = {"m, rad", "m/s, rad/s"}, *const space[] = {"m, 1",
                                                                                 "m/s, rad/s"};
  if (b->joint == MECHANISM_FREE) return (d->spec.plane ? plane : space)[rates];
  return mech_unit(d, b, rates, 0);
}

static core_status add_body_field(mechanism *d, const mechanism_body *b, int field) {
  const mech_field *f = &body_fields[field];
  int slide = b->joint == MECHANISM_SLIDE, rates = field == BODY_U;
  if (field != BODY_Q && field != BODY_U)
    return add_param(d, b->name, f, field_size(d, f), slide ? f->slide_unit : f->unit);
  return add_param(d, b->name, f, rates ? mech_speeds(d, b) : mech_coordinates(d, b),
                   state_unit(d, b, rates));
}

static core_status add_body(mechanism *d, int i) {
  const mechanism_body *b = &d->spec.body[i];
  core_status status = CORE_OK;
  for (int f = 0; f < MECH_BODY_FIELDS && !status; f++) {
    d->body_at[i][f] = applies(b, d->spec.plane, f) ? d->size : 0;
    if (d->body_at[i][f]) status = add_body_field(d, b, f);
  }
  return status;
}

static core_status fill_params(mechanism *d) {
  static const mech_field gravity[] = {
      {"gravity", "m/s^2", "m/s^2", 2, 3, ANY, "gravity, a vector"}, {0}};
  static const mech_field view[] = {
      {"view", "1", "1", 3, 3, ANY, "direction to the eye of pictures"}, {0}};
  core_status status = add_fields(d, "", gravity, &d->gravity_at);
  if (!status && !d->spec.plane) status = add_fields(d, "", view, &d->view_at);
  if (d->view_at) d->params[d->n_params - 1].def = "{0, -1, 0}";
  for (int i = 0; i < d->spec.bodies && !status; i++) status = add_body(d, i);
  for (int i = 0; i < d->spec.parts && !status; i++)
    status =
        add_fields(d, d->spec.part[i].name, part_fields[d->spec.part[i].shape], &d->part_at[i]);
  for (int i = 0; i < d->spec.springs && !status; i++)
    status = add_fields(d, d->spec.spring[i].name, spring_fields, &d->spring_at[i]);
  return status;
}

/* ---- finding them: an order by key, and where each body's state is ---- */

static int by_key(const void *a, const void *b) {
  return strcmp(((const core_param *)a)->key, ((const core_param *)b)->key);
}

static core_status index_params(mechanism *d) {
  qsort(d->params, (size_t)d->n_params, sizeof *d->params, by_key);
  d->first = core_scratch_bytes(&d->text, ((size_t)d->spec.bodies + 1) * sizeof *d->first);
  if (!d->first) return CORE_NO_MEMORY;
  d->first[0] = (mech_first){0, 0};
  for (int i = 0; i < d->spec.bodies; i++) {
    const mechanism_body *b = &d->spec.body[i];
    d->first[i + 1] =
        (mech_first){d->first[i].q + mech_coordinates(d, b), d->first[i].u + mech_speeds(d, b)};
  }
  return CORE_OK;
}

/* two parameters of one name: a part that is called as a number of its body, two parts alike */
static const char *doubled(const mechanism *d) {
  for (int i = 1; i < d->n_params; i++)
    if (!strcmp(d->params[i].key, d->params[i - 1].key)) return d->params[i].key;
  return NULL;
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
  if (!d) return core_no_memory(err);
  core_scratch_init(&d->text);
  status = copy_spec(d, spec);
  if (!status) status = allocate(d);
  if (!status) status = fill_params(d);
  if (!status) status = mech_names(d);
  if (!status) status = index_params(d);
  if (status) {
    mechanism_free(d);
    return core_fail(err, status, "%s", "");
  }
  if (doubled(d)) {
    status =
        core_fail(err, CORE_BAD_INPUT, "%s: two things are called '%s'", d->spec.name, doubled(d));
    mechanism_free(d);
    return status;
  }
  d->type = mech_hooks;
  d->type.schema = (core_schema){d->spec.name, d->params, d->n_params, d->size};
  d->type.groups = d->groups;
  if (d->spec.plane) {
    d->type.collide = mech_plane_collide;
    d->type.accelerate = mech_plane_accelerate;
    d->type.stiffness = &mech_plane_stiffness;
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

void mechanism_set_drive(mechanism *d, mechanism_drive drive, void *driver) {
  d->drive = drive;
  d->driver = driver;
}

void *mechanism_driver(const model *m) {
  return mechanism_of(m)->driver;
}

const mechanism_spec *mechanism_spec_of(const mechanism *d) {
  return &d->spec;
}

int mechanism_bodies(const mechanism *d) {
  return d->spec.bodies;
}

mechanism_slot mechanism_body_at(const mechanism *d, int i) {
  const mechanism_body *b = &d->spec.body[i];
  return (mechanism_slot){b->name, d->first[i].q, mech_coordinates(d, b), d->first[i].u,
                          mech_speeds(d, b)};
}
