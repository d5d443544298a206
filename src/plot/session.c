#define _GNU_SOURCE
#include "plot/session.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plot/check.h"
#include "plot/folder.h"
#include "plot/process.h"
#include "plot/whole.h"

struct plot_session {
  plot_folder *place; /* a forked copy makes its own, and its own gnuplot */
  const char *folder; /* its name */
  plot_process gnuplot;
  int starts;        /* of gnuplot */
  int pending;       /* a script is being drawn */
  char token[33];    /* random word of the handshake */
  char warning[200]; /* of the last script, or "" */
  char *terminals;
};

core_status plot_session_open(plot_session **s, core_error *err) {
  *s = calloc(1, sizeof **s);
  if (!*s) return core_no_memory(err);
  (*s)->gnuplot.in = (*s)->gnuplot.out = (*s)->gnuplot.status = -1;
  core_status status = plot_folder_make(&(*s)->place, &(*s)->folder, err);
  if (status) free(*s), *s = NULL;
  return status;
}

void plot_session_close(plot_session *s) {
  if (!s) return;
  plot_process_stop(&s->gnuplot);
  plot_folder_remove(s->place);
  free(s->terminals);
  free(s);
}

/* after a fork: leave the parent's folder and gnuplot alone */
static core_status own(plot_session *s, core_error *err) {
  if (plot_folder_ours(s->place)) return CORE_OK;
  plot_process_stop(&s->gnuplot);
  s->starts = s->pending = 0;
  plot_folder_remove(s->place);
  return plot_folder_make(&s->place, &s->folder, err);
}

static int path_of(const plot_session *s, const char *name, char *path, size_t room) {
  path[0] = '\0';
  if (!plot_plain_name(name, strlen(name))) return 0;
  return snprintf(path, room, "%s/%s", s->folder, name) < (int)room;
}

static int write_rows(FILE *f, int ncol, const double *const *columns, size_t n) {
  enum { ROWS = 512 };
  double block[ROWS * 8];
  int per = ncol <= 8 ? ncol : 1;
  for (size_t i = 0; i < n;) {
    size_t rows = n - i < ROWS ? n - i : ROWS;
    if (ncol > 8) rows = 1;
    for (int at = 0; at < ncol; at += per) {
      for (size_t k = 0; k < rows; k++)
        for (int j = 0; j < per; j++) block[k * (size_t)per + (size_t)j] = columns[at + j][i + k];
      if (fwrite(block, sizeof *block * (size_t)per, rows, f) != rows) return -1;
    }
    i += rows;
  }
  return 0;
}

core_status plot_session_data(plot_session *s, const char *name, int ncol,
                              const double *const *columns, size_t n, core_error *err) {
  char path[PATH_MAX];
  core_status status = own(s, err);
  if (status) return status;
  if (!path_of(s, name, path, sizeof path))
    return core_fail(err, CORE_BAD_INPUT, "plot: '%s' is not a plain file name", name);
  FILE *f = fopen(path, "wb");
  if (!f) return core_fail(err, CORE_IO, "cannot write %s: %s", path, strerror(errno));
  int failed = write_rows(f, ncol, columns, n);
  if (fclose(f) || failed)
    return core_fail(err, CORE_IO, "cannot write %s: %s", path, strerror(errno));
  return CORE_OK;
}

static core_status slurp(const char *path, char **bytes, size_t *n, core_error *err) {
  struct stat about;
  FILE *f = fopen(path, "rb");
  if (!f) return core_fail(err, CORE_IO, "gnuplot has drawn nothing: %s", strerror(errno));
  size_t size = fstat(fileno(f), &about) ? 0 : (size_t)about.st_size;
  *bytes = malloc(size + 1);
  *n = *bytes ? fread(*bytes, 1, size, f) : 0;
  fclose(f);
  if (!*bytes) return core_no_memory(err);
  (*bytes)[*n] = 0;
  if (*n == size && size > 0) return CORE_OK;
  free(*bytes);
  *bytes = NULL;
  return core_fail(err, CORE_IO, "gnuplot has drawn nothing");
}

core_status plot_session_take(plot_session *s, const char *name, char **bytes, size_t *n,
                              core_error *err) {
  char path[PATH_MAX];
  if (!path_of(s, name, path, sizeof path))
    return core_fail(err, CORE_BAD_INPUT, "plot: '%s' is not a plain file name", name);
  core_status status = slurp(path, bytes, n, err);
  unlink(path);
  if (status || plot_whole(name, *bytes, *n)) return status;
  free(*bytes);
  *bytes = NULL;
  return core_fail(err, CORE_IO,
                   "the picture is not whole: gnuplot could not write all of it to %s", s->folder);
}

static core_status start(plot_session *s, core_error *err) {
  unsigned char random[16];
  core_status status = own(s, err);
  if (status || s->gnuplot.pid) return status;
  status = plot_process_start(&s->gnuplot, plot_program(), s->folder, err);
  if (status) return status;
  s->starts++;
  if (getrandom(random, sizeof random, 0) < (ssize_t)sizeof random)
    return core_fail(err, CORE_IO, "no random numbers: %s", strerror(errno));
  for (int i = 0; i < 16; i++) sprintf(s->token + 2 * i, "%02x", random[i]);
  return CORE_OK;
}

static core_status stopped(plot_session *s, core_status status) {
  plot_process_stop(&s->gnuplot);
  s->pending = 0;
  return status;
}

/* gnuplot is gone: its last line; or, when it never was there (exit status 127), how to get it */
static core_status died(plot_session *s, core_error *err) {
  char *said = s->gnuplot.heard ? s->gnuplot.heard : "";
  size_t n = strlen(said);
  while (n && said[n - 1] == '\n') said[--n] = 0;
  const char *last = strrchr(said, '\n');
  last = last ? last + 1 : said;
  last += strspn(last, " ");
  core_fail(err, CORE_IO, *last ? "gnuplot died: %.200s" : "gnuplot died%.0s", last);
  int status = plot_process_stop(&s->gnuplot);
  s->pending = 0;
  return status == 127 ? plot_no_tool(plot_program(), err) : CORE_IO;
}

static core_status send_text(plot_session *s, const char *text, size_t n, core_error *err) {
  core_status status = plot_process_send(&s->gnuplot, text, n, err);
  if (status == CORE_IO) return died(s, err);
  return status ? stopped(s, status) : CORE_OK;
}

/* sends a script that was checked, between a fresh start and the handshake */
static core_status submit(plot_session *s, const char *script, size_t n, const char *ask,
                          core_error *err) {
  static const char fresh[] = "reset session\nreset errors\nset encoding utf8\n";
  char closing[200];
  core_status status = start(s, err);
  if (status) return status;
  plot_process_forget(&s->gnuplot);
  s->warning[0] = '\0';
  int len = snprintf(closing, sizeof closing, "\nunset multiplot\nset output\nprint '%s ',%s\n",
                     s->token, ask);
  status = send_text(s, fresh, sizeof fresh - 1, err);
  if (status == CORE_OK) status = send_text(s, script, n, err);
  if (status == CORE_OK) status = send_text(s, closing, (size_t)len, err);
  s->pending = status == CORE_OK;
  return status;
}

core_status plot_session_begin(plot_session *s, const char *script, size_t n, core_error *err) {
  core_status status = plot_check(script, n, err);
  if (status) return status;
  plot_session_wait(s, NULL); /* a failure of the figure before is past */
  return submit(s, script, n, "GPVAL_ERRNO,' ',GPVAL_ERRMSG", err);
}

/* the first complaint that is not a warning, or NULL */
static const char *first_complaint(const char *said) {
  const char *what = strstr(said, "line 0: ");
  while (what && !strncmp(what + 8, "warning:", 8)) what = strstr(what + 8, "line 0: ");
  return what ? what + 8 : NULL;
}

/* gnuplot's own words, and the command they are about */
static core_status complaint(plot_session *s, const char *what, core_error *err) {
  const char *command = strstr(s->gnuplot.heard, "gnuplot> ");
  int n = (int)strcspn(what, "\n");
  if (!command) return core_fail(err, CORE_BAD_INPUT, "gnuplot: %.*s", n, what);
  command += 9;
  return core_fail(err, CORE_BAD_INPUT, "gnuplot: %.*s: %.*s", n, what, (int)strcspn(command, "\n"),
                   command);
}

/* the answer of the handshake when it is there: the text after the token, else NULL */
static char *answer(plot_session *s) {
  char *at = s->gnuplot.n ? strstr(s->gnuplot.heard, s->token) : NULL;
  while (at && at != s->gnuplot.heard && at[-1] != '\n') at = strstr(at + 1, s->token);
  return at && strchr(at, '\n') ? at + strlen(s->token) + 1 : NULL;
}

/* Keeps the first line that warns, by gnuplot or by a library of its: "warning: ...". */
static void keep_warning(plot_session *s) {
  const char *said = s->gnuplot.heard, *found = strcasestr(said, "warning");
  if (!found) return;
  while (found != said && found[-1] != '\n') found--;
  if (!strncmp(found + strspn(found, " "), "line 0: ", 8)) found += strspn(found, " ") + 8;
  snprintf(s->warning, sizeof s->warning, "%.*s", (int)strcspn(found, "\n"), found);
}

const char *plot_session_warning(const plot_session *s) {
  return s->warning;
}

/* the error number alone is not enough: a `reset` between two panels clears it */
static core_status finished(plot_session *s, char *text, core_error *err) {
  s->pending = 0;
  char *message;
  long number = strtol(text, &message, 10);
  const char *what = first_complaint(s->gnuplot.heard);
  if (!number && !what) keep_warning(s);
  if (!number && !what) return CORE_OK;
  return complaint(s, what ? what : message + strspn(message, " "), err);
}

static core_status step(plot_session *s, int wait_ms, core_error *err) {
  int open;
  core_status status = plot_process_hear(&s->gnuplot, wait_ms, &open, err);
  if (status) return stopped(s, status);
  char *text = answer(s);
  if (text) return finished(s, text, err);
  return open ? CORE_OK : died(s, err);
}

core_status plot_session_poll(plot_session *s, int *busy, core_error *err) {
  core_status status = s->pending ? step(s, 0, err) : CORE_OK;
  *busy = s->pending;
  return status;
}

core_status plot_session_wait(plot_session *s, core_error *err) {
  core_status status = CORE_OK;
  while (s->pending && status == CORE_OK) status = step(s, 100, err);
  return status;
}

core_status plot_session_run(plot_session *s, const char *script, size_t n, core_error *err) {
  core_status status = plot_session_begin(s, script, n, err);
  return status ? status : plot_session_wait(s, err);
}

int plot_session_starts(const plot_session *s) {
  return s->starts;
}

core_status plot_session_terminals(plot_session *s, const char **words, core_error *err) {
  core_status status = CORE_OK;
  if (!s->terminals) {
    status = plot_session_wait(s, err);
    if (status == CORE_OK) status = submit(s, "", 0, "'0 ',GPVAL_TERMINALS", err);
    if (status == CORE_OK) status = plot_session_wait(s, err);
    char *text = status == CORE_OK ? answer(s) : NULL;
    if (text) text += strspn(text, " 0"); /* the zero stands for no error */
    if (text) s->terminals = strndup(text, strcspn(text, "\n"));
    if (status == CORE_OK && !s->terminals) status = core_no_memory(err);
  }
  *words = s->terminals;
  return status;
}
