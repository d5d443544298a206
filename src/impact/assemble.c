#include "impact/assemble.h"

#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "core/pair.h"
#include "impact/tolerance.h"

/* ---- which contacts take part ---- */

static core_status nothing_touches(const model *m, int nc, const double *gap, core_error *err) {
  double least = INFINITY;
  for (int c = 0; c < nc; c++) least = fmin(least, gap[c]);
  if (nc == 0)
    return core_fail(err, CORE_BAD_INPUT, "%s: it has no contacts, so that nothing can touch",
                     m->type->schema.owner);
  return core_fail(
      err, CORE_BAD_INPUT,
      "%s: nothing touches: the smallest gap is %.6g m (move the body to the obstacle, "
      "name `contacts`, or simulate until it arrives)",
      m->type->schema.owner, least);
}

static core_status starts_inside(const model *m, int c, double gap, core_error *err) {
  return core_fail(err, CORE_BAD_INPUT, "%s: contact %d is %.6g m inside its obstacle",
                   m->type->schema.owner, c + 1, -gap);
}

/* what counts as closed for a contact of that size: `touch`, or by itself where that is NaN */
static inline double closed_up_to(double touch, double size) {
  return isnan(touch) ? TOL_TOUCH * size : touch;
}

static int is_inside(double gap, double touch, double size) {
  return gap < -fmax(closed_up_to(touch, size), TOL_INSIDE * size);
}

core_status impact_select(const model *m, const double *q, const law *l, double touch,
                          core_scratch *s, int *n, int **contacts, core_error *err) {
  int nc = m->shape.nc, all = l->type->flags & LAW_GAPS;
  double *gap = core_scratch_doubles(s, (size_t)nc);
  *contacts = core_scratch_ints(s, (size_t)nc);
  *n = 0;
  if (!gap || !*contacts) return core_no_memory(err);
  core_status status = m->type->gap(m, q, gap);
  if (status) return status;
  int touching = 0;
  for (int c = 0; c < nc; c++) {
    double size = model_size(m, q, c);
    int touches = gap[c] <= closed_up_to(touch, size);
    if (is_inside(gap[c], touch, size)) return starts_inside(m, c, gap[c], err);
    touching += touches;
    if (all || touches) (*contacts)[(*n)++] = c;
  }
  return touching ? CORE_OK : nothing_touches(m, nc, gap, err);
}

core_status impact_check_rows(const model *m, const law *l, double mu, core_error *err) {
  if (!m->type->wants_tangents || m->shape.dim > 1) return CORE_OK;
  double most = isnan(mu) ? 0 : mu;
  for (int c = 0; c < m->shape.nc; c++) most = fmax(most, law_friction_limit(l, c));
  if (!(most > 0)) return CORE_OK;
  return core_fail(err, CORE_BAD_INPUT,
                   "%s: friction (mu = %.6g) has no tangential rows to act on: give position, or a "
                   "jacobian with rows t, n of each contact (check = false lets it pass)",
                   m->type->schema.owner, most);
}

/* ---- W, v- and M^-1 J^T ---- */

/* rows of the chosen contacts, taken out of the full J (all rows x nu) */
static void pick_rows(const model *m, const double *full, int n, const int *contacts, int rows,
                      double *J) {
  int all = model_all_rows(&m->shape), at = 0;
  for (int c = 0; c < n; c++) {
    int from = model_first(&m->shape, contacts[c]), k = model_rows_of(&m->shape, contacts[c]);
    for (int j = 0; j < m->shape.nu; j++)
      memcpy(J + j * rows + at, full + j * all + from, (size_t)k * sizeof *J);
    at += k;
  }
}

static core_status chosen_jacobian(const model *m, const double *q, int n, const int *contacts,
                                   int rows, core_scratch *s, double *J) {
  size_t all = (size_t)model_all_rows(&m->shape);
  double *full = core_scratch_doubles(s, all * (size_t)m->shape.nu);
  if (!full) return CORE_NO_MEMORY;
  core_status status = m->type->jacobian(m, q, full);
  if (!status) pick_rows(m, full, n, contacts, rows, J);
  return status;
}

/* [M A^T; A 0] [Y; .] = [J^T; 0]: the constrained inverse, also for singular M */
static core_status inverse_with_constraints(const model *m, const double *q, int rows,
                                            core_scratch *s, double *Y) {
  int nu = m->shape.nu, n = nu + m->shape.na;
  double *K = core_scratch_doubles(s, (size_t)n * (size_t)n);
  double *X = core_scratch_doubles(s, (size_t)n * (size_t)rows);
  if (!K || !X) return CORE_NO_MEMORY;
  core_status status = model_block(m, q, s, K);
  if (status) return status;
  memset(X, 0, (size_t)n * (size_t)rows * sizeof *X);
  for (int r = 0; r < rows; r++) memcpy(X + r * n, Y + r * nu, (size_t)nu * sizeof *Y);
  status = core_lin_solve_symmetric(n, K, rows, X, s, NULL);
  for (int r = 0; r < rows; r++) memcpy(Y + r * nu, X + r * n, (size_t)nu * sizeof *Y);
  return status;
}

/* Y = M^-1 J^T in place of the J^T that Y holds */
static core_status apply_inverse(const model *m, const double *q, int rows, core_scratch *s,
                                 double *Y) {
  int nu = m->shape.nu;
  if (m->shape.na) return inverse_with_constraints(m, q, rows, s, Y);
  double *M = core_scratch_doubles(s, (size_t)nu * (size_t)nu);
  if (!M) return CORE_NO_MEMORY;
  core_status status = m->type->mass(m, q, M);
  return status ? status : core_lin_solve_spd(nu, M, rows, Y, s, NULL);
}

/* gaps of the chosen contacts */
static core_status chosen_gaps(const model *m, const double *q, int n, const int *contacts,
                               core_scratch *s, double *gap) {
  double *full = core_scratch_doubles(s, (size_t)m->shape.nc);
  if (!full) return CORE_NO_MEMORY;
  core_status status = m->type->gap(m, q, full);
  for (int c = 0; c < n && !status; c++) gap[c] = full[contacts[c]];
  return status;
}

static __attribute__((noinline)) core_status collide_dense(const model *m, const double *q, int n,
                                                           const int *contacts, int rows,
                                                           core_scratch *s, double *J, double *Y,
                                                           double *W, double *gap) {
  int nu = m->shape.nu;
  core_mark mark = core_scratch_mark(s);
  core_status status = chosen_jacobian(m, q, n, contacts, rows, s, J);
  if (!status) status = chosen_gaps(m, q, n, contacts, s, gap);
  for (int i = 0; i < rows && !status; i++)
    for (int j = 0; j < nu; j++) Y[i * nu + j] = J[j * rows + i];
  if (!status) status = apply_inverse(m, q, rows, s, Y);
  core_scratch_release(s, mark);
  if (status) return status;
  core_lin_multiply('N', 'N', rows, rows, nu, 1, J, rows, Y, nu, 0, W, rows);
  for (int j = 0; j < rows; j++) /* symmetric to the last bit */
    for (int i = 0; i < j; i++)
      W[j * rows + i] = W[i * rows + j] = (W[j * rows + i] + W[i * rows + j]) / 2;
  return CORE_OK;
}

static __attribute__((noinline)) core_status explain(const model *m, core_status status,
                                                     core_error *err) {
  if (status == CORE_OK || (err && err->text[0])) return status;
  if (status == CORE_SINGULAR)
    return core_fail(err, status, "%s: the mass matrix is singular here", m->type->schema.owner);
  if (status == CORE_NOT_FINITE)
    return core_fail(err, status, "%s: the mass matrix or the jacobian is not finite here",
                     m->type->schema.owner);
  return core_fail(err, status, "%s: %s", m->type->schema.owner, core_status_text(status));
}

/* the way of a single contact is one piece of code, without calls but for the model and the law */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* v = J u, two rows as a pair */
ALWAYS_INLINE void contact_velocity(int rows, int nu, const double *J, const double *u, double *v) {
  if (rows == 2) {
    core_pair sum = core_pair_at(J) * u[0];
    for (int j = 1; j < nu; j++) sum += core_pair_at(J + 2 * j) * u[j];
    core_pair_put(v, sum);
    return;
  }
  for (int i = 0; i < rows; i++) v[i] = 0;
  for (int j = 0; j < nu; j++)
    for (int i = 0; i < rows; i++) v[i] += J[j * rows + i] * u[j];
}

/* rows of the chosen contacts of a model whose contacts differ; `first` stays NULL when the chosen
 * ones do not */
static __attribute__((noinline)) core_status count_rows(const model *m, int n, const int *contacts,
                                                        core_scratch *s, impact_problem *pr) {
  int *first = core_scratch_ints(s, (size_t)n + 1), most = n ? 0 : m->shape.dim, least = 3;
  if (!first) return CORE_NO_MEMORY;
  first[0] = 0;
  for (int c = 0; c < n; c++) {
    int rows = model_rows_of(&m->shape, contacts[c]);
    first[c + 1] = first[c] + rows;
    most = rows > most ? rows : most;
    least = rows < least ? rows : least;
  }
  pr->dim = most, pr->rows = first[n];
  if (least < most) pr->first = first;
  return CORE_OK;
}

/* memory for everything that the problem and its caller need */
ALWAYS_INLINE core_status make_room(const model *m, int n, const int *contacts, core_scratch *s,
                                    impact_setup *setup) {
  impact_problem *pr = &setup->problem;
  pr->nc = n, pr->dim = m->shape.dim, pr->rows = n * m->shape.dim;
  pr->first = NULL, pr->span = NULL;
  if (m->shape.first && count_rows(m, n, contacts, s, pr)) return CORE_NO_MEMORY;
  int nu = m->shape.nu, rows = pr->rows;
  size_t part = (size_t)nu * (size_t)rows, square = (size_t)rows * (size_t)rows;
  double *x = core_scratch_doubles(s, 2 * part + square + (size_t)(3 * rows + 2 * n));
  if (!x) return CORE_NO_MEMORY;
  setup->nu = nu;
  pr->made = n > 0;
  pr->in_run = 0;
  setup->J = x, x += part;
  setup->Y = x, x += part;
  pr->W = x, x += square;
  pr->v = x, x += rows;
  setup->room = x, x += 2 * rows;
  pr->gap = x, x += n;
  setup->size = x;
  return CORE_OK;
}

/* with the gaps as they are */
ALWAYS_INLINE core_status assemble(const model *m, const double *q, const double *u, int n,
                                   const int *contacts, core_scratch *s, impact_setup *setup,
                                   core_error *err) {
  core_status status = make_room(m, n, contacts, s, setup);
  if (status) return core_fail(err, status, "%s", "");
  const impact_problem *pr = &setup->problem;
  double *W = (double *)pr->W, *v = (double *)pr->v, *gap = (double *)pr->gap; /* all ours */
  setup->contacts = contacts;
  status = m->type->collide
               ? m->type->collide(m, q, n, contacts, s, setup->J, setup->Y, W, gap)
               : collide_dense(m, q, n, contacts, pr->rows, s, setup->J, setup->Y, W, gap);
  if (status) return explain(m, status, err);
  contact_velocity(pr->rows, setup->nu, setup->J, u, v);
  for (int c = 0; c < n; c++) setup->size[c] = model_size(m, q, contacts[c]);
  return CORE_OK;
}

core_status impact_assemble(const model *m, const double *q, const double *u, int n,
                            const int *contacts, core_scratch *s, impact_setup *setup,
                            core_error *err) {
  core_status status = assemble(m, q, u, n, contacts, s, setup, err);
  if (status) return status;
  double *gap = (double *)setup->problem.gap; /* ours, from the scratch */
  for (int c = 0; c < n; c++)
    if (gap[c] <= TOL_ZERO_GAP * setup->size[c]) gap[c] = 0;
  return CORE_OK;
}

void impact_touch(impact_setup *setup, double touch) {
  double *gap = (double *)setup->problem.gap; /* ours, from the scratch */
  for (int c = 0; c < setup->problem.nc; c++)
    if (gap[c] <= closed_up_to(touch, setup->size[c])) gap[c] = 0;
}

/* a single contact takes part or nothing does */
ALWAYS_INLINE core_status meet_single(const model *m, const double *q, const double *u,
                                      double touch, core_scratch *s, impact_setup *setup,
                                      core_error *err) {
  static const int only = 0;
  core_status status = assemble(m, q, u, 1, &only, s, setup, err);
  if (status) return status;
  double gap = *setup->problem.gap, size = *setup->size;
  if (is_inside(gap, touch, size)) return starts_inside(m, 0, gap, err);
  if (gap > closed_up_to(touch, size)) return nothing_touches(m, 1, &gap, err);
  impact_touch(setup, touch);
  return CORE_OK;
}

ALWAYS_INLINE core_status meet(const model *m, const double *q, const double *u, const law *l,
                               double touch, core_scratch *s, impact_setup *setup,
                               core_error *err) {
  if (m->shape.nc == 1 && m->type->collide) return meet_single(m, q, u, touch, s, setup, err);
  int n, *contacts;
  core_status status = impact_select(m, q, l, touch, s, &n, &contacts, err);
  if (!status) status = impact_assemble(m, q, u, n, contacts, s, setup, err);
  if (!status) impact_touch(setup, touch);
  return status;
}

ALWAYS_INLINE void back(const impact_setup *setup, const double *u, const double *p,
                        double *u_after) {
  int nu = setup->nu, rows = setup->problem.rows;
  const double *Y = setup->Y;
  if (rows == 2 && nu % 2 == 0) {
    for (int i = 0; i < nu; i += 2)
      core_pair_put(u_after + i, core_pair_at(u + i) + core_pair_at(Y + i) * p[0] +
                                     core_pair_at(Y + nu + i) * p[1]);
    return;
  }
  for (int i = 0; i < nu; i++) u_after[i] = u[i];
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < nu; i++) u_after[i] += Y[r * nu + i] * p[r];
}

core_status impact_meet(const model *m, const double *q, const double *u, const law *l,
                        double touch, core_scratch *s, impact_setup *setup, core_error *err) {
  return meet(m, q, u, l, touch, s, setup, err);
}

void impact_back(const impact_setup *setup, const double *u, const double *p, double *u_after) {
  back(setup, u, p, u_after);
}

core_status impact_solve(const model *m, const double *q, const double *u, const law *l,
                         double touch, core_scratch *s, impact_sink *sink, impact_setup *setup,
                         impact_result *r, double *u_after, core_error *err) {
  core_status status = meet(m, q, u, l, touch, s, setup, err);
  if (status) return r->status = status;
  r->p = setup->room;
  r->v = r->p + setup->problem.rows;
  status = law_solve(l, &setup->problem, s, sink, r, err);
  if (core_status_good(status)) back(setup, u, r->p, u_after);
  return status;
}
