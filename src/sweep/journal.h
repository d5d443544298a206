/* A journal of finished samples that survives any death.
 *
 *   knock journal 2
 *   key: value              header: what the sweep is, so that another one is noticed
 *   header-crc32: 8 digits  of everything above it
 *   ---
 *   frames                  {index, size, CRC-32, bytes} one after the other
 *
 * Frames are appended; a torn or corrupt one ends the journal, and resuming cuts it off there. The
 * disk is asked to keep what it has once a second and at the end. One process writes a journal at a
 * time: it holds a lock (flock) on it until it closes it or dies, and another one is told who that
 * is. Frames are read one at a time, so that the size of a journal is not a matter of memory.
 */
#ifndef SWEEP_JOURNAL_H
#define SWEEP_JOURNAL_H

#include <stdint.h>

#include "core/status.h"
#include "sweep/pool.h"

typedef struct sweep_journal {
  char *path;
  int fd;             /* locked; -1: closed */
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

/* The header's lines of an existing journal, to be freed; CORE_BAD_INPUT when it is no journal, or
 * when its header is damaged. holder (unless NULL): who is writing it now, "" when nobody is. */
core_status sweep_journal_header(const char *path, char **header, char holder[120],
                                 core_error *err);

/* calls replay for every good frame; j, unless NULL, is open for appending afterwards */
core_status sweep_journal_resume(sweep_journal *j, const char *path, sweep_replay replay,
                                 void *self, core_error *err);

/* the same without the lock, of a journal that may be growing; what is torn at its end is left out
 */
core_status sweep_journal_peek(const char *path, sweep_replay replay, void *self, core_error *err);

/* where the result of a unit stands */
typedef struct sweep_place {
  int journal;   /* its number from 1, 0: nowhere */
  uint32_t size; /* [bytes] */
  size_t at;     /* offset of the frame */
} sweep_place;

/* Finds the results that a journal holds of units 0 ... n - 1: place[i].journal becomes `number`.
 * The file, locked if that is wanted, stays open as *fd. */
core_status sweep_journal_index(const char *path, int number, int lock, size_t n,
                                sweep_place *place, int *fd, core_error *err);

/* the bytes at a place of the journal that is open as fd */
core_status sweep_journal_fetch(int fd, const sweep_place *place, sweep_bytes *bytes,
                                core_error *err);

/* a failure leaves the journal at its last complete frame */
core_status sweep_journal_append(sweep_journal *j, size_t i, const char *bytes, size_t n,
                                 core_error *err);
core_status sweep_journal_flush(sweep_journal *j, core_error *err);
core_status sweep_journal_close(sweep_journal *j, core_error *err); /* flushes; NULL err: quietly */

#endif
