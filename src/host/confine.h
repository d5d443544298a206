/* The kernel's part of --sandbox: files, system calls, memory and time (core/lock.h).
 *
 * The script's folder and the current one are read, one folder is written: --out, or the current
 * one. gnuplot comes from a helper that is forked before the lock (plot/helper.h).
 */
#ifndef HOST_CONFINE_H
#define HOST_CONFINE_H

#include "core/status.h"
#include "host/options.h"

/* script: its name, or NULL. CORE_NO_TOOL where the kernel cannot hold it. */
core_status host_confine(const host_options *o, const char *home, const char *script,
                         core_error *err);

/* --cpu-limit: after so many seconds of computing the script is interrupted, and soon after killed.
 * In a sandbox there is a limit without the option. */
void host_limit_time(long seconds);

#endif
