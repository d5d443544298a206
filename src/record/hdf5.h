/* HDF5 files. Tables are written without the library (hdf5_write.c). It reads them, and files of
 * others: by a module that is loaded when one is asked for, so that knock works where it is not
 * installed.
 *
 *   /vx        float64, (rows) or (rows, width), contiguous, attributes unit and kind
 *   /id        int64 where whole numbers are too large for doubles; missing: -2^63
 *   /status    UTF-8, in fields of one length, or of variable length where that takes less room or
 *              some are missing
 *   /          attributes columns (names of the sets in order, one a line), provenance
 *
 * '/', '%' and control characters of a column's name are %XX in the name of its set; so is a name
 * that is "." or "..".
 *
 * The library works in a child process: whatever a damaged file does to it stays there. Only what
 * we write ourselves is read: sets that are stored in the file itself (no external storage, links
 * to other files, filters or chunks), as large as the file says, in known types.
 */
#ifndef RECORD_HDF5_H
#define RECORD_HDF5_H

#include "record/table.h"

enum { RECORD_HDF5_NAME = 1024 }; /* bytes of the name of a set */
void record_hdf5_encode(const char *name, char to[RECORD_HDF5_NAME]);
void record_hdf5_decode(const char *from, char to[RECORD_HDF5_NAME]);

/* What the module knock_hdf5.so exports, to be called in a process of their own. */
core_status record_hdf5_read(const char *path, record_table *t, core_error *err);

/* Files of others, set by set (hdf5_sets.c). */
core_status record_hdf5_write_sets(const record_table *t, const char *path, core_error *err);
core_status record_hdf5_read_sets(const char *path, record_table *t, core_error *err);

/* A file of `rows` rows that come piece by piece, by tables with the columns of the first one. A
 * table that holds them all already gets shorter fields for its texts. */
typedef struct record_h5 record_h5;
core_status record_h5_open(record_h5 **w, const record_table *columns, size_t rows,
                           const char *path, core_error *err);
core_status record_h5_rows(record_h5 *w, const record_table *t, core_error *err);
core_status record_h5_close(record_h5 *w, core_error *err);
void record_h5_abandon(record_h5 *w);

/* the same for everybody; CORE_NO_TOOL when the module was not built */
core_status record_read_h5(const char *path, record_table *t, core_error *err);
core_status record_write_sets(const record_table *t, const char *path, core_error *err);
core_status record_read_sets(const char *path, record_table *t, core_error *err);

#endif
