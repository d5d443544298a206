#include "bind/unit.h"

#include <string.h>

#include "model/mechanism.h"

static const char *of_one(const model *m, char of, int at) {
  for (const model_group *g = m->type->groups; g && g->name; g++)
    if (g->of == of && at >= g->first && (g->n < 0 || at < g->first + g->n)) return g->unit;
  return "";
}

const char *bind_unit_of_state(const model *m, char of, int first, int n) {
  const char *unit = n ? of_one(m, of, first) : "";
  for (int i = 1; i < n; i++)
    if (strcmp(of_one(m, of, first + i), unit)) return "";
  return unit;
}

static int contact_of(const model_shape *shape, int row) {
  int c = 0;
  while (model_first(shape, c + 1) <= row) c++;
  return c;
}

const char *bind_unit_of_rows(const model *m, int first, int n, const char *straight,
                              const char *turning) {
  int turns = n && mechanism_contact_turns(m, contact_of(&m->shape, first));
  for (int i = 1; i < n; i++)
    if (mechanism_contact_turns(m, contact_of(&m->shape, first + i)) != turns) return "";
  return turns ? turning : straight;
}

const char *bind_unit_of_contacts(const model *m, const int *contacts, int n, const char *straight,
                                  const char *turning) {
  int turns = n && mechanism_contact_turns(m, contacts[0]);
  for (int i = 1; i < n; i++)
    if (mechanism_contact_turns(m, contacts[i]) != turns) return "";
  return turns ? turning : straight;
}
