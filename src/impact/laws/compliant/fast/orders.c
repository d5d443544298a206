/* Few orders to an event that is near, and linear steps that reach further.
 *
 * Events follow each other fast where there are many contacts, and then few orders reach the next
 * one. Where they do not the series is made longer.
 */
#include <float.h>
#include <string.h>

#include "impact/laws/compliant/fast/inside.h"

/* ---- orders ---- */

/* Order n leaves (2 s)^(n+1) / (n+1)! out; up to these s that is 2^25 / 25!, or looser. n even. */
static void choose_orders(compliant *z) {
  static const double reach[] = {0.0050, 0.0225, 0.0608, 0.124,  0.213,
                                 0.327,  0.466,  0.625,  0.8042, 1};
  for (int n = N; n >= LEAST_ORDER; n -= 2) {
    int i = (n - LEAST_ORDER) / 2;
    z->fast->short_reach[i] = reach[i];
    if (z->loose > 1) z->fast->short_reach[i] *= pow(z->series.loose, 1.5 / (n + 1));
    if (z->fast->short_reach[i] >= 1) z->fast->most = n;
  }
}

static double short_reach(const compliant *z, int order) {
  return z->fast->short_reach[(order - LEAST_ORDER) / 2];
}

int fast_order(const compliant *z, double s) {
  if (!z->fast) return N;
  int order = LEAST_ORDER;
  while (order < z->fast->most && s > short_reach(z, order)) order += 2;
  return order;
}

/* ---- linear steps ---- */

/* The terms left out are (2 s)^(n+1) / (n+1)!, which at s = 1 and all orders is 2e-18. With
 * the true omega below its bound they fall faster, and the same coefficients reach further
 * (two contacts with friction, e = 1 and 1e-4: budget.tail_friction 256 -> 223 M instructions). */
double fast_linear_reach(const compliant *z) {
  const compliant_series *s = &z->series;
  if (!z->fast) return 1;
  if (s->order < N) return core_min(short_reach(z, s->order), LIMIT_LINEAR_REACH);
  if (z->phase.m < 3) return 1;
  double size = compliant_largest(z->rows, s->v + N * z->rows), least = TOL_LINEAR_LAST * z->speed;
  if (size > TOL_LINEAR_SPARE * least) return 1;
  return core_min(LIMIT_LINEAR_REACH, core_taylor_reach(size, N, least));
}

/* ---- the event ahead ---- */

/* what starts at zero by definition may count from any order on */
static int may_tie(const compliant *z) {
  if (z->phase.held || z->phase.late) return 1;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (k->just_closed || k->stick_slip_tie || compliant_at_rest(z, k)) return 1;
    if (k->touch == OPEN && z->y[k->n] <= 0 && fabs(z->v[k->n]) <= z->v_rounding) return 1;
  }
  return 0;
}

/* Time up to the next event, as far as it can be told: as long as the last one took while contacts
 * are compressed, or until a contact whose direction is fixed for good opens. */
double fast_time_ahead(const compliant *z) {
  double time = INFINITY;
  if (!z->fast) return INFINITY;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (k->touch != PRESSED) continue;
    if (!k->restituting)
      time = core_min(time, z->memory.last);
    else if (k->fixed == FOR_GOOD && z->v[k->n] > 0)
      time = core_min(time, -z->y[k->n] / z->v[k->n]);
  }
  return may_tie(z) ? INFINITY : time;
}

int fast_short(const compliant *z) {
  return z->fast && z->series.order < z->fast->most;
}

int fast_lengthen(compliant *z) {
  compliant_series *s = &z->series;
  if (!fast_short(z)) return 0;
  if (!s->undecided && (z->n_found || s->uneven)) return 0;
  if (s->turning)
    compliant_stride_series(z, INFINITY);
  else
    compliant_linear_orders(z, z->fast->most);
  return 1;
}

void fast_note_step(compliant *z, double s) {
  z->memory.last = z->n_found ? s * z->series.h : INFINITY;
}

/* ---- steps of turning slip ---- */

/* Steps of `lead` to where the mean direction of what it has left is known, in those that take F_n
 * to 1/e. */
static double folds_ahead(const compliant *z, int lead) {
  const compliant_contact *k = &z->c[lead];
  double room = fast_mean_room(z, compliant_given(z));
  double left = k->k * z->y[k->n] * z->y[k->n] / (2 * z->v[k->n] * room);
  return left > 1 ? log(left) / 2 + 0.1 : INFINITY; /* below there was none */
}

/* Time runs evenly to an event that is near; else as the contact sets it that opens next. */
int fast_turn_order(const compliant *z, double time, int *lead) {
  const compliant_series *s = &z->series;
  int order = fast_order(z, time / s->h);
  if (!z->fast) return order;
  if (order == z->fast->most && *lead >= 0 && !s->undecided)
    return fast_order(z, folds_ahead(z, *lead) / 2);
  if (order < z->fast->most) *lead = -1;
  return order;
}

double fast_stride(const compliant *z) {
  return z->fast ? z->memory.stride : 1;
}

/* only all orders tell how long the next step may be */
void fast_learn_stride(compliant *z) {
  double *stride = &z->memory.stride;
  if (!z->fast || fast_short(z) || z->fast->stiff) return;
  *stride = core_min(core_max(*stride * z->series.reach, LIMIT_LEAST_STRIDE), 1);
}

/* Pencil and plate on 8 contacts 15 % more without: part of the whole impulse that
 * contact k can give in the step in hand. */
double fast_weight(const compliant *z, const compliant_contact *k, double so_far) {
  double h = z->series.h;
  double now = k->mu * h * core_max(-k->k * z->y[k->n], k->k * h * fabs(z->v[k->n]));
  if (!z->fast || k->touch == HELD) return 1;
  return core_max(core_min(1, now / core_max(so_far, DBL_MIN)), TOL_LEAST_PART);
}

/* ---- the start ---- */

core_status fast_start(compliant *z) {
  z->memory = (compliant_memory){.last = INFINITY, .stride = 1, .part = 1};
  z->fast = core_scratch_bytes(z->scratch, sizeof *z->fast);
  if (!z->fast) return core_no_memory(z->err);
  memset(z->fast, 0, sizeof *z->fast);
  choose_orders(z);
  fast_find_bodies(z);
  return CORE_OK;
}
