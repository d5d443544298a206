#include "sweep/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/hash.h"
#include "record/out.h"

static const char MAGIC[] = "knock journal 1\n", END_OF_HEADER[] = "\n---\n";

typedef struct frame_head {
  uint64_t index;
  uint32_t size, crc; /* of the index, the size and the bytes */
} frame_head;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t checksum(const frame_head *h, const char *bytes) {
  uint32_t crc = core_crc32(0, &h->index, sizeof h->index);
  crc = core_crc32(crc, &h->size, sizeof h->size);
  return core_crc32(crc, bytes, h->size);
}

static core_status cannot(core_error *err, const char *what, const char *path) {
  return core_fail(err, CORE_IO, "cannot %s '%s': %s", what, path, strerror(errno));
}

/* ---- reading
 * ------------------------------------------------------------------------------------- */

/* start of the frames in a slurped journal, NULL when it is none */
static const char *frames_of(const char *text) {
  if (strncmp(text, MAGIC, sizeof MAGIC - 1)) return NULL;
  const char *end = strstr(text, END_OF_HEADER);
  return end ? end + sizeof END_OF_HEADER - 1 : NULL;
}

static core_status slurp(const char *path, char **text, size_t *size, const char **frames,
                         core_error *err) {
  core_status status = record_slurp(path, text, size, err);
  if (status) return status;
  *frames = frames_of(*text);
  if (*frames) return CORE_OK;
  free(*text);
  *text = NULL;
  core_fail(err, CORE_BAD_INPUT, "'%s' is not a journal of knock", path);
  return CORE_BAD_INPUT;
}

core_status sweep_journal_header(const char *path, char **header, core_error *err) {
  size_t size;
  const char *frames;
  core_status status = slurp(path, header, &size, &frames, err);
  if (status) return status;
  size_t length = (size_t)(frames - *header) - (sizeof END_OF_HEADER - 1) + 1;
  memmove(*header, *header + sizeof MAGIC - 1, length - (sizeof MAGIC - 1));
  (*header)[length - (sizeof MAGIC - 1)] = '\0';
  return CORE_OK;
}

/* replays all good frames; *good becomes the offset behind the last one */
static core_status replay_frames(const char *text, size_t size, size_t *good, sweep_replay replay,
                                 void *self, core_error *err) {
  frame_head h;
  while (size - *good >= sizeof h) {
    memcpy(&h, text + *good, sizeof h);
    const char *bytes = text + *good + sizeof h;
    if (size - *good - sizeof h < h.size || checksum(&h, bytes) != h.crc) break;
    core_status status = replay(self, (size_t)h.index, bytes, h.size, err);
    if (status) return status;
    *good += sizeof h + h.size;
  }
  return CORE_OK;
}

static core_status open_at(sweep_journal *j, const char *path, int flags, size_t size,
                           core_error *err) {
  *j = (sweep_journal){.fd = open(path, flags | O_WRONLY | O_CLOEXEC, 0666), .size = size};
  if (j->fd < 0) return cannot(err, "write", path);
  j->path = strdup(path);
  j->written_at = j->synced_at = now();
  if (j->path && !ftruncate(j->fd, (off_t)size) && lseek(j->fd, (off_t)size, SEEK_SET) >= 0)
    return CORE_OK;
  core_status status = cannot(err, "write", path);
  sweep_journal_close(j, NULL);
  return status;
}

core_status sweep_journal_resume(sweep_journal *j, const char *path, sweep_replay replay,
                                 void *self, core_error *err) {
  char *text;
  const char *frames;
  size_t size;
  core_status status = slurp(path, &text, &size, &frames, err);
  if (status) return status;
  size_t good = (size_t)(frames - text);
  status = replay_frames(text, size, &good, replay, self, err);
  free(text);
  if (!status && j) status = open_at(j, path, 0, good, err);
  return status;
}

/* ---- writing
 * ------------------------------------------------------------------------------------- */

static void put_header(sweep_bytes *out, const char *header) {
  sweep_put(out, MAGIC, sizeof MAGIC - 1);
  sweep_put(out, header, strlen(header));
  size_t newline = *header && header[strlen(header) - 1] == '\n';
  sweep_put(out, END_OF_HEADER + newline, sizeof END_OF_HEADER - 1 - newline);
}

/* the header is complete under another name before the journal has its own */
core_status sweep_journal_create(sweep_journal *j, const char *path, const char *header,
                                 core_error *err) {
  char *temp = malloc(strlen(path) + 8);
  if (!temp) return core_fail(err, CORE_NO_MEMORY, "%s", "");
  sprintf(temp, "%s.part", path);
  errno = EEXIST;
  core_status status = access(path, F_OK) ? CORE_OK : cannot(err, "write", path);
  if (!status) status = open_at(j, temp, O_CREAT | O_NOFOLLOW, 0, err);
  if (status) {
    free(temp);
    return status;
  }
  put_header(&j->buffer, header);
  status = sweep_journal_flush(j, err);
  if (!status && rename(temp, path)) status = cannot(err, "write", path);
  if (status) {
    sweep_journal_close(j, NULL);
    unlink(temp);
  } else {
    memcpy(j->path, path, strlen(path) + 1); /* shorter than the temporary name */
  }
  free(temp);
  return status;
}

static core_status write_buffer(sweep_journal *j, core_error *err) {
  for (size_t at = 0; at < j->buffer.n;) {
    ssize_t n = write(j->fd, j->buffer.at + at, j->buffer.n - at);
    if (n > 0) at += (size_t)n;
    if (n >= 0 || errno == EINTR) continue;
    core_status status = cannot(err, "write", j->path);
    if (ftruncate(j->fd, (off_t)j->size))
      status = CORE_IO; /* the torn frame is skipped on resume */
    lseek(j->fd, (off_t)j->size, SEEK_SET);
    j->buffer.n = 0;
    return status;
  }
  j->size += j->buffer.n;
  j->buffer.n = 0;
  j->written_at = now();
  return CORE_OK;
}

core_status sweep_journal_flush(sweep_journal *j, core_error *err) {
  core_status status = write_buffer(j, err);
  if (!status && fdatasync(j->fd) && errno != EINVAL) status = cannot(err, "write", j->path);
  j->synced_at = now();
  return status;
}

core_status sweep_journal_append(sweep_journal *j, size_t i, const char *bytes, size_t n,
                                 core_error *err) {
  frame_head h = {i, (uint32_t)n, 0};
  h.crc = checksum(&h, bytes);
  sweep_put(&j->buffer, &h, sizeof h);
  sweep_put(&j->buffer, bytes, n);
  if (j->buffer.failed) return core_fail(err, CORE_NO_MEMORY, "%s", "");
  double t = now();
  if (t - j->synced_at > 1) return sweep_journal_flush(j, err);
  if (j->buffer.n > 1 << 16 || t - j->written_at > 0.05) return write_buffer(j, err);
  return CORE_OK;
}

core_status sweep_journal_close(sweep_journal *j, core_error *err) {
  core_status status = j->fd >= 0 && err ? sweep_journal_flush(j, err) : CORE_OK;
  if (j->fd >= 0) close(j->fd);
  sweep_bytes_free(&j->buffer);
  free(j->path);
  *j = (sweep_journal){.fd = -1};
  return status;
}
