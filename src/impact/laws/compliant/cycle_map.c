/* One cycle of events as a map: from the numbers of the state at its start to what they change by.
 *
 * Changes are summed up step by step, without the state that they are added to: a cycle may change
 * it by 1e-8 of itself, and a million times that is wanted to all digits. So velocities are not
 * made anew from the impulses after its events either (v_n of a stiff contact is far less than
 * rounding of the others).
 */
#include <string.h>

#include "impact/laws/compliant/cycle.h"

/* times the period: a cycle that takes longer is none of those */
static const double PATIENCE = 4;

/* ---- the state ---- */

static void copy(double *to, const double *from, int n) {
  memcpy(to, from, (size_t)n * sizeof *to);
}

void cycle_keep_start(compliant *z) {
  compliant_cycles *o = z->cycles;
  copy(o->y, z->y, z->rows);
  copy(o->v, z->v, z->rows);
  copy(o->p, z->p, z->rows);
  memcpy(o->c, z->c, (size_t)z->nc * sizeof *o->c);
  o->time = z->time;
  o->lost_restitution = z->lost_restitution, o->lost_friction = z->lost_friction;
  o->memory = z->memory;
  o->energy = compliant_energy(z);
}

static void load_start(compliant *z) {
  const compliant_cycles *o = z->cycles;
  copy(z->y, o->y, z->rows);
  copy(z->v, o->v, z->rows);
  copy(z->p, o->p, z->rows);
  memcpy(z->c, o->c, (size_t)z->nc * sizeof *o->c);
  z->memory = o->memory;
}

/* the first series of the phase that begins here; its modes are settled */
static core_status begin_phase(compliant *z) {
  core_status status = compliant_build(z);
  compliant_find_turning(z);
  compliant_make_series(z, fast_time_ahead(z));
  return status;
}

void cycle_take_back(compliant *z) {
  const compliant_cycles *o = z->cycles;
  load_start(z);
  z->time = o->time;
  z->lost_restitution = o->lost_restitution, z->lost_friction = o->lost_friction;
  begin_phase(z);
}

/* all that is not a number of a contact is one of its modes */
static unsigned mode_of(const compliant *z, const compliant_contact *k) {
  return (unsigned)k->touch | (unsigned)k->grip << 2 | (unsigned)k->restituting << 4 |
         (unsigned)k->just_closed << 5 | (unsigned)k->stick_slip_tie << 6 |
         (unsigned)(z->plastic && k->again) << 7 | (unsigned)k->fixed << 8;
}

uint64_t cycle_modes(const compliant *z) {
  uint64_t all = 0;
  for (int i = 0; i < z->nc; i++) all = all << 10 | mode_of(z, &z->c[i]);
  return all;
}

static double *slot_of(compliant *z, cycle_slot s) {
  switch (s.what) {
    case CYCLE_Y: return &z->y[s.index];
    case CYCLE_V: return &z->v[s.index];
    case CYCLE_TOP: return &z->c[s.index].top;
    default: return &z->c[s.index].from;
  }
}

static void add_slot(compliant_cycles *o, int what, int index, int fast) {
  if (o->live < CYCLE_LIVE) o->slot[o->live] = (cycle_slot){what, index, fast};
  o->live++;
}

/* changes of its tangential springs are those of the series, y' = v, as long as it sticks */
static int sticks_throughout(const compliant_cycles *o, const compliant *z, int i) {
  for (int j = 0; j < o->length; j++)
    if ((cycle_mode(z, o->course[j], i) & CYCLE_GRIP) != (PRESSED | STICK << 2)) return 0;
  return 1;
}

/* What the state consists of: no zeros by definition, and no deflection that follows from others.
 * More than CYCLE_LIVE: too many. */
void cycle_choose_slots(compliant *z) {
  compliant_cycles *o = z->cycles;
  o->live = 0;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    int sticks = sticks_throughout(o, z, i);
    for (int r = k->t; r <= k->n; r++) o->summed[r] = r == k->n || sticks;
    int follows = k->touch == OPEN || k->grip == FREE ||
                  ((k->grip == SLIP || k->stick_slip_tie) && k->tangents < 2);
    int moves = k->touch != HELD && !k->stick_slip_tie; /* v_n is its own */
    for (int r = k->t; r < k->n; r++)
      if (!follows && z->y[r] != 0) add_slot(o, CYCLE_Y, r, o->busy[i]);
    if (k->touch != HELD && z->y[k->n] != 0) add_slot(o, CYCLE_Y, k->n, o->busy[i]);
    for (int r = k->t; r <= k->n; r++)
      if (r < k->n || moves) add_slot(o, CYCLE_V, r, o->busy[i] && r == k->n);
    if (z->plastic && k->e < 1) add_slot(o, CYCLE_TOP, i, 0);
    if (z->sink) add_slot(o, CYCLE_FROM, i, 0);
  }
  o->sums = z->rows + 3 + 2 * z->nc;
  if (o->sums > CYCLE_SUMS) o->live = CYCLE_LIVE + 1;
}

/* ---- the map ---- */

/* What follows from the others: |x| = rho in slip and where it stops, along d, which is that of x
 * in space; and where it stops the slip speed v.d + mu k/kt v_n is 0. */
static void follow(compliant *z) {
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (k->touch != PRESSED || !(k->grip == SLIP || k->stick_slip_tie)) continue;
    double rho = slip_mu(k) * compliant_normal_force(z, k) / k->kt;
    double size = k->tangents == 2 ? norm(2, z->y + k->t) : 0;
    for (int t = 0; t < k->tangents; t++) {
      if (size > 0) k->d[t] = z->y[k->t + t] / size;
      z->y[k->t + t] = rho * k->d[t];
    }
    if (k->stick_slip_tie)
      z->v[k->n] = -dot(k->tangents, z->v + k->t, k->d) * k->kt / (slip_mu(k) * k->k);
  }
}

static void load(compliant *z, const double *off) {
  compliant_cycles *o = z->cycles;
  load_start(z);
  for (int i = 0; i < o->live; i++) *slot_of(z, o->slot[i]) += off[i];
  follow(z);
  z->time = z->lost_restitution = z->lost_friction = 0;
  for (int i = 0; i < z->nc; i++) {
    z->c[i].absorbed = z->c[i].returned = 0;
    z->c[i].stiff_from -= o->time;
  }
}

/* Newton's steps may ask for states that there are not, where a step of turning slip would have a
 * negative length: pressed contacts are pressed in, open ones open. */
static int may_be(const compliant *z) {
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    double y = z->y[k->n];
    if (!(k->touch == PRESSED ? y <= 0 : k->touch == OPEN ? y >= 0 : 1)) return 0;
  }
  return 1;
}

static void gather(compliant *z, const double *first, cycle_step *step) {
  compliant_cycles *o = z->cycles;
  for (int i = 0; i < o->live; i++) {
    cycle_slot s = o->slot[i];
    int summed = s.what == CYCLE_V || (s.what == CYCLE_Y && o->summed[s.index]);
    step->state[i] = !summed             ? *slot_of(z, s) - first[i]
                     : s.what == CYCLE_V ? o->gone[z->rows + s.index]
                                         : o->gone[s.index];
  }
  double *sum = step->sum;
  copy(sum, o->gone + 2 * z->rows, z->rows);
  sum += z->rows;
  *sum++ = z->time, *sum++ = z->lost_restitution, *sum++ = z->lost_friction;
  for (int i = 0; i < z->nc; i++) *sum++ = z->c[i].absorbed, *sum++ = z->c[i].returned;
}

/* event functions of contact k, which has no event in the cycle */
static int margins_of(const compliant *z, const compliant_contact *k, double *margin) {
  double rho = k->mu / k->kt * compliant_normal_force(z, k);
  int n = 0;
  if (k->touch == OPEN) margin[n++] = z->y[k->n];
  if (k->touch == PRESSED) margin[n++] = k->restituting ? -z->y[k->n] : -z->v[k->n];
  if (k->touch != PRESSED || k->grip == FREE || isinf(k->mu)) return n;
  if (k->grip == STICK) margin[n++] = rho - norm(k->tangents, z->y + k->t);
  if (k->grip == SLIP)
    margin[n++] = dot(k->tangents, z->v + k->t, k->d) + slip_mu(k) / k->kt * k->k * z->v[k->n];
  return n;
}

/* One that has events, but stays on k/e^2: where a cycle starts it is pressed by almost the least.
 */
static int force_of(const compliant *z, int i, double *margin) {
  const compliant_cycles *o = z->cycles;
  for (int j = 0; j < o->length; j++)
    if ((cycle_mode(z, o->course[j], i) & CYCLE_STAYS) != (PRESSED | CYCLE_BACK)) return 0;
  *margin = -z->y[z->c[i].n];
  return 1;
}

static void note_margins(compliant *z, cycle_step *step) {
  compliant_cycles *o = z->cycles;
  double *margin = step->margin + o->length;
  for (int i = 0; i < z->nc; i++)
    margin += o->busy[i] ? force_of(z, i, margin) : margins_of(z, &z->c[i], margin);
  o->margins = (int)(margin - step->margin);
}

/* what events change at once */
static core_status pass_events(compliant *z) {
  compliant_cycles *o = z->cycles;
  copy(o->before, z->y, z->rows);
  compliant_apply(z);
  core_status status = compliant_settle(z);
  compliant_note_modes(z);
  for (int r = 0; r < z->rows; r++) o->gone[r] += z->y[r] - o->before[r];
  return status;
}

int cycle_walk(compliant *z, const double *off, cycle_step *step, core_status *status) {
  compliant_cycles *o = z->cycles;
  double first[CYCLE_LIVE] = {0};
  core_error *err = z->err;
  int good = 1;
  load(z, off);
  if (!may_be(z)) return 0;
  for (int i = 0; i < o->live; i++) first[i] = *slot_of(z, o->slot[i]);
  memset(o->gone, 0, 3 * (size_t)z->rows * sizeof *o->gone);
  z->gone = o->gone;
  z->patience = PATIENCE * o->period;
  z->err = NULL;
  core_status went = begin_phase(z);
  for (int i = 0; i < o->length && good && !went; i++) {
    double since = z->time;
    went = compliant_run_phase(z);
    step->margin[i] = (z->time - since) * (z->time - since);
    if (!went) went = pass_events(z);
    good = cycle_modes(z) == o->course[i] && z->phase.pressed && step->margin[i] > 0;
  }
  z->gone = NULL;
  z->err = err;
  if (went == CORE_INTERRUPTED || went == CORE_NO_MEMORY) *status = went;
  z->walked += o->told;
  if (good && !went) {
    gather(z, first, step);
    note_margins(z, step);
  }
  return good && !went;
}

/* v = v before + W p, where v_n of a contact with events of its own may be less than what both are
 * rounded by: that is kept, and p_n made to agree */
static void agree(compliant *z) {
  const compliant_cycles *o = z->cycles;
  double *v = o->before;
  copy(v, z->pr->v, z->rows);
  compliant_multiply(z, 1, z->p, v);
  for (int i = 0; i < z->nc; i++) {
    int n = z->c[i].n;
    const double *w = z->W + (size_t)n * (size_t)z->rows;
    if (!o->busy[i]) continue;
    double by = (z->v[n] - v[n]) / w[n];
    z->p[n] += by;
    for (int r = 0; r < z->rows; r++) v[r] += w[r] * by;
    v[n] = z->v[n];
  }
  copy(z->v, v, z->rows);
}

/* What is missing from the energy friction has taken, where there is any: velocities and impulses
 * are right to what is promised, but their squares are wanted to rounding. */
void cycle_land(compliant *z, const double *sum) {
  compliant_cycles *o = z->cycles;
  for (int r = 0; r < z->rows; r++) z->p[r] = o->p[r] + *sum++;
  agree(z);
  z->time = o->time + *sum++;
  double restitution = *sum++, friction = *sum++;
  if (friction > 0) friction = o->energy - compliant_energy(z) - restitution;
  z->lost_restitution = o->lost_restitution + restitution;
  z->lost_friction = o->lost_friction + friction;
  for (int i = 0; i < z->nc; i++) {
    z->c[i].absorbed = o->c[i].absorbed + *sum++;
    z->c[i].returned = o->c[i].returned + *sum++;
    z->c[i].stiff_from += z->time;
  }
}
