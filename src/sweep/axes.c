#include "sweep/axes.h"

core_status sweep_axes_add(const sweep_axes *a, record_table *t) {
  for (int k = 0; k < a->n; k++) {
    const record_column *c = &a->axis[k].values->columns[0];
    if (!record_add(t, c->name, c->unit, c->kind, c->width)) return CORE_NO_MEMORY;
  }
  return CORE_OK;
}

core_status sweep_axes_fill(const sweep_axes *a, size_t first, record_table *t) {
  core_status status = CORE_OK;
  for (int k = 0; k < a->n; k++) {
    const record_column *from = &a->axis[k].values->columns[0];
    record_column *to = &t->columns[k];
    int plain = from->kind != RECORD_STRING && from->width == 1 && !from->whole;
    for (size_t i = 0; i < t->rows && !status; i++) {
      size_t row = sweep_axis_row(a, k, first + i);
      if (plain)
        to->x[i] = from->x[row];
      else
        status = record_copy(to, i, from, row);
    }
  }
  return status;
}
