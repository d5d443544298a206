/* One sample's result as bytes: what goes through the pipe and into the journal, and how it gets
 * into the columns of a table.
 *
 *   'F' status message                     the sample failed
 *   'L' signal                             it killed its workers and is given up
 *   'R' n { name kind width data } ...     n named values, sorted by name
 *   'N' count width failures numbers ...   a unit of the fast lane: count rows of width numbers,
 * then { row status message } of the samples that failed
 *
 * All samples of a sweep must give the same fields; whole numbers may turn into numbers.
 */
#ifndef SWEEP_ROW_H
#define SWEEP_ROW_H

#include "record/table.h"
#include "sweep/pool.h"

void sweep_row_failed(sweep_bytes *out, core_status status, const char *message);
void sweep_row_gone(sweep_bytes *out, int signal); /* it killed its workers */
void sweep_row_begin(sweep_bytes *out, int fields);
void sweep_row_numbers(sweep_bytes *out, const char *name, record_kind kind, int width,
                       const double *x);
void sweep_row_integer(sweep_bytes *out, const char *name, int64_t i);
void sweep_row_string(sweep_bytes *out, const char *name, const char *text, size_t n);

/* room for the numbers of `count` samples of the fast lane, NULL when memory is out; failures are
 * appended afterwards */
void *sweep_row_block(sweep_bytes *out, size_t count, int width);
void sweep_row_block_failed(sweep_bytes *out, size_t start, size_t row, core_status status,
                            const char *message);

/* columns that every sweep has besides the axes: made by sweep_columns_init */
typedef struct sweep_columns {
  record_table *table; /* axes, then status, then what the samples return */
  int status;          /* column numbers; columns move when one is added, so no pointers */
  int first;           /* first column of the samples' own fields */
  int fields;          /* how many, -1: no sample has been stored yet */
  int lane;            /* 1: the fields stand in front of status, in the order of the numbers */
} sweep_columns;

/* behind the axes; the fields are found when samples come */
core_status sweep_columns_init(sweep_columns *c, record_table *table);

/* fields that are columns of the table already, from number `first` on */
core_status sweep_columns_lane(sweep_columns *c, record_table *table, int first);

/* puts the bytes of a unit into `count` rows from `first` on; *failed counts the samples that
 * failed */
core_status sweep_row_store(sweep_columns *c, size_t first, size_t count, const char *bytes,
                            size_t n, size_t *failed, core_error *err);
/* the same without a table */
core_status sweep_row_check(size_t count, const char *bytes, size_t n, size_t *failed,
                            core_error *err);
/* the final order, whatever came first: axes, fields by name, status, message */
void sweep_columns_sort(sweep_columns *c);
core_status sweep_row_lost(sweep_columns *c, size_t first, size_t count, int signal,
                           core_error *err);

#endif
