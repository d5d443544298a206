/* Drives a program in a real pseudo-terminal: pty SCRIPT PROGRAM ARGS...
 *
 * Lines of the script:
 *   send TEXT      types TEXT; \r is Enter, \t Tab, \e Escape, \xHH any byte, \\ a backslash
 *   expect TEXT    waits up to 5 s until TEXT appears behind what was expected before
 *   refuse TEXT    fails when TEXT has appeared behind what was expected before
 *   within MS TEXT like expect, and fails when it takes longer than MS milliseconds
 *   wait MS        just waits
 *   raw            from here on codes of the terminal count too
 *   signal NAME    INT, HUP, TERM to the foreground group
 *   resize R C     another window size
 *   hangup         closes the terminal
 *   exit CODE      waits up to 5 s for the program to end with CODE (-1: by a signal, or any code)
 * Says the first line that fails, with what was on the screen, and exits with 1.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct session {
  int fd;
  pid_t pid;
  char *screen; /* all that was printed */
  size_t n, room;
  size_t seen; /* expected so far */
  int raw;     /* codes of the terminal are kept */
} session;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* length of a carriage return, a bell, a switch of bracketed paste, or a move along the line, else
 * 0 */
static size_t unseen(const char *at, size_t left) {
  if (*at == '\r' || *at == '\a') return 1;
  if (left >= 8 && (!memcmp(at, "\033[?2004h", 8) || !memcmp(at, "\033[?2004l", 8))) return 8;
  if (left < 3 || memcmp(at, "\033[", 2)) return 0;
  size_t n = 2;
  while (n < left && at[n] >= '0' && at[n] <= '9') n++;
  return n < left && at[n] == 'G' ? n + 1 : 0;
}

/* drops what is no part of what a person sees */
static void tidy(session *s) {
  char *to = s->screen + s->seen;
  for (char *at = to, *end = s->screen + s->n; at < end;) {
    size_t skip = unseen(at, (size_t)(end - at));
    if (skip)
      at += skip;
    else
      *to++ = *at++;
  }
  s->n = (size_t)(to - s->screen);
}

/* takes what has been printed within ms; 0 when the terminal has closed */
static int take(session *s, int ms) {
  struct pollfd p = {s->fd, POLLIN, 0};
  if (poll(&p, 1, ms) <= 0) return 1;
  if (s->room - s->n < 4097) s->screen = realloc(s->screen, s->room = 2 * s->room + 8192);
  ssize_t n = read(s->fd, s->screen + s->n, 4096);
  if (n <= 0) return 0;
  s->n += (size_t)n;
  if (!s->raw) tidy(s);
  return 1;
}

static int find(session *s, const char *text) {
  size_t length = strlen(text);
  char *at = s->n > s->seen ? memmem(s->screen + s->seen, s->n - s->seen, text, length) : NULL;
  if (at) s->seen = (size_t)(at - s->screen) + length;
  return at != NULL;
}

static int expect(session *s, const char *text, double seconds) {
  double end = now() + seconds;
  while (!find(s, text)) {
    if (now() > end) return 0;
    if (!take(s, 20)) return find(s, text);
  }
  return 1;
}

static void unescape(char *text) {
  char *to = text;
  for (char *at = text; *at; at++) {
    if (*at != '\\') {
      *to++ = *at;
      continue;
    }
    at++;
    if (*at == 'x') {
      char hex[3] = {at[1], at[2], 0};
      *to++ = (char)strtol(hex, NULL, 16);
      at += 2;
    } else {
      const char *known = strchr("r\rn\nt\te\033", *at);
      *to++ = known ? known[1] : *at;
    }
  }
  *to = '\0';
}

static void send_text(session *s, char *text) {
  unescape(text);
  for (size_t n = strlen(text); n;) {
    ssize_t sent = write(s->fd, text, n);
    if (sent < 0) return;
    text += sent;
    n -= (size_t)sent;
  }
}

static int ends_with(session *s, int code) {
  int status = 0;
  for (double end = now() + 5; now() < end;) {
    if (s->fd >= 0 && !take(s, 10)) usleep(10000);
    if (s->fd < 0) usleep(10000);
    if (waitpid(s->pid, &status, WNOHANG) == s->pid) {
      s->pid = 0;
      return code < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == code);
    }
  }
  return 0;
}

static int send_signal(session *s, const char *name) {
  int number = !strcmp(name, "INT") ? SIGINT : !strcmp(name, "HUP") ? SIGHUP : SIGTERM;
  return kill(-s->pid, number) == 0 || kill(s->pid, number) == 0;
}

static int obey(session *s, char *line) {
  char *text = strchr(line, ' ');
  text = text ? (*text = '\0', text + 1) : line + strlen(line);
  if (!strcmp(line, "send")) return send_text(s, text), 1;
  if (!strcmp(line, "expect")) return unescape(text), expect(s, text, 5);
  if (!strcmp(line, "refuse")) return unescape(text), take(s, 200), !find(s, text);
  if (!strcmp(line, "within")) {
    double ms = strtod(text, &text);
    return expect(s, text + 1, ms / 1000);
  }
  if (!strcmp(line, "wait")) return usleep((useconds_t)atoi(text) * 1000), 1;
  if (!strcmp(line, "raw")) return s->raw = 1;
  if (!strcmp(line, "signal")) return send_signal(s, text);
  if (!strcmp(line, "resize")) {
    struct winsize size = {0};
    sscanf(text, "%hu %hu", &size.ws_row, &size.ws_col);
    return ioctl(s->fd, TIOCSWINSZ, &size) == 0;
  }
  if (!strcmp(line, "hangup")) return close(s->fd), s->fd = -1, 1;
  if (!strcmp(line, "exit")) return ends_with(s, atoi(text));
  return *line == '\0' || *line == '#';
}

int main(int argc, char **argv) {
  session s = {0};
  struct winsize size = {40, 100, 0, 0};
  FILE *script = argc > 2 ? fopen(argv[1], "r") : NULL;
  if (!script) return fputs("usage: pty SCRIPT PROGRAM ARGS...\n", stderr), 2;
  s.pid = forkpty(&s.fd, NULL, NULL, &size);
  if (s.pid == 0) {
    execv(argv[2], argv + 2);
    _exit(127);
  }
  char *line = NULL, shown[4096];
  size_t room = 0;
  int number = 0, ok = 1;
  for (ssize_t n; ok && (n = getline(&line, &room, script)) >= 0;) {
    if (n && line[n - 1] == '\n') line[n - 1] = '\0';
    snprintf(shown, sizeof shown, "%s", line);
    number++;
    ok = obey(&s, line);
  }
  if (!ok) {
    printf("line %d failed: %s\n---- screen ----\n", number, shown);
    fwrite(s.screen, 1, s.n, stdout);
    printf("\n---- expected up to byte %zu of %zu ----\n", s.seen, s.n);
  }
  if (s.pid > 0) kill(s.pid, SIGKILL);
  free(line);
  free(s.screen);
  fclose(script);
  return !ok;
}
