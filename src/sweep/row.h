/* One sample's result as bytes: what goes through the pipe and into the journal, and how it gets
 * into the columns of a table.
 *
 *   'F' status message                     the sample failed
 *   'R' n { name kind width data } ...     n named values, sorted by name
 *
 * All samples of a sweep must give the same fields; whole numbers may turn into numbers.
 */
#ifndef SWEEP_ROW_H
#define SWEEP_ROW_H

#include "record/table.h"
#include "sweep/pool.h"

void sweep_row_failed(sweep_bytes *out, core_status status, const char *message);
void sweep_row_begin(sweep_bytes *out, int fields);
void sweep_row_numbers(sweep_bytes *out, const char *name, record_kind kind, int width,
                       const double *x);
void sweep_row_string(sweep_bytes *out, const char *name, const char *text, size_t n);

/* columns that every sweep has besides the axes: made by sweep_row_columns */
typedef struct sweep_columns {
  record_table *table; /* axes, then status, then what the samples return */
  int status;          /* column numbers; columns move when one is added, so no pointers */
  int first;           /* first column of the samples' own fields */
  int fields;          /* how many, -1: no sample has been stored yet */
  size_t done, failed; /* samples stored, and those of them that failed */
} sweep_columns;

core_status sweep_columns_init(sweep_columns *c, record_table *table);

/* puts the bytes of sample i into row i */
core_status sweep_row_store(sweep_columns *c, size_t i, const char *bytes, size_t n,
                            core_error *err);
/* the final order, whatever came first: axes, fields by name, status, message */
void sweep_columns_sort(sweep_columns *c);
core_status sweep_row_lost(sweep_columns *c, size_t i, int signal, core_error *err);

#endif
