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
static const char *const free_q[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
static const char *const free_u[] = {"x", "y", "z", "wx", "wy", "wz"};

static char *format(mechanism *d, const char *a, const char *dot, const char *b) {
  size_t size = strlen(a) + strlen(dot) + strlen(b) + 1;
  char *text = core_scratch_bytes(&d->text, size);
  if (text) snprintf(text, size, "%s%s%s", a, dot, b);
  return text;
}

/* names of the coordinates (or speeds) of one body; returns how many, -1 when memory is out */
static int body_names(mechanism *d, const mechanism_body *b, int rates, char **out) {
  int plane = d->spec.plane, one_name = b->joint == MECHANISM_HINGE || b->joint == MECHANISM_SLIDE;
  const char *const *words = plane ? free_plane : rates ? free_u : free_q;
  int n = rates ? mech_speeds(d, b) : mech_coordinates(d, b);
  if (b->joint == MECHANISM_BALL) words += 3;
  for (int i = 0; i < n; i++) {
    out[i] = one_name ? format(d, b->name, "", "") : format(d, b->name, ".", words[i]);
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
  return contact_names(d);
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
