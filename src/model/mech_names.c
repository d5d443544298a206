/* What a mechanism's coordinates, speeds and contacts are called, and how many there are. */
#include <stdio.h>
#include <string.h>

#include "model/mech_build.h"

/* ---- how many ---- */

static int flat_and_free(const mechanism *d, const mechanism_body *b) {
  return d->spec.plane && b->joint == MECHANISM_FREE;
}

int mech_coordinates(const mechanism *d, const mechanism_body *b) {
  static const int n[] = {0, 1, 1, 4, 7};
  return flat_and_free(d, b) ? 3 : n[b->joint];
}

int mech_speeds(const mechanism *d, const mechanism_body *b) {
  static const int n[] = {0, 1, 1, 3, 6};
  return flat_and_free(d, b) ? 3 : n[b->joint];
}

/* how many contacts two parts make: ends of a capsule or corners of a box over a plane */
int mech_pair_contacts(const mechanism *d, const mechanism_link *l) {
  mechanism_shape a = d->spec.part[l->a].shape, b = d->spec.part[l->b].shape;
  mechanism_shape other = a == MECHANISM_PLANE ? b : a;
  if (a != MECHANISM_PLANE && b != MECHANISM_PLANE) return 1;
  if (other == MECHANISM_BOX) return d->spec.plane ? 4 : 8;
  return other == MECHANISM_CAPSULE ? 2 : 1;
}

int mech_count_contacts(const mechanism *d) {
  int n = 0;
  for (int i = 0; i < d->spec.contacts; i++) n += mech_pair_contacts(d, &d->spec.contact[i]);
  for (int i = 0; i < d->spec.bodies; i++)
    n += (d->spec.body[i].stops & 1) + (d->spec.body[i].stops >> 1);
  return n;
}

/* ---- names ---- */

static const char *const free_plane[] = {"x", "z", "angle"};
static const char *const free_plane_u[] = {"vx", "vz", "rate"};
static const char *const free_q[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
static const char *const free_u[] = {"vx", "vy", "vz", "wx", "wy", "wz"};

/* unit of coordinate (or speed) i of a body */
const char *mech_unit(const mechanism *d, const mechanism_body *b, int rates, int i) {
  static const char *const length[] = {"m", "m/s"}, *const angle[] = {"rad", "rad/s"},
                           *const turn[] = {"1", "rad/s"};
  switch (b->joint) {
    case MECHANISM_HINGE: return angle[rates];
    case MECHANISM_SLIDE: return length[rates];
    case MECHANISM_BALL: return turn[rates];
    default: break;
  }
  if (d->spec.plane) return (i < 2 ? length : angle)[rates];
  return (i < 3 ? length : turn)[rates];
}

static char *format(mechanism *d, const char *a, const char *dot, const char *b) {
  size_t size = strlen(a) + strlen(dot) + strlen(b) + 1;
  char *text = core_scratch_bytes(&d->text, size);
  if (text) snprintf(text, size, "%s%s%s", a, dot, b);
  return text;
}

/* "leg" and "leg.rate", "hip.x" and "hip.vx": names of the coordinates (or speeds) of one body;
 * returns how many, -1 when memory is out */
static int body_names(mechanism *d, const mechanism_body *b, int rates, char **out) {
  int one_name = b->joint == MECHANISM_HINGE || b->joint == MECHANISM_SLIDE;
  const char *const *words =
      d->spec.plane ? (rates ? free_plane_u : free_plane) : (rates ? free_u : free_q);
  int n = rates ? mech_speeds(d, b) : mech_coordinates(d, b);
  if (b->joint == MECHANISM_BALL) words += 3;
  for (int i = 0; i < n; i++) {
    /* ball joints are for space, so that words + 3 has all of them */
    out[i] = !one_name ? format(d, b->name, ".", words[i]) /* NOLINT */
             : rates   ? format(d, b->name, ".", "rate")
                       : format(d, b->name, "", "");
    if (!out[i]) return -1;
  }
  return n;
}

static int pair_names(mechanism *d, const mechanism_link *l, char **out) {
  int n = mech_pair_contacts(d, l);
  char *both = format(d, d->spec.part[l->a].name, "/", d->spec.part[l->b].name);
  for (int i = 0; i < n && both; i++) {
    char number[16];
    snprintf(number, sizeof number, "%d", i + 1);
    out[i] = n == 1 ? both : format(d, both, "#", number);
    if (!out[i]) return -1;
  }
  return both ? n : -1;
}

static core_status contact_names(mechanism *d) {
  char **out = d->contact_name;
  for (int i = 0; i < d->spec.contacts; i++) {
    int n = pair_names(d, &d->spec.contact[i], out);
    if (n < 0) return CORE_NO_MEMORY;
    out += n;
  }
  for (int i = 0; i < d->spec.bodies; i++)
    for (int upper = 0; upper < 2; upper++)
      if (d->spec.body[i].stops & (1 << upper)) {
        *out = format(d, d->spec.body[i].name, ".", upper ? "upper" : "lower");
        if (!*out++) return CORE_NO_MEMORY;
      }
  *out = NULL;
  return CORE_OK;
}

/* every coordinate and every speed is a group of one, so that columns, outputs and pages know it */
static core_status name_groups(mechanism *d) {
  size_t most = 0;
  while (d->q_name[most]) most++;
  for (size_t i = 0; d->u_name[i]; i++) most++;
  model_group *g = d->groups = core_scratch_bytes(&d->text, (most + 1) * sizeof *g);
  if (!g) return CORE_NO_MEMORY;
  for (int rates = 0; rates < 2; rates++) {
    int at = 0;
    for (int i = 0; i < d->spec.bodies; i++) {
      const mechanism_body *b = &d->spec.body[i];
      int n = rates ? mech_speeds(d, b) : mech_coordinates(d, b);
      for (int j = 0; j < n; j++, at++)
        *g++ = (model_group){(rates ? d->u_name : d->q_name)[at],
                             mech_unit(d, b, rates, j),
                             rates ? 'u' : 'q',
                             at,
                             1,
                             rates ? "speed" : "coordinate"};
    }
  }
  *g = (model_group){0};
  return CORE_OK;
}

core_status mech_names(mechanism *d) {
  size_t most = 7 * (size_t)d->spec.bodies + 1;
  d->q_name = core_scratch_bytes(&d->text, most * sizeof(char *));
  d->u_name = core_scratch_bytes(&d->text, most * sizeof(char *));
  d->contact_name =
      core_scratch_bytes(&d->text, ((size_t)mech_count_contacts(d) + 1) * sizeof(char *));
  if (!d->q_name || !d->u_name || !d->contact_name) return CORE_NO_MEMORY;
  char **q = d->q_name, **u = d->u_name;
  for (int i = 0; i < d->spec.bodies; i++) {
    int nq = body_names(d, &d->spec.body[i], 0, q), nu = body_names(d, &d->spec.body[i], 1, u);
    if (nq < 0 || nu < 0) return CORE_NO_MEMORY;
    q += nq, u += nu;
  }
  *q = *u = NULL;
  core_status status = name_groups(d);
  return status ? status : contact_names(d);
}

const char *mechanism_coordinate(const mechanism *d, int i) {
  return d->q_name[i];
}
const char *mechanism_speed(const mechanism *d, int i) {
  return d->u_name[i];
}
const char *mechanism_contact(const mechanism *d, int i) {
  return d->contact_name[i];
}
