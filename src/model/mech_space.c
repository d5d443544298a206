/* Articulated bodies in space: accelerations, and M^-1 J^T and W of any set of contacts, in time
 * and memory proportional to the number of bodies.
 *
 * A body with all that it carries answers a motion (alpha, a) of its origin with a force A (alpha,
 * a)
 * + b. Its joint lets it go along S, and with U = A S, D = S^T U = L L^T its parent feels
 *
 *   A - U D^-1 U^T   and   b + (A - U D^-1 U^T) c + U D^-1 (tau - S^T b)
 *
 * where c is the acceleration that the joint brings with u' = 0. From the tips to the root this
 * (a motor's armature is added to D) gives A and b of all bodies; back to the tips  u' = D^-1 (tau
 * - S^T b - U^T (X a_parent + c)).
 *
 * Contacts: a unit impulse F on a body runs down its branch, F := F - U D^-1 S^T F at every joint.
 * With z = L^-1 S^T F there, M^-1 = sum of (.)^T D^-1 (.) becomes W = sum z z^T: symmetric and
 * positive semi-definite by construction. One sweep back gives Y = M^-1 J^T.
 */
#include <math.h>
#include <string.h>

#include "model/mech.h"
#include "model/mech_part.h"
#include "model/rigid.h"
#include "model/tolerance.h"

static double dot6(const double *a, const double *b) {
  return model_dot(a, b) + model_dot(a + 3, b + 3);
}

/* F at a body's origin, as its parent feels it: the moment grows by r x f */
static void hand_down(const double *r, double *F) {
  double more[3];
  model_cross(r, F + 3, more);
  for (int i = 0; i < 3; i++) F[i] += more[i];
}

/* ---- D = L L^T of one joint, k x k, k at most 6; row i of L at L + 6 i ---- */

static core_status factor_joint(int k, const double *S, const double *U, const mech_inertia *A,
                                double armature, double *L) {
  double turning = A->I[0] + A->I[3] + A->I[5], moving = A->M[0] + A->M[3] + A->M[5];
  for (int i = 0; i < k; i++)
    for (int j = 0; j <= i; j++) {
      double x = dot6(S + 6 * i, U + 6 * j) + (i == j ? armature : 0);
      for (int l = 0; l < j; l++) x -= L[6 * i + l] * L[6 * j + l];
      if (i > j) {
        L[6 * i + j] = x / L[6 * j + j];
        continue;
      }
      double size = model_dot(S + 6 * i, S + 6 * i) * turning +
                    model_dot(S + 6 * i + 3, S + 6 * i + 3) * moving;
      if (!(x > MODEL_MASSLESS * size)) return isfinite(x) ? CORE_SINGULAR : CORE_NOT_FINITE;
      L[6 * i + i] = sqrt(x);
    }
  return CORE_OK;
}

/* x := L^-1 x, and x := L^-T x */
static void forward(int k, const double *L, double *x) {
  for (int i = 0; i < k; i++) {
    for (int j = 0; j < i; j++) x[i] -= L[6 * i + j] * x[j];
    x[i] /= L[6 * i + i];
  }
}

static void backward(int k, const double *L, double *x) {
  for (int i = k - 1; i >= 0; i--) {
    for (int j = i + 1; j < k; j++) x[i] -= L[6 * j + i] * x[j];
    x[i] /= L[6 * i + i];
  }
}

/* ---- factors of all joints ---- */

/* A := A - V V^T with V = U L^-T, which takes the place of U */
static void let_go(int k, const double *L, double *V, mech_inertia *A) {
  for (int c = 0; c < 6; c++) {
    double row[6];
    for (int j = 0; j < k; j++) row[j] = V[6 * j + c];
    forward(k, L, row);
    for (int j = 0; j < k; j++) V[6 * j + c] = row[j];
  }
  for (int j = 0; j < k; j++) {
    const double *w = V + 6 * j, *v = w + 3;
    A->I[0] -= w[0] * w[0], A->I[1] -= w[0] * w[1], A->I[2] -= w[0] * w[2];
    A->I[3] -= w[1] * w[1], A->I[4] -= w[1] * w[2], A->I[5] -= w[2] * w[2];
    A->M[0] -= v[0] * v[0], A->M[1] -= v[0] * v[1], A->M[2] -= v[0] * v[2];
    A->M[3] -= v[1] * v[1], A->M[4] -= v[1] * v[2], A->M[5] -= v[2] * v[2];
    for (int c = 0; c < 3; c++)
      for (int r = 0; r < 3; r++) A->H[3 * c + r] -= w[r] * v[c];
  }
}

core_status mech_factor(const mech *s, const double *q, core_scratch *scratch, mech_factors *f) {
  size_t n = (size_t)s->n, nu = (size_t)s->nu;
  f->pose = core_scratch_bytes(scratch, n * sizeof *f->pose);
  f->A = core_scratch_bytes(scratch, n * sizeof *f->A);
  f->S = core_scratch_doubles(scratch, 18 * nu + 1);
  if (!f->pose || !f->A || !f->S) return CORE_NO_MEMORY;
  f->V = f->S + 6 * nu;
  f->L = f->V + 6 * nu;
  mech_poses(s, q, f->pose);
  for (int i = 0; i < s->n; i++) mech_rigid(&s->link[i], &f->pose[i], &f->A[i]);
  for (int i = s->n - 1; i >= 0; i--) {
    const mech_link *k = &s->link[i];
    double *S = f->S + 6 * k->u, *V = f->V + 6 * k->u, *L = f->L + 6 * k->u;
    mech_axes(k, &f->pose[i], S);
    for (int j = 0; j < k->nu; j++) mech_times(&f->A[i], S + 6 * j, V + 6 * j);
    core_status status = factor_joint(k->nu, S, V, &f->A[i], k->armature, L);
    if (status) return status;
    let_go(k->nu, L, V, &f->A[i]);
    if (k->parent >= 0) mech_add_shifted(&f->A[i], f->pose[i].r, &f->A[k->parent]);
  }
  return CORE_OK;
}

/* ---- motion ---- */

/* one body on the way in: z = L^-1 (tau - S^T b), and what its parent feels of b */
static void bias_in(const mech *s, int i, const mech_factors *f, const mech_motion *c, double *b,
                    double *z) {
  const mech_link *k = &s->link[i];
  double *F = b + 6 * i, along[6];
  for (int j = 0; j < k->nu; j++) z[k->u + j] -= dot6(f->S + 6 * (k->u + j), F);
  forward(k->nu, f->L + 6 * k->u, z + k->u);
  if (k->parent < 0) return;
  mech_times(&f->A[i], c->w, along);
  for (int r = 0; r < 6; r++) {
    F[r] += along[r];
    for (int j = 0; j < k->nu; j++) F[r] += f->V[6 * (k->u + j) + r] * z[k->u + j];
  }
  hand_down(f->pose[i].r, F);
  for (int r = 0; r < 6; r++) b[6 * k->parent + r] += F[r];
}

/* one body on the way out: u' = L^-T (z - V^T (X a_parent + c)), a = X a_parent + c + S u' */
static void motion_out(const mech *s, int i, const mech_factors *f, const mech_motion *c,
                       const double *root, double *a, double *x) {
  const mech_link *k = &s->link[i];
  const double *parent = k->parent < 0 ? root : a + 6 * k->parent;
  double *here = a + 6 * i, carried[3];
  model_cross(parent, f->pose[i].r, carried);
  for (int r = 0; r < 3; r++) {
    here[r] = parent[r] + (c ? c->w[r] : 0);
    here[3 + r] = parent[3 + r] + carried[r] + (c ? c->v[r] : 0);
  }
  for (int j = 0; j < k->nu; j++) x[k->u + j] -= dot6(f->V + 6 * (k->u + j), here);
  backward(k->nu, f->L + 6 * k->u, x + k->u);
  for (int j = 0; j < k->nu; j++)
    for (int r = 0; r < 6; r++) here[r] += f->S[6 * (k->u + j) + r] * x[k->u + j];
}

core_status mech_space_accelerate(const model *m, double t, const double *q, const double *u,
                                  const double *h, core_scratch *scratch, double *udot) {
  const mech *s = m->extra;
  size_t n = (size_t)s->n;
  mech_factors f;
  core_status status = mech_factor(s, q, scratch, &f);
  mech_motion *v = core_scratch_bytes(scratch, 2 * n * sizeof *v), *c = v + n;
  double *b = core_scratch_doubles(scratch, 12 * n), *a = b + 6 * n;
  if (status || !v || !b) return status ? status : CORE_NO_MEMORY;
  mech_velocities(s, f.pose, u, v);
  status = mech_applied(m, t, q, u, f.pose, v, udot, b);
  if (status) return status;
  for (int i = 0; i < s->n; i++) {
    double gyro[6];
    mech_joint_bias(s, i, f.pose, v, u, &c[i]);
    mech_gyro(&s->link[i], &f.pose[i], v[i].w, gyro);
    for (int r = 0; r < 6; r++) b[6 * i + r] = gyro[r] - b[6 * i + r];
  }
  for (int i = 0; h && i < s->nu; i++) udot[i] += h[i];
  for (int i = s->n - 1; i >= 0; i--) bias_in(s, i, &f, &c[i], b, udot);
  const double root[6] = {0, 0, 0, -s->g[0], -s->g[1], -s->g[2]};
  for (int i = 0; i < s->n; i++) motion_out(s, i, &f, &c[i], root, a, udot);
  return CORE_OK;
}

/* ---- contacts ---- */

/* a force on one body runs down its branch as far as `stop` (not included): z on the way */
static int run_down(const mech *s, const mech_factors *f, int body, int stop, double *F,
                    double *z) {
  for (int i = body; i > stop; i = s->link[i].parent) {
    const mech_link *k = &s->link[i];
    for (int j = 0; j < k->nu; j++) z[k->u + j] = dot6(f->S + 6 * (k->u + j), F);
    forward(k->nu, f->L + 6 * k->u, z + k->u);
    for (int j = 0; j < k->nu; j++)
      for (int r = 0; r < 6; r++) F[r] -= f->V[6 * (k->u + j) + r] * z[k->u + j];
    hand_down(f->pose[i].r, F);
    body = s->link[i].parent;
  }
  return body;
}

/* z of a unit impulse e at pa on body a, and of the opposite one at pb on body b */
static void site_impulse(const mech *s, const mech_factors *f, const mech_site *site,
                         const double *e, double *z) {
  double F[2][6], arm[3];
  int body[2] = {site->a, site->b};
  for (int side = 0; side < 2; side++) {
    const double *p = side ? site->pb : site->pa;
    for (int i = 0; i < 3; i++) {
      arm[i] = body[side] < 0 ? 0 : p[i] - f->pose[body[side]].x[i];
      F[side][3 + i] = side ? -e[i] : e[i];
    }
    model_cross(arm, F[side] + 3, F[side]);
  }
  while (body[0] != body[1]) { /* the one further from the root goes first */
    int side = body[0] > body[1] ? 0 : 1;
    body[side] = run_down(s, f, body[side], s->link[body[side]].parent, F[side], z);
  }
  for (int r = 0; r < 6; r++) F[0][r] += F[1][r];
  run_down(s, f, body[0], -1, F[0], z);
}

/* z of a unit impulse at the joint of a stop */
static void stop_impulse(const mech *s, const mech_factors *f, const mech_contact *c, double *z) {
  const mech_link *k = &s->link[c->link];
  double F[6];
  z[k->u] = c->sign / f->L[6 * k->u];
  for (int r = 0; r < 6; r++) F[r] = -f->V[6 * k->u + r] * z[k->u];
  hand_down(f->pose[c->link].r, F);
  run_down(s, f, k->parent, -1, F, z);
}

core_status mech_space_collide(const model *m, const double *q, int n, const int *contacts,
                               core_scratch *scratch, double *J, double *Y, double *W,
                               double *gap) {
  const mech *s = m->extra;
  mech_factors f;
  int rows = 0, first = 0, nu = s->nu;
  core_status status = mech_factor(s, q, scratch, &f);
  double *a = core_scratch_doubles(scratch, 6 * (size_t)s->n + 1);
  if (status || !a) return status ? status : CORE_NO_MEMORY;
  for (int i = 0; i < n; i++) rows += mech_contact_rows(s, &s->contact[contacts[i]]);
  memset(J, 0, (size_t)rows * (size_t)nu * sizeof *J);
  memset(Y, 0, (size_t)rows * (size_t)nu * sizeof *Y);
  for (int i = 0; i < n; i++) {
    const mech_contact *c = &s->contact[contacts[i]];
    mech_site site;
    status = mech_touch(s, c, f.pose, q, &site);
    if (status) return status;
    gap[i] = site.gap;
    mech_contact_jacobian(s, c, &site, f.pose, first, rows, J);
    if (c->kind == MECH_STOP) stop_impulse(s, &f, c, Y + (size_t)first * (size_t)nu);
    for (int r = 0; r < s->dim && c->kind != MECH_STOP; r++)
      site_impulse(s, &f, &site, mech_row(s, &site, r), Y + (size_t)(first + r) * (size_t)nu);
    first += mech_contact_rows(s, c);
  }
  status = mech_waist(rows, nu, Y, Y, scratch, W);
  if (status) return status;
  static const double rest[6] = {0, 0, 0, 0, 0, 0};
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < s->n; i++) motion_out(s, i, &f, NULL, rest, a, Y + (size_t)r * (size_t)nu);
  return CORE_OK;
}
