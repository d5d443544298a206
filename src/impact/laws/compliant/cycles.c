/* Cycles of events: where the same few events follow each other again and again, many at once.
 *
 * A contact in restitution has the spring k/e^2, and others press it: it vibrates fast, and sticks
 * and slips, or opens and closes, once in every period, while everything else changes slowly. With
 * Y the state at the start of a cycle and P what one cycle makes of it
 *
 *   Y(k + 1) - Y(k) = P(Y(k)) - Y(k) = g(Y(k))
 *
 * a difference equation whose solution is smooth in k. Over a stretch of N cycles Y is a polynomial
 * through its start that obeys this at m nodes (collocation; cycle_rule.c has them), which are
 * solved by Newton's steps with dg/dY of the start (cycle_stretch.c): the amplitude of the
 * vibration may follow the rest at once, as in a stiff equation. It is followed then within the
 * little that the contact still sticks in each cycle, so that the first guess is how the last
 * stretch goes on. Sums over all cycles (impulses,
 * time, lost energies) are exact for polynomials of degree 2 m - 2. What the polynomial misses of
 * the equation at the start of the stretch, where it was not asked for, times N tells the error.
 *
 * The last node is the last cycle of the stretch, so that the state after it is one that was walked
 * to. A stretch in which some node has other events is made shorter; what ends a cycle is foreseen
 * (its margins), and the last ones are walked event by event.
 */
#include <string.h>

#include "impact/laws/compliant/cycle.h"

enum { M = CYCLE_NODES, RING = CYCLE_RING, REPEATS = 3, FIRST_PAUSE = 8 };

/* cycles: the first stretch, the shortest one that is worth its nodes, and more than any end needs
 */
static const double FIRST_STRETCH = 64, LEAST_STRETCH = 32, MOST_STRETCH = 1e13;
/* how much longer the next stretch may be, what part of what its error allows it is, and of one
 * that failed at least (speed only) */
static const double GROWTH = 16, CAREFUL = 0.8, LEAST_PART = 0.08, ALMOST = 0.95;

core_status compliant_start_cycles(compliant *z) {
  size_t rows = (size_t)z->rows;
  if (z->nc < 2 || z->nc > CYCLE_CONTACTS) return CORE_OK;
  compliant_cycles *o = core_scratch_bytes(z->scratch, sizeof *o);
  double *x = core_scratch_doubles(z->scratch, (7 + 2 * RING) * rows);
  compliant_contact *c = core_scratch_bytes(z->scratch, (size_t)z->nc * sizeof *c);
  if (!o || !x || !c) return core_no_memory(z->err);
  memset(o, 0, sizeof *o);
  o->y = x, o->v = x + rows, o->p = x + 2 * rows, o->before = x + 3 * rows;
  o->gone = x + 4 * rows;
  o->states = x + 7 * rows;
  o->c = c;
  z->cycles = o;
  return CORE_OK;
}

/* ---- what repeats ---- */

static long ago(const compliant_cycles *o, long phases) {
  return (o->phases - 1 - phases) % RING;
}

static double *state_ago(const compliant *z, long phases) {
  return z->cycles->states + 2 * z->rows * ago(z->cycles, phases);
}

static void note_phase(compliant *z) {
  compliant_cycles *o = z->cycles;
  size_t size = (size_t)z->rows * sizeof *z->y;
  o->phases++;
  o->modes[ago(o, 0)] = cycle_modes(z);
  o->events[ago(o, 0)] = z->events;
  o->times[ago(o, 0)] = z->time;
  memcpy(state_ago(z, 0), z->y, size);
  memcpy(state_ago(z, 0) + z->rows, z->v, size);
}

static int repeats(const compliant_cycles *o, int length) {
  if (o->phases < (REPEATS + 1) * length) return 0;
  for (int i = 0; i < REPEATS * length; i++)
    if (o->modes[ago(o, i)] != o->modes[ago(o, i + length)]) return 0;
  return 1;
}

/* phases of the shortest cycle, 0: none */
static int find_length(const compliant_cycles *o) {
  for (int length = 2; length <= CYCLE_PHASES; length++)
    if (repeats(o, length)) return length;
  return 0;
}

/* A cycle starts where one contact opens, closes or stops to slip: what follows there by definition
 * is no number of the state. */
static int may_start(const compliant *z) {
  const compliant_cycles *o = z->cycles;
  int changed = 0, good = 0;
  for (int i = 0; i < z->nc; i++) {
    unsigned a = cycle_mode(z, o->modes[ago(o, 1)], i), b = cycle_mode(z, o->modes[ago(o, 0)], i);
    if (a == b) continue;
    int slipped = (a & CYCLE_GRIP) == (PRESSED | SLIP << 2);
    int stops = slipped && (b & CYCLE_GRIP) == (PRESSED | STICK << 2) && (b & CYCLE_TIE);
    good = (b & 3) == OPEN || (b & CYCLE_CLOSED) || stops;
    changed++;
  }
  return changed == 1 && good;
}

static void describe(compliant *z, int length) {
  compliant_cycles *o = z->cycles;
  o->length = length;
  o->period = z->time - o->times[ago(o, length)];
  o->told = z->events - o->events[ago(o, length)];
  memset(o->busy, 0, sizeof o->busy);
  for (int j = 0; j < length; j++) {
    o->course[j] = o->modes[ago(o, length - 1 - j)];
    uint64_t before = o->modes[ago(o, length - j)];
    for (int i = 0; i < z->nc; i++)
      o->busy[i] |= cycle_mode(z, o->course[j], i) != cycle_mode(z, before, i);
  }
}

/* ---- how far ---- */

/* cycles after the stretch until the first margin is used up, by the parabola through three nodes
 */
static double foresee(const compliant_cycles *o, const cycle_stretch *x) {
  const double *at = x->rule.at + M - 2;
  double room = INFINITY, a = at[0] - at[2], b = at[1] - at[2];
  for (int i = 0; i < o->margins; i++) {
    double now = x->at[M - 1].margin[i];
    double da = (x->at[M - 3].margin[i] - now) / a, db = (x->at[M - 2].margin[i] - now) / b;
    double bend = (da - db) / (a - b), slope = da - bend * a, root;
    double c[3] = {now, slope, bend};
    if (core_poly_first_root(2, c, core_min(room, 10 * MOST_STRETCH), &root)) room = root;
  }
  return room - 1;
}

static double next_count(const cycle_stretch *x, double room) {
  double growth = CAREFUL * pow(core_max(x->error, DBL_MIN), -1.0 / (M + 1));
  return floor(core_min(room, x->rule.count * core_min(growth, GROWTH)));
}

/* after a stretch that went wrong: as far as nodes were good, or as its error says; all but a
 * little of one that was to be the last */
static double less(const cycle_stretch *x, int last) {
  double count = x->rule.count, most = count * (last ? ALMOST : 0.5);
  if (isfinite(x->error))
    return floor(count * core_max(CAREFUL * pow(x->error, -1.0 / (M + 1)), LEAST_PART));
  if (x->reached == M) return floor(count / 4);
  return floor(core_min((x->rule.at[x->reached] + x->rule.at[x->reached + 1]) / 2, most));
}

/* ---- what nobody could tell ---- */

/* the only contact with events of its own; NULL: there are more */
static compliant_contact *busy_one(compliant *z) {
  compliant_contact *one = NULL;
  int count = 0;
  for (int i = 0; i < z->nc; i++)
    if (z->cycles->busy[i]) one = &z->c[i], count++;
  return count == 1 ? one : NULL;
}

/* the speed with which contact k vibrates in the cycle x->start */
static double vibration(const compliant *z, const compliant_contact *k, const cycle_stretch *x) {
  const compliant_cycles *o = z->cycles;
  const double *p = x->start.sum;
  double rest = -p[k->n] / (p[x->time] * k->k); /* y_n about which it vibrates */
  return hypot(o->v[k->n], sqrt(k->k * w_normal(z, k)) * (o->y[k->n] - rest));
}

/* a vibration that is a little larger comes back */
static int fades(const compliant_cycles *o, const cycle_stretch *x) {
  for (int c = 0; c < x->live; c++)
    if (o->slot[c].fast && !(x->J[c * x->live + c] < 0)) return 0;
  return 1;
}

/* A contact that sticks and slips on k/e^2, pressed all the time, is held from now on when its
 * vibration is less than rounding of the velocities. Not sooner: where forces change faster later
 * on, what was 1e-11 of the speeds came to 4e-7. */
static int hold_unnoticed(compliant *z, cycle_stretch *x) {
  compliant_contact *k = busy_one(z);
  if (!k || z->plastic || k->tangents != 1 || z->cycles->length != 2) return 0;
  const compliant_contact *start = &z->cycles->c[k - z->c];
  if (!start->stick_slip_tie || !(start->restituting && k->e < 1)) return 0;
  if (!(vibration(z, start, x) <= z->v_rounding) || !fades(z->cycles, x)) return 0;
  cycle_take_back(z);
  compliant_hold(z, k);
  return 1;
}

/* ---- stretch after stretch ---- */

/* 1: what has been walked can be continued, and that guess is new */
static int guess_by_walk(const compliant *z, cycle_stretch *x) {
  const compliant_cycles *o = z->cycles;
  const double *states[4];
  int length = o->length, phases = 0;
  int most = (int)core_min(RING, (double)(o->phases - o->skipped)) - length - 1;
  if (x->has_path) return 0;
  while (phases < most && o->modes[ago(o, phases)] == o->modes[ago(o, phases + length)]) phases++;
  int cycles = phases / length / 3 * 3;
  if (cycles < 3) return 0;
  for (int j = 0; j < 4; j++) states[j] = state_ago(z, (long)cycles / 3 * j * length);
  cycle_note_walk(z, x, cycles, states);
  return 1;
}

static void land(compliant *z, const cycle_stretch *x) {
  compliant_cycles *o = z->cycles;
  double sum[CYCLE_SUMS] = {0};
  for (int j = 0; j < M; j++)
    for (int s = 0; s < o->sums; s++) sum[s] += x->rule.weight[j] * x->at[j].sum[s];
  cycle_land(z, sum);
  z->skipped += x->rule.count * (double)o->told;
  o->skipped = o->phases;
  compliant_emit(z, IMPACT_CYCLES, -1);
}

/* the cycle at the start */
static int begin(compliant *z, cycle_stretch *x, int *known, core_status *status) {
  static const double zero[CYCLE_LIVE];
  compliant_cycles *o = z->cycles;
  cycle_keep_start(z);
  cycle_choose_slots(z);
  if (o->live > CYCLE_LIVE) return 0;
  *known &= x->live == o->live;
  x->live = o->live;
  x->time = z->rows;
  if (!cycle_walk(z, zero, &x->start, status)) return 0;
  o->period = x->start.sum[x->time];
  return 1;
}

/* room: cycles until they end, as far as that is foreseen */
static core_status stretches(compliant *z, cycle_stretch *x, int *some, double *room) {
  double count = FIRST_STRETCH;
  core_status status = CORE_OK;
  int known = 0;
  for (;;) {
    int good = begin(z, x, &known, &status);
    if (good && !known) good = cycle_differentiate(z, x, &status);
    if (good && !status && hold_unnoticed(z, x)) return compliant_settle(z);
    while (good && !status && !cycle_try(z, x, count, &status)) {
      if (x->reached < M && guess_by_walk(z, x)) continue;
      count = less(x, count + 1 > *room);
      good = count >= LEAST_STRETCH;
    }
    if (status) return status;
    if (!good) {
      cycle_take_back(z);
      return CORE_OK;
    }
    land(z, x);
    cycle_note_path(x);
    *some = 1;
    known = x->sweeps < 2;
    *room = foresee(z->cycles, x);
    count = core_min(next_count(x, *room), z->way.stretch);
    if (count < LEAST_STRETCH) return CORE_OK;
    if (count > MOST_STRETCH)
      return core_fail(z->err, CORE_LIMIT,
                       "law.compliant: the same %ld events repeat without end from t = %.6g s on",
                       z->cycles->told, z->time * z->unit);
  }
}

core_status compliant_skip_cycles(compliant *z) {
  compliant_cycles *o = z->cycles;
  if (!o) return CORE_OK;
  if (!z->phase.pressed) {
    o->phases = o->skipped = 0;
    return CORE_OK;
  }
  note_phase(z);
  if (o->phases < 2 || o->phases < o->next_try || !may_start(z)) return CORE_OK;
  int length = find_length(o), some = 0;
  if (!length) return CORE_OK;
  double room = INFINITY;
  describe(z, length);
  core_mark mark = core_scratch_mark(z->scratch);
  cycle_stretch *x = core_scratch_bytes(z->scratch, sizeof *x);
  if (x) x->live = x->has_path = 0;
  core_status status = x ? stretches(z, x, &some, &room) : CORE_NO_MEMORY;
  core_scratch_release(z->scratch, mark);
  if (status == CORE_LIMIT) return status;
  if (status) return core_fail(z->err, status, "%s", "");
  o->pause = some || !o->pause ? FIRST_PAUSE : 2 * o->pause;
  double wait = room < LEAST_STRETCH ? core_max(room, 0) + (double)o->pause : (double)o->pause;
  o->next_try = o->phases + (long)wait * length;
  return CORE_OK;
}
