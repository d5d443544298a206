/* Derivatives of `sequential`: those of its single impacts, one after the other.
 *
 * The law tells which contact collides when (events of its sink); at each single impact of contact
 * c the whole state and its derivative take the same step as in laws/sequential.c:
 *
 *   flight   dt = -gap_c / v_c      gap += v_n dt        d gap += d v_n dt + v_n d dt
 *   impact   p_c = law(W_cc, v_c)   v += W_:c p_c        d v += d W_:c p_c + W_:c d p_c
 *
 * so that each single impact comes by its own best route, and differences, where its law has no
 * other, stay inside one impact.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "impact/derive.h"
#include "impact/tolerance.h"

typedef struct chain {
  const law *l;
  const impact_problem *pr;
  const impact_direction *d;
  core_scratch *s;
  int c;               /* contact of the single impact that is being told; -1: none yet */
  int tie;             /* several closed together, or a single impact has a tie */
  double *p, *v, *gap; /* rows, rows, nc: so far */
  double *dp, *dv, *dgap;
  double *unit;       /* rows: what makes speeds of contacts compare */
  impact_derived how; /* the least exact single impact */
  core_status status;
} chain;

/* ---- one step ---- */

static void fly(chain *z, int c) {
  const impact_problem *pr = z->pr;
  if (!(z->gap[c] > 0)) return;
  double vn = z->v[impact_normal(pr, c)], dt = -z->gap[c] / vn;
  double ddt = -(z->dgap[c] + z->dv[impact_normal(pr, c)] * dt) / vn;
  for (int i = 0; i < pr->nc; i++) {
    double speed = z->v[impact_normal(pr, i)], left = z->gap[i] + speed * dt;
    if (i != c && z->gap[i] > 0 && left <= 4 * DBL_EPSILON * z->gap[i]) z->tie = 1;
    z->dgap[i] += z->dv[impact_normal(pr, i)] * dt + speed * ddt;
    z->gap[i] = fmax(left, 0);
  }
  z->gap[c] = z->dgap[c] = 0;
}

/* the problem of contact c alone and the direction in which it changes, dim x dim and dim */
typedef struct alone {
  double W[9], dW[9], v[3], dv[3], p[3], after[3], dp[3];
  int first, dim;
} alone;

static alone part_of(const chain *z, int c) {
  alone a = {.first = impact_first(z->pr, c), .dim = impact_rows_of(z->pr, c)};
  int rows = z->pr->rows;
  for (int j = 0; j < a.dim; j++) {
    a.v[j] = z->v[a.first + j], a.dv[j] = z->dv[a.first + j];
    for (int i = 0; i < a.dim; i++) {
      int at = (a.first + j) * rows + a.first + i;
      a.W[j * a.dim + i] = z->pr->W[at];
      a.dW[j * a.dim + i] = z->d->W ? z->d->W[at] : 0;
    }
  }
  return a;
}

/* the parameter's part: a list of the law given has become one number in the law of contact c */
static impact_direction direction_of(const chain *z, const law *one, int c, const alone *a) {
  impact_direction way = {.W = a->dW, .v = a->dv, .at = -1};
  const law *given = law_sequential_inner(z->l, -1);
  int touched = z->d->at < 0 || z->d->at == c || one == given;
  if (!z->d->of || !touched) return way;
  way.of = one == given ? z->d->of : one;
  way.param = z->d->param;
  way.at = one == given ? z->d->at : -1;
  return way;
}

static void add(chain *z, const alone *a) {
  int rows = z->pr->rows;
  for (int k = 0; k < a->dim; k++) {
    const double *column = z->pr->W + (a->first + k) * rows;
    const double *change = z->d->W ? z->d->W + (a->first + k) * rows : NULL;
    z->p[a->first + k] += a->p[k], z->dp[a->first + k] += a->dp[k];
    for (int i = 0; i < rows; i++) {
      z->v[i] += column[i] * a->p[k];
      z->dv[i] += column[i] * a->dp[k] + (change ? change[i] * a->p[k] : 0);
    }
  }
  memcpy(z->v + a->first, a->after, (size_t)a->dim * sizeof *a->after);
}

static core_status collide(chain *z, int c) {
  alone a = part_of(z, c);
  const law *one = law_sequential_inner(z->l, c);
  impact_problem pr = {1, a.dim, a.dim, a.W, a.v, NULL, 0, z->pr->in_run, NULL, NULL};
  impact_result r = {.p = a.p, .v = a.after};
  impact_direction way = direction_of(z, one, c, &a);
  core_status status = law_solve(one, &pr, z->s, NULL, &r, NULL);
  if (status) return CORE_UNSUPPORTED;
  status = impact_derive(one, &pr, &r, &way, z->s, a.dp, &z->how, NULL);
  if (!status) add(z, &a);
  return status;
}

/* ---- the chain ---- */

/* a contact that touches and neither leaves nor approaches, but is about to do one of them: whether
 * it takes part is open */
static void look_for_ties(chain *z) {
  const impact_problem *pr = z->pr;
  double speed = 0, change = 0;
  const double *unit = z->unit;
  for (int i = 0; i < pr->rows; i++) {
    speed = fmax(speed, unit[i] * fabs(z->v[i]));
    change = fmax(change, unit[i] * fabs(z->dv[i]));
  }
  for (int c = 0; c < pr->nc; c++) {
    int n = impact_normal(pr, c), still = unit[n] * fabs(z->v[n]) <= TOL_SUM(1) * speed;
    if (!(z->gap[c] > 0) && still && unit[n] * fabs(z->dv[n]) > TOL_PARTS * change) z->tie = 1;
  }
}

/* a contact never collides twice in a row: events of one contact are of one single impact */
static void hear(void *self, const impact_event *e) {
  chain *z = self;
  if (e->contact < 0 || e->contact == z->c || z->status) return;
  z->c = e->contact;
  look_for_ties(z);
  fly(z, z->c);
  z->status = core_interrupted() ? CORE_INTERRUPTED : collide(z, z->c);
  z->tie |= z->how.tie;
}

static core_status take(chain *z, impact_result *r) {
  const impact_problem *pr = z->pr;
  size_t rows = (size_t)pr->rows, nc = (size_t)pr->nc;
  double *x = core_scratch_doubles(z->s, 7 * rows + 2 * nc);
  if (!x) return CORE_NO_MEMORY;
  memset(x, 0, (7 * rows + 2 * nc) * sizeof *x);
  z->p = x, z->v = z->p + rows, z->dp = z->v + rows, z->dv = z->dp + rows;
  r->p = z->dv + rows, r->v = r->p + rows;
  z->gap = r->v + rows, z->dgap = z->gap + nc, z->unit = z->dgap + nc;
  impact_derive_units(pr, z->unit);
  memcpy(z->v, pr->v, rows * sizeof *x);
  if (z->d->v) memcpy(z->dv, z->d->v, rows * sizeof *x);
  for (int c = 0; c < pr->nc && pr->gap; c++) {
    z->gap[c] = pr->gap[c];
    z->dgap[c] = pr->gap[c] > 0 && z->d->gap ? z->d->gap[c] : 0;
  }
  return CORE_OK;
}

/* the law told everything: the impulses here are its own, up to rounding */
static int same(const chain *z, const impact_result *r) {
  double most = 0, far = 0;
  for (int i = 0; i < z->pr->rows; i++) {
    most = fmax(most, fabs(r->p[i]));
    far = fmax(far, fabs(r->p[i] - z->p[i]));
  }
  return far <= TOL_CHAIN * most;
}

core_status impact_derive_chain(const law *l, const impact_problem *pr, const impact_direction *d,
                                core_scratch *s, double *dp, impact_derived *how) {
  if (!law_sequential_inner(l, -1) || d->of == l) return CORE_UNSUPPORTED;
  int lists = law_sequential_inner(l, 0) != law_sequential_inner(l, -1);
  if (lists && d->of && d->of != law_sequential_inner(l, -1)) return CORE_UNSUPPORTED;
  chain z = {.l = l, .pr = pr, .d = d, .s = s, .c = -1};
  impact_result r = {0};
  impact_sink sink = {&z, 0, 0, NULL, hear};
  core_status status = take(&z, &r);
  if (!status) status = law_solve(l, pr, s, &sink, &r, NULL);
  if (status == CORE_NO_MEMORY || status == CORE_INTERRUPTED) return status;
  if (!status) status = z.status;
  if (status) return status == CORE_INTERRUPTED ? status : CORE_UNSUPPORTED;
  if (!same(&z, &r)) return CORE_UNSUPPORTED;
  look_for_ties(&z);
  memcpy(dp, z.dp, (size_t)pr->rows * sizeof *dp);
  *how = z.how;
  how->tie = z.tie;
  return CORE_OK;
}
