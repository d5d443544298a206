/* What a mechanism looks like from one side: its bodies as lines between their joints, its shapes
 * by their outlines, its obstacles.
 *
 * A picture is a parallel projection. With e the direction to the eye, the picture's axes are
 *   right = z x e / |z x e|,   up = e x right
 * and looking straight down (or up) x stays to the right. In the plane e = -y: right = x, up = z.
 */
#include <math.h>
#include <string.h>

#include "model/mech.h"
#include "model/mech_build.h"
#include "model/mech_part.h"
#include "model/rigid.h"
#include "model/tolerance.h"

typedef struct screen {
  double right[3], up[3];
  const mech_pose *pose;
  model_pen *pen;
  const mechanism *d;
  double reach; /* half the length of a floor's line [m] */
} screen;

static void normalise(double *x) {
  double length = sqrt(model_dot(x, x));
  for (int i = 0; i < 3; i++) x[i] /= length;
}

static void look(const model *m, screen *s) {
  double e[3] = {0, -1, 0};
  static const double z[3] = {0, 0, 1}, x[3] = {1, 0, 0};
  if (s->d->view_at) memcpy(e, (const char *)m->params + s->d->view_at, sizeof e);
  if (model_dot(e, e) == 0) e[1] = -1;
  normalise(e);
  model_cross(z, e, s->right);
  if (model_dot(s->right, s->right) < MODEL_PARALLEL) memcpy(s->right, x, sizeof s->right);
  normalise(s->right);
  model_cross(e, s->right, s->up);
}

static void project(const screen *s, const double *x, double *xz) {
  xz[0] = model_dot(s->right, x);
  xz[1] = model_dot(s->up, x);
}

static void line(const screen *s, const double *a, const double *b, const char *part) {
  double xz[4];
  project(s, a, xz);
  project(s, b, xz + 2);
  if (xz[0] != xz[2] || xz[1] != xz[3]) s->pen->line(s->pen->self, 2, xz, part);
}

/* ---- bodies ---- */

/* from the joint to the joints of its children, or to its mass centre when it carries nothing */
static void draw_body(const screen *s, const mech *m, int i) {
  double from[2];
  int children = 0;
  for (int j = i + 1; j < m->n; j++)
    if (m->link[j].parent == i) {
      line(s, s->pose[i].x, s->pose[j].x, "link");
      children++;
    }
  if (!children && m->link[i].m > 0) {
    double c[3];
    model_turn(s->pose[i].R, m->link[i].c, c);
    for (int k = 0; k < 3; k++) c[k] += s->pose[i].x[k];
    line(s, s->pose[i].x, c, "link");
  }
  project(s, s->pose[i].x, from);
  int at_world = m->link[i].parent < 0 && m->link[i].joint != MECHANISM_FREE;
  if (m->link[i].joint == MECHANISM_HINGE || m->link[i].joint == MECHANISM_BALL)
    s->pen->point(s->pen->self, from[0], from[1], at_world ? "support" : "joint");
}

/* ---- shapes ---- */

static const double *numbers(const model *m, const screen *s, int part) {
  return (const double *)((const char *)m->params + s->d->part_at[part]);
}

/* the point `skip` numbers into a part, in the world */
static void place(const model *m, const screen *s, int part, int skip, double *x) {
  const double *from = numbers(m, s, part) + skip;
  int plane = s->d->spec.plane, body = s->d->spec.part[part].body;
  double local[3] = {from[0], plane ? 0 : from[1], from[plane ? 1 : 2]};
  if (body < 0) {
    memcpy(x, local, sizeof local);
    return;
  }
  model_turn(s->pose[body].R, local, x);
  for (int i = 0; i < 3; i++) x[i] += s->pose[body].x[i];
}

/* the outline of a capsule: two half circles and the lines between them */
static void draw_capsule(const screen *s, const double *a, const double *b, double r) {
  enum { HALF = 24 };
  double p[2], q[2], xz[2 * (2 * HALF + 3)];
  int n = 0;
  project(s, a, p);
  project(s, b, q);
  double way = atan2(q[1] - p[1], q[0] - p[0]);
  for (int end = 0; end < 2; end++)
    for (int i = 0; i <= HALF; i++, n++) {
      double angle = way + M_PI / 2 + M_PI * (end + (double)i / HALF);
      const double *c = end ? q : p;
      xz[2 * n] = c[0] + r * cos(angle), xz[2 * n + 1] = c[1] + r * sin(angle);
    }
  xz[2 * n] = xz[0], xz[2 * n + 1] = xz[1];
  s->pen->line(s->pen->self, n + 1, xz, "body");
}

static void draw_box(const screen *s, const mech_feature *corner, int plane) {
  static const int flat[4] = {0, 1, 3, 2};
  double x[8][3];
  for (int i = 0; i < (plane ? 4 : 8); i++) mech_point(&corner[i], 0, s->pose, x[i]);
  if (plane) {
    double xz[10];
    for (int i = 0; i <= 4; i++) project(s, x[flat[i % 4]], xz + 2 * i);
    s->pen->line(s->pen->self, 5, xz, "body");
    return;
  }
  for (int i = 0; i < 8; i++)
    for (int bit = 1; bit < 8; bit *= 2)
      if (!(i & bit)) line(s, x[i], x[i | bit], "edge");
}

/* a plane as a line on either side of the place over which the mechanism stands; seen from where it
 * is no line it is not drawn */
static void draw_plane(const model *m, const screen *s, int part) {
  const double *from = numbers(m, s, part);
  int plane = s->d->spec.plane, body = s->d->spec.part[part].body;
  const double *nn = from + (plane ? 2 : 3);
  double n[3] = {nn[0], plane ? 0 : nn[1], nn[plane ? 1 : 2]}, p[3], t[3], e[3], xz[4];
  if (body >= 0) {
    double local[3];
    memcpy(local, n, sizeof n);
    model_turn(s->pose[body].R, local, n);
  }
  normalise(n);
  place(m, s, part, 0, p);
  model_cross(s->right, s->up, e);
  model_cross(n, e, t);
  if (model_dot(t, t) < 0.5) return;
  normalise(t);
  double along = 0, reach = body < 0 ? s->reach : 0.2 * s->reach;
  for (int i = 0; i < 3 && body < 0; i++) along += t[i] * (s->pose[0].x[i] - p[i]);
  for (int end = 0; end < 2; end++) {
    double x[3];
    for (int i = 0; i < 3; i++) x[i] = p[i] + (along + (end ? reach : -reach)) * t[i];
    project(s, x, xz + 2 * end);
  }
  s->pen->line(s->pen->self, 2, xz, "floor");
}

static void draw_part(const model *m, const screen *s, int i) {
  int dim = s->d->spec.plane ? 2 : 3;
  double a[3], b[3], xz[2];
  mech_feature corner[8];
  switch (s->d->spec.part[i].shape) {
    case MECHANISM_PLANE: draw_plane(m, s, i); return;
    case MECHANISM_BOX:
      for (int c = 0; c < (dim == 2 ? 4 : 8); c++) corner[c] = mech_corner(m, i, c);
      draw_box(s, corner, dim == 2);
      return;
    case MECHANISM_CAPSULE:
      place(m, s, i, 0, a);
      place(m, s, i, dim, b);
      draw_capsule(s, a, b, numbers(m, s, i)[2 * dim]);
      return;
    default: break;
  }
  place(m, s, i, 0, a);
  project(s, a, xz);
  if (s->d->spec.part[i].body >= 0) line(s, s->pose[s->d->spec.part[i].body].x, a, "link");
  if (s->d->spec.part[i].shape == MECHANISM_SPHERE)
    s->pen->circle(s->pen->self, xz[0], xz[1], numbers(m, s, i)[dim], "body");
}

/* points that may touch, over everything else */
static void draw_contact_points(const model *m, const screen *s) {
  for (int i = 0; i < s->d->spec.contacts; i++)
    for (int side = 0; side < 2; side++) {
      int part = side ? s->d->spec.contact[i].b : s->d->spec.contact[i].a;
      double x[3], xz[2];
      if (s->d->spec.part[part].shape != MECHANISM_POINT) continue;
      place(m, s, part, 0, x);
      project(s, x, xz);
      s->pen->point(s->pen->self, xz[0], xz[1], "contact");
    }
}

static double half_size(const mech *m, const mech_pose *pose) {
  double size = m->size;
  for (int i = 0; i < m->n; i++)
    for (int j = 0; j < i; j++) {
      double d = 0;
      for (int k = 0; k < 3; k++) d += pow(pose[i].x[k] - pose[j].x[k], 2);
      if (i < 64) size = fmax(size, sqrt(d));
    }
  return size > 0 ? size : 1;
}

static void draw_springs(const screen *s, const mech *m) {
  for (int i = 0; i < m->springs; i++) {
    double a[3], b[3];
    mech_point(&m->spring[i].a, 0, s->pose, a);
    mech_point(&m->spring[i].b, 0, s->pose, b);
    line(s, a, b, "spring");
  }
}

void mech_outline(const model *m, const double *q, model_pen *pen) {
  const mech *s = m->extra;
  core_mark mark = core_scratch_mark(s->work);
  mech_pose *pose = core_scratch_bytes(s->work, (size_t)s->n * sizeof *pose);
  if (pose) {
    mech_poses(s, q, pose);
    screen to = {.pose = pose, .pen = pen, .d = mechanism_of(m), .reach = half_size(s, pose)};
    look(m, &to);
    for (int i = 0; i < to.d->spec.parts; i++) draw_part(m, &to, i);
    draw_springs(&to, s);
    for (int i = 0; i < s->n; i++) draw_body(&to, s, i);
    draw_contact_points(m, &to);
  }
  core_scratch_release(s->work, mark);
}
