/* All rows of a series side by side: many along memory (plate on 8 contacts 5 to 7 %, on 64 14 %
 * more without), a few four and two at a time. */
#include <string.h>

#include "impact/laws/compliant/fast/inside.h"

enum { FEW_ROWS = 8 };

CORE_WIDE static void many_at(int order, int rows, const double *c, double s, double *out) {
  memcpy(out, c + order * rows, (size_t)rows * sizeof *out);
  for (int j = order - 1; j >= 0; j--) {
    const double *cj = c + j * rows;
    for (int r = 0; r < rows; r++) out[r] = out[r] * s + cj[r];
  }
}

CORE_WIDE static void few_at(int order, int rows, const double *c, double s, double *out) {
  int r = 0;
  for (; r + 3 < rows; r += 4) {
    core_loose_four f = {0};
    for (int j = order; j >= 0; j--) f = f * s + *(const core_loose_four *)(c + j * rows + r);
    *(core_loose_four *)(out + r) = f;
  }
  for (; r + 1 < rows; r += 2) {
    core_pair f = {0};
    for (int j = order; j >= 0; j--) f = f * s + core_pair_at(c + j * rows + r);
    core_pair_put(out + r, f);
  }
  if (r < rows) out[r] = core_poly_at(order, c + r, rows, s);
}

int fast_rows_at(const compliant *z, int order, const double *c, double s, double *out) {
  if (!z->fast) return 0;
  (z->rows < FEW_ROWS ? few_at : many_at)(order, z->rows, c, s, out);
  return 1;
}

CORE_WIDE static void many_up_to(int order, int rows, const double *c, double s, double *out) {
  memset(out, 0, (size_t)rows * sizeof *out);
  for (int j = order; j >= 0; j--) {
    const double *cj = c + j * rows, by = core_taylor_inverse[j];
    for (int r = 0; r < rows; r++) out[r] = (out[r] + cj[r] * by) * s;
  }
}

CORE_WIDE static void few_up_to(int order, int rows, const double *c, double s, double *out) {
  int r = 0;
  for (; r + 3 < rows; r += 4) {
    core_loose_four f = {0};
    for (int j = order; j >= 0; j--)
      f = (f + *(const core_loose_four *)(c + j * rows + r) * core_taylor_inverse[j]) * s;
    *(core_loose_four *)(out + r) = f;
  }
  for (; r + 1 < rows; r += 2) {
    core_pair f = {0};
    for (int j = order; j >= 0; j--)
      f = (f + core_pair_at(c + j * rows + r) * core_taylor_inverse[j]) * s;
    core_pair_put(out + r, f);
  }
  if (r < rows) out[r] = core_taylor_integral(order, c + r, rows, s);
}

int fast_rows_up_to(const compliant *z, const double *c, double s, double *out) {
  if (!z->fast) return 0;
  (z->rows < FEW_ROWS ? few_up_to : many_up_to)(z->series.order, z->rows, c, s, out);
  return 1;
}
