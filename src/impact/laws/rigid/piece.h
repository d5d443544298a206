/* Along the path of a rigid impact: the normal direction, piece by piece, and the way to a sink.
 *
 * On a straight piece v_n = v + k l, with l the path's parameter and p_n = unit * l. The unit is 1
 * for stick and 1 or 1/mu for sliding (mu > 1), so that mu = infinity is nothing special: then
 * p_n stands still while p_t moves. Work and impulses are kept per unit, because the places where
 * compression and restitution end do not depend on it.
 */
#ifndef IMPACT_LAWS_RIGID_PIECE_H
#define IMPACT_LAWS_RIGID_PIECE_H

#include <float.h>
#include <math.h>

#include "impact/laws/rigid/rigid.h"
#include "impact/laws/tolerance.h"

/* what stops a piece */
typedef enum law_stop {
  LAW_STOP_PIECE,       /* its full length is covered */
  LAW_STOP_COMPRESSION, /* v_n = 0 at the end of compression: the piece goes on */
  LAW_STOP_FALL,        /* v_n = 0 at the start of a new compression: the piece goes on */
  LAW_STOP_END,         /* restitution is complete, or nothing more can be given back */
  LAW_STOP_SHORT,       /* v_n > 0 stays below the -e v_n- that the kinematic ending asks for */
  LAW_STOP_JAM          /* v_n < 0 for ever */
} law_stop;

/* the normal direction along the path */
typedef struct law_normal {
  law_ending ending;
  double e;        /* restitution */
  double before;   /* v_n before the impact, < 0 [m/s] */
  double unit;     /* p_n per parameter */
  double l;        /* parameter so far [N s / unit] */
  double v;        /* v_n [m/s] */
  double work;     /* of the normal impulse so far [J / unit] */
  double l_c;      /* how much of l was compression, once it is over */
  double l_r;      /* how much of l was restitution before a new compression */
  double work_c;   /* work at the end of compression */
  double again;    /* work taken in by compression once more during restitution [J / unit] */
  int restituting; /* compression is over */
} law_normal;

static inline law_normal law_normal_start(const law_rule *rule, double v, double unit) {
  return (law_normal){rule->ending, rule->e, v, unit, 0, v, 0, 0, 0, 0, 0, 0};
}

/* the path goes on with p_n = l */
static inline void law_normal_unit(law_normal *n) {
  n->again *= n->unit;
  n->l *= n->unit, n->l_c *= n->unit, n->l_r *= n->unit;
  n->work *= n->unit, n->work_c *= n->unit;
  n->unit = 1;
}

/* fmax is a call into the library */
static inline double law_not_below(double least, double x) {
  return x > least ? x : least;
}

/* Length of restitution still to come when v_n grows by k: x >= 0, or infinite
 *   energetic  k x^2/2 + v x = R,  R = e^2 |work_c| - (work - work_c)
 *   kinetic    x = e l_c - (l - l_c)
 *   kinematic  v + k x = -e v_before
 * In space v_n can fall below 0 again during restitution (strong friction that turns). Energetic:
 * the contact is compressed once more along its way of restitution, without a new loss. Kinetic:
 * that is compression, and counts as such. Kinematic: nothing special. */
static inline double law_normal_rest(const law_normal *n, double k) {
  if (n->ending == LAW_KINETIC) return law_not_below(0, n->e * n->l_c - (n->l - n->l_c));
  if (n->ending == LAW_KINEMATIC) {
    double missing = -n->e * n->before - n->v;
    return missing <= 0 ? 0 : k > 0 ? missing / k : INFINITY;
  }
  double R = law_not_below(0, -n->e * n->e * n->work_c - (n->work - n->work_c));
  double root = sqrt(n->v * n->v + 2 * k * R); /* NaN: not on this piece */
  if (n->v < 0) return k > 0 ? (root - n->v) / k : INFINITY;
  return R == 0 ? 0 : n->v + root > 0 ? 2 * R / (n->v + root) : INFINITY;
}

/* work against the part of a piece from v0 to v1 on which v_n < 0 */
static inline double law_work_against(double v0, double v1, double x) {
  if (v0 < 0 && v1 < 0) return -x * (v0 + v1) / 2;
  double low = v0 < v1 ? v0 : v1, high = v0 < v1 ? v1 : v0;
  return low < 0 ? x * low * low / (2 * (high - low)) : 0;
}

/* goes x along a piece of slope k to the normal velocity v */
static inline void law_normal_move(law_normal *n, double x, double v) {
  if (n->restituting) n->again += law_work_against(n->v, v, x);
  n->work += x * (n->v + v) / 2;
  n->l += x;
  n->v = v;
}

/* at v_n = 0: from compression to restitution, or back */
static inline void law_normal_turn(law_normal *n, law_stop stop) {
  n->v = 0;
  n->restituting = stop == LAW_STOP_COMPRESSION;
  if (n->restituting)
    n->l_c = n->l - n->l_r, n->work_c = n->work;
  else
    n->l_r = n->l - n->l_c;
}

/* the stop of restitution that comes first on a piece of slope k, and how far it is */
static inline law_stop law_normal_end(const law_normal *n, double k, double *to) {
  *to = law_normal_rest(n, k);
  if (!(k < 0 && n->ending == LAW_KINETIC && n->v < -k * *to)) return LAW_STOP_END;
  *to = n->v / -k;
  return LAW_STOP_FALL;
}

/* v_n at the end of the impact, x further on */
static inline double law_normal_last(const law_normal *n, double k, double x) {
  if (n->ending == LAW_KINEMATIC) return law_not_below(n->v, -n->e * n->before);
  return law_not_below(0, n->v + k * x);
}

/* why a last piece without end stops: nothing on it changes v_n for the better */
static inline law_stop law_normal_nowhere(const law_normal *n) {
  if (!n->restituting) return LAW_STOP_JAM;
  double missing = n->ending == LAW_KINEMATIC ? -n->e * n->before - n->v : 0;
  return missing > 64 * DBL_EPSILON * -n->before ? LAW_STOP_SHORT : LAW_STOP_END;
}

/* Goes on along a piece of slope k that is `most` long (infinite: the last one) to its end or to
 * the next stop before it; *x is the length covered. */
static inline law_stop law_normal_next(law_normal *n, double k, double most, double *x) {
  law_stop stop = LAW_STOP_COMPRESSION;
  double to = k > 0 ? -n->v / k : n->v == 0 && k == 0 ? 0 : INFINITY;
  if (n->restituting) stop = law_normal_end(n, k, &to);
  if (to <= most && to < INFINITY) {
    *x = to;
    law_normal_move(n, to, stop == LAW_STOP_END ? law_normal_last(n, k, to) : 0);
    if (stop != LAW_STOP_END) law_normal_turn(n, stop);
    return stop;
  }
  *x = most < INFINITY ? most : 0;
  law_normal_move(n, *x, n->v + k * *x);
  return most < INFINITY ? LAW_STOP_PIECE : law_normal_nowhere(n);
}

static inline int law_stop_goes_on(law_stop stop) {
  return stop == LAW_STOP_COMPRESSION || stop == LAW_STOP_FALL;
}

/* Stick whose slope k is nothing beside W_nn: rounding. Nothing can change v_n then. */
static inline void law_normal_wedge(law_normal *n, double nn, double *k) {
  if (*k > 8 * DBL_EPSILON * nn) return;
  *k = 0;
  if (fabs(n->v) <= 64 * DBL_EPSILON * -n->before) n->v = 0;
}

/* a point of the path, with as many rows as the problem has */
typedef struct law_point {
  double p[3], v[3];       /* impulse so far [N s], contact velocity [m/s] */
  double work_normal;      /* [J]; what is not lost of it is held by the contact */
  double lost_restitution; /* [J]; energetic: from the end of compression on, others: at the end */
  double lost_friction;    /* [J] */
  int mode, restituting;   /* impact_mode; 0 or 1 */
  double absorbed, returned; /* [J]; NaN where restitution was compression again (kinetic) */
} law_point;

/* the normal row and the ledger of a point */
static inline void law_point_normal(law_point *at, const law_normal *n, int ended) {
  at->p[2] = n->l * n->unit;
  at->v[2] = n->v;
  at->restituting = n->restituting;
  at->work_normal = n->work * n->unit;
  double held_back = n->ending == LAW_ENERGETIC ? (1 - n->e * n->e) * -n->work_c * n->unit : 0;
  at->lost_restitution = ended ? -at->work_normal : held_back;
  double deepest = n->restituting ? n->work_c : n->work, fell = n->l_r > 0 ? NAN : 1;
  at->absorbed = (n->again - deepest) * n->unit * fell;
  at->returned = (n->again + n->work - deepest) * n->unit * fell;
}

/* samples between two points of a straight piece, both left out */
void law_tell_line(impact_sink *sink, int dim, const law_point *from, const law_point *to);

void law_tell_sample(impact_sink *sink, int dim, const law_point *at);
void law_tell_event(impact_sink *sink, int dim, impact_event_kind kind, const law_point *at);

/* the event of a stop, if it is one */
void law_tell_stop(impact_sink *sink, int dim, law_stop stop, const law_point *at);

/* status, flags and ledger of a finished path */
static inline core_status law_path_finish(law_stop stop, const law_normal *n, double lost_friction,
                                          int stuck, impact_result *r, core_error *err) {
  r->lost_restitution = -n->work * n->unit;
  r->lost_friction = lost_friction;
  double gain = -r->lost_restitution - lost_friction;
  r->flags = stuck ? IMPACT_STUCK : 0;
  if (gain > TOL_GAINED * -n->before * n->l * n->unit) r->flags |= IMPACT_GAINS_ENERGY;
  if (n->again > 0 && n->ending == LAW_ENERGETIC && n->e < 1) r->flags |= IMPACT_PRESSED_AGAIN;
  if (stop == LAW_STOP_JAM) return core_fail(err, CORE_JAM, "%s", "");
  if (stop != LAW_STOP_SHORT) return CORE_OK;
  return core_fail(
      err, CORE_NO_SOLUTION,
      "law.newton: friction wedges the contact: v_n stays at %.6g m/s and cannot reach "
      "-e v_n = %.6g m/s",
      n->v, -n->e * n->before);
}

#endif
