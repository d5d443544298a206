/* A mechanism's definition inside: what mechanism.c writes down and mech_build.c reads. */
#ifndef MODEL_MECH_BUILD_H
#define MODEL_MECH_BUILD_H

#include "model/mechanism.h"

/* one number, or a vector, of a body, a part or a spring */
typedef struct mech_field {
  const char *key;
  const char *unit, *slide_unit; /* the second for bodies on a slide */
  int in_plane, in_space;        /* how many numbers */
  double min, max;
  unsigned flags;
  const char *doc;
} mech_field;

enum {
  BODY_MASS,
  BODY_COM,
  BODY_INERTIA,
  BODY_AT,
  BODY_TURN,
  BODY_AXIS,
  BODY_STIFFNESS,
  BODY_REST,
  BODY_DAMPING,
  BODY_TORQUE,
  BODY_ARMATURE,
  BODY_LOWER,
  BODY_UPPER,
  BODY_Q,
  BODY_U,
  MECH_BODY_FIELDS
};

typedef struct mech_first {
  int q, u;
} mech_first;

struct mechanism {
  model_type type; /* its models' */
  mechanism_spec spec;
  core_scratch text;  /* memory of everything below and of the spec's copies */
  core_param *params; /* in the order of their keys */
  int n_params;
  mech_first *first;                   /* where the state of each body starts */
  size_t size;                         /* of a model's parameters [bytes] */
  size_t gravity_at, view_at;          /* offsets in them */
  size_t (*body_at)[MECH_BODY_FIELDS]; /* 0: this body has no such number */
  size_t *part_at, *spring_at;
  char **q_name, **u_name, **contact_name; /* each ends with NULL */
  model_group *groups;                     /* every coordinate and every speed by its name */
  mechanism_drive drive;
  void *driver; /* what the drive needs to know */
};

extern const model_type mech_hooks; /* schema and loops are filled in per definition */

/* mech_start.c */
core_status mech_start(const model *m, double *q, double *u, core_error *err);

/* mech_draw.c */
void mech_outline(const model *m, const double *q, model_pen *pen);

/* mech_names.c */
core_status mech_names(mechanism *d);
const char *mech_unit(const mechanism *d, const mechanism_body *b, int rates, int i);
int mech_coordinates(const mechanism *d, const mechanism_body *b);
int mech_speeds(const mechanism *d, const mechanism_body *b);
int mech_pair_contacts(const mechanism *d, const mechanism_link *l);
int mech_count_contacts(const mechanism *d);

#endif
