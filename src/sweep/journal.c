#define _GNU_SOURCE /* memmem */
#include "sweep/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/hash.h"
#include "sweep/lock.h"

static const char MAGIC[] = "knock journal 2\n", END_OF_HEADER[] = "\n---\n";
#define CRC_LINE "header-crc32: %08x\n"
enum { MAGIC_SIZE = sizeof MAGIC - 1, END_SIZE = sizeof END_OF_HEADER - 1, CRC_SIZE = 23 };

typedef struct frame_head {
  uint64_t index;
  uint32_t size, crc; /* of the index, the size and the bytes */
} frame_head;

static uint32_t checksum(const frame_head *h, const char *bytes) {
  uint32_t crc = core_crc32(0, &h->index, sizeof h->index);
  crc = core_crc32(crc, &h->size, sizeof h->size);
  return core_crc32(crc, bytes, h->size);
}

static core_status cannot(core_error *err, const char *what, const char *path) {
  return core_fail(err, CORE_IO, "cannot %s '%s': %s", what, path, strerror(errno));
}

/* ---- the header ---- */

/* reads up to n bytes; fewer only at the end of the file, -1 for an error */
static ssize_t read_fully(int fd, void *to, size_t n) {
  size_t at = 0;
  while (at < n) {
    ssize_t got = read(fd, (char *)to + at, n - at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    at += (size_t)got;
  }
  return (ssize_t)at;
}

/* the file up to its END_OF_HEADER, in text with a zero behind; 0 when there is none */
static int read_up_to_end(int fd, sweep_bytes *text) {
  char part[4096];
  for (;;) {
    ssize_t n = read_fully(fd, part, sizeof part);
    if (n <= 0) return 0;
    size_t from = text->n > 4 ? text->n - 4 : 0;
    sweep_put(text, part, (size_t)n);
    sweep_put(text, "", 1);
    if (text->failed || memcmp(text->at, MAGIC, text->n < MAGIC_SIZE ? text->n - 1 : MAGIC_SIZE))
      return 0;
    text->n--;
    char *end = memmem(text->at + from, text->n - from, END_OF_HEADER, END_SIZE);
    if (!end) continue;
    text->n = (size_t)(end - text->at) + END_SIZE;
    return text->n >= MAGIC_SIZE + CRC_SIZE + END_SIZE - 1;
  }
}

/* Reads and checks the header; afterwards `text` holds its lines and the file stands at the first
 * frame, whose offset is *frames. */
static core_status read_header(int fd, const char *path, sweep_bytes *text, size_t *frames,
                               core_error *err) {
  char line[CRC_SIZE + 1];
  int good = read_up_to_end(fd, text);
  if (!good && text->n > 16 && !memcmp(text->at, MAGIC, 14) && memcmp(text->at, MAGIC, MAGIC_SIZE))
    return core_fail(err, CORE_BAD_INPUT, "'%s' is a journal of another version of knock", path);
  if (!good) return core_fail(err, CORE_BAD_INPUT, "'%s' is not a journal of knock", path);
  *frames = text->n;
  size_t body = text->n - (END_SIZE - 1) - CRC_SIZE;
  snprintf(line, sizeof line, CRC_LINE, (unsigned)core_crc32(0, text->at, body));
  if (memcmp(text->at + body, line, CRC_SIZE))
    return core_fail(err, CORE_BAD_INPUT, "the header of the journal '%s' is damaged", path);
  if (lseek(fd, (off_t)*frames, SEEK_SET) < 0) return cannot(err, "read", path);
  text->n = body - MAGIC_SIZE;
  memmove(text->at, text->at + MAGIC_SIZE, text->n);
  text->at[text->n] = '\0';
  return CORE_OK;
}

static int open_file(const char *path, int flags) {
  return open(path, flags | O_CLOEXEC | O_NOCTTY, 0666);
}

core_status sweep_journal_header(const char *path, char **header, char holder[120],
                                 core_error *err) {
  sweep_bytes text = {0};
  size_t frames;
  int fd = open_file(path, O_RDONLY);
  *header = NULL;
  if (fd < 0) return cannot(err, "read", path);
  core_status status = read_header(fd, path, &text, &frames, err);
  if (holder) sweep_lock_holder(fd, holder);
  close(fd);
  if (status)
    sweep_bytes_free(&text);
  else
    *header = text.at;
  return status;
}

static void put_header(sweep_bytes *out, const char *header) {
  char line[CRC_SIZE + 1];
  size_t n = strlen(header);
  sweep_put(out, MAGIC, MAGIC_SIZE);
  sweep_put(out, header, n);
  if (n && header[n - 1] != '\n') sweep_put(out, "\n", 1);
  if (out->failed) return;
  snprintf(line, sizeof line, CRC_LINE, (unsigned)core_crc32(0, out->at, out->n));
  sweep_put(out, line, CRC_SIZE);
  sweep_put(out, END_OF_HEADER + 1, END_SIZE - 1);
}

/* ---- reading ---- */

/* the next frame, in `bytes`; 0 at the end or at one that is torn or corrupt; -1: no memory */
static int next_frame(FILE *f, size_t left, frame_head *h, sweep_bytes *bytes) {
  if (left < sizeof *h || fread(h, sizeof *h, 1, f) != 1 || left - sizeof *h < h->size) return 0;
  bytes->n = 0;
  if (bytes->room < h->size) {
    char *more = realloc(bytes->at, h->size);
    if (!more) return -1;
    bytes->at = more;
    bytes->room = h->size;
  }
  if (h->size && fread(bytes->at, h->size, 1, f) != 1) return 0;
  return checksum(h, bytes->at) == h->crc;
}

/* replays all good frames; *good becomes the offset behind the last one */
static core_status replay_frames(int fd, const char *path, size_t *good, sweep_replay replay,
                                 void *self, core_error *err) {
  struct stat st;
  int copy = fstat(fd, &st) ? -1 : dup(fd), more = 0; /* the lock stays with the first one */
  FILE *f = copy < 0 ? NULL : fdopen(copy, "r");
  if (!f) {
    core_status status = cannot(err, "read", path);
    if (copy >= 0) close(copy);
    return status;
  }
  setvbuf(f, NULL, _IOFBF, 1 << 17);
  sweep_bytes bytes = {0};
  frame_head h;
  core_status status = CORE_OK;
  while (!status && (more = next_frame(f, (size_t)st.st_size - *good, &h, &bytes)) > 0) {
    status = replay(self, (size_t)h.index, bytes.at, h.size, err);
    if (!status) *good += sizeof h + h.size;
  }
  if (!status && more < 0) status = core_no_memory(err);
  if (!status && ferror(f)) status = cannot(err, "read", path);
  fclose(f);
  sweep_bytes_free(&bytes);
  return status;
}

core_status sweep_journal_peek(const char *path, sweep_replay replay, void *self, core_error *err) {
  sweep_bytes text = {0};
  size_t good = 0;
  int fd = open_file(path, O_RDONLY);
  if (fd < 0) return cannot(err, "read", path);
  core_status status = read_header(fd, path, &text, &good, err);
  sweep_bytes_free(&text);
  if (!status) status = replay_frames(fd, path, &good, replay, self, err);
  close(fd);
  return status;
}

/* ---- by place ---- */

typedef struct indexer {
  int number;
  size_t n, at; /* units; offset of the next frame */
  sweep_place *place;
} indexer;

static core_status note_place(void *self, size_t i, const char *bytes, size_t n, core_error *err) {
  indexer *x = self;
  (void)bytes, (void)err;
  if (i < x->n) x->place[i] = (sweep_place){x->number, (uint32_t)n, x->at};
  x->at += sizeof(frame_head) + n;
  return CORE_OK;
}

core_status sweep_journal_index(const char *path, int number, int lock, size_t n,
                                sweep_place *place, int *fd, core_error *err) {
  sweep_bytes text = {0};
  indexer x = {number, n, 0, place};
  *fd = open_file(path, O_RDONLY);
  if (*fd < 0) return cannot(err, "read", path);
  core_status status = lock ? sweep_lock_take(*fd, path, err) : CORE_OK;
  if (!status) status = read_header(*fd, path, &text, &x.at, err);
  sweep_bytes_free(&text);
  size_t good = x.at;
  if (!status) status = replay_frames(*fd, path, &good, note_place, &x, err);
  return status;
}

core_status sweep_journal_fetch(int fd, const sweep_place *place, sweep_bytes *bytes,
                                core_error *err) {
  frame_head h;
  bytes->n = 0;
  char *to = sweep_reserve(bytes, sizeof h + place->size);
  if (!to) return core_no_memory(err);
  for (size_t at = 0; at < bytes->n;) {
    ssize_t n = pread(fd, to + at, bytes->n - at, (off_t)(place->at + at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      return core_fail(err, CORE_IO, "cannot read a journal: %s",
                       n ? strerror(errno) : "it has become shorter");
    at += (size_t)n;
  }
  memcpy(&h, to, sizeof h);
  memmove(to, to + sizeof h, place->size);
  bytes->n = place->size;
  if (h.size == place->size && checksum(&h, to) == h.crc) return CORE_OK;
  return core_fail(err, CORE_IO, "a journal has changed while it was read");
}

/* an open file becomes a journal that ends at `size` */
static core_status start_at(sweep_journal *j, int fd, const char *path, size_t size,
                            core_error *err) {
  *j = (sweep_journal){.fd = fd, .size = size, .path = strdup(path)};
  j->written_at = j->synced_at = core_seconds();
  if (j->path && !ftruncate(fd, (off_t)size) && lseek(fd, (off_t)size, SEEK_SET) >= 0)
    return CORE_OK;
  core_status status = cannot(err, "write", path);
  sweep_journal_close(j, NULL);
  return status;
}

core_status sweep_journal_resume(sweep_journal *j, const char *path, sweep_replay replay,
                                 void *self, core_error *err) {
  sweep_bytes text = {0};
  size_t good = 0;
  int fd = open_file(path, j ? O_RDWR : O_RDONLY);
  if (fd < 0) return cannot(err, j ? "write" : "read", path);
  core_status status = sweep_lock_take(fd, path, err);
  if (!status) status = read_header(fd, path, &text, &good, err);
  sweep_bytes_free(&text);
  if (!status) status = replay_frames(fd, path, &good, replay, self, err);
  if (!status && j) return start_at(j, fd, path, good, err);
  close(fd);
  return status;
}

/* ---- writing ---- */

/* The file gets its name unless that is taken: 1, or 0 with errno. Where there are no hard links, a
 * second writer can come between the two calls. */
static int appear(const char *temp, const char *path) {
  if (!link(temp, path)) return 1;
  if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS) return 0;
  if (access(path, F_OK) && errno == ENOENT) return !rename(temp, path);
  errno = EEXIST;
  return 0;
}

/* the header is complete, and locked, under another name before the journal has its own */
static core_status write_new(sweep_journal *j, const char *temp, const char *path,
                             const char *header, core_error *err) {
  int fd = open_file(temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
  if (fd < 0) return cannot(err, "write", path);
  core_status status = start_at(j, fd, path, 0, err);
  if (status) return status;
  put_header(&j->buffer, header);
  status = j->buffer.failed ? core_no_memory(err) : CORE_OK;
  if (!status) status = sweep_lock_take(fd, path, err);
  if (!status) status = sweep_journal_flush(j, err);
  if (!status && !appear(temp, path)) status = cannot(err, "write", path);
  if (status) sweep_journal_close(j, NULL);
  return status;
}

core_status sweep_journal_create(sweep_journal *j, const char *path, const char *header,
                                 core_error *err) {
  size_t room = strlen(path) + 32;
  char *temp = malloc(room);
  if (!temp) return core_no_memory(err);
  snprintf(temp, room, "%s.part-%ld", path, (long)getpid());
  unlink(temp); /* of a process of that number, long ago */
  core_status status = write_new(j, temp, path, header, err);
  unlink(temp);
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
  j->written_at = core_seconds();
  return CORE_OK;
}

core_status sweep_journal_flush(sweep_journal *j, core_error *err) {
  core_status status = write_buffer(j, err);
  int failed = 0;
  while (!status && (failed = fdatasync(j->fd)) && errno == EINTR) continue;
  if (!status && failed && errno != EINVAL) status = cannot(err, "write", j->path);
  j->synced_at = core_seconds();
  return status;
}

core_status sweep_journal_append(sweep_journal *j, size_t i, const char *bytes, size_t n,
                                 core_error *err) {
  frame_head h = {i, (uint32_t)n, 0};
  if (n > UINT32_MAX) return core_fail(err, CORE_BAD_INPUT, "sweep: a result of %zu bytes", n);
  h.crc = checksum(&h, bytes);
  sweep_put(&j->buffer, &h, sizeof h);
  sweep_put(&j->buffer, bytes, n);
  if (j->buffer.failed) return core_no_memory(err);
  double t = core_seconds();
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
