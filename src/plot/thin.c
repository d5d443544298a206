#include "plot/thin.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

size_t plot_range(const double *x, size_t n, int positive, double *low, double *high) {
  size_t count = 0;
  *low = INFINITY;
  *high = -INFINITY;
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(x[i]) || (positive && x[i] <= 0)) continue;
    if (x[i] < *low) *low = x[i];
    if (x[i] > *high) *high = x[i];
    count++;
  }
  return count;
}

/* one axis: value -> pixels */
typedef struct axis {
  double from, scale;
  int log, cells;
} axis;

static axis make_axis(double a, double b, int logarithmic, int cells) {
  if (logarithmic) a = log(a), b = log(b);
  return (axis){a, cells / (b - a), logarithmic, cells};
}

static double pixel(const axis *a, double value) {
  return ((a->log ? log(value) : value) - a->from) * a->scale;
}

/* the cell of a value; all that lies outside on one side is one cell */
static int cell(const axis *a, double value) {
  double p = pixel(a, value);
  return !(p >= 0) ? -1 : p >= a->cells ? a->cells : (int)p;
}

static int gap(const double *x, const double *y, size_t i) {
  return !isfinite(x[i]) || !isfinite(y[i]);
}

/* appends up to four indices of one run in their order, without repeating any */
static size_t put_run(size_t *out, size_t k, size_t first, size_t low, size_t high, size_t last) {
  size_t a = low < high ? low : high, b = low < high ? high : low;
  out[k++] = first;
  if (a != first) out[k++] = a;
  if (b != a && b != first) out[k++] = b;
  if (last != b && last != a && last != first) out[k++] = last;
  return k;
}

/* runs along one axis: x tells the cell, y its extremes; in and out may be the same array */
static size_t runs(const axis *ax, const double *x, const double *y, const size_t *in, size_t n,
                   size_t *out) {
  size_t k = 0;
  for (size_t i = 0; i < n;) {
    size_t first = in[i], low = first, high = first, last = first;
    if (gap(x, y, first)) {
      out[k++] = first;
      i++;
      continue;
    }
    int c = cell(ax, x[first]);
    for (i++; i < n && !gap(x, y, in[i]) && cell(ax, x[in[i]]) == c; i++) {
      last = in[i];
      if (y[last] < y[low]) low = last;
      if (y[last] > y[high]) high = last;
    }
    k = put_run(out, k, first, low, high, last);
  }
  return k;
}

/* sector of directions from an anchor in which the line must pass its points */
typedef struct sector {
  double x, y;      /* anchor [pixels] */
  double low, high; /* angles about `base` [rad] */
  double base, reach;
  int set;
} sector;

/* narrows the sector by one point; 0 when the point does not fit a straight line from the anchor */
static int narrow(sector *s, double px, double py) {
  const double tolerance = 0.1; /* pixels */
  double dx = px - s->x, dy = py - s->y, r = hypot(dx, dy);
  if (r <= tolerance) return !s->set || s->reach <= tolerance;
  double half = asin(tolerance / r), angle = atan2(dy, dx);
  if (!s->set) {
    *s = (sector){s->x, s->y, -half, half, angle, r, 1};
    return 1;
  }
  double turn = remainder(angle - s->base, 2 * M_PI);
  if (turn < s->low || turn > s->high || r < s->reach) return 0;
  s->low = fmax(s->low, turn - half);
  s->high = fmin(s->high, turn + half);
  s->reach = r;
  return 1;
}

/* drops points that lie on the straight line between those that stay */
static size_t straighten(const axis *ax, const axis *ay, const double *x, const double *y,
                         const size_t *in, size_t n, size_t *out) {
  size_t k = 0, held = SIZE_MAX; /* the last point that fitted, not yet out */
  sector s = {0};
  for (size_t i = 0; i < n; i++) {
    size_t at = in[i];
    int hole = gap(x, y, at);
    double px = hole ? 0 : pixel(ax, x[at]), py = hole ? 0 : pixel(ay, y[at]);
    int fresh = hole || k == 0 || gap(x, y, out[k - 1]);
    if (!fresh && narrow(&s, px, py)) {
      held = at;
      continue;
    }
    if (held != SIZE_MAX) {
      out[k++] = held;
      s = (sector){.x = pixel(ax, x[held]), .y = pixel(ay, y[held])};
      held = SIZE_MAX;
      if (!fresh && narrow(&s, px, py)) {
        held = at;
        continue;
      }
    }
    out[k++] = at;
    s = (sector){.x = px, .y = py};
  }
  if (held != SIZE_MAX) out[k++] = held;
  return k;
}

size_t plot_thin_line(const plot_frame *f, const double *x, const double *y, size_t n,
                      size_t *keep) {
  axis ax = make_axis(f->x0, f->x1, f->logx, f->w), ay = make_axis(f->y0, f->y1, f->logy, f->h);
  for (size_t i = 0; i < n; i++) keep[i] = i;
  n = runs(&ax, x, y, keep, n, keep);
  n = runs(&ay, y, x, keep, n, keep);
  return straighten(&ax, &ay, x, y, keep, n, keep);
}

core_status plot_thin_points(const plot_frame *f, const double *x, const double *y, size_t n,
                             size_t *keep, size_t *kept, core_error *err) {
  axis ax = make_axis(f->x0, f->x1, f->logx, f->w), ay = make_axis(f->y0, f->y1, f->logy, f->h);
  size_t w = (size_t)f->w + 2, k = 0;
  unsigned char *seen = calloc(w * ((size_t)f->h + 2) / 8 + 1, 1);
  if (!seen) return core_no_memory(err);
  for (size_t i = 0; i < n; i++) {
    if (gap(x, y, i)) continue;
    size_t at = (size_t)(cell(&ax, x[i]) + 1) + w * (size_t)(cell(&ay, y[i]) + 1);
    if (seen[at / 8] & (1u << at % 8)) continue;
    seen[at / 8] |= (unsigned char)(1u << at % 8);
    keep[k++] = i;
  }
  free(seen);
  *kept = k;
  return CORE_OK;
}
