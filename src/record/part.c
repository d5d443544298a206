#define _GNU_SOURCE
#include "record/part.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MIDDLE ".part-"

char *record_part_name(const char *path) {
  size_t n = strlen(path) + 32;
  char *name = malloc(n);
  if (name) snprintf(name, n, "%s" MIDDLE "%ld", path, (long)getpid());
  return name;
}

/* the process in the name of a part of `base`, 0 when it is not one */
static long process_of(const char *name, const char *base) {
  char *rest;
  size_t n = strlen(base);
  if (strncmp(name, base, n) != 0 || strncmp(name + n, MIDDLE, sizeof MIDDLE - 1) != 0) return 0;
  const char *digits = name + n + sizeof MIDDLE - 1;
  long pid = *digits >= '1' && *digits <= '9' ? strtol(digits, &rest, 10) : 0;
  return pid > 0 && pid <= INT_MAX && !*rest ? pid : 0;
}

/* a file of this user that nobody holds */
static int is_free(int folder, const char *name) {
  struct stat st;
  int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return 0;
  int nobodys = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
                !flock(fd, LOCK_EX | LOCK_NB);
  close(fd);
  return nobodys;
}

void record_part_sweep(const char *path) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  DIR *dir = folder ? opendir(folder) : NULL;
  free(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    long pid = process_of(entry->d_name, base);
    if (!pid || !kill((pid_t)pid, 0) || errno != ESRCH) continue;
    if (is_free(dirfd(dir), entry->d_name)) unlinkat(dirfd(dir), entry->d_name, 0);
  }
  if (dir) closedir(dir);
}

int record_part_open(const char *part, const char *path) {
  record_part_sweep(path);
  int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd >= 0) flock(fd, LOCK_EX | LOCK_NB);
  return fd;
}
