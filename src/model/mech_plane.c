/* Articulated bodies in the plane: what mech_space.c does, with two rows and one angle.
 *
 * Coordinates (x, z), angles counterclockwise, rho(r) = (-r_z, r_x), so that a point at r moves
 * with omega rho(r) and a force f there has the moment rho(r).f. About a body's origin
 *
 *   n = I alpha + h.a,   f = h alpha + A a        rigid: A = m, h = m rho(c)
 *
 * and seen from its parent, with rho of the way r:  h' = h + A rho,  I' = I + h.rho + rho.h'.
 * A hinge takes all of I and h:  A - h h^T / I;  a slide along d, with U = (h.d, A d) and D = d.A
 * d, leaves I - U_n^2/D, h - U_n U_f/D, A - U_f U_f^T/D; a free body leaves nothing.
 */
#include <math.h>
#include <string.h>

#include "core/sincos.h"
#include "model/mech.h"
#include "model/mech_plane.h"

/* a pivot that is this part of what it is made of is rounding: nothing there has mass */
static const double massless = 1e-13;

/* ---- where the bodies are ---- */

INLINE void place(const mech_link *k, const double *q, const mech_flat *up, mech_flat *b) {
  double s = up ? up->s : 0, c = up ? up->c : 1;
  if (k->joint == MECHANISM_FREE) {
    b->r[0] = q[k->q], b->r[1] = q[k->q + 1];
  } else {
    b->r[0] = c * k->at[0] - s * k->at[2];
    b->r[1] = s * k->at[0] + c * k->at[2];
  }
  if (k->joint == MECHANISM_SLIDE) { /* its joint is turned as the body is */
    b->axis[0] = b->c * k->axis[0] - b->s * k->axis[2];
    b->axis[1] = b->s * k->axis[0] + b->c * k->axis[2];
    b->r[0] += q[k->q] * b->axis[0];
    b->r[1] += q[k->q] * b->axis[1];
  }
  b->x[0] = b->r[0] + (up ? up->x[0] : 0);
  b->x[1] = b->r[1] + (up ? up->x[1] : 0);
}

INLINE double angle_of(const mech_link *k, const double *q, const double *angle) {
  double turned = (k->parent < 0 ? 0 : angle[k->parent]) + k->flat_turn;
  if (k->joint == MECHANISM_HINGE) return turned + q[k->q];
  return k->joint == MECHANISM_FREE ? turned + q[k->q + 2] : turned;
}

static void stand(const mech *m, const double *q, double *angle, mech_flat *b) {
  for (int i = 0; i < m->n; i++) angle[i] = angle_of(&m->link[i], q, angle);
  for (int i = 0; i < m->n; i += 2) { /* two at a time; of an odd number the last one twice */
    int last = i + 1 == m->n;
    double both[2] = {angle[i], angle[last ? i : i + 1]};
    core_pair s, c;
    core_sincos2(both, &s, &c);
    b[i].s = s[0], b[i].c = c[0];
    if (!last) b[i + 1].s = s[1], b[i + 1].c = c[1];
  }
  for (int i = 0; i < m->n; i++) {
    const mech_link *k = &m->link[i];
    place(k, q, k->parent < 0 ? NULL : &b[k->parent], &b[i]);
    double cx = b[i].c * k->c[0] - b[i].s * k->c[2], cz = b[i].s * k->c[0] + b[i].c * k->c[2];
    b[i].I = k->I[3]; /* about y */
    b[i].h[0] = -k->m * cz, b[i].h[1] = k->m * cx;
    b[i].xx = b[i].zz = k->m, b[i].xz = 0;
  }
}

/* ---- what joints take ---- */

static core_status nothing_there(double x) {
  return isfinite(x) ? CORE_SINGULAR : CORE_NOT_FINITE;
}

INLINE core_status take_hinge(mech_flat *b, double whole) {
  if (!(b->I > massless * whole)) return nothing_there(b->I);
  double inverse = 1 / b->I, hx = b->h[0], hz = b->h[1];
  b->D[0] = inverse;
  b->V[0] = 1, b->V[1] = hx * inverse, b->V[2] = hz * inverse;
  b->xx -= hx * b->V[1], b->xz -= hx * b->V[2], b->zz -= hz * b->V[2];
  b->I = b->h[0] = b->h[1] = 0;
  return CORE_OK;
}

static core_status take_slide(mech_flat *b) {
  double dx = b->axis[0], dz = b->axis[1];
  double n = b->h[0] * dx + b->h[1] * dz, fx = b->xx * dx + b->xz * dz,
         fz = b->xz * dx + b->zz * dz;
  double D = dx * fx + dz * fz;
  if (!(D > massless * (b->xx + b->zz))) return nothing_there(D);
  b->D[0] = 1 / D;
  b->V[0] = n / D, b->V[1] = fx / D, b->V[2] = fz / D;
  b->I -= n * b->V[0];
  b->h[0] -= n * b->V[1], b->h[1] -= n * b->V[2];
  b->xx -= fx * b->V[1], b->xz -= fx * b->V[2], b->zz -= fz * b->V[2];
  return CORE_OK;
}

/* D = [A h; h^T I] over (x, z, angle); first the angle, then the rest: its Schur complement */
static core_status take_free(mech_flat *b) {
  double whole = b->I;
  double rest = b->xx + b->zz, hx = b->h[0], hz = b->h[1];
  if (!(b->I > massless * whole)) return nothing_there(b->I);
  double i = 1 / b->I, xx = b->xx - hx * hx * i, xz = b->xz - hx * hz * i, zz = b->zz - hz * hz * i;
  double det = xx * zz - xz * xz;
  if (!(xx > massless * rest && det > massless * rest * rest)) return nothing_there(det);
  double pxx = zz / det, pxz = -xz / det, pzz = xx / det;
  double gx = -(pxx * hx + pxz * hz) * i, gz = -(pxz * hx + pzz * hz) * i;
  const double inverse[6] = {pxx, pxz, pzz, gx, gz, i - (gx * hx + gz * hz) * i};
  memcpy(b->D, inverse, sizeof inverse);
  return CORE_OK;
}

/* what the parent feels, added to it */
INLINE void hand_up(const mech_flat *b, mech_flat *up) {
  double px = -b->r[1], pz = b->r[0];
  double hx = b->h[0] + b->xx * px + b->xz * pz, hz = b->h[1] + b->xz * px + b->zz * pz;
  up->I += b->I + b->h[0] * px + b->h[1] * pz + px * hx + pz * hz;
  up->h[0] += hx, up->h[1] += hz;
  up->xx += b->xx, up->xz += b->xz, up->zz += b->zz;
}

core_status mech_flat_factor(const mech *m, const double *q, core_scratch *s, mech_flat **out) {
  mech_flat *b = core_scratch_bytes(s, (size_t)m->n * sizeof *b + 1);
  double *angle = core_scratch_doubles(s, (size_t)m->n + 1);
  if (!b || !angle) return CORE_NO_MEMORY;
  *out = b;
  stand(m, q, angle, b);
  for (int i = m->n - 1; i >= 0; i--) {
    const mech_link *k = &m->link[i];
    core_status status = CORE_OK;
    if (k->joint == MECHANISM_HINGE)
      status = take_hinge(&b[i], k->I[3] + b[i].I);
    else if (k->joint == MECHANISM_SLIDE)
      status = take_slide(&b[i]);
    else if (k->joint == MECHANISM_FREE)
      status = take_free(&b[i]);
    if (status) return status;
    if (k->parent >= 0) hand_up(&b[i], &b[k->parent]);
  }
  return CORE_OK;
}

/* ---- forces run down, motion runs out ---- */

/* tau of the joint of body i under F = (n, fx, fz) at its origin, and y = D^-1 tau; what is left of
 * F is handed to the parent's origin */
INLINE void pass_joint(const mech_link *k, const mech_flat *b, double *F, double *tau, double *y) {
  if (k->joint == MECHANISM_FREE) {
    const double *D = b->D;
    double x = F[1], z = F[2], n = F[0];
    tau[0] = x, tau[1] = z, tau[2] = n;
    y[0] = D[0] * x + D[1] * z + D[3] * n;
    y[1] = D[1] * x + D[2] * z + D[4] * n;
    y[2] = D[3] * x + D[4] * z + D[5] * n;
    F[0] = F[1] = F[2] = 0;
    return;
  }
  if (k->joint != MECHANISM_FIXED) {
    double t = k->joint == MECHANISM_HINGE ? F[0] : b->axis[0] * F[1] + b->axis[1] * F[2];
    *tau = t;
    *y = t * b->D[0];
    for (int i = 0; i < 3; i++) F[i] -= b->V[i] * t;
  }
  F[0] += b->r[0] * F[2] - b->r[1] * F[1];
}

static int run_down(const mech *m, const mech_flat *b, int body, int stop, double *F, double *tau,
                    double *y) {
  for (int i = body; i > stop; i = body) {
    const mech_link *k = &m->link[i];
    pass_joint(k, &b[i], F, tau + k->u, y + k->u);
    body = k->parent;
  }
  return body;
}

/* y := M^-1 (.) on the way out, with the motion of each origin in a */
INLINE void run_out(const mech *m, const mech_flat *b, double *a, double *y) {
  for (int i = 0; i < m->n; i++) {
    const mech_link *k = &m->link[i];
    double w = 0, x = 0, z = 0;
    if (k->parent >= 0) {
      const double *up = a + 3 * k->parent;
      w = up[0], x = up[1] - w * b[i].r[1], z = up[2] + w * b[i].r[0];
    }
    mech_joint_out(k, &b[i], &w, &x, &z, y + k->u);
    a[3 * i] = w, a[3 * i + 1] = x, a[3 * i + 2] = z;
  }
}

/* ---- contacts ---- */

/* the pose that mech_touch wants of a body */
static void pose_of(const mech_flat *b, mech_pose *pose) {
  const double R[9] = {b->c, 0, b->s, 0, 1, 0, -b->s, 0, b->c};
  memcpy(pose->R, R, sizeof R);
  pose->x[0] = b->x[0], pose->x[1] = 0, pose->x[2] = b->x[1];
}

/* row of J: sign e.(velocity of p by each speed), down the branch of a body */
static void add_row(const mech *m, const mech_flat *b, int body, const double *p, const double *e,
                    double sign, int rows, double *J) {
  double ex = sign * e[0], ez = sign * e[2];
  for (int i = body; i >= 0; i = m->link[i].parent) {
    const mech_link *k = &m->link[i];
    double *to = J + (size_t)k->u * (size_t)rows;
    double turning = (p[0] - b[i].x[0]) * ez - (p[2] - b[i].x[1]) * ex;
    if (k->joint == MECHANISM_HINGE)
      *to += turning;
    else if (k->joint == MECHANISM_SLIDE)
      *to += b[i].axis[0] * ex + b[i].axis[1] * ez;
    else if (k->joint == MECHANISM_FREE)
      to[0] += ex, to[rows] += ez, to[2 * rows] += turning;
  }
}

static void force_at(const mech_flat *b, int body, const double *p, const double *e, double sign,
                     double *F) {
  F[0] = 0, F[1] = sign * e[0], F[2] = sign * e[2];
  if (body >= 0) F[0] = (p[0] - b[body].x[0]) * F[2] - (p[2] - b[body].x[1]) * F[1];
}

static void site_row(const mech *m, const mech_flat *b, const mech_site *site, const double *e,
                     int rows, double *J, double *tau, double *y) {
  double F[2][3];
  int body[2] = {site->a, site->b};
  add_row(m, b, site->a, site->pa, e, 1, rows, J);
  add_row(m, b, site->b, site->pb, e, -1, rows, J);
  force_at(b, site->a, site->pa, e, 1, F[0]);
  force_at(b, site->b, site->pb, e, -1, F[1]);
  while (body[0] != body[1]) {
    int side = body[0] > body[1] ? 0 : 1, i = body[side];
    body[side] = run_down(m, b, i, m->link[i].parent, F[side], tau, y);
  }
  for (int r = 0; r < 3; r++) F[0][r] += F[1][r];
  run_down(m, b, body[0], -1, F[0], tau, y);
}

static void stop_row(const mech *m, const mech_flat *b, const mech_contact *c, int rows, double *J,
                     double *tau, double *y) {
  const mech_link *k = &m->link[c->link];
  const mech_flat *at = &b[c->link];
  double F[3];
  J[(size_t)k->u * (size_t)rows] = c->sign;
  tau[k->u] = c->sign;
  y[k->u] = c->sign * at->D[0];
  for (int i = 0; i < 3; i++) F[i] = -at->V[i] * c->sign;
  F[0] += at->r[0] * F[2] - at->r[1] * F[1];
  run_down(m, b, k->parent, -1, F, tau, y);
}

static core_status contact_rows(const mech *m, const mech_flat *b, const double *q,
                                const mech_contact *c, mech_pose *pose, int first, int rows,
                                double *J, double *tau, double *Y, double *gap) {
  mech_site site;
  size_t nu = (size_t)m->nu, at = (size_t)first * nu;
  int other = c->kind == MECH_ON_FACE ? c->face.body : c->b.body;
  if (c->kind != MECH_STOP) {
    if (c->a.body >= 0) pose_of(&b[c->a.body], &pose[c->a.body]);
    if (other >= 0) pose_of(&b[other], &pose[other]);
  }
  core_status status = mech_touch(m, c, pose, q, &site);
  if (status) return status;
  *gap = site.gap;
  if (c->kind == MECH_STOP) {
    stop_row(m, b, c, rows, J + first, tau + at, Y + at);
    return CORE_OK;
  }
  site_row(m, b, &site, site.E, rows, J + first, tau + at, Y + at);
  site_row(m, b, &site, site.E + 6, rows, J + first + 1, tau + at + nu, Y + at + nu);
  return CORE_OK;
}

/* W = sum tau y, symmetric to the last bit */
static void waist(int rows, int nu, const double *tau, const double *Y, double *W) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j <= i; j++) {
      const double *t = tau + (size_t)i * (size_t)nu, *y = Y + (size_t)j * (size_t)nu;
      double sum = 0;
      for (int l = 0; l < nu; l++) sum += t[l] * y[l];
      W[i * rows + j] = W[j * rows + i] = sum;
    }
}

core_status mech_plane_collide(const model *of, const double *q, int n, const int *contacts,
                               core_scratch *s, double *J, double *Y, double *W, double *gap) {
  const mech *m = of->extra;
  mech_flat *b;
  int rows = 0, first = 0;
  for (int i = 0; i < n; i++) rows += mech_contact_rows(m, &m->contact[contacts[i]]);
  size_t part = (size_t)rows * (size_t)m->nu;
  core_status status = mech_flat_factor(m, q, s, &b);
  if (status) return status;
  double *tau = core_scratch_doubles(s, part + 3 * (size_t)m->n + 1), *a = tau + part;
  mech_pose *pose = core_scratch_bytes(s, (size_t)m->n * sizeof *pose + 1);
  if (!tau || !pose) return CORE_NO_MEMORY;
  memset(J, 0, part * sizeof *J);
  memset(Y, 0, part * sizeof *Y);
  memset(tau, 0, part * sizeof *tau);
  for (int i = 0; i < n && !status; i++) {
    const mech_contact *c = &m->contact[contacts[i]];
    status = contact_rows(m, b, q, c, pose, first, rows, J, tau, Y, &gap[i]);
    first += mech_contact_rows(m, c);
  }
  if (status) return status;
  waist(rows, m->nu, tau, Y, W);
  for (int r = 0; r < rows; r++) run_out(m, b, a, Y + (size_t)r * (size_t)m->nu);
  return CORE_OK;
}
