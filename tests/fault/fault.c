/* Faults, one after another, as SQLite's tests do: preloaded into knock.
 *
 * A script does its set-up and calls os.clock(). From there on this library forks one process per
 * fault: the n-th allocation (or the n-th call for input and output) fails, and the process runs
 * the script to its end in an empty folder of its own. It must end with the right answer (the
 * output and the files of a run without faults), or with an error and a line that says so; files
 * are the right ones or not there. Crashes, hangs, wrong answers and half files are told on stderr.
 *
 *   FAULT=alloc | io      which calls; FAULT_MODE=once | on (from the n-th on) | short | again
 * (EINTR) FAULT_LONG=1          every n; otherwise all up to FAULT_DENSE (40), then ever fewer
 */
#define _GNU_SOURCE
#include "fault.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct shared {
  atomic_long count; /* calls that could fail, in all processes of a case */
  atomic_long hits;  /* calls that did */
} shared;

static shared *board;
static long at;   /* the call that fails; 0: none */
static int armed; /* in a case, not in the server */
fault_kind fault_which;
fault_mode fault_how;

int fault_now(fault_kind kind) {
  if (!armed || kind != fault_which) return 0;
  long n = atomic_fetch_add(&board->count, 1) + 1;
  if (!at || n < at || (fault_how != FAULT_ON && n > at)) return 0;
  atomic_fetch_add(&board->hits, 1);
  return 1;
}

/* ---- one case ---- */

typedef struct outcome {
  int status;      /* as from waitpid */
  char *out, *err; /* what it said */
  size_t n, nerr;
} outcome;

static char top[PATH_MAX - 300]; /* the folder of all cases */

static char *slurp(const char *path, size_t *n) {
  struct stat about;
  int fd = open(path, O_RDONLY);
  *n = 0;
  if (fd < 0 || fstat(fd, &about)) return NULL;
  char *text = malloc((size_t)about.st_size + 1);
  ssize_t got = read(fd, text, (size_t)about.st_size);
  *n = got > 0 ? (size_t)got : 0;
  text[*n] = 0;
  close(fd);
  return text;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where) {
  (void)about, (void)kind, (void)where;
  return remove(path);
}

static void redirect(int fd, const char *name) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", top, name);
  int to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  dup2(to, fd);
  close(to);
}

/* the child: from here on the script goes on, with faults */
static void become_case(long n, const char *folder) {
  setpgid(0, 0);
  redirect(1, "out");
  redirect(2, "err");
  if (chdir(folder)) _exit(99);
  setenv("TMPDIR", top, 1);
  signal(SIGALRM, SIG_DFL); /* knock has its own use for it */
  alarm(30);
  at = n;
  armed = 1;
}

/* 0 in the child; the outcome in the server */
static pid_t one_case(long n, const char *folder, outcome *o) {
  char path[PATH_MAX];
  nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  mkdir(folder, 0777);
  atomic_store(&board->count, 0);
  atomic_store(&board->hits, 0);
  pid_t pid = fork();
  if (pid == 0) {
    become_case(n, folder);
    return 0;
  }
  while (waitpid(pid, &o->status, 0) < 0 && errno == EINTR) continue;
  kill(-pid, SIGKILL); /* workers it has left behind */
  snprintf(path, sizeof path, "%s/out", top);
  o->out = slurp(path, &o->n);
  snprintf(path, sizeof path, "%s/err", top);
  o->err = slurp(path, &o->nerr);
  return pid;
}

/* ---- judging it ---- */

static int same_file(const char *a, const char *b) {
  size_t na, nb;
  char *x = slurp(a, &na), *y = slurp(b, &nb);
  int same = x && y && na == nb && !memcmp(x, y, na);
  free(x);
  free(y);
  return same;
}

static int is_ending(const char *name, const char *ending) {
  size_t n = strlen(name), k = strlen(ending);
  return n >= k && !strcmp(name + n - k, ending);
}

/* what is wrong with the files of a case: each is as in the reference, or not there. Journals may
 * end anywhere; HDF5 is read by the script. */
static const char *bad_files(const char *folder, const char *reference, int good) {
  static char what[320];
  char a[PATH_MAX + 300], b[PATH_MAX + 300];
  const char *problem = NULL;
  DIR *dir = opendir(good ? reference : folder);
  for (struct dirent *e; dir && !problem && (e = readdir(dir));) {
    if (e->d_name[0] == '.' || is_ending(e->d_name, ".journal") || is_ending(e->d_name, ".h5"))
      continue;
    snprintf(a, sizeof a, "%s/%s", folder, e->d_name);
    snprintf(b, sizeof b, "%s/%s", reference, e->d_name);
    if (is_ending(e->d_name, ".dat") || is_ending(e->d_name, ".gp"))
      continue; /* kept for a picture */
    if (same_file(a, b)) continue;
    snprintf(what, sizeof what, "the file '%s' is not right", e->d_name);
    problem = what;
  }
  if (dir) closedir(dir);
  return problem;
}

static const char *verdict(const outcome *o, const outcome *right, const char *folder,
                           const char *reference) {
  static char what[64];
  if (WIFSIGNALED(o->status)) {
    snprintf(what, sizeof what, "killed by signal %d", WTERMSIG(o->status));
    return what;
  }
  int code = WEXITSTATUS(o->status);
  int must = fault_how == FAULT_SHORT || fault_how == FAULT_AGAIN; /* these are no errors */
  if (code && must) return "an interruption or a short write became an error";
  if (code && !o->nerr) return "an error without a word";
  if (code > 4) return "an odd exit code";
  if (!code && (o->n != right->n || memcmp(o->out, right->out, o->n))) return "a wrong answer";
  return bad_files(folder, reference, code == 0);
}

static void tell(long n, const char *what, const outcome *o) {
  dprintf(2, "fault %ld: %s: %.300s\n", n, what, o->err && o->nerr ? o->err : "(no word)");
}

/* ---- all cases ---- */

static long next(long n) {
  const char *dense = getenv("FAULT_DENSE");
  long all = dense ? atol(dense) : 40;
  return getenv("FAULT_LONG") || n < all ? n + 1 : n + 1 + n / 6;
}

/* one case to look at: what it said, where its files are */
static int look(long n, const char *folder) {
  outcome o;
  if (one_case(n, folder, &o) == 0) return 0;
  printf("%s%sstatus %d, in %s\n", o.out, o.err, o.status, top);
  fflush(stdout);
  _exit(0);
}

static void forget(outcome *o) {
  free(o->out);
  free(o->err);
}

/* 0 in a child, which goes on with the script; the server ends here */
static int serve(void) {
  char folder[PATH_MAX], reference[PATH_MAX];
  outcome right, o;
  long n, bad = 0, cases = 0;
  snprintf(folder, sizeof folder, "%s/case", top);
  snprintf(reference, sizeof reference, "%s/reference", top);
  if (one_case(0, reference, &right) == 0) return 0;
  if (getenv("FAULT_ONLY")) return look(atol(getenv("FAULT_ONLY")), folder);
  if (right.status) tell(0, "the script fails without faults", &right), bad++;
  for (n = 1; !right.status; n = next(n), cases++) {
    if (one_case(n, folder, &o) == 0) return 0;
    long seen = atomic_load(&board->count);
    const char *what = verdict(&o, &right, folder, reference);
    if (what && bad++ < 20) tell(n, what, &o);
    forget(&o);
    if (seen < n) break;
  }
  printf("%ld cases up to fault %ld, %ld bad\n", cases, n, bad);
  fflush(stdout);
  forget(&right);
  nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  _exit(bad ? 1 : 0);
}

static int chosen(const char *name, const char *value, int otherwise) {
  const char *set = getenv(name);
  return set ? !strcmp(set, value) : otherwise;
}

clock_t clock(void) {
  if (armed || board) return 0;
  board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  fault_which = chosen("FAULT", "io", 0) ? FAULT_IO : FAULT_ALLOC;
  fault_how = chosen("FAULT_MODE", "on", 0)      ? FAULT_ON
              : chosen("FAULT_MODE", "short", 0) ? FAULT_SHORT
              : chosen("FAULT_MODE", "again", 0) ? FAULT_AGAIN
                                                 : FAULT_ONCE;
  const char *tmp = getenv("TMPDIR");
  snprintf(top, sizeof top, "%s/knock-fault-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (!mkdtemp(top)) _exit(98);
  fflush(NULL);
  return serve();
}
