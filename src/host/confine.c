#define _GNU_SOURCE
#include "host/confine.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bind/file.h"
#include "core/lock.h"
#include "plot/helper.h"

static const long CPU_LIMIT = 3600; /* s, of a sandbox without --cpu-limit */
static const rlim_t GRACE = 5;      /* s, from the interruption to the end */

void host_limit_time(long seconds) {
  rlim_t soft = (rlim_t)seconds;
  setrlimit(RLIMIT_CPU, &(struct rlimit){soft, soft + GRACE});
}

/* "<folder of the program>/<what>" */
static const char *beside_program(char *path, const char *what) {
  char self[PATH_MAX] = "";
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return NULL;
  char *slash = strrchr(self, '/');
  snprintf(path, PATH_MAX, "%.*s/%s", slash ? (int)(slash - self) : 0, self, what);
  return path;
}

static const char *in(char *path, const char *folder, const char *what) {
  snprintf(path, PATH_MAX, "%s/%s", folder, what);
  return path;
}

/* What knock and the libraries it loads later read: HDF5 and the line editor, zones, terminals,
 * the number of processors. */
static core_status lock(const char *home, const char *script, const char *current, const char *out,
                        const char *pictures, core_error *err) {
  char here[PATH_MAX], installed[PATH_MAX], lua[PATH_MAX], plots[PATH_MAX], scenarios[PATH_MAX];
  const core_lock_rule rules[] = {
      {out, CORE_LOCK_WRITE},
      {pictures, CORE_LOCK_WRITE},
      {current, CORE_LOCK_READ},
      {script, CORE_LOCK_READ},
      {in(lua, home, "lua"), CORE_LOCK_READ},
      {in(plots, home, "plots"), CORE_LOCK_READ},
      {in(scenarios, home, "scenarios"), CORE_LOCK_READ},
      {beside_program(here, "knock_hdf5.so"), CORE_LOCK_READ},
      {beside_program(installed, "../lib/knock"), CORE_LOCK_READ},
      {"/lib", CORE_LOCK_READ},
      {"/lib64", CORE_LOCK_READ},
      {"/usr/lib", CORE_LOCK_READ},
      {"/usr/local/lib", CORE_LOCK_READ},
      {"/usr/share/terminfo", CORE_LOCK_READ},
      {"/usr/share/zoneinfo", CORE_LOCK_READ},
      {"/etc/ld.so.cache", CORE_LOCK_READ},
      {"/etc/localtime", CORE_LOCK_READ},
      {"/etc/inputrc", CORE_LOCK_READ},
      {"/etc/terminfo", CORE_LOCK_READ},
      {"/sys/devices/system/cpu", CORE_LOCK_READ},
      {"/dev/null", CORE_LOCK_DEVICE},
      {"/dev/tty", CORE_LOCK_DEVICE},
      {"/dev/urandom", CORE_LOCK_READ},
  };
  core_status status = core_lock_files(rules, sizeof rules / sizeof *rules, err);
  return status ? status : core_lock_calls(NULL, err);
}

/* where the kernel cannot hold a script, it does not run */
static core_status able(core_error *err) {
  core_error why = {0};
  core_status status = core_lock_available(&why);
  if (!status) return CORE_OK;
  return core_fail(err, status,
                   "--sandbox: %.100s: it cannot hold a script. --sandbox=lua does without: it "
                   "stops mistakes, not attacks",
                   why.text);
}

core_status host_confine(const host_options *o, const char *home, const char *script,
                         core_error *err) {
  const char *out = o->given[HOST_OUT] ? o->given[HOST_OUT] : ".", *pictures;
  char beside[PATH_MAX];
  core_status status = able(err);
  if (status) return status;
  if (bind_file_broad(out))
    return core_fail(err, CORE_BAD_INPUT,
                     "--sandbox: the folder for results holds the home folder: go elsewhere, or "
                     "name another with --out");
  const char *near = bind_file_beside(script, beside) ? beside : script;
  status = plot_helper_start(&pictures, err);
  if (status) return status;
  host_limit_time(o->cpu_limit ? o->cpu_limit : CPU_LIMIT);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  return lock(home, near, bind_file_broad(".") ? NULL : ".", out, pictures, err);
}

#ifdef __SANITIZE_ADDRESS__
/* the search for leaks at the end traces the process, which a lock does not let it */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) {
  return plot_helper_there();
}
#endif
