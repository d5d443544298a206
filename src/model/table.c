#include "model/model.h"

#include <string.h>

/* clang-format off: one row each */
extern const model_type model_particle;
extern const model_type model_ball;
extern const model_type model_pencil;
extern const model_type model_pair;
extern const model_type model_rod;
extern const model_type model_double_pendulum;
extern const model_type model_arm;
extern const model_type model_crutch_walker;
extern const model_type model_bar;
extern const model_type model_chain;
extern const model_type model_rimless_wheel;
extern const model_type model_compass;

const model_type *const model_table[] = {
    &model_particle,
    &model_ball,
    &model_pencil,
    &model_pair,
    &model_rod,
    &model_double_pendulum,
    &model_arm,
    &model_crutch_walker,
    &model_bar,
    &model_chain,
    &model_rimless_wheel,
    &model_compass,
    NULL,
};
/* clang-format on */

const model_type *model_find(const char *name) {
  for (int i = 0; model_table[i]; i++)
    if (!strcmp(model_table[i]->schema.owner, name)) return model_table[i];
  return NULL;
}
