#include <stdio.h>

#include "record/hdf5.h"

static int is_special(const char *name, size_t i) {
  unsigned char c = (unsigned char)name[i];
  int dots = name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
  return c < 0x20 || c == 0x7f || c == '/' || c == '%' || (dots && i == 0);
}

void record_hdf5_encode(const char *name, char to[RECORD_HDF5_NAME]) {
  size_t n = 0;
  for (size_t i = 0; name[i] && n + 4 < RECORD_HDF5_NAME; i++) {
    if (is_special(name, i))
      n += (size_t)sprintf(to + n, "%%%02X", (unsigned char)name[i]);
    else
      to[n++] = name[i];
  }
  to[n] = '\0';
}

void record_hdf5_decode(const char *from, char to[RECORD_HDF5_NAME]) {
  size_t n = 0;
  unsigned code;
  for (; *from && n + 1 < RECORD_HDF5_NAME; n++) {
    if (*from == '%' && sscanf(from + 1, "%2X", &code) == 1 && code && from[1] && from[2]) {
      to[n] = (char)code;
      from += 3;
    } else {
      to[n] = *from++;
    }
  }
  to[n] = '\0';
}
