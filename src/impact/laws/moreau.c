/* Friction at many rigid contacts at once, by a cone problem (impact/modes.h).
 *
 * Moreau (algebraic Newton): complementarity of p in the cone |p_t| <= mu p_n with
 *
 *   u_n = v_n+ + e v_n-  (e counts where v_n- < 0),   u_t = v_t+ + e_t v_t-
 *
 * e = 0 is the plastic impact. With friction and e > 0 kinetic energy may grow (Kane): flagged.
 *
 * Glocker and Pfeiffer (Poisson's hypothesis): compression is the problem with e = 0 and gives p_c,
 * v_c; restitution starts from v_c with p_n >= e p_c,n complementary to v_n >= 0, and friction with
 * the whole p_n: no penetration, and at least e times the impulse of compression. With e_t
 * the friction of restitution is kept from taking back what compression stored (turn_back).
 *
 * One contact: with slip that does not reverse both agree with law.newton and law.poisson; where
 * slip stops or turns on the way they differ, because they know the two ends of the impact only.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "impact/law.h"
#include "impact/laws/tolerance.h"
#include "impact/modes.h"

typedef struct moreau {
  core_list mu, e, e_t; /* for all or for each contact */
  double tolerance;     /* residual that will do */
} moreau;

#define FRICTION                                                                                   \
  {                                                                                                \
    "mu", "1", CORE_LIST, offsetof(moreau, mu), 1, "0", 0, INFINITY, CORE_MAY_BE_INF,              \
        "Coulomb friction, one number or one per contact", NULL                                    \
  }
#define RESTITUTION                                                                                \
  {                                                                                                \
    "e", "1", CORE_LIST, offsetof(moreau, e), 1, "1", 0, 1, 0,                                     \
        "normal restitution, one number or one per contact", NULL                                  \
  }

#define RESIDUAL                                                                                   \
  {                                                                                                \
    "tolerance", "1", CORE_NUMBER, offsetof(moreau, tolerance), 1, "1e-12", 1e-12, 1e-3, 0,        \
        "hit.residual that will do; 1e-6 is faster with many contacts (240 rows or more; fewer "   \
        "are solved exactly all the same) unless friction wedges them, which takes the exact "     \
        "way. Velocities may be off by more than it. Dependent contacts then share as the search " \
        "leaves them, and redundant and continuum are not flagged. k.simulate solves exactly "     \
        "whatever is asked: contacts that should stay closed would keep speeds of that size",      \
        NULL                                                                                       \
  }

static const core_param params[] = {
    FRICTION,
    RESTITUTION,
    {"e_t", "1", CORE_LIST, offsetof(moreau, e_t), 1, "0", -1, 1, 0,
     "tangential restitution of sticking contacts, one number or one per contact", NULL},
    RESIDUAL,
};

static const core_param glocker_params[] = {
    FRICTION,
    RESTITUTION,
    {"e_t", "1", CORE_LIST, offsetof(moreau, e_t), 1, "0", 0, 1, 0,
     "how much of the friction impulse of compression comes back: in restitution friction along it "
     "is at least e_t e (|p_t| + mu p_n) - mu e p_n, p that of compression (1: at least e |p_t|; "
     "0: "
     "Coulomb's cone alone; finite mu), one number or one per contact",
     NULL},
    RESIDUAL,
};

/* ---- the touching contacts of a problem, gathered ---- */

typedef struct gathered {
  impact_modes m;
  int *contact;      /* m.nc: their indices in the problem */
  int *first;        /* m.nc + 1 */
  const double *v;   /* rows: v- */
  double *mu;        /* nc */
  double *b, *p, *u; /* rows */
} gathered;

/* 1 when all contacts touch: W and v are the problem's own */
static int find_touching(const impact_problem *pr, gathered *g) {
  int n = 0, rows = 0;
  for (int c = 0; c < pr->nc; c++) {
    if (impact_was_open(pr, c)) continue;
    g->contact[n] = c, g->first[n++] = rows;
    rows += impact_rows_of(pr, c);
  }
  g->first[n] = rows;
  g->m = (impact_modes){.nc = n, .dim = pr->dim, .rows = rows, .first = g->first};
  return n == pr->nc;
}

static void copy_rows(const impact_problem *pr, const gathered *g, double *W, double *v) {
  for (int d = 0; d < g->m.nc; d++)
    for (int j = g->first[d]; j < g->first[d + 1]; j++) {
      int from = impact_first(pr, g->contact[d]) + j - g->first[d];
      v[j] = pr->v[from];
      for (int c = 0; c < g->m.nc; c++)
        memcpy(W + j * g->m.rows + g->first[c],
               pr->W + from * pr->rows + impact_first(pr, g->contact[c]),
               (size_t)(g->first[c + 1] - g->first[c]) * sizeof *W);
    }
}

static core_status gather(const moreau *q, const impact_problem *pr, core_scratch *s, gathered *g) {
  g->contact = core_scratch_ints(s, 2 * (size_t)pr->nc + 1);
  if (!g->contact) return CORE_NO_MEMORY;
  g->first = g->contact + pr->nc;
  int all = find_touching(pr, g);
  size_t n = (size_t)g->m.rows, nc = (size_t)g->m.nc;
  double *x = core_scratch_doubles(s, 4 * n + nc + (all ? 0 : n * n) + 1);
  if (!x) return CORE_NO_MEMORY;
  g->b = x, g->p = x + n, g->u = g->p + n, g->mu = g->u + n;
  double *v = g->mu + nc, *W = v + n;
  if (!all) copy_rows(pr, g, W, v);
  g->v = all ? pr->v : v;
  for (int c = 0; c < g->m.nc; c++) g->mu[c] = core_list_at(&q->mu, g->contact[c]);
  g->m.W = all ? pr->W : W, g->m.b = g->b, g->m.mu = g->mu;
  g->m.enough = pr->in_run ? 0 : q->tolerance;
  if (all && !pr->first) g->m.first = NULL;
  return CORE_OK;
}

/* b = v- + what the restitutions ask for; e and e_t may be NULL: none */
static void aim(const gathered *g, const core_list *e, const core_list *e_t) {
  for (int c = 0; c < g->m.nc; c++) {
    int n = impact_modes_normal(&g->m, c), of = g->contact[c];
    for (int i = impact_modes_first(&g->m, c); i < n; i++)
      g->b[i] = (1 + (e_t ? core_list_at(e_t, of) : 0)) * g->v[i];
    g->b[n] = (1 + (e && g->v[n] < 0 ? core_list_at(e, of) : 0)) * g->v[n];
  }
}

core_status law_moreau_modes(const law *l, const impact_problem *pr, core_scratch *s,
                             struct impact_modes *m) {
  extern const law_type law_moreau;
  gathered g;
  if (l->type != &law_moreau) return CORE_UNSUPPORTED;
  const moreau *q = l->params;
  core_status status = gather(q, pr, s, &g);
  if (status) return status;
  aim(&g, &q->e, &q->e_t);
  *m = g.m, m->enough = 0;
  return CORE_OK;
}

/* ---- from p to a result ---- */

/* the work of a straight path in impulse: what is not friction's is restitution's */
static void keep_ledger(const impact_problem *pr, impact_result *r) {
  double size = 0;
  for (int c = 0; c < pr->nc; c++)
    for (int i = impact_first(pr, c); i <= impact_normal(pr, c); i++) {
      double work = r->p[i] * (pr->v[i] + r->v[i]) / 2;
      *(i == impact_normal(pr, c) ? &r->lost_restitution : &r->lost_friction) -= work;
      size += fabs(r->p[i]) * (fabs(pr->v[i]) + fabs(r->v[i]));
    }
  if (r->lost_restitution + r->lost_friction < -TOL_GAINED * size) r->flags |= IMPACT_GAINS_ENERGY;
}

static void scatter(const gathered *g, const impact_problem *pr, impact_result *r) {
  memset(r->p, 0, (size_t)pr->rows * sizeof *r->p);
  for (int c = 0; c < g->m.nc; c++)
    memcpy(r->p + impact_first(pr, g->contact[c]), g->p + g->first[c],
           (size_t)(g->first[c + 1] - g->first[c]) * sizeof *r->p);
  impact_velocity_after(pr, r->p, r->v);
  keep_ledger(pr, r);
}

/* the start and the end: there is no path between */
static core_status tell(const impact_problem *pr, const impact_result *r, core_scratch *s,
                        impact_sink *sink) {
  double *zero = core_scratch_doubles(s, (size_t)pr->rows);
  int *mode = core_scratch_ints(s, 2 * (size_t)pr->nc);
  if (!zero || !mode) return CORE_NO_MEMORY;
  memset(zero, 0, (size_t)pr->rows * sizeof *zero);
  for (int c = 0; c < pr->nc; c++) {
    int n = impact_normal(pr, c);
    double slip = 0;
    for (int i = impact_first(pr, c); i < n; i++) slip = hypot(slip, r->v[i]);
    mode[c] = r->p[n] <= 0                          ? IMPACT_MODE_OPEN
              : slip > TOL_NO_SLIP * fabs(pr->v[n]) ? IMPACT_MODE_SLIP
                                                    : IMPACT_MODE_STICK;
    mode[pr->nc + c] = 0;
  }
  impact_sample sample = {.t = NAN, .p = zero, .v = pr->v, .mode = mode};
  sample.restituting = mode + pr->nc;
  if (sink->sample) sink->sample(sink->self, &sample);
  for (int c = 0; c < pr->nc; c++) mode[pr->nc + c] = 1;
  sample.p = r->p, sample.v = r->v;
  sample.lost_restitution = r->lost_restitution, sample.lost_friction = r->lost_friction;
  sample.work_normal = -r->lost_restitution;
  impact_event end = {IMPACT_END, -1, sample};
  if (sink->event) sink->event(sink->self, &end);
  return CORE_OK;
}

static core_status conclude(const law *l, const gathered *g, const impact_problem *pr,
                            core_status status, core_scratch *s, impact_sink *sink,
                            impact_result *r, core_error *err) {
  if (status == CORE_NOT_CONVERGED)
    return core_fail(err, status, "%s: no impulses were found to a residual of %.0e",
                     l->type->schema.owner, impact_modes_promise(&g->m));
  if (status)
    return core_fail(err, status, "%s: %s", l->type->schema.owner, core_status_text(status));
  scatter(g, pr, r);
  return sink ? tell(pr, r, s, sink) : CORE_OK;
}

/* The modes, with the impulses of smallest norm where contacts depend on each other (a loose answer
 * does not tell which do); what is left of the law of the contacts is measured in the end, and
 * said. */
static core_status solve_and_share(const impact_modes *m, core_scratch *s, double *p, double *u,
                                   impact_result *r) {
  impact_modes_freedom freedom = IMPACT_MODES_ALONE;
  core_status status = impact_modes_solve(m, s, p, u);
  if (!status && !impact_modes_asked(m)) status = impact_modes_share(m, s, p, u, &freedom);
  if (!status && freedom == IMPACT_MODES_CONTINUUM) {
    status = impact_modes_least(m, s, p, u);
    r->flags |= IMPACT_CONTINUUM;
  }
  if (freedom) r->flags |= IMPACT_REDUNDANT;
  if (status) return status;
  r->residual = fmax(r->residual, impact_modes_true_residual(m, p, u)); /* not the NaN */
  if (r->residual > IMPACT_MODES_PROMISE) r->flags |= IMPACT_INEXACT;
  return CORE_OK;
}

static core_status solve_moreau(const law *l, const impact_problem *pr, core_scratch *s,
                                impact_sink *sink, impact_result *r, core_error *err) {
  const moreau *q = l->params;
  gathered g;
  core_status status = gather(q, pr, s, &g);
  if (status) return core_fail(err, status, "%s", "");
  aim(&g, &q->e, &q->e_t);
  status = solve_and_share(&g.m, s, g.p, g.u, r);
  return conclude(l, &g, pr, status, s, sink, r, err);
}

/* ---- Glocker and Pfeiffer ---- */

/* b = v_c, the end of compression (in g->u); what compression stopped is zero, no rounding, since
 * contacts that wedge find no impulse for that */
static void rest(const double *p_c, gathered *g) {
  int rows = g->m.rows;
  for (int i = 0; i < rows; i++) {
    double terms = fabs(g->v[i]);
    for (int j = 0; j < rows; j++) terms += fabs(g->m.W[j * rows + i] * p_c[j]);
    g->b[i] = fabs(g->u[i]) > TOL_STOPPED * terms ? g->u[i] : 0;
  }
}

/* Restitution from the end of compression (p_c; v_c in g->u): what comes back by itself, `back`,
 * and the problem for the rest. Along d = p_c,t/|p_c,t| friction may take, at p_n = low = e p_c,n,
 *
 *   from  e_t (e |p_c,t| + mu low) - mu low  to  mu low
 *
 * all of its cone with e_t = 0, and with e_t = 1 no less than what compression stored. That is a
 * disc around back_t = d e_t (e |p_c,t| + mu low)/2, and back_n = |back_t|/mu is what it takes of
 * the cone: the rest has cone and least impulse low - back_n >= 0 of the same kind. */
static void turn_back(const moreau *q, const double *p_c, gathered *g, double *low, double *back) {
  const impact_modes *m = &g->m;
  for (int c = 0; c < m->nc; c++) {
    int n = impact_modes_normal(m, c), t = impact_modes_first(m, c), of = g->contact[c];
    double e = core_list_at(&q->e, of), e_t = core_list_at(&q->e_t, of), mu = m->mu[c], stored = 0;
    for (int i = t; i < n; i++) stored = hypot(stored, p_c[i]);
    low[c] = e * fmax(0, p_c[n]);
    double centre = stored > 0 && !isinf(mu) ? e_t * (e * stored + mu * low[c]) / 2 : 0;
    for (int i = t; i < n; i++) back[i] = centre > 0 ? centre * p_c[i] / stored : 0;
    back[n] = centre > 0 ? fmin(low[c], centre / mu) : 0; /* no more than low: rounding */
    low[c] -= back[n];
  }
  rest(p_c, g);
  for (int j = 0; j < m->rows; j++)
    for (int i = 0; i < m->rows && back[j] != 0; i++) g->b[i] += m->W[j * m->rows + i] * back[j];
}

static core_status solve_glocker(const law *l, const impact_problem *pr, core_scratch *s,
                                 impact_sink *sink, impact_result *r, core_error *err) {
  const moreau *q = l->params;
  gathered g;
  core_status status = gather(q, pr, s, &g);
  size_t rows = status ? 0 : (size_t)g.m.rows;
  double *p_c = core_scratch_doubles(s, 3 * rows + 1), *low = p_c + rows, *back = low + rows;
  if (status || !p_c) return core_fail(err, status ? status : CORE_NO_MEMORY, "%s", "");
  aim(&g, NULL, NULL);
  status = solve_and_share(&g.m, s, p_c, g.u, r);
  if (status) return conclude(l, &g, pr, status, s, sink, r, err);
  turn_back(q, p_c, &g, low, back);
  g.m.low = low;
  status = solve_and_share(&g.m, s, g.p, g.u, r);
  for (size_t i = 0; i < rows; i++) g.p[i] += p_c[i] + back[i];
  return conclude(l, &g, pr, status, s, sink, r, err);
}

const law_type law_moreau = {
    .schema = {"law.moreau", params, 4, sizeof(moreau)},
    .name = "moreau",
    .doc =
        "Friction at any number of contacts at once: v_n after = -e v_n before where a contact "
        "presses, Coulomb's cone with the velocities after (Moreau). e = 0 is the plastic impact "
        "with friction. It knows the two ends of an impact only: at one contact it is law.newton "
        "where slip goes on or mu = 0, and differs where slip stops or turns on the way. There it "
        "may also create energy, which is flagged: W = {{1, 0.6}, {0.6, 1}}, v = {-0.5, -1}, "
        "mu = 0.3, e = 1 gains 0.098 J. It never does with e = 0. hit.unique says "
        "whether the answer is the only one, hit.solutions has them all in the plane; dependent "
        "contacts share by smallest norm, and "
        "where each share is another velocity (flag continuum) as contacts that give a little, all "
        "alike. hit.residual says how closely all this is met: to 1e-12, else flag inexact.",
    .paper = "",
    .example = "k.law.moreau{mu = 0.3, e = 0.5}",
    .flags = LAW_MANY | LAW_FRICTION | LAW_MAY_GAIN | LAW_ANY_DIM | LAW_MIXED,
    .friction = &params[0],
    .solve = solve_moreau,
};

const law_type law_glocker = {
    .schema = {"law.glocker", glocker_params, 4, sizeof(moreau)},
    .name = "glocker",
    .doc =
        "Friction at any number of contacts at once by Poisson's hypothesis (Glocker and "
        "Pfeiffer): "
        "compression is plastic, restitution gives at least e times its normal impulses and no "
        "penetration, with Coulomb's cone in both. At one contact it is law.poisson where slip "
        "goes "
        "on or mu = 0, and differs where slip stops or turns within a phase, whose two ends are "
        "all "
        "it knows. With e = 0 it is law.moreau with e = 0. With several contacts it may create "
        "energy (flagged). Dependent contacts share by smallest norm. e_t is Poisson's inequality "
        "for one side of the friction (mu p_n + p_t, the distance from the opposite limit, comes "
        "back at least e_t e times): our own statement, not that of Glocker and Pfeiffer 1995.",
    .paper = "",
    .example = "k.law.glocker{mu = 0.3, e = 0.5}",
    .flags = LAW_MANY | LAW_FRICTION | LAW_MAY_GAIN | LAW_ANY_DIM | LAW_MIXED,
    .friction = &glocker_params[0],
    .solve = solve_glocker,
};
