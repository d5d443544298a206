#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/lock.h"

/* The kernel's interface, from its documentation: the headers of a distribution are often older
 * than the kernel below. The numbers are the same on every architecture. */
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 };
enum { ASK_VERSION = 1, RULE_PATH_BENEATH = 1, SCOPE_ALL = 3 };

enum {
  EXECUTE = 1 << 0,
  WRITE_FILE = 1 << 1,
  READ_FILE = 1 << 2,
  READ_DIR = 1 << 3,
  REMOVE_DIR = 1 << 4,
  REMOVE_FILE = 1 << 5,
  MAKE_DIR = 1 << 7,
  MAKE_REG = 1 << 8,
  REFER = 1 << 13,     /* version 2 */
  TRUNCATE = 1 << 14,  /* version 3 */
  IOCTL_DEV = 1 << 15, /* version 5 */
  FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
};

typedef struct ruleset {
  uint64_t files;  /* rights that are refused unless a rule gives them */
  uint64_t ports;  /* version 4: TCP */
  uint64_t scopes; /* version 6: signals and abstract sockets stay inside */
} ruleset;

typedef struct beneath {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed)) beneath;

int core_lock_version(void) {
  long version = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);
  return version > 0 ? (int)version : 0;
}

/* all rights that this version knows */
static uint64_t all_rights(int version) {
  int bits = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
  return ((uint64_t)1 << bits) - 1;
}

static size_t known_size(int version) {
  return version >= 6 ? sizeof(ruleset) : version >= 4 ? 16 : 8;
}

static uint64_t rights_of(core_lock_right right) {
  static const uint64_t rights[] = {
      [CORE_LOCK_READ] = READ_FILE | READ_DIR,
      [CORE_LOCK_WRITE] = READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE | REMOVE_FILE | REMOVE_DIR |
                          MAKE_DIR | MAKE_REG | REFER,
      [CORE_LOCK_DEVICE] = READ_FILE | WRITE_FILE | IOCTL_DEV,
      [CORE_LOCK_RUN] = READ_FILE | READ_DIR | EXECUTE,
  };
  return rights[right];
}

static int add_rule(int set, const core_lock_rule *rule, uint64_t known) {
  struct stat about;
  int fd = rule->path && *rule->path ? open(rule->path, O_PATH | O_CLOEXEC) : -1;
  if (fd < 0) return 0; /* not there: nothing to allow */
  uint64_t allowed = rights_of(rule->right) & known;
  if (!fstat(fd, &about) && !S_ISDIR(about.st_mode)) allowed &= FILE_RIGHTS;
  beneath b = {allowed, fd};
  int failed = syscall(ADD_RULE, set, RULE_PATH_BENEATH, &b, 0) != 0;
  close(fd);
  return failed;
}

static core_status cannot(core_error *err, const char *what) {
  return core_fail(err, CORE_NO_TOOL, "%s: %s", what, strerror(errno));
}

core_status core_lock_files(const core_lock_rule *rules, int n, core_error *err) {
  int version = core_lock_version(), failed = 0;
  ruleset r = {all_rights(version), 3, SCOPE_ALL};
  long set = version ? syscall(CREATE_RULESET, &r, known_size(version), 0) : -1;
  if (set < 0) return cannot(err, "Landlock");
  for (int i = 0; i < n && !failed; i++) failed = add_rule((int)set, &rules[i], r.files);
  failed = failed || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(RESTRICT_SELF, set, 0);
  core_status status = failed ? cannot(err, "Landlock") : CORE_OK;
  close((int)set);
  return status;
}
