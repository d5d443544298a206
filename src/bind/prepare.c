/* k.prepare(model, law, {inputs}, {outputs}) -> function of numbers to numbers.
 *
 * What a loop over many cases needs and no more: private copies of model and law, parameters set in
 * place, one impact, some numbers of it. It is a sweep's lane (sweep/lane.h) with the loop in Lua.
 */
#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/object.h"
#include "bind/param.h"
#include "bind/sweep.h"

enum { PREPARE_OUT = 64 }; /* most numbers that a function returns */

/* "velocity[1]", "law.mu", "model.mass": the key without its owner and index, in `key` */
static int parse(const char *text, char *key, size_t size, const char **of) {
  *of = !strncmp(text, "law.", 4) ? "law" : !strncmp(text, "model.", 6) ? "model" : "";
  text += **of ? strlen(*of) + 1 : 0;
  size_t n = strcspn(text, "[");
  if (n >= size) return -1;
  memcpy(key, text, n);
  key[n] = 0;
  if (!text[n]) return 0;
  char *end;
  long element = strtol(text + n + 1, &end, 10);
  return element >= 1 && element <= 1000000 && !strcmp(end, "]") ? (int)element : -1;
}

/* the text at position i of the list at `index` */
static const char *text_at(lua_State *L, int index, int i, const char *what) {
  char got[96];
  lua_rawgeti(L, index, i + 1);
  if (lua_type(L, -1) != LUA_TSTRING) {
    bind_describe(L, -1, got, sizeof got);
    bind_error(L, "prepare: %s[%d] must be a name, as \"velocity[1]\", got %s", what, i + 1, got);
  }
  const char *text = lua_tostring(L, -1); /* the list keeps it */
  lua_pop(L, 1);
  return text;
}

/* key: what may be misspelt, or NULL; model and law are as for read_input */
static void no_parameter(lua_State *L, const char *text, const char *key) {
  const core_schema *of_model = &bind_model_test(L, 1)->m->type->schema;
  const core_schema *of_law = &bind_law_test(L, 2)->l->type->schema;
  const char *near = key ? core_schema_nearest(of_model, key) : NULL;
  char guess[240];
  if (key && !near) near = core_schema_nearest(of_law, key);
  bind_guess_text(near, guess, sizeof guess);
  bind_error(L, "prepare: '%s' is no parameter of %s or %s that a number can set%s", text,
             of_model->owner, of_law->owner, guess);
}

/* the model is at 1, the law as the script gave it at 2 */
static void read_input(lua_State *L, const char *text, sweep_input *in) {
  char key[64];
  const char *of;
  int element = parse(text, key, sizeof key, &of);
  *in = (sweep_input){.element = element - 1};
  int found = element >= 0 && bind_lane_input(L, 1, 2, of, key, in);
  core_kind kind = found ? in->param->kind : CORE_OBJECT;
  if (kind == CORE_OBJECT || kind == CORE_VALUE || kind == CORE_MATRIX || (in->meant && element))
    no_parameter(L, text, element < 0 || found ? NULL : key);
  if (kind == CORE_VECTOR && element > in->param->n)
    bind_error(L, "prepare: '%s' has %d elements, got [%d]", key, in->param->n, element);
  if (kind == CORE_VECTOR && in->param->n > 1 && !element)
    bind_error(L, "prepare: '%s' has %d elements: name one, as %s[1]", text, in->param->n, key);
}

static void read_output(lua_State *L, const char *text, const model *m, sweep_output *o) {
  char key[64];
  const char *of;
  int element = parse(text, key, sizeof key, &of);
  if (element < 0 || *of || !bind_lane_output(m, key, o)) {
    char guess[100] = "";
    if (element >= 0 && !*of) bind_lane_guess(m, key, guess, sizeof guess);
    bind_error(L, "prepare: '%s' is no number of a hit of %s%s", text, m->type->schema.owner,
               guess);
  }
  if (element > o->n) bind_error(L, "prepare: '%s' has %d elements, got [%d]", key, o->n, element);
  if (element) *o = (sweep_output){o->what, o->first + element - 1, 1};
}

static int close_lane(lua_State *L) {
  bind_lane *r = lua_touserdata(L, 1);
  sweep_lane_close(&r->lane);
  memset(&r->lane, 0, sizeof r->lane);
  return 0;
}

/* the function itself; upvalue: the lane */
static int call(lua_State *L) {
  bind_lane *r = lua_touserdata(L, lua_upvalueindex(1));
  sweep_lane *lane = &r->lane;
  double x[BIND_MAX_PORTS], out[PREPARE_OUT];
  for (int k = 0; k < lane->n_inputs; k++) {
    int isnum;
    x[k] = lua_tonumberx(L, k + 1, &isnum);
    if (isnum) continue;
    char got[96];
    bind_describe(L, k + 1, got, sizeof got);
    return bind_error(L, "prepare: argument %d must be a number, got %s", k + 1, got);
  }
  core_error err;
  err.text[0] = 0;
  core_status status = sweep_lane_call(lane, x, out, &err);
  bind_raise_if(L, status, &err);
  for (int k = 0; k < lane->width; k++) lua_pushnumber(L, out[k]);
  return lane->width;
}

static int length(lua_State *L, int index, const char *what) {
  char got[96];
  bind_describe(L, index, got, sizeof got);
  if (!lua_istable(L, index) || !lua_rawlen(L, index))
    bind_error(L, "prepare: %s must be a list of names, as {\"velocity[1]\"}, got %s", what, got);
  if (lua_rawlen(L, index) > BIND_MAX_PORTS)
    bind_error(L, "prepare: %s can be %d at most", what, BIND_MAX_PORTS);
  return (int)lua_rawlen(L, index);
}

static bind_lane *push_lane(lua_State *L) {
  bind_lane *r = lua_newuserdatauv(L, sizeof *r, 2);
  memset(r, 0, sizeof *r);
  for (int i = 1; i <= 2; i++) { /* model and law (for it) may hold functions of the script */
    lua_pushvalue(L, i == 1 ? 1 : 5);
    lua_setiuservalue(L, -2, i);
  }
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, close_lane);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  r->lane.inputs = r->inputs;
  r->lane.outputs = r->outputs;
  return r;
}

static int prepare(lua_State *L) {
  const model *m = bind_model_check(L, 1, "prepare");
  core_error err = {0};
  lua_settop(L, 4);
  lua_pushvalue(L, 2); /* 5: the law for the model */
  const law *l = bind_law_meet(L, 5, 1, "prepare");
  if (bind_model_test(L, 1)->moved)
    return bind_error(L, "prepare: the model was moved by at(); set its state by its parameters");
  bind_raise_if(L, impact_check_rows(m, l, NAN, &err), &err);
  bind_lane *r = push_lane(L);
  sweep_lane *lane = &r->lane;
  lane->n_inputs = length(L, 3, "inputs");
  lane->n_outputs = length(L, 4, "outputs");
  for (int k = 0; k < lane->n_inputs; k++) read_input(L, text_at(L, 3, k, "inputs"), &r->inputs[k]);
  for (int k = 0; k < lane->n_outputs; k++)
    read_output(L, text_at(L, 4, k, "outputs"), m, &r->outputs[k]);
  bind_raise_if(L, sweep_lane_open(lane, m, l), &err);
  if (lane->width > PREPARE_OUT)
    return bind_error(L, "prepare: outputs are %d numbers, at most %d", lane->width, PREPARE_OUT);
  lua_pushcclosure(L, call, 1);
  return 1;
}

static const bind_function functions[] = {
    {"prepare", prepare, "k.prepare(model, law, {inputs}, {outputs}) -> function",
     "A function of numbers to numbers, for loops over many cases: its arguments set the "
     "parameters that `inputs` names (\"velocity[1]\", \"mu\", \"law.e\", \"mu.foot\" of a list by "
     "the names of contacts), it lets the law act, and returns the numbers of the hit that "
     "`outputs` names (\"velocity[3]\", \"impulse\", "
     "\"energy.friction\"). Arguments are checked as those of models and laws are; a law that "
     "finds "
     "no answer raises an error.",
     "local f = k.prepare(k.ball{}, k.law.newton{}, {\"velocity[3]\", \"e\"}, {\"velocity[3]\"})\n"
     "print(f(-4, 0.5)) --> 2.0"},
};

void bind_open_prepare(lua_State *L) {
  bind_register(L, "k", functions, sizeof functions / sizeof *functions);
}
