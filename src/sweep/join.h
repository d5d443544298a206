/* One of many workers of a sweep: claims chunks of units in its folder, computes them, says so. */
#ifndef SWEEP_JOIN_H
#define SWEEP_JOIN_H

#include "sweep/claim.h"
#include "sweep/engine.h"

/* units per chunk: about a thousand chunks, the same for every worker of a sweep */
size_t sweep_chunk_units(size_t units);

/* The engine is open without a journal; it writes one in the claims' folder. Ends when all chunks
 * of the sweep are done, whoever did them, or with CORE_INTERRUPTED; SIGTERM sets e->terminated. */
core_status sweep_join(sweep_engine *e, sweep_claims *c, const char *header, core_error *err);

/* Waits until the one chunk of `c` is ours (1) or done (0), or its folder has vanished (0) */
core_status sweep_join_wait(sweep_claims *c, int *ours, core_error *err);

#endif
