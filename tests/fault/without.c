/* without landlock|seccomp command...: runs a command on a kernel that cannot do that */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static const unsigned call = offsetof(struct seccomp_data, nr);
static const unsigned first = offsetof(struct seccomp_data, args[0]);

/* landlock_create_ruleset does not exist */
static struct sock_filter no_landlock[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 444, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

/* prctl(PR_SET_SECCOMP) is not known */
static struct sock_filter no_seccomp[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

#include <sys/syscall.h>

int main(int argc, char **argv) {
  no_landlock[0].k = no_seccomp[0].k = call;
  no_seccomp[1].k = SYS_prctl;
  no_seccomp[2].k = first;
  int landlock = argc > 2 && !strcmp(argv[1], "landlock");
  struct sock_fprog program = {landlock ? 4 : 6, landlock ? no_landlock : no_seccomp};
  if (argc < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
    perror("without");
    return 125;
  }
  execvp(argv[2], argv + 2);
  perror(argv[2]);
  return 126;
}
