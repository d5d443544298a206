/* Derivatives by differences, with an error that is estimated and not hoped for.
 *
 *   D(h) = (f(h) - f(-h)) / 2h = f' + c2 h^2 + c4 h^4 + ...
 *
 * at h, h/2, h/4, h/8, extrapolated to h = 0 (Richardson, Romberg's table). For smooth f that is of
 * order 8; the error is the smallest difference of two neighbours in the table, and no smaller than
 * the rounding of f over the step. Where f has a derivative but is not smooth, as where balls in a
 * row begin to touch, the table settles slowly, and the error is what is left by the pace of it.
 * Next to a limit of f's domain differences to one side are taken, of order 4.
 */
#ifndef CORE_DIFFER_H
#define CORE_DIFFER_H

#include "core/status.h"

/* f(s), n numbers. CORE_NO_SOLUTION: s is on another branch of f than 0 (or beyond its domain):
 * shorter steps are tried. Any other failure ends it. */
typedef core_status (*core_differ_f)(void *self, double s, double *out);

enum { CORE_DIFFER_LEVELS = 4, CORE_DIFFER_TRIES = 6 };
/* r - 1 of differences that settle slowest: |s|^1.17; below it is rounding that does not settle */
#define CORE_DIFFER_SLOWEST 0.125

typedef struct core_differ {
  core_differ_f f;
  void *self;
  int n;        /* numbers that f gives */
  double h;     /* first step, of the size of a tenth of what f changes over */
  double goal;  /* shorter steps are tried while the error is above this; 0: the first that works */
  int side;     /* 0: both; +1, -1: s of that sign alone, and `work` then begins with f(0) */
  double *work; /* core_differ_memory(n) doubles */
} core_differ;

static inline int core_differ_memory(int n) {
  return (CORE_DIFFER_LEVELS + 5) * n;
}

/* d f/ds at s = 0 into d, n numbers; *error is absolute, in the largest entry. CORE_NO_SOLUTION: on
 * both sides of s = 0, however near, f is on another branch: there is no derivative (a tie). */
core_status core_differ_at(const core_differ *w, double *d, double *error);

#endif
