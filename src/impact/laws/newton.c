/* Newton's law: the normal velocity after is -e times the one before (Johnson, sections 3 and 5).
 *
 * Frictionless, any number of contacts, W and v the normal rows:
 *
 *   unilateral   0 <= p,  v+ + e v- >= 0,  p.(v+ + e v-) = 0     v+ = v- + W p
 *   bilateral    v+ + e v- = 0: the notes' block matrix
 *
 * e speaks of contacts that approach. A contact that separates (v- > 0) takes no part; if the
 * others push it back it approaches now, and that is a new collision of those contacts that do not
 * separate: rounds go on until nothing approaches. So nobody penetrates and each round loses
 *
 *   sum p_i (1 - e_i) |v_i-| / 2 >= 0
 *
 * Contacts that only rest (v- = 0 up to 1e-9 of what it could be) always take part, so that two
 * which hand an approach to and fro, slower each time, come to rest together. Redundant rows share
 * the impulse by smallest norm (lcp.h).
 *
 * One contact with friction: the path of planar.c and spatial.c up to v_n+ = -e v_n-. Its normal
 * work can be larger than what compression took: it may create energy, and says so.
 */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/interrupt.h"
#include "impact/laws/rigid/piece.h"
#include "impact/laws/rigid/rigid.h"
#include "impact/laws/tolerance.h"
#include "impact/lcp.h"

enum { ROUNDS = 5000 };

typedef struct newton {
  core_list e;   /* restitution, for all or for each contact */
  double mu;     /* friction, one contact only */
  int bilateral; /* contacts can pull: the notes' equality */
} newton;

static const core_param params[] = {
    {"e", "1", CORE_LIST, offsetof(newton, e), 1, "1", 0, 1, 0,
     "restitution, one number or one per contact", NULL},
    {"mu", "1", CORE_NUMBER, offsetof(newton, mu), 1, "0", 0, INFINITY, CORE_MAY_BE_INF,
     "friction, for one contact", NULL},
    {"bilateral", "1", CORE_FLAG, offsetof(newton, bilateral), 1, "false", 0, 1, 0,
     "contacts can pull as well as push, as in Johnson's notes", NULL},
};

static core_status build(law *l, core_error *err) {
  const newton *p = l->params;
  if (!(p->bilateral && p->mu > 0)) return CORE_OK;
  return core_fail(err, CORE_BAD_INPUT,
                   "%s: bilateral contacts are frictionless: mu must be 0, got %.10g",
                   l->type->schema.owner, p->mu);
}

/* the normal rows of the touching contacts, gathered; each array from the scratch */
typedef struct rows {
  int n;             /* touching contacts */
  int *contact;      /* n: their indices */
  double *W, *v, *e; /* n x n, n, n */
  double *before;    /* n: v at the start [m/s] */
  double *p, *q, *z; /* n: impulse so far, and for one round */
  double *w, *A;     /* n, n x n */
  double *scale;     /* n: the natural size of v_n [m/s] */
  double *sum;       /* n: v- + W p [m/s] */
  double *rounding;  /* n: of its terms [m/s] */
  double *tol;       /* n: for one round [m/s] */
  impact_span *span; /* n: where the columns of W are not zero */
  int *part;         /* n: rows that take part in the round */
  double lost;       /* [J] */
} rows;

/* A body that moves some contact at v_j has a kinetic energy of at least v_j^2/W_jj/2, with which
 * contact i could move at sqrt(W_ii/W_jj) |v_j|. */
static void natural_scale(rows *g) {
  double most = 0;
  for (int j = 0; j < g->n; j++) {
    double w = g->W[j * g->n + j];
    if (w > 0) most = fmax(most, fabs(g->v[j]) / sqrt(w));
  }
  for (int i = 0; i < g->n; i++) g->scale[i] = sqrt(g->W[i * g->n + i]) * most;
}

static core_status gather(const impact_problem *pr, const core_list *e, core_scratch *s, rows *g) {
  size_t n = (size_t)pr->nc;
  double *memory = core_scratch_doubles(s, 2 * n * n + 11 * n);
  g->contact = core_scratch_ints(s, 2 * n);
  g->span = core_scratch_bytes(s, n * sizeof *g->span);
  if (!memory || !g->contact || !g->span) return CORE_NO_MEMORY;
  g->W = memory, g->A = g->W + n * n, g->v = g->A + n * n, g->e = g->v + n, g->p = g->e + n;
  g->q = g->p + n, g->z = g->q + n, g->w = g->z + n, g->scale = g->w + n, g->tol = g->scale + n;
  g->before = g->tol + n, g->sum = g->before + n, g->rounding = g->sum + n;
  g->part = g->contact + n;
  g->n = 0, g->lost = 0;
  for (int c = 0; c < pr->nc; c++)
    if (!pr->gap || pr->gap[c] <= 0) g->contact[g->n++] = c;
  for (int j = 0; j < g->n; j++) {
    int row = impact_normal(pr, g->contact[j]);
    g->v[j] = g->before[j] = pr->v[row], g->p[j] = 0;
    g->e[j] = e ? core_list_at(e, g->contact[j]) : 0;
    for (int i = 0; i < g->n; i++)
      g->W[j * g->n + i] = pr->W[row * pr->rows + impact_normal(pr, g->contact[i])];
  }
  impact_find_spans(g->n, g->W, g->span);
  natural_scale(g);
  return CORE_OK;
}

/* v- + W p, and rounding of the terms that make it */
static void sum_up(rows *g) {
  memcpy(g->sum, g->before, (size_t)g->n * sizeof *g->sum);
  memcpy(g->rounding, g->scale, (size_t)g->n * sizeof *g->scale);
  for (int j = 0; j < g->n; j++)
    for (int i = g->span[j].from; i < g->span[j].to; i++) {
      double term = g->W[j * g->n + i] * g->p[j];
      g->sum[i] += term, g->rounding[i] += fabs(term);
    }
  for (int i = 0; i < g->n; i++) g->rounding[i] *= 64 * g->n * DBL_EPSILON;
}

/* which contacts take part now: all that do not separate; returns 1 when one approaches */
static int next_round(rows *g, int *n) {
  int approaches = 0;
  *n = 0;
  sum_up(g);
  for (int i = 0; i < g->n; i++) { /* what a round leaves to rounding does not add up over many */
    if (fabs(g->sum[i] - g->v[i]) > g->rounding[i]) g->v[i] = g->sum[i];
    if (fabs(g->v[i]) <= g->rounding[i]) g->v[i] = 0;
    if (g->v[i] < 0) approaches = 1;
    if (g->v[i] <= TOL_RESTING * g->scale[i]) g->part[(*n)++] = i;
  }
  return approaches;
}

/* what is asked of a round */
typedef enum asked {
  EQUALITY, /* v+ = -e v- */
  REBOUND,  /* v+ >= -e v-, and >= 0 for what rests */
  PLASTIC,  /* v+ >= 0 */
  REST      /* v+ >= 0 as far as it matters: an approach below TOL_RESTING counts as none */
} asked;

static double target(const rows *g, int i, asked what) {
  if (what == EQUALITY || (what == REBOUND && g->v[i] < -TOL_RESTING * g->scale[i]))
    return -g->e[i] * g->v[i];
  return 0;
}

/* p and v after the round; contacts that pushed have v+ = target to the last bit */
static void apply(rows *g, int n, asked what) {
  for (int k = 0; k < n; k++) {
    int j = g->part[k];
    g->q[k] = g->w[k] + target(g, j, what);
    if (what == REST && g->q[k] < 0) g->q[k] = 0;
    g->lost -= g->z[k] * (g->v[j] + g->q[k]) / 2;
    g->p[j] += g->z[k];
  }
  for (int k = 0; k < n; k++) {
    impact_span to = g->span[g->part[k]];
    for (int i = to.from; i < to.to; i++) g->v[i] += g->W[g->part[k] * g->n + i] * g->z[k];
  }
  for (int k = 0; k < n; k++) g->v[g->part[k]] = g->q[k];
}

/* one simultaneous collision of the n contacts in g->part */
static core_status collide(rows *g, int n, asked what, core_scratch *s, unsigned *flags) {
  int redundant;
  for (int k = 0; k < n; k++) {
    g->q[k] = g->v[g->part[k]] - target(g, g->part[k], what);
    g->tol[k] = what == REST ? TOL_RESTING * g->scale[g->part[k]] : g->rounding[g->part[k]];
    g->w[k] = 0;
    for (int l = 0; l < n; l++) g->A[k * n + l] = g->W[g->part[k] * g->n + g->part[l]];
  }
  core_status status = what == EQUALITY ? law_lcp_equality(n, g->A, g->q, s, g->z, &redundant)
                                        : law_lcp(n, g->A, g->q, g->tol, s, g->z, g->w, &redundant);
  /* no room for a rebound: what is confined comes to rest, with no more to lose than TOL_RESTING */
  if (status == CORE_JAM && what < REST && what > EQUALITY)
    return collide(g, n, what + 1, s, flags);
  if (status) return status;
  if (redundant) *flags |= IMPACT_REDUNDANT;
  apply(g, n, what);
  return CORE_OK;
}

static core_status all_at_once(rows *g, asked what, core_scratch *s, unsigned *flags) {
  sum_up(g);
  for (int i = 0; i < g->n; i++) g->part[i] = i;
  return collide(g, g->n, what, s, flags);
}

/* Bounces to and fro in a narrow wedge: with e < 1 they die out, and the contacts come to rest on
 * each other as in one plastic collision. With e = 1 nobody knows how many are left. */
static core_status after_many(rows *g, core_scratch *s, unsigned *flags) {
  for (int i = 0; i < g->n; i++)
    if (g->e[i] == 1) return CORE_LIMIT;
  return all_at_once(g, PLASTIC, s, flags);
}

static core_status all_rounds(rows *g, core_scratch *s, unsigned *flags) {
  int n;
  for (int round = 0; round < ROUNDS; round++) {
    if (!next_round(g, &n)) return CORE_OK;
    if (core_interrupted()) return CORE_INTERRUPTED;
    core_status status = collide(g, n, REBOUND, s, flags);
    if (status) return status;
  }
  return after_many(g, s, flags);
}

static core_status explain(const law *l, core_status status, core_error *err) {
  const char *text = status == CORE_NO_SOLUTION
                         ? "the rows depend on each other and their restitutions contradict"
                     : status == CORE_LIMIT ? "contacts hand an approach to and fro without end"
                                            : core_status_text(status);
  return core_fail(err, status, "%s: %s", l->type->schema.owner, text);
}

/* the end, and the start before it: a simultaneous collision has no path between */
static core_status tell(const impact_problem *pr, const impact_result *r, core_scratch *s,
                        impact_sink *sink) {
  int *mode = core_scratch_ints(s, 2 * (size_t)pr->nc);
  double *zero = core_scratch_doubles(s, (size_t)pr->rows);
  if (!mode || !zero) return CORE_NO_MEMORY;
  int *restituting = mode + pr->nc;
  for (int i = 0; i < pr->rows; i++) zero[i] = 0;
  for (int c = 0; c < pr->nc; c++) {
    mode[c] = r->p[impact_normal(pr, c)] != 0 ? IMPACT_MODE_SLIP : IMPACT_MODE_OPEN;
    restituting[c] = 0;
  }
  impact_sample sample = {
      .t = NAN, .p = zero, .v = pr->v, .mode = mode, .restituting = restituting};
  if (sink->sample) sink->sample(sink->self, &sample);
  for (int c = 0; c < pr->nc; c++) restituting[c] = 1;
  sample.p = r->p, sample.v = r->v;
  sample.lost_restitution = r->lost_restitution, sample.work_normal = -r->lost_restitution;
  impact_event end = {IMPACT_END, -1, sample};
  if (sink->event) sink->event(sink->self, &end);
  return CORE_OK;
}

static core_status together(const law *l, const impact_problem *pr, const core_list *e,
                            int bilateral, core_scratch *s, impact_sink *sink, impact_result *r,
                            core_error *err) {
  rows g;
  core_status status = gather(pr, e, s, &g);
  if (!status)
    status = bilateral ? all_at_once(&g, EQUALITY, s, &r->flags) : all_rounds(&g, s, &r->flags);
  if (status) return explain(l, status, err);
  for (int i = 0; i < pr->rows; i++) r->p[i] = 0;
  for (int i = 0; i < g.n; i++) r->p[impact_normal(pr, g.contact[i])] = g.p[i];
  impact_velocity_after(pr, r->p, r->v);
  for (int i = 0; i < g.n; i++) r->v[impact_normal(pr, g.contact[i])] = g.v[i];
  r->lost_restitution = g.lost;
  return sink ? tell(pr, r, s, sink) : CORE_OK;
}

static core_status solve_with(const law *l, const core_list *e, double mu, int bilateral,
                              const impact_problem *pr, core_scratch *s, impact_sink *sink,
                              impact_result *r, core_error *err) {
  if (pr->nc == 1 && !bilateral) {
    law_rule rule = {LAW_KINEMATIC, e ? core_list_at(e, 0) : 0, mu, mu};
    return law_rigid_solve(&rule, pr, sink, r, err);
  }
  if (mu > 0)
    return core_fail(err, CORE_UNSUPPORTED,
                     "%s with mu > 0 takes one contact, got %d: use law.moreau, law.glocker, "
                     "law.lzb, law.sequential{law = ...} or law.compliant",
                     l->type->schema.owner, pr->nc);
  return together(l, pr, e, bilateral, s, sink, r, err);
}

static core_status solve(const law *l, const impact_problem *pr, core_scratch *s, impact_sink *sink,
                         impact_result *r, core_error *err) {
  const newton *p = l->params;
  return solve_with(l, &p->e, p->mu, p->bilateral, pr, s, sink, r, err);
}

static core_status solve_plastic(const law *l, const impact_problem *pr, core_scratch *s,
                                 impact_sink *sink, impact_result *r, core_error *err) {
  const newton *p = l->params;
  return solve_with(l, NULL, p->mu, p->bilateral, pr, s, sink, r, err);
}

const law_type law_newton = {
    .schema = {"law.newton", params, 3, sizeof(newton)},
    .name = "newton",
    .doc =
        "Newton's restitution: v_n after = -e v_n before. Without friction it takes any number of "
        "contacts, which only push unless bilateral. With friction it takes one contact. It may "
        "then create energy (flagged), and has no solution where friction wedges the contact on "
        "a singular W.",
    .paper = "Johnson, sections 2 to 5",
    .example = "k.law.newton{e = 0.5}",
    .flags = LAW_MANY | LAW_FRICTION | LAW_MAY_GAIN | LAW_ANY_DIM | LAW_MIXED,
    .friction = &params[1],
    .build = build,
    .solve = solve,
};

const law_type law_plastic = {
    .schema = {"law.plastic", params + 1, 2, sizeof(newton)},
    .name = "plastic",
    .doc = "Newton's law with e = 0: contacts that meet stay together unless others part them. "
           "With friction it takes one contact.",
    .paper = "Johnson, sections 1 to 4",
    .example = "k.law.plastic{}",
    .flags = LAW_MANY | LAW_FRICTION | LAW_ANY_DIM | LAW_MIXED,
    .friction = &params[1],
    .build = build,
    .solve = solve_plastic,
};
