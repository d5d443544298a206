/* What a model can be asked besides its parameters, each computed when asked for. */
#ifndef BIND_MODEL_FIELD_H
#define BIND_MODEL_FIELD_H

#include <lua.h>

#include "model/model.h"

extern const char *const bind_model_fields[]; /* ends with NULL */

/* pushes the field (q, u, M, J, W, gap, energy ...); 0 when there is no such field */
int bind_model_field(lua_State *L, const model *m, const char *name);

/* pushes the named slice of the state as the model speaks (velocity, spin ...), a number where it
 * always is one (a rod's spin); 0: no such group */
int bind_model_group(lua_State *L, const model *m, const double *q, const double *u,
                     const char *name);

/* pushes the list of things worth saying about the model (derivatives by differences) */
void bind_model_notes(lua_State *L, const model *m);
const char *bind_model_differences(const model *m); /* the note about differences, or NULL */

void bind_model_document(lua_State *L); /* its fields, for help */

#endif
