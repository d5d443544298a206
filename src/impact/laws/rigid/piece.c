#include "impact/laws/rigid/piece.h"

/* rows of the problem within the point's three: (n), (t, n) or (t1, t2, n) are its last ones */
static impact_sample sample_of(const law_point *at, int dim) {
  return (impact_sample){.t = NAN,
                         .p = at->p + 3 - dim,
                         .v = at->v + 3 - dim,
                         .mode = &at->mode,
                         .restituting = &at->restituting,
                         .lost_restitution = at->lost_restitution,
                         .lost_friction = at->lost_friction,
                         .strain = -at->work_normal - at->lost_restitution,
                         .work_normal = at->work_normal,
                         .absorbed = &at->absorbed,
                         .returned = &at->returned};
}

void law_tell_sample(impact_sink *sink, int dim, const law_point *at) {
  impact_sample sample = sample_of(at, dim);
  if (sink->sample) sink->sample(sink->self, &sample);
}

void law_tell_event(impact_sink *sink, int dim, impact_event_kind kind, const law_point *at) {
  impact_event event = {kind, 0, sample_of(at, dim)};
  if (sink->event) sink->event(sink->self, &event);
}

void law_tell_stop(impact_sink *sink, int dim, law_stop stop, const law_point *at) {
  static const impact_event_kind kinds[] = {
      [LAW_STOP_COMPRESSION] = IMPACT_COMPRESSION_END,
      [LAW_STOP_END] = IMPACT_END,
      [LAW_STOP_SHORT] = IMPACT_END,
      [LAW_STOP_JAM] = IMPACT_JAM,
  };
  if (stop != LAW_STOP_PIECE && stop != LAW_STOP_FALL) law_tell_event(sink, dim, kinds[stop], at);
}

/* p and v are straight in between, and so work = dp . (v at the start + v here)/2 for each row */
void law_tell_line(impact_sink *sink, int dim, const law_point *from, const law_point *to) {
  for (int i = 1; i <= sink->per_phase; i++) {
    double f = (double)i / (sink->per_phase + 1), work[3];
    law_point at = *from;
    for (int r = 0; r < 3; r++) {
      at.p[r] += f * (to->p[r] - from->p[r]);
      at.v[r] += f * (to->v[r] - from->v[r]);
      work[r] = (at.p[r] - from->p[r]) * (from->v[r] + at.v[r]) / 2;
    }
    at.work_normal += work[2];
    at.lost_friction -= work[0] + work[1];
    law_tell_sample(sink, dim, &at);
  }
}
