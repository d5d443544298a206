/* Calls that may crash, hang or fill memory run in a child process; a table comes back by a pipe.
 */
#ifndef RECORD_APART_H
#define RECORD_APART_H

#include "record/table.h"

typedef core_status (*record_work)(void *self, record_table *t, core_error *err);

/* Runs work(self, t, err) in a child. `t` (unless NULL) is filled with what the child made of it.
 * A child that dies is CORE_IO with what killed it; Ctrl-C ends it. `room` bounds its memory
 * [bytes] on top of what this process has, `seconds` its computing; 0: no bound. */
core_status record_apart(record_work work, void *self, record_table *t, size_t room,
                         unsigned seconds, core_error *err);

#endif
