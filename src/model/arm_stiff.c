/* The arm as a tree in the plane, in the frame of the floor, for implicit steps. */
#include "core/sincos.h"
#include "model/arm.h"
#include "model/plane_stiff.h"

static size_t bytes(const model *m) {
  const arm *a = m->extra;
  return plane_bytes(a->n);
}

/* link i on the end of the one above; e = (c, s) are along the links, two at a time */
static void place(const arm *a, int i, const double *above, const double *e, plane_body *b) {
  const arm_link *k = &a->link[i];
  const arm_joint *j = &a->joint[i];
  double up = i > 0 ? a->link[i - 1].l : 0, own = k->beta * k->l;
  *b = (plane_body){.parent = i - 1,
                    .joint = MECHANISM_HINGE,
                    .at = i,
                    .r = {up * above[0], up * above[1]},
                    .m = k->m,
                    .mc = {own * e[0], own * e[1]},
                    .I = k->I,
                    .k = j->k,
                    .damper = j->d};
}

static core_status look(const model *m, const double *q, const double *u, const double *udot,
                        void *memory) {
  const arm *a = m->extra;
  plane_tree *t = plane_place(memory, a->n, a->n);
  double angle[2] = {0, -a->slope}, above[2] = {0, 0}, e[2][2];
  core_pair s, c;
  for (int i = 0; i < a->n; i += 2) {
    angle[0] = angle[1] + q[i];
    angle[1] = angle[0] + (i + 1 < a->n ? q[i + 1] : 0);
    core_sincos2(angle, &s, &c);
    for (int k = 0; k < 2; k++) e[k][0] = c[k], e[k][1] = s[k];
    place(a, i, above, e[0], &t->body[i]);
    if (i + 1 < a->n) place(a, i + 1, e[0], e[1], &t->body[i + 1]);
    above[0] = e[1][0], above[1] = e[1][1];
  }
  plane_look(t, a->g, u, udot);
  return CORE_OK;
}

const model_stiffness model_arm_stiffness = {bytes, look, plane_factor, plane_solve};
