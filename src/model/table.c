#include "model/model.h"

#include <string.h>

const model_type *const model_table[] = {
    NULL,
};

const model_type *model_find(const char *name) {
  for (int i = 0; model_table[i]; i++)
    if (!strcmp(model_table[i]->schema.owner, name)) return model_table[i];
  return NULL;
}
