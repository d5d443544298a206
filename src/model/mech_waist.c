/* W = J M^-1 J^T of a mechanism's contacts from what impulses do at its joints.
 *
 * An impulse reaches the joints on the branches of its two bodies, and no others: of two rows only
 * what both reach is summed up, so that bodies which are loose cost what each of them costs.
 */
#include "model/mech_part.h"

/* x is zero before number `from` and from `to` on */
typedef struct reach {
  int from, to;
} reach;

static reach reach_of(int n, const double *x) {
  reach of = {0, n};
  while (of.to > 0 && x[of.to - 1] == 0) of.to--;
  while (of.from < of.to && x[of.from] == 0) of.from++;
  of.from -= of.from % 2; /* the same sums of even and odd ones whatever else there is */
  return of;
}

static double sum_of(reach a, reach b, const double *tau, const double *y) {
  int l = a.from > b.from ? a.from : b.from, end = a.to < b.to ? a.to : b.to;
  double even = 0, odd = 0;
  for (; l + 1 < end; l += 2) even += tau[l] * y[l], odd += tau[l + 1] * y[l + 1];
  if (l < end) even += tau[l] * y[l];
  return even + odd;
}

core_status mech_waist(int rows, int nu, const double *tau, const double *Y, core_scratch *scratch,
                       double *W) {
  reach *of = core_scratch_bytes(scratch, (size_t)rows * sizeof *of + 1);
  if (!of) return CORE_NO_MEMORY;
  for (int i = 0; i < rows; i++) {
    const double *t = tau + (size_t)i * (size_t)nu;
    reach here = reach_of(nu, t);
    of[i] = reach_of(nu, Y + (size_t)i * (size_t)nu);
    for (int j = 0; j <= i; j++)
      W[i * rows + j] = W[j * rows + i] = sum_of(here, of[j], t, Y + (size_t)j * (size_t)nu);
  }
  return CORE_OK;
}
