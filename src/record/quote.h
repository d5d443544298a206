/* Texts in quotes with escapes, as JSON has them: for names and units that are not plain words. */
#ifndef RECORD_QUOTE_H
#define RECORD_QUOTE_H

#include "record/out.h"

void record_quote(record_out *out, const char *s); /* "..." */

/* Reads "..." at *at in place and moves on; NULL when it is not one. */
char *record_unquote(char **at);

#endif
