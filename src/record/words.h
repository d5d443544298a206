/* The texts of a column: an arena, and a small table that finds what was kept lately. */
#ifndef RECORD_WORDS_H
#define RECORD_WORDS_H

#include "record/table.h"

void record_words_free(record_words *w); /* NULL is fine */

#endif
