/* Where the shapes of a mechanism touch, and how fast.
 *
 * ON_FACE: a ball of radius r (a point: r = 0) about c, over a face with normal n through o:
 *   gap = n.(c - o) - r,   pa = c - r n,   pb = pa - gap n
 * ON_ROUND: the nearest points ca, cb of two segments (or points), n = (ca - cb) / |ca - cb|:
 *   gap = |ca - cb| - ra - rb,   pa = ca - ra n,   pb = cb + rb n
 * STOP: gap = sign (q - limit), one row: sign at the joint's speed.
 *
 * Row e of J is e.(v_a(pa) - v_b(pb)), the velocities being those of the material at pa and pb; the
 * normal row is then the rate of the gap.
 */
#include <math.h>
#include <string.h>

#include "model/mech.h"
#include "model/mech_part.h"
#include "model/rigid.h"
#include "model/tolerance.h"

int mech_contact_rows(const mech *s, const mech_contact *c) {
  return c->kind == MECH_STOP ? 1 : s->dim;
}

int mechanism_contact_turns(const model *m, int c) {
  const mech *s = mechanism_of(m) ? m->extra : NULL;
  return s && s->contact[c].kind == MECH_STOP &&
         s->link[s->contact[c].link].joint == MECHANISM_HINGE;
}

/* ---- what is small ---- */

static double feature_size(const mech_feature *f) {
  return fmax(model_length(f->p[0]), model_length(f->p[1])) + f->r;
}

/* places of bodies that slide or are free [m] */
static double farthest(const mech *s, const double *q) {
  double far = 0;
  for (int k = 0; k < s->n_places; k++) far = fmax(far, fabs(q[s->place[k]]));
  return far;
}

double mech_reach(const mech *s, const double *q) {
  return s->size + farthest(s, q);
}

double mech_gap_size(const model *m, const double *q, int c) {
  const mech *s = m->extra;
  const mech_contact *k = &s->contact[c];
  if (k->kind != MECH_STOP)
    return mech_reach(s, q) + feature_size(&k->a) +
           (k->kind == MECH_ON_ROUND ? feature_size(&k->b) : model_length(k->face.p));
  double at = fabs(q[s->link[k->link].q]) + fabs(k->limit);
  return mechanism_contact_turns(m, c) ? 1 + at : at;
}

/* ---- frames ---- */

/* in the plane t is n turned clockwise, so that (t, n) is (x, z) on a floor */
static void frame(const mech *s, const double *n, double *E) {
  if (!s->plane) {
    model_frame(n, E);
    return;
  }
  const double flat[9] = {n[2], 0, -n[0], 0, 0, 0, n[0], 0, n[2]};
  memcpy(E, flat, sizeof flat);
}

/* ---- nearest points of two segments ----
 *
 * |a0 + s A - b0 - t B|^2 is least over the square 0 <= s, t <= 1: inside, or on an edge of it. */

static double clamp(double x) {
  return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* t that is best for s, and s that is best for t */
static double best_t(double aB, double AB, double BB, double s) {
  return BB > 0 ? clamp((aB + s * AB) / BB) : 0;
}

static double best_s(double aA, double AB, double AA, double t) {
  return AA > 0 ? clamp((t * AB - aA) / AA) : 0;
}

static void nearest_places(const double *w, mech_nearest *n) {
  double AA = model_dot(n->A, n->A), BB = model_dot(n->B, n->B), AB = model_dot(n->A, n->B);
  double aA = model_dot(w, n->A), aB = model_dot(w, n->B), det = AA * BB - AB * AB;
  /* parallel segments: start from the middle of what they share rather than from an end */
  double s = det > MODEL_PARALLEL * AA * BB ? clamp((AB * aB - BB * aA) / det) : 0.5;
  for (int round = 0; round < 2; round++) {
    n->t = best_t(aB, AB, BB, s);
    n->s = s = best_s(aA, AB, AA, n->t);
  }
  n->s_free = AA > 0 && n->s > 0 && n->s < 1;
  n->t_free = BB > 0 && n->t > 0 && n->t < 1;
}

void mech_find_nearest(const mech_contact *c, const mech_pose *pose, mech_nearest *n) {
  double a[2][3], b[2][3], w[3];
  for (int end = 0; end < 2; end++) {
    mech_point(&c->a, end, pose, a[end]);
    mech_point(&c->b, end, pose, b[end]);
  }
  for (int i = 0; i < 3; i++) {
    n->A[i] = a[1][i] - a[0][i];
    n->B[i] = b[1][i] - b[0][i];
    w[i] = a[0][i] - b[0][i];
  }
  nearest_places(w, n);
  for (int i = 0; i < 3; i++) {
    n->ca[i] = a[0][i] + n->s * n->A[i];
    n->cb[i] = b[0][i] + n->t * n->B[i];
  }
}

/* ---- sites ---- */

static void face_at(const mech_face *f, const mech_pose *pose, double *o, double *n) {
  memcpy(o, f->p, 3 * sizeof *o);
  memcpy(n, f->n, 3 * sizeof *n);
  if (f->body < 0) return;
  model_turn(pose[f->body].R, f->p, o);
  model_turn(pose[f->body].R, f->n, n);
  for (int i = 0; i < 3; i++) o[i] += pose[f->body].x[i];
}

static void touch_face(const mech *s, const mech_contact *c, const mech_pose *pose,
                       mech_site *site) {
  double o[3], n[3], centre[3];
  face_at(&c->face, pose, o, n);
  mech_point(&c->a, 0, pose, centre);
  site->gap = -c->a.r;
  for (int i = 0; i < 3; i++) site->gap += n[i] * (centre[i] - o[i]);
  for (int i = 0; i < 3; i++) {
    site->pa[i] = centre[i] - c->a.r * n[i];
    site->pb[i] = site->pa[i] - site->gap * n[i];
  }
  frame(s, n, site->E);
}

static core_status touch_round(const mech *s, const mech_contact *c, const mech_nearest *near,
                               mech_site *site) {
  double n[3];
  for (int i = 0; i < 3; i++) n[i] = near->ca[i] - near->cb[i];
  double distance = sqrt(model_dot(n, n));
  if (!(distance > 0)) return CORE_SINGULAR; /* one inside the other: no normal */
  site->gap = distance - c->a.r - c->b.r;
  for (int i = 0; i < 3; i++) {
    n[i] /= distance;
    site->pa[i] = near->ca[i] - c->a.r * n[i];
    site->pb[i] = near->cb[i] + c->b.r * n[i];
  }
  frame(s, n, site->E);
  return CORE_OK;
}

/* rows along the world's axes */
static void touch_loop(const mech_contact *c, const mech_pose *pose, mech_site *site) {
  static const double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  mech_point(&c->a, 0, pose, site->pa);
  mech_point(&c->b, 0, pose, site->pb);
  memcpy(site->E, axes, sizeof axes);
  site->gap = 0;
}

core_status mech_touch(const mech *s, const mech_contact *c, const mech_pose *pose, const double *q,
                       mech_site *site) {
  site->a = c->a.body;
  site->b = c->kind == MECH_ON_FACE ? c->face.body : c->b.body;
  if (c->kind == MECH_STOP) {
    site->gap = c->sign * (q[s->link[c->link].q] - c->limit);
    return CORE_OK;
  }
  if (c->kind == MECH_ON_FACE) {
    touch_face(s, c, pose, site);
    return CORE_OK;
  }
  if (c->kind == MECH_LOOP) {
    touch_loop(c, pose, site);
    return CORE_OK;
  }
  mech_nearest near;
  mech_find_nearest(c, pose, &near);
  return touch_round(s, c, &near, site);
}

/* ---- gaps and rows ---- */

static mech_pose *poses_of(const mech *s, const double *q) {
  mech_pose *pose = core_scratch_bytes(s->work, (size_t)s->n * sizeof *pose);
  if (pose) mech_poses(s, q, pose);
  return pose;
}

core_status mech_gap(const model *m, const double *q, double *gap) {
  const mech *s = m->extra;
  core_mark mark = core_scratch_mark(s->work);
  mech_pose *pose = poses_of(s, q);
  core_status status = pose ? CORE_OK : CORE_NO_MEMORY;
  for (int c = 0; c < s->nc && !status; c++) {
    mech_site site;
    status = mech_touch(s, &s->contact[c], pose, q, &site);
    if (!status) gap[c] = site.gap;
  }
  core_scratch_release(s->work, mark);
  return status;
}

/* direction of row r of a site; rows t, n or t1, t2, n */
const double *mech_row(const mech *s, const mech_site *site, int r) {
  return site->E + 3 * (s->plane ? 2 * r : r);
}

/* adds sign e.(velocity of x on the body by each speed) to row `row` of J */
static void add_row(const mech *s, const mech_pose *pose, int body, const double *x,
                    const double *e, double sign, int rows, double *J) {
  double S[36], arm[3], moment[3];
  for (int i = body; i >= 0; i = s->link[i].parent) {
    const mech_link *k = &s->link[i];
    mech_axes(k, &pose[i], S);
    for (int j = 0; j < 3; j++) arm[j] = x[j] - pose[i].x[j];
    model_cross(arm, e, moment);
    for (int j = 0; j < k->nu; j++)
      J[(size_t)(k->u + j) * (size_t)rows] +=
          sign * (model_dot(S + 6 * j, moment) + model_dot(S + 6 * j + 3, e));
  }
}

/* the rows of one contact into J (leading dimension `rows`), from `first` on; J is zero before */
void mech_contact_jacobian(const mech *s, const mech_contact *c, const mech_site *site,
                           const mech_pose *pose, int first, int rows, double *J) {
  if (c->kind == MECH_STOP) {
    J[(size_t)s->link[c->link].u * (size_t)rows + (size_t)first] = c->sign;
    return;
  }
  for (int r = 0; r < s->dim; r++) {
    const double *e = mech_row(s, site, r);
    add_row(s, pose, site->a, site->pa, e, 1, rows, J + first + r);
    add_row(s, pose, site->b, site->pb, e, -1, rows, J + first + r);
  }
}

static int total_rows(const mech *s) {
  int rows = 0;
  for (int c = 0; c < s->nc; c++) rows += mech_contact_rows(s, &s->contact[c]);
  return rows;
}

core_status mech_jacobian(const model *m, const double *q, double *J) {
  const mech *s = m->extra;
  core_mark mark = core_scratch_mark(s->work);
  mech_pose *pose = poses_of(s, q);
  core_status status = pose ? CORE_OK : CORE_NO_MEMORY;
  int rows = total_rows(s), first = 0;
  memset(J, 0, (size_t)rows * (size_t)s->nu * sizeof *J);
  for (int c = 0; c < s->nc && !status; c++) {
    mech_site site;
    status = mech_touch(s, &s->contact[c], pose, q, &site);
    if (!status) mech_contact_jacobian(s, &s->contact[c], &site, pose, first, rows, J);
    first += mech_contact_rows(s, &s->contact[c]);
  }
  core_scratch_release(s->work, mark);
  return status;
}
