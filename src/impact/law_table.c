#include "impact/law.h"

#include <string.h>

extern const law_type law_newton, law_plastic, law_stronge, law_poisson, law_sequential;
extern const law_type law_compliant, law_vibration, law_moreau, law_glocker, law_lzb;

/* clang-format off */
const law_type *const law_table[] = { /* one row per law */
    &law_newton,
    &law_plastic,
    &law_stronge,
    &law_poisson,
    &law_sequential,
    &law_compliant,
    &law_vibration,
    &law_moreau,
    &law_glocker,
    &law_lzb,
    NULL,
};
/* clang-format on */

const law_type *law_find(const char *name) {
  for (int i = 0; law_table[i]; i++)
    if (!strcmp(law_table[i]->name, name)) return law_table[i];
  return NULL;
}
