#include "core/status.h"

#include <stdarg.h>
#include <stdio.h>

#define WORD(name, word, text) word,
#define TEXT(name, word, text) text,
static const char *const words[] = {CORE_STATUS_LIST(WORD)};
static const char *const texts[] = {CORE_STATUS_LIST(TEXT)};

static int known(core_status status) {
  return (int)status >= 0 && status < CORE_STATUS_COUNT;
}

const char *core_status_word(core_status status) {
  return known(status) ? words[status] : "unknown";
}

const char *core_status_text(core_status status) {
  return known(status) ? texts[status] : "unknown status";
}

int core_status_good(core_status status) {
  return status == CORE_OK || status == CORE_NO_IMPACT;
}

core_status core_fail(core_error *err, core_status status, const char *format, ...) {
  if (err) {
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    err->status = status;
  }
  return status;
}

const char *core_error_text(const core_error *err) {
  return err->text[0] ? err->text : core_status_text(err->status);
}
