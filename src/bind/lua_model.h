/* Models written in Lua: lua_model.c makes them, lua_hooks.c calls their functions. */
#ifndef BIND_LUA_MODEL_H
#define BIND_LUA_MODEL_H

#include <lua.h>

#include "bind/spec.h"
#include "model/check.h"
#include "model/model.h"

/* k.model{...} -> model */
int bind_lua_model(lua_State *L);

/* what such a model makes by differences, in words; NULL for other models, or when nothing is */
const char *bind_lua_model_note(const model *m);

/* what such a model has to be checked by; other models leave *how as it is */
void bind_lua_model_how(const model *m, model_check_how *how);

/* ---- between the two files ---- */

typedef struct bind_lua_definition {
  bind_spec spec;
  model_type type;
  model_group groups[3];
  model_shape shape; /* known once the first instance is built */
  int sized;         /* 1 then */
  int listed;        /* contacts in the list `dim`, 0 without one */
  int *first;        /* listed + 1: offsets of their rows, a user value of the definition */
  int checked;       /* not switched off by check = false */
  int has_jacobian, has_position, has_forces, has_potential, has_mass_function;
  char note[160];        /* about differences */
  char coordinates[120]; /* "x, z" */
} bind_lua_definition;

/* the definition of a model of this kind */
bind_lua_definition *bind_lua_definition_of(const model *m);

/* sets the hooks that the definition needs */
void bind_lua_hooks(bind_lua_definition *d, int constraints, int power);

/* contact points along t1, t2, n: nc x dim */
core_status bind_lua_position(const model *m, const double *q, double *x);

/* shape of what a function returns at q */
core_status bind_lua_measure(const model *m, const char *name, const double *q, int *rows,
                             int *cols);

#endif
