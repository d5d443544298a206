#define _GNU_SOURCE
#include "plot/helper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/lock.h"
#include "plot/check.h"
#include "plot/process.h"

enum { MOST = 64, NAME = 65 }; /* gnuplots at a time; bytes of a folder's name */

static const rlim_t CPU_LIMIT = 600;                /* s, for one gnuplot */
static const rlim_t MEMORY_LIMIT = (rlim_t)2 << 30; /* bytes, for one gnuplot */

typedef struct child {
  pid_t pid; /* 0: this place is free */
  int status;
} child;

typedef struct helper {
  int ear;       /* requests come in here */
  int signals;   /* a child has ended */
  char *program; /* gnuplot without links, in a page of its own; NULL: there is none */
  const char *folder;
  child children[MOST];
} helper;

/* one helper for the process, as the lock is one for the process */
static int mouth = -1;
static pid_t owner;
static char private_folder[PATH_MAX - 160];

/* ---- gnuplot, locked in ---- */

/* the first program of that name on the way, without links; 0 when there is none */
static int find_on(const char *way, const char *name, char real[PATH_MAX]) {
  char path[PATH_MAX];
  for (;; way++) {
    int n = (int)strcspn(way, ":");
    snprintf(path, sizeof path, "%.*s%s%s", n, way, n ? "/" : "", name);
    if (!access(path, X_OK) && realpath(path, real)) return 1;
    way += n;
    if (!*way) return 0;
  }
}

/* Where the program is. Its name lies at an address that no other program has: the lock lets only
 * an execve from there pass. */
static char *find_program(const char *name) {
  char real[PATH_MAX];
  const char *path = getenv("PATH");
  const char *way = strchr(name, '/') ? "" : path && *path ? path : "/usr/bin:/bin";
  if (!find_on(way, name, real)) return NULL;
  char *page = mmap(NULL, PATH_MAX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return page == MAP_FAILED ? NULL : memcpy(page, real, strlen(real) + 1);
}

/* "<folder of the program>/../<what>" */
static const char *beside(char *path, const char *program, const char *what) {
  const char *slash = strrchr(program, '/');
  snprintf(path, PATH_MAX, "%.*s/../%s", (int)(slash - program), program, what);
  return path;
}

static const char *at_home(char *path, const char *what) {
  const char *home = getenv("HOME");
  snprintf(path, PATH_MAX, "%s/%s", home && *home ? home : "/nonexistent", what);
  return path;
}

static core_status lock_in(const char *program, core_error *err) {
  char library[PATH_MAX], share[PATH_MAX], fonts[PATH_MAX], more[PATH_MAX], cache[PATH_MAX];
  const core_lock_rule rules[] = {
      {program, CORE_LOCK_RUN},
      {"/lib", CORE_LOCK_RUN},
      {"/lib64", CORE_LOCK_RUN},
      {"/usr", CORE_LOCK_RUN},
      {beside(library, program, "lib"), CORE_LOCK_READ},
      {beside(share, program, "share"), CORE_LOCK_READ},
      {"/etc/fonts", CORE_LOCK_READ},
      {"/etc/ld.so.cache", CORE_LOCK_READ},
      {"/etc/localtime", CORE_LOCK_READ},
      {"/var/cache/fontconfig", CORE_LOCK_READ},
      {at_home(cache, ".cache/fontconfig"), CORE_LOCK_READ},
      {at_home(fonts, ".fonts"), CORE_LOCK_READ},
      {at_home(more, ".local/share/fonts"), CORE_LOCK_READ},
      {".", CORE_LOCK_WRITE},
      {"/dev/null", CORE_LOCK_DEVICE},
      {"/dev/urandom", CORE_LOCK_READ},
  };
  core_status status = core_lock_files(rules, sizeof rules / sizeof *rules, err);
  return status ? status : core_lock_calls(program, err);
}

/* in the child: becomes gnuplot, or tells `fail` why not */
static _Noreturn void become_gnuplot(const helper *h, const char *name, const int fd[3], int fail) {
  char path[PATH_MAX];
  char *argv[] = {h->program, "-d", NULL};
  core_error err = {0};
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  setpgid(0, 0);
  setrlimit(RLIMIT_CPU, &(struct rlimit){CPU_LIMIT, CPU_LIMIT});
  setrlimit(RLIMIT_DATA, &(struct rlimit){MEMORY_LIMIT, MEMORY_LIMIT});
  snprintf(path, sizeof path, "%s/%s", h->folder, name);
  char **env = plot_process_environment();
  int ready =
      env && !chdir(path) && dup2(fd[0], 0) == 0 && dup2(fd[1], 1) == 1 && dup2(fd[1], 2) == 2;
  if (ready && !lock_in(h->program, &err)) execve(h->program, argv, env);
  int error = errno ? errno : EPERM;
  if (write(fail, &error, sizeof error) < 0) _exit(126);
  _exit(127);
}

/* forks a gnuplot; *error says why it did not become one */
static pid_t start_child(helper *h, const char *name, const int fd[3], int *error) {
  int fail[2];
  *error = ENOENT;
  if (!h->program) return 0;
  *error = pipe2(fail, O_CLOEXEC) ? errno : 0;
  if (*error) return 0;
  pid_t pid = fork();
  if (pid == 0) become_gnuplot(h, name, fd, fail[1]);
  *error = pid < 0 ? errno : 0;
  close(fail[1]);
  while (pid > 0 && read(fail[0], error, sizeof *error) < 0 && errno == EINTR) continue;
  close(fail[0]);
  if (pid > 0 && *error) waitpid(pid, NULL, 0);
  return *error ? 0 : pid;
}

/* ---- the helper ---- */

static void say(int status, pid_t pid, int number) {
  plot_helper_word word = {pid, number};
  send(status, &word, sizeof word, MSG_NOSIGNAL);
}

static child *find_child(helper *h, pid_t pid) {
  for (int i = 0; i < MOST; i++)
    if (h->children[i].pid == pid) return &h->children[i];
  return NULL;
}

/* a request with its descriptors; 0 when nobody can ask any more */
static int hear_request(int ear, char name[NAME], int fd[3]) {
  char room[CMSG_SPACE(3 * sizeof(int))];
  struct iovec bytes = {name, NAME - 1};
  struct msghdr m = {
      .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  ssize_t n = recvmsg(ear, &m, MSG_CMSG_CLOEXEC);
  fd[0] = fd[1] = fd[2] = -1;
  if (n <= 0) return n < 0 && errno == EINTR;
  name[n] = '\0';
  struct cmsghdr *c = CMSG_FIRSTHDR(&m);
  if (c && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(3 * sizeof(int)))
    memcpy(fd, CMSG_DATA(c), 3 * sizeof(int));
  return 1;
}

static int serve(helper *h) {
  char name[NAME];
  int fd[3], error = EINVAL;
  if (!hear_request(h->ear, name, fd)) return 0;
  child *place = find_child(h, 0);
  if (fd[2] < 0) return 1;
  pid_t pid = 0;
  if (place && plot_plain_name(name, strlen(name))) pid = start_child(h, name, fd, &error);
  close(fd[0]);
  close(fd[1]);
  say(fd[2], pid, error);
  if (pid)
    *place = (child){pid, fd[2]};
  else
    close(fd[2]);
  return 1;
}

static void reap(helper *h) {
  struct signalfd_siginfo info;
  if (read(h->signals, &info, sizeof info) < 0) return;
  int code;
  for (pid_t pid; (pid = waitpid(-1, &code, WNOHANG)) > 0;) {
    child *c = find_child(h, pid);
    if (!c) continue;
    say(c->status, 0, WIFEXITED(code) ? WEXITSTATUS(code) : -1);
    close(c->status);
    c->pid = 0;
  }
}

/* waits for a request, for the end of a gnuplot, or for somebody who gives one up */
static int turn(helper *h) {
  struct pollfd fds[MOST + 2] = {{h->ear, POLLIN, 0}, {h->signals, POLLIN, 0}};
  child *who[MOST + 2] = {0};
  nfds_t n = 2;
  for (int i = 0; i < MOST; i++) {
    if (!h->children[i].pid) continue;
    who[n] = &h->children[i];
    fds[n++] = (struct pollfd){h->children[i].status, 0, 0};
  }
  if (poll(fds, n, -1) < 0) return errno == EINTR;
  for (nfds_t i = 2; i < n; i++)
    if (fds[i].revents) kill(-who[i]->pid, SIGKILL);
  if (fds[1].revents) reap(h);
  return !fds[0].revents || serve(h);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where) {
  (void)about, (void)kind, (void)where;
  remove(path);
  return 0;
}

static _Noreturn void help(helper *h) {
  sigset_t ended;
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int i = 0; i < 3; i++) dup2(nothing, i);
  setsid(); /* Ctrl-C at the terminal is not for us */
  sigemptyset(&ended);
  sigaddset(&ended, SIGCHLD);
  sigprocmask(SIG_BLOCK, &ended, NULL);
  h->signals = signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK);
  h->program = find_program(plot_program());
  while (turn(h)) continue;
  for (int i = 0; i < MOST; i++)
    if (h->children[i].pid) kill(-h->children[i].pid, SIGKILL);
  while (waitpid(-1, NULL, 0) > 0) continue;
  nftw(h->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  _exit(0);
}

/* ---- who asks ---- */

/* the folder is gone when the program has ended */
static void at_exit(void) {
  struct pollfd end = {mouth, POLLIN, 0};
  if (owner != getpid()) return;
  shutdown(mouth, SHUT_WR);
  poll(&end, 1, 2000);
}

/* a grandchild, so that nobody has to wait for it */
static core_status fork_helper(helper *h, core_error *err) {
  pid_t pid = fork();
  if (pid < 0) return core_fail(err, CORE_IO, "cannot start a helper: %s", strerror(errno));
  if (pid > 0) {
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
    return CORE_OK;
  }
  close(mouth);
  if (fork() == 0) help(h);
  _exit(0);
}

core_status plot_helper_start(const char **folder, core_error *err) {
  const char *tmp = getenv("TMPDIR");
  int ends[2];
  snprintf(private_folder, sizeof private_folder, "%s/knock-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (!mkdtemp(private_folder))
    return core_fail(err, CORE_IO, "cannot make a folder for plots in %s: %s",
                     tmp && *tmp ? tmp : "/tmp", strerror(errno));
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
    return core_fail(err, CORE_IO, "plot: no socket: %s", strerror(errno));
  mouth = ends[0];
  helper h = {.ear = ends[1], .folder = private_folder};
  core_status status = fork_helper(&h, err);
  close(ends[1]);
  owner = getpid();
  setenv("TMPDIR", private_folder, 1);
  atexit(at_exit);
  *folder = private_folder;
  return status;
}

int plot_helper_there(void) {
  return mouth >= 0;
}

int plot_helper_ask(const char *folder, const int fd[3]) {
  const char *slash = strrchr(folder, '/'), *name = slash ? slash + 1 : folder;
  char room[CMSG_SPACE(3 * sizeof(int))] = {0};
  struct iovec bytes = {(void *)name, strlen(name)};
  struct msghdr m = {
      .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  struct cmsghdr *c = CMSG_FIRSTHDR(&m);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(3 * sizeof(int));
  memcpy(CMSG_DATA(c), fd, 3 * sizeof(int));
  while (sendmsg(mouth, &m, MSG_NOSIGNAL) < 0)
    if (errno != EINTR) return errno;
  return 0;
}
