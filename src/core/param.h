/* Parameters of models and laws, described once.
 *
 * A table of core_param gives the Lua defaults, the checks, the error messages, help, the man
 * page, the reference and the editor annotations. A parameter lives in a plain C struct:
 *
 *   typedef struct ball { double mass, radius, velocity[3]; core_list mu; } ball;
 *
 *   static const core_param ball_params[] = {
 *     {"mass", "kg", CORE_NUMBER, offsetof(ball, mass), 1, "1", 0, INFINITY, CORE_OPEN_MIN,
 *      "mass of the ball"},
 *     {"velocity", "m/s", CORE_VECTOR, offsetof(ball, velocity), 3, "{0, 0, -1}", ...},
 *   };
 *
 * `def` is the default as Lua would write it: "1", "{0, 0, -1}", "math.huge", "true", "'word'";
 * NULL means that the parameter must be given; "nil" means absent: NaN for numbers and vectors, n =
 * 0 for lists. core_schema_check refuses what cannot be read.
 */
#ifndef CORE_PARAM_H
#define CORE_PARAM_H

#include <stddef.h>

#include "core/status.h"

/* what a parameter is, and the C type at its offset */
typedef enum core_kind {
  CORE_NUMBER,  /* double */
  CORE_INTEGER, /* int */
  CORE_FLAG,    /* int, 0 or 1 */
  CORE_VECTOR,  /* double[n] with n fixed by the table */
  CORE_LIST,    /* core_list: one number or a list of them, any length */
  CORE_MATRIX,  /* core_list holding rows * cols numbers, column-major; see core_list.rows */
  CORE_CHOICE,  /* int: index into the words of `choices` */
  CORE_OBJECT,  /* void *: a law or model or Lua reference, handled by the binding */
  CORE_VALUE    /* nothing in the struct: a function or table of the script, which the binding reads
                   by itself. `choices` are the Lua types it may have, `unit` says what it is */
} core_kind;

/* flags of a parameter */
enum {
  CORE_OPEN_MIN = 1,   /* the lower limit itself is not allowed */
  CORE_OPEN_MAX = 2,   /* the upper limit itself is not allowed */
  CORE_MAY_BE_INF = 4, /* +infinity is a legal value (mu) */
  CORE_SPEED = 8 /* of a model: its state starts with it, nothing is derived from it. Only `start`
                  * reads it, so a copy with another value need not be built again */
};

typedef struct core_param {
  const char *key;     /* name in scripts */
  const char *unit;    /* "kg", "m/s", "rad", "1" for pure numbers */
  core_kind kind;      /* what values it takes */
  size_t at;           /* offset of the value in the struct */
  int n;               /* length of a CORE_VECTOR, 1 otherwise */
  const char *def;     /* default in Lua's words, NULL: must be given, "nil": absent */
  double min, max;     /* limits of each number */
  unsigned flags;      /* CORE_OPEN_MIN ... */
  const char *doc;     /* what it is, one line, no full stop */
  const char *choices; /* CORE_CHOICE: words separated by '|' */
} core_param;

/* A list of numbers that owns its memory; short ones need none. Zero-initialise before use. */
typedef struct core_list {
  int n;           /* how many numbers */
  int rows;        /* CORE_MATRIX: rows, with n = rows * columns; otherwise 0 */
  double small[4]; /* n <= 4 */
  double *big;     /* n > 4 */
} core_list;

static inline const double *core_list_data(const core_list *l) {
  return l->n <= 4 ? l->small : l->big;
}

/* value for contact or link i: a list of one number holds for all */
static inline double core_list_at(const core_list *l, int i) {
  return core_list_data(l)[l->n == 1 ? 0 : i];
}

core_status core_list_set(core_list *l, int n, const double *x); /* copies; frees what was */
void core_list_free(core_list *l);

/* A described struct: what a model's or a law's parameters are, as one thing. Tables of more than
 * CORE_LONG_TABLE parameters are in the order of their keys (strcmp), so that they can be searched.
 */
enum { CORE_LONG_TABLE = 64 };
typedef struct core_schema {
  const char *owner; /* "ball", "law.compliant": starts the error messages */
  const core_param *params;
  int n;
  size_t size; /* sizeof the struct */
} core_schema;

/* all defaults; returns CORE_NO_MEMORY at worst. Absent numbers become NaN. */
core_status core_schema_defaults(const core_schema *schema, void *at);
core_status core_schema_copy(const core_schema *schema, void *to, const void *from);
void core_schema_free(const core_schema *schema, void *at);
/* 1: no list is so long that it has memory of its own */
int core_schema_is_flat(const core_schema *schema, const void *at);

/* Defaults that cannot be read or are out of range are a mistake in a table: CORE_BAD_INPUT. */
core_status core_schema_check(const core_schema *schema, core_error *err);

const core_param *core_schema_find(const core_schema *schema, const char *key); /* or NULL */

/* the key nearest to a misspelt one, or NULL when nothing is near */
const char *core_schema_nearest(const core_schema *schema, const char *key);

/* Sets one parameter from numbers, with all checks. The line in err reads like
 * "ball: mass must be a positive number of kg, got -1". */
core_status core_param_set(const core_schema *schema, const core_param *p, void *at, int n,
                           const double *x, core_error *err);

/* "a positive number of kg": what a parameter expects, in words */
void core_param_expects(const core_param *p, char *text, size_t size);

/* edit distance with transpositions, for did-you-mean; cut off at `limit` */
int core_distance(const char *a, const char *b, int limit);

#endif
