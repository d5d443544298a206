/* A linear phase that lasts: its modes, and how far they can skip.
 *
 * The deflections u that drive the forces obey u'' = -A u, A = B K on their rows. With
 * S = K^1/2 B K^1/2 = X diag(w^2) Y, Y = X^-1, and q = Y K^1/2 u
 *
 *   q_i'' = -w_i^2 q_i,  v = v(0) - G (int q),  y = y(0) + v(0) t - G (int int q),  G = B K^1/2 X
 *
 * exact over any time. Where no contact slips S is symmetric, Y = X^T. Where one does some w^2 may
 * be negative (what presses itself in), and modes may come in pairs, q'' = -[a b; c d] q (flutter):
 * such are power series, and no step is longer than these reach. Where modes are hardly independent
 * there are none here, and the phase is walked step by step.
 *
 * Over a length h modes with w h <= 2 are power series; a faster one carries each row by its drift
 * and swings by at most its amplitude about that. So every event function is at least its series
 * less the sum of the fast amplitudes, and nothing happens before the first root of that. Where the
 * bound says nothing the length is quartered, down to that of an ordinary step, which is exact.
 * Cost then follows what happens and not the fastest mode (a contact with e = 1e-6 that others
 * press is 1e6 times as fast as they are).
 */
#include <string.h>

#include "impact/laws/compliant/fast/inside.h"

/* a phase gets its modes after so many steps, where these are not exact to rounding looser ones
 * when the steps so far are rounded by as much, and after a skip that failed so many pass before
 * the next try; rod of two contacts, e = 1e-5: 158 ms without, below 1 ms with */
enum { STEPS_BEFORE_MODES = 12, STEPS_BEFORE_RETRY = 6, STEPS_BEFORE_LOOSE = 120 };

/* ---- the modes now ---- */

/* q and q' of the state now */
static void project(compliant *z) {
  compliant_modes *o = &z->fast->modes;
  const compliant_phase *f = &z->phase;
  for (int i = 0; i < f->m; i++) {
    o->q[i] = o->rate[i] = 0;
    for (int j = 0; j < f->m; j++) {
      double by = sqrt(f->stiff[j]) * o->Y[j * f->m + i];
      o->q[i] += by * z->y[f->row[j]];
      o->rate[i] += by * z->v[f->row[j]];
    }
  }
}

/* ---- the series of a long step ---- */

/* coefficients of q over h: q, q' h, -w^2 h^2 q / 2, ... */
static void expand(const compliant_modes *o, int i, double h, double *c) {
  int k = o->other[i];
  double own = o->w[i] > 0 ? -o->square[i] * h * h : 0, d[LENGTH];
  c[0] = o->q[i], c[1] = o->rate[i] * h;
  d[0] = o->q[k], d[1] = o->rate[k] * h;
  double beside = k != i ? -o->beside[i] * h * h : 0;
  double back = k != i ? -o->beside[k] * h * h : 0, its = -o->square[k] * h * h;
  for (int j = 2; j < LENGTH; j++) {
    double by = j * (j - 1);
    c[j] = (own * c[j - 2] + beside * d[j - 2]) / by;
    d[j] = (its * d[j - 2] + back * c[j - 2]) / by;
  }
}

/* Rows that drive forces are u = K^-1/2 X q. There y(0) + v(0) t less integrals would be the
 * rounding of v times t, which in a long time is more than all that a stiff spring gives way by:
 * it opened by rounding, and rods came 1e-3 of their speeds off. */
static double shape(const compliant *z, int i, int force) {
  return z->fast->modes.X[i * z->phase.m + force] / sqrt(z->phase.stiff[force]);
}

static void drive_slowly(compliant *z, int i, double h, const double *c) {
  const compliant_phase *f = &z->phase;
  compliant_series *s = &z->series;
  for (int k = 0; k < f->m; k++) {
    double by = shape(z, i, k), per_time = by / h;
    double *y = s->y + f->row[k], *v = s->v + f->row[k];
    for (int j = 0; j <= N; j++, y += z->rows) *y += by * c[j];
    for (int j = 0; j < N; j++, v += z->rows) *v += per_time * (j + 1) * c[j + 1];
  }
}

/* adds a slow mode; to rows that drive nothing by Z = int int q, which has the coefficients
 * q h^2/2, q' h^3/6, -w^2 h^2 / ... */
static void add_slow(compliant *z, int i, double h) {
  compliant_modes *o = &z->fast->modes;
  compliant_series *s = &z->series;
  int rows = z->rows;
  double c[LENGTH];
  expand(o, i, h, c);
  drive_slowly(z, i, h, c);
  const double *G = o->G + i * rows, *H = o->H + i * z->nc;
  for (int j = 0; j < N && o->driven < rows; j++) {
    double single = c[j] * h / (j + 1), twice = single * h / (j + 2);
    for (int l = 0; l < rows - o->driven; l++) {
      int r = o->driving_none[l];
      s->v[(j + 1) * rows + r] -= G[r] * single;
      if (j + 2 <= N) s->y[(j + 2) * rows + r] -= G[r] * twice;
    }
  }
  for (int j = 0; z->phase.held && j <= N; j++)
    for (int k = 0; k < z->nc; k++) s->held[j * z->nc + k] -= H[k] * c[j];
}

static void add_fast(compliant *z, int i, double h) {
  compliant_modes *o = &z->fast->modes;
  compliant_series *s = &z->series;
  double w = o->w[i], size = hypot(o->q[i], o->rate[i] / w), w2 = w * w;
  for (int k = 0; k < z->phase.m; k++) {
    int r = z->phase.row[k];
    double most = fabs(shape(z, i, k)) * size;
    o->swing_y[r] += most;
    o->swing_v[r] += most * w;
  }
  for (int l = 0; l < z->rows - o->driven; l++) {
    int r = o->driving_none[l];
    double G = o->G[i * z->rows + r];
    s->y[r] -= G * o->q[i] / w2;
    s->y[z->rows + r] -= G * o->rate[i] * h / w2;
    s->v[r] -= G * o->rate[i] / w2;
    o->swing_y[r] += fabs(G) * size / w2;
    o->swing_v[r] += fabs(G) * size / w;
  }
  for (int k = 0; z->phase.held && k < z->nc; k++)
    o->swing_held[k] += fabs(o->H[i * z->nc + k]) * size;
}

static void long_series(compliant *z, double h) {
  compliant_modes *o = &z->fast->modes;
  compliant_series *s = &z->series;
  size_t rows = (size_t)z->rows, nc = (size_t)z->nc;
  s->turning = s->uneven = 0;
  s->order = N;
  s->h = h;
  s->reach = 1;
  memset(s->y, 0, rows * LENGTH * sizeof *s->y);
  memset(s->v, 0, rows * LENGTH * sizeof *s->v);
  memset(s->held, 0, nc * LENGTH * sizeof *s->held);
  memset(o->swing_y, 0, rows * sizeof *o->swing_y);
  memset(o->swing_v, 0, rows * sizeof *o->swing_v);
  memset(o->swing_held, 0, nc * sizeof *o->swing_held);
  for (int l = 0; l < z->rows - o->driven; l++) {
    int r = o->driving_none[l];
    s->y[r] = z->y[r], s->v[r] = z->v[r], s->y[z->rows + r] = h * z->v[r];
  }
  for (int i = 0; i < z->phase.m; i++)
    (o->w[i] * h <= 2 || !fast_bounded(o, i) ? add_slow : add_fast)(z, i, h);
}

/* ---- the state later ---- */

/* the same by the series, which reaches as far */
static void series_integrals(const compliant_modes *o, int i, double t, double *single,
                             double *twice) {
  double c[LENGTH];
  expand(o, i, t, c);
  *single = *twice = 0;
  for (int j = N; j >= 0; j--)
    *single += c[j] * t / (j + 1), *twice += c[j] * t * t / ((j + 1) * (j + 2));
}

/* int q and int int q of mode i after t */
static void integrals(const compliant_modes *o, int i, double t, double *single, double *twice) {
  double w = o->w[i], a = o->q[i], b = o->rate[i];
  if (!fast_bounded(o, i)) {
    series_integrals(o, i, t, single, twice);
    return;
  }
  if (w == 0) {
    *single = (a + b * t / 2) * t;
    *twice = (a / 2 + b * t / 6) * t * t;
    return;
  }
  double s = sin(w * t), half = sin(w * t / 2), versed = 2 * half * half;
  *single = a * s / w + b * versed / (w * w);
  *twice = (a * versed + b * (t - s / w)) / (w * w);
}

/* q of mode i after t */
static double mode_at(const compliant_modes *o, int i, double t) {
  double w = o->w[i], c[LENGTH], sum = 0;
  if (fast_bounded(o, i))
    return w > 0 ? o->q[i] * cos(w * t) + o->rate[i] / w * sin(w * t) : o->q[i] + o->rate[i] * t;
  expand(o, i, t, c);
  for (int j = N; j >= 0; j--) sum += c[j];
  return sum;
}

static void deflect(compliant *z, double t) {
  const compliant_phase *f = &z->phase;
  for (int k = 0; k < f->m; k++) z->y[f->row[k]] = 0;
  for (int i = 0; i < f->m; i++) {
    double q = mode_at(&z->fast->modes, i, t);
    for (int k = 0; k < f->m; k++) z->y[f->row[k]] += shape(z, i, k) * q;
  }
}

/* What is missing from the energy friction has taken: over many swings no rule of Gauss would tell.
 */
static void move(compliant *z, double t) {
  compliant_modes *o = &z->fast->modes;
  int rows = z->rows;
  double before = o->slips ? compliant_energy(z) : 0;
  project(z);
  for (int r = 0; r < rows; r++) z->y[r] += t * z->v[r];
  for (int i = 0; i < z->phase.m; i++) {
    double single, twice;
    integrals(o, i, t, &single, &twice);
    for (int r = 0; r < rows; r++) {
      z->y[r] -= o->G[i * rows + r] * twice;
      z->v[r] -= o->G[i * rows + r] * single;
      z->p[r] -= o->P[i * rows + r] * single;
    }
  }
  z->time += t;
  deflect(z, t);
  compliant_slave_deflections(z, 0);
  if (o->slips) z->lost_friction += before - compliant_energy(z);
}

/* ---- what fast modes can take off event functions ---- */

int fast_swings(const compliant *z) {
  return z->fast && z->fast->modes.bounds;
}

double fast_swing_of_margin(const compliant *z, int i) {
  if (!fast_swings(z)) return 0;
  const compliant_contact *k = &z->c[i];
  const compliant_modes *o = &z->fast->modes;
  double force = k->touch == HELD ? o->swing_held[i] : k->k * o->swing_y[k->n], x = 0;
  for (int r = k->t; r < k->n; r++) x += o->swing_y[r];
  return k->mu / k->kt * force + x;
}

/* of a pressed contact; held ones are not skipped */
static double swing_of_slip(const compliant *z, const compliant_contact *k) {
  const double *v = z->fast->modes.swing_v;
  if (k->touch == HELD) return INFINITY;
  double sum = slip_mu(k) / k->kt * k->k * v[k->n];
  for (int t = 0; t < k->tangents; t++) sum += fabs(k->d[t]) * v[k->t + t];
  return sum;
}

static double swing_of(const compliant *z, int i, compliant_event what) {
  const compliant_contact *k = &z->c[i];
  const compliant_modes *o = &z->fast->modes;
  switch (what) {
    case E_SLIP: return k->tangents == 1 ? fast_swing_of_margin(z, i) : 0; /* squares have it */
    case E_STICK: return swing_of_slip(z, k);
    case E_TOP:
    case E_AGAIN: return o->swing_v[k->n];
    default: return k->touch == HELD ? o->swing_held[i] : o->swing_y[k->n];
  }
}

/* LENGTH: all coefficients are zero, and stay so when fast modes do nothing to them either */
int fast_lower(const compliant *z, int i, compliant_event what, int zero, double *c) {
  double off = swing_of(z, i, what);
  if (zero >= LENGTH && off <= z->v_rounding * core_max(1, z->series.h)) return zero;
  c[0] -= off;
  return 0;
}

/* ---- skipping ---- */

double fast_slowest(const compliant *z) {
  return z->fast && z->fast->modes.state == MODES_MADE ? z->fast->modes.slowest : 0;
}

void fast_begin_phase(compliant *z) {
  if (!z->fast) return;
  z->fast->modes.state = MODES_UNKNOWN;
  z->fast->modes.length = 0;
  z->fast->modes.next_try = STEPS_BEFORE_MODES;
}

/* contacts in restitution swing about v_n = 0 meanwhile: pressed again */
static void flag_reloads(compliant *z) {
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (k->touch == PRESSED && k->restituting && k->e < 1 &&
        z->fast->modes.swing_v[k->n] > fabs(z->v[k->n]))
      z->pressed_again = 1;
  }
}

static int all_linear(const compliant *z) {
  int rest = 0;
  for (int i = 0; i < z->nc; i++) rest |= compliant_at_rest(z, &z->c[i]);
  return !z->phase.turning && !rest && isinf(z->max_fixed_step);
}

/* Goes on by what can be skipped; 0 when an ordinary step is to be taken. `steps` counts those of
 * the phase so far. */
int fast_skip(compliant *z, long steps) {
  if (!z->fast || z->gone) return 0;
  compliant_modes *o = &z->fast->modes;
  if (steps < o->next_try || !all_linear(z)) return 0;
  if (o->state == MODES_UNKNOWN || (o->state == MODES_NONE && steps == STEPS_BEFORE_LOOSE))
    o->state = fast_find_modes(z, (double)steps / STEPS_BEFORE_MODES) ? MODES_MADE : MODES_NONE;
  if (o->state == MODES_NONE) return 0;
  double least = 4 / z->phase.omega;
  for (double h = core_min(core_max(o->length, least * 4), o->longest); h > least; h /= 4) {
    project(z);
    long_series(z, h);
    o->bounds = 1;
    double s = compliant_watch(z, 0);
    o->bounds = 0;
    if (z->n_found && s * h < least) continue;
    z->n_found = 0;
    flag_reloads(z);
    compliant_sample_ahead(z, s * h, move);
    move(z, s * h);
    o->length = s < 1 ? h / 4 : h * 4;
    return 1;
  }
  o->length = 0;
  o->next_try = steps + STEPS_BEFORE_RETRY;
  return 0;
}
