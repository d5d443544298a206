#include "host/plain.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/editor.h"

static volatile sig_atomic_t cancelled;

static void on_interrupt(int sig) {
  (void)sig;
  cancelled = 1;
}

/* without the marks that tell a line editor what takes no room */
static void show_prompt(const char *prompt) {
  for (; prompt && *prompt; prompt++)
    if (*prompt != '\1' && *prompt != '\2') fputc(*prompt, stdout);
  fflush(stdout);
}

int host_plain_read(const char *prompt, char **line) {
  struct sigaction interrupt = {.sa_handler = on_interrupt}, before;
  size_t room = 0;
  *line = NULL;
  cancelled = 0;
  sigaction(SIGINT, &interrupt, &before);
  show_prompt(prompt);
  ssize_t n = getline(line, &room, stdin);
  sigaction(SIGINT, &before, NULL);
  if (n > 0 && (*line)[n - 1] == '\n') (*line)[n - 1] = '\0';
  if (n >= 0) return HOST_LINE_READ;
  free(*line);
  *line = NULL;
  clearerr(stdin);
  if (cancelled) fputc('\n', stdout);
  return cancelled ? HOST_LINE_CANCELLED : HOST_LINE_END;
}
