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
  BODY_LOWER,
  BODY_UPPER,
  MECH_BODY_FIELDS
};

/* the head of a model's parameters; the numbers follow */
typedef struct mech_params {
  core_list q, u;
} mech_params;

struct mechanism {
  model_type type; /* its models' */
  mechanism_spec spec;
  core_scratch text; /* memory of everything below and of the spec's copies */
  core_param *params;
  int n_params;
  size_t size;                         /* of a model's parameters [bytes] */
  size_t gravity_at;                   /* offsets in them */
  size_t (*body_at)[MECH_BODY_FIELDS]; /* 0: this body has no such number */
  size_t *part_at, *spring_at;
  char **q_name, **u_name, **contact_name; /* each ends with NULL */
  mechanism_drive drive;
};

extern const model_type mech_hooks; /* schema and loops are filled in per definition */

/* mech_start.c */
core_status mech_start(const model *m, double *q, double *u, core_error *err);

/* mech_names.c */
core_status mech_names(mechanism *d);
int mech_coordinates(const mechanism *d, const mechanism_body *b);
int mech_speeds(const mechanism *d, const mechanism_body *b);
int mech_pair_contacts(const mechanism *d, const mechanism_link *l);
int mech_count_contacts(const mechanism *d);

#endif
