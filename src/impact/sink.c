#include "impact/sink.h"

#include <math.h>

#define WORD(name, word, text) word,
static const char *const words[] = {IMPACT_EVENT_LIST(WORD)};

enum { MOST = 8192 }; /* samples of a phase: a page is no finer, more of them fill it alike */

int impact_sink_samples(const impact_sink *sink, double angle) {
  double wanted = sink->per_phase > 0 ? angle / (2 * M_PI) * sink->per_turn : 0;
  return wanted > sink->per_phase ? (int)fmin(wanted, fmax(MOST, sink->per_phase))
                                  : sink->per_phase;
}

const char *impact_event_word(impact_event_kind kind) {
  return words[kind];
}
