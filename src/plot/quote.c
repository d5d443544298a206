#include "plot/quote.h"

#include <string.h>

static int continuation(const unsigned char *s, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if ((s[i] & 0xc0) != 0x80) return 0;
  }
  return 1;
}

/* bytes of the UTF-8 character at s (1 to 4), 0 when it is none: no overlong forms, no surrogates
 */
static size_t utf8(const unsigned char *s, size_t n) {
  unsigned c = s[0];
  if (c < 0x80) return 1;
  size_t len = c >= 0xc2 && c <= 0xdf ? 2 : (c & 0xf0) == 0xe0 ? 3 : c >= 0xf0 && c <= 0xf4 ? 4 : 0;
  if (!len || len > n || !continuation(s + 1, len - 1)) return 0;
  if (c == 0xe0 && s[1] < 0xa0) return 0;
  if (c == 0xed && s[1] > 0x9f) return 0;
  if (c == 0xf0 && s[1] < 0x90) return 0;
  if (c == 0xf4 && s[1] > 0x8f) return 0;
  return len;
}

/* C0, DEL, and the C1 controls U+0080 to U+009F */
static int control(const unsigned char *s, size_t len) {
  return len == 1 ? s[0] < 0x20 || s[0] == 0x7f : len == 2 && s[0] == 0xc2 && s[1] < 0xa0;
}

/* gnuplot takes '' for a quote only after another character: at the start, and after a quote, the
 * typographic one stands in its place */
static char *apostrophe(char *o) {
  const char *mark = o[-1] == '\'' ? "\xe2\x80\x99" : "''";
  while (*mark) *o++ = *mark++;
  return o;
}

size_t plot_quote(char *out, const char *text, size_t n) {
  const unsigned char *s = (const unsigned char *)text;
  char *o = out;
  *o++ = '\'';
  for (size_t i = 0, len; i < n; i += len ? len : 1) {
    len = utf8(s + i, n - i);
    if (!len) {
      memcpy(o, "\xef\xbf\xbd", 3);
      o += 3;
    } else if (control(s + i, len)) {
      *o++ = ' ';
    } else if (s[i] == '\'') {
      o = apostrophe(o);
    } else {
      memcpy(o, s + i, len);
      o += len;
    }
  }
  *o++ = '\'';
  *o = 0;
  return (size_t)(o - out);
}
