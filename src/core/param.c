#include "core/param.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists ---- */

core_status core_list_set(core_list *l, int n, const double *x) {
  double *big = NULL;
  if (n > 4) {
    big = malloc((size_t)n * sizeof *big);
    if (!big) return CORE_NO_MEMORY;
    memcpy(big, x, (size_t)n * sizeof *big);
  } else if (n > 0) {
    memmove(l->small, x, (size_t)n * sizeof *x);
  }
  free(l->big);
  l->big = big;
  l->n = n;
  l->rows = 0;
  return CORE_OK;
}

void core_list_free(core_list *l) {
  free(l->big);
  l->big = NULL;
  l->n = 0;
}

/* ---- defaults, written in Lua's words ---- */

enum { MAX_DEFAULT = 32 };

/* a number as Lua writes it, at the start of text; *end is behind it, or text when there is none */
static double read_number(const char *text, const char **end) {
  static const struct {
    const char *word;
    double x;
  } names[] = {{"-math.huge", -INFINITY}, {"math.huge", INFINITY}, {"math.pi", M_PI}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t length = strlen(names[i].word);
    if (strncmp(text, names[i].word, length)) continue;
    *end = text + length;
    return names[i].x;
  }
  char *behind;
  double x = strtod(text, &behind);
  *end = isalpha((unsigned char)*text) ? text : behind; /* strtod also knows "nan" and "inf" */
  return x;
}

/* "{1, 2, math.pi}" without names: numbers and nothing else; returns how many, and *rest is what
 * could not be read ("" when all was) */
static int read_numbers(const char *text, double *x, const char **rest) {
  int n = 0;
  while (*text && n < MAX_DEFAULT) {
    if (strchr("{}, ", *text)) {
      text++;
      continue;
    }
    const char *end;
    x[n] = read_number(text, &end);
    if (end == text) break;
    n++;
    text = end;
  }
  *rest = text;
  return n;
}

/* index of the word 'x' (quotes allowed) in "x|y|z", -1 when it is not there */
static int choice_index(const char *choices, const char *word) {
  size_t length = strcspn(word + (*word == '\''), "'");
  word += *word == '\'';
  for (int i = 0; choices; i++) {
    size_t here = strcspn(choices, "|");
    if (here == length && !strncmp(choices, word, length)) return i;
    choices = choices[here] ? choices + here + 1 : NULL;
  }
  return -1;
}

static core_status set_default(const core_param *p, char *at) {
  const char *def = p->def ? p->def : "nil";
  int absent = !strcmp(def, "nil");
  double x[MAX_DEFAULT];
  const char *rest;
  int n = absent ? 0 : read_numbers(def, x, &rest);
  switch (p->kind) {
    case CORE_NUMBER: *(double *)at = n ? x[0] : NAN; break;
    case CORE_INTEGER: *(int *)at = n ? (int)x[0] : 0; break;
    case CORE_FLAG: *(int *)at = !strcmp(def, "true"); break;
    case CORE_CHOICE: *(int *)at = choice_index(p->choices, def); break;
    case CORE_VECTOR:
      for (int i = 0; i < p->n; i++) ((double *)at)[i] = i < n ? x[i] : NAN;
      break;
    case CORE_LIST:
    case CORE_MATRIX: return core_list_set((core_list *)at, n, x);
    case CORE_OBJECT: *(void **)at = NULL; break;
    case CORE_VALUE: break;
  }
  return CORE_OK;
}

/* 1 when the default is what its kind can hold; numbers also pass the checks of a script's */
static int default_reads(const core_schema *schema, const core_param *p, void *at) {
  const char *def = p->def, *rest;
  double x[MAX_DEFAULT];
  if (!def || !strcmp(def, "nil")) return 1;
  core_error err;
  switch (p->kind) {
    case CORE_FLAG: return !strcmp(def, "true") || !strcmp(def, "false");
    case CORE_CHOICE: return choice_index(p->choices, def) >= 0;
    case CORE_OBJECT:
    case CORE_VALUE: return 0; /* they have none but nil */
    default: break;
  }
  int n = read_numbers(def, x, &rest);
  return !*rest && n > 0 && !core_param_set(schema, p, at, n, x, &err);
}

core_status core_schema_check(const core_schema *schema, core_error *err) {
  void *at = calloc(1, schema->size ? schema->size : 1);
  if (!at) return core_no_memory(err);
  core_status status = CORE_OK;
  for (int i = 0; i < schema->n && !status; i++) {
    const core_param *p = &schema->params[i];
    if (!default_reads(schema, p, at))
      status = core_fail(err, CORE_BAD_INPUT, "%s: the default of %s cannot be '%s'", schema->owner,
                         p->key, p->def);
  }
  core_schema_free(schema, at);
  free(at);
  return status;
}

core_status core_schema_defaults(const core_schema *schema, void *at) {
  memset(at, 0, schema->size);
  core_status status = CORE_OK;
  for (int i = 0; i < schema->n && !status; i++)
    status = set_default(&schema->params[i], (char *)at + schema->params[i].at);
  return status;
}

static int owns_list(const core_param *p) {
  return p->kind == CORE_LIST || p->kind == CORE_MATRIX;
}

core_status core_schema_copy(const core_schema *schema, void *to, const void *from) {
  if (schema->size) memcpy(to, from, schema->size);
  core_status status = CORE_OK;
  for (int i = 0; i < schema->n; i++) {
    const core_param *p = &schema->params[i];
    if (!owns_list(p)) continue;
    core_list *copy = (core_list *)((char *)to + p->at);
    const core_list *source = (const core_list *)((const char *)from + p->at);
    copy->big = NULL;
    core_status s = core_list_set(copy, source->n, core_list_data(source));
    if (s) copy->n = 0;
    copy->rows = source->rows;
    if (s) status = s;
  }
  if (status) core_schema_free(schema, to);
  return status;
}

void core_schema_free(const core_schema *schema, void *at) {
  for (int i = 0; i < schema->n; i++)
    if (owns_list(&schema->params[i]))
      core_list_free((core_list *)((char *)at + schema->params[i].at));
}

int core_schema_is_flat(const core_schema *schema, const void *at) {
  for (int i = 0; i < schema->n; i++)
    if (owns_list(&schema->params[i]) &&
        ((const core_list *)((const char *)at + schema->params[i].at))->big)
      return 0;
  return 1;
}

/* ---- names ---- */

static const core_param *find_sorted(const core_schema *schema, const char *key) {
  int low = 0, high = schema->n;
  while (low < high) {
    int middle = (low + high) / 2;
    const core_param *p = &schema->params[middle];
    int side = strcmp(key, p->key);
    if (side == 0) return p;
    if (side < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

const core_param *core_schema_find(const core_schema *schema, const char *key) {
  if (schema->n > CORE_LONG_TABLE) return find_sorted(schema, key);
  for (int i = schema->n - 1; i >= 0; i--) /* states stand last, and loops change them most */
    if (schema->params[i].key[0] == key[0] && !strcmp(schema->params[i].key, key))
      return &schema->params[i];
  return NULL;
}

static int min3(int a, int b, int c) {
  int m = a < b ? a : b;
  return m < c ? m : c;
}

int core_distance(const char *a, const char *b, int limit) {
  enum { MAX = 64 };
  int la = (int)strlen(a), lb = (int)strlen(b);
  if (la >= MAX || lb >= MAX || abs(la - lb) > limit) return limit + 1;
  int row[3][MAX + 1];
  for (int j = 0; j <= lb; j++) row[0][j] = j;
  for (int i = 1; i <= la; i++) {
    int *now = row[i % 3], *before = row[(i + 2) % 3], *older = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= lb; j++) {
      int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
      now[j] = min3(before[j] + 1, now[j - 1] + 1, before[j - 1] + !same);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          older[j - 2] + 1 < now[j])
        now[j] = older[j - 2] + 1;
    }
  }
  int d = row[la % 3][lb];
  return d > limit ? limit + 1 : d;
}

const char *core_schema_nearest(const core_schema *schema, const char *key) {
  int limit = strlen(key) < 4 ? 1 : 2;
  const char *best = NULL;
  for (int i = 0; i < schema->n; i++) {
    int d = core_distance(key, schema->params[i].key, limit);
    if (d > limit || (best && d == limit)) continue;
    best = schema->params[i].key;
    if (d > 0) limit = d - 1 > 0 ? d : 1;
  }
  return best;
}

/* ---- values ---- */

/* "positive", "non-negative", "between 0 and 1" ... around the noun */
static void limits_in_words(const core_param *p, const char *noun, char *text, size_t size) {
  int low = isfinite(p->min), high = isfinite(p->max);
  if (low && high && p->flags & CORE_OPEN_MIN)
    snprintf(text, size, "%s above %g and up to %g", noun, p->min, p->max);
  else if (low && high)
    snprintf(text, size, "%s between %g and %g", noun, p->min, p->max);
  else if (low && p->min == 0)
    snprintf(text, size, "%s %s", p->flags & CORE_OPEN_MIN ? "positive" : "non-negative", noun);
  else if (low)
    snprintf(text, size, "%s %s %g", noun, p->flags & CORE_OPEN_MIN ? "above" : "of at least",
             p->min);
  else if (high)
    snprintf(text, size, "%s %s %g", noun, p->flags & CORE_OPEN_MAX ? "below" : "of at most",
             p->max);
  else
    snprintf(text, size, "%s", noun);
}

void core_param_expects(const core_param *p, char *text, size_t size) {
  char what[96], unit[32] = "";
  if (p->unit && *p->unit && strcmp(p->unit, "1")) snprintf(unit, sizeof unit, " of %s", p->unit);
  switch (p->kind) {
    case CORE_NUMBER:
      limits_in_words(p, "number", what, sizeof what);
      snprintf(text, size, "a %s%s", what, unit);
      break;
    case CORE_INTEGER:
      limits_in_words(p, "whole number", what, sizeof what);
      snprintf(text, size, "a %s", what);
      break;
    case CORE_FLAG: snprintf(text, size, "true or false"); break;
    case CORE_VECTOR:
      limits_in_words(p, "numbers", what, sizeof what);
      snprintf(text, size, "a list of %d %s%s", p->n, what, unit);
      break;
    case CORE_LIST:
      limits_in_words(p, "number", what, sizeof what);
      snprintf(text, size, "a %s%s or a list of them", what, unit);
      break;
    case CORE_MATRIX: snprintf(text, size, "a matrix%s", unit); break;
    case CORE_CHOICE: snprintf(text, size, "one of %s", p->choices); break;
    case CORE_OBJECT:
    case CORE_VALUE: snprintf(text, size, "%s", p->unit ? p->unit : "an object"); break;
  }
}

static inline int in_limits(const core_param *p, double x) {
  if (x > p->min && x < p->max) return 1; /* inside, whatever holds at the ends; x is finite */
  if (isnan(x)) return 0;
  if (isinf(x) && !(x > 0 && p->flags & CORE_MAY_BE_INF)) return 0;
  if (p->flags & CORE_OPEN_MIN ? x <= p->min : x < p->min) return 0;
  return p->flags & CORE_OPEN_MAX ? x < p->max : x <= p->max || isinf(x);
}

static core_status refuse(const core_schema *schema, const core_param *p, int i, int n, double x,
                          core_error *err) {
  char expects[160], which[24] = "";
  core_param_expects(p, expects, sizeof expects);
  if (n > 1) snprintf(which, sizeof which, "[%d]", i + 1);
  return core_fail(err, CORE_BAD_INPUT, "%s: %s must be %s, got %s%s%.10g", schema->owner, p->key,
                   expects, which, n > 1 ? " = " : "", isnan(x) ? fabs(x) : x); /* no "-nan" */
}

/* whole multiples of 5 beyond a turn and a half: nobody means 90 rad */
static int looks_like_degrees(const core_param *p, double x) {
  return fabs(x) >= 10 && p->unit && !strcmp(p->unit, "rad") && fmod(x, 5) == 0;
}

core_status core_param_set(const core_schema *schema, const core_param *p, void *at, int n,
                           const double *x, core_error *err) {
  char expects[160];
  int wanted = p->kind == CORE_VECTOR                           ? p->n
               : p->kind == CORE_LIST || p->kind == CORE_MATRIX ? n
                                                                : 1;
  if (n != wanted || n == 0) {
    core_param_expects(p, expects, sizeof expects);
    return core_fail(err, CORE_BAD_INPUT, "%s: %s must be %s, got %d number%s", schema->owner,
                     p->key, expects, n, n == 1 ? "" : "s");
  }
  for (int i = 0; i < n; i++)
    if (!in_limits(p, x[i])) return refuse(schema, p, i, n, x[i], err);
  for (int i = 0; i < n; i++)
    if (looks_like_degrees(p, x[i]))
      return core_fail(err, CORE_BAD_INPUT,
                       "%s: %s is in rad, and %.10g looks like degrees: math.rad(%.10g)",
                       schema->owner, p->key, x[i], x[i]);
  char *to = (char *)at + p->at;
  switch (p->kind) {
    case CORE_NUMBER: *(double *)to = x[0]; break;
    case CORE_INTEGER:
      if (x[0] != floor(x[0]) || fabs(x[0]) > 1e9) return refuse(schema, p, 0, 1, x[0], err);
      *(int *)to = (int)x[0];
      break;
    case CORE_FLAG:
    case CORE_CHOICE: *(int *)to = (int)x[0]; break;
    case CORE_VECTOR: memcpy(to, x, (size_t)n * sizeof *x); break;
    case CORE_LIST:
    case CORE_MATRIX:
      if (core_list_set((core_list *)to, n, x)) return core_no_memory(err);
      break;
    case CORE_OBJECT:
    case CORE_VALUE: break;
  }
  return CORE_OK;
}
