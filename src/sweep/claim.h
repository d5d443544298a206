/* Chunks of a sweep that workers on many machines claim in its folder.
 *
 *   claim.NAME        a worker, and how often it has said so: "name count"
 *   lease-000017      a link to it: who works on chunk 17
 *   done-000017       its results are in the journals, on the disk
 *
 * A chunk is claimed by link(): the claimer's file appears as lease-N, or there was one already.
 * That is atomic on local disks and on NFS, where the answer may get lost: the file itself tells.
 * The holder renews all of its leases by counting in its file; a lease becomes the mark done-N by
 * rename(). So a claim is one write and two changes of names per chunk. Clocks of machines are
 * never compared: a lease is stale when somebody has watched it for `patience` seconds of its own
 * clock without a change. It is then taken over by renaming it away; whoever renamed a lease that
 * had changed in the meantime puts it back. Should two workers hold a chunk all the same, both
 * compute it, and the results, keyed by unit, are the same: exclusion saves time, nothing depends
 * on it.
 */
#ifndef SWEEP_CLAIM_H
#define SWEEP_CLAIM_H

#include <stddef.h>

#include "core/status.h"

enum { SWEEP_NAME = 80 };

/* what was last seen of somebody's lease */
typedef struct sweep_sight {
  unsigned hash; /* of its text, 0: never seen */
  double since;  /* [s] own clock: when that text was first seen */
} sweep_sight;

typedef struct sweep_claims {
  char *folder;          /* FILE.sweep, where leases and journals are */
  char *own;             /* claim.NAME in it */
  char name[SWEEP_NAME]; /* ours: host, process and a random word */
  size_t chunks;
  double patience;      /* [s] */
  unsigned char *state; /* per chunk, as the folder was last read */
  sweep_sight *sights;  /* per chunk */
  size_t *held;         /* chunks that are ours */
  size_t n_held;        /* how many chunks this worker holds */
  size_t place;         /* where we look first: workers do not all try the same */
  size_t free, done;    /* chunks, as the folder was last read */
  int taken_over;       /* one was somebody else's before: its results may be there in part */
  unsigned long count;  /* renewals */
  double renewed;       /* [s] */
  double spent;         /* [s] in the functions below */
  long claims, looks;   /* calls of sweep_claims_next; how often it read the folder */
} sweep_claims;

core_status sweep_claims_open(sweep_claims *c, const char *folder, size_t chunks, double patience,
                              core_error *err);
void sweep_claims_close(sweep_claims *c); /* gives back what it holds */

/* Claims up to `want` chunks: c->held. Fewer when few are left, so that there is work for all; none
 * when others hold all that are left. *all_done: nothing is left. */
core_status sweep_claims_next(sweep_claims *c, size_t want, int *all_done, core_error *err);

/* to be called often; writes when it is time */
core_status sweep_claims_renew(sweep_claims *c, core_error *err);

/* gives back all that is held; done: the results are on the disk */
core_status sweep_claims_release(sweep_claims *c, int done, core_error *err);

/* how many chunks are done, and how many are leased */
core_status sweep_claims_count(const char *folder, size_t chunks, size_t *done, size_t *leased,
                               core_error *err);

#endif
