#include "sweep/lock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

/* the process that took the lock of this file, from /proc/locks; 0 when it cannot be told */
static long owner(int fd) {
  struct stat st;
  FILE *f = fstat(fd, &st) ? NULL : fopen("/proc/locks", "re");
  char line[200];
  long found = 0;
  while (f && !found && fgets(line, sizeof line, f)) {
    long pid;
    unsigned major, minor;
    unsigned long long inode;
    if (sscanf(line, "%*s FLOCK %*s %*s %ld %x:%x:%llu", &pid, &major, &minor, &inode) == 4 &&
        inode == st.st_ino && major == major(st.st_dev) && minor == minor(st.st_dev))
      found = pid;
  }
  if (f) fclose(f);
  return found;
}

/* its command line in at most n - 1 plain characters; 0 when the process is gone or a zombie */
static int command_of(long pid, char *text, size_t n) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/cmdline", pid);
  FILE *f = pid > 0 ? fopen(path, "re") : NULL;
  size_t length = f ? fread(text, 1, n - 1, f) : 0;
  if (f) fclose(f);
  while (length && !text[length - 1]) length--;
  text[length] = '\0';
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f) text[i] = ' ';
  return length > 0;
}

static int try_lock(int fd) {
  int bad;
  while ((bad = flock(fd, LOCK_EX | LOCK_NB)) && errno == EINTR) continue;
  return bad && errno == EWOULDBLOCK; /* file systems without locks have none to respect */
}

/* "process 1234 (knock s.lua)"; 0 when that process is gone */
static int name_holder(int fd, char holder[SWEEP_HOLDER]) {
  long pid = owner(fd);
  char command[70];
  snprintf(holder, SWEEP_HOLDER, "another process, perhaps on another machine");
  if (!pid) return 1;
  int alive = command_of(pid, command, sizeof command);
  snprintf(holder, SWEEP_HOLDER, "process %ld (%s)", pid, alive ? command : "gone");
  return alive;
}

void sweep_lock_holder(int fd, char holder[SWEEP_HOLDER]) {
  *holder = '\0';
  if (try_lock(fd))
    name_holder(fd, holder);
  else
    flock(fd, LOCK_UN);
}

core_status sweep_lock_take(int fd, const char *path, core_error *err) {
  char holder[SWEEP_HOLDER];
  for (int tries = 0; try_lock(fd); tries++) {
    if (name_holder(fd, holder) || tries >= 50)
      return core_fail(err, CORE_IO, "'%s' is in use by %s", path, holder);
    nanosleep(&(struct timespec){0, 20000000}, NULL);
  }
  return CORE_OK;
}
