#include "model/model.h"

#include <string.h>

extern const model_type model_particle, model_ball, model_double_pendulum;

const model_type *const model_table[] = {
    &model_particle,
    &model_ball,
    &model_double_pendulum,
    NULL,
};

const model_type *model_find(const char *name) {
  for (int i = 0; model_table[i]; i++)
    if (!strcmp(model_table[i]->schema.owner, name)) return model_table[i];
  return NULL;
}
