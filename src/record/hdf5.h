/* HDF5 files, by a module that is loaded when one is asked for: a program that never writes .h5
 * does not pay for the library, and knock works where it is not installed.
 *
 *   /vx        float64, (rows) or (rows, width), attributes unit and kind
 *   /status    variable-length UTF-8
 *   /          attributes columns (names in order, one a line), provenance
 */
#ifndef RECORD_HDF5_H
#define RECORD_HDF5_H

#include "record/table.h"

/* what the module knock_hdf5.so exports */
core_status record_hdf5_write(const record_table *t, const char *path, core_error *err);
core_status record_hdf5_read(const char *path, record_table *t, core_error *err);

/* the same through the module; CORE_NO_TOOL when it was not built */
core_status record_write_h5(const record_table *t, const char *path, core_error *err);
core_status record_read_h5(const char *path, record_table *t, core_error *err);

#endif
