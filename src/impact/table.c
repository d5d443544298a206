#include "impact/law.h"

#include <string.h>

const law_type *const law_table[] = {
    NULL,
};

const law_type *law_find(const char *name) {
  for (int i = 0; law_table[i]; i++)
    if (!strcmp(law_table[i]->name, name)) return law_table[i];
  return NULL;
}
