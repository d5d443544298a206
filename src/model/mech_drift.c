/* Jdot u of a mechanism's contacts: how fast J u changes while u' = 0.
 *
 * Row e of J u is e.(v_a - v_b), the velocities of the material at the places pa, pb of contact, so
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
#include "model/tolerance.h"

static void frame_rate(const mech *s, const double *n, const double *ndot, double *Edot) {
  if (!s->plane) {
    model_frame_rate(n, ndot, Edot);
    return;
  }
  const double flat[9] = {ndot[2], 0, -ndot[0], 0, 0, 0, ndot[0], 0, ndot[2]};
  memcpy(Edot, flat, sizeof flat);
}

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
static void nearest_rates(const mech_nearest *n, const double *d, const double *dv,
                          const double *wa, const double *wb, double *sdot, double *tdot) {
  double Ad[3], Bd[3], AA = model_dot(n->A, n->A), BB = model_dot(n->B, n->B),
                       AB = model_dot(n->A, n->B);
  model_cross(wa, n->A, Ad);
  model_cross(wb, n->B, Bd);
  double f = -model_dot(n->A, dv) - model_dot(Ad, d), g = -model_dot(n->B, dv) - model_dot(Bd, d);
  double det = AB * AB - AA * BB;
  *sdot = *tdot = 0;
  if (n->s_free && n->t_free && fabs(det) > MODEL_PARALLEL * AA * BB) {
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
  mech_nearest near;
  double va[3], vb[3], d[3], dv[3], sdot, tdot, distance = site->gap + c->a.r + c->b.r, along = 0;
  const double *n = site->E + 6;
  mech_find_nearest(c, pose, &near);
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

/* the points are material ones, the frame stands still */
static void loop_rate(const mech_site *site, const mech_pose *pose, const mech_motion *v,
                      site_rate *rate) {
  mech_point_velocity(site->a, site->pa, pose, v, rate->pa);
  mech_point_velocity(site->b, site->pb, pose, v, rate->pb);
  rate->n[0] = rate->n[1] = rate->n[2] = 0;
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
  memset(Edot, 0, sizeof Edot);
  if (c->kind == MECH_LOOP)
    loop_rate(site, pose, v, &rate);
  else if (c->kind == MECH_ON_FACE)
    face_rate(c, site, pose, v, &rate);
  else
    round_rate(c, site, pose, v, &rate);
  if (c->kind != MECH_LOOP) frame_rate(s, site->E + 6, rate.n, Edot);
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

/* contacts first to first + n - 1 */
static core_status drift_of(const mech *s, const double *q, const double *u, int first, int n,
                            double *out) {
  mech_pose *pose = core_scratch_bytes(s->work, (size_t)s->n * sizeof *pose);
  mech_motion *v = core_scratch_bytes(s->work, 2 * (size_t)s->n * sizeof *v), *a = v + s->n;
  core_status status = pose && v ? CORE_OK : CORE_NO_MEMORY;
  if (status) return status;
  mech_poses(s, q, pose);
  mech_velocities(s, pose, u, v);
  mech_bias_motion(s, pose, v, u, a);
  for (int c = first; c < first + n && !status; c++) {
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
  core_status status = drift_of(s, q, u, 0, s->nc, a);
  core_scratch_release(s->work, mark);
  return status;
}

core_status mech_loop_drift(const mech *s, const double *q, const double *u, double *a) {
  core_mark mark = core_scratch_mark(s->work);
  core_status status = drift_of(s, q, u, s->nc, s->loops, a);
  core_scratch_release(s->work, mark);
  return status;
}
