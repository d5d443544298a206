/* Text of users as gnuplot strings: always data, never commands.
 *
 * Only single quotes are used: inside them gnuplot knows no escapes, no backticks and no macros. A
 * quote is doubled (or becomes U+2019 where gnuplot would misread that); control characters (a
 * newline would end the string and start a command) become spaces; bytes that are not UTF-8 become
 * U+FFFD.
 */
#ifndef PLOT_QUOTE_H
#define PLOT_QUOTE_H

#include <stddef.h>

/* room for the longest result of n bytes, with the closing zero */
#define PLOT_QUOTE_ROOM(n) (3 * (n) + 3)

/* writes 'text' with its quotes and a closing zero, returns its length */
size_t plot_quote(char *out, const char *text, size_t n);

#endif
