#define _GNU_SOURCE /* pipe2 */
#include "record/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/interrupt.h"

enum { MAX_TEXT = 1 << 28, MAX_COLUMNS = 1 << 20 };
static const uint32_t NO_TEXT = UINT32_MAX;

/* ---- bytes through the pipe ---- */

static int put(FILE *f, const void *bytes, size_t n) {
  return n == 0 || fwrite(bytes, n, 1, f) == 1;
}

static int put_text(FILE *f, const char *text) {
  size_t length = text ? strlen(text) : 0;
  uint32_t n = text ? (uint32_t)length : NO_TEXT;
  return length < MAX_TEXT && put(f, &n, sizeof n) && put(f, text, length);
}

typedef struct source {
  int fd;
  size_t from, to; /* bytes of the buffer that are not used yet */
  char buffer[1 << 16];
} source;

/* some bytes, at most n; 0 at the end, after a failure or Ctrl-C */
static size_t read_some(source *in, void *to, size_t n) {
  for (;;) {
    struct pollfd p = {in->fd, POLLIN, 0};
    if (core_interrupted()) return 0;
    if (poll(&p, 1, 100) <= 0) continue;
    ssize_t got = read(in->fd, to, n);
    if (got < 0 && errno == EINTR) continue;
    return got < 0 ? 0 : (size_t)got;
  }
}

/* reads all of it, or fails */
static int get(source *in, void *to, size_t n) {
  for (char *at = to; n;) {
    size_t have = in->to - in->from, part = n < have ? n : have;
    if (!have && n >= sizeof in->buffer) {
      part = read_some(in, at, n);
      if (!part) return 0;
    } else if (!have) {
      in->from = 0;
      in->to = read_some(in, in->buffer, sizeof in->buffer);
      if (!in->to) return 0;
      continue;
    } else {
      memcpy(at, in->buffer + in->from, part);
      in->from += part;
    }
    at += part;
    n -= part;
  }
  return 1;
}

/* *text is to be freed, NULL when there is none */
static int get_text(source *in, char **text) {
  uint32_t n;
  *text = NULL;
  if (!get(in, &n, sizeof n)) return 0;
  if (n == NO_TEXT) return 1;
  if (n >= MAX_TEXT || !(*text = malloc((size_t)n + 1))) return 0;
  (*text)[n] = '\0';
  if (get(in, *text, n) && strlen(*text) == n) return 1;
  free(*text);
  *text = NULL;
  return 0;
}

/* ---- a table through the pipe ---- */

typedef struct column_head {
  uint32_t kind, width;
  uint32_t whole; /* int64 follow the doubles */
} column_head;

static int put_column(FILE *f, const record_table *t, const record_column *c) {
  column_head head = {(uint32_t)c->kind, (uint32_t)c->width, c->whole != NULL};
  size_t n = t->rows * (size_t)c->width;
  int good = put_text(f, c->name) && put_text(f, c->unit) && put(f, &head, sizeof head);
  if (c->kind != RECORD_STRING) {
    good = good && put(f, c->x, n * sizeof *c->x);
    return good && (!c->whole || put(f, c->whole, n * sizeof *c->whole));
  }
  for (size_t i = 0; i < t->rows && good; i++) good = put_text(f, record_text(c, i));
  return good;
}

static int put_table(FILE *f, const record_table *t) {
  uint64_t size[2] = {t->rows, (uint64_t)t->n};
  int good = put_text(f, t->provenance) && put(f, size, sizeof size);
  for (int i = 0; i < t->n && good; i++) good = put_column(f, t, &t->columns[i]);
  return good;
}

/* most texts of a column are short, and many the same: no memory of their own on the way */
static int get_strings(source *in, record_table *t, record_column *c) {
  char text[256];
  for (size_t i = 0; i < t->rows; i++) {
    uint32_t n;
    if (!get(in, &n, sizeof n)) return 0;
    if (n == NO_TEXT) continue;
    char *at = n < sizeof text ? text : n < MAX_TEXT ? malloc((size_t)n + 1) : NULL;
    int good = at && get(in, at, n) && !memchr(at, 0, n) && !record_set_string(c, i, at, n);
    if (at != text) free(at);
    if (!good) return 0;
  }
  return 1;
}

static int get_values(source *in, record_table *t, record_column *c, int whole) {
  size_t n = t->rows * (size_t)c->width;
  if (c->kind == RECORD_STRING) return get_strings(in, t, c);
  if (!get(in, c->x, n * sizeof *c->x)) return 0;
  if (!whole) return 1;
  return !record_keep_whole(c) && get(in, c->whole, n * sizeof *c->whole);
}

static int get_column(source *in, record_table *t) {
  char *name = NULL, *unit = NULL;
  column_head head = {0};
  int good = get_text(in, &name) && get_text(in, &unit) && get(in, &head, sizeof head) && name &&
             unit && head.kind < RECORD_KINDS && head.width >= 1 && head.width <= 1 << 20;
  record_column *c =
      good ? record_add(t, name, unit, (record_kind)head.kind, (int)head.width) : NULL;
  free(name);
  free(unit);
  return c && get_values(in, t, c, head.whole && t->rows && head.kind == RECORD_INTEGER);
}

static int get_table(source *in, record_table *t) {
  uint64_t size[2];
  record_table_init(t);
  int good = get_text(in, &t->provenance) && get(in, size, sizeof size) && size[1] < MAX_COLUMNS &&
             record_resize(t, size[0]) == CORE_OK;
  for (uint64_t i = 0; good && i < size[1]; i++) good = get_column(in, t);
  if (!good) record_table_free(t);
  return good;
}

/* ---- the child ---- */

static void limit(int what, rlim_t most) {
  struct rlimit l;
  if (getrlimit(what, &l)) return;
  if (most < l.rlim_max) l.rlim_cur = l.rlim_max = most;
  setrlimit(what, &l);
}

/* bytes of address space that this process has now */
static size_t address_space(void) {
  unsigned long pages = 0;
  FILE *f = fopen("/proc/self/statm", "re");
  if (f && fscanf(f, "%lu", &pages) != 1) pages = 0;
  if (f) fclose(f);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void limit_resources(size_t room, unsigned seconds) {
  limit(RLIMIT_CORE, 0);
  if (seconds) limit(RLIMIT_CPU, seconds);
#ifndef __SANITIZE_ADDRESS__ /* which takes terabytes of addresses */
  size_t now = address_space();
  if (now && room) limit(RLIMIT_AS, now + room);
#else
  (void)room, (void)address_space;
#endif
}

/* what libraries say when memory is out; the parent says it in one line. AddressSanitizer may
 * speak. */
static void be_quiet(void) {
#ifndef __SANITIZE_ADDRESS__
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
#endif
}

static _Noreturn void child(record_work work, void *self, int wants_table, size_t room,
                            unsigned seconds, int fd, pid_t parent) {
  record_table made = {0};
  core_error err = {0};
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  signal(SIGINT, SIG_IGN); /* the parent decides */
  for (int sig = 1; sig < 32; sig++)
    if (sig == SIGSEGV || sig == SIGABRT || sig == SIGBUS || sig == SIGFPE) signal(sig, SIG_DFL);
  limit_resources(room, seconds);
  be_quiet();
  core_status status = work(self, wants_table ? &made : NULL, &err);
  FILE *f = fdopen(fd, "w");
  int32_t word = (int32_t)status;
  int good = f && put(f, &word, sizeof word) && put_text(f, err.text);
  if (good && !status && wants_table) good = put_table(f, &made);
  _exit(f && good && !fflush(f) ? 0 : 1);
}

/* ---- the parent ---- */

/* 1: an answer came, good or bad; 0: the child ended without one */
static int take_answer(source *in, record_table *t, core_status *status, core_error *err) {
  int32_t word;
  char *text = NULL;
  if (!get(in, &word, sizeof word) || word < 0 || word >= CORE_STATUS_COUNT || !get_text(in, &text))
    return 0;
  *status = (core_status)word;
  if (*status) core_fail(err, *status, "%s", text ? text : "");
  free(text);
  return *status || !t || get_table(in, t);
}

static core_status died(int how, core_error *err) {
  const char *why = WIFSIGNALED(how) ? strsignal(WTERMSIG(how)) : "it ran out of memory";
  return core_fail(err, CORE_IO, "the HDF5 library died (%s)", why);
}

core_status record_apart(record_work work, void *self, record_table *t, size_t room,
                         unsigned seconds, core_error *err) {
  int ends[2], how = 0;
  core_status status = CORE_OK;
  if (pipe2(ends, O_CLOEXEC)) return core_fail(err, CORE_IO, "%s", strerror(errno));
  fflush(NULL);
  pid_t parent = getpid(), pid = fork();
  if (pid == 0) {
    close(ends[0]);
    child(work, self, t != NULL, room, seconds, ends[1], parent);
  }
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return core_fail(err, CORE_IO, "cannot start a process: %s", strerror(errno));
  }
  source in = {.fd = ends[0]};
  int answered = take_answer(&in, t, &status, err);
  close(ends[0]);
  if (!answered) kill(pid, SIGKILL * (core_interrupted() != 0)); /* signal 0 does nothing */
  while (waitpid(pid, &how, 0) < 0 && errno == EINTR) continue;
  if (answered) return status;
  if (core_interrupted()) return core_fail(err, CORE_INTERRUPTED, "%s", "");
  return died(how, err);
}
