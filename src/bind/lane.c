/* The fast lane of sweeps: sweep:impact(model, law, fields) without a call of Lua per sample. It is
 * a body of the same engine as sweep:run; this file reads which axis sets what and what is kept. */
#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/object.h"
#include "bind/param.h"
#include "bind/sweep.h"
#include "bind/table.h"
#include "bind/unit.h"

/* ---- ports ---- */

static int integer_at(lua_State *L, const char *key, int otherwise) {
  lua_getfield(L, -1, key);
  int x = (int)luaL_optinteger(L, -1, otherwise);
  lua_pop(L, 1);
  return x;
}

/* the string stays alive in the table of ports */
static const char *string_at(lua_State *L, const char *key) {
  lua_getfield(L, -1, key);
  const char *s = luaL_checkstring(L, -1);
  lua_pop(L, 1);
  return s;
}

static int find_axis(const sweep_axes *axes, const char *name) {
  for (int k = 0; k < axes->n; k++)
    if (!strcmp(axes->axis[k].values->columns[0].name, name)) return k;
  return -1;
}

/* "mu.foot": a word of the law's list by name */
static void find_word(lua_State *L, int of_model, int of_law, const char *key, sweep_input *in) {
  char list[64];
  const char *dot = strchr(key, '.');
  size_t n = dot ? (size_t)(dot - key) : sizeof list;
  if (n >= sizeof list) return;
  memcpy(list, key, n);
  list[n] = 0;
  const core_param *p = bind_param_find(in->schema, list);
  if (!p || p->kind != CORE_LIST) return;
  in->meant = bind_law_meant(L, of_law, of_model, list, dot + 1);
  in->param = p;
}

int bind_lane_input(lua_State *L, int of_model, int of_law, const char *of, const char *key,
                    sweep_input *in) {
  in->meant = 0;
  in->schema = &bind_model_test(L, of_model)->m->type->schema;
  in->param = strcmp(of, "law") ? bind_param_find(in->schema, key) : NULL;
  in->of_law = !in->param && strcmp(of, "model");
  if (!in->of_law) return in->param != NULL;
  in->schema = &bind_law_test(L, of_law)->l->type->schema;
  in->param = bind_param_find(in->schema, key);
  if (!in->param) find_word(L, of_model, of_law, key, in);
  return in->param != NULL;
}

/* {column =, key =, element = (from 1, 0: all), of = "model", "law" or ""} on top of the stack: the
 * parameter of that name, of the model when it has one, else of the law; these are at of_model, and
 * as the script gave it at of_law */
static void read_input(lua_State *L, const sweep_axes *axes, sweep_input *in, int of_model,
                       int of_law) {
  const char *key = string_at(L, "key"), *column = string_at(L, "column"), *of = string_at(L, "of");
  int found = bind_lane_input(L, of_model, of_law, of, key, in);
  in->element = integer_at(L, "element", 0) - 1;
  in->axis = find_axis(axes, column);
  if (in->axis < 0) luaL_error(L, "sweep: there is no axis '%s'", column);
  const record_column *values = axes->axis[in->axis].values->columns;
  if (found && values->kind != RECORD_STRING && !(in->meant && values->width != 1)) return;
  core_error err;
  core_fail(&err, CORE_BAD_INPUT,
            "sweep: axis '%s' sets no parameter of %s or %s (map = { %s = \"velocity[1]\" } says "
            "which)",
            column, bind_model_test(L, of_model)->m->type->schema.owner,
            bind_law_test(L, of_law)->l->type->schema.owner, column);
  bind_raise(L, &err);
}

static const struct figure {
  const char *key;
  sweep_what what;
} figures[] = {
    {"impulse", SWEEP_IMPULSE},
    {"contact_velocity", SWEEP_CONTACT_VELOCITY},
    {"energy.before", SWEEP_ENERGY_BEFORE},
    {"energy.after", SWEEP_ENERGY_AFTER},
    {"energy.lost", SWEEP_ENERGY_LOST},
    {"energy.restitution", SWEEP_ENERGY_RESTITUTION},
    {"energy.friction", SWEEP_ENERGY_FRICTION},
    {"energy.stored", SWEEP_ENERGY_STORED},
    {"duration", SWEEP_DURATION},
};

int bind_lane_output(const model *m, const char *key, sweep_output *o) {
  int rows = model_all_rows(&m->shape);
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
    if (strcmp(key, figures[i].key)) continue;
    *o = (sweep_output){figures[i].what, 0, figures[i].what <= SWEEP_CONTACT_VELOCITY ? rows : 1};
    return 1;
  }
  for (const model_group *g = m->type->groups; g && g->name; g++) {
    if (g->of != 'u' || strcmp(key, g->name)) continue;
    *o = (sweep_output){SWEEP_SPEED, g->first, g->n < 0 ? m->shape.nu - g->first : g->n};
    return 1;
  }
  *o = (sweep_output){SWEEP_SPEED, 0, m->shape.nu};
  return !strcmp(key, "u");
}

void bind_lane_guess(const model *m, const char *key, char *text, size_t size) {
  const char *names[BIND_MAX_PORTS + 1];
  int n = 0;
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) names[n++] = figures[i].key;
  for (const model_group *g = m->type->groups; g && g->name && n < BIND_MAX_PORTS; g++)
    if (g->of == 'u') names[n++] = g->name;
  names[n] = NULL;
  const char *near = bind_nearest(key, names);
  if (near) {
    bind_guess_text(near, text, size);
    return;
  }
  size_t used = (size_t)snprintf(text, size, " (there are: u");
  for (int i = 0; i < n && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, ", %s", names[i]);
  if (used < size) snprintf(text + used, size - used, ")");
}

static const char *unit_of(const model *m, const sweep_output *o) {
  switch (o->what) {
    case SWEEP_SPEED: return bind_unit_of_state(m, 'u', o->first, o->n);
    case SWEEP_IMPULSE: return bind_unit_of_rows(m, o->first, o->n, "N s", "N m s");
    case SWEEP_CONTACT_VELOCITY: return bind_unit_of_rows(m, o->first, o->n, "m/s", "rad/s");
    case SWEEP_DURATION: return "s";
    default: return "J";
  }
}

/* {name =, key =, element =} on top of the stack */
static void read_output(lua_State *L, bind_lane *r, int k, const model *m) {
  const char *key = string_at(L, "key");
  int element = integer_at(L, "element", 0);
  sweep_output *o = &r->outputs[k];
  r->names[k] = string_at(L, "name");
  char guess[240];
  core_error err = {0};
  bind_lane_guess(m, key, guess, sizeof guess);
  if (!bind_lane_output(m, key, o))
    core_fail(&err, CORE_BAD_INPUT, "sweep: '%s' is no field of a hit of %s%s", key,
              m->type->schema.owner, guess);
  else if (element > o->n)
    core_fail(&err, CORE_BAD_INPUT, "sweep: '%s' has %d elements, got [%d]", key, o->n, element);
  if (err.status) bind_raise(L, &err);
  if (element) *o = (sweep_output){o->what, o->first + element - 1, 1};
  r->units[k] = unit_of(m, o);
}

static int read_list(lua_State *L, int index) {
  int n = (int)lua_rawlen(L, index);
  if (n > BIND_MAX_PORTS)
    luaL_error(L, "sweep: at most %d axes and %d fields", BIND_MAX_PORTS, BIND_MAX_PORTS);
  return n;
}

/* ---- the lane ---- */

static int close_lane(lua_State *L) {
  bind_lane *r = lua_touserdata(L, 1);
  sweep_lane_close(&r->lane);
  memset(&r->lane, 0, sizeof r->lane);
  return 0;
}

static bind_lane *push_lane(lua_State *L) {
  bind_lane *r = lua_newuserdatauv(L, sizeof *r, 1); /* 1: the law that it copies */
  memset(r, 0, sizeof *r);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, close_lane);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  return r;
}

bind_lane *bind_lane_push(lua_State *L, const sweep_axes *axes) {
  int spec = lua_gettop(L);
  bind_lane *r = push_lane(L);
  lua_getfield(L, spec, "model");
  lua_getfield(L, spec, "law");
  lua_getfield(L, spec, "inputs");
  lua_getfield(L, spec, "outputs");
  lua_getfield(L, spec, "law"); /* spec + 6: for the model */
  const model *m = bind_model_check(L, spec + 2, "sweep");
  const law *l = bind_law_meet(L, spec + 6, spec + 2, "sweep");
  lua_setiuservalue(L, spec + 1, 1);
  sweep_lane *lane = &r->lane;
  lane->axes = axes;
  lane->inputs = r->inputs;
  lane->outputs = r->outputs;
  lane->n_inputs = read_list(L, spec + 4);
  lane->n_outputs = read_list(L, spec + 5);
  for (int k = 0; k < lane->n_inputs; k++) {
    lua_rawgeti(L, spec + 4, k + 1);
    read_input(L, axes, &r->inputs[k], spec + 2, spec + 3);
    lua_pop(L, 1);
  }
  for (int k = 0; k < lane->n_outputs; k++) {
    lua_rawgeti(L, spec + 5, k + 1);
    read_output(L, r, k, m);
    lua_pop(L, 1);
  }
  if (sweep_lane_open(lane, m, l)) bind_raise(L, &(core_error){CORE_NO_MEMORY, ""});
  lua_settop(L, spec + 1);
  return r;
}

core_status bind_lane_columns(const bind_lane *r, record_table *t) {
  for (int k = 0; k < r->lane.n_outputs; k++)
    if (!record_add(t, r->names[k], r->units[k], RECORD_NUMBER, r->outputs[k].n))
      return CORE_NO_MEMORY;
  return CORE_OK;
}

void bind_lane_unit(void *self, size_t i, sweep_bytes *out) {
  bind_sweep *s = self;
  size_t first = i * s->engine.block;
  sweep_lane_unit(&s->lane->lane, first, sweep_engine_count(&s->engine, i), out);
}

/* ---- what a lane says of itself ---- */

static void add_numbers(luaL_Buffer *b, int n, const double *x) {
  char text[40];
  for (int i = 0; i < n; i++) {
    snprintf(text, sizeof text, " %a", x[i]);
    luaL_addstring(b, text);
  }
}

/* every parameter of a model or law with all its bits; objects by their kind alone */
static void add_params(luaL_Buffer *b, const core_schema *schema, const char *at) {
  luaL_addstring(b, schema->owner);
  for (int k = 0; k < schema->n; k++) {
    const core_param *p = &schema->params[k];
    const core_list *list = (const core_list *)(at + p->at);
    double whole = p->kind == CORE_INTEGER || p->kind == CORE_FLAG || p->kind == CORE_CHOICE
                       ? *(const int *)(at + p->at)
                       : 0;
    luaL_addchar(b, '\n');
    luaL_addstring(b, p->key);
    switch (p->kind) {
      case CORE_NUMBER:
      case CORE_VECTOR: add_numbers(b, p->n, (const double *)(at + p->at)); break;
      case CORE_LIST:
      case CORE_MATRIX: add_numbers(b, list->n, core_list_data(list)); break;
      case CORE_OBJECT:
      case CORE_VALUE: break;
      default: add_numbers(b, 1, &whole);
    }
  }
}

/* and the law inside it */
static void add_law(luaL_Buffer *b, const law *l) {
  add_params(b, &l->type->schema, l->params);
  const law *inner = law_sequential_inner(l, -1);
  if (inner) add_law(b, inner);
}

/* describe_lane(design, {model =, law =, inputs =, outputs =}) -> {{name =, unit =, width =} ...},
 * {axis = unit}, text that changes with the model and the law */
static int describe_lane(lua_State *L) {
  bind_sweep s = {.L = L};
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  lua_getfield(L, 1, "keep"); /* which samples does not matter here */
  lua_pushnil(L);
  lua_setfield(L, 1, "keep");
  bind_sweep_axes(L, 1, &s);
  lua_setfield(L, 1, "keep");
  bind_lane *r = bind_lane_push(L, &s.axes);
  lua_createtable(L, r->lane.n_outputs, 0);
  for (int k = 0; k < r->lane.n_outputs; k++) {
    lua_createtable(L, 0, 3);
    lua_pushstring(L, r->names[k]);
    lua_setfield(L, -2, "name");
    lua_pushstring(L, r->units[k]);
    lua_setfield(L, -2, "unit");
    lua_pushinteger(L, r->outputs[k].n);
    lua_setfield(L, -2, "width");
    lua_rawseti(L, -2, k + 1);
  }
  lua_newtable(L);
  for (int k = 0; k < r->lane.n_inputs; k++) {
    lua_pushstring(L, r->inputs[k].param->unit);
    lua_setfield(L, -2, s.axes.axis[r->inputs[k].axis].values->columns[0].name);
  }
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  add_params(&b, &r->lane.m->type->schema, r->lane.m->params);
  add_numbers(&b, r->lane.m->shape.nq, r->lane.m->q);
  add_numbers(&b, r->lane.m->shape.nu, r->lane.m->u);
  add_law(&b, r->lane.l);
  luaL_pushresult(&b);
  return 3;
}

static const bind_function functions[] = {
    {"describe_lane", describe_lane, "describe_lane(design, lane) -> columns, units, text",
     "What the fast lane computes; used by sweep:impact.", NULL},
};

void bind_open_lane(lua_State *L) {
  luaL_getsubtable(L, -1, "records");
  bind_register(L, "records", functions, sizeof functions / sizeof *functions);
  lua_pop(L, 1);
}
