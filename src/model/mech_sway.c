/* How far the gaps of a mechanism can move while each coordinate changes by at most dq.
 *
 *   turn_i   how much the body's axes turn: |R' x - R x| <= turn |x|
 *   way_i    how far its origin moves [m]
 *   way_i    = way_parent + |at| turn_parent + what the joint moves by
 *   turn_i   = turn_parent + what the joint turns by: |dq| of a hinge, 2 |dq| of a quaternion
 *
 * whatever the configuration. What a slide or a free body carries has no such bound when its parent
 * turns, since it may be anywhere: infinity, and these gaps are searched.
 */
#include <math.h>

#include "model/mech.h"
#include "model/rigid.h"
#include "model/tolerance.h"

typedef struct reach {
  double way; /* [m] */
  double turn;
} reach;

static double norm(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

/* a turn of a quaternion's change: 4 sin(theta/4) of it, with room for its length */
static double turn_of(const double *dq) {
  return 2 * (1 + MODEL_UNIT_LENGTH) * norm(4, dq);
}

static reach carry(const mech *s, const mech_link *k, reach parent, const double *dq) {
  const double *by = dq + k->q;
  reach r = {parent.way + model_length(k->at) * parent.turn, parent.turn};
  int far = (k->joint == MECHANISM_SLIDE || k->joint == MECHANISM_FREE) && parent.turn > 0;
  switch (k->joint) {
    case MECHANISM_HINGE: r.turn += fabs(by[0]); break;
    case MECHANISM_SLIDE: r.way += fabs(by[0]); break;
    case MECHANISM_BALL: r.turn += turn_of(by); break;
    case MECHANISM_FREE:
      r.way += norm(s->plane ? 2 : 3, by);
      r.turn += s->plane ? fabs(by[2]) : turn_of(by + 3);
      break;
    default: break;
  }
  if (far) r.way = INFINITY;
  return r;
}

/* how far a feature moves: the farther one of its ends */
static double way_of(const mech_feature *f, const reach *of) {
  if (f->body < 0) return 0;
  double out = fmax(model_length(f->p[0]), model_length(f->p[1]));
  return of[f->body].way + out * of[f->body].turn;
}

static double contact_sway(const mech *s, const mech_contact *c, const reach *of,
                           const double *dq) {
  if (c->kind == MECH_STOP) return fabs(dq[s->link[c->link].q]);
  if (c->kind == MECH_ON_ROUND) return way_of(&c->a, of) + way_of(&c->b, of);
  return c->face.body < 0 ? way_of(&c->a, of) : INFINITY; /* a face that turns, from any distance */
}

void mech_sway(const model *m, const double *dq, double *most) {
  const mech *s = m->extra;
  const reach still = {0, 0};
  core_mark mark = core_scratch_mark(s->work);
  reach *of = core_scratch_bytes(s->work, (size_t)s->n * sizeof *of);
  for (int i = 0; i < s->n && of; i++) {
    int parent = s->link[i].parent;
    of[i] = carry(s, &s->link[i], parent < 0 ? still : of[parent], dq);
  }
  for (int c = 0; c < s->nc; c++) most[c] = of ? contact_sway(s, &s->contact[c], of, dq) : INFINITY;
  core_scratch_release(s->work, mark);
}
