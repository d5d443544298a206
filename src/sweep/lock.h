/* One writer of a journal at a time, and who it is. */
#ifndef SWEEP_LOCK_H
#define SWEEP_LOCK_H

#include "core/status.h"

enum { SWEEP_HOLDER = 120 };

/* who holds the lock of an open file: "process 1234 (knock s.lua)", "" when nobody does */
void sweep_lock_holder(int fd, char holder[SWEEP_HOLDER]);

/* Takes the lock, or fails at once with the holder's name. What a dead holder's last children still
 * hold is waited for, a second at most. */
core_status sweep_lock_take(int fd, const char *path, core_error *err);

#endif
