/* Thinner data draw the same picture. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/thin.h"
#include "unity.h"

static core_error err;

void setUp(void) {
}
void tearDown(void) {
}

/* distance of a point from the segment between two points of a line, in pixels */
static double distance(const plot_frame *f, const double *x, const double *y, size_t a, size_t b,
                       double px, double py) {
  double sx = f->w / (f->x1 - f->x0), sy = f->h / (f->y1 - f->y0);
  double ax = x[a] * sx, ay = y[a] * sy, dx = x[b] * sx - ax, dy = y[b] * sy - ay;
  double along = ((px * sx - ax) * dx + (py * sy - ay) * dy) / (dx * dx + dy * dy + 1e-300);
  along = fmin(1, fmax(0, along));
  return hypot(px * sx - ax - along * dx, py * sy - ay - along * dy);
}

/* farthest distance of a line (points, and points between them) from the same stretch of another */
static double farthest(const plot_frame *f, const double *x, const double *y, const size_t *line,
                       size_t n, const size_t *other, size_t m) {
  double worst = 0;
  for (size_t i = 0, near = 0; i + 1 < n; i++) {
    while (near + 1 < m && other[near + 1] <= line[i]) near++;
    size_t from = near > 3 ? near - 3 : 0, to = near;
    while (to + 1 < m && other[to] < line[i + 1]) to++;
    to = to + 3 < m ? to + 3 : m - 1;
    for (double part = 0; part <= 1; part += 0.25) {
      double px = x[line[i]] + part * (x[line[i + 1]] - x[line[i]]);
      double py = y[line[i]] + part * (y[line[i + 1]] - y[line[i]]), best = INFINITY;
      for (size_t j = from; j < to; j++)
        best = fmin(best, distance(f, x, y, other[j], other[j + 1], px, py));
      worst = fmax(worst, best);
    }
  }
  return worst;
}

/* both ways within the diagonal of a pixel and the tenth for straight lines, by brute force */
static size_t thin_and_compare(const plot_frame *f, const double *x, const double *y, size_t n) {
  size_t *all = malloc(n * sizeof *all), *keep = malloc(n * sizeof *keep);
  for (size_t i = 0; i < n; i++) all[i] = i;
  size_t k = plot_thin_line(f, x, y, n, keep);
  for (size_t i = 1; i < k; i++) TEST_ASSERT_TRUE(keep[i] > keep[i - 1]);
  TEST_ASSERT_EQUAL(0, keep[0]);
  TEST_ASSERT_EQUAL(n - 1, keep[k - 1]);
  double there = farthest(f, x, y, all, n, keep, k), back = farthest(f, x, y, keep, k, all, n);
  TEST_ASSERT_DOUBLE_WITHIN(1.52, 0, there);
  TEST_ASSERT_DOUBLE_WITHIN(1.52, 0, back);
  free(all), free(keep);
  return k;
}

static double noise(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) / (double)(1 << 24) - 0.5;
}

static void thinner_lines_look_the_same(void) {
  size_t n = 100000;
  double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
  plot_frame f = {0, 10, -2, 2, 0, 0, 800, 500};
  unsigned state = 1;
  for (size_t i = 0; i < n; i++) {
    x[i] = 10.0 * (double)i / (double)n;
    y[i] = sin(50 * x[i]) + 0.3 * noise(&state) + (i % 50021 == 7 ? 0.7 : 0); /* lone spikes */
  }
  TEST_ASSERT_TRUE(thin_and_compare(&f, x, y, n) < 4 * 800);
  for (size_t i = 0; i < n; i++) y[i] = 0.1 * x[i] - 0.7;
  TEST_ASSERT_TRUE(thin_and_compare(&f, x, y, n) < 10); /* a straight line needs two points */
  for (size_t i = 0; i < n; i++) {
    double a = 40 * M_PI * (double)i / (double)n; /* a spiral: x is not monotonic */
    x[i] = 5 + a / 30 * cos(a), y[i] = a / 80 * sin(a);
  }
  TEST_ASSERT_TRUE(thin_and_compare(&f, x, y, n) < 20000);
  free(x), free(y);
}

static void gaps_stay_gaps_and_logarithms_count(void) {
  double x[] = {1, 2, NAN, 3, 4, 5}, y[] = {1, 10, 5, 1e3, NAN, 1e5};
  size_t keep[6];
  plot_frame f = {1, 5, 1, 1e5, 0, 1, 100, 100};
  TEST_ASSERT_EQUAL(6, plot_thin_line(&f, x, y, 6, keep));
  double lx[1000], ly[1000];
  size_t many[1000];
  for (int i = 0; i < 1000; i++) lx[i] = i / 200.0, ly[i] = exp(lx[i]); /* straight on a log axis */
  f = (plot_frame){0, 5, 1, 150, 0, 1, 500, 300};
  TEST_ASSERT_TRUE(plot_thin_line(&f, lx, ly, 1000, many) < 10);
  f.logy = 0;
  TEST_ASSERT_TRUE(plot_thin_line(&f, lx, ly, 1000, many) > 15); /* and bent on a linear one */
}

static void points_are_thinned_to_one_per_cell(void) {
  double x[] = {0.1, 0.11, 0.9, NAN, 0.1}, y[] = {0.1, 0.11, 0.9, 0, 0.9};
  size_t keep[5], kept;
  plot_frame f = {0, 1, 0, 1, 0, 0, 10, 10};
  TEST_ASSERT_EQUAL(CORE_OK, plot_thin_points(&f, x, y, 5, keep, &kept, &err));
  TEST_ASSERT_EQUAL(3, kept);
  TEST_ASSERT_EQUAL(2, keep[1]);
  double low, high;
  TEST_ASSERT_EQUAL(4, plot_range(x, 5, 0, &low, &high));
  TEST_ASSERT_EQUAL_DOUBLE(0.1, low);
  TEST_ASSERT_EQUAL_DOUBLE(0.9, high);
  TEST_ASSERT_EQUAL(4, plot_range(y, 5, 1, &low, &high));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(thinner_lines_look_the_same);
  RUN_TEST(gaps_stay_gaps_and_logarithms_count);
  RUN_TEST(points_are_thinned_to_one_per_cell);
  return UNITY_END();
}
