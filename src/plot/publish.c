#include "plot/publish.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static core_status cannot(const char *what, const char *path, core_error *err) {
  return core_fail(err, CORE_IO, "cannot %s %s: %s", what, path, strerror(errno));
}

static int write_all(int fd, const char *bytes, size_t n) {
  while (n > 0) {
    ssize_t put = write(fd, bytes, n);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return -1;
    bytes += put;
    n -= (size_t)put;
  }
  return 0;
}

/* mkstemp makes files for the owner alone; pictures are for whoever the umask lets in */
static void usual_rights(int fd) {
  mode_t mask = umask(0);
  umask(mask);
  fchmod(fd, 0666 & ~mask);
}

static core_status write_beside(char *beside, const char *path, const char *bytes, size_t n,
                                core_error *err) {
  int fd = mkstemp(beside);
  if (fd < 0) return cannot("write", path, err);
  usual_rights(fd);
  int failed = write_all(fd, bytes, n);
  if (close(fd) || failed || rename(beside, path)) {
    core_status status = cannot("write", path, err);
    unlink(beside);
    return status;
  }
  return CORE_OK;
}

core_status plot_publish(const char *path, const char *bytes, size_t n, core_error *err) {
  static const char tail[] = ".knock-XXXXXX";
  size_t len = strlen(path);
  char *beside = malloc(len + sizeof tail);
  if (!beside) return core_fail(err, CORE_NO_MEMORY, "%s", "");
  memcpy(beside, path, len);
  memcpy(beside + len, tail, sizeof tail);
  core_status status = write_beside(beside, path, bytes, n, err);
  free(beside);
  return status;
}

core_status plot_slurp(const char *path, char **bytes, size_t *n, core_error *err) {
  struct stat about;
  FILE *f = fopen(path, "rb");
  if (!f) return cannot("read", path, err);
  size_t size = fstat(fileno(f), &about) ? 0 : (size_t)about.st_size;
  *bytes = malloc(size + 1);
  *n = *bytes ? fread(*bytes, 1, size, f) : 0;
  int failed = ferror(f);
  fclose(f);
  if (!*bytes) return core_fail(err, CORE_NO_MEMORY, "%s", "");
  if (!failed) return CORE_OK;
  free(*bytes);
  *bytes = NULL;
  return cannot("read", path, err);
}
