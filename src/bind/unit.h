/* Units of columns that hold several numbers of a model: one word, or "" when they differ. */
#ifndef BIND_UNIT_H
#define BIND_UNIT_H

#include "model/model.h"

/* of n coordinates ('q') or speeds ('u'), as the model's groups say */
const char *bind_unit_of_state(const model *m, char of, int first, int n);

/* of n rows of all contacts: `straight`, or `turning` for the stops of hinges */
const char *bind_unit_of_rows(const model *m, int first, int n, const char *straight,
                              const char *turning);

/* of one row of each of n contacts, likewise: the sum of those with "" means nothing */
const char *bind_unit_of_contacts(const model *m, const int *contacts, int n, const char *straight,
                                  const char *turning);

#endif
