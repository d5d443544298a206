#define _GNU_SOURCE
#include "plot/screen.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

int plot_screen(int *columns, int *rows) {
  struct winsize size;
  int known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
  *columns = known ? size.ws_col : 80;
  *rows = known ? size.ws_row : 24;
  return isatty(STDOUT_FILENO);
}

/* the answer to "primary device attributes": ESC [ ? 62 ; 4 ; ... c, where 4 means sixel */
static int says_sixel(const char *answer) {
  const char *p = strstr(answer, "\033[?");
  for (p = p ? p + 3 : ""; *p; p += strspn(p, ";")) {
    size_t n = strcspn(p, ";c");
    if (n == 1 && *p == '4') return 1;
    p += n;
    if (*p == 'c') break;
  }
  return 0;
}

static int ask(int fd) {
  char answer[64] = "";
  size_t n = 0;
  struct pollfd wait = {fd, POLLIN, 0};
  if (poll(&wait, 1, 0) != 0) return 0; /* what was typed ahead must not be taken for an answer */
  if (write(fd, "\033[c", 3) != 3) return 0;
  while (n < sizeof answer - 1 && !strchr(answer, 'c') && poll(&wait, 1, 200) > 0) {
    ssize_t got = read(fd, answer + n, sizeof answer - 1 - n);
    if (got <= 0) break;
    n += (size_t)got;
  }
  return says_sixel(answer);
}

int plot_screen_sixel(void) {
  const char *term = getenv("TERM");
  if (!isatty(STDOUT_FILENO) || !term || strcmp(term, "dumb") == 0) return 0;
  int fd = open("/dev/tty", O_RDWR | O_CLOEXEC), sixel = 0;
  struct termios before, raw;
  if (fd < 0) return 0;
  if (tcgetattr(fd, &before) == 0) {
    raw = before;
    raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
    tcsetattr(fd, TCSANOW, &raw);
    sixel = ask(fd);
    tcsetattr(fd, TCSANOW, &before);
  }
  close(fd);
  return sixel;
}
