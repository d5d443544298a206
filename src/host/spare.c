#define _GNU_SOURCE /* pipe2, dup3 */
#include "host/spare.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plot/folder.h"

/* what keeper, session and spare all see */
typedef struct board {
  volatile pid_t session; /* who runs lines */
  volatile pid_t spare;   /* who waits; 0: nobody */
} board;

static board *shared;            /* NULL: no spares */
static int gate[2] = {-1, -1};   /* the keeper writes the signal, the spare reads it */
enum { HIGHEST_FILE = 1 << 10 }; /* of the files that the spare looks through */

/* ---- the keeper ---- */

/* kill -TERM of the process that the shell knows means the session */
static void pass_on(int number) {
  if (shared->session > 0) kill(shared->session, number);
}

static void keep_signals(void) {
  struct sigaction pass = {.sa_handler = pass_on}, ignore = {.sa_handler = SIG_IGN};
  sigaction(SIGTERM, &pass, NULL);
  sigaction(SIGHUP, &pass, NULL);
  sigaction(SIGINT, &ignore, NULL); /* the terminal sends these to the session too */
  sigaction(SIGQUIT, &ignore, NULL);
}

/* ends as the session did, and clears up behind lines that were given up */
static void end_as(int status) {
  if (shared->spare > 0) kill(shared->spare, SIGKILL);
  plot_folder_sweep();
  if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  _exit(128 + WTERMSIG(status));
}

/* was the session ended by what it did itself? A hang-up and a request to end are for all. */
static int line_died(int status) {
  return WIFSIGNALED(status) && WTERMSIG(status) != SIGHUP && WTERMSIG(status) != SIGTERM;
}

/* the session has ended: the spare takes over when it was a line that died */
static void replace(int status) {
  char number = (char)WTERMSIG(status);
  if (!shared->spare || !line_died(status)) end_as(status);
  shared->session = shared->spare;
  shared->spare = 0;
  if (write(gate[1], &number, 1) != 1) end_as(status);
}

static void keep(void) {
  int status;
  close(gate[0]);
  keep_signals();
  for (;;) {
    pid_t pid = waitpid(-1, &status, 0);
    if (pid < 0 && errno != EINTR) _exit(1);
    if (pid > 0 && pid == shared->session) replace(status);
  }
}

/* ---- the session ---- */

void host_spare_open(void) {
  board *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (b == MAP_FAILED) return;
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) || pipe2(gate, O_CLOEXEC)) {
    munmap(b, sizeof *b);
    return;
  }
  fflush(NULL);
  *b = (board){0, 0};
  shared = b;
  pid_t pid = fork();
  if (pid > 0) {
    b->session = pid;
    keep();
  }
  if (pid < 0) shared = NULL;
  if (pid == 0) prctl(PR_SET_PDEATHSIG, SIGHUP);
  close(gate[1]);
}

int host_spare_open_now(void) {
  return shared != NULL;
}

/* ---- the spare ---- */

/* pipes and sockets lead nowhere from here on; their numbers stay taken */
static void close_pipes(void) {
  struct stat about;
  int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 3; nowhere >= 0 && fd < HIGHEST_FILE; fd++) {
    if (fd == gate[0] || fd == nowhere || fstat(fd, &about)) continue;
    if (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode)) dup3(nowhere, fd, O_CLOEXEC);
  }
  if (nowhere >= 0) close(nowhere);
}

/* waits for its turn; the end of the keeper is the end of all */
static int wait_for_turn(const sigset_t *before) {
  char number = 0;
  ssize_t n;
  signal(SIGINT, SIG_IGN);
  sigprocmask(SIG_SETMASK, before, NULL);
  close_pipes();
  do n = read(gate[0], &number, 1);
  while (n < 0 && errno == EINTR);
  if (n != 1) _exit(1);
  prctl(PR_SET_PDEATHSIG, SIGHUP);
  signal(SIGINT, SIG_DFL);
  return number;
}

int host_spare_make(void) {
  sigset_t interrupt, before;
  if (!shared) return 0;
  fflush(stdout);
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  sigprocmask(SIG_BLOCK, &interrupt, &before);
  pid_t pid = fork();
  if (pid == 0) return wait_for_turn(&before);
  shared->spare = pid > 0 ? pid : 0;
  sigprocmask(SIG_SETMASK, &before, NULL);
  return 0;
}

void host_spare_drop(void) {
  pid_t spare = shared ? shared->spare : 0;
  if (!spare) return;
  shared->spare = 0;
  kill(spare, SIGKILL);
  waitpid(spare, NULL, 0);
}
