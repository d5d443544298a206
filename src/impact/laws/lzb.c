/* Liu, Zhao and Brogliato's law: rigid contacts whose impulses grow in proportions that the
 * energies they store dictate, with energetic restitution at each and friction along the path.
 *
 * A contact with F = K d^n stores E = K d^(n+1)/(n+1). Impulses grow as
 *
 *   dP_j/dP_i = (K_j/K_i)^(1/(n+1)) (E_j/E_i)^(n/(n+1))
 *   dE_j = -v_j dP_j in compression (v_j < 0),   -v_j dP_j / e_j^2 in expansion
 *
 * which is what springs do in time when an expanding one goes back by d' = -v/e^2. Written so, the
 * start, where all E are zero, is smooth:
 *
 *   d' = -v_n, or -v_n/e^2 in expansion;   p_n' = K d^n;   p_t' by Coulomb;   v = v- + W p
 *
 * In all a contact gives back e^2 of what it took in, however often it is pressed before it opens.
 * e = 0 is free at its greatest compression, the limit of small e; pressed on by others, it begins
 * anew. Only ratios of K matter; with K in N/m^n the times are those of the springs. With n = 1 and
 * e = 1 they are law.compliant's (without tangential springs); one contact is law.stronge;
 * stiffnesses far apart give one impact after the other, as law.sequential has them.
 *
 * With normal forces given by d, friction is a convex problem with one answer (lzb/settle.c): there
 * is no paradox, and energy never grows. Taylor series go from event to event (lzb/series.c).
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/lin.h"
#include "impact/laws/lzb/state.h"
#include "impact/laws/tolerance.h"

static const core_param params[] = {
    {"e", "1", CORE_LIST, offsetof(lzb_params, e), 1, "1", 0, 1, 0,
     "energetic restitution: a contact gives back e^2 of the work that it took in, one number or "
     "one per contact",
     NULL},
    {"exponent", "1", CORE_NUMBER, offsetof(lzb_params, exponent), 1, "1.5", 1, 10, 0,
     "n of the contacts' force F = K d^n: 1 is linear, 1.5 Hertz", NULL},
    {"stiffness", "N/m^n", CORE_LIST, offsetof(lzb_params, stiffness), 1, "1", 0, INFINITY,
     CORE_OPEN_MIN,
     "K of the contacts, one number or one per contact; only their ratios matter, and the times of "
     "the path",
     NULL},
    {"mu", "1", CORE_LIST, offsetof(lzb_params, mu), 1, "0", 0, INFINITY, CORE_MAY_BE_INF,
     "Coulomb friction, one number or one per contact; math.huge sticks as soon as it touches",
     NULL},
    {"max_events", "1", CORE_INTEGER, offsetof(lzb_params, max_events), 1, "20000", 1, 1e9, 0,
     "stops with the status `limit` after so many events", NULL},
};

/* ---- set-up ---- */

static int take_state(lzb *z, lzb_state *s) {
  size_t rows = (size_t)z->rows, nc = (size_t)z->nc;
  s->x = core_scratch_doubles(z->s, nc + 2 * rows);
  if (!s->x) return 0;
  memset(s->x, 0, (nc + 2 * rows) * sizeof *s->x);
  s->v = s->x + nc, s->p = s->v + rows;
  return 1;
}

static int take_series(lzb *z) {
  lzb_series *q = &z->series;
  size_t rows = (size_t)z->rows, nc = (size_t)z->nc;
  q->v = core_scratch_doubles(z->s, rows * (2 * LZB_PAD + 1));
  q->of = core_scratch_bytes(z->s, nc * sizeof *q->of);
  if (!q->v || !q->of) return 0;
  memset(q->v, 0, rows * (2 * LZB_PAD + 1) * sizeof *q->v);
  memset(q->of, 0, nc * sizeof *q->of);
  q->p = q->v + rows * LZB_PAD, q->g = q->p + rows * LZB_PAD;
  return 1;
}

static int take_memory(lzb *z) {
  size_t rows = (size_t)z->rows, nc = (size_t)z->nc;
  struct {
    double **at;
    size_t n;
  } wanted[] = {{&z->W, rows * rows}, {&z->v0, rows},       {&z->f, rows},  {&z->held, rows},
                {&z->later, nc},      {&z->Z, rows * rows}, {&z->d, 2 * nc}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    if (!(*wanted[i].at = core_scratch_doubles(z->s, wanted[i].n))) return 0;
  z->c = core_scratch_bytes(z->s, nc * sizeof *z->c);
  z->found = core_scratch_bytes(z->s, 4 * nc * sizeof *z->found);
  z->stuck = core_scratch_ints(z->s, rows + nc);
  if (!z->c || !z->found || !z->stuck || !lzb_record_start(z)) return 0;
  z->stiff = z->stuck + rows;
  memset(z->c, 0, nc * sizeof *z->c);
  return lzb_live_start(z) && take_state(z, &z->now) && take_state(z, &z->at) && take_series(z) &&
         lzb_lanes_start(z);
}

/* d of one unit: V^2/w = K d^(n+1), the time in which V goes through it */
static int choose_units(lzb *z) {
  const impact_problem *pr = z->pr;
  double V = 0, w = 0, K = 0;
  for (int r = 0; r < pr->rows; r++) V = fmax(V, fabs(pr->v[r]));
  for (int c = 0; c < pr->nc; c++) {
    int n = impact_normal(pr, c);
    if (impact_was_open(pr, c)) continue;
    w = fmax(w, pr->W[n * pr->rows + n]);
    K = fmax(K, core_list_at(&z->q->stiffness, c));
    if (pr->v[n] < 0 && pr->W[n * pr->rows + n] == 0) return 0;
  }
  for (int r = 0; r < pr->rows; r++) z->now.v[r] = z->v0[r] = pr->v[r] / V;
  for (int i = 0; i < pr->rows * pr->rows; i++) z->W[i] = pr->W[i] / w;
  for (int c = 0; c < pr->nc; c++) z->c[c].K = core_list_at(&z->q->stiffness, c) / K;
  z->unit_v = V, z->unit_p = V / w;
  z->unit_t = pow(V * V / (w * K), 1 / (z->q->exponent + 1)) / V;
  return 1;
}

/* |n (n - 1) ... (n - N + 2)|/N!, which is order N of the integral of (1 - t)^n */
static double last_order(double n) {
  double b = 1. / LZB_ORDER;
  for (int k = 1; k < LZB_ORDER; k++) b *= fabs(n - k + 1) / k;
  return b;
}

static void set_contact(lzb *z, int i) {
  lzb_contact *c = &z->c[i];
  c->t = impact_first(z->pr, i);
  c->n = impact_normal(z->pr, i);
  c->mu = fmin(core_list_at(&z->q->mu, i), LIMIT_LZB_MU);
  c->e = core_list_at(&z->q->e, i);
  if (c->e < TOL_LZB_E) c->e = 0;
  c->soft = pow(c->K * (1 + c->mu), -1 / z->q->exponent);
  z->softest = fmin(z->softest, c->K);
  c->length = pow((z->q->exponent + 1) / c->K, 1 / (z->q->exponent + 1));
  c->phase = impact_was_open(z->pr, i) ? LZB_OUT : LZB_PRESSED;
}

/* work of what was left out (lzb/reach.c): the loss by all velocities less that by those that were
 * followed, in SI units */
static double creep_work(const lzb *z, const impact_result *r) {
  double all = 0, followed = 0;
  for (int i = 0; i < z->rows && z->crept; i++) {
    double v = 2 * z->v0[i];
    for (int j = 0; j < z->rows; j++) v += z->W[j * z->rows + i] * z->now.p[j];
    followed -= z->now.p[i] * v / 2;
    all -= r->p[i] * (z->pr->v[i] + r->v[i]) / 2;
  }
  return all - followed * z->unit_v * z->unit_p;
}

static void conclude(lzb *z, impact_result *r) {
  double energy = z->unit_v * z->unit_p;
  for (int i = 0; i < z->rows; i++) r->p[i] = z->now.p[i] * z->unit_p;
  impact_velocity_after(z->pr, r->p, r->v);
  r->lost_restitution = energy * lzb_lost(z, &z->now);
  r->lost_friction = energy * z->now.lost + creep_work(z, r);
  r->duration = z->now.time * z->unit_t;
  if (z->redundant) r->flags |= IMPACT_REDUNDANT;
  for (int i = 0; i < z->nc; i++) {
    const lzb_contact *c = &z->c[i];
    if (c->last == LZB_STICK) r->flags |= IMPACT_STUCK;
    if (lzb_touches(c)) r->stored += energy * lzb_energy(z, c, z->now.x[i]);
  }
}

static core_status run(const law *l, const impact_problem *pr, core_scratch *s, impact_sink *sink,
                       impact_result *r, core_error *err, int plain) {
  lzb z = {.pr = pr, .q = l->params, .s = s, .sink = sink, .err = err, .plain = plain};
  z.nc = pr->nc, z.rows = pr->rows;
  z.is_whole = z.q->exponent == floor(z.q->exponent);
  if (!take_memory(&z)) return core_no_memory(err);
  if (!choose_units(&z)) return core_fail(err, CORE_JAM, "law.lzb: %s", core_status_text(CORE_JAM));
  z.softest = 1;
  for (int i = 0; i < z.nc; i++) set_contact(&z, i);
  z.last_order = last_order(z.q->exponent);
  z.most_energy = 10;
  core_status status = pr->dim == 3 && z.nc > 1 ? lzb_reach(&z) : CORE_OK;
  impact_find_spans(z.rows, z.W, z.span);
  if (!status) status = lzb_run(&z);
  if (!status) conclude(&z, r);
  return status;
}

static core_status solve(const law *l, const impact_problem *pr, core_scratch *s, impact_sink *sink,
                         impact_result *r, core_error *err) {
  return run(l, pr, s, sink, r, err, 0);
}

/* for tests */
core_status lzb_solve_plain(const law *l, const impact_problem *pr, core_scratch *s,
                            impact_sink *sink, impact_result *r, core_error *err) {
  return run(l, pr, s, sink, r, err, 1);
}

const law_type law_lzb = {
    {"law.lzb", params, sizeof params / sizeof *params, sizeof(lzb_params)},
    "lzb",
    "Several rigid contacts at once, with waves: impulses grow in the proportion of the energies "
    "that the contacts store, dP_j/dP_i = (K_j/K_i)^(1/(n+1)) (E_j/E_i)^(n/(n+1)), with energetic "
    "restitution at each and friction along the path. Never creates energy; with friction too it "
    "has one answer, and what friction wedges in keeps its energy as `stored`. Points of one body "
    "that stick share their friction so that all are as far from their limits as may be; one that "
    "comes to its limit stays there while the others hold.",
    "Liu, Zhao and Brogliato 2008",
    "k.law.lzb{ e = 0.9, exponent = 1.5, mu = 0.3 }",
    LAW_MANY | LAW_TIME | LAW_FRICTION | LAW_DIM1 | LAW_DIM2 | LAW_DIM3 | LAW_MIXED,
    .solve = solve,
    .friction = &params[3],
};
