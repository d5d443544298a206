#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "core/lock.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#define ARCH 0 /* unknown: the lock is refused */
#endif

/* ---- what is left ---- */

/* calls that need no look at their arguments. Some are missing on newer architectures. */
static const int allowed[] = {
    /* files that Landlock has let us open, and their names */
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_pread64,
    SYS_pwrite64,
    SYS_preadv,
    SYS_pwritev,
    SYS_openat,
    SYS_close,
    SYS_close_range,
    SYS_lseek,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_statfs,
    SYS_fstatfs,
    SYS_getdents64,
    SYS_getcwd,
    SYS_readlinkat,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_mkdirat,
    SYS_unlinkat,
    SYS_renameat,
    SYS_renameat2,
    SYS_ftruncate,
    SYS_fallocate,
    SYS_fsync,
    SYS_fdatasync,
    SYS_flock,
    SYS_fcntl,
    SYS_dup,
    SYS_dup3,
    SYS_umask,
    SYS_fadvise64,
    SYS_copy_file_range,
    SYS_sendfile,
    SYS_memfd_create,
    /* pipes, pairs of sockets and waiting */
    SYS_pipe2,
    SYS_ppoll,
    SYS_pselect6,
    SYS_epoll_create1,
    SYS_epoll_ctl,
    SYS_epoll_pwait,
    SYS_eventfd2,
    SYS_sendto,
    SYS_recvfrom,
    SYS_sendmsg,
    SYS_recvmsg,
    SYS_shutdown,
    SYS_getsockopt,
    SYS_setsockopt,
    /* memory, time, threads, signals */
    SYS_brk,
    SYS_mmap,
    SYS_munmap,
    SYS_mremap,
    SYS_mprotect,
    SYS_madvise,
    SYS_mincore,
    SYS_futex,
    SYS_set_robust_list,
    SYS_get_robust_list,
    SYS_rseq,
    SYS_set_tid_address,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_times,
    SYS_setitimer,
    SYS_getitimer,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigsuspend,
    SYS_rt_sigpending,
    SYS_rt_sigtimedwait,
    SYS_sigaltstack,
    SYS_restart_syscall,
    SYS_kill,
    SYS_tgkill,
    SYS_tkill,
    SYS_membarrier,
    /* processes: sweeps fork, nobody executes */
    SYS_wait4,
    SYS_waitid,
    SYS_exit,
    SYS_exit_group,
    SYS_getpid,
    SYS_getppid,
    SYS_gettid,
    SYS_getpgid,
    SYS_getsid,
    SYS_setpgid,
    SYS_setsid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getgroups,
    SYS_getresuid,
    SYS_getresgid,
    SYS_getrusage,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_sched_getparam,
    SYS_sched_getscheduler,
    SYS_getpriority,
    SYS_setpriority,
    SYS_uname,
    SYS_sysinfo,
    SYS_getrandom,
    SYS_getcpu,
#ifdef __x86_64__
    SYS_open,
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_mkdir,
    SYS_rmdir,
    SYS_unlink,
    SYS_rename,
    SYS_readlink,
    SYS_getdents,
    SYS_dup2,
    SYS_pipe,
    SYS_poll,
    SYS_select,
    SYS_epoll_create,
    SYS_epoll_wait,
    SYS_fork,
    SYS_vfork,
    SYS_arch_prctl,
    SYS_time,
    SYS_getpgrp,
    SYS_alarm,
    SYS_pause,
#endif
};

/* what a terminal may be asked and told; TIOCSTI, which types for the user, is not among them */
static const uint32_t terminal[] = {TCGETS,     TCSETS,    TCSETSW,   TCSETSF,  TIOCGWINSZ,
                                    TIOCSWINSZ, TIOCGPGRP, TIOCSPGRP, FIONREAD, FIONBIO,
                                    FIOCLEX,    FIONCLEX,  TCXONC,    TCFLSH};

static const uint32_t tasks[] = {PR_SET_PDEATHSIG, PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE,
                                 0x53564d41 /* PR_SET_VMA: names of memory */};

/* a process of its own world would have rights in it */
static const uint32_t namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                   CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWTIME;

/* ---- the filter ---- */

/* A program for the kernel's packet filter. Each check below is a block that is entered with the
 * call's number in the accumulator, and either returns or goes on behind itself with the number
 * still (or again) there. */
typedef struct filter {
  struct sock_filter code[512];
  unsigned n;
} filter;

enum { LOW = 0, HIGH = 4 }; /* halves of an argument, little endian */

static void put(filter *f, unsigned code, unsigned k, unsigned yes, unsigned no) {
  if (f->n < sizeof f->code / sizeof *f->code)
    f->code[f->n] = (struct sock_filter){(uint16_t)code, (uint8_t)yes, (uint8_t)no, k};
  f->n++;
}

static void load(filter *f, size_t offset) {
  put(f, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}

static void load_number(filter *f) {
  load(f, offsetof(struct seccomp_data, nr));
}

static void load_argument(filter *f, int i, int half) {
  load(f, offsetof(struct seccomp_data, args) + 8 * (size_t)i + (size_t)half);
}

static void answer(filter *f, unsigned what) {
  put(f, BPF_RET | BPF_K, what, 0, 0);
}

static const unsigned refuse = SECCOMP_RET_ERRNO | EPERM;

/* only from this machine's own kind of calls, without x32's second set */
static void begin(filter *f) {
  load(f, offsetof(struct seccomp_data, arch));
  put(f, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
  answer(f, SECCOMP_RET_KILL_PROCESS);
  load_number(f);
  put(f, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
  answer(f, refuse);
}

static void allow(filter *f, int call) {
  put(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1);
  answer(f, SECCOMP_RET_ALLOW);
}

/* `call` whose argument i is one of n values */
static void allow_values(filter *f, int call, int i, const uint32_t *values, unsigned n) {
  put(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 2 * n + 2);
  load_argument(f, i, LOW);
  for (unsigned k = 0; k < n; k++) {
    put(f, BPF_JMP | BPF_JEQ | BPF_K, values[k], 0, 1);
    answer(f, SECCOMP_RET_ALLOW);
  }
  answer(f, refuse);
}

/* `call` whose argument i is this pointer (NULL: zero) */
static void allow_pointer(filter *f, int call, int i, const void *at) {
  uint64_t value = (uint64_t)(uintptr_t)at;
  put(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 6);
  load_argument(f, i, LOW);
  put(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)value, 0, 3);
  load_argument(f, i, HIGH);
  put(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value >> 32), 0, 1);
  answer(f, SECCOMP_RET_ALLOW);
  answer(f, refuse);
}

/* fork and threads, without worlds of their own; clone3 hides its flags: as if it were not there */
static void allow_clone(filter *f) {
  put(f, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
  load_argument(f, 0, LOW);
  put(f, BPF_JMP | BPF_JSET | BPF_K, namespaces, 1, 0);
  answer(f, SECCOMP_RET_ALLOW);
  answer(f, refuse);
#ifdef SYS_clone3
  put(f, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1);
  answer(f, SECCOMP_RET_ERRNO | ENOSYS);
#endif
}

#define COUNT(list) (unsigned)(sizeof(list) / sizeof *(list))

static void build(filter *f, const char *program) {
  static const uint32_t unix_only[] = {AF_UNIX};
  const uint32_t user = getuid(), group = getgid();
  begin(f);
  for (unsigned i = 0; i < COUNT(allowed); i++) allow(f, allowed[i]);
  allow_values(f, SYS_ioctl, 1, terminal, COUNT(terminal));
  allow_values(f, SYS_prctl, 0, tasks, COUNT(tasks));
  allow_values(f, SYS_socketpair, 0, unix_only, 1);
  allow_values(f, SYS_setuid, 0, &user, 1); /* gnuplot insists on being who it is */
  allow_values(f, SYS_setgid, 0, &group, 1);
  allow_pointer(f, SYS_prlimit64, 2, NULL); /* limits are asked, not set */
  allow_clone(f);
  if (program) allow_pointer(f, SYS_execve, 0, program);
  answer(f, refuse);
}

core_status core_lock_calls(const char *program, core_error *err) {
  filter f = {.n = 0};
  build(&f, program);
  struct sock_fprog code = {(unsigned short)f.n, f.code};
  if (!ARCH || f.n > COUNT(f.code))
    return core_fail(err, CORE_NO_TOOL, "seccomp: not on this kind of processor");
  if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &code))
    return CORE_OK;
  return core_fail(err, CORE_NO_TOOL, "seccomp: %s", strerror(errno));
}

core_status core_lock_available(core_error *err) {
  if (core_lock_version() < 1)
    return core_fail(err, CORE_NO_TOOL, "this kernel has no Landlock (%s)", strerror(errno));
  errno = 0;
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL); /* EFAULT: it would have looked at a filter */
  if (ARCH && errno == EFAULT) return CORE_OK;
  return core_fail(err, CORE_NO_TOOL, "this kernel has no seccomp filter (%s)", strerror(errno));
}
