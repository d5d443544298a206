/* Planar impact with Coulomb friction: piecewise straight, no iteration (Morgan, chapter 2).
 *
 * With W = [a b; b c] in rows (t, n), sliding with sign s = sign(v_t) moves along
 *
 *   dp_n = nu dl,  dp_t = -kappa s dl,      (nu, kappa) = (1, mu), or (1/mu, 1) for mu > 1
 *   dv_t/dl = nu b - kappa s a,  dv_n/dl = nu c - kappa s b
 *
 * and reaches v_t = 0 at l = -v_t / (dv_t/dl) if that is positive. There, and from the start when
 * v_t = 0, the contact
 *
 *   sticks, if |m| <= mu_static, m = -b/a:   dp_t = m dp_n,  dv_n/dp_n = c - b^2/a
 *   or slides with s = sign(b):              after sliding with the other sign, a reversal
 *
 * and stays so: the path bends once at most. The normal direction (piece.h) finds the end of
 * compression and of the impact on each straight piece. W positive semi-definite makes
 * dv_n/dp_n > 0 after the bend, but for stick with a c = b^2, where nothing can stop v_n: a jam
 * while compressing, the end of the impact in restitution (wedged); the kinematic ending has no
 * solution then unless v_n is already what it asks for.
 *
 * planar_quick.c has the same for ordinary cases that nobody watches.
 */
#include "impact/laws/rigid/planar.h"

#include "impact/laws/rigid/piece.h"

/* the problem, and where its path is */
typedef struct planar {
  double a, b, c; /* W = [a b; b c] [1/kg] */
  double before;  /* v_t before [m/s] */
  int dim;
  impact_sink *sink;
  law_normal n;
  double pt, vt; /* tangential impulse [N s] and velocity [m/s] */
  double lost;   /* to friction [J] */
  int mode;      /* impact_mode of the piece */
  law_point at;  /* last point told; used with a sink only */
} planar;

static void point_of(const planar *s, law_stop stop, law_point *at) {
  at->p[0] = at->v[0] = 0;
  at->p[1] = s->pt, at->v[1] = s->vt;
  at->mode = s->mode;
  at->lost_friction = s->lost;
  law_point_normal(at, &s->n, stop == LAW_STOP_END || stop == LAW_STOP_SHORT);
}

static void tell_start(planar *s) {
  point_of(s, LAW_STOP_PIECE, &s->at);
  law_tell_sample(s->sink, s->dim, &s->at);
}

/* tells the line to the present point, and the stop that ends it */
static void tell_piece(planar *s, law_stop stop) {
  law_point to;
  point_of(s, stop, &to);
  law_tell_line(s->sink, s->dim, &s->at, &to);
  s->at = to;
  law_tell_stop(s->sink, s->dim, stop, &to);
}

/* tells what happens at v_t = 0; s->mode is what comes next */
static void tell_bend(planar *s, impact_event_kind kind) {
  s->at.mode = s->mode;
  law_tell_event(s->sink, s->dim, kind, &s->at);
}

/* slides with the given sign until v_t = 0 or the impact ends */
static law_stop slide(planar *s, double mu, double sign) {
  double nu = s->n.unit, friction = mu > 1 ? sign : mu * sign, x;
  double kt = nu * s->b - friction * s->a, kn = nu * s->c - friction * s->b;
  double most = s->vt * kt < 0 ? -s->vt / kt : INFINITY;
  s->mode = IMPACT_MODE_SLIP;
  for (;;) {
    law_stop stop = law_normal_next(&s->n, kn, most, &x);
    double vt = stop == LAW_STOP_PIECE ? 0 : s->vt + kt * x;
    s->pt -= friction * x;
    s->lost += friction * x * (s->vt + vt) / 2;
    s->vt = vt;
    if (s->sink) tell_piece(s, stop);
    if (!law_stop_goes_on(stop)) return stop;
    most -= x;
  }
}

/* sticks to the end: p_t = -(v_t before + b p_n)/a */
static law_stop stick(planar *s) {
  double inverse = s->a > 0 ? 1 / s->a : 0, k = s->c - s->b * s->b * inverse, x;
  law_normal_unit(&s->n);
  law_normal_wedge(&s->n, s->c, &k);
  s->mode = IMPACT_MODE_STICK;
  for (;;) {
    law_stop stop = law_normal_next(&s->n, k, INFINITY, &x);
    if (s->a > 0) s->pt = -(s->before + s->b * s->n.l) * inverse;
    if (s->sink) tell_piece(s, stop);
    if (!law_stop_goes_on(stop)) return stop;
  }
}

/* from v_t = 0 on */
static law_stop after_bend(planar *s, const law_rule *rule, int from_start) {
  int slips = fabs(s->b) > rule->mu_static * s->a;
  s->mode = slips ? IMPACT_MODE_SLIP : IMPACT_MODE_STICK;
  if (s->sink && (slips || !from_start))
    tell_bend(s, !slips ? IMPACT_STICK : from_start ? IMPACT_SLIP : IMPACT_REVERSAL);
  return slips ? slide(s, rule->mu, s->b > 0 ? 1 : -1) : stick(s);
}

core_status law_planar_solve(const law_rule *rule, const impact_problem *pr, impact_sink *sink,
                             impact_result *r, core_error *err) {
  int dim = pr->dim;
  double vt = dim == 2 ? pr->v[0] : 0;
  planar s = {.c = pr->W[dim * dim - 1], .before = vt, .vt = vt, .dim = dim, .sink = sink};
  if (dim == 2) s.a = pr->W[0], s.b = pr->W[1];
  s.n = law_normal_start(rule, pr->v[dim - 1], rule->mu > 1 ? 1 / rule->mu : 1);
  s.mode = vt != 0 ? IMPACT_MODE_SLIP : IMPACT_MODE_STICK;
  if (sink) tell_start(&s);
  law_stop stop = LAW_STOP_PIECE;
  if (vt != 0) stop = slide(&s, rule->mu, vt > 0 ? 1 : -1);
  if (stop == LAW_STOP_PIECE) stop = after_bend(&s, rule, vt == 0);
  if (dim == 2) r->p[0] = s.pt, r->v[0] = s.vt;
  r->p[dim - 1] = s.n.l * s.n.unit;
  r->v[dim - 1] = s.n.v;
  int stuck = dim == 2 && s.mode == IMPACT_MODE_STICK;
  return law_path_finish(stop, &s.n, s.lost, stuck, r, err);
}
