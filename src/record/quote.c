#include "record/quote.h"

#include <stdlib.h>
#include <string.h>

/* control characters never reach a file as they are */
void record_quote(record_out *out, const char *s) {
  record_out_text(out, "\"");
  while (*s) {
    size_t plain = 0;
    while ((unsigned char)s[plain] >= 0x20 && s[plain] != '"' && s[plain] != '\\' &&
           s[plain] != 0x7f)
      plain++;
    record_out_bytes(out, s, plain);
    s += plain;
    if (*s == '"' || *s == '\\')
      record_out_format(out, "\\%c", *s++);
    else if (*s)
      record_out_format(out, "\\u%04x", (unsigned char)*s++);
  }
  record_out_text(out, "\"");
}

/* UTF-8 of a \uXXXX escape below the surrogates */
static char *put_code(char *to, unsigned code) {
  if (code < 0x80) {
    *to++ = (char)code;
  } else if (code < 0x800) {
    *to++ = (char)(0xc0 | code >> 6);
    *to++ = (char)(0x80 | (code & 63));
  } else {
    *to++ = (char)(0xe0 | code >> 12);
    *to++ = (char)(0x80 | (code >> 6 & 63));
    *to++ = (char)(0x80 | (code & 63));
  }
  return to;
}

char *record_unquote(char **text) {
  static const char from_letter[] = "nrtbf", to_letter[] = "\n\r\t\b\f";
  if (**text != '"') return NULL;
  char *start = *text + 1, *to = start, *at = start;
  while (*at && *at != '"') {
    if (*at != '\\') {
      *to++ = *at++;
      continue;
    }
    const char *letter = at[1] ? strchr(from_letter, at[1]) : NULL;
    if (at[1] == 'u' && strspn(at + 2, "0123456789abcdefABCDEF") >= 4) {
      char hex[5] = {at[2], at[3], at[4], at[5], 0};
      to = put_code(to, (unsigned)strtoul(hex, NULL, 16));
      at += 6;
    } else if (at[1]) {
      *to++ = letter ? to_letter[letter - from_letter] : at[1];
      at += 2;
    } else {
      break;
    }
  }
  if (*at != '"') return NULL;
  *text = at + 1;
  *to = '\0';
  return start;
}
