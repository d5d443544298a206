/* Fewer points for the same picture.
 *
 * A page shows no more than its pixels. Lines: of the points that follow each other within one
 * column of pixels only the first, lowest, highest and last can be seen (and likewise within one
 * row); points on a straight line between their neighbours, to a tenth of a pixel, cannot be seen
 * either. Points: one per cell. Order is kept, points that stay are not moved, gaps (NaN) stay
 * gaps.
 */
#ifndef PLOT_THIN_H
#define PLOT_THIN_H

#include <stddef.h>

#include "core/status.h"

typedef struct plot_frame {
  double x0, x1, y0, y1; /* what the axes show, x0 < x1 and y0 < y1 */
  int logx, logy;        /* logarithmic axes: limits and points above 0 */
  int w, h;              /* pixels (or finer cells) across and up */
} plot_frame;

/* indices of the points that stay, in order; keep has room for n; returns how many */
size_t plot_thin_line(const plot_frame *f, const double *x, const double *y, size_t n,
                      size_t *keep);
core_status plot_thin_points(const plot_frame *f, const double *x, const double *y, size_t n,
                             size_t *keep, size_t *kept, core_error *err);

/* lowest and highest finite value (above 0 when `positive`); returns how many are finite */
size_t plot_range(const double *x, size_t n, int positive, double *low, double *high);

#endif
