#define _GNU_SOURCE
#include "plot/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "knock-plot-"

/* An exit handler has no context, so folders are in a list of their own; entries are used again,
 * not freed. */
struct plot_folder {
  struct plot_folder *next;
  pid_t owner;
  int lock;                 /* the folder itself, locked; -1: none */
  char path[PATH_MAX - 80]; /* "" when it is gone */
};

static plot_folder *folders;

static const char *place(void) {
  const char *tmp = getenv("TMPDIR");
  return tmp && *tmp ? tmp : "/tmp";
}

/* the files in it (there are no folders) and itself */
static void remove_all(const char *path) {
  DIR *dir = opendir(path);
  if (!dir) return;
  for (struct dirent *entry; (entry = readdir(dir));)
    if (entry->d_name[0] != '.') unlinkat(dirfd(dir), entry->d_name, 0);
  closedir(dir);
  rmdir(path);
}

/* ---- ours ---- */

static void at_exit(void) {
  for (plot_folder *f = folders; f; f = f->next)
    if (f->owner == getpid() && f->path[0]) remove_all(f->path);
}

/* an entry that is free, or a new one; NULL when memory is out */
static plot_folder *new_entry(void) {
  for (plot_folder *f = folders; f; f = f->next)
    if (!f->path[0]) return f;
  plot_folder *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->lock = -1;
  if (!folders) atexit(at_exit);
  f->next = folders;
  return folders = f;
}

core_status plot_folder_make(plot_folder **made, const char **path, core_error *err) {
  if (!folders) plot_folder_sweep();
  plot_folder *f = *made = new_entry();
  if (!f) return core_no_memory(err);
  int n = snprintf(f->path, sizeof f->path, "%s/" PREFIX "%ld-XXXXXX", place(), (long)getpid());
  if (n >= (int)sizeof f->path) errno = ENAMETOOLONG;
  if (n >= (int)sizeof f->path || !mkdtemp(f->path)) {
    f->path[0] = '\0';
    return core_fail(err, CORE_IO, "cannot make a folder for plots in %s: %s", place(),
                     strerror(errno));
  }
  f->owner = getpid();
  f->lock = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (f->lock >= 0) flock(f->lock, LOCK_EX | LOCK_NB);
  *path = f->path;
  return CORE_OK;
}

int plot_folder_ours(const plot_folder *f) {
  return f && f->owner == getpid();
}

void plot_folder_remove(plot_folder *f) {
  if (!f) return;
  if (f->lock >= 0) close(f->lock);
  f->lock = -1;
  if (plot_folder_ours(f)) remove_all(f->path);
  f->path[0] = '\0';
}

/* ---- what others have left ---- */

/* the process in the name of a folder of ours, 0 when it is not one */
static long process_of(const char *name) {
  char *rest;
  if (strncmp(name, PREFIX, sizeof PREFIX - 1) != 0) return 0;
  long pid = strtol(name + sizeof PREFIX - 1, &rest, 10);
  return pid > 0 && *rest == '-' && strlen(rest) == 7 ? pid : 0;
}

/* a folder of this user that nobody holds */
static int is_free(int at, const char *name) {
  struct stat st;
  int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return 0;
  int nobodys = !fstat(fd, &st) && st.st_uid == geteuid() && !flock(fd, LOCK_EX | LOCK_NB);
  close(fd);
  return nobodys;
}

void plot_folder_sweep(void) {
  char path[PATH_MAX];
  DIR *dir = opendir(place());
  if (!dir) return;
  for (struct dirent *entry; (entry = readdir(dir));) {
    long pid = process_of(entry->d_name);
    if (!pid || !kill((pid_t)pid, 0) || errno != ESRCH) continue;
    if (!is_free(dirfd(dir), entry->d_name)) continue;
    if (snprintf(path, sizeof path, "%s/%s", place(), entry->d_name) < (int)sizeof path)
      remove_all(path);
  }
  closedir(dir);
}
