/* Run-time outcomes: one list makes the enum, the names and the texts.
 *
 * Programmer mistakes assert; everything that can go wrong at run time returns a core_status.
 * core_error carries the one line a person reads; numerics never print and never jump.
 */
#ifndef CORE_STATUS_H
#define CORE_STATUS_H

/* X(name, word a script compares against, sentence for people) */
#define CORE_STATUS_LIST(X)                                                                        \
  X(CORE_OK, "ok", "ok")                                                                           \
  X(CORE_NO_IMPACT, "no impact", "no contact approaches: nothing changed")                         \
  X(CORE_JAM, "jam", "jam: the normal velocity cannot be stopped (Painleve)")                      \
  X(CORE_LIMIT, "limit", "stopped at the limit of events")                                         \
  X(CORE_BAD_INPUT, "bad input", "an argument is out of range")                                    \
  X(CORE_NOT_FINITE, "not finite", "a value is NaN or infinite")                                   \
  X(CORE_SINGULAR, "singular", "the matrix is singular")                                           \
  X(CORE_NOT_CONVERGED, "not converged", "the iteration did not converge")                         \
  X(CORE_UNSUPPORTED, "unsupported", "the law cannot take this problem")                           \
  X(CORE_NO_SOLUTION, "no solution", "no contact force satisfies the laws (Painleve)")             \
  X(CORE_NO_MEMORY, "no memory", "out of memory")                                                  \
  X(CORE_INTERRUPTED, "interrupted", "interrupted")                                                \
  X(CORE_CALLBACK, "callback", "a function of the script failed")                                  \
  X(CORE_NO_TOOL, "no tool", "a needed program is missing")                                        \
  X(CORE_IO, "io", "reading or writing failed")

#define CORE_STATUS_ENUM(name, word, text) name,
typedef enum core_status { CORE_STATUS_LIST(CORE_STATUS_ENUM) CORE_STATUS_COUNT } core_status;
#undef CORE_STATUS_ENUM

/* the short word ("jam") and the sentence ("jam: the normal ...") of a status */
const char *core_status_word(core_status status);
const char *core_status_text(core_status status);

/* 1 for outcomes that are answers (CORE_OK, CORE_NO_IMPACT), 0 for failures */
int core_status_good(core_status status);

/* A failure with the line a person reads. text is "" when there is nothing to add to the status. */
typedef struct core_error {
  core_status status;
  char text[240];
} core_error;

/* formats text, sets status, returns status; err may be NULL */
core_status core_fail(core_error *err, core_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* memory is out: the sentence of the status says all */
static inline core_status core_no_memory(core_error *err) {
  core_fail(err, CORE_NO_MEMORY, "%s", "");
  return CORE_NO_MEMORY;
}

/* err->text when there is one, else the sentence of its status */
const char *core_error_text(const core_error *err);

#endif
