#include "plot/check.h"

#include <ctype.h>
#include <string.h>

/* one pass over a script, word by word */
typedef struct gate {
  const char *s, *end;
  int line;
  int depth;    /* of ( [ { */
  int start;    /* the next word is a command */
  int setting;  /* the next word is what `set` sets */
  int terminal; /* the next word is a terminal */
  int palette;  /* inside set palette: text outside of brackets names a file */
  int file;     /* the next string names a file */
  int plotting; /* inside plot or splot: a comma brings the next file */
} gate;

static int listed(const char *const *words, const char *word, size_t n) {
  for (; *words; words++) {
    if (strlen(*words) == n && !memcmp(*words, word, n)) return 1;
  }
  return 0;
}

static core_status refuse(const gate *g, const char *why, const char *what, size_t n,
                          core_error *err) {
  return core_fail(err, CORE_BAD_INPUT, "plot: line %d of the script: %s: %.*s", g->line, why,
                   (int)(n > 60 ? 60 : n), what);
}

static void new_command(gate *g) {
  g->start = 1;
  g->setting = g->terminal = g->palette = g->file = g->plotting = g->depth = 0;
}

int plot_plain_name(const char *s, size_t n) {
  if (n == 0 || n > 64 || s[0] == '.' || s[0] == '-') return 0;
  for (size_t i = 0; i < n; i++) {
    if (!isalnum((unsigned char)s[i]) && !strchr("._-", s[i])) return 0;
  }
  return 1;
}

/* Is the name of a file all there is? What follows must be the next word or the end: an operator
 * would make another name of it ('a'[2:1].'<program'). */
static int name_ends(const gate *g) {
  const char *s = g->s;
  while (s < g->end && (*s == ' ' || *s == '\\' || (*s == '\n' && s[-1] == '\\'))) s++;
  if (s == g->end || strchr("\n,;", *s)) return 1;
  return isalpha((unsigned char)*s) && strncmp(s, "eq", 2) && strncmp(s, "ne", 2);
}

static core_status string(gate *g, core_error *err) {
  const char *from = ++g->s;
  for (; g->s < g->end && *g->s != '\n'; g->s++) {
    if (*g->s != '\'') continue;
    if (g->s + 1 < g->end && g->s[1] == '\'') {
      if (g->s[-1] == '\'') return refuse(g, "quotes in a row", from, 0, err);
      g->s++;
      continue;
    }
    size_t n = (size_t)(g->s++ - from);
    if (g->start || g->setting || g->terminal)
      return refuse(g, "a word is expected, not text", from, n, err);
    int file = g->file || (g->palette && g->depth == 0);
    if (file && !(plot_plain_name(from, n) && g->depth == 0 && name_ends(g)))
      return refuse(g, "not a plain file name", from, n, err);
    g->file = 0;
    return CORE_OK;
  }
  return refuse(g, "text without end", from, (size_t)(g->s - from), err);
}

static core_status first_word(gate *g, const char *word, size_t n, core_error *err) {
  static const char *const allowed[] = {"set", "unset", "plot", "splot", "reset", NULL};
  int own = n > 6 && !memcmp(word, "knock_", 6);
  if (!own && !listed(allowed, word, n)) return refuse(g, "command not allowed", word, n, err);
  g->start = 0;
  g->plotting = g->file = !own && (word[0] == 'p' || !memcmp(word, "sp", 2));
  g->setting = !own && n == 3;
  return CORE_OK;
}

/* what `set` may set: the look of a picture, and the plain name it is drawn to */
static int settable(const char *word, size_t n) {
  static const char *const options[] = {
      "angles",     "arrow",      "autoscale", "bars",       "bmargin",  "border",    "boxwidth",
      "cblabel",    "cbrange",    "cbtics",    "clabel",     "clip",     "cntrlabel", "cntrparam",
      "colorbox",   "contour",    "dashtype",  "datafile",   "encoding", "format",    "grid",
      "hidden3d",   "isosamples", "key",       "label",      "linetype", "lmargin",   "logscale",
      "margins",    "minussign",  "multiplot", "mxtics",     "mytics",   "object",    "offsets",
      "origin",     "output",     "palette",   "parametric", "pm3d",     "pointsize", "polar",
      "rmargin",    "rtics",      "samples",   "size",       "style",    "surface",   "terminal",
      "termoption", "tics",       "title",     "tmargin",    "view",     "x2label",   "x2range",
      "x2tics",     "xlabel",     "xrange",    "xtics",      "xyplane",  "xzeroaxis", "y2label",
      "y2range",    "y2tics",     "ylabel",    "yrange",     "ytics",    "yzeroaxis", "zeroaxis",
      "zlabel",     "zrange",     "ztics",     NULL};
  return listed(options, word, n);
}

/* those that draw; others run helpers (lua, postscript with fonts ...) */
static int is_terminal(const char *word, size_t n) {
  static const char *const terminals[] = {"pdfcairo", "svg",     "pngcairo", "cairolatex",
                                          "dumb",     "sixelgd", "gif",      "qt",
                                          "wxt",      "x11",     "unknown",  NULL};
  return listed(terminals, word, n);
}

static core_status terminal(gate *g, const char *word, size_t n, core_error *err) {
  g->terminal = 0;
  return is_terminal(word, n) ? CORE_OK : refuse(g, "not a terminal for figures", word, n, err);
}

/* the word after set; the string after `set output` names a file */
static core_status option(gate *g, const char *word, size_t n, core_error *err) {
  g->setting = 0;
  if (!settable(word, n)) return refuse(g, "cannot be set", word, n, err);
  g->file = n == 6 && !memcmp(word, "output", 6);
  g->terminal = n == 8 && !memcmp(word, "terminal", 8);
  g->palette = n == 7 && !memcmp(word, "palette", 7);
  return CORE_OK;
}

/* what stands in place of a file to plot: a formula of x and y, where no variable holds a name */
static int is_number(const char *word, size_t n) {
  static const char *const words[] = {"x",   "y",   "t",   "u",    "v",   "pi",  "NaN", "sin",
                                      "cos", "tan", "exp", "sqrt", "log", "abs", NULL};
  return isdigit((unsigned char)*word) || listed(words, word, n);
}

static core_status word(gate *g, core_error *err) {
  static const char *const never[] = {
      "system",   "sprintf", "gprintf",  "value", "stringcolumn", "columnhead", "columnheader",
      "strftime", "substr",  "fontfile", NULL};
  const char *from = g->s;
  while (g->s < g->end && (isalnum((unsigned char)*g->s) || *g->s == '_')) g->s++;
  size_t n = (size_t)(g->s - from);
  int own = n >= 6 && !memcmp(from, "knock_", 6);
  int names_file = g->file && !(g->plotting && is_number(from, n));
  if (listed(never, from, n) || names_file || (g->palette && own))
    return refuse(g, "word not allowed", from, n, err);
  if (g->start) return first_word(g, from, n, err);
  if (g->terminal) return terminal(g, from, n, err);
  return g->setting ? option(g, from, n, err) : CORE_OK;
}

static core_status sign(gate *g, core_error *err) {
  char c = *g->s;
  if (c == '\n' && g->depth) return refuse(g, "bracket without its pair", "", 0, err);
  if (c == '\n' || (c == ';' && g->depth == 0))
    new_command(g);
  else if (strchr("([{", c))
    g->depth++;
  else if (strchr(")]}", c))
    g->depth--;
  else if (c == ',' && g->plotting && g->depth == 0)
    g->file = 1;
  else if (c == '$' && !(g->s + 1 < g->end && isdigit((unsigned char)g->s[1])))
    return refuse(g, "not allowed", g->s, 1, err);
  else if (!strchr(" ,;.:+-*/%=?$<>^~&", c) || (g->start && c != ' '))
    return refuse(g, "not allowed", g->s, 1, err);
  if (c == '\n') g->line++;
  g->s++;
  return CORE_OK;
}

/* "\" at the end of a line joins the next; # to the end of the line is a comment */
static int joined(gate *g) {
  if (*g->s != '\\' || g->s + 1 >= g->end || g->s[1] != '\n') return 0;
  g->s += 2;
  g->line++;
  return 1;
}

static int comment(gate *g) {
  if (*g->s != '#' || !g->start) return 0;
  while (g->s < g->end && *g->s != '\n' && *g->s != '\\') g->s++;
  return 1;
}

static core_status bytes(const char *script, size_t n, core_error *err) {
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char)script[i];
    if ((c < 0x20 && c != '\n') || c == 0x7f)
      return core_fail(err, CORE_BAD_INPUT, "plot: control character %d in the script", c);
  }
  return CORE_OK;
}

core_status plot_check(const char *script, size_t n, core_error *err) {
  gate g = {.s = script, .end = script + n, .line = 1, .start = 1};
  core_status status = bytes(script, n, err);
  while (status == CORE_OK && g.s < g.end) {
    if (joined(&g) || comment(&g)) continue;
    if (*g.s == '\'')
      status = string(&g, err);
    else if (isalnum((unsigned char)*g.s) || *g.s == '_')
      status = word(&g, err);
    else
      status = sign(&g, err);
  }
  if (status == CORE_OK && g.depth) return refuse(&g, "bracket without its pair", "", 0, err);
  return status;
}
