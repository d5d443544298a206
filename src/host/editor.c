#include "host/editor.h"

#include <unistd.h>

#include "host/plain.h"

#ifdef KNOCK_LINE_EDITOR

#include <dlfcn.h>
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if KNOCK_LINE_EDITOR == 2
#include <editline/readline.h>
#else
#include <readline/history.h>
#include <readline/readline.h>
#endif

/* ---- the library, loaded ---- */

/* functions and variables that we use of it */
#define FUNCTIONS(X)                                                                               \
  X(rl_callback_handler_install)                                                                   \
  X(rl_callback_handler_remove)                                                                    \
  X(rl_callback_read_char)                                                                         \
  X(add_history)                                                                                   \
  X(rl_completion_matches)                                                                         \
  X(stifle_history)

#define DECLARE(name) static __typeof__(name) *lib_##name;
FUNCTIONS(DECLARE)

/* readline has these, editline may not */
static void (*lib_rl_free_line_state)(void);
static void (*lib_rl_callback_sigcleanup)(void);
static void (*lib_rl_resize_terminal)(void);
static int (*lib_rl_unbind_key)(int);

static void *library;

static void *find(const char *name) {
  return dlsym(library, name);
}

static void set_int(const char *name, int value) {
  int *at = find(name);
  if (at) *at = value;
}

static void set_text(const char *name, const char *value) {
  const char **at = find(name);
  if (at) *at = value;
}

static int find_all(void) {
#define LOOK_UP(name)                                                                              \
  if (!(*(void **)&lib_##name = find(#name))) return 0;
  FUNCTIONS(LOOK_UP)
  *(void **)&lib_rl_free_line_state = find("rl_free_line_state");
  *(void **)&lib_rl_callback_sigcleanup = find("rl_callback_sigcleanup");
  *(void **)&lib_rl_resize_terminal = find("rl_resize_terminal");
  *(void **)&lib_rl_unbind_key = find("rl_unbind_key");
  return 1;
}

/* leaves library NULL where lines cannot be edited: a dumb terminal, or it is not installed */
static void load_library(void) {
  static const char *const names[] = {KNOCK_LINE_EDITOR == 2 ? "libedit.so.2" : "libreadline.so.8",
                                      KNOCK_LINE_EDITOR == 2 ? "libedit.so.0" : "libreadline.so.7"};
  const char *term = getenv("TERM");
  if (!term || !strcmp(term, "dumb")) return;
  for (int i = 0; i < 2 && !library; i++) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (library && !find_all()) library = NULL;
}

/* ---- completion: readline has no context, so this must be global ---- */

static host_complete completer;
static void *completer_self;
static char **matches; /* what is left to hand to readline, which frees each */

static char *next_match(const char *text, int state) {
  (void)text, (void)state;
  return matches && *matches ? *matches++ : NULL;
}

static char **attempt(const char *text, int start, int end) {
  char **line = find("rl_line_buffer"), after = 0;
  (void)text;
  set_int("rl_attempted_completion_over", 1);
  char *before = strndup(*line, (size_t)end);
  char **list = before ? completer(completer_self, before, start, &after) : NULL;
  free(before);
  matches = list;
  set_int("rl_completion_append_character", after);
  char **result = list ? lib_rl_completion_matches(text, next_match) : NULL;
  free(list);
  return result;
}

const char *host_editor_name(void) {
  return KNOCK_LINE_EDITOR == 2 ? "editline" : "readline";
}

/* Ctrl-X leads to a second table of keys. Fed key by key, readline 8.2 loses its way there during a
 * search (Ctrl-R Ctrl-X x) and the process dies: Ctrl-X does nothing. */
static int without_prefix(void) {
  if (lib_rl_unbind_key) lib_rl_unbind_key('X' & 0x1f);
  return 0;
}

int host_editor_open(host_complete complete, void *self) {
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return 0;
  load_library();
  if (!library) return 1;
  setlocale(LC_CTYPE, ""); /* editline drops what is not ASCII otherwise; readline does it itself */
  completer = complete;
  completer_self = self;
  rl_completion_func_t **hook = find("rl_attempted_completion_function");
  if (hook) *hook = attempt;
  rl_hook_func_t **begin = find("rl_startup_hook");
  if (begin && KNOCK_LINE_EDITOR == 1) *begin = without_prefix;
  set_text("rl_readline_name", "knock");
  set_text("rl_basic_word_break_characters", " \t\n\"\\'><=;:+-*/%^~#{}()[].,|&");
  set_text("rl_completer_word_break_characters", " \t\n\"\\'><=;:+-*/%^~#{}()[].,|&");
  set_text("rl_completer_quote_characters", "\"'");
  set_int("rl_catch_signals", 0);
  set_int("rl_change_environment", 0); /* children see the size the terminal really has */
  lib_stifle_history(10000);
  return 1;
}

/* ---- reading a line ---- */

static char *taken;
static int line_done;
static volatile sig_atomic_t cancelled, resized;

static void on_line(char *line) {
  taken = line;
  line_done = 1;
  lib_rl_callback_handler_remove(); /* the terminal is as it was while the line runs */
}

static void on_interrupt(int sig) {
  (void)sig;
  cancelled = 1;
}

static void on_resize(int sig) {
  (void)sig;
  resized = 1;
}

/* "^C" stands behind what was typed: letting the terminal go sends the cursor to the margin */
static int cancel(void) {
  fputs("^C", stdout);
  fflush(stdout);
  if (lib_rl_free_line_state) lib_rl_free_line_state();
  if (lib_rl_callback_sigcleanup) lib_rl_callback_sigcleanup();
  lib_rl_callback_handler_remove();
  fputs("\n", stdout);
  fflush(stdout);
  return HOST_LINE_CANCELLED;
}

/* waits for keys and hands them on; a terminal that has gone ends the input */
static int edit(void) {
  struct pollfd in = {STDIN_FILENO, POLLIN, 0};
  while (!line_done) {
    if (cancelled) return cancel();
    if (resized && lib_rl_resize_terminal) lib_rl_resize_terminal();
    resized = 0;
    if (poll(&in, 1, -1) < 0) {
      if (errno == EINTR) continue;
      break;
    }
    if (in.revents & POLLIN)
      lib_rl_callback_read_char();
    else if (in.revents)
      break;
  }
  if (!line_done) lib_rl_callback_handler_remove();
  return taken ? HOST_LINE_READ : HOST_LINE_END;
}

int host_editor_read(const char *prompt, char **line) {
  if (!library) return host_plain_read(prompt, line);
  /* poll returns all the same; what readline writes to the terminal must not be cut off */
  struct sigaction interrupt = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
  struct sigaction resize = {.sa_handler = on_resize, .sa_flags = SA_RESTART};
  struct sigaction old_interrupt, old_resize;
  taken = NULL;
  line_done = 0;
  cancelled = resized = 0;
  sigaction(SIGINT, &interrupt, &old_interrupt);
  sigaction(SIGWINCH, &resize, &old_resize);
  lib_rl_callback_handler_install(prompt, on_line);
  int result = edit();
  sigaction(SIGINT, &old_interrupt, NULL);
  sigaction(SIGWINCH, &old_resize, NULL);
  *line = taken;
  return result;
}

/* ---- history ---- */

/* "\n" and "\\" in a history line stand for a newline and a backslash */
static void unescape(char *text) {
  char *to = text;
  for (char *at = text; *at; at++) {
    if (*at == '\\' && at[1]) {
      at++;
      *to++ = *at == 'n' ? '\n' : *at;
    } else {
      *to++ = *at;
    }
  }
  *to = '\0';
}

void host_editor_load_history(const char *path) {
  FILE *f = library ? fopen(path, "re") : NULL;
  char *line = NULL;
  size_t size = 0;
  if (!f) return;
  for (ssize_t n; (n = getline(&line, &size, f)) >= 0;) {
    if (n && line[n - 1] == '\n') line[n - 1] = '\0';
    unescape(line);
    if (*line) lib_add_history(line);
  }
  free(line);
  fclose(f);
}

void host_editor_remember(const char *entry, const char *path) {
  if (!library) return;
  lib_add_history(entry);
  FILE *f = path ? fopen(path, "ae") : NULL;
  if (!f) return;
  for (; *entry; entry++) {
    if (*entry == '\n')
      fputs("\\n", f);
    else if (*entry == '\\')
      fputs("\\\\", f);
    else
      fputc(*entry, f);
  }
  fputc('\n', f);
  fclose(f);
}

#else

const char *host_editor_name(void) {
  return "none";
}

int host_editor_open(host_complete complete, void *self) {
  (void)complete, (void)self;
  return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

int host_editor_read(const char *prompt, char **line) {
  return host_plain_read(prompt, line);
}

void host_editor_load_history(const char *path) {
  (void)path;
}

void host_editor_remember(const char *entry, const char *path) {
  (void)entry, (void)path;
}

#endif
