/* A script that has broken out of Lua altogether: preloaded into knock, os.clock() runs this.
 *
 * Each attempt is a child of the process under test that calls the kernel itself, as machine code
 * smuggled into knock could. One line for each: its name, and "held" or "ESCAPED". The current
 * folder has ../outside/secret.txt beside it and way_out, a link there; `own.txt` is ours.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

/* 1: the kernel would have done it. Refusals are EPERM and EACCES; any other errno means that it
 * has looked at the arguments. */
static int passed(long result) {
  return result >= 0 || (errno != EPERM && errno != EACCES);
}

static int reads(const char *path) {
  char byte;
  int fd = open(path, O_RDONLY);
  return fd >= 0 && read(fd, &byte, 1) >= 0;
}

static int writes(const char *path) {
  return open(path, O_WRONLY | O_CREAT, 0666) >= 0;
}

/* ---- files ---- */

static int read_passwd(void) {
  return reads("/etc/passwd");
}
static int read_beside(void) {
  return reads("../outside/secret.txt");
}
static int read_by_link(void) {
  return reads("way_out/secret.txt");
}
static int read_home(void) {
  return open("/root", O_RDONLY | O_DIRECTORY) >= 0;
}
static int read_root(void) {
  return open("/", O_RDONLY | O_DIRECTORY) >= 0;
}
static int read_disk(void) {
  return passed(open("/dev/vda", O_RDONLY));
}
static int read_by_handle(void) {
  return passed(syscall(SYS_open_by_handle_at, AT_FDCWD, NULL, O_RDONLY));
}
static int read_by_folder(void) {
  return openat(open(".", O_PATH), "../outside/secret.txt", O_RDONLY) >= 0;
}
static int write_new(void) {
  return writes("../outside/new.txt");
}
static int write_old(void) {
  return open("../outside/secret.txt", O_WRONLY) >= 0;
}
static int write_library(void) {
  return open(getenv("LIBRARY"), O_WRONLY) >= 0;
}
static int write_tmp(void) {
  return writes("/tmp/knock-escaped");
}
static int truncate_old(void) {
  return truncate("../outside/long.txt", 0) == 0;
}
static int make_folder(void) {
  return mkdir("../outside/folder", 0777) == 0;
}
static int remove_old(void) {
  return unlink("../outside/removable.txt") == 0;
}
static int move_out(void) {
  return writes("m.txt") && rename("m.txt", "../outside/m.txt") == 0;
}
static int move_in(void) {
  return rename("../outside/movable.txt", "movable.txt") == 0;
}
static int link_in(void) {
  return link("../outside/secret.txt", "hard.txt") == 0;
}
static int link_out(void) {
  return symlink("/etc", "soft") == 0;
}
static int make_device(void) {
  return mknod("device", S_IFCHR | 0666, 0x103) == 0;
}
static int make_pipe(void) {
  return mkfifo("pipe", 0666) == 0;
}
static int change_mode(void) {
  return chmod("../outside/secret.txt", 0777) == 0;
}
static int change_owner(void) {
  return chown("../outside/secret.txt", 1, 1) == 0;
}
static int change_time(void) {
  return utimensat(AT_FDCWD, "../outside/secret.txt", NULL, 0) == 0;
}
static int change_attribute(void) {
  return passed(setxattr("../outside/secret.txt", "user.a", "b", 1, 0));
}
static int change_root(void) {
  return chroot(".") == 0;
}
static int mount_over(void) {
  return passed(mount("none", ".", "no such file system", 0, NULL));
}

/* ---- programs ---- */

static int run_true(void) {
  char *argv[] = {"true", NULL};
  pid_t pid;
  int status;
  if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, NULL)) return 0;
  return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
static int run_shell(void) {
  return system("true") == 0;
}
static int run_from_memory(void) {
  char *argv[] = {"x", NULL};
  int fd = memfd_create("x", 0);
  if (write(fd, "#!/bin/true\n", 12) < 0) return 0;
  fexecve(fd, argv, argv + 1);
  return errno != EPERM && errno != EACCES;
}

/* ---- network, other processes, more rights ---- */

static int socket_of(int family, int type) {
  return passed(socket(family, type, 0));
}
static int internet(void) {
  return socket_of(AF_INET, SOCK_STREAM);
}
static int internet6(void) {
  return socket_of(AF_INET6, SOCK_DGRAM);
}
static int local_socket(void) {
  return socket_of(AF_UNIX, SOCK_STREAM);
}
static int netlink(void) {
  return socket_of(AF_NETLINK, SOCK_RAW);
}
static int signal_others(void) {
  return kill(atoi(getenv("OTHER")), 0) == 0;
}
static int trace(void) {
  return passed(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}
static int read_memory(void) {
  char byte;
  struct iovec here = {&byte, 1}, there = {&byte, 1};
  return passed(process_vm_readv(getppid(), &here, 1, &there, 1, 0));
}
static int read_process(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%s/environ", getenv("OTHER"));
  return reads(path);
}
static int take_descriptor(void) {
  return passed(syscall(434 /* pidfd_open */, getppid(), 0));
}
static int type_for_user(void) {
  return passed(ioctl(0, TIOCSTI, "x"));
}
static int more_memory(void) {
  struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
  return setrlimit(RLIMIT_DATA, &all) == 0;
}
static int more_time(void) {
  struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
  return setrlimit(RLIMIT_CPU, &all) == 0;
}
static int new_user(void) {
  return unshare(CLONE_NEWUSER) == 0;
}
static int new_world(void) {
  long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);
  if (pid == 0) _exit(0);
  return pid > 0;
}
static int ring(void) {
  return passed(syscall(425 /* io_uring_setup */, 1, NULL));
}
static int program_kernel(void) {
  return passed(syscall(SYS_bpf, 0, NULL, 0));
}
static int keys(void) {
  return passed(syscall(SYS_add_key, "user", "x", "y", 1, -3));
}
static int page_faults(void) {
  return passed(syscall(SYS_userfaultfd, -1));
}
static int performance(void) {
  return passed(syscall(SYS_perf_event_open, NULL, 0, 0, -1, 0));
}
static int other_user(void) {
  return setuid(65534) == 0;
}
#ifdef __x86_64__
static int other_numbers(void) { /* x32: the same calls under other numbers */
  long fd = syscall(0x40000000 | SYS_open, "/etc/passwd", O_RDONLY);
  return fd >= 0;
}
#endif

/* ---- by way of gnuplot ---- */

/* the descriptor on which the helper listens */
static int helper(void) {
  for (int fd = 3; fd < 64; fd++) {
    int type = 0;
    socklen_t n = sizeof type;
    if (!getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) && type == SOCK_SEQPACKET) return fd;
  }
  return -1;
}

/* a gnuplot of our own, with no check between us and it; its input, or -1 */
static int gnuplot(const char *name, int *status) {
  int in[2], report[2], fds[3];
  char room[CMSG_SPACE(sizeof fds)] = {0}, answer[64];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, in)) return -1;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, report)) return -1;
  fds[0] = in[1], fds[1] = open("heard.txt", O_WRONLY | O_CREAT | O_TRUNC, 0666),
  fds[2] = report[1];
  struct iovec bytes = {(void *)name, strlen(name)};
  struct msghdr m = {
      .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  struct cmsghdr *c = CMSG_FIRSTHDR(&m);
  c->cmsg_level = SOL_SOCKET, c->cmsg_type = SCM_RIGHTS, c->cmsg_len = CMSG_LEN(sizeof fds);
  memcpy(CMSG_DATA(c), fds, sizeof fds);
  if (sendmsg(helper(), &m, MSG_NOSIGNAL) < 0) return -1;
  if (recv(report[0], answer, sizeof answer, 0) < 4) return -1;
  *status = report[0];
  return *(int *)answer ? in[0] : -1;
}

static int gnuplot_elsewhere(void) {
  int status;
  return gnuplot("../../outside", &status) >= 0;
}

/* a command that would leave ../outside/gnuplot.txt, or print the secret; without a helper: yes */
static int gnuplot_does(const char *command) {
  char path[4096], text[65536] = "", answer[64];
  int status = -1;
  if (helper() < 0) return 1;
  snprintf(path, sizeof path, "%s/escape", getenv("TMPDIR"));
  mkdir(path, 0777);
  int in = gnuplot("escape", &status);
  if (in < 0) return 0;
  if (write(in, command, strlen(command)) < 0 || shutdown(in, SHUT_WR)) return 0;
  recv(status, answer, sizeof answer, 0); /* it has ended */
  int fd = open("heard.txt", O_RDONLY);
  if (read(fd, text, sizeof text - 1) < 0) return 0;
  return strstr(text, "5ecret") || access(getenv("MARK"), F_OK) == 0;
}
static int gnuplot_does_with(const char *format, const char *path) {
  char command[9000];
  snprintf(command, sizeof command, format, path, path);
  return gnuplot_does(command);
}
static int gnuplot_shell(void) {
  return gnuplot_does_with("print system('cat %s')\nx = \"`cat %s`\"\nprint x\n", getenv("SECRET"));
}
static int gnuplot_pipe(void) {
  return gnuplot_does_with(
      "set table \"a\"\nplot '<cat %s; touch $MARK' using (strcol(1)) with table\n",
      getenv("SECRET"));
}
static int gnuplot_reads(void) {
  return gnuplot_does_with("load \"%s\"\nplot '%s' using (print strcol(1), 1)\n", getenv("SECRET"));
}
static int gnuplot_writes(void) {
  return gnuplot_does_with(
      "set print \"%s\"\nprint 1\nset terminal dumb\nset output \"%s\"\nplot x\n", getenv("MARK"));
}

/* ---- all of them ---- */

#define TRY(name)                                                                                  \
  { #name, name }
static const struct attempt {
  const char *name;
  int (*f)(void);
} attempts[] = {
    TRY(read_passwd),      TRY(read_beside),    TRY(read_by_link),
    TRY(read_home),        TRY(read_root),      TRY(read_disk),
    TRY(read_by_handle),   TRY(read_by_folder), TRY(write_new),
    TRY(write_old),        TRY(write_library),  TRY(write_tmp),
    TRY(truncate_old),     TRY(make_folder),    TRY(remove_old),
    TRY(move_out),         TRY(move_in),        TRY(link_in),
    TRY(link_out),         TRY(make_device),    TRY(make_pipe),
    TRY(change_mode),      TRY(change_owner),   TRY(change_time),
    TRY(change_attribute), TRY(change_root),    TRY(mount_over),
    TRY(run_true),         TRY(run_shell),      TRY(run_from_memory),
    TRY(internet),         TRY(internet6),      TRY(local_socket),
    TRY(netlink),          TRY(signal_others),  TRY(trace),
    TRY(read_memory),      TRY(read_process),   TRY(take_descriptor),
    TRY(type_for_user),    TRY(more_memory),    TRY(more_time),
    TRY(new_user),         TRY(new_world),      TRY(ring),
    TRY(program_kernel),   TRY(keys),           TRY(page_faults),
    TRY(performance),      TRY(other_user),     TRY(gnuplot_elsewhere),
    TRY(gnuplot_shell),    TRY(gnuplot_pipe),   TRY(gnuplot_reads),
    TRY(gnuplot_writes),
#ifdef __x86_64__
    TRY(other_numbers),
#endif
};

static void attempt(const struct attempt *a) {
  int status = 0;
  pid_t pid = fork();
  if (pid == 0) {
    signal(SIGALRM, SIG_DFL); /* knock has its own use for it */
    alarm(10);
    _exit(a->f() != 0);
  }
  waitpid(pid, &status, 0);
  int escaped = WIFEXITED(status) && WEXITSTATUS(status) == 1;
  printf("%s %s\n", a->name, escaped ? "ESCAPED" : "held");
  fflush(stdout);
}

clock_t clock(void) {
  for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) attempt(&attempts[i]);
  return 0;
}
