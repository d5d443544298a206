#include "impact/sink.h"

#define WORD(name, word, text) word,
static const char *const words[] = {IMPACT_EVENT_LIST(WORD)};

const char *impact_event_word(impact_event_kind kind) {
  return words[kind];
}
