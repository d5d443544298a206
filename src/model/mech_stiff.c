/* Mechanisms for implicit steps: those in the plane as trees of plane_stiff.c.
 *
 * Springs between bodies, loops and functions of the script are forces that a tree does not hold:
 * they take full matrices. */
#include "model/mech.h"
#include "model/mech_part.h"
#include "model/plane_stiff.h"
#include "model/rigid.h"

static size_t plane_room(const model *m) {
  const mech *s = m->extra;
  return s->springs || s->loops || s->drive ? 0 : plane_bytes(s->n);
}

/* v of the body's axes in world ones */
static void turn(const mech_pose *pose, const double *v, double by, double *out) {
  double world[3];
  model_turn(pose->R, v, world);
  out[0] = by * world[0], out[1] = by * world[2];
}

static plane_body flat_body(const mech_link *k, const mech_pose *pose) {
  plane_body b = {.parent = k->parent,
                  .joint = k->joint,
                  .at = k->u,
                  .r = {pose->r[0], pose->r[2]},
                  .m = k->m,
                  .I = k->I[3], /* about y */
                  .k = k->nu == 1 ? k->k : 0,
                  .damper = k->d,
                  .armature = k->armature};
  turn(pose, k->c, k->m, b.mc);
  if (k->joint == MECHANISM_SLIDE) turn(pose, k->axis, 1, b.d);
  return b;
}

static core_status plane_state_of(const model *m, const double *q, const double *u,
                                  const double *udot, void *memory) {
  const mech *s = m->extra;
  const double g[2] = {s->g[0], s->g[2]};
  core_mark mark = core_scratch_mark(s->work);
  mech_pose *pose = core_scratch_bytes(s->work, (size_t)s->n * sizeof *pose + 1);
  plane_tree *t = plane_place(memory, s->n, s->nu);
  if (pose) {
    mech_poses(s, q, pose);
    for (int i = 0; i < s->n; i++) t->body[i] = flat_body(&s->link[i], &pose[i]);
    plane_look(t, g, u, udot);
  }
  core_scratch_release(s->work, mark);
  return pose ? CORE_OK : CORE_NO_MEMORY;
}

const model_stiffness mech_plane_stiffness = {plane_room, plane_state_of, plane_factor,
                                              plane_solve};
