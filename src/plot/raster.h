/* Very many points as a picture of themselves: one dot of `radius` cells for each, smoothed. */
#ifndef PLOT_RASTER_H
#define PLOT_RASTER_H

#include "plot/thin.h"

/* Draws on the frame's w x h cells and gives the coverage, 0 to 1, of blocks of 2 x 2 cells: w/2 x
 * h/2 numbers, row by row from the bottom. */
core_status plot_raster(const plot_frame *f, const double *x, const double *y, size_t n,
                        double radius, double *cover, core_error *err);

#endif
