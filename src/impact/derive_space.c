/* One rigid contact in space: its path again, event by event, with derivatives.
 *
 * The law tells the sequence of events and p_n at each; here every number has a derivative beside
 * it. While the contact slides along v_t = s d, |d| = 1, with dp_n = s dtau,
 *
 *   a = W_tn - mu W_tt d,  g = d.a:   d' = a - g d,   s' = g s,   p_n' = s,   p_t' = -mu s d,
 *                                     v_n' = s (W_nn - mu W_tn.d),   work' = s v_n
 *
 * are polynomials, and their Taylor series come from products of series. An event of the normal
 * direction (derive_rigid.h) at f(tau) = 0 comes later by -df/f', and the series are read there:
 * its saltation. Sliding stops at tau = infinity, where s falls as an exponential; what is left of
 * the way is straight when s is rounding. From there on all is straight:
 *
 *   stick      dp_t = -W_tt^-1 W_tn dp_n
 *   reversal   along d with (g + mu W_tt) d = W_tn, |d| = 1, g > 0
 */
#include "core/interrupt.h"
#include "impact/derive_rigid.h"

enum { MOST = 8, ORDER = 24, STEPS = 4000 };

/* ---- what the law tells ---- */

typedef struct sequence {
  int n;
  impact_event_kind kind[MOST];
  double p[MOST]; /* normal impulse so far [N s] */
} sequence;

static void hear(void *self, const impact_event *e) {
  sequence *q = self;
  if (q->n < MOST) q->kind[q->n] = e->kind, q->p[q->n] = e->sample.p[2];
  q->n++;
}

/* of two events at one impulse, which rounding has put in some order, the one that ends sliding */
static void bends_first(sequence *q) {
  for (int i = 1; i < q->n; i++) {
    int bend = q->kind[i] == IMPACT_STICK || q->kind[i] == IMPACT_REVERSAL;
    if (!bend || q->kind[i - 1] != IMPACT_COMPRESSION_END) continue;
    if (q->p[i] - q->p[i - 1] > TOL_TOGETHER * q->p[i]) continue;
    q->kind[i - 1] = q->kind[i], q->kind[i] = IMPACT_COMPRESSION_END;
  }
}

static core_status listen(const law *l, const impact_problem *pr, core_scratch *s, sequence *q,
                          double *p) {
  double v[3];
  impact_result r = {.p = p, .v = v};
  impact_sink sink = {q, 0, 0, NULL, hear};
  q->n = 0;
  core_status status = law_solve(l, pr, s, &sink, &r, NULL);
  if (!status && q->n <= MOST) bends_first(q);
  return status ? status : q->n > MOST ? CORE_UNSUPPORTED : CORE_OK;
}

/* ---- the path ---- */

typedef struct path {
  dual tt[3], tn[2], nn, mu; /* W_tt as xx, xy, yy */
  normal n;
  dual d[2], s, pt[2]; /* direction and speed of sliding, impulse so far */
  int straight;        /* v_t = 0 is behind: dp_t = along dp_n, dv_n = slope dp_n */
  dual along[2], slope;
} path;

static void turn(const dual *tt, const dual *x, dual *out) {
  out[0] = add(mul(tt[0], x[0]), mul(tt[1], x[1]));
  out[1] = add(mul(tt[1], x[0]), mul(tt[2], x[1]));
}

static void go(path *w, dual x) {
  for (int i = 0; i < 2; i++) w->pt[i] = add(w->pt[i], mul(w->along[i], x));
  normal_go(&w->n, x, w->slope);
}

/* straight along `along` from here on */
static void set_straight(path *w, dual first, dual second) {
  w->along[0] = first, w->along[1] = second;
  w->slope = add(w->nn, dot2(w->tn, w->along));
  w->straight = 1;
}

/* ---- sliding that turns ---- */

typedef dual series[ORDER + 1];
typedef struct expansion {
  series d[2], s, p, t[2], v, work;
  double rate; /* of tau [1/kg] */
} expansion;

static void expand(const path *w, expansion *x) {
  series a[2], g;
  double R = hypot(w->tn[0].x, w->tn[1].x) + w->mu.x * (w->tt[0].x + w->tt[2].x);
  x->rate = R;
  for (int i = 0; i < 2; i++) x->d[i][0] = w->d[i], x->t[i][0] = w->pt[i];
  x->s[0] = w->s, x->p[0] = w->n.p, x->v[0] = w->n.v, x->work[0] = w->n.work;
  for (int k = 0; k < ORDER; k++) {
    dual here[2] = {x->d[0][k], x->d[1][k]}, Wd[2], none = {0, 0}, along = none;
    double f = 1 / (R * (k + 1));
    turn(w->tt, here, Wd);
    for (int i = 0; i < 2; i++) a[i][k] = sub(k ? none : w->tn[i], mul(w->mu, Wd[i]));
    g[k] = add(product(k, x->d[0], a[0]), product(k, x->d[1], a[1]));
    for (int i = 0; i < 2; i++) {
      dual sd = product(k, x->s, x->d[i]);
      x->d[i][k + 1] = times(f, sub(a[i][k], product(k, g, x->d[i])));
      x->t[i][k + 1] = times(-f, mul(w->mu, sd));
      along = add(along, mul(w->tn[i], sd));
    }
    x->s[k + 1] = times(f, product(k, g, x->s));
    x->p[k + 1] = times(f, x->s[k]);
    x->v[k + 1] = times(f, sub(mul(w->nn, x->s[k]), mul(w->mu, along)));
    x->work[k + 1] = times(f, product(k, x->s, x->v));
  }
}

/* from the last two coefficients of the direction and of s, their derivatives' too */
static double reach(const expansion *x) {
  double most = REACH_OF_SERIES, slow = 1; /* of exponentials, one e-fold */
  for (int i = 0; i < 2; i++) slow = fmax(slow, fabs(x->d[i][0].d));
  for (int k = ORDER - 1; k <= ORDER; k++) {
    double size = fabs(x->s[k].x / x->s[0].x);
    for (int i = 0; i < 2; i++)
      size = fmax(size, fmax(fabs(x->d[i][k].x), fabs(x->d[i][k].d) / slow));
    if (size > 0) most = fmax(most, pow(size, 1. / k));
  }
  return REACH_OF_SERIES / most;
}

static void move_to(path *w, const expansion *x, dual t) {
  for (int i = 0; i < 2; i++) {
    w->d[i] = series_at(ORDER, x->d[i], t);
    w->pt[i] = series_at(ORDER, x->t[i], t);
  }
  dual size = root(dot2(w->d, w->d));
  for (int i = 0; i < 2; i++) w->d[i] = over(w->d[i], size);
  w->s = series_at(ORDER, x->s, t);
  w->n.p = series_at(ORDER, x->p, t), w->n.v = series_at(ORDER, x->v, t);
  w->n.work = series_at(ORDER, x->work, t);
}

/* the function of the next event at t, and its rate */
static dual event_at(const path *w, const expansion *x, double t, double *rate) {
  dual at = {t, 0};
  double p = series_rate(ORDER, x->p, t), v = series_rate(ORDER, x->v, t);
  const normal *n = &w->n;
  *rate = !n->compressed || n->end == KINEMATIC ? v : p;
  if (n->compressed && n->end == ENERGETIC) *rate = series_rate(ORDER, x->work, t);
  return normal_event(n, series_at(ORDER, x->p, at), series_at(ORDER, x->v, at),
                      series_at(ORDER, x->work, at));
}

/* tau at which p_n is what the law has told: it rises all the way */
static double find(const expansion *x, double p, double step) {
  double low = 0, high = step, t = step / 2;
  for (int i = 0; i < 60 && high - low > TOL_STEP_DONE * step; i++) {
    dual at = {t, 0};
    double miss = series_at(ORDER, x->p, at).x - p, rate = series_rate(ORDER, x->p, t);
    if (miss > 0)
      high = t;
    else
      low = t;
    t -= miss / rate;
    if (!(t > low && t < high)) t = (low + high) / 2;
  }
  return t;
}

/* onto the event near t, with its saltation; 0: it is not there */
static int land(path *w, const expansion *x, double t, double step) {
  double rate, from = t;
  for (int i = 0; i < 4; i++) {
    dual f = event_at(w, x, t, &rate);
    t -= f.x / rate;
  }
  if (!(fabs(t - from) < TOL_LANDED * step)) return 0;
  dual f = event_at(w, x, t, &rate);
  move_to(w, x, (dual){t, -f.d / rate});
  return 1;
}

/* slides to where the law has told p_n: an event of the normal direction */
static core_status slide_to(path *w, double p) {
  expansion x;
  for (int i = 0; i < STEPS; i++) {
    if (core_interrupted()) return CORE_INTERRUPTED;
    expand(w, &x);
    double step = reach(&x);
    dual end = {step, 0};
    if (series_at(ORDER, x.p, end).x >= p)
      return land(w, &x, find(&x, p, step), step) ? CORE_OK : CORE_UNSUPPORTED;
    move_to(w, &x, end);
  }
  return CORE_UNSUPPORTED;
}

/* slides until v_t = 0; the last bit is straight */
static core_status slide_out(path *w, double most) {
  expansion x;
  for (int i = 0; i < STEPS; i++) {
    dual Wd[2], a[2];
    if (core_interrupted()) return CORE_INTERRUPTED;
    turn(w->tt, w->d, Wd);
    for (int j = 0; j < 2; j++) a[j] = sub(w->tn[j], mul(w->mu, Wd[j]));
    dual g = dot2(w->d, a);
    double turned = fmax(1, fmax(fabs(w->d[0].d), fabs(w->d[1].d)));
    expand(w, &x);
    if (g.x < 0 && w->s.x * turned * x.rate <= TOL_STRAIGHT * -g.x * most) {
      set_straight(w, minus(mul(w->mu, w->d[0])), minus(mul(w->mu, w->d[1])));
      go(w, over(minus(w->s), g));
      return CORE_OK;
    }
    move_to(w, &x, (dual){reach(&x), 0});
  }
  return CORE_UNSUPPORTED;
}

/* ---- after v_t = 0 ---- */

/* x with (g + k W_tt) x = b */
static void solve(const path *w, dual g, dual k, const dual *b, dual *x) {
  dual xx = add(g, mul(k, w->tt[0])), xy = mul(k, w->tt[1]), yy = add(g, mul(k, w->tt[2]));
  dual det = sub(mul(xx, yy), mul(xy, xy));
  x[0] = over(sub(mul(yy, b[0]), mul(xy, b[1])), det);
  x[1] = over(sub(mul(xx, b[1]), mul(xy, b[0])), det);
}

static int can_invert(const path *w) {
  double det = w->tt[0].x * w->tt[2].x - w->tt[1].x * w->tt[1].x, most = w->tt[0].x + w->tt[2].x;
  return det > TOL_ISOTROPIC * most * most;
}

static void stick(path *w) {
  dual x[2], none = {0, 0}, one = {1, 0};
  solve(w, none, one, w->tn, x);
  set_straight(w, minus(x[0]), minus(x[1]));
}

/* Newton's method on 1/|d(g)| - 1, concave and rising, from the left of its root; the derivative
 * follows one step behind the value */
static void leave(path *w) {
  double b = hypot(w->tn[0].x, w->tn[1].x), most = w->tt[0].x + w->tt[2].x;
  dual g = {fmax(0, b - w->mu.x * most), 0}, d[2], e[2];
  for (int i = 0; i < 60; i++) {
    solve(w, g, w->mu, w->tn, d);
    solve(w, g, w->mu, d, e); /* -d' */
    dual square = dot2(d, d), size = root(square), one = {1, 0};
    dual step = over(mul(sub(size, one), square), dot2(d, e));
    g = add(g, step);
    if (i > 8 && fabs(step.x) <= TOL_RATE * g.x &&
        fabs(step.d) <= TOL_RATE_CHANGE * (g.x + fabs(g.d)))
      break;
  }
  solve(w, g, w->mu, w->tn, d);
  set_straight(w, minus(mul(w->mu, d[0])), minus(mul(w->mu, d[1])));
}

/* v_t = 0 before the impact, and it sticks: a little v_t is taken away at once */
static void start_still(path *w, const dual *v) {
  dual jump[2], none = {0, 0}, one = {1, 0};
  solve(w, none, one, v, jump);
  for (int i = 0; i < 2; i++) w->pt[i] = minus(jump[i]);
  w->n.v = sub(w->n.v, dot2(w->tn, jump));
  stick(w);
}

/* ---- the whole ---- */

static core_status act(path *w, impact_event_kind kind, double p, double most) {
  core_status status = CORE_OK;
  dual from = w->n.p;
  if (kind == IMPACT_STICK || kind == IMPACT_REVERSAL) {
    status = slide_out(w, most);
    if (status) return status;
    kind == IMPACT_STICK ? stick(w) : leave(w);
  } else if (kind == IMPACT_SLIP) {
    leave(w);
    return CORE_OK;
  } else if (!w->straight) {
    status = slide_to(w, p);
    if (kind == IMPACT_COMPRESSION_END) normal_turn(&w->n);
  } else {
    go(w, kind == IMPACT_END ? normal_last(&w->n, w->slope) : over(minus(w->n.v), w->slope));
    if (kind == IMPACT_COMPRESSION_END) normal_turn(&w->n);
  }
  note_length(&w->n, sub(w->n.p, from));
  return status;
}

static path start(const law *l, const impact_problem *pr, const impact_direction *d, ending end) {
  path w = {.nn = number_at(pr->W, d->W, 8)};
  static const int tt[3] = {0, 1, 4}, tn[2] = {2, 5};
  for (int i = 0; i < 3; i++) w.tt[i] = number_at(pr->W, d->W, tt[i]);
  for (int i = 0; i < 2; i++) w.tn[i] = number_at(pr->W, d->W, tn[i]);
  w.mu = (dual){impact_value(l, "mu", 0), impact_change(l, d, "mu", 0)};
  w.n = normal_start(l, pr, d, end);
  return w;
}

/* sets out: sliding, or sticking from the start; *tie: which way it slides is not decided */
static void set_out(path *w, const impact_problem *pr, const impact_direction *d, const sequence *q,
                    int *tie) {
  dual v[2] = {number_at(pr->v, d->v, 0), number_at(pr->v, d->v, 1)}, none = {0, 0};
  if (w->mu.x == 0 && w->mu.d == 0) {
    set_straight(w, none, none);
  } else if (v[0].x != 0 || v[1].x != 0) {
    w->s = root(dot2(v, v));
    for (int i = 0; i < 2; i++) w->d[i] = over(v[i], w->s);
  } else if (q->kind[0] == IMPACT_SLIP) {
    *tie = v[0].d != 0 || v[1].d != 0;
  } else {
    start_still(w, v);
  }
}

static core_status follow(path *w, const sequence *q, double most) {
  core_status status = CORE_OK;
  for (int i = 0; i < q->n && !status; i++) {
    impact_event_kind kind = q->kind[i];
    if (kind == IMPACT_JAM) return CORE_UNSUPPORTED;
    int ends = kind == IMPACT_END;
    if (ends && !w->n.compressed) return CORE_UNSUPPORTED; /* wedged */
    if (ends && w->n.e.x == 0) { /* e = 0 may still be about to change: straight, of no length */
      if (!w->straight) set_straight(w, minus(mul(w->mu, w->d[0])), minus(mul(w->mu, w->d[1])));
      go(w, normal_last(&w->n, w->slope));
      return CORE_OK;
    }
    status = act(w, kind, q->p[i], most);
    if (ends) return status;
  }
  return status ? status : CORE_UNSUPPORTED;
}

core_status impact_derive_space(const law *l, const impact_problem *pr, const impact_direction *d,
                                core_scratch *s, double *dp, int *tie) {
  sequence q;
  ending end;
  double p[3], most = 0, far = 0;
  if (pr->nc != 1 || pr->dim != 3 || !ending_of(l, &end)) return CORE_UNSUPPORTED;
  path w = start(l, pr, d, end);
  if (isinf(w.mu.x)) return CORE_UNSUPPORTED;
  core_status status = listen(l, pr, s, &q, p);
  if (status == CORE_NO_IMPACT) return memset(dp, 0, 3 * sizeof *dp), CORE_OK;
  if (status || q.n == 0 || (w.mu.x > 0 && !can_invert(&w))) return CORE_UNSUPPORTED;
  for (int i = 0; i < 3; i++) most = hypot(most, pr->v[i]);
  set_out(&w, pr, d, &q, tie);
  status = follow(&w, &q, most);
  if (status) return status;
  const dual *at[3] = {&w.pt[0], &w.pt[1], &w.n.p};
  most = 0;
  for (int i = 0; i < 3; i++) {
    most = fmax(most, fabs(p[i]));
    far = fmax(far, fabs(p[i] - at[i]->x));
    dp[i] = at[i]->d;
  }
  *tie |= w.n.tie;
  return far <= TOL_SAME_ROUTE * most && isfinite(dp[0] + dp[1] + dp[2]) ? CORE_OK
                                                                         : CORE_UNSUPPORTED;
}
