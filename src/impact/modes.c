/* The order in which the mode solver tries its methods; whatever way led there, an answer is
 * certified by its residual (one multiplication by W).
 *
 *   no friction   a convex problem: many contacts of which few feel each other by Newton and blocks
 *                 (modes_blocks.c), else active sets (lcp.c), exact
 *   many          rounds over the contacts, mixed (modes_mix.c); where contacts wedge, the interior
 *                 path by blocks (modes_path.c), the proximal point method, rounds
 *   few           Newton from the guess or from p = 0 (modes_newton.c): nearly always enough
 *   in the plane  Lemke's method (modes_lemke.c): ends at a solution where one must exist
 *   in space      the proximal point method (modes_proximal.c), from p = 0 and from Lemke's answer
 *                 for cones with 4, 8, ... sides
 *   at last       contacts that give a little (modes_least.c)
 *
 * None of them asks for the order of contacts, for units or for the direction of tangents (rounds
 * do, and come last).
 */
#include "impact/modes.h"

#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "impact/lcp.h"
#include "impact/modes_part.h"
#include "impact/tolerance.h"

enum {
  BOLD = 10,         /* steps of Newton from a plain start */
  FINISH = 6,        /* from one that should be near */
  MOST_SIDES = 32,   /* of a cone, for Lemke's method */
  LEMKE_SIZE = 600,  /* of its tableau */
  BLOCK_ROWS = 60,   /* from here on it is worth to look for blocks that are zero */
  MANY_ROUNDS = 3000 /* at most */
};

/* ---- without friction ---- */

/* a linear complementarity problem (low moves into b) */
static core_status frictionless(const impact_modes *m, core_scratch *s, double *p, double *u) {
  int n = m->nc, redundant;
  size_t size = (size_t)n;
  double *A = core_scratch_doubles(s, size * size + 3 * size + 1);
  if (!A) return CORE_NO_MEMORY;
  double *q = A + size * size, *z = q + n, *w = z + n;
  for (int c = 0; c < n; c++) {
    int i = impact_modes_normal(m, c);
    q[c] = m->b[i];
    for (int d = 0; d < n; d++) {
      A[d * n + c] = m->W[impact_modes_normal(m, d) * m->rows + i];
      q[c] += A[d * n + c] * (m->low ? m->low[d] : 0);
    }
  }
  core_status status = law_lcp(n, A, q, NULL, s, z, w, &redundant);
  if (status) return status;
  memset(p, 0, (size_t)m->rows * sizeof *p);
  for (int c = 0; c < n; c++) p[impact_modes_normal(m, c)] = (m->low ? m->low[c] : 0) + z[c];
  modes_velocity(m, p, u);
  return CORE_OK;
}

static int has_friction(const impact_modes *m) {
  for (int c = 0; c < m->nc; c++)
    if (m->mu[c] > 0 && impact_modes_normal(m, c) > impact_modes_first(m, c)) return 1;
  return 0;
}

static int is_planar(const impact_modes *m) {
  for (int c = 0; c < m->nc; c++)
    if (impact_modes_normal(m, c) > impact_modes_first(m, c) + 1) return 0;
  return 1;
}

/* a row that no impulse moves, and it approaches */
static int is_jammed(const modes_work *w) {
  for (int c = 0; c < w->m->nc; c++)
    if (w->contact[c].rho_n == 0 && w->m->b[w->contact[c].n] < 0) return 1;
  return 0;
}

/* ---- with friction ---- */

static int take_memory(const impact_modes *m, core_scratch *s, modes_work *w) {
  size_t n = (size_t)m->rows;
  *w = (modes_work){.m = m, .s = s, .residual = INFINITY};
  w->contact = core_scratch_bytes(s, ((size_t)m->nc + 1) * sizeof *w->contact);
  w->p = core_scratch_doubles(s, 6 * n + 1);
  w->pivot = core_scratch_ints(s, n + 1);
  if (!w->contact || !w->p || !w->pivot) return 0;
  w->u = w->p + n, w->F = w->u + n, w->x = w->F + n, w->q = w->x + n, w->v = w->q + n;
  return 1;
}

/* Newton's matrices: taken only when it is their turn */
static int take_matrices(modes_work *w) {
  size_t n = (size_t)w->m->rows;
  if (!w->T) w->T = core_scratch_doubles(w->s, 2 * n * n);
  if (w->T) w->A = w->T + n * n;
  return w->T != NULL;
}

static void begin(modes_work *w) {
  size_t bytes = (size_t)w->m->rows * sizeof *w->p;
  if (w->m->guess)
    memcpy(w->p, w->m->guess, bytes);
  else
    memset(w->p, 0, bytes);
}

static int is_good(const modes_work *w) {
  return w->residual <= impact_modes_promise(w->m);
}

typedef struct first_one {
  modes_work *w;
  int done;
} first_one;

static void keep_first(void *self, const double *p, const double *u) {
  first_one *keep = self;
  if (keep->done++) return;
  memcpy(keep->w->p, p, (size_t)keep->w->m->rows * sizeof *p);
  memcpy(keep->w->u, u, (size_t)keep->w->m->rows * sizeof *u);
}

/* the first combination of modes that is a solution; whether there is one at all */
static core_status by_trying_all(modes_work *w) {
  first_one keep = {w, 0};
  if (impact_modes_all(w->m, w->s, keep_first, &keep) < 0) return CORE_NOT_CONVERGED;
  if (!keep.done) return CORE_NO_SOLUTION;
  modes_look(w, w->p, w->u);
  return CORE_OK;
}

static int is_over(const modes_work *w, core_status status) {
  return status == CORE_INTERRUPTED || status == CORE_NO_MEMORY || (!status && is_good(w));
}

/* from the answer for cones with flat sides (the answer itself in the plane): Newton, then links of
 * the proximal method */
static core_status from_lemke(modes_work *w, int sides) {
  if (w->m->nc * (2 + sides) > LEMKE_SIZE) return CORE_NO_SOLUTION;
  core_status status = modes_lemke(w, sides);
  if (!status) status = modes_newton(w, BOLD, 0);
  return status || is_good(w) ? status : modes_proximal(w, FINISH);
}

static core_status from_nothing(modes_work *w) {
  begin(w);
  return modes_proximal(w, FINISH);
}

static core_status in_the_plane(modes_work *w) {
  core_status status = from_lemke(w, 2);
  if (!is_over(w, status)) status = from_nothing(w);
  if (!is_over(w, status)) status = modes_settle(w);
  return is_over(w, status) ? status : by_trying_all(w);
}

static core_status in_space(modes_work *w) {
  core_status status = from_nothing(w);
  for (int sides = 4; sides <= MOST_SIDES && !is_over(w, status); sides *= 2)
    status = from_lemke(w, sides);
  for (int rounds = 50; rounds <= 500 && !is_over(w, status); rounds *= 10) {
    begin(w);
    status = modes_rounds(w, rounds, 0);
    if (!status) status = modes_proximal(w, FINISH);
  }
  return is_over(w, status) ? status : CORE_NOT_CONVERGED;
}

/* By blocks of contacts that feel each other: from the guess; by mixed rounds, which eliminate
 * nothing; along the path, where contacts wedge; by the proximal point method; along the path more
 * closely; by rounds. */
static core_status many(modes_work *w) {
  enum { ONCE = 1, THRICE = 3, LONG = 2000 };
  core_status status = modes_find_near(w);
  if (status || !take_matrices(w)) return CORE_NO_MEMORY;
  begin(w);
  if (w->m->guess) status = modes_newton(w, FINISH, 0);
  if (!status && !is_good(w))
    begin(w), status = modes_mix(w, 2 * w->m->nc, fmax(TOL_LINK, impact_modes_asked(w->m)));
  if (!status && !is_good(w)) status = modes_path(w, 0, ONCE, LONG);
  if (!status && !is_good(w)) begin(w), status = modes_proximal(w, 1);
  if (!status && !is_good(w)) status = modes_path(w, ONCE, THRICE, LONG);
  if (status || is_good(w)) return status;
  begin(w);
  return modes_rounds(w, MANY_ROUNDS, impact_modes_promise(w->m) / 2);
}

/* contacts of which at most every fourth pair feels each other, or comes to in elimination */
static core_status look_for_blocks(modes_work *w) {
  int nc = w->m->nc;
  core_status status = modes_find_near(w);
  if (!status && w->near->later_start[nc] > nc * (nc - 1) / 8) w->near = NULL;
  return status;
}

static core_status few(modes_work *w) {
  if (!take_matrices(w)) return CORE_NO_MEMORY;
  if (w->m->rows >= BLOCK_ROWS && look_for_blocks(w)) return CORE_NO_MEMORY;
  begin(w);
  core_status status = modes_newton(w, BOLD, 0);
  if (status || is_good(w)) return status;
  w->tiny_pivot = 0;
  return is_planar(w->m) ? in_the_plane(w) : in_space(w);
}

/* as if every contact were pressed: a push at one end is felt by the other at once */
static void begin_pressed(modes_work *w) {
  begin(w);
  modes_look_at_p(w);
  for (int c = 0; c < w->m->nc; c++) w->contact[c].pressed = 1;
  if (modes_sparse_next(w, TOL_PIVOT, TOL_PROXIMAL))
    memcpy(w->p, w->q, (size_t)w->m->rows * sizeof *w->p);
}

/* many contacts without friction, if most do not feel each other: CORE_NOT_CONVERGED where Newton
 * does not end at rounding, as active sets do, or is not worth a try */
static core_status frictionless_by_blocks(const impact_modes *m, core_scratch *s, double *p,
                                          double *u) {
  modes_work w;
  if (m->nc < IMPACT_MODES_MANY) return CORE_NOT_CONVERGED;
  if (!take_memory(m, s, &w)) return CORE_NO_MEMORY;
  modes_describe(m, w.contact);
  w.size_b = modes_push(&w);
  core_status status = look_for_blocks(&w);
  if (status || !w.near) return status ? status : CORE_NOT_CONVERGED;
  if (!take_matrices(&w)) return CORE_NO_MEMORY;
  if (m->guess)
    begin(&w);
  else
    begin_pressed(&w);
  status = modes_newton(&w, BOLD, 0);
  memcpy(p, w.p, (size_t)m->rows * sizeof *p);
  modes_velocity(m, p, u);
  if (!status && !(impact_modes_residual(m, p, u) <= TOL_RESIDUAL)) return CORE_NOT_CONVERGED;
  return status;
}

static core_status with_friction(const impact_modes *m, core_scratch *s, double *p, double *u) {
  modes_work w;
  if (!take_memory(m, s, &w)) return CORE_NO_MEMORY;
  modes_describe(m, w.contact);
  if (is_jammed(&w)) return CORE_JAM;
  w.size_b = modes_push(&w);
  core_status status = m->rows >= IMPACT_MODES_MANY ? many(&w) : few(&w);
  if (!status && is_good(&w)) status = modes_newton(&w, BOLD, 0); /* as far as rounding lets it */
  modes_velocity(m, w.p, w.u); /* certified by the whole W, whatever way led there */
  modes_look(&w, w.p, w.u);
  if (!status && !is_good(&w)) status = CORE_NOT_CONVERGED;
  memcpy(p, w.p, (size_t)m->rows * sizeof *p);
  memcpy(u, w.u, (size_t)m->rows * sizeof *u);
  return status;
}

core_status modes_solve_as_is(const impact_modes *m, core_scratch *s, double *p, double *u) {
  if (m->nc <= 2 && has_friction(m) && modes_pair(m, p, u)) return CORE_OK;
  core_mark mark = core_scratch_mark(s);
  int plain = !has_friction(m) && !m->general;
  core_status status = plain ? frictionless_by_blocks(m, s, p, u) : with_friction(m, s, p, u);
  if (plain && status == CORE_NOT_CONVERGED) status = frictionless(m, s, p, u);
  core_scratch_release(s, mark);
  return status;
}

/* ---- what is left ---- */

/* Dependent contacts of which one is at its limit without sliding, though others could hold its
 * part: contacts that give a little share so that none is. */
static core_status try_giving(const impact_modes *m, core_scratch *s, double *p, double *u) {
  core_status status = impact_modes_least(m, s, p, u);
  if (status) return status;
  return impact_modes_residual(m, p, u) <= impact_modes_promise(m) ? CORE_OK : CORE_NOT_CONVERGED;
}

/* the rows of all contacts, or of those that press in p */
static int rows_of(const impact_modes *m, const double *p, int *row) {
  int n = 0;
  for (int c = 0; c < m->nc; c++)
    for (int i = impact_modes_first(m, c); i <= impact_modes_normal(m, c); i++)
      if (!p || p[impact_modes_normal(m, c)] > 0) row[n++] = i;
  return n;
}

/* b without what no impulse of these contacts can change in their rows, where that is next to
 * nothing: corners of a brick that lies flat to 1e-10 rad cannot all stick, but what is left of
 * their slip, 1e-11 of the speeds, is none. 1 when there was some. */
static int within_reach(const impact_modes *m, core_scratch *s, const double *p, double *b) {
  size_t most = (size_t)m->rows;
  double size = 0, left = 0, *A = core_scratch_doubles(s, 2 * most * most + 1),
         *Q = A + most * most;
  int *row = core_scratch_ints(s, most);
  if (!A || !row) return 0;
  int n = rows_of(m, p, row);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) A[j * n + i] = m->W[row[j] * m->rows + row[i]];
  int rank = law_lcp_range(n, A, s, Q);
  memcpy(b, m->b, most * sizeof *b);
  for (int i = 0; i < n; i++) b[row[i]] = 0;
  for (int k = 0; k < rank; k++) {
    double part = 0;
    for (int i = 0; i < n; i++) part += Q[k * n + i] * m->b[row[i]];
    for (int i = 0; i < n; i++) b[row[i]] += part * Q[k * n + i];
  }
  for (int i = 0; i < m->rows; i++) {
    size = fmax(size, fabs(m->b[i]));
    left = fmax(left, fabs(m->b[i] - b[i]));
  }
  return rank >= 0 && rank < n && left > 0 && left <= TOL_MODES_STILL * size;
}

/* the answer for b within reach of all contacts, or else of those that pressed where the search
 * ended, p */
static core_status without_the_rest(const impact_modes *m, core_scratch *s, double *p, double *u) {
  core_mark mark = core_scratch_mark(s);
  core_status status = CORE_NOT_CONVERGED;
  size_t bytes = (size_t)m->rows * sizeof *p;
  double *b = core_scratch_doubles(s, 2 * (size_t)m->rows), *ended = b + m->rows;
  if (!b) return CORE_NO_MEMORY;
  impact_modes near = *m;
  near.b = b;
  memcpy(ended, p, bytes);
  for (int turn = 0; turn < 2 && status == CORE_NOT_CONVERGED; turn++) {
    if (!within_reach(m, s, turn ? ended : NULL, b)) continue;
    status = modes_solve_as_is(&near, s, p, u);
    if (status == CORE_NOT_CONVERGED) status = try_giving(&near, s, p, u);
  }
  double left = impact_modes_true_residual(m, p, u);
  core_scratch_release(s, mark);
  return !status && !(left <= TOL_MODES_STILL) ? CORE_NOT_CONVERGED : status;
}

static core_status solve(const impact_modes *m, core_scratch *s, double *p, double *u) {
  core_status status = modes_solve_as_is(m, s, p, u);
  if (status != CORE_NOT_CONVERGED || m->rows >= IMPACT_MODES_MANY) return status;
  status = try_giving(m, s, p, u);
  if (status != CORE_NOT_CONVERGED || m->general) return status;
  return without_the_rest(m, s, p, u);
}

core_status impact_modes_solve(const impact_modes *m, core_scratch *s, double *p, double *u) {
  if (modes_unlike(m) == 0) return solve(m, s, p, u);
  core_mark mark = core_scratch_mark(s);
  impact_modes in_units;
  double *d;
  core_status status = modes_in_units(m, s, &in_units, &d);
  if (!status) status = solve(&in_units, s, p, u);
  for (int i = 0; i < m->rows && status != CORE_NO_MEMORY; i++) p[i] *= d[i], u[i] /= d[i];
  core_scratch_release(s, mark);
  return status;
}
