/* One solver of contact modes: open, stick, slip, at any number of contacts, with round cones.
 *
 *   u = W p + b,   p_n >= low_n,  u_n >= 0,  (p_n - low_n) u_n = 0
 *   |p_t| <= mu p_n,   and u_t = 0, or  p_t = -mu p_n u_t/|u_t|
 *
 * Rows go contact by contact: (n), (t, n) or (t1, t2, n). With low = 0 that is
 * K* with (u_n + mu |u_t|, u_t) complementary to p in the cone K: |p_t| <= mu p_n.
 */
#ifndef IMPACT_MODES_H
#define IMPACT_MODES_H

#include <stddef.h>

#include "core/scratch.h"
#include "core/status.h"

typedef struct impact_modes {
  int nc, dim, rows; /* dim: rows of each contact, unless `first` says otherwise */
  const double *W;   /* rows x rows, symmetric, positive semi-definite [1/kg] */
  const double *b;   /* rows [m/s] */
  const double *mu;  /* nc, may be infinite */
  const double *low; /* nc: least normal impulse [N s]; NULL: zero */
  const int *first;  /* nc + 1: first row of each contact, then rows; NULL: dim rows each */
  int general; /* 1: W is not symmetric: a contact that slides already has the row n alone, and
                * the column of its force along n - mu s */
  const double *guess; /* rows: impulses to begin with [N s]; NULL: none */
  double enough; /* residual that will do where there are IMPACT_MODES_MANY rows; 0: as promised */
} impact_modes;

/* first row of contact c, and its last one, the normal */
static inline int impact_modes_first(const impact_modes *m, int c) {
  return m->first ? m->first[c] : c * m->dim;
}

static inline int impact_modes_normal(const impact_modes *m, int c) {
  return impact_modes_first(m, c + 1) - 1;
}

/* what is promised of an answer: impact_modes_residual stays below; beyond LARGE contacts the
 * second one */
static const double IMPACT_MODES_PROMISE = 1e-12, IMPACT_MODES_PROMISE_LARGE = 1e-8;
enum { IMPACT_MODES_LARGE = 100 };

/* problems with so many rows are those of many contacts: solved by other methods, and no more
 * closely than `enough` asks for */
enum { IMPACT_MODES_MANY = 240 };

/* the residual that was asked for, 0: none beyond the promise */
static inline double impact_modes_asked(const impact_modes *m) {
  return m->rows >= IMPACT_MODES_MANY && m->enough > IMPACT_MODES_PROMISE ? m->enough : 0;
}

static inline double impact_modes_promise(const impact_modes *m) {
  double most = m->nc > IMPACT_MODES_LARGE ? IMPACT_MODES_PROMISE_LARGE : IMPACT_MODES_PROMISE;
  return most > impact_modes_asked(m) ? most : impact_modes_asked(m);
}

/* Solves into p and u. CORE_OK: the residual is as promised, of b or, where that has none, of b
 * without what no impulse reaches (up to 1e-9 of the speeds; the true residual is then as large).
 * CORE_NOT_CONVERGED: the residual promised was not reached; CORE_JAM: no
 * impulse keeps the contacts apart; CORE_NO_SOLUTION: planar, and no combination of modes fits. */
core_status impact_modes_solve(const impact_modes *m, core_scratch *s, double *p, double *u);

/* Largest |p - proj(p - rho u)| of a contact by Alart and Curnier's projections, rho = 1/W_nn and
 * 1/W_tt, over the largest |p| and rho |b|: 0 for a solution, and free of units. Impulses that
 * press against themselves do not count beyond a thousand times rho |b| (modes_relative). */
double impact_modes_residual(const impact_modes *m, const double *p, const double *u);

/* The same of p alone: u becomes W p + b. This is what is true of an answer, whatever was promised:
 * where b has a part that no impulse reaches, below 1e-9 of the speeds, the promise is about b
 * without it. */
double impact_modes_true_residual(const impact_modes *m, const double *p, double *u);

/* how dependent the rows of an answer are: not; several p give one u; several u are answers */
typedef enum impact_modes_freedom {
  IMPACT_MODES_ALONE,
  IMPACT_MODES_SHARED,
  IMPACT_MODES_CONTINUUM
} impact_modes_freedom;

/* Where contacts depend on each other several p give one u: p becomes the one of smallest norm (p
 * and u: a solution). Contacts keep their modes, slip its direction. */
core_status impact_modes_share(const impact_modes *m, core_scratch *s, double *p, const double *u,
                               impact_modes_freedom *freedom);

/* Of a continuum of answers that p, u lies in, the one that contacts choose which give a little. */
core_status impact_modes_least(const impact_modes *m, core_scratch *s, double *p, double *u);

enum { IMPACT_MODES_MOST = 8 }; /* contacts for which all solutions are sought */

/* All solutions of a planar problem (contacts of 1 or 2 rows) of up to IMPACT_MODES_MOST contacts
 * (6 with a least impulse at each), by trying every combination of modes: `found(self, p, u)` is
 * called for each whose u differs from those before. Returns how many there are, or -1 when memory
 * is out or the problem is too large.
 */
int impact_modes_all(const impact_modes *m, core_scratch *s,
                     void (*found)(void *self, const double *p, const double *u), void *self);

/* Whether u is the only velocity, where that can be proved (W regular, friction below a bound) or
 * another one is found (up to IMPACT_MODES_MOST contacts); in the plane and in space */
typedef enum impact_modes_known {
  IMPACT_MODES_UNKNOWN,
  IMPACT_MODES_ONE,
  IMPACT_MODES_SEVERAL
} impact_modes_known;
impact_modes_known impact_modes_unique(const impact_modes *m, core_scratch *s, const double *u);

/* Continua of answers that a planar answer (p, u) without least impulses lies in: returns how many
 * independent directions they have (0: it stands alone), or -1 when memory is out. For each, `end`
 * is called with its two ends: p there, or NULL when it goes on for ever, and whether the velocity
 * moves along. */
typedef void (*impact_modes_end)(void *self, const double *p, int moves);
int impact_modes_face(const impact_modes *m, core_scratch *s, const double *p, const double *u,
                      impact_modes_end end, void *self);

#endif
