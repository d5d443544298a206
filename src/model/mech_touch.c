/* Where the shapes of a mechanism touch, and how fast.
 *
 * ON_FACE: a ball of radius r (a point: r = 0) about c, over a face with normal n through o:
 *   gap = n.(c - o) - r,   pa = c - r n,   pb = pa - gap n
 * ON_ROUND: the nearest points ca, cb of two segments (or points), n = (ca - cb) / |ca - cb|:
 *   gap = |ca - cb| - ra - rb,   pa = ca - ra n,   pb = cb + rb n
 * STOP: gap = sign (q - limit), one row: sign at the joint's speed.
 *
 * Row e of J is e.(v_a(pa) - v_b(pb)), the velocities being those of the material at pa and pb; the
 * normal row is then the rate of the gap. When u' = 0 it changes at the rate (Jdot u)
 *
 *   e'.(v_a - v_b) + e.(A_a - A_b),   A = a + alpha x d + omega x (p' - v)      (d = p - x)
 *
 * with p' the velocity of the place of contact, which runs over the body where shapes roll.
 */
#include <math.h>
#include <string.h>

#include "model/mech.h"
#include "model/mech_part.h"
#include "model/rigid.h"

int mech_contact_rows(const mech *s, const mech_contact *c) {
  return c->kind == MECH_STOP ? 1 : s->dim;
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

static void frame_rate(const mech *s, const double *n, const double *ndot, double *Edot) {
  if (!s->plane) {
    model_frame_rate(n, ndot, Edot);
    return;
  }
  const double flat[9] = {ndot[2], 0, -ndot[0], 0, 0, 0, ndot[0], 0, ndot[2]};
  memcpy(Edot, flat, sizeof flat);
}

/* ---- nearest points of two segments ----
 *
 * |a0 + s A - b0 - t B|^2 is least over the square 0 <= s, t <= 1: inside, or on an edge of it. */

typedef struct nearest {
  double s, t;         /* places along a and b */
  int s_free, t_free;  /* inside, not at an end */
  double A[3], B[3];   /* the segments [m] */
  double ca[3], cb[3]; /* [m] */
} nearest;

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

static void nearest_places(const double *w, nearest *n) {
  double AA = model_dot(n->A, n->A), BB = model_dot(n->B, n->B), AB = model_dot(n->A, n->B);
  double aA = model_dot(w, n->A), aB = model_dot(w, n->B), det = AA * BB - AB * AB;
  /* parallel segments: start from the middle of what they share rather than from an end */
  double s = det > 1e-14 * AA * BB ? clamp((AB * aB - BB * aA) / det) : 0.5;
  for (int round = 0; round < 2; round++) {
    n->t = best_t(aB, AB, BB, s);
    n->s = s = best_s(aA, AB, AA, n->t);
  }
  n->s_free = AA > 0 && n->s > 0 && n->s < 1;
  n->t_free = BB > 0 && n->t > 0 && n->t < 1;
}

static void find_nearest(const mech_contact *c, const mech_pose *pose, nearest *n) {
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

static core_status touch_round(const mech *s, const mech_contact *c, const nearest *near,
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
  nearest near;
  find_nearest(c, pose, &near);
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
    gap[c] = site.gap;
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

/* ---- Jdot u ---- */

/* how the places of contact and the normal move */
typedef struct site_rate {
  double pa[3], pb[3]; /* [m/s] */
  double n[3];         /* [1/s] */
} site_rate;

static void face_rate(const mech_contact *c, const mech_site *site, const mech_pose *pose,
                      const mech_motion *v, site_rate *rate) {
  double centre[3], vc[3], va[3], vb[3], opening = 0;
  const double *n = site->E + 6;
  mech_point(&c->a, 0, pose, centre);
  mech_point_velocity(c->a.body, centre, pose, v, vc);
  rate->n[0] = rate->n[1] = rate->n[2] = 0;
  if (c->face.body >= 0) model_cross(v[c->face.body].w, n, rate->n);
  mech_point_velocity(site->a, site->pa, pose, v, va);
  mech_point_velocity(site->b, site->pb, pose, v, vb);
  for (int i = 0; i < 3; i++) opening += n[i] * (va[i] - vb[i]);
  for (int i = 0; i < 3; i++) {
    rate->pa[i] = vc[i] - c->a.r * rate->n[i];
    rate->pb[i] = rate->pa[i] - opening * n[i] - site->gap * rate->n[i];
  }
}

/* s', t' keep A.(ca - cb) = 0 and B.(ca - cb) = 0 where they are inside:
 *   (A.A) s' - (A.B) t' = -A.dv - A'.d,   (A.B) s' - (B.B) t' = -B.dv - B'.d */
static void nearest_rates(const nearest *n, const double *d, const double *dv, const double *wa,
                          const double *wb, double *sdot, double *tdot) {
  double Ad[3], Bd[3], AA = model_dot(n->A, n->A), BB = model_dot(n->B, n->B),
                       AB = model_dot(n->A, n->B);
  model_cross(wa, n->A, Ad);
  model_cross(wb, n->B, Bd);
  double f = -model_dot(n->A, dv) - model_dot(Ad, d), g = -model_dot(n->B, dv) - model_dot(Bd, d);
  double det = AB * AB - AA * BB;
  *sdot = *tdot = 0;
  if (n->s_free && n->t_free && fabs(det) > 1e-14 * AA * BB) {
    *sdot = (-BB * f + AB * g) / det;
    *tdot = (AA * g - AB * f) / det;
  } else if (n->s_free && !n->t_free) {
    *sdot = f / AA;
  } else if (n->t_free && !n->s_free) {
    *tdot = -g / BB;
  }
}

static const double no_spin[3] = {0, 0, 0};

static void round_rate(const mech_contact *c, const mech_site *site, const mech_pose *pose,
                       const mech_motion *v, site_rate *rate) {
  nearest near;
  double va[3], vb[3], d[3], dv[3], sdot, tdot, distance = site->gap + c->a.r + c->b.r, along = 0;
  const double *n = site->E + 6;
  find_nearest(c, pose, &near);
  mech_point_velocity(site->a, near.ca, pose, v, va);
  mech_point_velocity(site->b, near.cb, pose, v, vb);
  for (int i = 0; i < 3; i++) d[i] = near.ca[i] - near.cb[i], dv[i] = va[i] - vb[i];
  nearest_rates(&near, d, dv, site->a < 0 ? no_spin : v[site->a].w,
                site->b < 0 ? no_spin : v[site->b].w, &sdot, &tdot);
  for (int i = 0; i < 3; i++) {
    va[i] += sdot * near.A[i];
    vb[i] += tdot * near.B[i];
    along += n[i] * (va[i] - vb[i]);
  }
  for (int i = 0; i < 3; i++) {
    rate->n[i] = (va[i] - vb[i] - along * n[i]) / distance;
    rate->pa[i] = va[i] - c->a.r * rate->n[i];
    rate->pb[i] = vb[i] + c->b.r * rate->n[i];
  }
}

/* a + alpha x d + omega x (p' - v) */
static void place_acceleration(int body, const double *x, const double *rate, const mech_pose *pose,
                               const mech_motion *v, const mech_motion *a, double *out) {
  out[0] = out[1] = out[2] = 0;
  if (body < 0) return;
  double arm[3], run[3], turned[3], spun[3];
  for (int i = 0; i < 3; i++) {
    arm[i] = x[i] - pose[body].x[i];
    run[i] = rate[i] - v[body].v[i];
  }
  model_cross(a[body].w, arm, turned);
  model_cross(v[body].w, run, spun);
  for (int i = 0; i < 3; i++) out[i] = a[body].v[i] + turned[i] + spun[i];
}

static void site_drift(const mech *s, const mech_contact *c, const mech_site *site,
                       const mech_pose *pose, const mech_motion *v, const mech_motion *a,
                       double *out) {
  site_rate rate;
  double Edot[9], va[3], vb[3], aa[3], ab[3];
  if (c->kind == MECH_ON_FACE)
    face_rate(c, site, pose, v, &rate);
  else
    round_rate(c, site, pose, v, &rate);
  frame_rate(s, site->E + 6, rate.n, Edot);
  mech_point_velocity(site->a, site->pa, pose, v, va);
  mech_point_velocity(site->b, site->pb, pose, v, vb);
  place_acceleration(site->a, site->pa, rate.pa, pose, v, a, aa);
  place_acceleration(site->b, site->pb, rate.pb, pose, v, a, ab);
  for (int i = 0; i < 3; i++) va[i] -= vb[i], aa[i] -= ab[i];
  for (int r = 0; r < s->dim; r++) {
    int at = 3 * (s->plane ? 2 * r : r);
    out[r] = model_dot(Edot + at, va) + model_dot(site->E + at, aa);
  }
}

static core_status drift_all(const mech *s, const double *q, const double *u, double *out) {
  mech_pose *pose = poses_of(s, q);
  mech_motion *v = core_scratch_bytes(s->work, 2 * (size_t)s->n * sizeof *v), *a = v + s->n;
  core_status status = pose && v ? CORE_OK : CORE_NO_MEMORY;
  if (status) return status;
  mech_velocities(s, pose, u, v);
  mech_bias_motion(s, pose, v, u, a);
  for (int c = 0; c < s->nc && !status; c++) {
    mech_site site;
    const mech_contact *k = &s->contact[c];
    status = mech_touch(s, k, pose, q, &site);
    if (status) break;
    if (k->kind == MECH_STOP)
      *out = 0;
    else
      site_drift(s, k, &site, pose, v, a, out);
    out += mech_contact_rows(s, k);
  }
  return status;
}

core_status mech_drift(const model *m, const double *q, const double *u, double *a) {
  const mech *s = m->extra;
  core_mark mark = core_scratch_mark(s->work);
  core_status status = drift_all(s, q, u, a);
  core_scratch_release(s->work, mark);
  return status;
}
