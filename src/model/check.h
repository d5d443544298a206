/* Does a model agree with itself? For models that people write.
 *
 *   mass       M symmetric and positive (regular as well, without standing constraints)
 *   jacobian   row n of J times u is the rate of the gap, rows t that of the position (if there is)
 *   forces     u.f + u.M'u/2 + dV/dt = power: what neither potential nor power tells of does no
 * work
 *
 * Derivatives are by differences over a ladder of steps, with an estimate of their error; only what
 * differs by more than that is refused. It looks where the model stands and, when its functions are
 * defined there, at a state beside it.
 */
#ifndef MODEL_CHECK_H
#define MODEL_CHECK_H

#include "model/model.h"

/* what a model may have besides its hooks */
typedef struct model_check_how {
  /* contact points along t1, t2, n: nc x dim, column-major [m]; NULL: none. Of a contact with
   * fewer rows its first columns count. */
  core_status (*position)(const model *m, const double *q, double *x);
  int energy; /* 1: compare forces with mass, potential and power */
} model_check_how;

/* CORE_BAD_INPUT with a line that says what contradicts what, or what a hook of the model said */
core_status model_check(const model *m, const model_check_how *how, core_scratch *s,
                        core_error *err);

#endif
