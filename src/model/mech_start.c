/* Where a mechanism starts, and whether it can: regular masses, closed loops, nothing inside an
 * obstacle or beyond a stop. */
#include <math.h>
#include <string.h>

#include "model/common.h"
#include "model/mech.h"
#include "model/mech_build.h"
#include "model/mech_part.h"

static void default_state(const mech *s, double *q, double *u) {
  memset(q, 0, (size_t)s->nq * sizeof *q);
  memset(u, 0, (size_t)s->nu * sizeof *u);
  for (int i = 0; i < s->n; i++) {
    const mech_link *k = &s->link[i];
    if (k->joint == MECHANISM_BALL) q[k->q] = 1;
    if (k->joint == MECHANISM_FREE && !s->plane) q[k->q + 3] = 1;
  }
}

static core_status read_state(const model *m, const char *name, const core_list *l, int n,
                              double *x, core_error *err) {
  if (l->n == 0) return CORE_OK;
  core_status status = model_exactly(m, name, l->n, n, err);
  if (!status) memcpy(x, core_list_data(l), (size_t)n * sizeof *x);
  return status;
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
  double far = s->size;
  for (int i = 0; i < s->nq; i++) far = fmax(far, fabs(q[i]));
  for (int c = 0; c < s->nc && !status; c++) {
    int stop = s->contact[c].kind == MECH_STOP;
    if (gap[c] >= -1e-9 * far) continue;
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

/* a start whose loops are open by little is closed; one that is not what was meant is refused */
static core_status closed(const model *m, double *q, double *u, core_error *err) {
  const mech *s = m->extra;
  double before, after;
  core_status status = mech_apart(m, q, &before);
  if (!status && before <= 0.01 * s->size) {
    status = mech_close(m, q, &after);
    if (!status && after <= 1e-9 * s->size) status = tied(m, q, err);
    if (!status && after <= 1e-9 * s->size) return mech_hold(m, q, u);
  }
  if (status) return status;
  return core_fail(err, CORE_BAD_INPUT,
                   "%s: the loops do not close: at the start their points are up to %.6g m apart",
                   m->type->schema.owner, before);
}

core_status mech_start(const model *m, double *q, double *u, core_error *err) {
  const mech *s = m->extra;
  const mech_params *p = m->params;
  default_state(s, q, u);
  core_status status = read_state(m, "q", &p->q, s->nq, q, err);
  if (!status) status = read_state(m, "u", &p->u, s->nu, u, err);
  if (status) return status;
  mech_normalise(m, q);
  status = regular(m, q, err);
  if (!status && s->loops) status = closed(m, q, u, err);
  return status ? status : outside(m, q, err);
}
