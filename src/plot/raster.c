#include "plot/raster.h"

#include <math.h>
#include <stdlib.h>

/* half the width of a disc in each of its rows, from -r to r; returns r in whole cells */
static int disc_rows(double radius, int *half, int most) {
  int r = (int)radius;
  if (r > most) r = most;
  for (int j = -r; j <= r; j++) half[j + r] = (int)sqrt(fmax(0, radius * radius - j * j));
  return r;
}

static void stamp(unsigned char *cells, int w, int h, int i, int j, const int *half, int r) {
  for (int dj = -r; dj <= r; dj++) {
    if (j + dj < 0 || j + dj >= h) continue;
    int from = i - half[dj + r], to = i + half[dj + r];
    for (int k = from < 0 ? 0 : from; k <= to && k < w; k++)
      cells[(size_t)(j + dj) * (size_t)w + (size_t)k] = 1;
  }
}

/* the cell of a value, -1 outside */
static int cell_of(double v, double a, double b, int logarithmic, int cells) {
  double at = logarithmic ? log(v / a) / log(b / a) : (v - a) / (b - a);
  return at >= 0 && at < 1 ? (int)(at * cells) : -1;
}

core_status plot_raster(const plot_frame *f, const double *x, const double *y, size_t n,
                        double radius, double *cover, core_error *err) {
  enum { MOST = 64 };
  int half[2 * MOST + 1], r = disc_rows(radius, half, MOST), w = f->w, h = f->h;
  unsigned char *cells = calloc((size_t)w * (size_t)h, 1);
  if (!cells) return core_no_memory(err);
  for (size_t k = 0; k < n; k++) {
    int i = cell_of(x[k], f->x0, f->x1, f->logx, w), j = cell_of(y[k], f->y0, f->y1, f->logy, h);
    if (i >= 0 && j >= 0) stamp(cells, w, h, i, j, half, r);
  }
  for (int j = 0; j < h / 2; j++)
    for (int i = 0; i < w / 2; i++) {
      const unsigned char *c = cells + (size_t)(2 * j) * (size_t)w + (size_t)(2 * i);
      cover[(size_t)j * (size_t)(w / 2) + (size_t)i] = (c[0] + c[1] + c[w] + c[w + 1]) / 4.0;
    }
  free(cells);
  return CORE_OK;
}
