/* Loops of a mechanism: points of two bodies that stay together.
 *
 * A loop is a contact that never opens: rows A along the world's axes, A u = 0. The tree's own
 * recursions give Y_A = M^-1 A^T and G = A Y_A beside those of the contacts; with G^+ the
 * pseudo-inverse (loops may be redundant), the constrained mechanism has
 *
 *   Y = M^-1 J^T - Y_A G^+ A M^-1 J^T,   W = J Y,   u' = a - Y_A G^+ (A a + A' u)
 *
 * with a the acceleration of the tree. Rounding and truncation let the points drift; they are
 * brought back by  q += rates(-Y_A G^+ (pa - pb)),  u -= Y_A G^+ A u.
 */
#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "model/mech.h"
#include "model/mech_part.h"
#include "model/tolerance.h"

static core_status tree_collide(const model *of, const double *q, int n, const int *contacts,
                                core_scratch *s, double *J, double *Y, double *W, double *gap) {
  const mech *m = of->extra;
  return m->plane ? mech_plane_collide(of, q, n, contacts, s, J, Y, W, gap)
                  : mech_space_collide(of, q, n, contacts, s, J, Y, W, gap);
}

static core_status tree_accelerate(const model *of, double t, const double *q, const double *u,
                                   const double *h, core_scratch *s, double *udot) {
  const mech *m = of->extra;
  return m->plane ? mech_plane_accelerate(of, t, q, u, h, s, udot)
                  : mech_space_accelerate(of, t, q, u, h, s, udot);
}

/* ---- contacts and loops together ---- */

/* J, Y and W of some contacts and, behind them, of all loops */
typedef struct together {
  int rows, na, all; /* of the contacts, of the loops, of both */
  double *J, *Y, *W; /* all x nu, nu x all, all x all */
  double *gap;       /* of the contacts */
} together;

static core_status collide_together(const model *of, const double *q, int n, const int *contacts,
                                    core_scratch *s, together *t) {
  const mech *m = of->extra;
  t->rows = 0, t->na = m->loops * m->dim;
  for (int i = 0; i < n; i++) t->rows += mech_contact_rows(m, &m->contact[contacts[i]]);
  t->all = t->rows + t->na;
  size_t all = (size_t)t->all, nu = (size_t)m->nu;
  int *ids = core_scratch_ints(s, (size_t)(n + m->loops) + 1);
  t->J = core_scratch_doubles(s, 2 * all * nu + all * all + (size_t)(n + m->loops) + 1);
  if (!ids || !t->J) return CORE_NO_MEMORY;
  t->Y = t->J + all * nu, t->W = t->Y + all * nu, t->gap = t->W + all * all;
  for (int i = 0; i < n; i++) ids[i] = contacts[i];
  for (int i = 0; i < m->loops; i++) ids[n + i] = m->nc + i;
  return tree_collide(of, q, n + m->loops, ids, s, t->J, t->Y, t->W, t->gap);
}

/* X = G^+ B for k columns; G is the block of the loops in W */
static core_status pseudo_solve(const together *t, int k, const double *B, core_scratch *s,
                                double *X) {
  size_t na = (size_t)t->na;
  int rank;
  double *G = core_scratch_doubles(s, na * na + 1);
  if (!G) return CORE_NO_MEMORY;
  for (size_t j = 0; j < na; j++)
    memcpy(G + j * na, t->W + ((size_t)t->rows + j) * (size_t)t->all + t->rows, na * sizeof *G);
  return core_lin_least_squares(t->na, t->na, G, k, B, MODEL_LOOP_REDUNDANT, s, X, &rank);
}

core_status mech_loop_collide(const model *of, const double *q, int n, const int *contacts,
                              core_scratch *s, double *J, double *Y, double *W, double *gap) {
  const mech *m = of->extra;
  together t;
  core_status status = collide_together(of, q, n, contacts, s, &t);
  if (status || t.rows == 0) return status;
  size_t rows = (size_t)t.rows, na = (size_t)t.na, all = (size_t)t.all, nu = (size_t)m->nu;
  double *B = core_scratch_doubles(s, 2 * na * rows + 1), *X = B + na * rows;
  if (!B) return CORE_NO_MEMORY;
  for (size_t r = 0; r < rows; r++) memcpy(B + r * na, t.W + r * all + rows, na * sizeof *B);
  status = pseudo_solve(&t, t.rows, B, s, X);
  if (status) return status;
  for (size_t j = 0; j < nu; j++) memcpy(J + j * rows, t.J + j * all, rows * sizeof *J);
  memcpy(Y, t.Y, rows * nu * sizeof *Y);
  core_lin_multiply('N', 'N', m->nu, t.rows, t.na, -1, t.Y + rows * nu, m->nu, X, t.na, 1, Y,
                    m->nu);
  for (size_t r = 0; r < rows; r++) memcpy(W + r * rows, t.W + r * all, rows * sizeof *W);
  core_lin_multiply('T', 'N', t.rows, t.rows, t.na, -1, B, t.na, X, t.na, 1, W, t.rows);
  for (size_t j = 0; j < rows; j++) /* symmetric to the last bit */
    for (size_t i = 0; i < j; i++)
      W[j * rows + i] = W[i * rows + j] = (W[j * rows + i] + W[i * rows + j]) / 2;
  memcpy(gap, t.gap, (size_t)n * sizeof *gap);
  return CORE_OK;
}

/* x -= Y_A G^+ b */
static core_status take_off(const mech *m, const together *t, const double *b, core_scratch *s,
                            double *x) {
  double *multiplier = core_scratch_doubles(s, (size_t)t->na + 1);
  core_status status = multiplier ? pseudo_solve(t, 1, b, s, multiplier) : CORE_NO_MEMORY;
  const double *Y = t->Y + (size_t)t->rows * (size_t)m->nu;
  for (int r = 0; r < t->na && !status; r++)
    for (int i = 0; i < m->nu; i++)
      x[i] -= Y[(size_t)r * (size_t)m->nu + (size_t)i] * multiplier[r];
  return status;
}

/* b += A x */
static void add_rows(const mech *m, const together *t, const double *x, double *b) {
  for (int j = 0; j < m->nu; j++)
    for (int r = 0; r < t->na; r++)
      b[r] += t->J[(size_t)j * (size_t)t->all + (size_t)(t->rows + r)] * x[j];
}

core_status mech_loop_accelerate(const model *of, double time, const double *q, const double *u,
                                 const double *h, core_scratch *s, double *udot) {
  const mech *m = of->extra;
  together t;
  double *b = core_scratch_doubles(s, (size_t)(m->loops * m->dim) + 1);
  core_status status = b ? tree_accelerate(of, time, q, u, h, s, udot) : CORE_NO_MEMORY;
  if (!status) status = collide_together(of, q, 0, NULL, s, &t);
  if (!status) status = mech_loop_drift(m, q, u, b);
  if (status) return status;
  add_rows(m, &t, udot, b);
  return take_off(m, &t, b, s, udot);
}

core_status mech_constraints(const model *of, const double *q, double *A) {
  const mech *m = of->extra;
  core_mark mark = core_scratch_mark(m->work);
  together t;
  core_status status = collide_together(of, q, 0, NULL, m->work, &t);
  if (!status) memcpy(A, t.J, (size_t)t.na * (size_t)m->nu * sizeof *A);
  core_scratch_release(m->work, mark);
  return status;
}

/* ---- closing ---- */

/* pa - pb of every loop; their largest distance */
static core_status apart(const mech *m, const double *q, double *b, double *distance) {
  mech_pose *pose = core_scratch_bytes(m->work, (size_t)m->n * sizeof *pose);
  if (!pose) return CORE_NO_MEMORY;
  mech_poses(m, q, pose);
  *distance = 0;
  for (int i = 0; i < m->loops; i++) {
    const mech_contact *c = &m->contact[m->nc + i];
    double pa[3], pb[3], d[3];
    mech_point(&c->a, 0, pose, pa);
    mech_point(&c->b, 0, pose, pb);
    for (int j = 0; j < 3; j++) d[j] = pa[j] - pb[j];
    *distance = fmax(*distance, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    for (int r = 0; r < m->dim; r++)
      b[m->dim * i + r] = d[m->plane ? 2 * r : r]; /* NOLINT: 2 rows in the plane, 3 in space */
  }
  return CORE_OK;
}

core_status mech_apart(const model *of, const double *q, double *distance) {
  const mech *m = of->extra;
  core_mark mark = core_scratch_mark(m->work);
  double *b = core_scratch_doubles(m->work, (size_t)(m->loops * m->dim) + 1);
  core_status status = b ? apart(m, q, b, distance) : CORE_NO_MEMORY;
  core_scratch_release(m->work, mark);
  return status;
}

/* one step of Newton's method */
static core_status close_once(const model *of, double *q, const double *b) {
  const mech *m = of->extra;
  together t;
  double *du = core_scratch_doubles(m->work, (size_t)(m->nu + m->nq) + 1), *dq = du + m->nu;
  core_status status = du ? collide_together(of, q, 0, NULL, m->work, &t) : CORE_NO_MEMORY;
  if (status) return status;
  memset(du, 0, (size_t)m->nu * sizeof *du);
  status = take_off(m, &t, b, m->work, du);
  if (!status) status = mech_rates(of, q, du, dq);
  for (int i = 0; i < m->nq && !status; i++) q[i] += dq[i];
  if (!status) mech_normalise(of, q);
  return status;
}

core_status mech_close(const model *of, double *q, double *distance) {
  const mech *m = of->extra;
  core_status status = CORE_OK;
  for (int round = 0; round < 30 && !status; round++) {
    core_mark mark = core_scratch_mark(m->work);
    double *b = core_scratch_doubles(m->work, (size_t)(m->loops * m->dim) + 1);
    status = b ? apart(m, q, b, distance) : CORE_NO_MEMORY;
    int done = status || *distance <= MODEL_LOOP_REACHED * mech_reach(m, q);
    if (!done) status = close_once(of, q, b);
    core_scratch_release(m->work, mark);
    if (done) break;
  }
  return status;
}

/* largest |A| of each loop with both ends moving, and with b held: what is rounding of the second
 * cannot move at all */
core_status mech_loop_moves(const model *of, const double *q, int loop, int *moves) {
  const mech *m = of->extra;
  core_mark mark = core_scratch_mark(m->work);
  size_t size = (size_t)m->dim * (size_t)m->nu;
  mech_pose *pose = core_scratch_bytes(m->work, (size_t)m->n * sizeof *pose);
  double *J = core_scratch_doubles(m->work, size + 1), most[2] = {0, 0};
  core_status status = pose && J ? CORE_OK : CORE_NO_MEMORY;
  if (!status) mech_poses(m, q, pose);
  for (int side = 0; side < 3 && !status; side++) {
    const mech_contact *c = &m->contact[m->nc + loop];
    mech_site site;
    status = mech_touch(m, c, pose, q, &site);
    if (side == 1) site.b = -1;
    if (side == 2) site.a = -1;
    memset(J, 0, size * sizeof *J);
    mech_contact_jacobian(m, c, &site, pose, 0, m->dim, J);
    for (size_t i = 0; i < size; i++) most[side > 0] = fmax(most[side > 0], fabs(J[i]));
  }
  *moves = most[0] > MODEL_LOOP_STILL * most[1];
  core_scratch_release(m->work, mark);
  return status;
}

core_status mech_hold(const model *of, const double *q, double *u) {
  const mech *m = of->extra;
  core_mark mark = core_scratch_mark(m->work);
  together t;
  double *b = core_scratch_doubles(m->work, (size_t)(m->loops * m->dim) + 1);
  core_status status = b ? collide_together(of, q, 0, NULL, m->work, &t) : CORE_NO_MEMORY;
  if (!status) {
    memset(b, 0, (size_t)t.na * sizeof *b);
    add_rows(m, &t, u, b);
    status = take_off(m, &t, b, m->work, u);
  }
  core_scratch_release(m->work, mark);
  return status;
}

core_status mech_project(const model *of, double *q, double *u) {
  double distance;
  core_status status = mech_close(of, q, &distance);
  return status ? status : mech_hold(of, q, u);
}
