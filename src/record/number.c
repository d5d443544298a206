#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/table.h"

/* whole numbers of up to 15 digits need no search */
static int whole(double x, char text[32]) {
  long long i = (long long)x;
  if ((double)i != x || (i == 0 && signbit(x))) return 0;
  return snprintf(text, 32, "%lld", i);
}

int record_number_text(double x, char text[32]) {
  if (isnan(x)) return snprintf(text, 32, "nan");
  if (isinf(x)) return snprintf(text, 32, x > 0 ? "inf" : "-inf");
  int n = fabs(x) < 1e15 ? whole(x, text) : 0;
  for (int digits = 15; !n && digits <= 17; digits++) {
    int length = snprintf(text, 32, "%.*g", digits, x);
    if (digits == 17 || strtod(text, NULL) == x) n = length;
  }
  return n;
}
