#include "record/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/interrupt.h"
#include "record/part.h"

static core_status cannot(core_error *err, const char *what, const char *path, int code) {
  return core_fail(err, CORE_IO, "cannot %s '%s': %s", what, path, strerror(code));
}

/* devices and pipes cannot be renamed over: they are written in place */
static int is_special(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

core_status record_out_open(record_out *out, const char *path, core_error *err) {
  out->used = 0;
  out->failed = 0;
  out->fd = -1;
  out->temp = NULL;
  out->path = strdup(path);
  if (out->path && !is_special(path)) out->temp = record_part_name(path);
  if (!out->path || (!out->temp && !is_special(path))) {
    free(out->path);
    return core_no_memory(err);
  }
  out->fd = out->temp ? record_part_open(out->temp, path)
                      : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (out->fd >= 0) return CORE_OK;
  int code = errno;
  free(out->path);
  free(out->temp);
  return cannot(err, "write", path, code);
}

enum { PIECE = 1 << 22 }; /* bytes between two looks at Ctrl-C */

int record_unwanted(void) {
  return core_interrupted() && core_interrupt_flag != CORE_INTERRUPT_RAISED;
}

static void write_all(record_out *out, const char *from, size_t size) {
  for (size_t at = 0; at < size && !out->failed;) {
    ssize_t n = write(out->fd, from + at, size - at < PIECE ? size - at : PIECE);
    if (n >= 0)
      at += (size_t)n;
    else if (errno != EINTR)
      out->failed = errno;
    if (record_unwanted()) out->failed = ECANCELED;
  }
}

void record_out_flush(record_out *out) {
  write_all(out, out->buffer, out->used);
  out->used = 0;
}

void record_out_seek(record_out *out, uint64_t at) {
  record_out_flush(out);
  if (!out->failed && lseek(out->fd, (off_t)at, SEEK_SET) < 0) out->failed = errno;
}

void record_out_bytes(record_out *out, const void *bytes, size_t n) {
  const char *from = bytes;
  if (n >= sizeof out->buffer) { /* no need to copy it first */
    record_out_flush(out);
    write_all(out, from, n);
    return;
  }
  while (n && !out->failed) {
    size_t room = sizeof out->buffer - out->used, part = n < room ? n : room;
    memcpy(out->buffer + out->used, from, part);
    out->used += part;
    from += part;
    n -= part;
    if (out->used == sizeof out->buffer) record_out_flush(out);
  }
}

void record_out_text(record_out *out, const char *text) {
  record_out_bytes(out, text, strlen(text));
}

void record_out_format(record_out *out, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  record_out_bytes(out, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

static void forget(record_out *out) {
  if (out->fd >= 0) close(out->fd);
  out->fd = -1;
  free(out->path);
  free(out->temp);
  out->path = out->temp = NULL;
}

void record_out_abandon(record_out *out) {
  if (out->temp) unlink(out->temp);
  forget(out);
}

core_status record_out_check(const record_out *out, core_error *err) {
  if (out->failed == ECANCELED) return core_fail(err, CORE_INTERRUPTED, "%s", "");
  return out->failed ? cannot(err, "write", out->path, out->failed) : CORE_OK;
}

/* bytes on the disk before the name says that they are; a signal in between is no failure */
static int sync_file(int fd) {
  while (fsync(fd))
    if (errno != EINTR) return errno;
  return 0;
}

/* the new name survives a loss of power; file systems that cannot do that say so in vain */
static void sync_folder(const char *path) {
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  free(folder);
  if (fd < 0) return;
  sync_file(fd);
  close(fd);
}

core_status record_out_close(record_out *out, core_error *err) {
  record_out_flush(out);
  if (out->temp && !out->failed) out->failed = sync_file(out->fd);
  if (close(out->fd) && !out->failed) out->failed = errno;
  out->fd = -1;
  if (!out->failed && out->temp && rename(out->temp, out->path)) out->failed = errno;
  if (!out->failed && out->temp) sync_folder(out->path);
  core_status status = record_out_check(out, err);
  if (status)
    record_out_abandon(out);
  else
    forget(out);
  return status;
}

/* everything that is left in the file, in a growing block */
static char *read_all(FILE *f, size_t *size) {
  size_t room = 1 << 16, used = 0;
  char *text = malloc(room + 1);
  while (text) {
    size_t part = room - used < PIECE ? room - used : PIECE, n = fread(text + used, 1, part, f);
    used += n;
    if (n < part || record_unwanted()) break;
    if (used < room) continue;
    char *more = realloc(text, 2 * room + 1);
    if (!more) {
      free(text);
      return NULL;
    }
    text = more;
    room *= 2;
  }
  if (text) text[used] = '\0';
  *size = used;
  return text;
}

core_status record_slurp(const char *path, char **text, size_t *size, core_error *err) {
  FILE *f = fopen(path, "re");
  *text = NULL;
  if (!f) return cannot(err, "read", path, errno);
  errno = 0;
  *text = read_all(f, size);
  int bad = ferror(f) ? errno : 0;
  fclose(f);
  if (!*text) return core_no_memory(err);
  if (!bad && !record_unwanted()) return CORE_OK;
  free(*text);
  *text = NULL;
  if (!bad) return core_fail(err, CORE_INTERRUPTED, "%s", "");
  return cannot(err, "read", path, bad);
}
