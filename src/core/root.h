/* Roots of one equation f(x) = 0: brackets, and closed forms for polynomials.
 *
 *   core_bracket br;
 *   core_root_bracket(f, self, 0, 1, &br);         // evaluates both ends, or
 *   core_root_expand(f, self, 0, 1, lo, hi, &br);  // goes outward until the sign changes
 *   core_root_find(f, self, &br, xtol, &x);        // shrinks br to xtol
 *
 * f may fail: its status comes out unchanged. A value that is NaN or infinite gives
 * CORE_NOT_FINITE. All loops poll core_interrupted().
 */
#ifndef CORE_ROOT_H
#define CORE_ROOT_H

#include "core/status.h"

typedef core_status (*core_root_function)(void *self, double x, double *y);

/* Two places where f has opposite signs, or is 0. Shrinking keeps the sides: the end that was a
 * stays on a's side of the root, so an event is known both just before and just after. */
typedef struct core_bracket {
  double a, fa;    /* one end and f there */
  double b, fb;    /* the other; b < a is fine */
  int evaluations; /* calls of f so far */
} core_bracket;

/* sets br to [a, b]; CORE_BAD_INPUT when f has the same sign at both ends */
core_status core_root_bracket(core_root_function f, void *self, double a, double b,
                              core_bracket *br);

/* From a guess a < b, the end with the smaller |f| moves outward by growing steps until the sign
 * changes; br is then the last stretch. Ends stay in [lo, hi] (infinities are fine).
 * CORE_NOT_CONVERGED when no change was found. */
core_status core_root_expand(core_root_function f, void *self, double a, double b, double lo,
                             double hi, core_bracket *br);

/* Shrinks br (whose fa and fb must be set) until its ends are xtol + 4 eps |x| apart, or f is 0 at
 * one of them; x is the end with the smaller |f|. xtol = 0 goes to the last bit. f need not be
 * smooth or continuous: x is then where the sign changes. */
core_status core_root_find(core_root_function f, void *self, core_bracket *br, double xtol,
                           double *x);

/* Real roots of a x^2 + b x + c, ascending; a double root counts once. Returns how many, or -1 when
 * every x is a root. No cancellation: each root is good to a few eps. */
int core_root_quadratic(double a, double b, double c, double x[2]);

/* The same for a x^3 + b x^2 + c x + d. Roots that (nearly) coincide are as ill-determined as they
 * are: a double one may come as none, one or two. Ratios of coefficients up to 1e100. */
int core_root_cubic(double a, double b, double c, double d, double x[3]);

#endif
