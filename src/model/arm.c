/* A planar arm of any number of links, hinged to a support at the origin, that meets a floor with
 * its tip or with any joint. Angles are relative, counterclockwise, the first from the x axis.
 *
 * With P_k = m_k c_k + l_k (mass beyond link k), the mass matrix in absolute angles is
 *   M_kk = I_k + m_k c_k^2 + l_k^2 (mass beyond),   M_jk = l_j P_k cos(theta_j - theta_k), j < k,
 * and in relative angles each entry is the sum of those to its lower right. Impacts and motion do
 * not use it: arm_sweep.c takes time and memory proportional to the number of links.
 */
#include "model/arm.h"
#include "core/sincos.h"

#include <stdlib.h>
#include <string.h>

#include "model/common.h"
#include "model/tolerance.h"

typedef struct arm_params {
  int n;               /* links */
  core_list length;    /* [m] */
  core_list mass;      /* [kg] */
  core_list inertia;   /* about the mass centres [kg m^2] */
  core_list centre;    /* from the upper joint [m] */
  core_list stiffness; /* of the joints [N m/rad] */
  core_list rest;      /* angles where the springs are at rest [rad] */
  core_list damping;   /* [N m s/rad] */
  core_list torque;    /* [N m] */
  core_list contacts;  /* joints that touch, n is the tip */
  double floor;        /* [m] */
  double slope;        /* [rad] */
  core_list gravity;   /* [m/s^2] */
  core_list q, u;      /* [rad], [rad/s] */
} arm_params;

static const core_param params[] = {
    MODEL_INTEGER(arm_params, n, "3", 1, 1000000, "number of links"),
    MODEL_LIST(arm_params, length, "m", "1", 0, INFINITY, CORE_OPEN_MIN,
               "length of the links: one number or n"),
    MODEL_LIST(arm_params, mass, "kg", "1", 0, INFINITY, 0, "mass of the links: one number or n"),
    MODEL_LIST(arm_params, inertia, "kg m^2", "nil", 0, INFINITY, 0,
               "moments about the mass centres; m l^2 / 12 by default"),
    MODEL_LIST(arm_params, centre, "m", "nil", -INFINITY, INFINITY, 0,
               "distance of the mass centres from the upper joint; l / 2 by default"),
    MODEL_LIST(arm_params, stiffness, "N m/rad", "0", 0, INFINITY, 0, "springs of the joints"),
    MODEL_LIST(arm_params, rest, "rad", "0", -INFINITY, INFINITY, 0,
               "joint angles where the springs are at rest"),
    MODEL_LIST(arm_params, damping, "N m s/rad", "0", 0, INFINITY, 0, "dampers of the joints"),
    MODEL_LIST(arm_params, torque, "N m", "0", -INFINITY, INFINITY, 0,
               "constant torques of the joints"),
    MODEL_LIST(arm_params, contacts, "1", "nil", 1, 1000000, 0,
               "ends of links that can touch the floor, counted from the support; the tip by "
               "default"),
    MODEL_NUMBER(arm_params, floor, "m", "nil", -INFINITY, INFINITY, 0,
                 "height of the floor over the support, along its normal; at the lowest contact "
                 "by default"),
    MODEL_NUMBER(arm_params, slope, "rad", "0", -INFINITY, INFINITY, 0,
                 "angle of the floor, counterclockwise"),
    MODEL_GRAVITY(arm_params, "9.81"),
    MODEL_LIST(arm_params, q, "rad", "nil", -INFINITY, INFINITY, 0,
               "joint angles, the first from the x axis: one number or n; a flat arch by default"),
    MODEL_LIST(arm_params, u, "rad/s", "nil", -INFINITY, INFINITY, 0,
               "joint rates: one number or n; the first joint turns with -1 by default"),
};

static const model_group groups[] = {
    {"angles", "rad", 'q', 0, -1, "joint angles, the first from the x axis"},
    {"rates", "rad/s", 'u', 0, -1, "joint rates"},
    {0},
};

/* ---- building ---- */

static core_status check_lists(const model *m, core_error *err) {
  const arm_params *p = m->params;
  const struct {
    const char *key;
    const core_list *list;
  } lists[] = {
      {"length", &p->length},
      {"mass", &p->mass},
      {"inertia", &p->inertia},
      {"centre", &p->centre},
      {"rest", &p->rest},
      {"damping", &p->damping},
      {"stiffness", &p->stiffness},
      {"torque", &p->torque},
      {"q", &p->q},
      {"u", &p->u},
  };
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    if (lists[i].list->n == 0) continue; /* absent */
    core_status status = model_fits(m, lists[i].key, lists[i].list, p->n, err);
    if (status) return status;
  }
  return CORE_OK;
}

/* an arch from 0.5 to -0.5 rad that comes down on its tip */
static double angle_of(const arm_params *p, int i) {
  if (p->q.n) return core_list_at(&p->q, i);
  return i == 0 ? 0.5 : -1.0 / (p->n - 1);
}

static double rate_of(const arm_params *p, int i) {
  return p->u.n ? core_list_at(&p->u, i) : -(i == 0);
}

static void fill_links(const arm_params *p, arm *a) {
  a->driven = 0;
  a->loose = 1;
  for (int i = 0; i < p->n; i++) {
    double l = core_list_at(&p->length, i), mass = core_list_at(&p->mass, i);
    double c = p->centre.n ? core_list_at(&p->centre, i) : l / 2;
    double inertia = p->inertia.n ? core_list_at(&p->inertia, i) : mass * l * l / 12;
    a->link[i] = (arm_link){l, mass, mass * c / l, inertia + mass * c * c};
    a->joint[i] = (arm_joint){core_list_at(&p->stiffness, i), core_list_at(&p->rest, i),
                              core_list_at(&p->damping, i), core_list_at(&p->torque, i)};
    a->driven |= a->joint[i].d != 0 || a->joint[i].torque != 0;
    a->loose &= a->joint[i].k == 0 && !a->driven;
  }
  model_arm_wide_fill(a);
}

static core_status fill_contacts(const arm_params *p, int nc, arm *a, core_error *err) {
  for (int i = 0; i < p->n; i++) a->contact[i] = -1;
  for (int c = 0; c < nc; c++) {
    double x = p->contacts.n ? core_list_data(&p->contacts)[c] : p->n;
    if (x != floor(x) || x > p->n)
      return core_fail(err, CORE_BAD_INPUT,
                       "arm: contacts must be whole numbers from 1 to %d, got %.10g", p->n, x);
    a->at[c] = (int)x - 1;
    if (a->contact[a->at[c]] >= 0)
      return core_fail(err, CORE_BAD_INPUT, "arm: contacts must differ, got %d twice", (int)x);
    a->contact[a->at[c]] = c;
  }
  return CORE_OK;
}

/* one block for everything */
static arm *allocate(int n, int nc) {
  size_t links = (size_t)n, length = n < ARM_WIDE ? 0 : links / 4;
  size_t size = sizeof(arm) + links * (sizeof(arm_link) + sizeof(arm_joint)) +
                4 * length * sizeof(core_loose_four) + (links + (size_t)nc) * sizeof(int);
  arm *a = calloc(1, size);
  if (!a) return NULL;
  core_loose_four *wide = (core_loose_four *)(a + 1);
  a->n = n;
  a->wide = (arm_wide){(int)length, wide, wide + length, wide + 2 * length, wide + 3 * length};
  a->link = (arm_link *)(wide + 4 * length);
  a->joint = (arm_joint *)(a->link + n);
  a->contact = (int *)(a->joint + n);
  a->at = a->contact + n;
  return a;
}

/* Two links on, i and i + 1 (of an odd number the last one alone), by the joint angles q: angle is
 * that of the last link, y the height of its end; `end` gets the heights of theirs. */
static inline void rise(const arm *a, int i, double q0, double q1, double *angle, double *y,
                        double *end) {
  double both[2] = {*angle + q0, *angle + q0 + q1};
  core_pair s, c;
  core_sincos2(both, &s, &c);
  *y = end[0] = *y + a->link[i].l * s[0];
  if (i + 1 < a->n) *y = end[1] = *y + a->link[i + 1].l * s[1];
  *angle = both[1];
}

/* height of the lowest contact in the starting position */
static double lowest(const arm_params *p, const arm *a) {
  double angle = -a->slope, y = 0, least = INFINITY, end[2];
  for (int i = 0; i < a->n; i += 2) {
    rise(a, i, angle_of(p, i), i + 1 < a->n ? angle_of(p, i + 1) : 0, &angle, &y, end);
    for (int k = 0; k < 2 && i + k < a->n; k++)
      if (a->contact[i + k] >= 0) least = fmin(least, end[k]);
  }
  return least;
}

static core_status build(model *m, core_error *err) {
  const arm_params *p = m->params;
  int nc = p->contacts.n ? p->contacts.n : 1;
  double g[2];
  core_status status = check_lists(m, err);
  if (!status) status = model_gravity(m, &p->gravity, 2, g, err);
  if (status) return status;
  arm *a = m->extra = allocate(p->n, nc);
  if (!a) return core_no_memory(err);
  fill_links(p, a);
  status = fill_contacts(p, nc, a, err);
  if (status) return status;
  if (!(a->link[p->n - 1].I > 0))
    return core_fail(err, CORE_BAD_INPUT, "arm: the last link must have mass or inertia");
  double c = cos(p->slope), s = sin(p->slope);
  a->g[0] = c * g[0] + s * g[1];
  a->g[1] = -s * g[0] + c * g[1];
  a->slope = p->slope;
  for (int i = 0; i < p->n; i++) a->reach += a->link[i].l;
  a->floor = model_or(p->floor, lowest(p, a));
  m->shape = (model_shape){p->n, p->n, nc, 2, 0, NULL};
  return CORE_OK;
}

static void destroy(model *m) {
  free(m->extra);
}

static core_status gap(const model *m, const double *q, double *out) {
  const arm *a = m->extra;
  double angle = -a->slope, y = -a->floor, end[2];
  for (int i = 0; i < a->n; i += 2) {
    rise(a, i, q[i], i + 1 < a->n ? q[i + 1] : 0, &angle, &y, end);
    for (int k = 0; k < 2 && i + k < a->n; k++)
      if (a->contact[i + k] >= 0) out[a->contact[i + k]] = end[k];
  }
  return CORE_OK;
}

/* the end of link i moves with l_i times the change of its angle, and with the ends above */
static void sway(const model *m, const double *dq, double *most) {
  const arm *a = m->extra;
  double angle = 0, way = 0;
  for (int i = 0; i < a->n; i++) {
    angle += dq[i];
    way += a->link[i].l * angle;
    if (a->contact[i] >= 0) most[a->contact[i]] = way;
  }
}

static double size(const model *m, const double *q, int c) {
  const arm *a = m->extra;
  (void)q, (void)c;
  return a->reach;
}

static core_status start(const model *m, double *q, double *u, core_error *err) {
  const arm_params *p = m->params;
  const arm *a = m->extra;
  for (int i = 0; i < p->n; i++) {
    q[i] = angle_of(p, i);
    u[i] = rate_of(p, i);
  }
  double open = lowest(p, a) - a->floor;
  if (open < -MODEL_INSIDE * a->reach)
    return core_fail(err, CORE_BAD_INPUT, "arm: starts inside the obstacle: gap is %.6g m", open);
  if (model_arm_regular(a, q))
    return core_fail(err, CORE_BAD_INPUT,
                     "arm: the mass matrix is singular at the start: too many links without mass");
  return CORE_OK;
}

/* masses beyond each link and P_k, in absolute angles, then summed to the lower right */
static core_status mass(const model *m, const double *q, double *M) {
  const arm *a = m->extra;
  size_t n = (size_t)a->n;
  double beyond = 0;
  for (size_t k = n; k-- > 0; beyond += a->link[k].m) {
    const arm_link *link = &a->link[k];
    double P = link->beta * link->l + link->l * beyond, angle = 0;
    M[k * n + k] = link->I + link->l * link->l * beyond;
    for (size_t j = k; j-- > 0;) { /* M_kj, j < k */
      angle += q[j + 1];
      M[j * n + k] = a->link[j].l * P * cos(angle);
      M[k * n + j] = M[j * n + k];
    }
  }
  for (size_t j = 0; j < n; j++)
    for (size_t k = n - 1; k-- > 0;) M[j * n + k] += M[j * n + k + 1];
  for (size_t j = n - 1; j-- > 0;)
    for (size_t k = 0; k < n; k++) M[j * n + k] += M[(j + 1) * n + k];
  for (size_t j = 0; j < n; j++) /* symmetric to the last bit */
    for (size_t k = 0; k < j; k++) M[j * n + k] = M[k * n + j];
  return CORE_OK;
}

/* how each link moves its end goes into J first; then column j adds up links j to the contact */
static core_status jacobian(const model *m, const double *q, double *J) {
  const arm *a = m->extra;
  int rows = 2 * m->shape.nc;
  double angle = -a->slope;
  for (int i = 0; i < a->n; i++) {
    angle += q[i];
    double t = -a->link[i].l * sin(angle), n = a->link[i].l * cos(angle);
    for (int c = 0; c < m->shape.nc; c++) {
      J[(size_t)i * (size_t)rows + (size_t)(2 * c)] = i <= a->at[c] ? t : 0;
      J[(size_t)i * (size_t)rows + (size_t)(2 * c + 1)] = i <= a->at[c] ? n : 0;
    }
  }
  for (int i = a->n - 1; i-- > 0;)
    for (int r = 0; r < rows; r++)
      J[(size_t)i * (size_t)rows + (size_t)r] += J[(size_t)(i + 1) * (size_t)rows + (size_t)r];
  return CORE_OK;
}

/* In absolute angles, with e = (c, s), n = (-s, c) of each link and w its absolute rate:
 * f_k = P_k n_k.(g + sum_(j<k) l_j w_j^2 e_j) + l_k n_k.sum_(j>k) P_j w_j^2 e_j
 * and f of joint i is the sum over the links it carries, k >= i, plus its own torque. */
static core_status forces(const model *m, double t, const double *q, const double *u, double *f) {
  const arm *a = m->extra;
  double angle = -a->slope, w = 0, in[2] = {a->g[0], a->g[1]}, out[2] = {0, 0}, beyond = 0, sum = 0;
  (void)t;
  for (int i = 0; i < a->n; i++) {
    f[i] = angle += q[i];
    w += u[i];
    in[0] += a->link[i].l * w * w * cos(angle);
    in[1] += a->link[i].l * w * w * sin(angle);
  }
  for (int i = a->n - 1; i >= 0; w -= u[i--]) {
    const arm_link *k = &a->link[i];
    double c = cos(f[i]), s = sin(f[i]), P = k->l * (k->beta + beyond);
    in[0] -= k->l * w * w * c, in[1] -= k->l * w * w * s;
    sum += P * (c * in[1] - s * in[0]) + k->l * (c * out[1] - s * out[0]);
    out[0] += P * w * w * c, out[1] += P * w * w * s;
    beyond += k->m;
    f[i] = sum + arm_torque(a, i, q, u);
  }
  return CORE_OK;
}

static double potential(const model *m, const double *q) {
  const arm *a = m->extra;
  double angle = -a->slope, t = 0, n = 0, sum = 0;
  for (int i = 0; i < a->n; i++) {
    const arm_link *k = &a->link[i];
    const arm_joint *j = &a->joint[i];
    angle += q[i];
    double lt = k->l * cos(angle), ln = k->l * sin(angle);
    sum -= a->g[0] * (k->m * t + k->beta * lt) + a->g[1] * (k->m * n + k->beta * ln);
    sum += j->k * (q[i] - j->rest) * (q[i] - j->rest) / 2;
    t += lt, n += ln;
  }
  return sum;
}

static double power(const model *m, double t, const double *q, const double *u) {
  const arm *a = m->extra;
  double sum = 0;
  (void)t, (void)q;
  for (int i = 0; a->driven && i < a->n; i++)
    sum += (a->joint[i].torque - a->joint[i].d * u[i]) * u[i];
  return sum;
}

/* centripetal accelerations, added up along the arm */
static core_status drift(const model *m, const double *q, const double *u, double *out) {
  const arm *a = m->extra;
  double angle = -a->slope, w = 0, t = 0, n = 0;
  for (int i = 0; i < a->n; i++) {
    angle += q[i];
    w += u[i];
    t -= a->link[i].l * w * w * cos(angle);
    n -= a->link[i].l * w * w * sin(angle);
    if (a->contact[i] < 0) continue;
    out[2 * a->contact[i]] = t;
    out[2 * a->contact[i] + 1] = n;
  }
  return CORE_OK;
}

static void outline(const model *m, const double *q, model_pen *pen) {
  const arm *a = m->extra;
  double angle = 0, x = 0, y = 0;
  pen->point(pen->self, 0, 0, "support");
  for (int i = 0; i < a->n; i++) {
    double l = a->link[i].l, x0 = x, y0 = y;
    angle += q[i];
    x += l * cos(angle), y += l * sin(angle);
    model_draw_line(pen, x0, y0, x, y, "link");
    pen->point(pen->self, x, y, a->contact[i] < 0 ? "joint" : "contact");
  }
  model_draw_floor(pen, -sin(a->slope), cos(a->slope), a->floor, 0, 0, 1.1 * a->reach);
}

const model_type model_arm = {
    .schema = MODEL_SCHEMA("arm", params, arm_params),
    .doc = "A planar arm of n links on a support at the origin that meets a floor of any height "
           "and slope with its tip or with any joint. Relative angles, counterclockwise, the first "
           "from the x axis. Impacts and motion take time and memory proportional to n. Links "
           "without mass are allowed as long as the mass matrix stays regular. Contact rows t, n.",
    .paper = "Johnson, practice 1; Morgan, chapter 3",
    .example = "k.arm { n = 5, length = 0.4, contacts = {3, 5} }",
    .groups = groups,
    .build = build,
    .destroy = destroy,
    .start = start,
    .mass = mass,
    .gap = gap,
    .size = size,
    .jacobian = jacobian,
    .forces = forces,
    .potential = potential,
    .drift = drift,
    .collide = model_arm_collide,
    .accelerate = model_arm_accelerate,
    .outline = outline,
    .kinetic = model_arm_kinetic,
    .sway = sway,
    .power = power,
    .stiffness = &model_arm_stiffness,
};
