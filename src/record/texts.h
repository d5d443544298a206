/* The rows of a column of texts; record_text and record_set_word are in table.h. */
#ifndef RECORD_TEXTS_H
#define RECORD_TEXTS_H

#include "record/table.h"

/* makes room for `room` rows; rows from `from` on become missing */
core_status record_texts_grow(record_column *c, size_t from, size_t room);
void record_texts_move(record_column *c, size_t to, size_t from, size_t n); /* to <= from */
/* how many rows from `row` to `end` - 1 have the word of `row`, one after the other */
size_t record_texts_run(const record_column *c, size_t row, size_t end);
core_status record_texts_point(record_column *c); /* c->s has a pointer for each row */
void record_texts_free(record_column *c);         /* the rows; the words stay */

#endif
