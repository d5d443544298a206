#define _GNU_SOURCE /* readlink */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/apart.h"
#include "record/hdf5.h"
#include "record/part.h"

/* beside the program (a build), one folder up (a test), or in lib/knock (an installation) */
static int find_module(char path[4096], core_error *err) {
  static const char *const places[] = {"", "../", "../lib/knock/"};
  char self[4000];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  self[n < 0 ? 0 : n] = '\0';
  char *slash = strrchr(self, '/');
  if (slash) slash[1] = '\0';
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    snprintf(path, 4096, "%s%sknock_hdf5.so", self, places[i]);
    if (!access(path, R_OK)) return 1;
  }
  core_fail(err, CORE_NO_TOOL,
            "HDF5 is not built in: install libhdf5-dev and build again, or write .csv");
  return 0;
}

/* ---- in a process of its own ---- */

typedef struct job {
  char module[4096];
  const record_table *table;
  const char *path;
  const char *name; /* of the module's function */
} job;

/* Loaded there and not here: what the library does when a program ends (it asks for memory) is then
 * no matter of ours. */
static void *entry(const job *j, const char *name, core_error *err) {
  void *module = dlopen(j->module, RTLD_NOW | RTLD_LOCAL);
  void *found = module ? dlsym(module, name) : NULL;
  const char *why = found ? NULL : dlerror();
  if (!found) core_fail(err, CORE_NO_TOOL, "the HDF5 library: %s", why ? why : "out of memory");
  return found;
}

static core_status do_write(void *self, record_table *t, core_error *err) {
  const job *j = self;
  core_status (*write)(const record_table *, const char *, core_error *);
  (void)t;
  *(void **)&write = entry(j, j->name, err);
  return write ? write(j->table, j->path, err) : CORE_NO_TOOL;
}

static core_status do_read(void *self, record_table *t, core_error *err) {
  const job *j = self;
  core_status (*read)(const char *, record_table *, core_error *);
  *(void **)&read = entry(j, j->name, err);
  return read ? read(j->path, t, err) : CORE_NO_TOOL;
}

enum { ROOM = 1 << 29 }; /* bytes for the library itself */

/* the file is complete and on the disk under another name before it takes its own */
static core_status write_by(const char *name, const record_table *t, const char *path,
                            core_error *err) {
  job j = {.table = t, .name = name};
  core_error why = {0};
  if (!find_module(j.module, err)) return CORE_NO_TOOL;
  char *part = record_part_name(path);
  if (!part) return core_no_memory(err);
  record_part_sweep(path); /* the library takes the lock by itself */
  unlink(part);
  j.path = part;
  core_status status = record_apart(do_write, &j, NULL, 0, 0, &why);
  if (!status && rename(part, path)) status = core_fail(&why, CORE_IO, "%s", strerror(errno));
  if (status) unlink(part);
  free(part);
  if (!status) return CORE_OK;
  if (status == CORE_INTERRUPTED) return core_fail(err, status, "%s", "");
  return core_fail(err, status, "cannot write '%s': %s", path, core_error_text(&why));
}

core_status record_write_sets(const record_table *t, const char *path, core_error *err) {
  return write_by("record_hdf5_write_sets", t, path, err);
}

static core_status read_by(const char *name, const char *path, record_table *t, core_error *err) {
  struct stat st;
  job j = {.path = path, .name = name};
  record_table_init(t);
  if (!find_module(j.module, err)) return CORE_NO_TOOL;
  if (stat(path, &st))
    return core_fail(err, CORE_IO, "cannot read '%s': %s", path, strerror(errno));
  core_error why = {0};
  /* some files make it go round for ever: five seconds, which is much for the library alone under
   * valgrind too, and one more for each megabyte */
  unsigned seconds = 5 + (unsigned)((size_t)st.st_size >> 20);
  core_status status = record_apart(do_read, &j, t, ROOM + 8 * (size_t)st.st_size, seconds, &why);
  if (!status || status == CORE_INTERRUPTED || strstr(why.text, path))
    return status ? core_fail(err, status, "%s", why.text) : CORE_OK;
  return core_fail(err, CORE_BAD_INPUT, "cannot read '%s': %s", path, core_error_text(&why));
}

core_status record_read_h5(const char *path, record_table *t, core_error *err) {
  return read_by("record_hdf5_read", path, t, err);
}

core_status record_read_sets(const char *path, record_table *t, core_error *err) {
  return read_by("record_hdf5_read_sets", path, t, err);
}
