/* Laws that are one complementarity problem: on fixed modes they are linear systems.
 *
 *   u = W p + b,  b = (1 + e) v_n, (1 + e_t) v_t;    open: dp = 0
 *   stick: du = 0;   slip: du_n = 0,  d(p_t + mu p_n s) = 0,  s = u_t/|u_t|
 *
 * with du = W dp + dW p + db. Newton's law without friction, in one round, is the same with no
 * rows t. Glocker's is two of them, one after the other.
 */
#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "impact/derive.h"
#include "impact/modes.h"
#include "impact/tolerance.h"

typedef enum mode { OPEN, STICK, SLIP } mode;

/* one problem with its variation; all of the touching contacts, rows in the order of pr */
typedef struct active {
  const impact_problem *pr;
  const impact_direction *d;
  const double *p, *u, *db; /* rows */
  const double *low, *dlow; /* nc: least normal impulses, or NULL */
  const double *mu, *dmu;   /* nc */
  mode *modes;              /* nc */
  int *pressed;             /* nc: p_n is `low` and u_n > 0, with friction all the same */
  int frictionless;         /* rows t carry nothing */
} active;

static double size_of(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* modes by what p and u are; returns 0 when one of them is about to change */
static int find_modes(const active *a) {
  const impact_problem *pr = a->pr;
  double p = size_of(pr->rows, a->p), u = size_of(pr->rows, pr->v), sure = 1;
  for (int c = 0; c < pr->nc; c++) {
    int n = impact_normal(pr, c), first = impact_first(pr, c);
    double low = a->low ? a->low[c] : 0, pt = 0, ut = 0, more = a->p[n] - low;
    a->modes[c] = OPEN, a->pressed[c] = 0;
    if (impact_was_open(pr, c)) continue;
    for (int i = first; i < n; i++) pt = hypot(pt, a->p[i]), ut = hypot(ut, a->u[i]);
    if (more <= TOL_SURE * p && a->u[n] <= TOL_SURE * u) sure = 0;
    a->pressed[c] = low > 0 && more <= TOL_SURE * p;
    if (more <= TOL_SURE * p && !a->pressed[c]) continue;
    double room = a->mu[c] * a->p[n] - pt;
    a->modes[c] = a->frictionless || a->mu[c] == 0 || ut > TOL_SURE * u ? SLIP : STICK;
    if (n > first && a->mu[c] > 0 && ut <= TOL_SURE * u && room <= TOL_SURE * p) sure = 0;
  }
  return sure > 0;
}

/* row i of d u = W dp + dW p + db, coefficients times `by` added to K (ld k), constant to f */
static void add_velocity(const active *a, int i, double by, int row, double *K, double *f) {
  int rows = a->pr->rows;
  double constant = a->db[i];
  for (int j = 0; j < rows; j++) {
    K[j * rows + row] += by * a->pr->W[j * rows + i];
    if (a->d->W) constant += a->d->W[j * rows + i] * a->p[j];
  }
  f[row] -= by * constant;
}

/* d(p_t + mu p_n s) = 0 for row i of contact c, which slides at u_t */
static void add_slip(const active *a, int c, int i, double *K, double *f) {
  const impact_problem *pr = a->pr;
  int rows = pr->rows, n = impact_normal(pr, c), first = impact_first(pr, c);
  double speed = 0, mu = a->frictionless ? 0 : a->mu[c];
  for (int j = first; j < n; j++) speed = hypot(speed, a->u[j]);
  double s = speed > 0 ? a->u[i] / speed : 0;
  K[i * rows + i] += 1;
  K[n * rows + i] += mu * s;
  f[i] -= (a->frictionless ? 0 : a->dmu[c]) * a->p[n] * s;
  for (int j = first; j < n && n - first == 2 && speed > 0; j++) {
    double turn = (i == j) - s * a->u[j] / speed;
    add_velocity(a, j, mu * a->p[n] * turn / speed, i, K, f);
  }
}

static void add_contact(const active *a, int c, double *K, double *f) {
  const impact_problem *pr = a->pr;
  int n = impact_normal(pr, c), first = impact_first(pr, c), rows = pr->rows;
  if (a->modes[c] == OPEN) {
    for (int i = first; i <= n; i++) K[i * rows + i] = 1;
    return;
  }
  if (a->pressed[c])
    K[n * rows + n] = 1, f[n] = a->dlow[c];
  else
    add_velocity(a, n, 1, n, K, f);
  for (int i = first; i < n; i++)
    if (a->modes[c] == STICK)
      add_velocity(a, i, 1, i, K, f);
    else
      add_slip(a, c, i, K, f);
}

/* dp on the modes found; redundant rows share it by smallest norm, as the laws do */
static core_status solve_active(const active *a, core_scratch *s, double *dp) {
  int rows = a->pr->rows, rank;
  double *K = core_scratch_doubles(s, 2 * (size_t)(rows * rows) + 2 * (size_t)rows), rcond;
  if (!K) return CORE_NO_MEMORY;
  double *copy = K + rows * rows, *f = copy + rows * rows;
  memset(K, 0, (size_t)(rows * rows) * sizeof *K);
  memset(f, 0, (size_t)rows * sizeof *f);
  for (int c = 0; c < a->pr->nc; c++) add_contact(a, c, K, f);
  memcpy(copy, K, (size_t)(rows * rows) * sizeof *K);
  memcpy(dp, f, (size_t)rows * sizeof *f);
  core_status status = core_lin_solve(rows, copy, 1, dp, s, &rcond);
  if (status != CORE_SINGULAR && (status || rcond > TOL_ACTIVE_RCOND)) return status;
  return core_lin_least_squares(rows, rows, K, 1, f, TOL_ACTIVE_RANK, s, dp, &rank);
}

/* ---- what each law asks for ---- */

typedef struct wanted {
  double *b, *db, *u, *mu, *dmu; /* rows, rows, rows, nc, nc */
} wanted;

static core_status take(const impact_problem *pr, core_scratch *s, wanted *w, active *a) {
  double *x = core_scratch_doubles(s, (size_t)(3 * pr->rows + 2 * pr->nc));
  int *k = core_scratch_ints(s, 2 * (size_t)pr->nc);
  if (!x || !k) return CORE_NO_MEMORY;
  w->b = x, w->db = x + pr->rows, w->u = w->db + pr->rows, w->mu = w->u + pr->rows;
  w->dmu = w->mu + pr->nc;
  a->pressed = k, a->modes = (mode *)(k + pr->nc);
  a->db = w->db, a->u = w->u, a->mu = w->mu, a->dmu = w->dmu;
  return CORE_OK;
}

/* b = (1 + share) v and its variation; `restitution` 0: shares are zero. 0: v_n = 0 is a tie */
static int aim(const law *l, const impact_problem *pr, const impact_direction *d, int restitution,
               const wanted *w) {
  int sure = 1;
  double fastest = size_of(pr->rows, pr->v);
  for (int i = 0, c = 0; i < pr->rows; i++) {
    if (i == impact_first(pr, c + 1)) c++;
    int normal = i == impact_normal(pr, c);
    double e = impact_value(l, normal ? "e" : "e_t", c), v = pr->v[i];
    double de = impact_change(l, d, normal ? "e" : "e_t", c);
    int counts = restitution && !isnan(e) && !(normal && v >= 0);
    if (normal && restitution && e > 0 && fabs(v) < TOL_SURE * fastest) sure = 0;
    w->b[i] = (counts ? 1 + e : 1) * v;
    w->db[i] = (counts ? 1 + e : 1) * (d->v ? d->v[i] : 0) + (counts ? de * v : 0);
  }
  for (int c = 0; c < pr->nc; c++) {
    double mu = impact_value(l, "mu", c);
    w->mu[c] = isnan(mu) ? 0 : mu;
    w->dmu[c] = impact_change(l, d, "mu", c);
  }
  return sure;
}

static void velocity(const impact_problem *pr, const double *b, const double *p, double *u) {
  for (int i = 0; i < pr->rows; i++) {
    u[i] = b[i];
    for (int j = 0; j < pr->rows; j++) u[i] += pr->W[j * pr->rows + i] * p[j];
  }
}

static core_status moreau(const law *l, const impact_problem *pr, const impact_result *r,
                          const impact_direction *d, core_scratch *s, double *dp, int *tie) {
  active a = {.pr = pr, .d = d, .p = r->p};
  wanted w;
  core_status status = take(pr, s, &w, &a);
  if (status) return status;
  *tie = !aim(l, pr, d, 1, &w);
  velocity(pr, w.b, r->p, w.u);
  *tie |= !find_modes(&a);
  return solve_active(&a, s, dp);
}

/* Newton's contacts without friction: those that press have v+ = -e v-, if it took one round; a
 * contact that separates takes no part in the first one */
static core_status newton(const law *l, const impact_problem *pr, const impact_result *r,
                          const impact_direction *d, core_scratch *s, double *dp, int *tie) {
  active a = {.pr = pr, .d = d, .p = r->p, .frictionless = 1};
  wanted w;
  if (impact_value(l, "mu", 0) > 0) return CORE_UNSUPPORTED;
  core_status status = take(pr, s, &w, &a);
  if (status) return status;
  *tie = !aim(l, pr, d, 1, &w);
  velocity(pr, w.b, r->p, w.u);
  double fastest = size_of(pr->rows, pr->v);
  for (int c = 0; c < pr->nc; c++) {
    int n = impact_normal(pr, c);
    if (r->p[n] > 0 && (fabs(w.u[n]) > TOL_SURE * fastest || pr->v[n] > 0)) return CORE_UNSUPPORTED;
  }
  *tie |= !find_modes(&a);
  return solve_active(&a, s, dp);
}

/* compression is the problem with e = 0; restitution starts from its v_c with low = e p_c,n */
static core_status glocker(const law *l, const impact_problem *pr, const impact_direction *d,
                           core_scratch *s, double *dp, int *tie) {
  active a = {.pr = pr, .d = d};
  wanted w;
  int rows = pr->rows, nc = pr->nc;
  double *x = core_scratch_doubles(s, (size_t)(5 * rows + 2 * nc));
  core_status status = x ? take(pr, s, &w, &a) : CORE_NO_MEMORY;
  for (int c = 0; c < nc && !status; c++)
    if (impact_was_open(pr, c) || impact_rows_of(pr, c) != pr->dim ||
        impact_value(l, "e_t", c) != 0)
      return CORE_UNSUPPORTED;
  if (status) return status;
  double *p_c = x, *dp_c = p_c + rows, *p = dp_c + rows, *u = p + rows, *du = u + rows;
  double *low = du + rows, *dlow = low + nc;
  aim(l, pr, d, 0, &w);
  impact_modes m = {.nc = nc, .dim = pr->dim, .rows = rows, .W = pr->W, .b = w.b, .mu = w.mu};
  status = impact_modes_solve(&m, s, p_c, u);
  a.p = p_c, a.u = u;
  if (!status) *tie = !find_modes(&a);
  if (!status) status = solve_active(&a, s, dp_c);
  if (status) return status;
  for (int i = 0; i < rows; i++) {
    du[i] = w.db[i];
    for (int j = 0; j < rows; j++)
      du[i] += pr->W[j * rows + i] * dp_c[j] + (d->W ? d->W[j * rows + i] * p_c[j] : 0);
  }
  for (int c = 0; c < nc; c++) {
    int n = impact_normal(pr, c);
    double e = impact_value(l, "e", c);
    low[c] = e * fmax(0, p_c[n]);
    dlow[c] = p_c[n] > 0 ? impact_change(l, d, "e", c) * p_c[n] + e * dp_c[n] : 0;
  }
  memcpy(w.b, u, (size_t)rows * sizeof *u);
  memcpy(w.db, du, (size_t)rows * sizeof *u);
  m.low = low;
  status = impact_modes_solve(&m, s, p, w.u);
  a.p = p, a.u = w.u, a.low = low, a.dlow = dlow;
  if (!status) *tie |= !find_modes(&a);
  if (!status) status = solve_active(&a, s, dp);
  for (int i = 0; i < rows && !status; i++) dp[i] += dp_c[i];
  return status;
}

core_status impact_derive_active(const law *l, const impact_problem *pr, const impact_result *r,
                                 const impact_direction *d, core_scratch *s, double *dp, int *tie) {
  const char *name = l->type->name;
  *tie = 0;
  /* of a continuum contacts that give choose, which is no part of the modes' systems */
  if (r->status || r->flags & IMPACT_CONTINUUM) return CORE_UNSUPPORTED;
  if (r->residual > TOL_SURE) return CORE_UNSUPPORTED; /* a loose answer does not tell its modes */
  const core_param *bilateral = core_schema_find(&l->type->schema, "bilateral");
  if (bilateral && *(const int *)((const char *)l->params + bilateral->at)) return CORE_UNSUPPORTED;
  if (!strcmp(name, "moreau")) return moreau(l, pr, r, d, s, dp, tie);
  if (!strcmp(name, "glocker")) return glocker(l, pr, d, s, dp, tie);
  if (!strcmp(name, "newton") || !strcmp(name, "plastic")) return newton(l, pr, r, d, s, dp, tie);
  return CORE_UNSUPPORTED;
}
