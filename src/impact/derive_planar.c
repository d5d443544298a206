/* One rigid contact with rows (n) or (t, n): its path again, piece by piece, with derivatives.
 *
 * The law tells the sequence of events; here every number has a derivative beside it (dual
 * numbers). With W = [a b; b c], on a piece of normal impulse x
 *
 *   slip   dp_t = -mu s x,  v_t += (b - mu s a) x,  v_n += (c - mu s b) x
 *   stick  dp_t = -b/a x,   v_t = 0,                v_n += (c - b^2/a) x
 *
 * and an event at g = 0 ends the piece at x = -g/g': stick, reversal v_t = 0; end of compression
 * v_n = 0; the end by the law's rule (rigid/rigid.h). Saltation is in x itself: its derivative is
 * that of a quotient.
 */
#include <math.h>
#include <string.h>

#include "impact/derive.h"

typedef struct dual {
  double x, d;
} dual;

static dual add(dual a, dual b) {
  return (dual){a.x + b.x, a.d + b.d};
}
static dual sub(dual a, dual b) {
  return (dual){a.x - b.x, a.d - b.d};
}
static dual mul(dual a, dual b) {
  return (dual){a.x * b.x, a.x * b.d + a.d * b.x};
}
static dual over(dual a, dual b) {
  double x = a.x / b.x;
  return (dual){x, (a.d - x * b.d) / b.x};
}
static dual root(dual a) {
  double x = sqrt(a.x);
  return (dual){x, a.d / (2 * x)};
}
static dual times(double k, dual a) {
  return (dual){k * a.x, k * a.d};
}

/* ---- the sequence ---- */

enum { MOST = 8 };
typedef struct sequence {
  int n;
  impact_event_kind kind[MOST];
} sequence;

static void hear(void *self, const impact_event *e) {
  sequence *q = self;
  if (q->n < MOST) q->kind[q->n] = e->kind;
  q->n++;
}

static core_status listen(const law *l, const impact_problem *pr, core_scratch *s, sequence *q) {
  double p[2], v[2];
  impact_result r = {.p = p, .v = v};
  impact_sink sink = {q, 0, NULL, hear};
  q->n = 0;
  core_status status = law_solve(l, pr, s, &sink, &r, NULL);
  return status ? status : q->n > MOST ? CORE_UNSUPPORTED : CORE_OK;
}

/* ---- the path ---- */

typedef enum ending { ENERGETIC, KINETIC, KINEMATIC } ending;

typedef struct path {
  dual a, b, c, e, mu, before; /* before: v_n */
  dual pt, pn, vt, vn, work;   /* so far */
  dual pc, wc;                 /* at the end of compression */
  ending end;
  int sticks;
  double sign;  /* of sliding */
  double least; /* shortest piece, of the whole impulse */
  int compressed;
} path;

static int ending_of(const law *l, ending *end) {
  const char *name = l->type->name;
  if (!strcmp(name, "stronge")) return *end = ENERGETIC, 1;
  if (!strcmp(name, "poisson")) return *end = KINETIC, 1;
  return *end = KINEMATIC, !strcmp(name, "newton") || !strcmp(name, "plastic");
}

static dual rate_t(const path *w) {
  return sub(w->b, times(w->sign, mul(w->mu, w->a)));
}

static dual rate_n(const path *w) {
  if (!w->sticks) return sub(w->c, times(w->sign, mul(w->mu, w->b)));
  if (w->a.x == 0) return w->c;
  return sub(w->c, over(mul(w->b, w->b), w->a));
}

static void go(path *w, dual x) {
  dual kn = rate_n(w), vn = add(w->vn, mul(kn, x));
  w->work = add(w->work, times(0.5, mul(x, add(w->vn, vn))));
  if (!w->sticks) {
    w->pt = sub(w->pt, times(w->sign, mul(w->mu, x)));
    w->vt = add(w->vt, mul(rate_t(w), x));
  } else if (w->a.x > 0) {
    w->pt = sub(w->pt, mul(over(w->b, w->a), x));
  }
  w->pn = add(w->pn, x);
  w->vn = vn;
}

/* how far the last piece goes */
static dual last(const path *w) {
  dual kn = rate_n(w), one = {1, 0};
  if (w->end == KINETIC) return sub(mul(add(one, w->e), w->pc), w->pn);
  if (w->end == KINEMATIC) return over(sub(times(-1, mul(w->e, w->before)), w->vn), kn);
  if (w->vn.x == 0 && w->vn.d == 0) /* straight from greatest compression */
    return mul(w->e, root(over(times(-2, w->wc), kn)));
  dual rest = sub(sub(w->wc, mul(mul(w->e, w->e), w->wc)), w->work);
  return over(sub(root(add(mul(w->vn, w->vn), times(2, mul(kn, rest)))), w->vn), kn);
}

/* pieces shorter than this part of the impulse: two events as good as together */
static const double TIE = 1e-10;

static void note_length(path *w, double x) {
  w->least = fmin(w->least, fabs(x));
}

static void act(path *w, impact_event_kind kind) {
  dual zero = {0, 0};
  int smooth = w->mu.x == 0 && w->mu.d == 0; /* where it slides to is nobody's business */
  if (smooth && kind != IMPACT_COMPRESSION_END) return;
  if (kind == IMPACT_STICK || kind == IMPACT_REVERSAL) {
    dual x = over(times(-1, w->vt), rate_t(w));
    note_length(w, x.x);
    go(w, x);
    w->vt = zero;
    w->sticks = kind == IMPACT_STICK;
    w->sign = w->b.x > 0 ? 1 : -1;
  } else if (kind == IMPACT_SLIP) {
    w->sticks = 0;
    w->sign = w->b.x > 0 ? 1 : -1;
  } else if (kind == IMPACT_COMPRESSION_END) {
    dual x = over(times(-1, w->vn), rate_n(w));
    note_length(w, x.x);
    go(w, x);
    w->vn = zero;
    w->pc = w->pn, w->wc = w->work;
    w->compressed = 1;
  }
}

static dual at(const double *x, const double *d, int i) {
  return (dual){x[i], d ? d[i] : 0};
}

static path start(const law *l, const impact_problem *pr, const impact_direction *d) {
  int dim = pr->dim, n = dim - 1;
  path w = {.least = INFINITY};
  w.c = at(pr->W, d->W, dim * dim - 1);
  w.vn = w.before = at(pr->v, d->v, n);
  if (dim == 2) w.a = at(pr->W, d->W, 0), w.b = at(pr->W, d->W, 1), w.vt = at(pr->v, d->v, 0);
  double e = impact_value(l, "e", 0);
  w.e = (dual){isnan(e) ? 0 : e, impact_change(l, d, "e", 0)};
  w.mu = (dual){impact_value(l, "mu", 0), impact_change(l, d, "mu", 0)};
  w.sticks = w.vt.x == 0 && w.mu.x > 0;
  w.sign = w.vt.x > 0 ? 1 : -1;
  return w;
}

/* v_t = 0 before the impact. A contact that sticks from there on takes a little v_t away at once,
 * by p_t = -v_t/a, whatever its sign; one that begins to slide does so the way it is pushed, and a
 * little v_t to the other side reverses first: a tie. */
static int starts_still(path *w, const sequence *q) {
  if (!w->sticks || w->vt.d == 0) return 0;
  if (q->n && q->kind[0] == IMPACT_SLIP) return 1;
  dual jump = over(times(-1, w->vt), w->a);
  w->pt = jump;
  w->vn = add(w->vn, mul(w->b, jump));
  w->vt = (dual){0, 0};
  return 0;
}

core_status impact_derive_planar(const law *l, const impact_problem *pr, const impact_direction *d,
                                 core_scratch *s, double *dp, int *tie) {
  sequence q;
  path w;
  if (pr->nc != 1 || pr->dim > 2) return CORE_UNSUPPORTED;
  w = start(l, pr, d);
  if (!ending_of(l, &w.end) || isinf(w.mu.x)) return CORE_UNSUPPORTED;
  core_status status = listen(l, pr, s, &q);
  if (status == CORE_NO_IMPACT) return memset(dp, 0, (size_t)pr->rows * sizeof *dp), CORE_OK;
  if (status) return CORE_UNSUPPORTED;
  *tie = starts_still(&w, &q);
  for (int i = 0; i < q.n; i++) {
    if (q.kind[i] == IMPACT_JAM) return CORE_UNSUPPORTED;
    act(&w, q.kind[i]);
  }
  if (!w.compressed) return CORE_UNSUPPORTED; /* wedged */
  dual x = last(&w);
  if (w.e.x > 0) note_length(&w, x.x);
  go(&w, x);
  *tie |= w.least < TIE * w.pn.x;
  if (pr->dim == 2) dp[0] = w.pt.d;
  dp[pr->dim - 1] = w.pn.d;
  return isfinite(w.pn.d + w.pt.d) ? CORE_OK : CORE_UNSUPPORTED;
}
