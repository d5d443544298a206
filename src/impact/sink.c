#include "impact/sink.h"

#include <math.h>

#define WORD(name, word, text) word,
static const char *const words[] = {IMPACT_EVENT_LIST(WORD)};

/* rows of all samples of a phase: a page is no finer, more of them fill it alike */
enum { MOST = 3 * 8192 };

int impact_sink_samples(const impact_sink *sink, int rows, double angle) {
  double wanted = sink->per_phase > 0 ? angle / (2 * M_PI) * sink->per_turn : 0;
  wanted = fmin(wanted, (double)MOST / rows);
  return wanted > sink->per_phase ? (int)wanted : sink->per_phase;
}

const char *impact_event_word(impact_event_kind kind) {
  return words[kind];
}
