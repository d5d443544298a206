/* Between two phases: what the events change, and which modes can really go on.
 *
 * Forces are continuous through every event but the start of holding: deflections are, and k n is
 * when k becomes k/e^2 and n becomes e^2 n. So accelerations just after an event do not depend on
 * the modes that are still in question, and each of these is decided alone, from the sign of the
 * first coefficient of its margin that is not zero:
 *
 *   a contact at zero gap with v_n = 0   closes when the first coefficient of its gap is negative
 *   a contact that closes                slips when |x| outgrows rho from the first order on
 *   a contact with |x| = rho and no slip sticks when rho - |x| grows, taking stick for granted
 *
 * Whenever two events fall together (slip stops as compression ends) this says what goes on. If a
 * tie is missed by a time dt, modes are wrong for dt only, and forces by dt: impulses by dt^2.
 */
#include <math.h>
#include <string.h>

#include "core/poly.h"
#include "impact/laws/compliant.h"

enum { LENGTH = COMPLIANT_LENGTH };

static double norm(int n, const double *x) {
  return n == 2 ? hypot(x[0], x[1]) : n == 1 ? fabs(x[0]) : 0;
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static double tangential_energy(const compliant *z, const compliant_contact *k) {
  const double *x = z->y + k->t;
  return k->kt * dot(k->tangents, x, x) / 2;
}

static void drop_tangent(compliant *z, compliant_contact *k) {
  for (int t = 0; t < k->tangents; t++) z->y[k->t + t] = 0;
}

/* The contact parts. In slip x is zero by then; what a spring of a contact with infinite mu still
 * holds is lost in the last instant, as it is for large mu. */
static void part(compliant *z, compliant_contact *k) {
  z->lost_friction += tangential_energy(z, k);
  drop_tangent(z, k);
  z->y[k->n] = 0;
  k->touch = OPEN;
  k->restituting = k->frozen = k->turning = 0;
  k->k = k->k0;
}

void compliant_let_go(compliant *z) {
  for (int i = 0; i < z->nc; i++)
    if (z->c[i].touch == HELD) part(z, &z->c[i]);
}

/* slip along a given direction; where that is zero, the way the contact is about to go */
static void slide(compliant *z, compliant_contact *k, const double *direction) {
  const compliant_series *s = &z->series;
  double size = norm(k->tangents, direction);
  if (size == 0) size = norm(k->tangents, direction = z->v + k->t);
  for (int j = 1; size == 0 && j < LENGTH; j++)
    size = norm(k->tangents, direction = s->v + j * z->rows + k->t);
  for (int t = 0; t < k->tangents; t++) k->d[t] = size > 0 ? direction[t] / size : t == 0;
  k->grip = SLIP;
  k->frozen = 0;
}

/* Friction is less while slipping than where slip starts (the published program only, and holding):
 * the spring falls back to rho at once. */
static void fall_back(compliant *z, compliant_contact *k, double rho) {
  double before = tangential_energy(z, k);
  for (int t = 0; t < k->tangents; t++) z->y[k->t + t] = rho * k->d[t];
  z->lost_friction += before - tangential_energy(z, k);
}

/* greatest compression: k becomes k/e^2, n becomes e^2 n, (1 - e^2) of the energy is lost */
static void turn_back(compliant *z, compliant_contact *k) {
  double n = z->y[k->n], keep = k->e * k->e;
  z->lost_restitution += (1 - keep) * k->k * n * n / 2;
  k->restituting = k->ended = 1;
  z->y[k->n] = keep * n;
  if (keep == 0) {
    k->touch = HELD;
    return;
  }
  k->k = k->k0 / keep;
  if (k->printed && k->grip == SLIP) fall_back(z, k, -k->e * k->mu * k->k * keep * n / k->kt);
}

/* |x| has reached rho: slip, unless the slip speed is zero too and stick may hold on */
static void break_loose(compliant *z, compliant_contact *k) {
  const double *x = z->y + k->t;
  slide(z, k, x);
  double speed = dot(k->tangents, z->v + k->t, k->d);
  if (k->touch == PRESSED) speed += k->mu * k->k / k->kt * z->v[k->n];
  if (k->touch == PRESSED && fabs(speed) <= COMPLIANT_STILL * z->speed && !k->printed) {
    k->grip = STICK;
    k->edge = 1;
  } else if (k->printed && k->restituting) {
    fall_back(z, k, -k->e * k->mu * k->k * z->y[k->n] / k->kt);
  }
}

/* Slip has come to rest: stick is tried first. Not where friction drops as slip starts (the
 * published program): there slip is tried first. */
static void stop_sliding(compliant_contact *k) {
  if (!(k->printed && k->restituting)) k->grip = STICK;
  k->edge = 1;
}

static void apply(compliant *z, const compliant_hit *hit) {
  compliant_contact *k = &z->c[hit->contact];
  switch (hit->what) {
    case W_CLOSE: z->y[k->n] = 0; break;
    case W_TOP: turn_back(z, k); break;
    case W_OPEN:
    case W_RELEASE: part(z, k); break;
    case W_SLIP:
      if (k->grip == STICK && k->touch != OPEN) break_loose(z, k);
      break;
    case W_STICK:
      if (k->grip == SLIP && k->touch != OPEN) stop_sliding(k);
      break;
  }
}

/* applies the first events and those tied with them: normal ones first, they may undo the others */
void compliant_apply(compliant *z) {
  double first = INFINITY;
  for (int i = 0; i < z->nhits; i++) first = core_min(first, z->hits[i].s);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < z->nhits; i++) {
      int tangential = z->hits[i].what == W_SLIP || z->hits[i].what == W_STICK;
      if (z->hits[i].s <= first + COMPLIANT_TIE * z->series.reach && tangential == pass)
        apply(z, &z->hits[i]);
    }
}

/* ---- which modes go on ------------------------------------------------------------------------
 */

/* The first order at which |x| or rho grows decides between stick and slip; v_t s against
 * (k0/kt) mu |v_n| s when the contact closes at a speed (Proposition 1). */
static void grip_of_fresh(compliant *z, compliant_contact *k, const double *v) {
  if (k->tangents == 0 || k->mu == 0) {
    k->grip = FREE;
    return;
  }
  k->grip = STICK;
  if (isinf(k->mu)) return;
  double along = norm(k->tangents, v + k->t), most = k->mu * k->k0 / k->kt * fabs(v[k->n]);
  if (fabs(along - most) <= COMPLIANT_STILL * core_max(along, most))
    k->edge = 1;
  else if (along > most)
    slide(z, k, v + k->t);
}

static void close_contact(compliant *z, compliant_contact *k, const double *v) {
  k->touch = PRESSED;
  k->fresh = 1;
  k->restituting = k->edge = 0;
  k->k = k->k0;
  drop_tangent(z, k);
  z->y[k->n] = 0;
  grip_of_fresh(z, k, v);
}

static int at_zero(const compliant *z, const compliant_contact *k) {
  return k->touch == OPEN && z->y[k->n] <= 0;
}

static int still(const compliant *z, const compliant_contact *k) {
  return fabs(z->v[k->n]) <= COMPLIANT_REST * z->speed;
}

static void close_approaching(compliant *z) {
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (at_zero(z, k) && !still(z, k) && z->v[k->n] < 0) close_contact(z, k, z->v);
  }
}

/* a touching contact without normal speed is pressed when what the others do to it says so */
static int close_resting(compliant *z) {
  int changed = 0;
  const compliant_series *s = &z->series;
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    double gap[LENGTH];
    if (!at_zero(z, k) || !still(z, k)) continue;
    for (int j = 0; j < LENGTH; j++) gap[j] = s->y[j * z->rows + k->n];
    int lead = compliant_lead(gap, 2);
    if (lead >= LENGTH || gap[lead] > 0) continue;
    int order = 0; /* the first velocity that moves it along, up to the one that presses it */
    while (order < lead - 1 &&
           norm(k->tangents, s->v + order * z->rows + k->t) <= COMPLIANT_REST * z->speed)
      order++;
    close_contact(z, k, s->v + order * z->rows);
    changed = 1;
  }
  return changed;
}

/* slip that has come to rest while something else happened */
static void find_edges(compliant *z) {
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (k->touch != PRESSED || k->grip != SLIP || k->fresh) continue;
    double mu = compliant_slip_mu(k);
    double speed = dot(k->tangents, z->v + k->t, k->d) + mu * k->k / k->kt * z->v[k->n];
    if (speed <= COMPLIANT_STILL * z->speed) stop_sliding(k);
    if (k->grip == SLIP && speed < -COMPLIANT_STILL * z->speed) k->grip = STICK, k->edge = 0;
  }
}

static int decide_edges(compliant *z) {
  int changed = 0;
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (k->touch == OPEN || !k->edge) continue;
    if (k->grip == SLIP && k->printed && k->restituting && compliant_slip_sign(z, i) < 0) {
      k->grip = STICK;
      k->edge = 0;
      changed = 1;
    } else if (k->grip == STICK && compliant_margin_sign(z, i) < 0) {
      slide(z, k, z->y + k->t);
      changed = 1;
    }
  }
  return changed;
}

/* Held contacts: one that would have to pull is let go; friction is bounded by the new force. */
static int review_held(compliant *z) {
  int changed = 0;
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (k->touch != HELD) continue;
    double force = z->series.held[i], rho = k->mu * force / k->kt, size;
    if (!(force > 1e-14 * z->speed * k->k0)) {
      part(z, k);
      changed = 1;
    } else if (k->grip == STICK && (size = norm(k->tangents, z->y + k->t)) > rho * (1 + 1e-9)) {
      slide(z, k, z->y + k->t);
      fall_back(z, k, rho);
      changed = 1;
    } else if (k->grip == SLIP && !k->edge) {
      if (compliant_slip_now(z, i) > COMPLIANT_STILL * z->speed) continue;
      k->grip = STICK;
      k->edge = changed = 1;
    }
  }
  return changed;
}

/* Decides every mode for the next phase and makes its first series. A round changes at least one
 * contact for good: open -> pressed, stick -> slip (or back, once), held -> open. */
core_status compliant_settle(compliant *z) {
  find_edges(z);
  close_approaching(z);
  for (int round = 0; round <= 4 * z->nc + 4; round++) {
    core_status status = compliant_build(z);
    if (status) return core_fail(z->err, status, "law.compliant: %s", core_status_text(status));
    if (!z->pressed) return CORE_OK;
    compliant_find_turning(z);
    compliant_make_series(z);
    if (!(z->held_count && review_held(z)) && !close_resting(z) && !decide_edges(z)) return CORE_OK;
  }
  return core_fail(z->err, CORE_LIMIT, "law.compliant: the modes of the contacts do not settle");
}
