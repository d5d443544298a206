/* What acts on a mechanism besides gravity and contacts.
 *
 *   joint     tau = torque - k (q - rest) - d u, and what a function of the script gives
 *   spring    between the points a and b, with e from b to a and l their distance:
 *             on a  F = -(k (l - rest) + d l') e,  on b the opposite
 */
#include <math.h>
#include <string.h>

#include "model/mech.h"
#include "model/rigid.h"

void mech_point(const mech_feature *f, int end, const mech_pose *pose, double *x) {
  if (f->body < 0) {
    memcpy(x, f->p[end], 3 * sizeof *x);
    return;
  }
  model_turn(pose[f->body].R, f->p[end], x);
  for (int i = 0; i < 3; i++) x[i] += pose[f->body].x[i];
}

void mech_point_velocity(int body, const double *x, const mech_pose *pose, const mech_motion *v,
                         double *velocity) {
  velocity[0] = velocity[1] = velocity[2] = 0;
  if (body < 0) return;
  double arm[3];
  for (int i = 0; i < 3; i++) arm[i] = x[i] - pose[body].x[i];
  model_cross(v[body].w, arm, velocity);
  for (int i = 0; i < 3; i++) velocity[i] += v[body].v[i];
}

/* force F at the place x of a body, as moment about its origin and force */
static void push(int body, const double *x, const double *F, const mech_pose *pose,
                 double *wrench) {
  if (body < 0) return;
  double arm[3], moment[3];
  for (int i = 0; i < 3; i++) arm[i] = x[i] - pose[body].x[i];
  model_cross(arm, F, moment);
  for (int i = 0; i < 3; i++) {
    wrench[6 * body + i] += moment[i];
    wrench[6 * body + 3 + i] += F[i];
  }
}

/* force of a spring along e, from b to a, on a [N]; the damper's part alone in *damping */
static double spring_force(const mech_spring *k, const mech_pose *pose, const mech_motion *v,
                           double *a, double *b, double *e, double *rate, double *damping) {
  double va[3], vb[3], length;
  mech_point(&k->a, 0, pose, a);
  mech_point(&k->b, 0, pose, b);
  mech_point_velocity(k->a.body, a, pose, v, va);
  mech_point_velocity(k->b.body, b, pose, v, vb);
  for (int i = 0; i < 3; i++) e[i] = a[i] - b[i];
  length = sqrt(model_dot(e, e));
  *rate = 0;
  for (int i = 0; i < 3; i++) {
    e[i] =
        length > 0 ? e[i] / length : 0; /* points that coincide have no direction, and no force */
    *rate += e[i] * (va[i] - vb[i]);
  }
  *damping = -k->d * *rate;
  return -k->k * (length - k->rest) + *damping;
}

static void joint_torque(const mech_link *k, const double *q, const double *u, double *tau) {
  for (int j = 0; j < k->nu; j++) tau[k->u + j] = -k->d * u[k->u + j];
  if (k->nu == 1) tau[k->u] += k->torque - k->k * (q[k->q] - k->rest);
}

core_status mech_applied(const model *m, double t, const double *q, const double *u,
                         const mech_pose *pose, const mech_motion *v, double *tau, double *wrench) {
  const mech *s = m->extra;
  memset(wrench, 0, 6 * (size_t)s->n * sizeof *wrench);
  for (int i = 0; i < s->n; i++) joint_torque(&s->link[i], q, u, tau);
  for (int i = 0; i < s->springs; i++) {
    const mech_spring *k = &s->spring[i];
    double a[3], b[3], e[3], back[3], rate, damping;
    double F = spring_force(k, pose, v, a, b, e, &rate, &damping);
    for (int j = 0; j < 3; j++) e[j] *= F, back[j] = -e[j];
    push(k->a.body, a, e, pose, wrench);
    push(k->b.body, b, back, pose, wrench);
  }
  return s->drive ? s->drive(m, t, q, u, tau) : CORE_OK;
}

/* ---- power of what has no potential: dampers, torques, functions ---- */

static double joint_power(const mech *s, const double *u) {
  double sum = 0;
  for (int i = 0; i < s->n; i++) {
    const mech_link *k = &s->link[i];
    for (int j = 0; j < k->nu; j++) sum -= k->d * u[k->u + j] * u[k->u + j];
    if (k->nu == 1) sum += k->torque * u[k->u];
  }
  return sum;
}

static double damper_power(const mech *s, const double *q, const double *u) {
  mech_pose *pose = core_scratch_bytes(s->work, (size_t)s->n * sizeof *pose);
  mech_motion *v = core_scratch_bytes(s->work, (size_t)s->n * sizeof *v);
  double sum = 0, a[3], b[3], e[3], rate, damping;
  if (!pose || !v) return NAN;
  mech_poses(s, q, pose);
  mech_velocities(s, pose, u, v);
  for (int i = 0; i < s->springs; i++) {
    spring_force(&s->spring[i], pose, v, a, b, e, &rate, &damping);
    sum += damping * rate;
  }
  return sum;
}

static double drive_power(const model *m, double t, const double *q, const double *u) {
  const mech *s = m->extra;
  double *tau = core_scratch_doubles(s->work, (size_t)s->nu), sum = 0;
  if (!tau) return NAN;
  memset(tau, 0, (size_t)s->nu * sizeof *tau);
  if (s->drive(m, t, q, u, tau)) return NAN;
  for (int i = 0; i < s->nu; i++) sum += tau[i] * u[i];
  return sum;
}

double mech_power(const model *m, double t, const double *q, const double *u) {
  const mech *s = m->extra;
  core_mark mark = core_scratch_mark(s->work);
  double sum = joint_power(s, u);
  if (s->springs) sum += damper_power(s, q, u);
  if (s->drive) sum += drive_power(m, t, q, u);
  core_scratch_release(s->work, mark);
  return sum;
}
