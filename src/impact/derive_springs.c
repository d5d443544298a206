/* law.compliant and law.vibration in the plane: the impact again, event by event, with derivatives.
 *
 * The law tells the sequence of events and their times; here every number has a derivative beside
 * it. Between events the springs are linear and their motion is a Taylor series,
 *
 *   y = (v, n, x, p):   v' = W F,  n' = v_n,  x' = v_t (stick),  p' = F,
 *   F_n = -k n,  F_t = -kt x (stick),  F_t = -s mu F_n (slip),  kt = k0/eta^2
 *
 * and an event at g = 0 comes later by -dg/g' when the state changes (saltation):
 *
 *   slip     mu F_n - kt |x|            compression_end  v_n:  k -> k/e^2, n -> e^2 n
 *   stick    s v_t + mu (k/kt) v_n      open, close      n
 *
 * What is told differently (held contacts, springs that yield, slip that turns) is not for this
 * route: the impulse is compared with the law's own, and differences take over where it differs.
 */
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "impact/derive.h"

typedef struct dual {
  double x, d;
} dual;

static dual add(dual a, dual b) {
  return (dual){a.x + b.x, a.d + b.d};
}
static dual mul(dual a, dual b) {
  return (dual){a.x * b.x, a.x * b.d + a.d * b.x};
}
static dual over(dual a, dual b) {
  double x = a.x / b.x;
  return (dual){x, (a.d - x * b.d) / b.x};
}
static dual times(double k, dual a) {
  return (dual){k * a.x, k * a.d};
}

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

/* ---- state ---- */

typedef enum grip { LOOSE, STUCK, SLIDING } grip; /* LOOSE: no friction at all */

typedef struct contact {
  int t, n; /* rows; t = n without tangent */
  dual k0, k, kt, mu, e;
  int closed;
  grip grip;
  double sign; /* of slip */
} contact;

typedef struct springs {
  int nc, rows, size; /* size = 2 rows + 2 nc */
  contact *c;
  dual *W;               /* rows x rows */
  dual *y, *term, *rate; /* size: v, n, x, p; and work */
  dual *force;           /* rows */
} springs;

static dual *normal_of(springs *z, dual *y, int i) {
  return y + z->rows + i;
}
static dual *tangent_of(springs *z, dual *y, int i) {
  return y + z->rows + z->nc + i;
}

/* F of a state; springs that are open pull at nothing */
static void forces(springs *z, dual *y) {
  for (int i = 0; i < z->nc; i++) {
    contact *c = &z->c[i];
    dual none = {0, 0};
    z->force[c->n] = c->closed ? times(-1, mul(c->k, *normal_of(z, y, i))) : none;
    if (c->t == c->n) continue;
    z->force[c->t] = none;
    if (c->closed && c->grip == STUCK) z->force[c->t] = times(-1, mul(c->kt, *tangent_of(z, y, i)));
    if (c->closed && c->grip == SLIDING)
      z->force[c->t] = times(-c->sign, mul(c->mu, z->force[c->n]));
  }
}

/* y' = L y, linear in y */
static void rates(springs *z, dual *y, dual *out) {
  int rows = z->rows;
  forces(z, y);
  for (int i = 0; i < rows; i++) {
    dual sum = {0, 0};
    for (int j = 0; j < rows; j++) sum = add(sum, mul(z->W[j * rows + i], z->force[j]));
    out[i] = sum;
    out[rows + 2 * z->nc + i] = z->force[i];
  }
  for (int i = 0; i < z->nc; i++) {
    const contact *c = &z->c[i];
    dual none = {0, 0};
    *normal_of(z, out, i) = y[c->n];
    *tangent_of(z, out, i) = c->closed && c->grip == STUCK && c->t != c->n ? y[c->t] : none;
  }
}

/* fastest rate of the springs, for steps whose series converge at once */
static double fastest(const springs *z) {
  double sum = 0;
  for (int i = 0; i < z->nc; i++) {
    const contact *c = &z->c[i];
    sum += c->k.x * z->W[c->n * z->rows + c->n].x + c->kt.x * z->W[c->t * z->rows + c->t].x;
  }
  return sqrt(sum);
}

enum { ORDER = 24 };

static void advance(springs *z, double t) {
  int steps = 1 + (int)(fabs(t) * fastest(z));
  double h = t / steps;
  for (int s = 0; s < steps; s++) {
    memcpy(z->term, z->y, (size_t)z->size * sizeof *z->y);
    for (int k = 1; k <= ORDER; k++) {
      rates(z, z->term, z->rate);
      for (int i = 0; i < z->size; i++) {
        z->term[i] = times(h / k, z->rate[i]);
        z->y[i] = add(z->y[i], z->term[i]);
      }
    }
  }
}

/* ---- events ---- */

/* rho = mu F_n/kt: how far a tangential spring can be wound up */
static dual reach(springs *z, int i) {
  contact *c = &z->c[i];
  return over(times(-1, mul(c->mu, mul(c->k, *normal_of(z, z->y, i)))), c->kt);
}

static dual event_value(springs *z, const told *e) {
  contact *c = &z->c[e->contact];
  dual n = *normal_of(z, z->y, e->contact), x = *tangent_of(z, z->y, e->contact);
  if (e->kind == IMPACT_COMPRESSION_END) return z->y[c->n];
  if (e->kind == IMPACT_SLIP) return add(reach(z, e->contact), times(x.x > 0 ? -1 : 1, x));
  if (e->kind == IMPACT_STICK)
    return add(times(c->sign, z->y[c->t]), over(mul(c->mu, mul(c->k, z->y[c->n])), c->kt));
  return n;
}

/* d/dt of the same, by the rates of the state */
static double event_rate(springs *z, const told *e) {
  contact *c = &z->c[e->contact];
  rates(z, z->y, z->rate);
  double vn = z->rate[c->n].x, vt = z->rate[c->t].x, soft = c->mu.x * c->k.x / c->kt.x;
  double n = normal_of(z, z->rate, e->contact)->x, x = tangent_of(z, z->rate, e->contact)->x;
  if (e->kind == IMPACT_COMPRESSION_END) return vn;
  if (e->kind == IMPACT_SLIP) return -soft * n - (tangent_of(z, z->y, e->contact)->x > 0 ? x : -x);
  if (e->kind == IMPACT_STICK) return c->sign * vt + soft * vn;
  return n;
}

/* the grip of a contact whose springs begin at zero: it slips if the tangent outruns the cone */
static void begin(springs *z, int i) {
  contact *c = &z->c[i];
  dual none = {0, 0};
  c->closed = 1, c->k = c->k0;
  *normal_of(z, z->y, i) = *tangent_of(z, z->y, i) = none;
  double vt = z->y[c->t].x, vn = z->y[c->n].x;
  c->sign = vt > 0 ? 1 : -1;
  c->grip = c->t == c->n || c->mu.x == 0                       ? LOOSE
            : fabs(vt) > c->mu.x * c->k.x / c->kt.x * fabs(vn) ? SLIDING
                                                               : STUCK;
}

static void change(springs *z, const told *e) {
  contact *c = &z->c[e->contact];
  dual *n = normal_of(z, z->y, e->contact), *x = tangent_of(z, z->y, e->contact), none = {0, 0};
  if (e->kind == IMPACT_SLIP) c->grip = SLIDING, c->sign = x->x > 0 ? 1 : -1;
  if (e->kind == IMPACT_STICK) *x = times(c->sign, reach(z, e->contact)), c->grip = STUCK;
  if (e->kind == IMPACT_OPEN) c->closed = 0, *n = *x = none;
  if (e->kind == IMPACT_CLOSE) begin(z, e->contact);
  if (e->kind != IMPACT_COMPRESSION_END) return;
  dual ee = mul(c->e, c->e);
  c->k = over(c->k, ee);
  *n = mul(*n, ee);
  z->y[c->n] = none;
}

/* from the time of the last event to this one, exactly onto it; 0: it is not there */
static int meet(springs *z, const told *e, double *t, double whole, int *tie) {
  double dt = e->t - *t;
  advance(z, dt);
  for (int i = 0; i < 3; i++) {
    double rate = event_rate(z, e), miss = -event_value(z, e).x / rate;
    if (!(fabs(miss) < 1e-4 * whole)) return 0;
    advance(z, miss);
    dt += miss;
  }
  if (dt < 1e-9 * whole) *tie = 1;
  dual g = event_value(z, e);
  double later = -g.d / event_rate(z, e); /* z->rate holds y' now */
  for (int i = 0; i < z->size; i++) z->y[i].d += z->rate[i].x * later;
  *t = e->t;
  return 1;
}

/* ---- set-up ---- */

static dual parameter(const law *l, const impact_direction *d, const char *key, int c,
                      double otherwise) {
  double x = impact_value(l, key, c);
  return isnan(x) ? (dual){otherwise, 0} : (dual){x, impact_change(l, d, key, c)};
}

static core_status take(const impact_problem *pr, core_scratch *s, springs *z) {
  size_t rows = (size_t)pr->rows, nc = (size_t)pr->nc, size = 2 * rows + 2 * nc;
  dual *x = core_scratch_bytes(s, (rows * rows + 3 * size + rows) * sizeof *x);
  z->c = core_scratch_bytes(s, (nc + 1) * sizeof *z->c);
  if (!x || !z->c) return CORE_NO_MEMORY;
  z->nc = pr->nc, z->rows = pr->rows, z->size = (int)size;
  z->W = x, z->y = x + rows * rows, z->term = z->y + size, z->rate = z->term + size;
  z->force = z->rate + size;
  memset(z->y, 0, size * sizeof *z->y);
  return CORE_OK;
}

static void start(const law *l, const impact_problem *pr, const impact_direction *d, springs *z) {
  for (int i = 0; i < pr->rows * pr->rows; i++) z->W[i] = (dual){pr->W[i], d->W ? d->W[i] : 0};
  for (int i = 0; i < pr->rows; i++) z->y[i] = (dual){pr->v[i], d->v ? d->v[i] : 0};
  for (int i = 0; i < pr->nc; i++) {
    contact *c = &z->c[i];
    dual eta = parameter(l, d, "eta", i, 1);
    *c = (contact){.t = impact_first(pr, i), .n = impact_normal(pr, i)};
    c->k0 = c->k = parameter(l, d, "k", i, 1);
    c->kt = over(c->k0, mul(eta, eta));
    c->mu = parameter(l, d, "mu", i, 0), c->e = parameter(l, d, "e", i, 1);
    if (impact_was_open(pr, i))
      *normal_of(z, z->y, i) = (dual){pr->gap[i], d->gap ? d->gap[i] : 0};
    else if (pr->v[c->n] < 0)
      begin(z, i);
  }
}

/* what this route can follow: contacts in the plane, that rebound, on springs that do not yield */
static int can_follow(const law *l, const impact_problem *pr) {
  const char *name = l->type->name;
  if (strcmp(name, "compliant") && strcmp(name, "vibration")) return 0;
  static const char *const switches[] = {"reload", "published_slip"};
  for (int i = 0; i < 2; i++) {
    const core_param *p = core_schema_find(&l->type->schema, switches[i]);
    if (p && *(const int *)((const char *)l->params + p->at)) return 0;
  }
  for (int c = 0; c < pr->nc; c++) {
    double e = impact_value(l, "e", c), mu = impact_value(l, "mu", c);
    if (impact_rows_of(pr, c) > 2 || e == 0 || isinf(mu)) return 0;
  }
  return 1;
}

static core_status listen(const law *l, const impact_problem *pr, core_scratch *s, sequence *q,
                          impact_result *r) {
  impact_sink sink = {q, 0, NULL, hear};
  q->n = 0;
  core_status status = law_solve(l, pr, s, &sink, r, NULL);
  return status || q->n > MOST || q->n == 0 ? CORE_UNSUPPORTED : CORE_OK;
}

static const double SAME =
    1e-9; /* of the largest impulse: what the law and this route may differ by */

core_status impact_derive_springs(const law *l, const impact_problem *pr, const impact_direction *d,
                                  core_scratch *s, double *dp, int *tie) {
  springs z;
  double t = 0, most = 0, far = 0, *room;
  if (!can_follow(l, pr) || (d->of && d->of != l)) return CORE_UNSUPPORTED;
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
    if (!meet(&z, e, &t, q->list[q->n - 1].t, tie)) return CORE_UNSUPPORTED;
    change(&z, e);
  }
  const dual *p = z.y + z.rows + 2 * z.nc;
  for (int i = 0; i < pr->rows; i++) {
    most = fmax(most, fabs(r.p[i]));
    far = fmax(far, fabs(r.p[i] - p[i].x));
    dp[i] = p[i].d;
  }
  return far <= SAME * most ? CORE_OK : CORE_UNSUPPORTED;
}
