/* For the tests of law.compliant and law.vibration: laws from numbers, and all that a sink hears.
 */
#ifndef TESTS_COMPLIANT_HELP_H
#define TESTS_COMPLIANT_HELP_H

#include "impact/laws/compliant/state.h"
#include "law_help.h"

#define ASSERT_BELOW(limit, got) TEST_ASSERT_DOUBLE_WITHIN(limit, 0, got)

enum { ROWS = 16, POINTS = 4096 };

typedef struct moment {
  impact_event_kind kind; /* of an event */
  int contact, is_event;
  double t, p[ROWS], v[ROWS], x[ROWS], force[ROWS], strain, restitution, friction, work;
  double absorbed[ROWS], returned[ROWS];
  int mode[ROWS], restituting[ROWS];
} moment;

typedef struct course {
  impact_result r;
  core_error err;
  double p[ROWS], v[ROWS];
  int rows, nc, n; /* n moments */
  moment at[POINTS];
} course;

static inline void remember(course *c, const impact_sample *s, int is_event,
                            const impact_event *e) {
  if (c->n == POINTS) return;
  moment *m = &c->at[c->n++];
  *m = (moment){.t = s->t,
                .strain = s->strain,
                .restitution = s->lost_restitution,
                .friction = s->lost_friction,
                .work = s->work_normal,
                .is_event = is_event};
  if (e) m->kind = e->kind, m->contact = e->contact;
  size_t bytes = (size_t)c->rows * sizeof(double), ints = (size_t)c->nc * sizeof(int);
  memcpy(m->p, s->p, bytes);
  memcpy(m->v, s->v, bytes);
  memcpy(m->x, s->x, bytes);
  memcpy(m->force, s->force, bytes);
  for (int i = 0; i < c->nc && s->absorbed; i++) {
    m->absorbed[i] = s->absorbed[i];
    m->returned[i] = s->returned[i];
  }
  memcpy(m->mode, s->mode, ints);
  memcpy(m->restituting, s->restituting, ints);
}

static inline void remember_sample(void *self, const impact_sample *s) {
  remember(self, s, 0, NULL);
}

static inline void remember_event(void *self, const impact_event *e) {
  remember(self, &e->sample, 1, e);
}

/* what a test says about the law; lists of one number hold for all contacts */
typedef struct spec {
  double mu[ROWS], e[ROWS], eta[ROWS], k[ROWS];
  int n, printed, plastic; /* plastic: reload */
  double window;           /* 0: as the law has it */
  int max_events;
  double tolerance; /* 0: as the law has it */
} spec;

static inline spec uniform(double mu, double e, double eta) {
  return (spec){.mu = {mu}, .e = {e}, .eta = {eta}, .k = {1e8}, .n = 1};
}

static inline law *compliant_law(const spec *q) {
  const law_type *type = law_find("compliant");
  compliant_params params;
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_schema_defaults(&type->schema, &params));
  core_list_set(&params.mu, q->n, q->mu);
  core_list_set(&params.e, q->n, q->e);
  core_list_set(&params.eta, q->n, q->eta);
  core_list_set(&params.k, q->n, q->k);
  params.published_slip = q->printed;
  params.reload = q->plastic;
  if (q->window > 0) params.window = q->window;
  if (q->max_events > 0) params.max_events = q->max_events;
  if (q->tolerance > 0) params.tolerance = q->tolerance;
  law *l = make_law("compliant", &params);
  core_schema_free(&type->schema, &params);
  return l;
}

/* the course of an impact; per_phase < 0: without a sink. Valid until the next call. */
static inline const course *run_law(const law *l, int nc, int dim, const double *W, const double *v,
                                    const double *gap, int per_phase) {
  static course c;
  memset(&c, 0, offsetof(course, at));
  c.rows = nc * dim, c.nc = nc;
  core_scratch s;
  core_scratch_init(&s);
  impact_problem pr = {nc, dim, nc * dim, W, v, gap, 0, 0, NULL, NULL};
  impact_sink sink = {&c, per_phase, 0, remember_sample, remember_event};
  c.r.p = c.p, c.r.v = c.v;
  law_solve(l, &pr, &s, per_phase < 0 ? NULL : &sink, &c.r, &c.err);
  core_scratch_free(&s);
  return &c;
}

static inline const course *run_spec(const spec *q, int nc, int dim, const double *W,
                                     const double *v, const double *gap, int per_phase) {
  law *l = compliant_law(q);
  const course *c = run_law(l, nc, dim, W, v, gap, per_phase);
  law_free(l);
  return c;
}

/* a copy that lasts for the next three calls */
static inline const course *keep(const course *c) {
  static course kept[4];
  static int next;
  course *copy = &kept[next++ % 4];
  memcpy(copy, c, offsetof(course, at) + (size_t)c->n * sizeof *c->at);
  return copy;
}

/* the events as words: "stick0 compression_end0 end" */
static inline const char *tale(const course *c) {
  static char text[4096];
  size_t at = 0;
  text[0] = 0;
  for (int i = 0; i < c->n && at < sizeof text - 40; i++) {
    if (!c->at[i].is_event) continue;
    at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", at ? " " : "",
                           impact_event_word(c->at[i].kind));
    if (c->at[i].contact >= 0 && c->nc > 1)
      at += (size_t)snprintf(text + at, sizeof text - at, "%d", c->at[i].contact);
  }
  return text;
}

/* the i-th event of that kind and contact (any when < 0) */
static inline const moment *event_of(const course *c, impact_event_kind kind, int contact, int i) {
  for (int j = 0; j < c->n; j++)
    if (c->at[j].is_event && c->at[j].kind == kind &&
        (contact < 0 || c->at[j].contact == contact) && i-- == 0)
      return &c->at[j];
  TEST_FAIL_MESSAGE("no such event");
  return NULL;
}

static inline double kinetic_change(int rows, const double *p, const double *v0, const double *v) {
  double sum = 0;
  for (int i = 0; i < rows; i++) sum += p[i] * (v0[i] + v[i]) / 2;
  return sum;
}

/* kinetic + strain + losses stay what they were, at every moment and in the result */
static inline double worst_ledger(const course *c, const double *v0) {
  double worst = 0, size = 0;
  for (int i = 0; i < c->n; i++) {
    const moment *m = &c->at[i];
    double sum = kinetic_change(c->rows, m->p, v0, m->v) + m->strain + m->restitution + m->friction;
    worst = fmax(worst, fabs(sum));
    size = fmax(size, m->strain + m->restitution + m->friction);
  }
  double sum = kinetic_change(c->rows, c->p, v0, c->v) + c->r.lost_restitution +
               c->r.lost_friction + c->r.stored;
  worst = fmax(worst, fabs(sum));
  return worst / fmax(size, c->r.lost_restitution + c->r.lost_friction + 1e-300);
}

#endif
