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
#include "impact/derive_rigid.h"

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
  impact_sink sink = {q, 0, 0, NULL, hear};
  q->n = 0;
  core_status status = law_solve(l, pr, s, &sink, &r, NULL);
  return status ? status : q->n > MOST ? CORE_UNSUPPORTED : CORE_OK;
}

/* ---- the path ---- */

typedef struct path {
  dual a, b, c, mu;
  normal n;
  dual pt, vt; /* so far */
  int sticks;
  double sign; /* of sliding */
} path;

static dual rate_t(const path *w) {
  return sub(w->b, times(w->sign, mul(w->mu, w->a)));
}

static dual rate_n(const path *w) {
  if (!w->sticks) return sub(w->c, times(w->sign, mul(w->mu, w->b)));
  if (w->a.x == 0) return w->c;
  return sub(w->c, over(mul(w->b, w->b), w->a));
}

static void go(path *w, dual x) {
  if (!w->sticks) {
    w->pt = sub(w->pt, times(w->sign, mul(w->mu, x)));
    w->vt = add(w->vt, mul(rate_t(w), x));
  } else if (w->a.x > 0) {
    w->pt = sub(w->pt, mul(over(w->b, w->a), x));
  }
  normal_go(&w->n, x, rate_n(w));
}

static void act(path *w, impact_event_kind kind) {
  dual zero = {0, 0};
  int smooth = w->mu.x == 0 && w->mu.d == 0; /* where it slides to is nobody's business */
  if (smooth && kind != IMPACT_COMPRESSION_END) return;
  if (kind == IMPACT_STICK || kind == IMPACT_REVERSAL) {
    dual x = over(minus(w->vt), rate_t(w));
    go(w, x);
    note_length(&w->n, x);
    w->vt = zero;
    w->sticks = kind == IMPACT_STICK;
    w->sign = w->b.x > 0 ? 1 : -1;
  } else if (kind == IMPACT_SLIP) {
    w->sticks = 0;
    w->sign = w->b.x > 0 ? 1 : -1;
  } else if (kind == IMPACT_COMPRESSION_END) {
    dual x = over(minus(w->n.v), rate_n(w));
    go(w, x);
    note_length(&w->n, x);
    normal_turn(&w->n);
  }
}

static path start(const law *l, const impact_problem *pr, const impact_direction *d, ending end) {
  int dim = pr->dim;
  path w = {.c = number_at(pr->W, d->W, dim * dim - 1)};
  w.n = normal_start(l, pr, d, end);
  if (dim == 2) {
    w.a = number_at(pr->W, d->W, 0), w.b = number_at(pr->W, d->W, 1);
    w.vt = number_at(pr->v, d->v, 0);
  }
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
  dual jump = over(minus(w->vt), w->a);
  w->pt = jump;
  w->n.v = add(w->n.v, mul(w->b, jump));
  w->vt = (dual){0, 0};
  return 0;
}

core_status impact_derive_planar(const law *l, const impact_problem *pr, const impact_direction *d,
                                 core_scratch *s, double *dp, int *tie) {
  sequence q;
  ending end;
  if (pr->nc != 1 || pr->dim > 2 || !ending_of(l, &end)) return CORE_UNSUPPORTED;
  path w = start(l, pr, d, end);
  if (isinf(w.mu.x)) return CORE_UNSUPPORTED;
  core_status status = listen(l, pr, s, &q);
  if (status == CORE_NO_IMPACT) return memset(dp, 0, (size_t)pr->rows * sizeof *dp), CORE_OK;
  if (status) return CORE_UNSUPPORTED;
  *tie = starts_still(&w, &q);
  for (int i = 0; i < q.n; i++) {
    if (q.kind[i] == IMPACT_JAM) return CORE_UNSUPPORTED;
    act(&w, q.kind[i]);
  }
  if (!w.n.compressed) return CORE_UNSUPPORTED; /* wedged */
  dual x = normal_last(&w.n, rate_n(&w));
  go(&w, x);
  if (w.n.e.x > 0) note_length(&w.n, x);
  *tie |= w.n.tie;
  if (pr->dim == 2) dp[0] = w.pt.d;
  dp[pr->dim - 1] = w.n.p.d;
  return isfinite(w.n.p.d + w.pt.d) ? CORE_OK : CORE_UNSUPPORTED;
}
