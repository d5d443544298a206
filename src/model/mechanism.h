/* Mechanisms that a user declares: a tree of bodies on joints, with shapes, obstacles, contacts,
 * springs, stops and loops. A definition fixes what there is; all numbers in it are parameters of
 * its models ("leg.mass", "floor.normal"), so that m:with{...}, sweeps and help work as for k.ball.
 */
#ifndef MODEL_MECHANISM_H
#define MODEL_MECHANISM_H

#include "model/model.h"

typedef enum mechanism_joint {
  MECHANISM_FIXED, /* does not move */
  MECHANISM_HINGE, /* turns about an axis: q [rad] */
  MECHANISM_SLIDE, /* moves along an axis: q [m] */
  MECHANISM_BALL,  /* q is a quaternion w, x, y, z; u the spin in the body's axes [rad/s] */
  MECHANISM_FREE   /* space: q is x, y, z and a quaternion, u the velocity in the world and the spin
                    * in the body; plane: q is x, z, angle and u their rates. On the world only. */
} mechanism_joint;

typedef enum mechanism_shape {
  MECHANISM_POINT,   /* numbers: at */
  MECHANISM_SPHERE,  /* at, radius */
  MECHANISM_CAPSULE, /* from, to, radius */
  MECHANISM_BOX,     /* at, turn, size (whole lengths) */
  MECHANISM_PLANE    /* point, normal: an obstacle */
} mechanism_shape;

typedef struct mechanism_body {
  const char *name;
  int parent; /* -1: the world; else an earlier body */
  mechanism_joint joint;
  int stops; /* 1: has a lower limit, 2: an upper one, 3: both */
  int drive; /* a function of the script drives its joint */
} mechanism_body;

/* a shape of a body, or an obstacle (body -1 or a body that carries it) */
typedef struct mechanism_part {
  const char *name; /* "leg.foot", "floor" */
  int body;
  mechanism_shape shape;
} mechanism_part;

/* two parts that may touch (contacts), are joined by a spring, or stay together (loops) */
typedef struct mechanism_link {
  const char *name; /* springs: key of their numbers */
  int a, b;         /* parts */
} mechanism_link;

typedef struct mechanism_spec {
  const char *name; /* starts the error messages */
  int plane;
  int bodies, parts, contacts, springs, loops;
  const mechanism_body *body;
  const mechanism_part *part;
  const mechanism_link *contact, *spring, *loop;
  int lenient; /* inertias that no body can have pass: files of others are full of them */
} mechanism_spec;

typedef struct mechanism mechanism; /* a definition */

/* Copies the spec; checks what does not depend on numbers. */
core_status mechanism_define(const mechanism_spec *spec, mechanism **d, core_error *err);
void mechanism_free(mechanism *d);

/* model_create(mechanism_type(d), params, ...); d must outlive its models */
const model_type *mechanism_type(const mechanism *d);
const mechanism *mechanism_of(const model *m); /* or NULL when it is another kind of model */

/* names, for columns and messages; NULL beyond the end */
const char *mechanism_coordinate(const mechanism *d, int i);
const char *mechanism_speed(const mechanism *d, int i);
const char *mechanism_contact(const mechanism *d, int i);
/* contact c of a mechanism is the stop of a hinge: its gap is an angle, its force a torque */
int mechanism_contact_turns(const model *m, int c);

/* the numbers that bodies, shapes and springs have, for help: the i-th of "body", "point",
 * "sphere", "capsule", "box", "plane" or "spring"; 0 beyond the end */
typedef struct mechanism_number {
  const char *key, *unit, *slide_unit; /* the second unit for slides */
  int in_plane, in_space;              /* how many; 0: as many as the joint has */
  const char *doc;
} mechanism_number;
int mechanism_numbers(const char *of, int i, mechanism_number *number);

/* torques of the script's functions: called with tau of nu numbers to add to */
typedef core_status (*mechanism_drive)(const model *m, double t, const double *q, const double *u,
                                       double *tau);
void mechanism_set_drive(mechanism *d, mechanism_drive drive, void *driver);
void *mechanism_driver(const model *m);

/* bodies and where their coordinates and speeds are in q and u */
typedef struct mechanism_slot {
  const char *name;
  int q, nq, u, nu;
} mechanism_slot;
int mechanism_bodies(const mechanism *d);
mechanism_slot mechanism_body_at(const mechanism *d, int i);
const mechanism_spec *mechanism_spec_of(const mechanism *d);

/* an inertia that no body can have: 1 and its principal moments; 0: fine */
int mechanism_odd_inertia(const double I[6], double moments[3]);

#endif
