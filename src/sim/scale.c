/* Scales of a run: what is large and what is small, from the model and its state at the start.
 *
 *   length   max over the contacts of |gap| and |J_n q|; when that is nothing beside how far their
 *            speeds take them, that: v^2/2a or v t, but no more than is still told apart from them
 *            (length_of); at rest at 0, a t^2; t is the length of the run
 *   time     min of length/v and sqrt(length/a); v, a: speeds and accelerations of the contacts;
 *            when these take them nowhere in the whole run (rounding of a rest), t
 *   energy   length^2/time^2 / W_nn, with the contact that is hardest to move
 *   reach    max |J_rj|: metres that a contact moves by one unit of speed j per second; 1 for
 * places, an arm's length for angles. length/reach_j is the scale of coordinate j.
 *
 * A stop of a hinge has its gap in rad, beside points and stops of slides whose gaps are in metres.
 * The mass matrix knows what a radian is worth: 1/W is in kg for the one and in kg m^2 for the
 * other, and sqrt(W_stop/W_nn) radians go with one metre (`per`), with the contact in metres that
 * is moved most easily. Lengths and speeds above are those of contacts, divided by that. Where all
 * are in rad, `length` is in rad.
 *
 * All of them follow from rows of J, so that a change of units changes them as it must, whatever
 * the coordinates are.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "model/mechanism.h"
#include "sim/motion.h"

enum { LOOKS = 256 }; /* contacts that are looked at, of many every so-and-so-manieth */

/* sums over the contacts that are looked at */
typedef struct seen {
  double length, v, a, mass;
} seen;

/* |J_r x| without cancellation, for the rows of one contact, the largest; `of`: which number of x
 * goes with column j, NULL for j */
static double largest_row(const impact_setup *setup, int first, const double *x, const int *of,
                          int n) {
  double largest = 0;
  for (int r = first; r < setup->problem.rows; r++) {
    double sum = 0;
    for (int j = 0; j < n; j++)
      sum += fabs(setup->J[j * setup->problem.rows + r] * x[of ? of[j] : j]);
    largest = fmax(largest, sum);
  }
  return largest;
}

/* ---- coordinates and speeds ---- */

/* Coordinates and speeds stand in one order. A place or an angle is the integral of its speed
 * alone; what is not belongs to a quaternion, whose four numbers go with three speeds. */
static core_status match_coordinates(sim_motion *f) {
  core_mark mark = core_scratch_mark(f->s);
  int *of = f->scale.of, nu = f->nu, i = 0;
  double *e = core_scratch_doubles(f->s, (size_t)(nu + f->nq)), *qdot = e + nu;
  core_status status = e ? CORE_OK : CORE_NO_MEMORY;
  if (e) memset(e, 0, (size_t)nu * sizeof *e);
  for (int j = 0; j < nu && !status;) {
    e[j] = 1;
    status = model_rates(f->m, f->m->q, e, qdot);
    e[j] = 0;
    int turns = qdot[i] != 1;
    for (int k = 0; k < (turns ? 3 : 1) && j < nu; k++) of[j++] = i++;
    i += turns;
  }
  core_scratch_release(f->s, mark);
  return status;
}

/* the last of a quaternion goes with the one before it */
static int speed_of(const sim_motion *f, int coordinate) {
  int j = coordinate < f->nu ? coordinate : f->nu - 1;
  while (f->scale.of[j] > coordinate) j--;
  return j;
}

/* ---- contacts ---- */

/* W of the normal of contact c, in scratch with the rest of its rows */
static core_status assemble(sim_motion *f, int c, impact_setup *setup, double *w) {
  core_status status = impact_assemble(f->m, f->m->q, f->m->u, 1, &c, f->s, setup, f->err);
  int rows = status ? 0 : setup->problem.rows;
  *w = status ? 0 : setup->problem.W[rows * rows - 1];
  return status;
}

/* 1 when the gap of contact c is no length: a stop of a hinge, or of a model that does not say */
static int turns(const model *m, int c) {
  if (mechanism_of(m)) return mechanism_contact_turns(m, c);
  return m->shape.first && model_rows_of(&m->shape, c) == 1;
}

/* radians beside metres: see above */
static core_status set_units(sim_motion *f) {
  double metres = 0, w;
  int some = 0;
  core_status status = CORE_OK;
  for (int c = 0; c < f->nc; c++) f->scale.per[c] = 1, some |= turns(f->m, c);
  for (int angles = 0; angles < 2 && some && (!angles || metres > 0); angles++)
    for (int c = 0; c < f->nc && !status; c++) {
      if (turns(f->m, c) != angles) continue;
      core_mark mark = core_scratch_mark(f->s);
      impact_setup setup;
      status = assemble(f, c, &setup, &w);
      if (!status && !angles) metres = fmax(metres, w);
      if (!status && angles && w > 0) f->scale.per[c] = sqrt(w / metres);
      core_scratch_release(f->s, mark);
    }
  return status;
}

static core_status look_at(sim_motion *f, int c, const double *udot, seen *s) {
  const model *m = f->m;
  impact_setup setup;
  core_mark mark = core_scratch_mark(f->s);
  double w, unit = 1 / f->scale.per[c];
  core_status status = assemble(f, c, &setup, &w);
  int rows = status ? 0 : setup.problem.rows, last = rows - 1;
  for (int j = 0; j < f->nu && !status; j++)
    for (int r = 0; r < rows; r++)
      f->scale.reach[j] = fmax(f->scale.reach[j], unit * fabs(setup.J[j * rows + r]));
  if (!status) {
    double far = fmax(fabs(f->gap[c]), largest_row(&setup, last, m->q, f->scale.of, f->nu));
    s->length = fmax(s->length, unit * far);
    s->v = fmax(s->v, unit * largest_row(&setup, 0, m->u, NULL, f->nu));
    s->a = fmax(s->a, unit * largest_row(&setup, 0, udot, NULL, f->nu));
    if (w > 0) s->mass = fmax(s->mass, 1 / (w * unit * unit));
  }
  core_scratch_release(f->s, mark);
  return status;
}

/* how far contacts move by their speeds, in a run of length t */
static double way(const seen *s, double t) {
  return s->a > 0 ? fmin(s->v * s->v / (2 * s->a), s->v * t) : s->v * t;
}

/* Where gaps and places are nothing beside the way: that, but they stay well above what touches,
 * unless they are rounding of it. With 1e9 s a particle half a metre before a wall touched it. */
static double length_of(const seen *s, double far) {
  if (s->length >= SIM_NOTHING * far) return s->length;
  return s->length > SIM_ROUNDED_AWAY * far ? fmin(far, s->length / SIM_NOTHING) : far;
}

static void set_scale(sim_scale *to, const seen *s, double t) {
  double far = way(s, t), most = fmax(s->length, far), falls = s->a * t * t;
  to->length = length_of(s, far);
  if (!(most > 0)) to->length = falls > 0 ? falls : 1;
  to->time =
      fmin(s->v > 0 ? to->length / s->v : INFINITY, s->a > 0 ? sqrt(to->length / s->a) : INFINITY);
  int still = s->v * t + falls <= SIM_STILL * DBL_EPSILON * to->length;
  if (!isfinite(to->time) || (still && t > 0)) to->time = t > 0 ? t : 1;
  to->speed = to->length / to->time;
  to->energy = (s->mass > 0 ? s->mass : 1) * to->speed * to->speed;
}

/* sqrt(M_jj) */
static core_status root_mass(sim_motion *f, int j, double *root) {
  core_mark mark = core_scratch_mark(f->s);
  double energy = 0, *u = core_scratch_doubles(f->s, (size_t)f->nu);
  if (!u) return CORE_NO_MEMORY;
  memset(u, 0, (size_t)f->nu * sizeof *u);
  u[j] = 1;
  core_status status = model_kinetic(f->m, f->m->q, u, f->s, &energy); /* M_jj/2 */
  *root = energy > 0 ? sqrt(2 * energy) : 0;
  core_scratch_release(f->s, mark);
  return status;
}

/* |J_j|/sqrt(M_jj), the same whatever units coordinate j has */
static core_status felt(sim_motion *f, int j, double *x) {
  double root = 0;
  core_status status = root_mass(f, j, &root);
  *x = root > 0 ? f->scale.reach[j] / root : INFINITY;
  return status;
}

/* A J that the user gives may hold rounding where it should hold zero (cos(pi/2)): no contact feels
 * such a coordinate. Only columns far below the largest are looked at. */
static core_status forget_rounding(sim_motion *f) {
  double *reach = f->scale.reach, most, here;
  int largest = 0;
  for (int j = 1; j < f->nu; j++)
    if (reach[j] > reach[largest]) largest = j;
  core_status status = felt(f, largest, &most);
  for (int j = 0; j < f->nu && !status; j++) {
    if (reach[j] == 0 || reach[j] > SIM_UNFELT * reach[largest]) continue;
    status = felt(f, j, &here);
    if (!status && here <= SIM_UNFELT * most) reach[j] = 0;
  }
  return status;
}

core_status sim_set_scale(sim_motion *f) {
  const model *m = f->m;
  seen s = {0};
  double power, t = fabs(f->o->t_end - f->o->t_start);
  int step = f->nc / LOOKS + 1;
  core_status status = sim_free_acceleration(f, f->o->t_start, m->q, m->u, f->udot, &power);
  if (!status) status = match_coordinates(f);
  if (!status) status = set_units(f);
  for (int c = 0; c < f->nc && !status; c += step) status = look_at(f, c, f->udot, &s);
  if (!status) status = forget_rounding(f);
  if (!status) set_scale(&f->scale, &s, t);
  return status;
}

/* how far speed k takes its coordinate in the time of the run's scales */
static double motion_of(const sim_motion *f, int k) {
  double T = f->scale.time;
  return fmax(fabs(f->m->u[k]) * T, fabs(f->udot[k]) * T * T);
}

/* Motions of coordinates that no contact feels, each as its kinetic energy weighs it: root =
 * M_kk^1/2 of each, and the largest root * motion. A coordinate that starts with next to none is
 * moved by the others: what is SIM_SHARED of theirs is small for it too. */
static core_status weigh(sim_motion *f, double *root, double *most) {
  core_status status = CORE_OK;
  *most = 0;
  for (int k = 0; k < f->nu && !status; k++) {
    root[k] = 0;
    if (f->scale.reach[k] > 0) continue;
    status = root_mass(f, k, &root[k]);
    *most = fmax(*most, root[k] * motion_of(f, k));
  }
  return status;
}

/* of coordinate i, whose speed is k; one that no contact feels has its own size, or that of the
 * others, or none */
static double coordinate_scale(const sim_motion *f, int i, int k, const double *root, double most) {
  if (f->scale.reach[k] > 0) return f->scale.length / f->scale.reach[k];
  double own = fmax(fabs(f->m->q[i]), motion_of(f, k));
  if (root[k] > 0) own = fmax(own, SIM_SHARED * most / root[k]);
  return own > 0 ? own : 1;
}

core_status sim_set_tolerances(sim_motion *f, double *atol) {
  core_mark mark = core_scratch_mark(f->s);
  double given = f->o->atol, most = 0, *root = core_scratch_doubles(f->s, (size_t)f->nu + 1);
  core_status status = root ? weigh(f, root, &most) : CORE_NO_MEMORY;
  for (int j = 0; j < f->n && !status; j++) {
    int k = j - f->nq; /* of the last two numbers: none */
    double unit = f->scale.energy;
    if (j < f->nq)
      unit = coordinate_scale(f, j, speed_of(f, j), root, most);
    else if (k < f->nu)
      unit = coordinate_scale(f, f->scale.of[k], k, root, most) / f->scale.time;
    atol[j] = isnan(given) ? SIM_ATOL * unit : given;
  }
  core_scratch_release(f->s, mark);
  return status;
}

double sim_size(const sim_motion *f, const double *q) {
  double size = f->scale.length;
  for (int j = 0; j < f->nu; j++) size = fmax(size, f->scale.reach[j] * fabs(q[f->scale.of[j]]));
  return size;
}
