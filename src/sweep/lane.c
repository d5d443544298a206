#include "sweep/lane.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/interrupt.h"
#include "sweep/row.h"

static const double TOUCH = NAN; /* by the size of the contacts, as in k.impact */

static int same_parameter(const sweep_input *a, const sweep_input *b) {
  return a->param == b->param && a->of_law == b->of_law;
}

core_status sweep_lane_open(sweep_lane *lane, const model *m, const law *l) {
  core_scratch_init(&lane->scratch);
  lane->width = 0;
  for (int k = 0; k < lane->n_outputs; k++) lane->width += lane->outputs[k].n;
  for (int k = 0; k < lane->n_inputs; k++) {
    sweep_input *in = &lane->inputs[k];
    in->shared = 0;
    in->row = SIZE_MAX;
    for (int j = 0; j < lane->n_inputs; j++)
      in->shared |= j != k && same_parameter(in, &lane->inputs[j]);
  }
  lane->row = malloc(((size_t)lane->width + 1) * sizeof *lane->row);
  lane->part_ids = malloc(((size_t)m->shape.nc + 1) * sizeof *lane->part_ids);
  if (!lane->row || !lane->part_ids) return CORE_NO_MEMORY;
  core_status status = model_copy(m, &lane->m);
  return status ? status : law_create(l->type, l->params, &lane->l, NULL);
}

void sweep_lane_close(sweep_lane *lane) {
  free(lane->row);
  free(lane->part_ids);
  law_free(lane->part);
  model_free(lane->m);
  law_free(lane->l);
  core_scratch_free(&lane->scratch);
}

/* ---- in ---- */

/* one element of a vector or list, or those that a name means; the others stay */
static core_status set_elements(const sweep_input *in, char *at, double x, core_error *err) {
  const core_param *p = in->param;
  double *old = p->kind == CORE_VECTOR ? (double *)(at + p->at)
                                       : (double *)core_list_data((core_list *)(at + p->at));
  int n = p->kind == CORE_VECTOR ? p->n : ((core_list *)(at + p->at))->n;
  double values[64];
  if (in->element >= n || n > 64)
    return core_fail(err, CORE_BAD_INPUT, "%s: %s has no element %d", in->schema->owner, p->key,
                     in->element + 1);
  memcpy(values, old, (size_t)n * sizeof *values);
  for (int c = 0; c < n; c++)
    if (c == in->element || in->meant >> c & 1) values[c] = x;
  return core_param_set(in->schema, p, at, n, values, err);
}

/* the parameter of an input from n numbers */
static core_status set_input(sweep_lane *lane, const sweep_input *in, int n, const double *x,
                             core_error *err) {
  char *at = in->of_law ? lane->l->params : lane->m->params;
  if (in->element >= 0 || in->meant) return set_elements(in, at, *x, err);
  return core_param_set(in->schema, in->param, at, n, x, err);
}

static core_status set_from_axis(sweep_lane *lane, const sweep_input *in, size_t row,
                                 core_error *err) {
  const record_column *c = &lane->axes->axis[in->axis].values->columns[0];
  return set_input(lane, in, c->width, c->x + row * (size_t)c->width, err);
}

/* after a failure nothing is known to be set */
static core_status forget_inputs(sweep_lane *lane, core_status status) {
  for (int k = 0; k < lane->n_inputs && status; k++) lane->inputs[k].row = SIZE_MAX;
  return status;
}

/* what follows from the parameters of the model (0) and of the law (1) that changed */
static core_status rebuild(sweep_lane *lane, const int *changed, core_error *err) {
  core_status status = changed[0] ? model_rebuild(lane->m, err) : CORE_OK;
  if (changed[1]) law_free(lane->part), lane->part = NULL;
  if (!status && changed[1] && lane->l->type->build) status = law_rebuild(lane->l, err);
  return status;
}

/* an axis whose value is that of the sample before is set already */
static core_status set_inputs(sweep_lane *lane, size_t i, core_error *err) {
  int changed[2] = {0, 0};
  core_status status = CORE_OK;
  for (int k = 0; k < lane->n_inputs && !status; k++) {
    sweep_input *in = &lane->inputs[k];
    size_t row = sweep_axis_row(lane->axes, in->axis, i);
    if (row == in->row && !in->shared) continue;
    changed[in->of_law] = 1;
    status = set_from_axis(lane, in, row, err);
    in->row = row;
  }
  if (!status) status = rebuild(lane, changed, err);
  return forget_inputs(lane, status);
}

/* ---- out ---- */

/* rows first .. first + n - 1 of x, which has `rows` numbers; NaN beyond them */
static void copy_rows(const sweep_output *o, int rows, const double *x, double *out) {
  for (int j = 0; j < o->n; j++)
    out[j] = o->first + j < rows ? x[o->first + j] : NAN; /* NOLINT: solved, so it is there */
}

static double kinetic(sweep_lane *lane, const double *u) {
  double T = NAN;
  model_kinetic(lane->m, lane->m->q, u, &lane->scratch, &T);
  return T;
}

static double energy(sweep_lane *lane, sweep_what what, const double *u_after,
                     const impact_result *r) {
  switch (what) {
    case SWEEP_ENERGY_AFTER: return kinetic(lane, u_after);
    case SWEEP_ENERGY_LOST: return kinetic(lane, lane->m->u) - kinetic(lane, u_after);
    case SWEEP_ENERGY_RESTITUTION: return r->lost_restitution;
    case SWEEP_ENERGY_FRICTION: return r->lost_friction;
    case SWEEP_ENERGY_STORED: return r->stored;
    case SWEEP_DURATION: return r->duration;
    default: return kinetic(lane, lane->m->u);
  }
}

static void take_outputs(sweep_lane *lane, int rows, const double *u_after, const impact_result *r,
                         double *out) {
  for (int k = 0; k < lane->n_outputs; k++) {
    const sweep_output *o = &lane->outputs[k];
    switch (o->what) {
      case SWEEP_SPEED: copy_rows(o, lane->m->shape.nu, u_after, out); break;
      case SWEEP_IMPULSE: copy_rows(o, rows, r->p, out); break;
      case SWEEP_CONTACT_VELOCITY: copy_rows(o, rows, r->v, out); break;
      default: *out = energy(lane, o->what, u_after, r);
    }
    out += o->n;
  }
}

/* ---- the impact ---- */

/* The law for the contacts that take part: one with a number for each contact of the model is cut
 * to them. It is made anew when they or the parameters change. */
static core_status law_for(sweep_lane *lane, const impact_setup *setup, const law **l,
                           core_error *err) {
  int n = setup->problem.nc, nc = lane->m->shape.nc;
  size_t size = (size_t)n * sizeof *lane->part_ids;
  *l = lane->l;
  if (n == nc) return CORE_OK;
  if (!lane->part || lane->part_n != n || memcmp(lane->part_ids, setup->contacts, size)) {
    law_free(lane->part);
    core_status status = law_part(lane->l, nc, n, setup->contacts, &lane->part, err);
    if (status) return status;
    lane->part_n = n;
    memcpy(lane->part_ids, setup->contacts, size);
  }
  *l = lane->part;
  return CORE_OK;
}

/* impact_solve for a law with a number for each contact */
static core_status solve_lists(sweep_lane *lane, impact_setup *setup, impact_result *r,
                               double *u_after, core_error *err) {
  const model *m = lane->m;
  const law *l;
  core_status status = impact_meet(m, m->q, m->u, lane->l, TOUCH, &lane->scratch, setup, err);
  if (!status) status = law_for(lane, setup, &l, err);
  if (status) return status;
  r->p = setup->room;
  r->v = r->p + setup->problem.rows;
  status = law_solve(l, &setup->problem, &lane->scratch, NULL, r, err);
  if (core_status_good(status)) impact_back(setup, m->u, r->p, u_after);
  return status;
}

/* one impact of the lane as it is set */
static core_status solve(sweep_lane *lane, double *out, core_error *err) {
  core_mark mark = core_scratch_mark(&lane->scratch);
  const model *m = lane->m;
  double *u_after = core_scratch_doubles(&lane->scratch, (size_t)m->shape.nu);
  impact_setup setup;
  impact_result r = {0};
  if (!u_after) return CORE_NO_MEMORY;
  core_status status = m->shape.nc > 1 && law_longest_list(lane->l) == m->shape.nc
                           ? solve_lists(lane, &setup, &r, u_after, err)
                           : impact_solve(m, m->q, m->u, lane->l, TOUCH, &lane->scratch, NULL,
                                          &setup, &r, u_after, err);
  if (core_status_good(status)) take_outputs(lane, setup.problem.rows, u_after, &r, out);
  core_scratch_release(&lane->scratch, mark);
  return core_status_good(status) ? CORE_OK : status;
}

core_status sweep_lane_sample(sweep_lane *lane, size_t i, double *out, core_error *err) {
  for (int k = 0; k < lane->width; k++) out[k] = NAN;
  core_status status = set_inputs(lane, i, err);
  return status ? status : solve(lane, out, err);
}

core_status sweep_lane_call(sweep_lane *lane, const double *x, double *out, core_error *err) {
  int changed[2] = {0, 0};
  core_status status = CORE_OK;
  for (int k = 0; k < lane->n_inputs && !status; k++) {
    changed[lane->inputs[k].of_law] = 1;
    status = set_input(lane, &lane->inputs[k], 1, x + k, err);
  }
  if (!status) status = rebuild(lane, changed, err);
  return status ? status : solve(lane, out, err);
}

void sweep_lane_unit(sweep_lane *lane, size_t first, size_t count, sweep_bytes *out) {
  size_t start = out->n, width = (size_t)lane->width;
  const char *block = sweep_row_block(out, count, lane->width);
  size_t at = block ? (size_t)(block - out->at) : 0; /* out moves when it grows */
  if (!block) return;
  double *row = lane->row;
  for (size_t i = 0; i < count && !core_interrupted(); i++) {
    core_error err = {0};
    core_status status = sweep_lane_sample(lane, first + i, row, &err);
    if (out->failed) return;
    memcpy(out->at + at + i * width * sizeof *row, row, width * sizeof *row);
    if (!status) continue;
    err.status = status;
    sweep_row_block_failed(out, start, i, status, core_error_text(&err));
  }
}
