/* The calls that can fail. Allocation is glibc's own below; the rest is found behind us. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault.h"

/* ---- memory ---- */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);

static int no_memory(void) {
  if (!fault_now(FAULT_ALLOC)) return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t n) {
  return no_memory() ? NULL : __libc_malloc(n);
}
void *calloc(size_t a, size_t b) {
  return no_memory() ? NULL : __libc_calloc(a, b);
}
void *realloc(void *p, size_t n) {
  return n && no_memory() ? NULL : __libc_realloc(p, n);
}
void *aligned_alloc(size_t a, size_t n) {
  return no_memory() ? NULL : __libc_memalign(a, n);
}
void *memalign(size_t a, size_t n) {
  return no_memory() ? NULL : __libc_memalign(a, n);
}
int posix_memalign(void **p, size_t a, size_t n) {
  if (no_memory()) return ENOMEM;
  *p = __libc_memalign(a, n);
  return *p ? 0 : ENOMEM;
}

/* ---- input and output ---- */

#define REAL(name)                                                                                 \
  static __typeof__(name) *real;                                                                   \
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name)

enum { PLAIN, TRANSFER, WAITING }; /* can it be short? can it be interrupted? */

/* 0: go on; 1: errno is set, fail; 2: do half of it */
static int fails(int kind, int error) {
  if (fault_how == FAULT_SHORT && kind != TRANSFER) return 0;
  if (fault_how == FAULT_AGAIN && kind == PLAIN) return 0;
  if (!fault_now(FAULT_IO)) return 0;
  errno = fault_how == FAULT_AGAIN ? EINTR : fault_how == FAULT_ON ? ENOSPC : error;
  return fault_how == FAULT_SHORT ? 2 : 1;
}

static size_t half(int how, size_t n) {
  return how == 2 && n > 1 ? n / 2 : n;
}

ssize_t write(int fd, const void *p, size_t n) {
  REAL(write);
  int how = fd > 2 ? fails(TRANSFER, EIO) : 0;
  return how == 1 ? -1 : real(fd, p, half(how, n));
}
ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at) {
  REAL(pwrite64);
  int how = fails(TRANSFER, EIO);
  return how == 1 ? -1 : real(fd, p, half(how, n), at);
}
ssize_t pwrite(int fd, const void *p, size_t n, off_t at) {
  return pwrite64(fd, p, n, at);
}
ssize_t read(int fd, void *p, size_t n) {
  REAL(read);
  int how = fails(TRANSFER, EIO);
  return how == 1 ? -1 : real(fd, p, half(how, n));
}
ssize_t send(int fd, const void *p, size_t n, int flags) {
  REAL(send);
  int how = fails(TRANSFER, EPIPE);
  return how == 1 ? -1 : real(fd, p, half(how, n), flags);
}
int fsync(int fd) {
  REAL(fsync);
  return fails(WAITING, EIO) ? -1 : real(fd);
}
int fdatasync(int fd) {
  REAL(fdatasync);
  return fails(WAITING, EIO) ? -1 : real(fd);
}
int rename(const char *a, const char *b) {
  REAL(rename);
  return fails(PLAIN, EIO) ? -1 : real(a, b);
}
int ftruncate64(int fd, off64_t n) {
  REAL(ftruncate64);
  return fails(PLAIN, EIO) ? -1 : real(fd, n);
}
int ftruncate(int fd, off_t n) {
  return ftruncate64(fd, n);
}
int close(int fd) {
  REAL(close);
  int failed = fails(PLAIN, EIO), status = real(fd);
  return failed ? (errno = EIO, -1) : status;
}
int fclose(FILE *f) {
  REAL(fclose);
  int failed = fails(PLAIN, EIO), status = real(f);
  return failed ? (errno = EIO, EOF) : status;
}
size_t fwrite(const void *p, size_t size, size_t n, FILE *f) {
  REAL(fwrite);
  if (f != stdout && f != stderr && fails(PLAIN, ENOSPC)) return 0;
  return real(p, size, n, f);
}
FILE *fopen(const char *path, const char *mode) {
  REAL(fopen);
  return fails(PLAIN, EMFILE) ? NULL : real(path, mode);
}
FILE *fopen64(const char *path, const char *mode) {
  return fopen(path, mode);
}
pid_t fork(void) {
  REAL(fork);
  return fails(PLAIN, EAGAIN) ? -1 : real();
}
pid_t waitpid(pid_t pid, int *status, int options) {
  REAL(waitpid);
  return (fault_how == FAULT_AGAIN && fails(WAITING, EINTR)) ? -1 : real(pid, status, options);
}
int pipe(int fd[2]) {
  REAL(pipe);
  return fails(PLAIN, EMFILE) ? -1 : real(fd);
}
int pipe2(int fd[2], int flags) {
  REAL(pipe2);
  return fails(PLAIN, EMFILE) ? -1 : real(fd, flags);
}
int socketpair(int a, int b, int c, int fd[2]) {
  REAL(socketpair);
  return fails(PLAIN, EMFILE) ? -1 : real(a, b, c, fd);
}
int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  return fails(PLAIN, ENOSPC) ? -1 : real(path, mode);
}
char *mkdtemp(char *template) {
  REAL(mkdtemp);
  return fails(PLAIN, ENOSPC) ? NULL : real(template);
}
int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *a,
                 const posix_spawnattr_t *b, char *const argv[], char *const env[]) {
  REAL(posix_spawnp);
  return fails(PLAIN, EAGAIN) ? EAGAIN : real(pid, file, a, b, argv, env);
}
