#include "sweep/axes.h"

#include <string.h>

core_status sweep_axes_add(const sweep_axes *a, record_table *t) {
  for (int k = 0; k < a->n; k++) {
    const record_column *c = &a->axis[k].values->columns[0];
    if (!record_add(t, c->name, c->unit, c->kind, c->width)) return CORE_NO_MEMORY;
  }
  return CORE_OK;
}

static core_status copy_text(record_column *to, size_t row, const char *text) {
  return text ? record_set_string(to, row, text, strlen(text)) : CORE_OK;
}

core_status sweep_axes_fill(const sweep_axes *a, size_t first, record_table *t) {
  core_status status = CORE_OK;
  for (int k = 0; k < a->n; k++) {
    const record_column *from = &a->axis[k].values->columns[0];
    record_column *to = &t->columns[k];
    size_t width = (size_t)from->width;
    for (size_t i = 0; i < t->rows && !status; i++) {
      size_t row = sweep_axis_row(a, k, first + i);
      if (from->kind == RECORD_STRING)
        status = copy_text(to, i, from->s[row]);
      else if (width == 1)
        to->x[i] = from->x[row];
      else
        memcpy(to->x + i * width, from->x + row * width, width * sizeof *to->x);
    }
  }
  return status;
}
