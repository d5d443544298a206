/* Locks that the kernel holds on this process and its children; no way leads back.
 *
 * Files: Landlock (Linux 5.13). Everything is refused but what the rules name. System calls:
 * seccomp. Only what a computation needs is left: no programs, no sockets, no change of modes or
 * owners, no tracing, no keys typed into the user's terminal, no limits raised. A call that is not
 * listed fails with EPERM, as it would for want of rights.
 *
 * What Landlock does not hold (names and sizes by stat, and signals before Linux 6.12) is said in
 * `knock help promises`.
 */
#ifndef CORE_LOCK_H
#define CORE_LOCK_H

#include "core/status.h"

typedef enum core_lock_right {
  CORE_LOCK_READ,   /* files are read, folders listed */
  CORE_LOCK_WRITE,  /* and regular files and folders are made, changed, renamed, removed */
  CORE_LOCK_DEVICE, /* a device such as /dev/null: read, written, asked */
  CORE_LOCK_RUN     /* read and executed */
} core_lock_right;

typedef struct core_lock_rule {
  const char *path; /* a file, or a folder with all below; what does not exist is passed over */
  core_lock_right right;
} core_lock_rule;

/* Can this kernel do it? CORE_OK, or CORE_NO_TOOL with what is missing. */
core_status core_lock_available(core_error *err);

/* Landlock's version, 0 when there is none. From 6 on signals stay inside. */
int core_lock_version(void);

/* The rules (n of them) become all there is. */
core_status core_lock_files(const core_lock_rule *rules, int n, core_error *err);

/* `program` may still be executed from exactly this address, and nothing else; NULL: nothing. */
core_status core_lock_calls(const char *program, core_error *err);

#endif
