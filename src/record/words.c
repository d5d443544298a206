#include "record/words.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SEEN = 64, BLOCK = 4096 };

typedef struct block {
  struct block *next;
  char text[];
} block;

struct record_words {
  block *blocks;          /* the newest first */
  size_t used, room;      /* of the newest */
  const char *seen[SEEN]; /* by their hash, the latest of each */
};

/* FNV-1a, folded */
static unsigned hash(const char *text, size_t n) {
  uint32_t h = 2166136261u;
  for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
  return (h ^ h >> 15) % SEEN;
}

static char *room_for(record_words *w, size_t n) {
  if (!w->blocks || w->room - w->used < n) {
    size_t room = n > BLOCK ? n : BLOCK;
    block *b = malloc(sizeof *b + room);
    if (!b) return NULL;
    b->next = w->blocks;
    w->blocks = b;
    w->used = 0;
    w->room = room;
  }
  w->used += n;
  return w->blocks->text + w->used - n;
}

const char *record_word(record_column *c, const char *text, size_t n) {
  if (!c->words) c->words = calloc(1, sizeof *c->words);
  if (!c->words) return NULL;
  const char **seen = &c->words->seen[hash(text, n)];
  if (*seen && !strncmp(*seen, text, n) && !(*seen)[n]) return *seen;
  char *copy = room_for(c->words, n + 1);
  if (!copy) return NULL;
  memcpy(copy, text, n);
  copy[n] = '\0';
  return *seen = copy;
}

void record_words_free(record_words *w) {
  while (w && w->blocks) {
    block *next = w->blocks->next;
    free(w->blocks);
    w->blocks = next;
  }
  free(w);
}
