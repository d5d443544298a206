/* Files that are there whole or not at all: written beside their place, then renamed into it. */
#ifndef PLOT_PUBLISH_H
#define PLOT_PUBLISH_H

#include <stddef.h>

#include "core/status.h"

core_status plot_publish(const char *path, const char *bytes, size_t n, core_error *err);

/* the whole of a file; free(*bytes) */
core_status plot_slurp(const char *path, char **bytes, size_t *n, core_error *err);

#endif
