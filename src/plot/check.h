/* The gate in front of gnuplot: what may be sent to it.
 *
 * Scripts are put together from quoted text, numbers and fixed words, so they cannot carry a
 * command of a user. This gate makes sure of it a second time, and lets style files of users in
 * only when they do nothing but draw:
 *   - printable characters and newlines only, strings in single quotes only, closed on their line;
 *   - no backticks, macros (@), datablocks ($name) or shell escapes;
 *   - commands: set, unset, plot, splot, reset, and names that begin with knock_;
 *   - no system, no output to programs: a file is a plain name in the session's own folder, never
 *     put together by operators or kept in a variable;
 *   - terminals that draw by themselves.
 */
#ifndef PLOT_CHECK_H
#define PLOT_CHECK_H

#include <stddef.h>

#include "core/status.h"

/* a plain name: letters, digits, dots, dashes; not a path, pipe or program */
int plot_plain_name(const char *name, size_t n);

core_status plot_check(const char *script, size_t n, core_error *err);

#endif
