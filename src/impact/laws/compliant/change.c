/* What the events of a moment change, contact by contact.
 *
 * Forces are continuous through every event but the start of holding: deflections are, and k n is
 * when k becomes k/e^2 and n becomes e^2 n, or back where a contact rejoins the line of loading.
 */
#include "impact/laws/compliant/state.h"

/* v_n is 0, or the contact opens: what its spring has taken in or given back since it last was */
static void book_work(compliant_contact *k, double now) {
  double gain = now - k->from;
  *(gain > 0 ? &k->absorbed : &k->returned) += fabs(gain);
  k->from = now;
}

void compliant_drop_tangent(compliant *z, compliant_contact *k) {
  for (int r = k->t; r < k->n; r++) z->y[r] = 0;
}

/* ---- normal events ---- */

/* In slip x is zero by then; what a spring of a contact with infinite mu still holds is lost in the
 * last instant, as it is for large mu. */
void compliant_open(compliant *z, compliant_contact *k) {
  book_work(k, normal_energy(z, k));
  k->returned += k->from; /* rounding of y at the event */
  k->from = 0;
  z->lost_friction += tangential_energy(z, k);
  compliant_drop_tangent(z, k);
  z->y[k->n] = 0;
  k->touch = OPEN;
  k->restituting = k->turning = k->again = k->stopped = k->let_go = k->unnoticed = 0;
  k->swing = 0;
  k->fixed = NOT_FIXED;
  k->k = k->k0;
}

void compliant_release_all(compliant *z) {
  for (int i = 0; i < z->nc; i++)
    if (z->c[i].touch != OPEN) compliant_open(z, &z->c[i]);
}

/* slip along a given direction; where that is zero, the way the contact is about to go */
void compliant_slide(compliant *z, compliant_contact *k, const double *direction) {
  double size = norm(k->tangents, direction);
  if (size == 0) size = norm(k->tangents, direction = z->v + k->t);
  for (int t = 0; t < k->tangents; t++) k->d[t] = size > 0 ? direction[t] / size : t == 0;
  k->grip = SLIP;
  k->fixed = NOT_FIXED;
}

/* Friction is less while slipping than where slip starts (as printed, and when holding begins): the
 * spring falls back to rho at once. */
void compliant_fall_back(compliant *z, compliant_contact *k, double normal) {
  double before = tangential_energy(z, k), rho = slip_mu(k) * normal / k->kt;
  for (int t = 0; t < k->tangents; t++) z->y[k->t + t] = rho * k->d[t];
  z->lost_friction += before - tangential_energy(z, k);
}

/* A force below this comes of speeds that are nothing beside the impact: k n with n sqrt(k w) =
 * 1e-11 of them. Its rebound, e times that, is not enough: one that is held does not give way as
 * one does that bounces and starts afresh (with e = 3e-6 rods that rock came 2e-7 of their speeds
 * off). With friction it has to be: a contact that others press would stick and slip by rounding.
 */
static double faint(const compliant *z, const compliant_contact *k) {
  double least = TOL_FAINT * z->loose * z->speed * sqrt(k->k0 / w_normal(z, k));
  return k->grip == FREE ? least : least / k->e;
}

/* The force that would keep contact k where it is: what the others press it by. Held ones count
 * with the force that they were last looked at with, 0 where none was: less load, and no hold too
 * many.
 */
static double load_of(const compliant *z, const compliant_contact *k) {
  const double *w = z->W + (size_t)k->n * (size_t)z->rows;
  double sum = 0;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *c = &z->c[i];
    if (c->touch == OPEN) continue;
    if (c != k) sum += w[c->n] * compliant_normal_force(z, c);
    for (int r = c->t; r < c->n; r++) sum -= w[r] * c->kt * z->y[r];
  }
  return -sum / w_normal(z, k);
}

/* From its greatest compression on it vibrates on k/e^2 about the load of the others, and hardly
 * opens before it stays: with e that small nobody could tell. Its force swings by what it is more
 * than the load: when less is left it opens after all, and starts afresh. With friction force
 * counts as well, see cycles.c. */
static int vibrates_unnoticed(const compliant *z, compliant_contact *k) {
  static const double HARDLY = 4; /* times the load; 2: it just opens */
  double force = -k->k * z->y[k->n], load = load_of(z, k);
  if (k->grip != FREE || z->plastic || z->nc == 1 || k->e == 0 || k->e == 1) return 0;
  if (k->e * force > faint(z, k) || force > HARDLY * load) return 0;
  k->swing = force - load;
  return 1;
}

/* The contact has come to rest: it is held from now on as with e = 0, as long as nothing presses it
 * by more than that. Bodies between two others bounce ever lower, without end otherwise; a contact
 * alone rebounds once, however lightly it grazes. */
static int rebound_negligible(const compliant *z, const compliant_contact *k) {
  return z->nc > 1 && k->e > 0 && k->e < 1 && -k->k * z->y[k->n] <= faint(z, k);
}

/* One that had come to rest is pressed in earnest by more than faintly; one with e = 0 by more than
 * it has borne (plastic), or not at all. [scaled N] */
double compliant_yield(const compliant *z, const compliant_contact *k) {
  if (k->unnoticed) return INFINITY;
  if (k->e > 0) return 2 * faint(z, k);
  return z->plastic ? k->k0 * k->top : INFINITY;
}

/* A contact on k/e^2 that slides and that others keep pressing vibrates, elastic and without end,
 * but nobody could tell (cycles.c): it is held, whatever presses it, until nothing does. What is
 * left of its v_n goes too. */
void compliant_hold(compliant *z, compliant_contact *k) {
  const double *w = z->W + (size_t)k->n * (size_t)z->rows;
  double by = -z->v[k->n] / w_normal(z, k);
  z->lost_restitution += normal_energy(z, k) - by * z->v[k->n] / 2;
  z->p[k->n] += by;
  for (int r = 0; r < z->rows; r++) z->v[r] += w[r] * by;
  k->hold = -k->k * z->y[k->n];
  k->hold_rate = 0;
  k->returned += k->from;
  k->from = z->y[k->n] = 0;
  k->touch = HELD;
  k->unnoticed = 1;
  k->k = k->k0;
  k->stick_slip_tie = 0;
  compliant_slide(z, k, z->y + k->t);
}

/* its spring goes on along the line of loading with the force it has, and what was booked as lost
 * there is in it again */
static void press_further(compliant *z, compliant_contact *k) {
  z->y[k->n] = -compliant_yield(z, k) / k->k0;
  k->touch = PRESSED;
  k->restituting = 0;
  k->stopped = 1;
  k->k = k->k0;
  k->from = normal_energy(z, k);
  z->lost_restitution -= k->from;
  z->pressed_again |= k->e == 0;
}

/* greatest compression: k becomes k/e^2, n becomes e^2 n, (1 - e^2) of the energy is lost */
static void begin_restitution(compliant *z, compliant_contact *k) {
  book_work(k, normal_energy(z, k));
  k->stopped = 1;
  if (k->again) { /* plastic, below where it left the line of loading: nothing more is lost */
    k->again = 0;
    return;
  }
  k->unnoticed = vibrates_unnoticed(z, k);
  double n = z->y[k->n], keep = k->unnoticed || rebound_negligible(z, k) ? 0 : k->e * k->e;
  k->top = -n;
  z->lost_restitution += (1 - keep) * k->k * n * n / 2;
  k->restituting = k->ended = 1;
  z->y[k->n] = keep * n;
  k->from *= keep;
  if (keep == 0) {
    k->touch = HELD;
    k->hold = k->hold_rate = 0;
    return;
  }
  k->k = k->k0 / keep;
  if (friction_drops(k) && k->grip == SLIP) compliant_fall_back(z, k, -k->k * z->y[k->n]);
}

/* plastic: pressed again on k/e^2, before it has opened */
static void reload(compliant *z, compliant_contact *k) {
  book_work(k, normal_energy(z, k));
  k->again = k->stopped = 1;
  z->pressed_again |= k->e < 1;
}

/* back to the force where it left the line of loading: k/e^2 becomes k, n becomes n/e^2, and what
 * was lost there will be lost at the next greatest compression */
static void rejoin(compliant *z, compliant_contact *k) {
  book_work(k, normal_energy(z, k));
  k->k = k->k0;
  z->y[k->n] = -k->top;
  k->restituting = k->again = 0;
  k->from = normal_energy(z, k);
  z->lost_restitution -= (1 - k->e * k->e) * k->from;
}

/* Work that contact k took in or gave back up to where v_n changes its sign in [a, b], by the
 * false position: the energy is stationary there, so that its error is the square of the place's.
 */
static void book_turn(compliant *z, compliant_contact *k, double a, double b) {
  const compliant_series *q = &z->series;
  const double *v_n = q->v + k->n;
  double at = b, va = core_poly_at(q->order, v_n, z->rows, a),
         vb = core_poly_at(q->order, v_n, z->rows, b);
  for (int j = 0; j < 6 && (va < 0) != (vb < 0); j++) {
    at = a + (b - a) * va / (va - vb);
    double v = core_poly_at(q->order, v_n, z->rows, at);
    if ((v < 0) == (va < 0))
      a = at, va = v, vb /= 2;
    else
      b = at, vb = v, va /= 2;
  }
  double n = core_poly_at(q->order, q->y + k->n, z->rows, at);
  book_work(k, k->k * n * n / 2);
}

/* Elastic: a contact in restitution that is pressed again is no event, but worth a word, and its
 * work is booked where somebody listens. Steps are shorter than half a period: two looks at each.
 */
void compliant_book_reloads(compliant *z, double s) {
  if (z->plastic || (z->pressed_again && !z->sink)) return;
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (k->touch != PRESSED || !k->restituting || (k->e == 1 && !z->sink)) continue;
    for (int half = 1; half <= 2; half++) {
      double at = s * half / 2, v = core_poly_at(z->series.order, z->series.v + k->n, z->rows, at);
      if (fabs(v) <= z->v_rounding || (v < 0) == k->again) continue;
      if (z->sink) book_turn(z, k, at - s / 2, at);
      k->again = v < 0;
      z->pressed_again |= k->again && k->e < 1;
    }
  }
}

/* ---- tangential events ---- */

/* |x| has reached rho */
static void break_loose(compliant *z, compliant_contact *k) {
  compliant_slide(z, k, z->y + k->t);
  if (friction_drops(k)) compliant_fall_back(z, k, -k->k * z->y[k->n]);
}

/* Slip has come to rest: stick is tried first. Not where friction drops as slip starts: there slip
 * is tried first. */
void compliant_stop_sliding(compliant_contact *k) {
  if (!friction_drops(k)) k->grip = STICK;
  k->stick_slip_tie = 1;
}

/* ---- all events of a moment ---- */

static void apply(compliant *z, compliant_event what, compliant_contact *k) {
  switch (what) {
    case E_CLOSE: z->y[k->n] = 0; break;
    case E_TOP: begin_restitution(z, k); break;
    case E_OPEN: compliant_open(z, k); break;
    case E_PRESS: press_further(z, k); break;
    case E_AGAIN: reload(z, k); break;
    case E_REJOIN: rejoin(z, k); break;
    case E_SLIP:
      if (k->grip == STICK && k->touch != OPEN) break_loose(z, k);
      break;
    case E_STICK:
      if (k->grip == SLIP && k->touch != OPEN) compliant_stop_sliding(k);
      break;
  }
}

/* counts the phases in a row that contact i has ended by closing */
static void count_closing(compliant *z, int i) {
  int closes = 0;
  for (int j = 0; j < z->n_found; j++)
    closes |= z->found[j].contact == i && z->found[j].what == E_CLOSE;
  z->c[i].closing = closes ? z->c[i].closing + 1 : 0;
}

/* applies the first events and those tied with them; of a contact the normal ones were found first,
 * and may undo the others */
void compliant_apply(compliant *z) {
  double first = INFINITY;
  for (int i = 0; i < z->nc; i++) count_closing(z, i);
  for (int i = 0; i < z->n_found; i++) first = core_min(first, z->found[i].s);
  for (int i = 0; i < z->n_found; i++)
    if (z->found[i].s <= first + TOL_TIE * z->series.reach)
      apply(z, z->found[i].what, &z->c[z->found[i].contact]);
}
