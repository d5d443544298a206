/* All rows of a series side by side, where there are many (plate on 8 contacts 5 to 7 %, on 64 14 %
 * more without; with few rows, one after the other is faster). */
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

int fast_rows_at(const compliant *z, const double *c, double s, double *out) {
  if (!z->fast || z->rows < FEW_ROWS) return 0;
  many_at(z->series.order, z->rows, c, s, out);
  return 1;
}

CORE_WIDE static void many_up_to(int order, int rows, const double *c, double s, double *out) {
  memset(out, 0, (size_t)rows * sizeof *out);
  for (int j = order; j >= 0; j--) {
    const double *cj = c + j * rows, by = core_taylor_inverse[j];
    for (int r = 0; r < rows; r++) out[r] = (out[r] + cj[r] * by) * s;
  }
}

int fast_rows_up_to(const compliant *z, const double *c, double s, double *out) {
  if (!z->fast || z->rows < FEW_ROWS) return 0;
  many_up_to(z->series.order, z->rows, c, s, out);
  return 1;
}
