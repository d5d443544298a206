/* From the waist to the mechanism: d(u+) with q, u and parameters.
 *
 *   u+ = u- + Y p,  Y = M^-1 J^T:    d(u+) = d(u-) + dY p + Y dp
 *   dp by impact_derive along dW, dv = dJ u + J du, dgap
 *
 * dJ, dY, dW and dgap with q are exact where models are made of joints (derive_shape.c). Else, and
 * with parameters of the model, they are differences of the assembled problem (core/differ.h):
 * models are smooth, so that they are good to about 1e-12.
 */
#include <math.h>
#include <string.h>

#include "core/differ.h"
#include "impact/derive.h"
#include "impact/tolerance.h"

/* J, Y, W and gap in one row, as a function of how far q or a parameter moved */
typedef struct shape_line {
  const impact_point *at;
  const double *dq;            /* nq: direction, or NULL */
  model *changed;              /* a copy whose parameter moves, or NULL */
  const impact_parameter *par; /* that parameter */
  double *q;                   /* nq: work */
  const double *weight;        /* takes the units out */
  core_scratch *s;
} shape_line;

static int count(const impact_point *at) {
  const impact_problem *pr = &at->setup.problem;
  return 2 * at->setup.nu * pr->rows + pr->rows * pr->rows + pr->nc;
}

static core_status move_parameter(const shape_line *w, double s) {
  const core_param *p = w->par->param;
  char *to = (char *)w->changed->params + p->at;
  const char *from = (const char *)w->at->m->params + p->at;
  int i = w->par->at < 0 ? 0 : w->par->at;
  if (p->kind == CORE_LIST) {
    const core_list *list = (const core_list *)from;
    double *x = core_scratch_doubles(w->s, (size_t)list->n + 1);
    if (!x) return CORE_NO_MEMORY;
    for (int k = 0; k < list->n; k++)
      x[k] = core_list_data(list)[k] + (w->par->at < 0 || k == i ? s : 0);
    if (core_list_set((core_list *)to, list->n, x)) return CORE_NO_MEMORY;
  } else {
    ((double *)to)[i] = ((const double *)from)[i] + s;
  }
  const model_type *type = w->changed->type; /* built, not started: q is given */
  if (type->destroy) type->destroy(w->changed);
  w->changed->extra = NULL;
  core_status status = type->build(w->changed, NULL);
  return status == CORE_BAD_INPUT ? CORE_NO_SOLUTION : status;
}

static core_status shape_at(void *self, double s, double *out) {
  const shape_line *w = self;
  const impact_point *at = w->at;
  const impact_problem *pr = &at->setup.problem;
  size_t part = (size_t)(at->setup.nu * pr->rows), square = (size_t)(pr->rows * pr->rows);
  core_mark mark = core_scratch_mark(w->s);
  impact_setup setup;
  core_status status = w->changed ? move_parameter(w, s) : CORE_OK;
  const model *m = w->changed ? w->changed : at->m;
  for (int i = 0; i < m->shape.nq; i++) w->q[i] = at->q[i] + (w->dq ? s * w->dq[i] : 0);
  if (!status && m->type->normalise) m->type->normalise(m, w->q);
  if (!status)
    status = impact_assemble(m, w->q, at->u, pr->nc, at->setup.contacts, w->s, &setup, NULL);
  if (!status) {
    memcpy(out, setup.J, part * sizeof *out);
    memcpy(out + part, setup.Y, part * sizeof *out);
    memcpy(out + 2 * part, setup.problem.W, square * sizeof *out);
    for (int c = 0; c < pr->nc; c++) /* what touches goes on touching */
      out[2 * part + square + (size_t)c] = impact_was_open(pr, c) ? setup.problem.gap[c] : 0;
    for (int i = 0, n = count(at); i < n; i++) out[i] *= w->weight[i];
  }
  core_scratch_release(w->s, mark);
  return status;
}

/* the entry that moves, and how far it may */
static void parameter_step(const impact_parameter *p, core_differ *c) {
  const char *from = (const char *)p->m->params + p->param->at;
  int i = p->at < 0 ? 0 : p->at;
  double x = p->param->kind == CORE_LIST ? core_list_at((const core_list *)from, i)
                                         : ((const double *)from)[i];
  double low = x - p->param->min, high = p->param->max - x;
  c->h = STEP_OF_PARAMETER * (x != 0 ? fabs(x) : 1);
  c->side = low <= 0 ? 1 : high <= 0 ? -1 : 0;
  if (c->side == 0) c->h = fmin(c->h, fmin(low, high) / 2);
}

/* factors that take the units out of J, Y, W and gaps */
static void weigh(const impact_point *at, const impact_size *size, double *weight) {
  const impact_problem *pr = &at->setup.problem;
  int nu = at->setup.nu, rows = pr->rows;
  double *Y = weight + nu * rows, *W = Y + nu * rows, *gap = W + rows * rows;
  for (int r = 0; r < rows; r++) {
    double row = size->row[r];
    for (int j = 0; j < nu; j++)
      weight[j * rows + r] = size->speed[j] / row, Y[r * nu + j] = 1 / (size->speed[j] * row);
    for (int o = 0; o < rows; o++) W[r * rows + o] = 1 / (row * size->row[o]);
  }
  for (int c = 0; c < pr->nc; c++) gap[c] = 1 / size->length;
}

/* derivative of the shape along dq, in steps of `step`, or with a parameter */
static core_status derive_shape(const impact_point *at, const impact_size *size, const double *dq,
                                double step, const impact_parameter *par, core_scratch *s,
                                double *d, impact_derived *how) {
  int n = count(at);
  double *weight = core_scratch_doubles(s, (size_t)n);
  if (!weight) return CORE_NO_MEMORY;
  weigh(at, size, weight);
  shape_line w = {.at = at, .dq = dq, .par = par, .weight = weight, .s = s};
  core_differ c = {.f = shape_at, .self = &w, .n = n, .h = STEP_OF_COORDINATE * step, .goal = 0};
  c.work = core_scratch_doubles(s, (size_t)core_differ_memory(n));
  w.q = core_scratch_doubles(s, (size_t)at->m->shape.nq);
  core_status status = c.work && w.q ? CORE_OK : CORE_NO_MEMORY;
  if (!status && par) status = model_copy(at->m, &w.changed), parameter_step(par, &c);
  if (!status) status = shape_at(&w, 0, c.work);
  double most = 0, found = 0;
  for (int i = 0; i < n && !status; i++) most = fmax(most, fabs(c.work[i]));
  c.goal = TOL_DIFFERENCE_MODEL * most / step;
  if (!status) status = core_differ_at(&c, d, &found);
  for (int i = 0; i < n && !status; i++) d[i] /= weight[i];
  if (w.changed) model_free(w.changed);
  if (!status) how->error = fmax(how->error, most > 0 ? found * step / most : 0);
  how->differenced_model = 1;
  return status;
}

/* column of D: d(u+) for a change of the shape (in `d`, or NULL), of the speeds or of the law */
typedef struct column {
  const double *d;  /* dJ, dY, dW, dgap, or NULL */
  const double *du; /* nu, or NULL */
  const impact_parameter *par;
} column;

/* The error of dp, which is of its largest entry, as one of d(u+): Y dp may be small where dp is
 * not. */
static double carried(const impact_point *at, const impact_size *size, const double *out,
                      const double *unit, const impact_derived *one) {
  int nu = at->setup.nu, rows = at->setup.problem.rows;
  double most = 0, largest = 0;
  for (int i = 0; i < nu; i++) {
    double sum = 0;
    for (int r = 0; r < rows; r++) sum += fabs(at->setup.Y[r * nu + i]) * unit[r];
    most = fmax(most, sum / size->speed[i]);
    largest = fmax(largest, fabs(out[i]) / size->speed[i]);
  }
  double far = one->error * one->size * most;
  return fmax(one->error, largest > 0 ? far / largest : 0);
}

static void gather(impact_derived *how, const impact_derived *one, double error) {
  if (one->route > how->route) how->route = one->route;
  how->error = fmax(how->error, error);
  how->tie |= one->tie;
}

static core_status fill_column(const impact_point *at, const impact_size *size, const column *c,
                               core_scratch *s, double *out, impact_derived *how, core_error *err) {
  const impact_problem *pr = &at->setup.problem;
  int nu = at->setup.nu, rows = pr->rows;
  size_t part = (size_t)(nu * rows), square = (size_t)(rows * rows);
  double *dv = core_scratch_doubles(s, 3 * (size_t)rows + 1), *dp = dv + rows, *unit = dp + rows;
  if (!dv) return CORE_NO_MEMORY;
  for (int r = 0; r < rows; r++) {
    dv[r] = 0;
    for (int j = 0; j < nu; j++)
      dv[r] += (c->d ? c->d[j * rows + r] * at->u[j] : 0) +
               (c->du ? at->setup.J[j * rows + r] * c->du[j] : 0);
  }
  impact_direction d = {.v = dv};
  if (c->d) d.W = c->d + 2 * part, d.gap = d.W + square;
  if (c->par && c->par->l) d.of = c->par->l, d.param = c->par->param, d.at = c->par->at, d.v = NULL;
  impact_derived one = {0};
  core_status status = impact_derive(at->l, pr, &at->r, &d, s, dp, &one, err);
  for (int i = 0; i < nu && !status; i++) {
    double sum = c->du ? c->du[i] : 0;
    for (int r = 0; r < rows; r++)
      sum += at->setup.Y[r * nu + i] * dp[r] + (c->d ? c->d[part + r * nu + i] * at->r.p[r] : 0);
    out[i] = sum;
  }
  impact_derive_units(pr, unit);
  if (!status) gather(how, &one, carried(at, size, out, unit, &one));
  return status;
}

/* Steps for a coordinate of unknown unit, as models in Lua have them: of 1, and as long as places
 * are. A step too long leaves the model's bends out, one too short has rounding in it: the better
 * of both counts. */
static core_status derive_unknown(const impact_point *at, const impact_size *size, int i,
                                  const double *dq, core_scratch *s, double *d,
                                  impact_derived *how) {
  double stride = impact_derive_stride(at, i);
  impact_derived one = {0}, other = {0};
  double *e = core_scratch_doubles(s, (size_t)count(at));
  core_status status = e ? CORE_OK : CORE_NO_MEMORY;
  if (!status) status = derive_shape(at, size, dq, 1, NULL, s, d, &one);
  if (!status && stride > 0 && !derive_shape(at, size, dq, stride, NULL, s, e, &other) &&
      other.error < one.error * stride) { /* errors are of changes over a step */
    memcpy(d, e, (size_t)count(at) * sizeof *d);
    one = other;
  }
  how->error = fmax(how->error, one.error);
  how->differenced_model = 1;
  return status;
}

/* d(u+)/d(xi_i): q moves by rates(q) e_i */
static core_status with_place(const impact_point *at, const impact_size *size, int i,
                              core_scratch *s, double *out, impact_derived *how, core_error *err) {
  int nu = at->setup.nu, nq = at->m->shape.nq;
  double *d = core_scratch_doubles(s, (size_t)(count(at) + nu + nq)), *e = d + count(at);
  if (!d) return CORE_NO_MEMORY;
  double *dq = e + nu;
  memset(e, 0, (size_t)nu * sizeof *e);
  e[i] = 1;
  core_status status = model_rates(at->m, at->q, e, dq);
  if (!status) status = impact_derive_joint(at, size, i, dq, s, d);
  if (!status) how->exact_model = 1;
  char unit = impact_derive_unit(at->m, i);
  if (status == CORE_UNSUPPORTED)
    status = !unit ? derive_unknown(at, size, i, dq, s, d, how)
                   : derive_shape(at, size, dq, unit == 'm' ? size->length : 1, NULL, s, d, how);
  column c = {.d = d};
  return status ? status : fill_column(at, size, &c, s, out, how, err);
}

static core_status with_speed(const impact_point *at, const impact_size *size, int i,
                              core_scratch *s, double *out, impact_derived *how, core_error *err) {
  double *e = core_scratch_doubles(s, (size_t)at->setup.nu);
  if (!e) return CORE_NO_MEMORY;
  memset(e, 0, (size_t)at->setup.nu * sizeof *e);
  e[i] = 1;
  column c = {.du = e};
  return fill_column(at, size, &c, s, out, how, err);
}

static core_status with_parameter(const impact_point *at, const impact_size *size,
                                  const impact_parameter *p, core_scratch *s, double *out,
                                  impact_derived *how, core_error *err) {
  double *d = NULL;
  core_status status = CORE_OK;
  if (p->m) {
    d = core_scratch_doubles(s, (size_t)count(at));
    status = d ? derive_shape(at, size, NULL, 1, p, s, d, how) : CORE_NO_MEMORY;
  }
  column c = {.d = d, .par = p};
  return status ? status : fill_column(at, size, &c, s, out, how, err);
}

core_status impact_derive_all(const impact_point *at, int n, const impact_parameter *params,
                              core_scratch *s, double *D, impact_derived *how, core_error *err) {
  int nu = at->setup.nu;
  impact_size size;
  core_status status = impact_derive_sizes(at, s, &size);
  *how = (impact_derived){.route = IMPACT_CLOSED_FORM};
  for (int i = 0; i < 2 * nu + n && !status; i++) {
    core_mark mark = core_scratch_mark(s);
    double *out = D + i * nu;
    if (i < nu)
      status = with_place(at, &size, i, s, out, how, err);
    else if (i < 2 * nu)
      status = with_speed(at, &size, i - nu, s, out, how, err);
    else
      status = with_parameter(at, &size, params + i - 2 * nu, s, out, how, err);
    core_scratch_release(s, mark);
  }
  if (status == CORE_NO_SOLUTION)
    return core_fail(err, status, "%s: the model cannot be moved a little from here",
                     at->m->type->schema.owner);
  return status == CORE_NO_MEMORY ? core_fail(err, status, "%s", "") : status;
}
