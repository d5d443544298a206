#include "host/home.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* does <dir>/lua/knock.lua exist? */
static int is_home(const char *dir) {
  char probe[PATH_MAX];
  return snprintf(probe, sizeof probe, "%s/lua/knock.lua", dir) < PATH_MAX && !access(probe, R_OK);
}

/* cuts the last part of a path off */
static void parent(char *path) {
  char *slash = strrchr(path, '/');
  if (slash) *slash = 0;
}

void host_home(char *home, size_t size, int environment) {
  const char *set = environment ? getenv("KNOCK_HOME") : NULL;
  if (set && *set) {
    snprintf(home, size, "%s", set);
    return;
  }
  char top[PATH_MAX] = "";
  if (readlink("/proc/self/exe", top, sizeof top - 1) > 0) {
    parent(top);
    parent(top);
    snprintf(home, size, "%s/share/knock", top); /* <prefix>/bin/knock */
    if (is_home(home)) return;
    snprintf(home, size, "%s", top); /* <checkout>/build/knock */
    if (is_home(home)) return;
  }
  snprintf(home, size, "%s", KNOCK_SOURCE_DIR); /* a build folder somewhere else */
  if (!is_home(home)) *home = 0;
}
