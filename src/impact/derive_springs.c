/* law.compliant and law.vibration: the impact again, event by event, with derivatives.
 *
 * The law tells the sequence of events and their times; here every number has a derivative beside
 * it. Between events the springs move by series (derive_series.c), and an event at g = 0 comes
 * later by -dg/g' when the state changes (saltation):
 *
 *   slip     rho - |x|                  compression_end  v_n:  k -> k/e^2, n -> e^2 n
 *   stick    v_t.d + mu (k/kt) v_n      open, close      n
 *
 * What is told differently (held contacts, springs that yield) is not for this route: the impulse
 * is compared with the law's own, and differences take over where it differs.
 */
#include "impact/derive_springs.h"

#include <string.h>

#include "core/interrupt.h"

/* ---- what the law tells ---- */

enum { MOST = 256 };
typedef struct told {
  impact_event_kind kind;
  int contact;
  double t; /* [s] */
} told;

typedef struct sequence {
  int n;
  told list[MOST];
} sequence;

static void hear(void *self, const impact_event *e) {
  sequence *q = self;
  if (q->n < MOST) q->list[q->n] = (told){e->kind, e->contact, e->sample.t};
  q->n++;
}

/* ---- events ---- */

static dual tangents(const springs *z, int i, int what) { /* x.x, v.d, v.x */
  const contact *c = &z->c[i];
  dual sum = {0, 0};
  for (int j = 0; j < c->m; j++) {
    dual x = spring_of(z, i, j)[0], v = velocity_of(z, c->t + j)[0];
    sum = add(sum, what == 'x' ? mul(x, x) : mul(v, direction_of(z, i, j)[0]));
  }
  return sum;
}

static dual event_value(const springs *z, const told *e) {
  const contact *c = &z->c[e->contact];
  dual n = *normal_of(z, e->contact), vn = *velocity_of(z, c->n);
  if (e->kind == IMPACT_COMPRESSION_END) return vn;
  if (e->kind == IMPACT_SLIP)
    return minus(add(mul(soft(c), n), root(tangents(z, e->contact, 'x'))));
  if (e->kind == IMPACT_STICK) return add(tangents(z, e->contact, 'v'), mul(soft(c), vn));
  return n;
}

/* d/dt of the same, by the first coefficients, which are the rates of the state */
static double event_rate(springs *z, const told *e) {
  const contact *c = &z->c[e->contact];
  double pull = soft(c).x, turn = 0, wind = 0, size = 0;
  springs_expand(z, 1, 1);
  for (int j = 0; j < c->m; j++) {
    const dual *v = velocity_of(z, c->t + j), *d = direction_of(z, e->contact, j),
               *x = spring_of(z, e->contact, j);
    turn += v[1].x * d[0].x + v[0].x * d[1].x;
    wind += x[0].x * x[1].x, size += x[0].x * x[0].x;
  }
  double vn = velocity_of(z, c->n)[1].x, n = normal_of(z, e->contact)[1].x;
  if (e->kind == IMPACT_COMPRESSION_END) return vn;
  if (e->kind == IMPACT_SLIP) return -pull * n - wind / sqrt(size);
  if (e->kind == IMPACT_STICK) return turn + pull * vn;
  return n;
}

/* slides along a vector */
static void slide_along(springs *z, int i, const dual *a) {
  contact *c = &z->c[i];
  dual size = root(c->m == 2 ? dot2(a, a) : mul(a[0], a[0]));
  c->grip = SLIDING;
  for (int j = 0; j < c->m && j < 2; j++) *direction_of(z, i, j) = over(a[j], size);
}

static void no_springs(springs *z, int i) {
  dual none = {0, 0};
  *normal_of(z, i) = *spring_of(z, i, 0) = *spring_of(z, i, 1) = none;
}

/* the grip of a contact whose springs begin at zero: it slips if the tangent outruns the cone */
static void begin(springs *z, int i) {
  contact *c = &z->c[i];
  dual v[2] = {{0, 0}, {0, 0}};
  no_springs(z, i);
  c->closed = 1, c->k = c->k0, c->deepest = 0, c->grip = STUCK;
  for (int j = 0; j < c->m; j++) v[j] = *velocity_of(z, c->t + j);
  if (c->m == 0 || (c->mu.x == 0 && c->mu.d == 0)) {
    c->grip = LOOSE;
  } else if (hypot(v[0].x, v[1].x) > soft(c).x * fabs(velocity_of(z, c->n)->x)) {
    slide_along(z, i, v);
    c->fresh = 1;
  }
}

static void change(springs *z, const told *e) {
  contact *c = &z->c[e->contact];
  dual *n = normal_of(z, e->contact), x[2] = {{0, 0}, {0, 0}};
  for (int j = 0; j < c->m; j++) x[j] = *spring_of(z, e->contact, j);
  if (e->kind == IMPACT_SLIP) slide_along(z, e->contact, x);
  if (e->kind == IMPACT_STICK) {
    c->grip = STUCK;
    for (int j = 0; j < c->m; j++)
      *spring_of(z, e->contact, j) = minus(mul(mul(soft(c), *n), *direction_of(z, e->contact, j)));
  }
  if (e->kind == IMPACT_CLOSE) begin(z, e->contact);
  int ends = e->kind == IMPACT_COMPRESSION_END && c->e.x == 0; /* nothing comes back */
  if (e->kind == IMPACT_OPEN || ends) c->closed = 0, no_springs(z, e->contact);
  if (e->kind != IMPACT_COMPRESSION_END || ends) return;
  dual ee = mul(c->e, c->e);
  c->k = over(c->k, ee);
  c->deepest *= ee.x;
  *n = mul(*n, ee);
  *velocity_of(z, c->n) = (dual){0, 0};
}

/* from the time of the last event to this one, exactly onto it; CORE_UNSUPPORTED: not there */
static core_status meet(springs *z, const told *e, double *t, double whole, int *tie) {
  double dt = e->t - *t;
  core_status status = springs_advance(z, dt);
  for (int i = 0; i < 3 && !status; i++) {
    double rate = event_rate(z, e), miss = -event_value(z, e).x / rate;
    if (!(fabs(miss) < TOL_LANDED_SPRINGS * whole)) return CORE_UNSUPPORTED;
    status = springs_advance(z, miss);
    dt += miss;
  }
  if (status) return status;
  if (dt < TOL_MOMENT * whole) *tie = 1;
  double later = -event_value(z, e).d / event_rate(z, e); /* the series hold the rates now */
  for (int i = 0; i < z->size; i++) springs_series(z, i)[0].d += springs_series(z, i)[1].x * later;
  *t = e->t;
  return CORE_OK;
}

/* ---- set-up ---- */

static dual parameter(const law *l, const impact_direction *d, const char *key, int c,
                      double otherwise) {
  double x = impact_value(l, key, c);
  return isnan(x) ? (dual){otherwise, 0} : (dual){x, impact_change(l, d, key, c)};
}

static core_status take(const impact_problem *pr, core_scratch *s, springs *z) {
  size_t rows = (size_t)pr->rows, nc = (size_t)pr->nc, size = 2 * rows + 5 * nc;
  size_t many = (size + rows + nc) * (SPRINGS_ORDER + 1);
  dual *x = core_scratch_bytes(s, (rows * rows + many) * sizeof *x);
  z->c = core_scratch_bytes(s, (nc + 1) * sizeof *z->c);
  if (!x || !z->c) return CORE_NO_MEMORY;
  memset(x, 0, (rows * rows + many) * sizeof *x);
  z->nc = pr->nc, z->rows = pr->rows, z->size = (int)size;
  z->W = x, z->y = x + rows * rows, z->force = z->y + size * (SPRINGS_ORDER + 1);
  z->along = z->force + rows * (SPRINGS_ORDER + 1);
  return CORE_OK;
}

static void start(const law *l, const impact_problem *pr, const impact_direction *d, springs *z) {
  for (int i = 0; i < pr->rows * pr->rows; i++) z->W[i] = number_at(pr->W, d->W, i);
  for (int i = 0; i < pr->rows; i++) *velocity_of(z, i) = number_at(pr->v, d->v, i);
  for (int i = 0; i < pr->nc; i++) {
    contact *c = &z->c[i];
    dual eta = parameter(l, d, "eta", i, 1);
    *c = (contact){.t = impact_first(pr, i), .n = impact_normal(pr, i)};
    c->m = c->n - c->t;
    c->k0 = c->k = parameter(l, d, "k", i, 1);
    c->kt = over(c->k0, mul(eta, eta));
    c->mu = parameter(l, d, "mu", i, 0), c->e = parameter(l, d, "e", i, 1);
    if (impact_was_open(pr, i))
      *normal_of(z, i) = number_at(pr->gap, d->gap, i);
    else if (pr->v[c->n] < 0)
      begin(z, i);
  }
}

/* what this route can follow: springs that do not yield, and e = 0 that stays so */
static int can_follow(const law *l, const impact_problem *pr, const impact_direction *d) {
  const char *name = l->type->name;
  if (strcmp(name, "compliant") && strcmp(name, "vibration")) return 0;
  static const char *const switches[] = {"reload", "published_slip"};
  for (int i = 0; i < 2; i++) {
    const core_param *p = core_schema_find(&l->type->schema, switches[i]);
    if (p && *(const int *)((const char *)l->params + p->at)) return 0;
  }
  for (int c = 0; c < pr->nc; c++) {
    if (impact_value(l, "e", c) == 0 && impact_change(l, d, "e", c) != 0) return 0;
    if (isinf(impact_value(l, "mu", c))) return 0;
  }
  return 1;
}

static core_status listen(const law *l, const impact_problem *pr, core_scratch *s, sequence *q,
                          impact_result *r) {
  impact_sink sink = {q, 0, 0, NULL, hear};
  q->n = 0;
  core_status status = law_solve(l, pr, s, &sink, r, NULL);
  return status || q->n > MOST || q->n == 0 ? CORE_UNSUPPORTED : CORE_OK;
}

core_status impact_derive_springs(const law *l, const impact_problem *pr, const impact_direction *d,
                                  core_scratch *s, double *dp, int *tie) {
  springs z;
  double t = 0, most = 0, far = 0, *room;
  if (!can_follow(l, pr, d) || (d->of && d->of != l)) return CORE_UNSUPPORTED;
  sequence *q = core_scratch_bytes(s, sizeof *q);
  room = core_scratch_doubles(s, 2 * (size_t)pr->rows);
  if (!q || !room || take(pr, s, &z)) return CORE_NO_MEMORY;
  impact_result r = {.p = room, .v = room + pr->rows};
  core_status status = listen(l, pr, s, q, &r);
  if (status) return status;
  start(l, pr, d, &z);
  for (int i = 0; i < q->n; i++) {
    const told *e = &q->list[i];
    if (e->kind == IMPACT_END) break;
    if (e->kind == IMPACT_REVERSAL || e->kind == IMPACT_JAM || e->contact < 0 || !(e->t >= t))
      return CORE_UNSUPPORTED;
    if (core_interrupted()) return CORE_INTERRUPTED;
    status = meet(&z, e, &t, q->list[q->n - 1].t, tie);
    if (status) return status;
    change(&z, e);
  }
  for (int i = 0; i < pr->rows; i++) {
    most = fmax(most, fabs(r.p[i]));
    far = fmax(far, fabs(r.p[i] - impulse_of(&z, i)->x));
    dp[i] = impulse_of(&z, i)->d;
  }
  return far <= TOL_SAME_ROUTE * most ? CORE_OK : CORE_UNSUPPORTED;
}
