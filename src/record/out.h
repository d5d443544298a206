/* A buffered file that appears under its name only when it is complete.
 *
 *   record_out out;
 *   record_out_open(&out, path, err);
 *   record_out_text(&out, "...");           // errors are remembered, not returned
 *   record_out_close(&out, err);            // flush, fsync, rename; or remove and tell why
 *
 * Ctrl-C stops it: CORE_INTERRUPTED.
 */
#ifndef RECORD_OUT_H
#define RECORD_OUT_H

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

typedef struct record_out {
  char *path;  /* final name */
  char *temp;  /* name while it is being written; NULL: written in place (devices, pipes) */
  int fd;      /* of the file under way */
  int failed;  /* errno of the first failure, or 0; ECANCELED: Ctrl-C */
  size_t used; /* bytes in buffer */
  char buffer[1 << 16];
} record_out;

void record_out_flush(record_out *out);
core_status record_out_open(record_out *out, const char *path, core_error *err);
void record_out_bytes(record_out *out, const void *bytes, size_t n);
void record_out_seek(record_out *out, uint64_t at); /* what follows goes there; regular files */
void record_out_text(record_out *out, const char *text);
void record_out_format(record_out *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* room for n <= 64 bytes that are written at once; the next call takes them as `used` grows */
static inline char *record_out_room(record_out *out, size_t n) {
  if (sizeof out->buffer - out->used <= n) record_out_flush(out);
  return out->buffer + out->used;
}

core_status record_out_check(const record_out *out, core_error *err); /* has anything failed? */
core_status record_out_close(record_out *out, core_error *err);
void record_out_abandon(record_out *out); /* leaves nothing behind */

/* somebody wants it to end (Ctrl-C); a script that tidies up behind that may write and read */
int record_unwanted(void);

/* whole file as one NUL-terminated block that the caller frees */
core_status record_slurp(const char *path, char **text, size_t *size, core_error *err);

#endif
