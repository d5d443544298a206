/* A journal of finished samples that survives any death.
 *
 *   knock journal 1
 *   key: value              header: what the sweep is, so that another one is noticed
 *   ---
 *   frames                  {index, size, CRC-32, bytes} one after the other
 *
 * Frames are appended; a torn or corrupt one ends the journal, and resuming cuts it off there. The
 * disk is asked to keep what it has once a second and at the end.
 */
#ifndef SWEEP_JOURNAL_H
#define SWEEP_JOURNAL_H

#include "core/status.h"
#include "sweep/pool.h"

typedef struct sweep_journal {
  char *path;
  int fd;
  size_t size;        /* bytes on disk that make complete frames */
  sweep_bytes buffer; /* frames that are not written yet */
  double written_at;  /* [s] */
  double synced_at;   /* [s] */
} sweep_journal;

typedef core_status (*sweep_replay)(void *self, size_t i, const char *bytes, size_t n,
                                    core_error *err);

/* a new journal; refuses to overwrite one */
core_status sweep_journal_create(sweep_journal *j, const char *path, const char *header,
                                 core_error *err);

/* the header's lines of an existing journal, to be freed; CORE_BAD_INPUT when it is no journal */
core_status sweep_journal_header(const char *path, char **header, core_error *err);

/* calls replay for every good frame; j, unless NULL, is open for appending afterwards */
core_status sweep_journal_resume(sweep_journal *j, const char *path, sweep_replay replay,
                                 void *self, core_error *err);

/* a failure leaves the journal at its last complete frame */
core_status sweep_journal_append(sweep_journal *j, size_t i, const char *bytes, size_t n,
                                 core_error *err);
core_status sweep_journal_flush(sweep_journal *j, core_error *err);
core_status sweep_journal_close(sweep_journal *j, core_error *err); /* flushes; NULL err: quietly */

#endif
