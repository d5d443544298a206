/* Contacts of a mechanism in the plane: J, Y = M^-1 J^T and W of any set of them in O(n).
 *
 * mech_plane_factor.c says what rho, A, h, I, U and D are. An impulse on a body runs down its
 * branch: at each joint tau = S.F, and U D^-1 tau less of F reaches the parent. With y = D^-1 tau,
 * W = sum tau y; one sweep back to the tips, y - D^-1 U^T (motion of the parent), makes Y of y.
 */
#include <string.h>

#include "core/pair.h"
#include "model/mech_plane.h"

/* ---- forces run down, motion runs out; both rows of a contact at a time ---- */

/* Two unit impulses (rows t and n of a contact, side by side) on their way to the root, about the
 * origin of the body that they have reached: all of them, which makes J = S.all, and what the
 * joints have left of them, which makes tau = S.left. Each is (n, fx, fz). */
typedef struct impulses {
  core_pair all[3], left[3];
} impulses;

INLINE void shift(const double *r, core_pair *F) {
  F[0] += r[0] * F[2] - r[1] * F[1];
}

/* where the answers to the rows of one contact go */
typedef struct answer {
  int n;           /* rows of the contact: 2, or 1 at a stop, where the second impulse is nothing */
  int rows;        /* leading dimension of J */
  double *J;       /* rows x nu, at the first row of the contact */
  double *tau, *Y; /* nu numbers per row */
  size_t nu;
} answer;

INLINE void put(const answer *to, int u, core_pair J, core_pair tau, core_pair y) {
  double *at = to->J + (size_t)u * (size_t)to->rows;
  at[0] = J[0];
  to->tau[u] = tau[0];
  to->Y[u] = y[0];
  if (to->n == 1) return;
  at[1] = J[1];
  to->tau[to->nu + (size_t)u] = tau[1];
  to->Y[to->nu + (size_t)u] = y[1];
}

/* through the joint of one body: J, tau and y = D^-1 tau of its speeds, then on to the parent */
INLINE void pass_joint(const mech_flat_link *k, const mech_flat *b, impulses *p, const answer *to) {
  core_pair *F = p->left, *G = p->all;
  if (k->joint == MECHANISM_HINGE) {
    core_pair t = F[0];
    put(to, k->u, G[0], t, t * b->D);
    F[0] -= t, F[1] -= b->V[1] * t, F[2] -= b->V[2] * t;
  } else if (k->joint == MECHANISM_SLIDE) {
    core_pair t = b->axis[0] * F[1] + b->axis[1] * F[2];
    put(to, k->u, b->axis[0] * G[1] + b->axis[1] * G[2], t, t * b->D);
    for (int i = 0; i < 3; i++) F[i] -= b->V[i] * t;
  } else if (k->joint == MECHANISM_FREE) {
    put(to, k->u, G[1], F[1], b->xx * F[1] + b->xz * F[2] + b->h[0] * F[0]);
    put(to, k->u + 1, G[2], F[2], b->xz * F[1] + b->zz * F[2] + b->h[1] * F[0]);
    put(to, k->u + 2, G[0], F[0], b->h[0] * F[1] + b->h[1] * F[2] + b->I * F[0]);
  }
  shift(b->r, F);
  shift(b->r, G);
}

/* from a body as far as `stop` (not included) */
static int run_down(const mech *m, const mech_flat *b, int body, int stop, impulses *p,
                    const answer *to) {
  impulses here = *p;
  for (; body > stop; body = m->flat[body].parent) pass_joint(&m->flat[body], &b[body], &here, to);
  *p = here;
  return body;
}

/* y := y - D^-1 U^T (motion of the joint), and what the joint adds to the motion (w, x, z) */
INLINE void joint_out(const mech_flat_link *k, const mech_flat *b, core_pair *a, double *y0,
                      double *y1) {
  if (k->joint == MECHANISM_HINGE) {
    core_pair y = (core_pair){y0[0], y1[0]} - (a[0] + b->V[1] * a[1] + b->V[2] * a[2]);
    a[0] += y;
    y0[0] = y[0], y1[0] = y[1];
  } else if (k->joint == MECHANISM_SLIDE) {
    core_pair y = (core_pair){y0[0], y1[0]} - (b->V[0] * a[0] + b->V[1] * a[1] + b->V[2] * a[2]);
    a[1] += b->axis[0] * y, a[2] += b->axis[1] * y;
    y0[0] = y[0], y1[0] = y[1];
  } else if (k->joint == MECHANISM_FREE) { /* on the world, which stands still */
    a[1] = (core_pair){y0[0], y1[0]};
    a[2] = (core_pair){y0[1], y1[1]};
    a[0] = (core_pair){y0[2], y1[2]};
  }
}

/* two rows: y := M^-1 (.) on the way out, with the motion of each origin in a */
static void run_out(const mech *m, const mech_flat *b, core_pair (*a)[3], double *y0, double *y1) {
  for (int i = 0; i < m->n; i++) {
    const mech_flat_link *k = &m->flat[i];
    core_pair *here = a[i];
    here[0] = here[1] = here[2] = (core_pair){0, 0};
    if (k->parent >= 0) {
      const core_pair *up = a[k->parent];
      here[0] = up[0];
      here[1] = up[1] - up[0] * b[i].r[1];
      here[2] = up[2] + up[0] * b[i].r[0];
    }
    joint_out(k, &b[i], here, y0 + k->u, y1 + k->u);
  }
}

/* ---- contacts ---- */

/* the pose that mech_touch wants of a body */
static void pose_of(const mech_flat *b, mech_pose *pose) {
  const double R[9] = {b->c, 0, b->s, 0, 1, 0, -b->s, 0, b->c};
  memcpy(pose->R, R, sizeof R);
  pose->x[0] = b->x[0], pose->x[1] = 0, pose->x[2] = b->x[1];
}

/* unit impulses along t and n at p, about the origin of a body */
static impulses impulses_at(const mech_flat *b, int body, const double *p, const double *E,
                            double sign) {
  double dx = body < 0 ? 0 : p[0] - b[body].x[0], dz = body < 0 ? 0 : p[2] - b[body].x[1];
  core_pair x = {sign * E[0], sign * E[6]}, z = {sign * E[2], sign * E[8]}, n = dx * z - dz * x;
  return (impulses){{n, x, z}, {n, x, z}};
}

static void site_rows(const mech *m, const mech_flat *b, const mech_site *site, const answer *to) {
  int body[2] = {site->a, site->b};
  impulses p[2] = {impulses_at(b, site->a, site->pa, site->E, 1),
                   impulses_at(b, site->b, site->pb, site->E, -1)};
  if (site->b < 0) {
    run_down(m, b, site->a, -1, &p[0], to);
    return;
  }
  while (body[0] != body[1]) { /* the one further from the root goes first */
    int side = body[0] > body[1] ? 0 : 1, i = body[side];
    body[side] = run_down(m, b, i, m->flat[i].parent, &p[side], to);
  }
  for (int i = 0; i < 3; i++) p[0].all[i] += p[1].all[i], p[0].left[i] += p[1].left[i];
  run_down(m, b, body[0], -1, &p[0], to);
}

/* a unit torque at a joint: its parent feels nothing of it but what the joint gives back */
static void stop_row(const mech *m, const mech_flat *b, const mech_contact *c, const answer *to) {
  const mech_flat_link *k = &m->flat[c->link];
  const mech_flat *at = &b[c->link];
  core_pair sign = {c->sign, 0}, none = {0, 0};
  impulses p = {{none, none, none}, {-at->V[0] * sign, -at->V[1] * sign, -at->V[2] * sign}};
  put(to, k->u, sign, sign, sign * at->D);
  shift(at->r, p.left);
  run_down(m, b, k->parent, -1, &p, to);
}

/* does the branch of the contact's body hold every body, so that every number will be set? */
static int covers_all(const mech *m, const mech_contact *c) {
  if (c->kind == MECH_STOP) return m->chain && c->link == m->n - 1;
  return m->chain && c->a.body == m->n - 1;
}

static void clear(const mech *m, const answer *to) {
  size_t nu = to->nu, n = (size_t)to->n;
  memset(to->tau, 0, n * nu * sizeof(double));
  memset(to->Y, 0, n * nu * sizeof(double));
  for (int j = 0; j < m->nu; j++)
    for (size_t r = 0; r < n; r++) to->J[(size_t)j * (size_t)to->rows + r] = 0;
}

static core_status contact_rows(const mech *m, const mech_flat *b, const double *q,
                                const mech_contact *c, mech_pose *pose, const answer *to,
                                double *gap) {
  mech_site site;
  int other = c->kind == MECH_ON_FACE ? c->face.body : c->b.body;
  if (c->kind != MECH_STOP) {
    if (c->a.body >= 0) pose_of(&b[c->a.body], &pose[c->a.body]);
    if (other >= 0) pose_of(&b[other], &pose[other]);
  }
  core_status status = mech_touch(m, c, pose, q, &site);
  *gap = site.gap;
  if (status) return status;
  if (!covers_all(m, c)) clear(m, to);
  if (c->kind == MECH_STOP)
    stop_row(m, b, c, to);
  else
    site_rows(m, b, &site, to);
  return CORE_OK;
}

core_status mech_plane_collide(const model *of, const double *q, int n, const int *contacts,
                               core_scratch *s, double *J, double *Y, double *W, double *gap) {
  const mech *m = of->extra;
  if (m->armature) return mech_space_collide(of, q, n, contacts, s, J, Y, W, gap);
  mech_flat *b;
  int rows = 0, r = 0;
  for (int i = 0; i < n; i++) rows += mech_contact_rows(m, &m->contact[contacts[i]]);
  size_t nu = (size_t)m->nu, part = (size_t)rows * nu;
  core_status status = mech_flat_factor(m, q, s, &b);
  if (status) return status;
  double *tau = core_scratch_doubles(s, part + nu + 1), *spare = tau + part;
  core_pair(*a)[3] = core_scratch_bytes(s, (size_t)m->n * sizeof *a + 1);
  mech_pose *pose = core_scratch_bytes(s, (size_t)m->n * sizeof *pose + 1);
  if (!tau || !pose || !a) return CORE_NO_MEMORY;
  for (int i = 0; i < n && !status; i++) {
    const mech_contact *c = &m->contact[contacts[i]];
    answer to = {mech_contact_rows(m, c), rows, J + r, tau + (size_t)r * nu,
                 Y + (size_t)r * nu,      nu};
    status = contact_rows(m, b, q, c, pose, &to, &gap[i]);
    r += to.n;
  }
  if (status) return status;
  status = mech_waist(rows, m->nu, tau, Y, s, W);
  if (status) return status;
  for (r = 0; r < rows; r += 2) { /* of an odd number the last one with nothing beside it */
    double *first = Y + (size_t)r * nu, *second = r + 1 < rows ? first + nu : spare;
    if (second == spare) memset(spare, 0, nu * sizeof *spare);
    run_out(m, b, a, first, second);
  }
  return CORE_OK;
}
