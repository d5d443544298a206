/* Several contacts as a chain of single impacts, in the order of closing.
 *
 * With the configuration frozen, contact c closes after gap_c / -v_c. The first one (of several the
 * one that has approached for longest, then the lowest index; flagged as a tie) collides alone by
 * the law given, with its own block of W:
 *
 *   p_c from law(W_cc, v_c),   v += W_:c p_c,   gap += v_n dt between impacts
 *
 * until nothing approaches. Contacts that touch at the start may take part, at once and as often as
 * they are pushed back; flights belong to the simulator, so that one that was open does not (but
 * when all were open the first to close begins). A window that is asked for allows flights up to
 * that long in k.impact, for processes that are one impact (paper B, Fig 5). A contact that is
 * pushed back collides again; `max_events` bounds how often. The ledger is the sum of the single
 * ones.
 *
 * Contacts that press each other (a stack on the floor) hand the rest to and fro without end; what
 * approaches with less than a part TOL_HANDED of the speeds before the impact has come to rest. A
 * queue keeps that short: by index, two neighbours would finish with each other before a third had
 * its turn, and n contacts would take of the order of 25^n impacts.
 *
 * To a sink it tells `close` (a gap is bridged), the events of each single impact with its contact,
 * `open` in place of its end where the contact leaves, and at last `end`.
 */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/interrupt.h"
#include "impact/law.h"
#include "impact/laws/tolerance.h"

typedef struct sequential {
  law *law;       /* for one contact; borrowed: the caller keeps it alive */
  double window;  /* longest flight within one impact [s]; NaN: none, see impact_may_fly */
  int max_events; /* most single impacts */
} sequential;

static const core_param params[] = {
    {"law", "a law", CORE_OBJECT, offsetof(sequential, law), 1, NULL, 0, 0, 0,
     "the law of each single impact; its lists have one number per contact", NULL},
    {"window", "s", CORE_NUMBER, offsetof(sequential, window), 1, "nil", 0, INFINITY,
     CORE_MAY_BE_INF,
     "longest flight of an open contact within one impact; by default, and always in k.simulate, "
     "only those take part that touch at the start",
     NULL},
    {"max_events", "1", CORE_INTEGER, offsetof(sequential, max_events), 1, "1000000", 1, 1e9, 0,
     "stops with the status `limit` after so many single impacts", NULL},
};

/* one law for each contact, where the law given has lists */
typedef struct laws {
  int n;
  law *of[];
} laws;

static void destroy(law *l) {
  laws *each = l->extra;
  for (int c = 0; each && c < each->n; c++) law_free(each->of[c]);
  free(each);
}

static core_status build(law *l, core_error *err) {
  const sequential *q = l->params;
  if (!q->law)
    return core_fail(err, CORE_BAD_INPUT, "%s: law must be a law, got nothing",
                     l->type->schema.owner);
  int n = law_longest_list(q->law);
  if (n < 2) return CORE_OK;
  laws *each = l->extra = calloc(1, sizeof *each + (size_t)n * sizeof *each->of); /* NOLINT */
  if (!each) return core_no_memory(err);
  core_status status = CORE_OK;
  for (int c = 0; c < n && !status; c++) {
    status = law_part(q->law, n, 1, &c, &each->of[c], err);
    each->n = c + 1;
  }
  return status;
}

/* lists of the law given hold for all contacts or have a number for each */
static core_status check_lists(const law *l, int nc, core_error *err) {
  const laws *each = l->extra;
  if (!each || each->n == nc) return CORE_OK;
  return core_fail(err, CORE_BAD_INPUT,
                   "%s: lists of its law must have one number or one per contact (%d), got %d",
                   l->type->schema.owner, nc, each->n);
}

/* where the chain is */
typedef struct chain {
  const impact_problem *pr;
  const sequential *q;
  const laws *each; /* or NULL: q->law for all */
  impact_sink *sink;
  impact_result *r;        /* p and v so far, and the sums of the ledger */
  double *gap;             /* nc [m] */
  double *size;            /* nc: magnitude of the terms that made v_n, for its rounding */
  int *since;              /* nc: impacts before it began to approach; -1: does not approach */
  double rest;             /* slower approach is rest [m/s] */
  double t;                /* [s] */
  int c;                   /* contact that collides */
  int tied;                /* the order of some that closed together was chosen */
  double *W, *p, *v;       /* its problem and result, of at most dim rows: dim x dim, dim, dim */
  double *p_full, *v_full; /* rows: for samples */
  int *mode, *restituting; /* nc: for samples */
} chain;

/* ---- telling ---- */

/* a sample of the single impact, seen from the whole problem; s may be NULL: between impacts */
static impact_sample whole(chain *z, const impact_sample *s) {
  const impact_problem *pr = z->pr;
  int dim = impact_rows_of(pr, z->c), first = impact_first(pr, z->c);
  impact_sample w = {.t = z->t, .p = z->p_full, .v = z->v_full, .mode = z->mode};
  w.restituting = z->restituting;
  if (s) w.strain = s->strain;
  w.lost_restitution = z->r->lost_restitution + (s ? s->lost_restitution : 0);
  w.lost_friction = z->r->lost_friction + (s ? s->lost_friction : 0);
  w.work_normal = -z->r->lost_restitution + (s ? s->work_normal : 0);
  memcpy(z->p_full, z->r->p, (size_t)pr->rows * sizeof *z->p_full);
  memcpy(z->v_full, z->r->v, (size_t)pr->rows * sizeof *z->v_full);
  for (int k = 0; s && k < dim; k++) {
    z->p_full[first + k] += s->p[k];
    for (int i = 0; i < pr->rows; i++) z->v_full[i] += pr->W[(first + k) * pr->rows + i] * s->p[k];
  }
  for (int c = 0; c < pr->nc; c++) z->mode[c] = IMPACT_MODE_OPEN, z->restituting[c] = 0;
  if (s && s->mode) z->mode[z->c] = s->mode[0];
  if (s && s->restituting) z->restituting[z->c] = s->restituting[0];
  return w;
}

static void tell_sample(void *self, const impact_sample *s) {
  chain *z = self;
  impact_sample sample = whole(z, s);
  if (z->sink->sample) z->sink->sample(z->sink->self, &sample);
}

static void tell_event(chain *z, impact_event_kind kind, int contact, const impact_sample *s) {
  impact_event event = {kind, contact, whole(z, s)};
  if (z->sink && z->sink->event) z->sink->event(z->sink->self, &event);
}

static void pass_on(void *self, const impact_event *e) {
  chain *z = self;
  if (e->kind != IMPACT_END)
    tell_event(z, e->kind, z->c, &e->sample);
  else if (e->sample.v[impact_rows_of(z->pr, z->c) - 1] > 0)
    tell_event(z, IMPACT_OPEN, z->c, &e->sample);
}

/* ---- the chain ---- */

/* the rounding of v_n at contact c: what approaches more slowly rests, or slides (law_solve of the
 * single impact says the same) */
static double rounding(const chain *z, int c) {
  double size = z->size[c];
  for (int i = impact_first(z->pr, c); i < impact_normal(z->pr, c); i++) size += fabs(z->r->v[i]);
  return 64 * DBL_EPSILON * size;
}

/* time until contact c closes, or infinity */
static double closing(const chain *z, int c) {
  return z->since[c] >= 0 ? z->gap[c] / -z->r->v[impact_normal(z->pr, c)] : INFINITY;
}

/* who approaches after `impacts` of them */
static void look(chain *z, int impacts) {
  for (int c = 0; c < z->pr->nc; c++) {
    int approaches = z->r->v[impact_normal(z->pr, c)] < -fmax(rounding(z, c), z->rest);
    z->since[c] = !approaches ? -1 : z->since[c] < 0 ? impacts : z->since[c];
  }
}

/* an impulse at contact c changes the velocity at contact d */
static int coupled(const impact_problem *pr, int c, int d) {
  for (int i = impact_first(pr, c); i < impact_first(pr, c + 1); i++)
    for (int j = impact_first(pr, d); j < impact_first(pr, d + 1); j++)
      if (pr->W[i * pr->rows + j] != 0) return 1;
  return 0;
}

/* Sets z->c to the contact that closes next; returns when. Of those that close together the one
 * that has approached for longest is first, then the lowest index: anybody's choice, which is
 * flagged where another order may give another answer. */
static double next(chain *z, int impacts) {
  double first = INFINITY;
  int tied = 0;
  look(z, impacts);
  for (int c = 0; c < z->pr->nc; c++) {
    double t = closing(z, c);
    if (isinf(t) || t > first) continue;
    tied = t == first ? tied || coupled(z->pr, c, z->c) : 0;
    if (t < first || z->since[c] < z->since[z->c]) first = t, z->c = c;
  }
  if (tied) z->tied = 1;
  return first;
}

static void fly(chain *z, double dt) {
  int was_open = z->gap[z->c] > 0;
  for (int c = 0; c < z->pr->nc; c++) {
    double left = z->gap[c] + z->r->v[impact_normal(z->pr, c)] * dt;
    z->gap[c] = left > 4 * DBL_EPSILON * z->gap[c] ? left : 0; /* closes together with z->c */
  }
  z->gap[z->c] = 0;
  z->t += dt;
  if (was_open && z->sink) tell_event(z, IMPACT_CLOSE, z->c, NULL);
}

/* adds the single impact of contact z->c to the whole */
static void add(chain *z, const impact_result *one) {
  const impact_problem *pr = z->pr;
  int dim = impact_rows_of(pr, z->c), first = impact_first(pr, z->c);
  for (int k = 0; k < dim; k++) {
    const double *column = pr->W + (first + k) * pr->rows;
    z->r->p[first + k] += z->p[k];
    for (int i = 0; i < pr->rows; i++) z->r->v[i] += column[i] * z->p[k];
    for (int c = 0; c < pr->nc; c++) z->size[c] += fabs(column[impact_normal(pr, c)] * z->p[k]);
  }
  memcpy(z->r->v + first, z->v, (size_t)dim * sizeof *z->v);
  z->r->lost_restitution += one->lost_restitution;
  z->r->lost_friction += one->lost_friction;
  z->r->stored += one->stored;
  z->r->flags |= one->flags & ~(unsigned)IMPACT_STUCK;
}

static core_status collide(chain *z, core_scratch *s, core_error *err) {
  const impact_problem *pr = z->pr;
  int dim = impact_rows_of(pr, z->c), first = impact_first(pr, z->c);
  double before[3];
  for (int j = 0; j < dim; j++) {
    before[j] = z->r->v[first + j];
    for (int i = 0; i < dim; i++) z->W[j * dim + i] = pr->W[(first + j) * pr->rows + first + i];
  }
  impact_problem one = {1, dim, dim, z->W, before, NULL, 0, z->pr->in_run, NULL, NULL};
  impact_result r = {.p = z->p, .v = z->v};
  impact_sink sink = {z, z->sink ? z->sink->per_phase : 0, z->sink ? z->sink->per_turn : 0,
                      tell_sample, pass_on};
  core_error inner = {0};
  const law *l = z->each ? z->each->of[z->c] : z->q->law;
  core_status status = law_solve(l, &one, s, z->sink ? &sink : NULL, &r, &inner);
  if (status == CORE_OK) add(z, &r);
  if (core_status_good(status)) return CORE_OK;
  return core_fail(err, status, "contact %d: %s", z->c + 1, core_error_text(&inner));
}

static core_status too_many(const chain *z, core_error *err) {
  return core_fail(err, CORE_LIMIT,
                   "law.sequential: %d impacts, and contact %d still approaches at %.3g m/s: raise "
                   "max_events, or use law.newton or law.compliant",
                   z->q->max_events, z->c + 1, -z->r->v[impact_normal(z->pr, z->c)]);
}

/* the next flight, to contact z->c, belongs to this impact; the window may be infinite */
static int goes_on(const chain *z, int begun, double dt) {
  return !isinf(dt) && impact_may_fly(z->pr, z->c, begun, dt, z->q->window, 0);
}

static core_status run(chain *z, core_scratch *s, core_error *err) {
  for (int i = 0;; i++) {
    double dt = next(z, i);
    if (!goes_on(z, i > 0, dt)) return CORE_OK;
    if (i == z->q->max_events) return too_many(z, err);
    if (core_interrupted()) return core_fail(err, CORE_INTERRUPTED, "%s", "");
    fly(z, dt);
    core_status status = collide(z, s, err);
    if (status) return status;
  }
}

static core_status start(chain *z, core_scratch *s) {
  const impact_problem *pr = z->pr;
  size_t rows = (size_t)pr->rows, nc = (size_t)pr->nc, dim = (size_t)pr->dim;
  double *memory = core_scratch_doubles(s, 2 * nc + dim * dim + 2 * dim + 2 * rows);
  z->mode = core_scratch_ints(s, 3 * nc);
  if (!memory || !z->mode) return CORE_NO_MEMORY;
  z->gap = memory, z->size = z->gap + nc, z->W = z->size + nc, z->p = z->W + dim * dim;
  z->v = z->p + dim, z->p_full = z->v + dim, z->v_full = z->p_full + rows;
  z->restituting = z->mode + nc;
  z->since = z->restituting + nc;
  for (int c = 0; c < pr->nc; c++) {
    z->gap[c] = pr->gap ? pr->gap[c] : 0;
    z->size[c] = 0;
    z->since[c] = -1;
    z->rest = fmax(z->rest, TOL_HANDED * fabs(pr->v[impact_normal(pr, c)]));
  }
  impact_nothing(pr, z->r);
  return CORE_OK;
}

static core_status solve(const law *l, const impact_problem *pr, core_scratch *s, impact_sink *sink,
                         impact_result *r, core_error *err) {
  chain z = {.pr = pr, .q = l->params, .each = l->extra, .sink = sink, .r = r};
  core_status status = check_lists(l, pr->nc, err);
  if (status) return status;
  status = start(&z, s);
  if (status) return core_fail(err, status, "%s", "");
  if (!goes_on(&z, 0, next(&z, 0))) return impact_nothing(pr, r);
  z.tied = 0;
  status = run(&z, s, err);
  r->duration = z.t;
  for (int c = 0; c < pr->nc; c++) {
    double *v = &r->v[impact_normal(pr, c)];
    if (*v < 0 && *v >= -fmax(rounding(&z, c), z.rest)) *v = 0;
  }
  if (z.tied) r->flags |= IMPACT_TIE;
  if (status == CORE_OK && sink) tell_event(&z, IMPACT_END, -1, NULL);
  return status;
}

const law_type law_sequential = {
    .schema = {"law.sequential", params, 3, sizeof(sequential)},
    .name = "sequential",
    .doc = "Several contacts as a chain of single impacts by another law, in the order of closing.",
    .paper = "Batlle, Fig 5",
    .example = "k.law.sequential{law = k.law.stronge{e = 0.5, mu = 0.4}}",
    .flags = LAW_MANY | LAW_GAPS | LAW_FRICTION | LAW_MAY_GAIN | LAW_ANY_DIM | LAW_MIXED,
    .inner = &params[0],
    .build = build,
    .destroy = destroy,
    .solve = solve,
};

const law *law_sequential_inner(const law *l, int c) {
  if (l->type != &law_sequential) return NULL;
  const sequential *q = l->params;
  const laws *each = l->extra;
  return each && c >= 0 && c < each->n ? each->of[c] : q->law;
}
