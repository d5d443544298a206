#define _GNU_SOURCE
#include "plot/whole.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* does the text end in `tail`, apart from white space? */
static int ends_in(const char *bytes, size_t n, const char *tail) {
  size_t len = strlen(tail);
  while (n && strchr(" \t\r\n", bytes[n - 1])) n--;
  return n >= len && !memcmp(bytes + n - len, tail, len);
}

/* SVG: every element that opens closes, in order of depth */
static int whole_svg(const char *bytes, size_t n) {
  long depth = 0;
  const char *end = bytes + n, *at = bytes;
  while ((at = memchr(at, '<', (size_t)(end - at)))) {
    const char *close = memchr(at, '>', (size_t)(end - at));
    if (!close) return 0;
    if (at[1] == '/')
      depth--;
    else if (at[1] != '?' && at[1] != '!' && close[-1] != '/')
      depth++;
    if (depth < 0) return 0;
    at = close;
  }
  return depth == 0 && ends_in(bytes, n, "</svg>");
}

/* PDF: the number behind the last startxref is where the table of references begins */
static int whole_pdf(const char *bytes, size_t n) {
  static const char word[] = "startxref\n";
  if (n < 1024 || memcmp(bytes, "%PDF-", 5) || !ends_in(bytes, n, "%%EOF")) return 0;
  const char *at = memmem(bytes + n - 128, 128, word, sizeof word - 1);
  if (!at) return 0;
  unsigned long long offset = strtoull(at + sizeof word - 1, NULL, 10);
  return offset + 4 < n && !memcmp(bytes + offset, "xref", 4);
}

static uint32_t big(const char *b) {
  const unsigned char *u = (const unsigned char *)b;
  return (uint32_t)u[0] << 24 | (uint32_t)u[1] << 16 | (uint32_t)u[2] << 8 | u[3];
}

/* PNG: a signature, then chunks of length, name, bytes and checksum; the last one is IEND */
static int whole_png(const char *bytes, size_t n) {
  if (n < 8 || memcmp(bytes, "\x89PNG\r\n\x1a\n", 8)) return 0;
  for (size_t at = 8; n - at >= 12;) {
    uint32_t length = big(bytes + at);
    if (length > n - at - 12) return 0;
    int last = !memcmp(bytes + at + 4, "IEND", 4);
    at += 12 + (size_t)length;
    if (last) return at == n;
  }
  return 0;
}

static int whole_tex(const char *bytes, size_t n) {
  return ends_in(bytes, n, "\\endgroup");
}

static int whole_gif(const char *bytes, size_t n) {
  return n > 13 && !memcmp(bytes, "GIF8", 4) && bytes[n - 1] == ';';
}

int plot_whole(const char *name, const char *bytes, size_t n) {
  static const struct {
    const char *ending;
    int (*whole)(const char *, size_t);
  } kinds[] = {{".svg", whole_svg},
               {".pdf", whole_pdf},
               {".png", whole_png},
               {".gif", whole_gif},
               {".tex", whole_tex}};
  const char *dot = strrchr(name, '.');
  for (size_t i = 0; dot && i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(dot, kinds[i].ending)) return kinds[i].whole(bytes, n);
  return 1;
}
