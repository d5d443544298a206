/* Dynamic stiffness of trees of bodies, for Newton's method of implicit steps.
 *
 * At a state with accelerations a the forces that it needs, b(q, u, a) = M a + ... - tau, have the
 * derivatives K by q, C by u and M by a. For given r_q, r_u and complex shifts s this solves
 *
 *   s w_q = r_q + R w_u,    M (s w_u - r_u) + C w_u + K w_q = 0          (q' = R u)
 *
 * which is (s - J) w = r with the Jacobian J of (q', u'), in time and memory proportional to the
 * bodies: variations of motion run from the root to the tips, variations of force back, and each
 * joint is eliminated by its own row, as in the articulated-body recursion, whose inertia becomes a
 * dynamic stiffness. All shifts of a step are solved at once, one in each lane.
 */
#ifndef MODEL_STIFFNESS_H
#define MODEL_STIFFNESS_H

#include "core/ode_implicit.h"
#include "core/pair.h"
#include "model/model.h"

enum { STIFF_LANES = IMPLICIT_PAIRS };

/* what a model_type may know of it; the memory is the caller's, and belongs to one instance */
struct model_stiffness {
  /* how much memory it takes; 0: this instance has forces that a tree does not hold */
  size_t (*bytes)(const model *m);
  /* the state to be linearised at; udot belongs to it, without contacts and forces of others */
  core_status (*look)(const model *m, const double *q, const double *u, const double *udot,
                      void *memory);
  core_status (*factor)(const model *m, void *memory, const double (*s)[2]);
  /* r = re + i im of each lane, (q, u) one after the other, becomes w. Where nothing is asked for
   * lanes may share a row of zeros, which is spoilt. */
  void (*solve)(const model *m, void *memory, double *const *re, double *const *im);
};

/* ---- complex numbers in lanes ---- */

typedef core_loose_four four;

typedef struct lanes {
  four re, im;
} lanes;

/* to += a b */
CORE_PART void lanes_add(lanes *to, const lanes *a, const lanes *b) {
  four re = a->re * b->re - a->im * b->im;
  to->im += a->re * b->im + a->im * b->re;
  to->re += re;
}

/* to -= a b */
CORE_PART void lanes_sub(lanes *to, const lanes *a, const lanes *b) {
  four re = a->re * b->re - a->im * b->im;
  to->im -= a->re * b->im + a->im * b->re;
  to->re -= re;
}

/* to += x a */
CORE_PART void lanes_add_real(lanes *to, double x, const lanes *a) {
  to->re += x * a->re;
  to->im += x * a->im;
}

/* x := 1 / x */
CORE_PART void lanes_invert(lanes *x) {
  four by = 1 / (x->re * x->re + x->im * x->im);
  x->re *= by;
  x->im *= -by;
}

/* the shifts s and 1 / s */
typedef struct lane_shift {
  lanes s, by;
} lane_shift;

CORE_PART void lanes_shift(const double (*s)[2], lane_shift *out) {
  out->s.re = (four){s[0][0], s[1][0], s[2][0], s[3][0]};
  out->s.im = (four){s[0][1], s[1][1], s[2][1], s[3][1]};
  out->by = out->s;
  lanes_invert(&out->by);
}

/* a s + b + c / s */
CORE_PART void lanes_at(const lane_shift *x, double a, double b, double c, lanes *out) {
  out->re = a * x->s.re + b + c * x->by.re;
  out->im = a * x->s.im + c * x->by.im;
}

/* number i of each lane */
CORE_PART void lanes_gather(double *const *re, double *const *im, int i, lanes *out) {
  const lanes x = {{re[0][i], re[1][i], re[2][i], re[3][i]},
                   {im[0][i], im[1][i], im[2][i], im[3][i]}};
  *out = x;
}

CORE_PART void lanes_scatter(const lanes *x, int i, double *const *re, double *const *im) {
  for (int k = 0; k < STIFF_LANES; k++) re[k][i] = x->re[k], im[k][i] = x->im[k];
}

#endif
