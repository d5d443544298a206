/* From the journals of a sweep to its file in constant memory: one unit at a time, in order. */
#ifndef SWEEP_STREAM_H
#define SWEEP_STREAM_H

#include "sweep/axes.h"
#include "sweep/row.h"

typedef struct sweep_stream {
  const sweep_axes *axes;
  size_t block;           /* samples per unit */
  sweep_columns *columns; /* of a table without rows: axes, fields, status, message when needed */
  char **paths;           /* the journals */
  int n;
  int lock;       /* nobody may be writing them */
  size_t missing; /* out: samples that no journal holds */
} sweep_stream;

/* CORE_BAD_INPUT when samples are missing; the file appears complete or not at all */
core_status sweep_stream_write(sweep_stream *s, const char *file, core_error *err);

#endif
