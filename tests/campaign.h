/* For campaigns of many sittings: how far each law is, in a file that the next sitting reads. */
#ifndef TESTS_CAMPAIGN_H
#define TESTS_CAMPAIGN_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "unity.h"

enum { MOST_LAWS = 32 };

/* what came out of the impacts of a law */
typedef struct spread {
  long good, nothing, jam, limit, unsupported, wedged, returns, slow, open;
  long ledger; /* answers whose ledger is open, and that say so */
} spread;

/* how far a law is: kept in the store, one line each */
typedef struct leg {
  char name[32];
  long n; /* impacts so far */
  uint64_t seed;
  spread found;
} leg;

static inline leg *leg_of(leg *legs, const char *name) {
  for (int j = 0; j < MOST_LAWS; j++) {
    if (!legs[j].name[0]) snprintf(legs[j].name, sizeof legs[j].name, "%s", name);
    if (!strcmp(legs[j].name, name)) return &legs[j];
  }
  return NULL;
}

static inline void load(const char *store, leg *legs) {
  char line[400];
  FILE *f = fopen(store, "r");
  while (f && fgets(line, sizeof line, f)) {
    leg l = {0};
    spread *s = &l.found;
    int n = sscanf(line, "%31s %ld %lx %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld", l.name, &l.n,
                   &l.seed, &s->good, &s->nothing, &s->jam, &s->limit, &s->unsupported, &s->wedged,
                   &s->returns, &s->slow, &s->open, &s->ledger);
    if (n >= 12) *leg_of(legs, l.name) = l;
  }
  if (f) fclose(f);
}

static inline void save(const char *store, const leg *legs) {
  char fresh[4096];
  snprintf(fresh, sizeof fresh, "%s.new", store);
  FILE *f = fopen(fresh, "w");
  TEST_ASSERT_NOT_NULL(f);
  for (const leg *l = legs; l < legs + MOST_LAWS && l->name[0]; l++) {
    const spread *s = &l->found;
    fprintf(f, "%s %ld %lx %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld\n", l->name, l->n, l->seed,
            s->good, s->nothing, s->jam, s->limit, s->unsupported, s->wedged, s->returns, s->slow,
            s->open, s->ledger);
  }
  TEST_ASSERT_EQUAL_INT(0, fclose(f));
  TEST_ASSERT_EQUAL_INT(0, rename(fresh, store));
}

#endif
