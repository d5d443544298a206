/* A stretch of many cycles at once: collocation of Y(k + 1) - Y(k) = g(Y(k)), see cycles.c. */
#include <string.h>

#include "impact/laws/compliant/cycle.h"

enum { M = CYCLE_NODES, FEW_SWEEPS = 3, MOST_SWEEPS = 10, MOST_SIZE = CYCLE_NODES * CYCLE_LIVE };

/* of its length squared: a phase of the cycle that has settled */
static const double UNSETTLED = 0.01;

/* of the change before: sweeps that do so end, though some large change is not the last but one
 * (speed only) */
static const double DIVERGES = 10;

/* ---- what counts ---- */

static const compliant_contact *contact_of(const compliant *z, cycle_slot s) {
  const compliant_contact *k = z->cycles->c;
  if (s.what != CYCLE_Y && s.what != CYCLE_V) return k + s.index;
  while (s.index > k->n) k++;
  return k;
}

static double at_start(const compliant_cycles *o, cycle_slot s) {
  switch (s.what) {
    case CYCLE_Y: return o->y[s.index];
    case CYCLE_V: return o->v[s.index];
    case CYCLE_TOP: return o->c[s.index].top;
    default: return o->c[s.index].from;
  }
}

/* A deflection that is off by y makes a velocity be off by y sqrt(k w) */
static double weight_of(const compliant *z, cycle_slot s) {
  const compliant_contact *k = contact_of(z, s);
  if (s.what == CYCLE_V) return 1 / (z->speed * z->loose);
  if (s.what != CYCLE_Y) return 0;
  double w = z->W[(size_t)s.index * (size_t)(z->rows + 1)];
  return sqrt((s.index == k->n ? k->k : k->kt) * w) / (z->speed * z->loose);
}

/* change of number r when c is off by 1, at the same time and not at the same place of the cycle */
static double at_same_time(const cycle_stretch *x, int c, int r) {
  return x->J[c * x->live + r] - x->start.state[r] / x->start.sum[x->time] * x->J_time[c];
}

/* what a fast number does to slow ones where it stays off for LASTING stretches */
static void weigh(const compliant *z, cycle_stretch *x) {
  static const double LASTING = 4;
  const compliant_cycles *o = z->cycles;
  for (int c = 0; c < x->live; c++) {
    x->weight[c] = weight_of(z, o->slot[c]);
    x->noise[c] = 0;
  }
  for (int c = 0; c < x->live; c++) {
    if (!o->slot[c].fast) continue;
    double most = 0, now = at_start(o, o->slot[c]);
    for (int r = 0; r < x->live; r++)
      if (!o->slot[r].fast) most = core_max(most, fabs(at_same_time(x, c, r)) * x->weight[r]);
    x->weight[c] = core_max(x->weight[c], LASTING * x->rule.count * most);
    x->noise[c] = 4 * DBL_EPSILON * fabs(now);
  }
}

/* the size of each number: a spring on k/e^2 gives way by 1e-19 where others do by 1 */
static void find_sizes(const compliant *z, cycle_stretch *x) {
  for (int l = 0; l < x->live; l++) {
    double now = at_start(z->cycles, z->cycles->slot[l]);
    x->size[l] = core_max(fabs(now), x->rule.count * fabs(x->start.state[l]));
    if (x->size[l] == 0) x->size[l] = 1;
  }
}

/* the largest of what is off, beyond rounding over all the cycles */
static double measure(const cycle_stretch *x, const double *off, double least) {
  double most = 0;
  for (int l = 0; l < x->live; l++) {
    double over = fabs(off[l]) - x->rule.count * x->noise[l];
    most = core_max(most, over * x->weight[l] / least);
  }
  return most;
}

/* What the polynomial says of the first cycle less what that really changes, for all of them; not
 * what only comes later or sooner. */
static double missed(const cycle_stretch *x) {
  double off[CYCLE_LIVE], late = x->start.sum[x->time];
  for (int j = 0; j < M; j++) late -= x->rule.back[j] * x->at[j].sum[x->time];
  for (int l = 0; l < x->live; l++) {
    off[l] = x->start.state[l] * (1 - late / x->start.sum[x->time]);
    for (int j = 0; j < M; j++) off[l] -= x->rule.back[j] * x->at[j].state[l];
    off[l] *= x->rule.count;
  }
  return measure(x, off, TOL_CYCLE);
}

/* ---- Newton's steps ---- */

/* D - J at all nodes together, in units of the numbers of the state */
static void assemble(const cycle_stretch *x, double *A) {
  int n = x->live, size = M * n;
  memset(A, 0, (size_t)(size * size) * sizeof *A);
  for (int j = 0; j < M; j++)
    for (int i = 0; i < M; i++)
      for (int l = 0; l < n; l++) A[(j * n + l) * size + i * n + l] = x->rule.D[j * M + i];
  for (int i = 0; i < M; i++)
    for (int c = 0; c < n; c++)
      for (int r = 0; r < n; r++)
        A[(i * n + c) * size + i * n + r] -= x->J_at[i][c * n + r] * x->size[c] / x->size[r];
}

static void swap_rows(int size, double *A, int k, int l) {
  for (int j = 0; j < size && k != l; j++) {
    double swap = A[j * size + k];
    A[j * size + k] = A[j * size + l], A[j * size + l] = swap;
  }
}

/* the factors of A, whose rows are swapped as `pivot` says */
CORE_WIDE static void factor(int size, double *A, int *pivot) {
  for (int k = 0; k < size; k++) {
    double *restrict a = A + k * size;
    int best = k;
    for (int i = k + 1; i < size; i++)
      if (fabs(a[i]) > fabs(a[best])) best = i;
    pivot[k] = best;
    swap_rows(size, A, k, best);
    for (int i = k + 1; i < size; i++) a[i] /= a[k];
    for (int j = k + 1; j < size; j++) {
      double *restrict b = A + j * size, f = b[k];
      for (int i = k + 1; i < size && f != 0; i++) b[i] -= a[i] * f;
    }
  }
}

static void substitute(int size, const double *A, const int *pivot, double *b) {
  for (int k = 0; k < size; k++) {
    double swap = b[k];
    b[k] = b[pivot[k]], b[pivot[k]] = swap;
  }
  for (int k = 0; k < size; k++)
    for (int i = k + 1; i < size; i++) b[i] -= A[k * size + i] * b[k];
  for (int k = size - 1; k >= 0; k--) {
    b[k] /= A[k * size + k];
    for (int i = 0; i < k; i++) b[i] -= A[k * size + i] * b[k];
  }
}

/* U += (D - J)^-1 (g(U) - D U); from U = 0 and g of the start the first guess. Returns the change.
 */
static double newton(cycle_stretch *x, double *A, double *b) {
  int n = x->live, pivot[MOST_SIZE];
  double change = 0;
  assemble(x, A);
  factor(M * n, A, pivot);
  for (int i = 0; i < M; i++)
    for (int l = 0; l < n; l++) {
      b[i * n + l] = x->at[i].state[l];
      for (int j = 0; j < M; j++) b[i * n + l] -= x->rule.D[j * M + i] * x->U[j * n + l];
      b[i * n + l] /= x->size[l];
    }
  substitute(M * n, A, pivot, b);
  for (int i = 0; i < M * n; i++) x->U[i] += b[i] *= x->size[i % n];
  for (int i = 0; i < M; i++) change = core_max(change, measure(x, b + i * n, TOL_CYCLE_NEWTON));
  return isfinite(change) ? change : INFINITY;
}

/* -1: there are more, or none */
static int only_fast(const compliant_cycles *o, int n) {
  int only = -1, count = 0;
  for (int l = 0; l < n; l++)
    if (o->slot[l].fast) only = l, count++;
  return count == 1 ? only : -1;
}

/* Along what J changes: the direction that the only fast number notices (its row of J), since the
 * lengths of its phases are powers of that; dU where it goes mostly across. Returns along.dU. */
static double direction(const compliant *z, const cycle_stretch *x, const double *dU,
                        double *along) {
  static const double ACROSS = 0.5;
  int n = x->live, fast = only_fast(z->cycles, n);
  double sum = 0, all = 0;
  for (int c = 0; c < n && fast >= 0; c++) {
    along[c] = x->J[c * n + fast];
    sum += along[c] * dU[c], all += fabs(along[c] * dU[c]);
  }
  if (fabs(sum) > ACROSS * all) return sum;
  sum = 0;
  for (int c = 0; c < n; c++) {
    along[c] = dU[c] * x->weight[c] * x->weight[c];
    sum += along[c] * dU[c];
  }
  return sum;
}

/* Broyden: J changes along one direction alone, so that it tells dg */
static void improve(const compliant *z, cycle_stretch *x, int node, const double *dU,
                    const double *dg) {
  int n = x->live;
  double *J = x->J_at[node], along[CYCLE_LIVE] = {0};
  double size = direction(z, x, dU, along);
  if (size == 0) return;
  for (int r = 0; r < n; r++) {
    double off = dg[r];
    for (int c = 0; c < n; c++) off -= J[c * n + r] * dU[c];
    for (int c = 0; c < n; c++) J[c * n + r] += off * along[c] / size;
  }
}

/* most of what a margin changes by in one sweep, in itself: also what nobody notices is to settle,
 * or it takes as many stretches to do so */
static double unsettled(const compliant_cycles *o, const cycle_step *a, const cycle_step *b) {
  double most = 0;
  for (int i = 0; i < o->length; i++)
    most = core_max(most, fabs(a->margin[i] - b->margin[i]) / b->margin[i]);
  return most;
}

/* the cycles at all nodes, and what they tell of J since they were at U less `change` */
static int all_nodes(compliant *z, cycle_stretch *x, const double *change, core_status *status) {
  int n = x->live;
  double dg[CYCLE_LIVE];
  x->unsettled = 0;
  for (int i = 0; i < M; i++) {
    cycle_step before = x->at[i];
    if (!cycle_walk(z, x->U + i * n, &x->at[i], status)) return 0;
    for (int l = 0; l < n; l++) dg[l] = x->at[i].state[l] - before.state[l];
    if (x->sweeps > 1 || !x->has_path) improve(z, x, i, change + i * n, dg);
    x->unsettled = core_max(x->unsettled, unsettled(z->cycles, &before, &x->at[i]));
    x->reached = i + 1;
  }
  return 1;
}

/* ---- the first guess ---- */

/* A contact on k/e^2 that hardly sticks in each period follows the slow motion of the others, and a
 * guess that is off by what it sticks has other events. So where a stretch has just been its path
 * is continued: the cubic through every second of its nodes (all of them would make 1e9 of what
 * rounding leaves). */
enum { PATH = 4 };

/* weights of the nodes of the last stretch at cycle `at` of this one */
static void weights_of_path(const cycle_stretch *x, double at, double *weight) {
  for (int j = 0; j < PATH; j++) {
    weight[j] = 1;
    for (int l = 0; l < PATH; l++)
      if (l != j) weight[j] *= (at - x->path_at[l]) / (x->path_at[j] - x->path_at[l]);
  }
}

static void follow_path(cycle_stretch *x) {
  double now[PATH], then[PATH];
  int n = x->live;
  weights_of_path(x, 0, now);
  for (int i = 0; i < M; i++) {
    weights_of_path(x, x->rule.at[i + 1], then);
    for (int j = 0; j < PATH; j++)
      for (int l = 0; l < n; l++) x->U[i * n + l] += (then[j] - now[j]) * x->path[j][l];
  }
}

void cycle_note_path(cycle_stretch *x) {
  for (int j = 0; j < PATH; j++) {
    x->path_at[j] = x->rule.at[2 * j] - x->rule.count;
    for (int l = 0; l < x->live; l++) x->path[j][l] = j ? x->U[(2 * j - 1) * x->live + l] : 0;
  }
  x->has_path = 1;
}

void cycle_note_walk(const compliant *z, cycle_stretch *x, int cycles, const double *states[]) {
  for (int j = 0; j < PATH; j++) {
    x->path_at[j] = -cycles * j / (PATH - 1.0);
    for (int l = 0; l < x->live; l++) {
      cycle_slot s = z->cycles->slot[l];
      int at = s.index + (s.what == CYCLE_V ? z->rows : 0);
      int moves = s.what == CYCLE_Y || s.what == CYCLE_V;
      x->path[j][l] = moves ? states[j][at] - states[0][at] : 0;
    }
  }
  x->has_path = 1;
}

/* returns the change */
static double first_guess(cycle_stretch *x, double *A, double *b) {
  memset(x->U, 0, sizeof x->U);
  if (!x->has_path) return newton(x, A, b);
  follow_path(x);
  memcpy(b, x->U, (size_t)(M * x->live) * sizeof *b);
  return INFINITY;
}

/* Sweeps until the changes are rounding, or no longer fall and are near it. */
static int solve(compliant *z, cycle_stretch *x, double *A, core_status *status) {
  double b[MOST_SIZE], change = first_guess(x, A, b);
  for (x->sweeps = 1; x->sweeps <= MOST_SWEEPS; x->sweeps++) {
    double before = change;
    x->reached = 0;
    if (!all_nodes(z, x, b, status)) return 0;
    change = newton(x, A, b);
    int settled = x->unsettled < UNSETTLED;
    if (change <= 1 && (settled || x->sweeps == MOST_SWEEPS)) return 1;
    if (x->sweeps <= FEW_SWEEPS) continue;
    if (settled && change > before / 2 && change <= LIMIT_CYCLE_ROUNDED) return 1;
    if (change > DIVERGES * before) return 0;
  }
  return 0;
}

int cycle_try(compliant *z, cycle_stretch *x, double count, core_status *status) {
  int size = M * x->live, good = 0;
  core_mark mark = core_scratch_mark(z->scratch);
  double *A = core_scratch_doubles(z->scratch, (size_t)(size * size));
  *status = A ? cycle_make_rule(count, z->scratch, &x->rule) : CORE_NO_MEMORY;
  x->error = INFINITY;
  if (!*status) {
    weigh(z, x);
    find_sizes(z, x);
    for (int i = 0; i < M; i++) {
      x->at[i] = x->start;
      memcpy(x->J_at[i], x->J, sizeof x->J);
    }
    good = solve(z, x, A, status);
    if (good) x->error = missed(x);
  }
  core_scratch_release(z->scratch, mark);
  return good && x->error <= 1;
}

/* The step of a difference: what a fast number changes by in one cycle anyway, and a part of slow
 * ones that is far above rounding and far below what changes a cycle. */
static double step_of(const compliant *z, const cycle_stretch *x, int c) {
  static const double PART = 1e-7, LEAST = 1e-12;
  const compliant_cycles *o = z->cycles;
  cycle_slot s = o->slot[c];
  double now = s.what == CYCLE_Y ? fabs(o->y[s.index]) : s.what == CYCLE_V ? z->speed : 1;
  if (!s.fast) return PART * now;
  if (s.what == CYCLE_V) now = fabs(o->v[s.index]);
  return core_max(fabs(x->start.state[c]), LEAST * now);
}

/* The same with number c as far off as the lengths of the cycle's phases NOTICE. Further: where a
 * contact hardly sticks and its vibration hardly fades, less is lost in rounding (a rod found no
 * end); only fast numbers, slow ones do nothing to it. Nearer: a contact that hardly sticks sticks
 * longer by powers of what is off (dg/dY ten times as large, and no stretch began). */
static void walk_as_noticed(compliant *z, const cycle_stretch *x, double *off, int c,
                            cycle_step *there, core_status *status) {
  static const double NOTICED = 0.1, FAR = 3;
  int fast = z->cycles->slot[c].fast;
  for (int i = 0; i < 3; i++) {
    double so_far = unsettled(z->cycles, &x->start, there), before = off[c];
    int near = fast && so_far > 0 && so_far < NOTICED / FAR;
    if (!near && !(so_far > NOTICED * FAR)) return;
    cycle_step other;
    off[c] *= NOTICED / so_far;
    if (cycle_walk(z, off, &other, status))
      *there = other;
    else
      off[c] = before;
    if (off[c] == before || near) return;
  }
}

/* dg/dY by differences; smaller ones where a mode notices */
int cycle_differentiate(compliant *z, cycle_stretch *x, core_status *status) {
  static const double PARTS[] = {1, -1, 1e-2, -1e-2, 1e-4, -1e-4};
  double off[CYCLE_LIVE] = {0};
  cycle_step there;
  for (int c = 0; c < x->live; c++) {
    double step = step_of(z, x, c);
    int good = 0;
    for (size_t p = 0; p < sizeof PARTS / sizeof *PARTS && !good && !*status; p++) {
      off[c] = PARTS[p] * step;
      good = cycle_walk(z, off, &there, status);
    }
    if (!good) return 0;
    walk_as_noticed(z, x, off, c, &there, status);
    for (int r = 0; r < x->live; r++)
      x->J[c * x->live + r] = (there.state[r] - x->start.state[r]) / off[c];
    x->J_time[c] = (there.sum[x->time] - x->start.sum[x->time]) / off[c];
    off[c] = 0;
  }
  return 1;
}
