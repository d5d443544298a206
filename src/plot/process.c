#define _GNU_SOURCE
#include "plot/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/interrupt.h"
#include "plot/helper.h"

extern char **environ;

const char *plot_program(void) {
  const char *program = getenv("KNOCK_GNUPLOT");
  return program && *program ? program : "gnuplot";
}

/* the environment with GNUTERM and LC_ALL of our own, so that pictures do not depend on the user's
 */
char **plot_process_environment(void) {
  size_t n = 0, k = 0;
  while (environ[n]) n++;
  char **env = malloc((n + 3) * sizeof *env);
  if (!env) return NULL;
  for (size_t i = 0; i < n; i++) {
    if (strncmp(environ[i], "GNUTERM=", 8) && strncmp(environ[i], "LC_ALL=", 7))
      env[k++] = environ[i];
  }
  env[k++] = "GNUTERM=unknown";
  env[k++] = "LC_ALL=C.UTF-8";
  env[k] = NULL;
  return env;
}

/* 0, or an errno: without memory for one of them gnuplot would draw into the user's folder */
static int actions(posix_spawn_file_actions_t *a, int in, int out, const char *folder) {
  posix_spawn_file_actions_init(a);
  int error = posix_spawn_file_actions_adddup2(a, in, 0);
  if (!error) error = posix_spawn_file_actions_adddup2(a, out, 1);
  if (!error) error = posix_spawn_file_actions_adddup2(a, out, 2);
  return error ? error : posix_spawn_file_actions_addchdir_np(a, folder);
}

/* own process group, default SIGPIPE and SIGINT, nothing blocked */
static void attributes(posix_spawnattr_t *a) {
  sigset_t none, plain;
  sigemptyset(&none);
  sigemptyset(&plain);
  sigaddset(&plain, SIGPIPE);
  sigaddset(&plain, SIGINT);
  posix_spawnattr_init(a);
  posix_spawnattr_setflags(a,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(a, &none);
  posix_spawnattr_setsigdefault(a, &plain);
}

static int spawn(pid_t *pid, const char *program, const char *folder, int in, int out) {
  char *argv[] = {(char *)program, "-d", NULL};
  char **env = plot_process_environment();
  if (!env) return ENOMEM;
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attr;
  struct rlimit ours;
  int error = actions(&files, in, out, folder);
  attributes(&attr);
  int limited = !getrlimit(RLIMIT_DATA, &ours) && ours.rlim_cur < ours.rlim_max; /* --mem-limit */
  if (limited) setrlimit(RLIMIT_DATA, &(struct rlimit){ours.rlim_max, ours.rlim_max});
  if (!error) error = posix_spawnp(pid, program, &files, &attr, argv, env);
  if (limited) setrlimit(RLIMIT_DATA, &ours);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attr);
  free(env);
  return error;
}

core_status plot_no_tool(const char *program, core_error *err) {
  return core_fail(err, CORE_NO_TOOL,
                   "%s not found: install it (Debian: apt install gnuplot-nox) or set "
                   "KNOCK_GNUPLOT to its path",
                   program);
}

static core_status no_start(const char *program, int error, core_error *err) {
  if (error == ENOENT || error == EACCES || error == ENOTDIR) return plot_no_tool(program, err);
  return core_fail(err, CORE_NO_TOOL, "%s cannot be started: %s", program, strerror(error));
}

static void close_pair(int fd[2]) {
  if (fd[0] >= 0) close(fd[0]);
  if (fd[1] >= 0) close(fd[1]);
  fd[0] = fd[1] = -1;
}

/* the helper's next word; -1 when it does not come within wait_ms */
static int hear_helper(int status, int wait_ms, plot_helper_word *word) {
  struct pollfd fd = {status, POLLIN, 0};
  return poll(&fd, 1, wait_ms) > 0 && recv(status, word, sizeof *word, 0) == sizeof *word ? 0 : -1;
}

/* by the helper of a sandbox; an errno when there is no gnuplot then */
static int ask(plot_process *p, const char *folder, int in, int out) {
  int status[2];
  plot_helper_word word = {0, EIO};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, status)) return errno;
  int error = plot_helper_ask(folder, (int[3]){in, out, status[1]});
  close(status[1]);
  p->status = status[0];
  if (!error) hear_helper(p->status, 5000, &word);
  p->pid = word.pid;
  return error || p->pid ? error : word.number;
}

core_status plot_process_start(plot_process *p, const char *program, const char *folder,
                               core_error *err) {
  int in[2] = {-1, -1}, out[2] = {-1, -1};
  memset(p, 0, sizeof *p);
  p->in = p->out = p->status = -1;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) || pipe2(out, O_CLOEXEC)) {
    int why = errno;
    close_pair(in);
    return core_fail(err, CORE_IO, "plot: no pipe: %s", strerror(why));
  }
  int error = plot_helper_there() ? ask(p, folder, in[1], out[1])
                                  : spawn(&p->pid, program, folder, in[1], out[1]);
  close(in[1]);
  close(out[1]);
  p->in = in[0];
  p->out = out[0];
  p->owner = getpid();
  fcntl(p->in, F_SETFL, O_NONBLOCK);
  fcntl(p->out, F_SETFL, O_NONBLOCK);
  if (!error) return CORE_OK;
  p->pid = 0;
  plot_process_stop(p);
  return no_start(program, error, err);
}

/* closing its input ends gnuplot; who does not listen is killed. The exit status, or -1 */
static int reap(pid_t pid) {
  int status = 0;
  for (int i = 0; i < 50; i++) {
    pid_t done = waitpid(pid, &status, WNOHANG);
    if (done == pid) return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (done < 0 && errno != EINTR) return -1;
    usleep(2000);
  }
  kill(pid, SIGKILL);
  while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
  return -1;
}

static int reap_helped(const plot_process *p) {
  plot_helper_word word = {0, -1};
  hear_helper(p->status, 100, &word);
  return word.number;
}

int plot_process_stop(plot_process *p) {
  int status = -1;
  if (p->in >= 0) close(p->in);
  if (p->out >= 0) close(p->out);
  if (p->pid > 0 && p->owner == getpid()) status = p->status < 0 ? reap(p->pid) : reap_helped(p);
  if (p->status >= 0) close(p->status); /* the helper ends a gnuplot that is still there */
  free(p->heard);
  memset(p, 0, sizeof *p);
  p->in = p->out = p->status = -1;
  return status;
}

static core_status make_room(plot_process *p, core_error *err) {
  if (p->room - p->n > 4096) return CORE_OK;
  size_t room = p->room ? 2 * p->room : 8192;
  char *heard = realloc(p->heard, room);
  if (!heard) return core_no_memory(err);
  p->heard = heard;
  p->room = room;
  p->heard[p->n] = 0;
  return CORE_OK;
}

static core_status read_out(plot_process *p, int *open, core_error *err) {
  for (;;) {
    core_status status = make_room(p, err);
    if (status) return status;
    ssize_t got = read(p->out, p->heard + p->n, p->room - p->n - 1);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return CORE_OK;
    if (got <= 0) *open = 0;
    if (got <= 0) return CORE_OK;
    p->n += (size_t)got;
    p->heard[p->n] = 0;
  }
}

void plot_process_forget(plot_process *p) {
  p->n = 0;
  if (p->heard) p->heard[0] = 0;
}

core_status plot_process_hear(plot_process *p, int wait_ms, int *open, core_error *err) {
  struct pollfd fd = {p->out, POLLIN, 0};
  *open = 1;
  if (core_interrupted()) return core_fail(err, CORE_INTERRUPTED, "%s", "");
  if (poll(&fd, 1, wait_ms) <= 0) return CORE_OK;
  return read_out(p, open, err);
}

static core_status gone(core_error *err) {
  return core_fail(err, CORE_IO, "gnuplot has ended");
}

core_status plot_process_send(plot_process *p, const char *text, size_t n, core_error *err) {
  while (n > 0) {
    struct pollfd fd[2] = {{p->in, POLLOUT, 0}, {p->out, POLLIN, 0}};
    int open = 1;
    if (core_interrupted()) return core_fail(err, CORE_INTERRUPTED, "%s", "");
    if (poll(fd, 2, 100) < 0) continue;
    core_status status = fd[1].revents ? read_out(p, &open, err) : CORE_OK;
    if (status) return status;
    if (!open) return gone(err);
    if (!fd[0].revents) continue;
    ssize_t sent = send(p->in, text, n, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR && errno != EAGAIN) return gone(err);
    if (sent < 0) continue;
    text += sent;
    n -= (size_t)sent;
  }
  return CORE_OK;
}
