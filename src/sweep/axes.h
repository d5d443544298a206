/* The axes of a sweep: which value an axis has at a sample, without a list of all samples.
 *
 * In a grid the last axis runs fastest: axis k has value number (i / inner) mod size at sample i,
 * where inner is the product of the sizes of the axes behind it. Points have inner = 1 and one
 * value per sample. A filter keeps a list of the samples of such a design.
 */
#ifndef SWEEP_AXES_H
#define SWEEP_AXES_H

#include "record/table.h"

enum { SWEEP_MAX_AXES = 64 };

typedef struct sweep_axis {
  const record_table *values; /* one column; not owned */
  size_t inner;               /* samples before the next value comes */
} sweep_axis;

typedef struct sweep_axes {
  int n;
  size_t samples;     /* after the filter */
  const size_t *keep; /* their numbers in the whole design, or NULL: all; not owned */
  sweep_axis axis[SWEEP_MAX_AXES];
} sweep_axes;

/* row of the values of axis k that sample i has */
static inline size_t sweep_axis_row(const sweep_axes *a, int k, size_t i) {
  size_t at = a->keep ? a->keep[i] : i;
  return at / a->axis[k].inner % a->axis[k].values->rows;
}

/* adds a column for every axis to an empty table */
core_status sweep_axes_add(const sweep_axes *a, record_table *t);

/* puts the values of samples first ... into the rows of the table, all of them */
core_status sweep_axes_fill(const sweep_axes *a, size_t first, record_table *t);

#endif
