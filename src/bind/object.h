/* Models and laws as Lua values: userdata that own a C object and never change.
 *
 * The first user value is a table of anchors (or nil): Lua values that the C object points into,
 * by parameter name.
 */
#ifndef BIND_OBJECT_H
#define BIND_OBJECT_H

#include <lauxlib.h>
#include <stdint.h>

#include "bind/bind.h"
#include "core/param.h"
#include "core/scratch.h"
#include "impact/law.h"
#include "model/model.h"

typedef struct bind_model {
  const void *is; /* names the type, see bind_object_of */
  model *m;       /* NULL until it is built */
  size_t size;    /* of a changed copy in one piece, 0: not looked at, 1: it cannot be had */
  int moved;      /* its state was set by `at`, not by its params */
  int anchors;    /* user values of such a copy: 1 when this one has anchors; known with size */
  _Alignas(double) char piece[]; /* the model itself, where it is in one piece (model_piece) */
} bind_model;

typedef struct bind_law {
  const void *is; /* names the type, see bind_object_of */
  law *l;         /* NULL until it is built */
  int named; /* some list is by the names of contacts: the second user value, see law_names.c */
  _Alignas(double) char piece[]; /* the law itself, where it is in one piece (law_piece) */
} bind_law;

/* NULL when the value is something else */
bind_model *bind_model_test(lua_State *L, int index);
bind_law *bind_law_test(lua_State *L, int index);

/* raise "<who>: argument <index> must be a model, got ..." */
model *bind_model_check(lua_State *L, int index, const char *who);
law *bind_law_check(lua_State *L, int index, const char *who);

/* ---- lists by the names of contacts: law.compliant{ mu = { foot = 0.8, stop = 0 } } ---- */

/* Takes lists by name out of the table of parameters at `index` (replaced by a copy without them)
 * and pushes them, {mu = {foot = 0.8}}, or nil. `old`: a law whose names are kept unless the table
 * gives them anew; 0: none. */
void bind_law_names(lua_State *L, int index, int old, const core_schema *schema);

/* makes the law at `index`, whose lists are by name, one with lists for the model at `of_model`:
 * all of its contacts, or those in the table at `contacts` (0: all) */
void bind_law_resolve(lua_State *L, int index, int of_model, int contacts);

/* the same for a problem (a table with names), when the law at `index` is by name */
void bind_law_of_problem(lua_State *L, int index, int problem);

/* the law at `index`, which becomes one with plain lists for the model when it is by name */
law *bind_law_meet(lua_State *L, int index, int of_model, const char *who);

/* Contacts of the model that one word of a list by name means ("foot" of mu = { foot = 0.8 }): bit
 * c for contact c. The law at `index` is still by name. Raises when there is none. */
uint64_t bind_law_meant(lua_State *L, int index, int of_model, const char *key, const char *word);

/* how many letters a wrong name may be off from what it was meant to be: long words more */
int bind_guess(const char *word);

/* " (did you mean 'near'?)", or "" for NULL */
void bind_guess_text(const char *near, char *text, size_t size);

/* raises "what 'name' (did you mean 'near'?)", or (there are: ...) */
int bind_no_name(lua_State *L, const char *what, const char *name, const char *const *names);

/* m.with{...} for m:with{...}: raises an error that says so when `who` is a method */
void bind_check_colon(lua_State *L, int index, const char *who, const char *of);

/* pushes an empty one, safe to collect as it is */
bind_model *bind_model_new(lua_State *L);
bind_law *bind_law_new(lua_State *L);

/* The userdata at `index` when it is of the class `key`, else NULL. Every class has the address
 * that names it as its first field: no other userdata has that there, and scripts cannot put it
 * there. */
void *bind_object_of(lua_State *L, int index, const bind_kind *key);

/* gives the userdata on top, whose memory is `object`, its name and the metatable of its class */
void bind_object_is(lua_State *L, void *object, const bind_kind *key);

/* keeps the table on top (which it pops) as a metatable */
void bind_class_add(lua_State *L, enum bind_slot slot);

/* A second metatable of models and laws, for those that own nothing outside the userdata: Lua does
 * not have to finalise them. bind_object_rests gives it to the userdata on top. */
void bind_class_resting(lua_State *L, const bind_kind *key);
void bind_object_rests(lua_State *L, void *object, const bind_kind *key);

/* makes registry[key] a metatable with these functions; scripts cannot change it. Its functions
 * have the methods table of that name as their upvalue. */
void bind_metatable(lua_State *L, const char *name, const luaL_Reg *functions,
                    const bind_kind *key);

/* a table of parameters at `index` and nothing above it; none or nil counts as an empty one */
void bind_check_table(lua_State *L, int index, const char *owner);

/* the law, the model (or another anchored thing) that a CORE_OBJECT parameter wants, by its `unit`
 * ("a law", "a model"); NULL when the value is something else */
void *bind_object_test(lua_State *L, int index, const char *unit);

/* Makes an object from the table at `index`: params from `from` (or the defaults), changed by the
 * table, handed to `make`. Anchors go to the userdata at `owner`. */
typedef core_status (*bind_maker)(const void *type, const void *params, void *to, core_error *err);
core_status bind_object_make(lua_State *L, int index, int owner, const core_schema *schema,
                             const void *from, bind_maker make, const void *type, void *to,
                             core_error *err);

/* does a parameter hold another object? */
int bind_object_holds(const core_schema *schema);

/* pushes {key = value} of all params that are there */
void bind_object_params(lua_State *L, int owner, const core_schema *schema, const void *params);

/* pushes a list of {key, unit, doc, value} in the order of the table, for printing */
void bind_object_describe(lua_State *L, int owner, const core_schema *schema, const void *params);

/* pushes the value of a parameter by its key; 0 when there is no such parameter */
int bind_object_param(lua_State *L, int owner, const core_schema *schema, const void *params,
                      const char *key);

/* makes the table on top a metatable whose __tostring is the page of `name` */
void bind_shown_by(lua_State *L, const char *name);

/* gives the table on top such a metatable, the same for all of that name */
void bind_shown(lua_State *L, const char *name);

/* __tostring of models, laws and hits: their method `page`, which lua/knock/page.lua has */
int bind_page(lua_State *L);

/* methods table that lua/ may add to, core.types[name]: pushes registry["knock.methods"][name] */
void bind_methods(lua_State *L, const char *name);

/* First stop of every __index (object, key): pushes the method of that name; 0: there is none. */
int bind_method(lua_State *L);

/* Last stop: a method that lua/ adds when it is first asked for; pushes it, or 0. */
int bind_late_method(lua_State *L);

/* raises "<who> has no field '<key>' (did you mean '<near>'?)"; near may be NULL */
int bind_no_field(lua_State *L, const char *who, const char *near);

/* the name nearest to a misspelt key in a NULL-ended list, or NULL */
const char *bind_nearest(const char *key, const char *const *names);

#endif
