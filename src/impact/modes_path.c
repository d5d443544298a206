/* Many contacts: along a path on which every contact presses and slips a little, and ever less.
 *
 * p in the cone K and u^ = (u_t, u_n + s), s = mu |u_t|, in its dual are complementary. Scaled,
 *
 *   x = (mu p_n, p_t),   z = (u^_n/mu, u_t)   in the cone x_0 >= |x_1|,   x o z = nu e
 *
 * with nu = 0 (modes_cone.h). For nu > 0 both are inside and all is smooth with
 *
 *   s = mu z_0 phi(|z_1|/z_0),   phi(r) = (sqrt(r^2 + k^2) - k)/(sqrt(1 + k^2) - k)
 *
 * which is mu |u_t| where a contact slides, 0 where it sticks, and no more where it is open (u_n
 * stays positive). With Nesterov and Todd's scaling H, T = diag(mu, 1, 1), l = H x:
 *
 *   T dz + G dp = T H (l \ (nu e - l o l + nu e dtau)),   G = T H^2 T,   tau = log nu
 *   T dz = E (W dp + r),   r = W p + b + s e_n - T z,   E^-1 = 1 - e_n (ds/dz) T^-1
 *
 * so (E W + G) dp is known: one system of blocks (modes_blocks.c) gives the way back to the path
 * and the one along it. A least normal impulse is a second pair: y = p_n - low, v >= 0, y v = nu,
 * and T z + v e_n in place of T z.
 *
 * Where friction wedges, several answers exist for one nu, and the path turns: its direction is
 * that in which tau falls where det(E W + G) > 0, and rises where it is negative. Every branch
 * followed this way ends at nu = 0 (only one comes from nu = infinity), so a step may also jump
 * from one to another. On the way Newton's method (modes_newton.c) is tried: it ends the matter
 * once the modes are right.
 */
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "impact/modes_cone.h"
#include "impact/modes_part.h"
#include "impact/tolerance.h"

enum { SIDE = MODES_SIDE, START = 50, CORRECTIONS = 5, FINISH = 6 };

/* Relative to x and z: how far from the path a step may begin at first (TIGHTER each time the path
 * was lost), and may end to be called easy, as a part of that; how long a step may
 * be, and how much of the way to the boundary; below LEAST nothing moves any more. */
static const double WIDE = 0.3, TIGHTER = 0.3, EASY = 0.6, FAR = 0.95, INSIDE = 0.9, LEAST = 1e-6;
/* k of phi, where r = 1 is sliding: its slope there is 1.2, that of mu |u_t| is 1. With r^2 (k
 * large), whose slope is 2, the path turns more often (five piles of 413 contacts at mu = 0.3: 695
 * systems, here 607); speed and luck alone depend on it */
static const double KINK = 0.2;
/* instead of larger mu, whose cones are flat; Newton goes on with the true one */
static const double MOST_PATH_MU = 100;

/* a contact on the path */
typedef struct post {
  modes_cone k, kept;
  double mu, shift; /* friction; least impulse of a contact without friction [N s] */
  double y, v;      /* least impulse with friction: p_n - low [N s], its velocity [m/s]; or 0 */
  double y_kept, v_kept;
  double dx[SIDE], dz[SIDE], dy, dv;
  double c[SIDE]; /* by x: the metric G/nu times the tangent */
} post;

typedef struct path {
  modes_work *w;
  post *at;                    /* nc */
  modes_block *block;          /* nc */
  double *p;                   /* rows: p before Newton was tried [N s] */
  double tau, tau_kept, t_tau; /* log(nu), its part of the tangent */
  double back;                 /* how much of tau the way back to the path has */
  double off;                  /* its length, relative to x and z */
  double wide;                 /* off from which on one goes back first */
  double limit;                /* of a step, relative to x and z */
  double tried;                /* residual at which Newton was tried */
} path;

/* row of a contact that entry i of x belongs to */
static int row_of(const modes_contact *k, int i) {
  return i == 0 ? k->n - k->t : i - 1;
}

/* entry i of T */
static double stretch(const post *a, int i) {
  return i == 0 && a->k.dim > 1 ? a->mu : 1;
}

/* ---- the linear system at a point ---- */

static void place(const path *z) {
  modes_work *w = z->w;
  memset(w->p, 0, (size_t)w->m->rows * sizeof *w->p);
  for (int c = 0; c < w->m->nc; c++) {
    const post *a = &z->at[c];
    const modes_contact *k = &w->contact[c];
    for (int i = 0; i < a->k.dim; i++) w->p[k->t + row_of(k, i)] = a->k.x[i] / stretch(a, i);
    w->p[k->n] += a->shift;
  }
  modes_near_velocity(w, w->p, w->u);
}

/* phi of a contact, r and phi' */
static double bend(const modes_cone *k, double *r, double *slope) {
  double size = sqrt(1 + KINK * KINK) - KINK;
  double t = k->dim == 3 ? hypot(k->z[1], k->z[2]) : k->dim == 2 ? fabs(k->z[1]) : 0;
  *r = t / k->z[0];
  double root = sqrt(*r * *r + KINK * KINK);
  *slope = *r / (root * size);
  return *r * *r / ((root + KINK) * size);
}

/* r */
static void left_over(const path *z, int c, double *r) {
  const modes_contact *t = &z->w->contact[c];
  const post *a = &z->at[c];
  for (int i = 0; i < a->k.dim; i++)
    r[i] = z->w->u[t->t + row_of(t, i)] - stretch(a, i) * a->k.z[i];
  double ratio, slope;
  r[0] += a->mu * a->k.z[0] * bend(&a->k, &ratio, &slope) - a->v;
}

/* E of a contact as the directions of its rows; returns E_nn */
static double write_rows(const modes_contact *t, const post *a, modes_block *b) {
  double r, slope, phi = bend(&a->k, &r, &slope), over = 1 / (1 - phi + r * slope);
  memset(b->row, 0, sizeof b->row);
  memset(b->impulse, 0, sizeof b->impulse);
  b->size = a->k.dim;
  for (int i = 0; i < b->size; i++) b->row[i][row_of(t, i)] = b->impulse[i][row_of(t, i)] = 1;
  b->row[0][row_of(t, 0)] = over;
  for (int i = 1; i < b->size; i++)
    b->row[0][row_of(t, i)] = r > 0 ? slope / r * a->mu * a->k.z[i] / a->k.z[0] * over : 0;
  return over;
}

/* G, and the right sides: back to the path, along tau */
static void write_sides(const modes_contact *t, const post *a, double nu, const double *r,
                        double over, modes_block *b) {
  double y[SIDE], g[SIDE];
  for (int side = 0; side < 2; side++) {
    modes_cone_aim(&a->k, nu, side == 0, side == 1, y);
    modes_cone_times(&a->k, y, g);
    for (int i = 0; i < b->size; i++) b->side[side][i] = stretch(a, i) * g[i];
  }
  for (int i = 0; i < b->size; i++)
    for (int j = 0; j < b->size; j++) {
      b->side[0][i] -= b->row[i][row_of(t, j)] * r[j];
      b->add[j][i] = stretch(a, i) * stretch(a, j) * modes_cone_square(&a->k, i, j);
    }
  if (a->y <= 0) return;
  b->add[0][0] += over * a->v / a->y;
  b->side[0][0] += over * (nu / a->y - a->v);
  b->side[1][0] += over * nu / a->y;
}

/* block[].x: 0 the way back to the path, 1 along tau; 0 when there is none */
static int linearise(path *z) {
  modes_work *w = z->w;
  const impact_modes *m = w->m;
  place(z);
  for (int c = 0; c < m->nc; c++) {
    const modes_contact *t = &w->contact[c];
    modes_block *b = &z->block[c];
    double r[SIDE] = {0, 0, 0};
    modes_cone_scale(&z->at[c].k);
    left_over(z, c, r);
    write_sides(t, &z->at[c], exp(z->tau), r, write_rows(t, &z->at[c], b), b);
    for (int i = 0; i < b->size; i++) {
      size_t row = (size_t)(t->t + row_of(t, i));
      b->scale[i] = 1 / sqrt(m->W[row * (size_t)m->rows + row] + b->add[i][i]);
    }
  }
  return modes_blocks_solve(w, z->block, 2) > 0;
}

/* ---- steps ---- */

/* dx, dz, dy, dv for f0 times the way back and f1 along tau */
static void change(const path *z, int c, double f0, double f1) {
  post *a = &z->at[c];
  const modes_block *b = &z->block[c];
  double nu = exp(z->tau), y[SIDE], h[SIDE];
  for (int i = 0; i < b->size; i++) a->dx[i] = stretch(a, i) * (f0 * b->x[0][i] + f1 * b->x[1][i]);
  modes_cone_aim(&a->k, nu, f0, f1, y);
  modes_cone_times(&a->k, a->dx, h);
  for (int i = 0; i < b->size; i++) y[i] -= h[i];
  modes_cone_times(&a->k, y, a->dz);
  a->dy = a->dv = 0;
  if (a->y <= 0) return;
  a->dy = a->dx[0] / stretch(a, 0);
  a->dv = (f0 + f1) * nu / a->y - f0 * a->v - a->v / a->y * a->dy;
}

/* largest change of x or z of a contact, relative to them; and |dx|^2 in its metric */
static double relative(const post *a, double nu, double *square) {
  double h[SIDE], g[SIDE], most;
  modes_cone_times(&a->k, a->dx, h);
  modes_cone_over(&a->k, a->dz, g);
  *square = modes_cone_dot(a->k.dim, h, h) / nu;
  most = fmax(sqrt(*square), sqrt(modes_cone_dot(a->k.dim, g, g) / nu));
  return a->y > 0 ? fmax(most, fmax(fabs(a->dy / a->y), fabs(a->dv / a->v))) : most;
}

/* the tangent, into c and t_tau; returns the largest relative change for each unit of length */
static double tangent(path *z) {
  double nu = exp(z->tau), norm = 1, most = 1, square, h[SIDE], g[SIDE];
  for (int c = 0; c < z->w->m->nc; c++) {
    post *a = &z->at[c];
    change(z, c, 0, 1);
    most = fmax(most, relative(a, nu, &square));
    norm += square;
    modes_cone_times(&a->k, a->dx, h);
    modes_cone_times(&a->k, h, g);
    for (int i = 0; i < a->k.dim; i++) a->c[i] = g[i] / nu;
  }
  z->t_tau = -z->w->sign / sqrt(norm);
  for (int c = 0; c < z->w->m->nc; c++)
    for (int i = 0; i < SIDE; i++) z->at[c].c[i] *= z->t_tau;
  return most / sqrt(norm);
}

/* how much of tau brings one back to the path at right angles to the tangent */
static double back_along(const path *z) {
  double back = 0, along = z->t_tau;
  for (int c = 0; c < z->w->m->nc; c++) {
    const post *a = &z->at[c];
    change(z, c, 1, 0), back += modes_cone_dot(a->k.dim, a->c, a->dx);
    change(z, c, 0, 1), along += modes_cone_dot(a->k.dim, a->c, a->dx);
  }
  return -back / along;
}

/* the point seen anew: z->back, z->off */
static void look(path *z) {
  double nu = exp(z->tau), square;
  z->off = linearise(z) ? 0 : NAN;
  z->back = z->t_tau != 0 ? back_along(z) : 0;
  for (int c = 0; c < z->w->m->nc; c++) {
    change(z, c, 1, z->back);
    double off = relative(&z->at[c], nu, &square);
    z->off = z->off >= off ? z->off : off; /* a NaN wins */
  }
}

/* back to the path and f1 along tau, as far as that stays inside */
static void advance(path *z, double f1) {
  double a = 1;
  for (int c = 0; c < z->w->m->nc; c++) {
    const post *k = &z->at[c];
    change(z, c, 1, f1);
    a = fmin(a, INSIDE * modes_cone_reach(k->k.dim, k->k.x, k->dx));
    a = fmin(a, INSIDE * modes_cone_reach(k->k.dim, k->k.z, k->dz));
    if (k->dy < 0) a = fmin(a, -INSIDE * k->y / k->dy);
    if (k->dv < 0) a = fmin(a, -INSIDE * k->v / k->dv);
  }
  for (int c = 0; c < z->w->m->nc; c++) {
    post *k = &z->at[c];
    for (int i = 0; i < k->k.dim; i++) k->k.x[i] += a * k->dx[i], k->k.z[i] += a * k->dz[i];
    k->y += a * k->dy, k->v += a * k->dv;
  }
  z->tau += a * f1;
}

/* 1: keep the point; 0: go back to what was kept */
static void keep(path *z, int to) {
  for (int c = 0; c < z->w->m->nc; c++) {
    post *a = &z->at[c];
    if (to)
      a->kept = a->k, a->y_kept = a->y, a->v_kept = a->v;
    else
      a->k = a->kept, a->y = a->y_kept, a->v = a->v_kept;
  }
  if (to)
    z->tau_kept = z->tau;
  else
    z->tau = z->tau_kept;
}

/* ---- the walk ---- */

static int take_memory(modes_work *w, path *z) {
  size_t nc = (size_t)w->m->nc;
  z->at = core_scratch_bytes(w->s, (nc + 1) * sizeof *z->at);
  z->block = core_scratch_bytes(w->s, (nc + 1) * sizeof *z->block);
  z->p = core_scratch_doubles(w->s, (size_t)w->m->rows + 1);
  return z->at && z->block && z->p;
}

/* every contact pressed alike, without slip: nu large */
static void begin(path *z) {
  modes_work *w = z->w;
  double fast = 0, size = w->size_b;
  for (int i = 0; i < w->m->rows; i++) fast = fmax(fast, fabs(w->m->b[i]));
  for (int c = 0; c < w->m->nc; c++) size = fmax(size, w->contact[c].low);
  if (!(size > 0)) size = fast = 1;
  memset(z->at, 0, (size_t)w->m->nc * sizeof *z->at);
  for (int c = 0; c < w->m->nc; c++) {
    post *a = &z->at[c];
    const modes_contact *t = &w->contact[c];
    a->mu = fmin(t->mu, MOST_PATH_MU);
    a->k.dim = a->mu > 0 ? t->n - t->t + 1 : 1;
    if (a->k.dim == 1) a->shift = t->low;
    if (a->k.dim > 1 && t->low > 0) a->y = size, a->v = fast;
    a->k.x[0] = stretch(a, 0) * (a->y > 0 ? size + t->low : size);
    a->k.z[0] = fast / stretch(a, 0);
  }
  z->tau = log(size * fast);
  z->limit = WIDE, z->tried = 1, z->t_tau = 0;
}

/* Newton from here, each time the residual has fallen to a fourth; 1: that was it */
static int try_newton(path *z, core_status *status) {
  modes_work *w = z->w;
  size_t bytes = (size_t)w->m->rows * sizeof *z->p;
  modes_look(w, w->p, w->u);
  if (!(w->residual < TOL_PATH && w->residual < z->tried / 4)) return 0;
  z->tried = w->residual;
  memcpy(z->p, w->p, bytes);
  *status = modes_newton(w, FINISH, 0);
  if (*status || w->residual <= fmax(IMPACT_MODES_PROMISE, impact_modes_asked(w->m))) return 1;
  memcpy(w->p, z->p, bytes);
  return 0;
}

/* at a point near enough to the path: along it, with steps as long as they are easy */
static void step_on(path *z, int corrections) {
  if (corrections == 0 && z->off < EASY * z->wide) z->limit = fmin(FAR, 1.5 * z->limit);
  if (corrections > 1) z->limit /= 1.5;
  keep(z, 1);
}

/* to the path at the nu one begins with */
static int find_path(path *z) {
  look(z);
  for (int i = 1; i < START && !(z->off < z->wide) && !core_interrupted(); i++)
    advance(z, 0), look(z);
  return z->off < z->wide;
}

/* follows the path from its beginning; 1 when an answer was found */
static int follow(path *z, int systems, core_status *status) {
  if (!find_path(z)) return 0;
  for (int i = 0, corrections = 0; i < systems && z->limit > LEAST; i++) {
    double length = 0;
    if (core_interrupted()) *status = CORE_INTERRUPTED;
    int near = z->off < z->wide, lost = !near && (++corrections > CORRECTIONS || z->off != z->off);
    if (*status || (near && try_newton(z, status))) return 1;
    if (near) step_on(z, corrections);
    if (lost) keep(z, 0), z->limit /= 3, look(z), i++;
    if (near || lost) length = z->limit / tangent(z), z->back = back_along(z), corrections = 0;
    advance(z, z->back + length * z->t_tau);
    look(z);
  }
  return 0;
}

core_status modes_path(modes_work *w, int from, int to, int systems) {
  path z = {.w = w, .wide = WIDE};
  core_status status = CORE_OK;
  if (!take_memory(w, &z)) return CORE_NO_MEMORY;
  for (int i = 0; i < to; i++, z.wide *= TIGHTER) {
    if (i < from) continue;
    begin(&z);
    if (follow(&z, systems, &status)) break;
  }
  return status;
}
