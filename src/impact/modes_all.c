/* Every solution in the plane, by trying all combinations of modes. Each is a linear problem:
 *
 *   open     p_t = 0,             p_n = 0,            u_n >= 0
 *   stick    u_t = 0,             u_n = 0
 *   slip s   p_t = -s mu p_n,     u_n = 0,            s u_t >= 0
 *
 * Where a least normal impulse is asked for, open becomes p_n = low with stick or slip beside it:
 * four modes a contact, or six. What its mode does not say is checked by the residual. Singular
 * ones are taken with the impulses of smallest norm.
 */
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "core/lin.h"
#include "impact/modes_part.h"
#include "impact/tolerance.h"

enum { LATER = 64 }; /* combinations that are looked at again */

enum mode { OPEN, STICK, SLIP_LEFT, SLIP_RIGHT, LOW_SLIP_LEFT, LOW_SLIP_RIGHT };

typedef struct search {
  const impact_modes *m;
  core_scratch *s;
  double *D, *rhs, *p, *u; /* rows x rows, rows ... */
  double *seen;            /* 4^nc at most, but few: u of the solutions, rows each */
  int n, room;
} search;

/* the row or the two rows of contact c: D x = rhs */
static void write_mode(const search *z, int c, enum mode mode) {
  const impact_modes *m = z->m;
  int rows = m->rows, n = impact_modes_normal(m, c), t = impact_modes_first(m, c);
  double mu = m->mu[c], s = mode == SLIP_LEFT || mode == LOW_SLIP_LEFT ? -1 : 1;
  double low = m->low ? m->low[c] : 0;
  int least = mode == OPEN || mode >= LOW_SLIP_LEFT, sticks = mode == STICK || (!mode && low > 0);
  for (int j = 0; j < rows; j++) {
    z->D[j * rows + n] = least ? (double)(j == n) : m->W[j * rows + n];
    if (t == n) continue;
    if (sticks)
      z->D[j * rows + t] = m->W[j * rows + t];
    else if (mode == OPEN || isinf(mu))
      z->D[j * rows + t] = j == t;
    else
      z->D[j * rows + t] = (j == t) + s * mu * (j == n);
  }
  if (t < n) z->rhs[t] = sticks ? -m->b[t] : 0;
  z->rhs[n] = least ? low : -m->b[n];
}

static int is_new(search *z) {
  const impact_modes *m = z->m;
  double size = 0;
  for (int i = 0; i < m->rows; i++) size = fmax(size, fmax(fabs(m->b[i]), fabs(z->u[i])));
  for (int k = 0; k < z->n; k++) {
    double apart = 0;
    for (int i = 0; i < m->rows; i++) apart = fmax(apart, fabs(z->seen[k * m->rows + i] - z->u[i]));
    if (apart <= TOL_SAME_ANSWER * size) return 0;
  }
  return z->n < z->room;
}

/* how many modes contact c has; with one row it is open or not */
static int modes_of(const impact_modes *m, int c) {
  if (impact_modes_first(m, c) == impact_modes_normal(m, c)) return 2;
  return m->low && m->low[c] > 0 ? 6 : 4;
}

/* u = W p + b */
static void find_u(const search *z) {
  const impact_modes *m = z->m;
  int rows = m->rows;
  memcpy(z->u, m->b, (size_t)rows * sizeof *z->u);
  for (int j = 0; j < rows; j++)
    for (int i = 0; i < rows; i++) z->u[i] += m->W[j * rows + i] * z->p[j];
}

/* what a mode says of p holds in every bit: nothing where it is open, p on the cone where it slides
 */
static void keep_mode(const search *z, int c, enum mode mode) {
  int n = impact_modes_normal(z->m, c), t = impact_modes_first(z->m, c);
  double s = mode == SLIP_LEFT || mode == LOW_SLIP_LEFT ? -1 : 1, mu = z->m->mu[c];
  if (mode == OPEN || mode >= LOW_SLIP_LEFT) z->p[n] = z->m->low ? z->m->low[c] : 0;
  if (t == n || mode == STICK) return;
  if (mode != OPEN && !isinf(mu)) z->p[t] = -s * mu * z->p[n];
  if (mode == OPEN && !(z->p[n] > 0)) z->p[t] = 0;
}

static core_status try_modes(search *z, long code) {
  const impact_modes *m = z->m;
  int rows = m->rows, rank;
  long all = code;
  for (int c = 0; c < m->nc; code /= modes_of(m, c), c++)
    write_mode(z, c, (enum mode)(code % modes_of(m, c)));
  core_mark mark = core_scratch_mark(z->s);
  core_status status =
      core_lin_least_squares(rows, rows, z->D, 1, z->rhs, TOL_COARSE, z->s, z->p, &rank);
  core_scratch_release(z->s, mark);
  if (status) return status == CORE_NO_MEMORY ? status : CORE_OK;
  for (int c = 0; c < m->nc; all /= modes_of(m, c), c++)
    keep_mode(z, c, (enum mode)(all % modes_of(m, c)));
  find_u(z);
  return CORE_OK;
}

/* tells the answer of one combination when it is one, to `enough`, and is not told yet; 0: its
 * residual lies above that, and below what can be an answer at all */
static int tell(search *z, double enough,
                void (*found)(void *self, const double *p, const double *u), void *self) {
  double residual = impact_modes_residual(z->m, z->p, z->u);
  if (residual > enough) return residual > TOL_LOOSE;
  if (!is_new(z)) return 1;
  memcpy(z->seen + (size_t)z->n++ * (size_t)z->m->rows, z->u, (size_t)z->m->rows * sizeof *z->u);
  found(self, z->p, z->u);
  return 1;
}

/* ---- all of them ---- */

/* Rows that are equal but for rounding make combinations which are no answers look like one to
 * 1e-10 (two feet that both stick); those that hold to the promise come first. */
int impact_modes_all(const impact_modes *m, core_scratch *s,
                     void (*found)(void *self, const double *p, const double *u), void *self) {
  size_t n = (size_t)m->rows;
  long codes = 1;
  if (m->nc > IMPACT_MODES_MOST) return -1;
  for (int c = 0; c < m->nc; c++) {
    if (impact_modes_normal(m, c) > impact_modes_first(m, c) + 1) return -1;
    codes *= modes_of(m, c);
  }
  if (codes > 1L << (2 * IMPACT_MODES_MOST)) return -1;
  core_mark mark = core_scratch_mark(s);
  search z = {.m = m, .s = s, .room = 64};
  z.D = core_scratch_doubles(s, n * n + 3 * n + (size_t)z.room * n);
  if (!z.D) return -1;
  z.rhs = z.D + n * n, z.p = z.rhs + n, z.u = z.p + n, z.seen = z.u + n;
  core_status status = CORE_OK;
  long later[LATER];
  int waiting = 0;
  for (long code = 0; code < codes && !status && !core_interrupted(); code++) {
    status = try_modes(&z, code);
    if (!status && !tell(&z, impact_modes_promise(m), found, self) && waiting < LATER)
      later[waiting++] = code;
  }
  for (int i = 0; i < waiting && !status; i++) {
    status = try_modes(&z, later[i]);
    if (!status) tell(&z, TOL_LOOSE, found, self);
  }
  core_scratch_release(s, mark);
  return status ? -1 : z.n;
}

/* ---- near an answer ---- */

enum { ANY_STICK = 1 << STICK, ANY_SLIP = 1 << SLIP_LEFT | 1 << SLIP_RIGHT };
enum { ANY_OPEN = 1 << OPEN, ANY_LOW = 1 << OPEN | 1 << LOW_SLIP_LEFT | 1 << LOW_SLIP_RIGHT };

/* The modes that a contact may be in near w->p, as bits: one, or several where it is in doubt, as
 * its equations do not hold to the promise or it is TOL_NEAR a change. wide: what sticks is in
 * doubt.
 */
static int modes_near_by(const modes_work *w, int c, double size, int wide) {
  const modes_contact *k = &w->contact[c];
  double enough = impact_modes_promise(w->m) * size / 10;
  int two = k->n > k->t, low = k->low > 0;
  int pressed = 1 << STICK, open = 1 << OPEN;
  int in_doubt = two && (fabs(w->F[k->t]) > enough || (wide && !k->slips) ||
                         (k->R > 0 && fabs(k->length - k->R) <= TOL_NEAR * size));
  if (two && in_doubt) pressed = ANY_STICK | ANY_SLIP, open = low ? ANY_LOW : ANY_OPEN;
  if (two && !in_doubt && k->slips) {
    pressed = 1 << (k->d[0] > 0 ? SLIP_LEFT : SLIP_RIGHT);
    if (low) open = 1 << (k->d[0] > 0 ? LOW_SLIP_LEFT : LOW_SLIP_RIGHT);
  }
  if (fabs(w->F[k->n]) > enough || fabs(k->an - k->low) <= TOL_NEAR * size) return pressed | open;
  return k->pressed ? pressed : open;
}

/* the code-th combination of the modes in `bits` */
static void write_modes(const search *z, const int *bits, long code) {
  for (int c = 0; c < z->m->nc; c++) {
    int count = __builtin_popcount((unsigned)bits[c]), /* NOLINT: modes_near_by filled them */
        which = (int)(code % count), left = bits[c];
    code /= count;
    for (; which > 0; which--) left &= left - 1;
    write_mode(z, c, (enum mode)__builtin_ctz((unsigned)left));
  }
}

static int is_answer(search *z, double promise) {
  find_u(z);
  return impact_modes_residual(z->m, z->p, z->u) <= promise;
}

/* p and u of the modes that were written; 1 when they are an answer. LU first: it is quick. */
static core_status try_written(search *z, double *LU, int *swaps, double promise, int *good) {
  int rows = z->m->rows, rank;
  memcpy(LU, z->D, (size_t)rows * (size_t)rows * sizeof *LU);
  memcpy(z->p, z->rhs, (size_t)rows * sizeof *z->p);
  double pivot = modes_lu(rows, LU, swaps);
  if (pivot > 0) modes_lu_solve(rows, LU, swaps, z->p);
  *good = pivot > 0 && is_answer(z, promise);
  if (*good || pivot > TOL_NEAR) return CORE_OK;
  core_mark mark = core_scratch_mark(z->s);
  core_status status =
      core_lin_least_squares(rows, rows, z->D, 1, z->rhs, TOL_FINE, z->s, z->p, &rank);
  core_scratch_release(z->s, mark);
  *good = !status && is_answer(z, promise);
  return status == CORE_NO_MEMORY ? status : CORE_OK;
}

/* all combinations of `bits`; the first answer goes to w->p */
static core_status try_near_by(modes_work *w, search *z, const int *bits, int *good) {
  enum { TRIES = 20000 };
  const impact_modes *m = w->m;
  size_t n = (size_t)m->rows;
  long codes = 1;
  core_status status = CORE_OK;
  double *LU = core_scratch_doubles(w->s, n * n);
  for (int c = 0; c < m->nc && codes <= TRIES; c++)
    codes *= __builtin_popcount((unsigned)bits[c]); /* NOLINT: modes_near_by filled them */
  if (!LU || codes > TRIES) return LU ? CORE_OK : CORE_NO_MEMORY;
  for (long code = 0; code < codes && !status && !*good && !core_interrupted(); code++) {
    write_modes(z, bits, code);
    status = try_written(z, LU, w->pivot, impact_modes_promise(m), good);
  }
  if (!*good) return status;
  memcpy(w->p, z->p, n * sizeof *w->p), memcpy(w->u, z->u, n * sizeof *w->u);
  modes_look(w, w->p, w->u);
  return status;
}

/* Rows that agree to some 1e-10, as those of two feet of one box, contradict each other: both
 * cannot stick, and what Newton finds splits the difference. One of them creeps then, with all the
 * friction it has. The modes that are in doubt near w->p are tried, all together; then also those
 * of all contacts that stick, since a foot that creeps moves the others by as little. */
core_status modes_settle(modes_work *w) {
  const impact_modes *m = w->m;
  size_t n = (size_t)m->rows;
  int bits[IMPACT_MODES_LARGE], good = 0;
  double size = w->size_b;
  if (m->nc > IMPACT_MODES_LARGE) return CORE_NOT_CONVERGED;
  search z = {.m = m, .s = w->s};
  z.D = core_scratch_doubles(w->s, n * n + 3 * n);
  if (!z.D) return CORE_NO_MEMORY;
  z.rhs = z.D + n * n, z.p = z.rhs + n, z.u = z.p + n;
  modes_velocity(m, w->p, w->u);
  modes_look(w, w->p, w->u);
  for (size_t i = 0; i < n; i++) size = fmax(size, fabs(w->p[i]));
  core_status status = CORE_OK;
  for (int wide = 0; wide < 2 && !good && !status; wide++) {
    for (int c = 0; c < m->nc; c++) bits[c] = modes_near_by(w, c, size, wide);
    status = try_near_by(w, &z, bits, &good);
  }
  return status ? status : good ? CORE_OK : CORE_NOT_CONVERGED;
}
