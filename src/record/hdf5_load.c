#define _GNU_SOURCE /* readlink */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "record/hdf5.h"

/* beside the program (a build), one folder up (a test), or in lib/knock (an installation) */
static void *load_module(void) {
  static const char *const places[] = {"", "../", "../lib/knock/"};
  char self[4000], path[4096];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n < 0) return NULL;
  self[n] = '\0';
  char *slash = strrchr(self, '/');
  if (slash) slash[1] = '\0';
  void *module = NULL;
  for (size_t i = 0; i < sizeof places / sizeof *places && !module; i++) {
    snprintf(path, sizeof path, "%s%sknock_hdf5.so", self, places[i]);
    if (!access(path, R_OK)) module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  return module;
}

static void *entry(const char *name, core_error *err) {
  static void *module; /* loaded once, kept */
  if (!module) module = load_module();
  void *found = module ? dlsym(module, name) : NULL;
  if (!found)
    core_fail(err, CORE_NO_TOOL,
              "HDF5 is not built in: install libhdf5-dev and build again, or write .csv");
  return found;
}

core_status record_write_h5(const record_table *t, const char *path, core_error *err) {
  core_status (*write)(const record_table *, const char *, core_error *);
  *(void **)&write = entry("record_hdf5_write", err);
  return write ? write(t, path, err) : CORE_NO_TOOL;
}

core_status record_read_h5(const char *path, record_table *t, core_error *err) {
  core_status (*read)(const char *, record_table *, core_error *);
  *(void **)&read = entry("record_hdf5_read", err);
  return read ? read(path, t, err) : CORE_NO_TOOL;
}
