/* Where a mechanism starts, and whether it can: regular masses, closed loops, nothing inside an
 * obstacle or beyond a stop. */
#include <math.h>
#include <string.h>

#include "model/common.h"
#include "model/mech.h"
#include "model/mech_build.h"
#include "model/mech_part.h"
#include "model/tolerance.h"

/* the numbers "leg.q", "leg.u" of every body, one after the other */
static void read_state(const model *m, double *q, double *u) {
  const mechanism *d = mechanism_of(m);
  for (int i = 0; i < d->spec.bodies; i++) {
    const mechanism_slot b = mechanism_body_at(d, i);
    if (!b.nu) continue;
    memcpy(q + b.q, (const char *)m->params + d->body_at[i][BODY_Q], (size_t)b.nq * sizeof *q);
    memcpy(u + b.u, (const char *)m->params + d->body_at[i][BODY_U], (size_t)b.nu * sizeof *u);
  }
}

/* a quaternion of zeros has no direction */
static core_status check_quaternions(const model *m, const double *q, core_error *err) {
  const mech *s = m->extra;
  for (int i = 0; i < s->n; i++) {
    const mech_link *k = &s->link[i];
    int ball = k->joint == MECHANISM_BALL, floating = k->joint == MECHANISM_FREE && !s->plane;
    const double *x = q + k->q + (floating ? 3 : 0);
    if ((ball || floating) && x[0] == 0 && x[1] == 0 && x[2] == 0 && x[3] == 0)
      return core_fail(
          err, CORE_BAD_INPUT,
          "%s: %s.q must hold a quaternion w, x, y, z, got zeros (no turn is 1, 0, 0, 0)",
          m->type->schema.owner, mechanism_of(m)->spec.body[i].name);
  }
  return CORE_OK;
}

static core_status regular(const model *m, const double *q, core_error *err) {
  const mech *s = m->extra;
  mech_factors f;
  core_mark mark = core_scratch_mark(s->work);
  core_status status = mech_factor(s, q, s->work, &f);
  core_scratch_release(s->work, mark);
  if (status != CORE_SINGULAR) return status;
  return core_fail(err, CORE_BAD_INPUT,
                   "%s: the mass matrix is singular: a body without mass or inertia is at the end "
                   "of a branch, or moves without any",
                   m->type->schema.owner);
}

static core_status outside(const model *m, const double *q, core_error *err) {
  const mech *s = m->extra;
  const mechanism *d = mechanism_of(m);
  core_mark mark = core_scratch_mark(s->work);
  double *gap = core_scratch_doubles(s->work, (size_t)s->nc + 1);
  core_status status = gap ? mech_gap(m, q, gap) : CORE_NO_MEMORY;
  if (status == CORE_SINGULAR)
    status = core_fail(err, CORE_BAD_INPUT, "%s: two round shapes start inside each other",
                       m->type->schema.owner);
  for (int c = 0; c < s->nc && !status; c++) {
    int stop = s->contact[c].kind == MECH_STOP;
    if (gap[c] >= -MODEL_INSIDE * mech_gap_size(m, q, c)) continue;
    status =
        core_fail(err, CORE_BAD_INPUT, "%s: '%s' starts %s: gap is %.6g %s", m->type->schema.owner,
                  d->contact_name[c], stop ? "beyond its stop" : "inside the obstacle", gap[c],
                  stop && s->link[s->contact[c].link].joint == MECHANISM_HINGE ? "rad" : "m");
  }
  core_scratch_release(s->work, mark);
  return status;
}

static core_status tied(const model *m, const double *q, core_error *err) {
  const mechanism *d = mechanism_of(m);
  core_status status = CORE_OK;
  for (int i = 0; i < d->spec.loops && !status; i++) {
    int moves;
    status = mech_loop_moves(m, q, i, &moves);
    if (!status && !moves)
      status = core_fail(err, CORE_BAD_INPUT,
                         "%s: the loop of '%s' and '%s' ties points that cannot move against each "
                         "other",
                         m->type->schema.owner, d->spec.part[d->spec.loop[i].a].name,
                         d->spec.part[d->spec.loop[i].b].name);
  }
  return status;
}

/* A start whose loops are open by little is closed; one that is not what was meant is refused.
 * Little is a part of the mechanism's own size, or rounding of where its bodies are. */
static core_status closed(const model *m, double *q, double *u, core_error *err) {
  const mech *s = m->extra;
  double before, after, rounding = MODEL_LOOP_CLOSED * mech_reach(s, q);
  core_status status = mech_apart(m, q, &before);
  if (!status && before <= fmax(MODEL_LOOP_OPEN * s->size, rounding)) {
    status = mech_close(m, q, &after);
    if (!status && after <= rounding) status = tied(m, q, err);
    if (!status && after <= rounding) return mech_hold(m, q, u);
  }
  if (status) return status;
  return core_fail(err, CORE_BAD_INPUT,
                   "%s: the loops do not close: at the start their points are up to %.6g m apart",
                   m->type->schema.owner, before);
}

core_status mech_start(const model *m, double *q, double *u, core_error *err) {
  const mech *s = m->extra;
  read_state(m, q, u);
  core_status status = check_quaternions(m, q, err);
  if (status) return status;
  mech_normalise(m, q);
  status = regular(m, q, err);
  if (!status && s->loops) status = closed(m, q, u, err);
  return status ? status : outside(m, q, err);
}
