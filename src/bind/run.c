/* Runs as Lua values: their life, their methods, and k.simulate. */
#include "bind/run.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "bind/model_field.h"
#include "bind/object.h"
#include "bind/param.h"
#include "core/interrupt.h"
#include "impact/assemble.h"
#include "sim/options.h"

static const bind_kind key = {.slot = BIND_RUN}; /* registry[&key] is the metatable */

/* ---- life ---- */

bind_run *bind_run_new(lua_State *L, int model_index, int law_index, int calls_index) {
  bind_run *b = lua_newuserdatauv(L, sizeof *b, 4);
  *b = (bind_run){0};
  lua_pushvalue(L, model_index);
  lua_setiuservalue(L, -2, BIND_RUN_MODEL);
  lua_pushvalue(L, law_index);
  lua_setiuservalue(L, -2, BIND_RUN_LAW);
  lua_pushvalue(L, calls_index);
  lua_setiuservalue(L, -2, BIND_RUN_CALLS);
  bind_object_is(L, b, &key);
  return b;
}

bind_run *bind_run_check(lua_State *L, int index, const char *who) {
  bind_run *b = bind_object_of(L, index, &key);
  if (b && b->r) return b;
  char got[96];
  bind_describe(L, index, got, sizeof got);
  bind_check_colon(L, index, who, "a run");
  bind_error(L, "%s: argument %d must be a run, as k.simulate gives it, got %s", who, index, got);
  return NULL;
}

static int collect(lua_State *L) {
  bind_run *b = lua_touserdata(L, 1);
  sim_free(b->r);
  b->r = NULL;
  return 0;
}

/* ---- options ---- */

typedef struct options {
  sim_options sim;
  double rate;
  int samples;
} options;

#define VALUE(name, what, types, doc)                                                              \
  { #name, what, CORE_VALUE, 0, 1, "nil", 0, 0, 0, doc, types }

static const core_param option_params[] = {
    SIM_OPTION_PARAMS(options, sim.),
    SIM_WHOLE(options, , samples, "500", 0,
              "rows of run.t, run.q ... at even times, besides the events"),
    SIM_NUMBER(options, , rate, "1/s", "nil", 0, INFINITY, CORE_OPEN_MIN,
               "rows per second, instead of samples"),
    VALUE(force, "a function of t, q, u", "function",
          "extra generalised force, a list of nu numbers"),
    VALUE(events, "a table of functions by name", "table",
          "functions of t, q, u whose zeros are events, or { function, direction =, stop =, reset "
          "= }"),
    VALUE(stop, "a function of t, q, u", "function|table", "the run ends when it passes zero"),
    VALUE(live, "true or a table", "boolean|table|string",
          "a figure that grows while the run goes on: true, or {x =, y =} with names of columns"),
};
static const core_schema option_schema = {
    "simulate", option_params, sizeof option_params / sizeof *option_params, sizeof(options)};

static void read_options(lua_State *L, int index, options *o) {
  core_error err = {0};
  bind_check_table(L, index, "simulate");
  core_scratch *s = bind_scratch(L);
  core_schema_defaults(&option_schema, o);
  core_status status = bind_params_read(L, index, &option_schema, o, 0, s, &err);
  if (!status) status = bind_params_complete(L, index, &option_schema, &err);
  bind_raise_if(L, status, &err);
}

static int sample_count(lua_State *L, const options *o) {
  double n = isnan(o->rate) ? o->samples : fabs(o->sim.t_end - o->sim.t_start) * o->rate + 1;
  if (n > 1e8) bind_error(L, "simulate: rate = %.10g gives %.3g samples: too many", o->rate, n);
  return (int)(n + 1e-9);
}

/* ---- k.simulate ---- */

/* A mistake of the script that shows before anything was computed is an error, and so is a lack of
 * memory. Whatever else happens later, the run up to there is the answer, with its status and the
 * reason. */
static int is_mistake(const sim_run *r) {
  core_status s = r->status;
  int mistake = s == CORE_CALLBACK || s == CORE_UNSUPPORTED || s == CORE_BAD_INPUT;
  return s == CORE_NO_MEMORY || (mistake && r->accepted == 0);
}

/* Ctrl-C came during this run, and it is the first of the script: what there is, is the answer.
 * `before` is the flag when the run began. A callback may have met it as an error. */
static int take_interrupt(int before) {
  if (before != CORE_INTERRUPT_NONE || core_interrupt_flag == CORE_INTERRUPT_ENDING) return 0;
  core_interrupt_flag = CORE_INTERRUPT_TAKEN;
  return 1;
}

/* differences have errors of their own, which look like work to an integrator that asks for more */
static const char *note_of(const model *m, const sim_options *o) {
  if (!bind_model_differences(m) || o->rtol >= 1e-10) return NULL;
  return "the model's derivatives by differences are good to about 1e-11: with rtol below 1e-10 "
         "the "
         "integrator follows their errors, in up to hundreds of times the steps";
}

static int simulate(lua_State *L) {
  const model *m = bind_model_check(L, 1, "simulate");
  const law *l = bind_law_meet(L, 2, 1, "simulate");
  options from = {0};
  core_error err = {0};
  lua_settop(L, 3);
  read_options(L, 3, &from);
  sim_options o = from.sim;
  bind_run_calls(L, 3, m, &o);
  bind_run *b = bind_run_new(L, 1, 2, 4);
  b->samples = sample_count(L, &from);
  bind_run_live(L, 3, 1, m, &o);
  int live = lua_gettop(L);
  bind_run_progress(L, &o);
  core_scratch *s = bind_scratch(L);
  bind_raise_if(L, impact_check_rows(m, l, o.mu, &err), &err);
  core_error *callback = &bind_state_of(L)->error;
  *callback = (core_error){0};
  int flag = core_interrupt_flag;
  bind_raise_if(L, sim_simulate(m, l, &o, s, &b->r, &err), &err);
  if (b->r->status == CORE_CALLBACK && callback->text[0]) b->r->error = *callback;
  b->r->o.progress = NULL;
  b->note = note_of(m, &o);
  bind_run_progress_end(L, live + 1);
  bind_run_live_end(L, live);
  lua_settop(L, live - 1);
  if (is_mistake(b->r) || (b->r->status == CORE_INTERRUPTED && !take_interrupt(flag))) {
    err = b->r->error;
    err.status = b->r->status;
    return bind_raise(L, &err);
  }
  return 1;
}

/* ---- methods ---- */

/* time argument, and whether "before" asks for the state before an event at that very time */
static double time_argument(lua_State *L, const char *who, int *before) {
  if (lua_type(L, 2) != LUA_TNUMBER) {
    char got[96];
    bind_describe(L, 2, got, sizeof got);
    bind_error(L, "%s: t must be a number of s, got %s", who, got);
  }
  const char *word = lua_isnoneornil(L, 3) ? "after" : luaL_tolstring(L, 3, NULL);
  *before = !strcmp(word, "before");
  if (!*before && strcmp(word, "after"))
    bind_error(L, "%s: the second argument must be 'before' or 'after', got '%s'", who, word);
  return lua_tonumber(L, 2);
}

static int at(lua_State *L) {
  const bind_run *b = bind_run_check(L, 1, "at");
  int before;
  double t = time_argument(L, "at", &before);
  bind_run_at(L, b, t, before);
  return 1;
}

static int sample(lua_State *L) {
  const bind_run *b = bind_run_check(L, 1, "sample");
  int whole = 1;
  lua_Integer n = lua_isnoneornil(L, 2) ? b->samples : lua_tointegerx(L, 2, &whole);
  if (!whole || n < 0 || n > 100000000) {
    char got[96];
    bind_describe(L, 2, got, sizeof got);
    return bind_error(L, "sample: n must be a whole number of rows from 0 to 1e8, got %s", got);
  }
  bind_run_columns(L, b, (int)n);
  return 1;
}

/* run.key: a field, a column, a method */
static int get_field(lua_State *L) {
  const bind_run *b = lua_touserdata(L, 1);
  if (!b->r || lua_type(L, 2) != LUA_TSTRING) return 0;
  const char *word = lua_tostring(L, 2);
  if (bind_run_field(L, b, word)) return 1;
  if (bind_late_method(L)) return 1;
  return bind_no_field(L, "a run", bind_nearest(word, bind_run_fields));
}

static int refuse_write(lua_State *L) {
  return bind_error(L, "a run is never changed");
}

static const bind_function functions[] = {
    {"simulate", simulate, "k.simulate(model, law, {t_end =, ...}) -> run",
     "Moves the model from its state: free flight, impacts by the law, sustained contact with "
     "friction, release, as often as they come.\n"
     "* Impacts: contacts take part that touch, or that close while another one is loaded. A gap "
     "that closes later is an impact of its own.\n"
     "* Zeno: bounces whose flights shrink by a steady ratio (over up to 4 flights where several "
     "contacts bounce in turn) end at their geometric limit, told by an event 'zeno'. Contacts "
     "held up by those that stay come to rest with them. zeno = false bounces on until a hop is "
     "lower than rest.\n"
     "* Supports: which contacts stick, slide and leave is found by the solver of contact modes, "
     "for "
     "any number of them. Where they depend on each other (a fourth leg) normal forces are the "
     "smallest and friction is shared by what each contact has of it; run:at(t).redundant says "
     "so.\n"
     "* Painleve: friction may press a sliding contact in so that no force fits. Then the law is "
     "asked for the impact of v + h a, h -> 0, a the accelerations without contact forces: sliding "
     "stops by impulses though nothing approaches, told by an event 'impact without collision'. A "
     "law that makes nothing of it (no friction) ends the run. Where several motions fit (looked "
     "for with up to two contacts in the plane) the run takes the one in which all slide and stick "
     "as they did if that can last, else all leave, else the solver's; run.notes says so.\n"
     "* Scales: touch, rest, zeno_time and atol are by default parts of the run's own length and "
     "time, so that units do not matter.\n"
     "* force(t, q, u) returns generalised forces. stop(t, q, u) ends the run where its number "
     "passes zero, or when it becomes true.\n"
     "* events = {name = f} or {name = {f, direction = 'falling' | 'rising' | 'both', stop = true, "
     "reset = function(t, q, u) return q, u end}}: f(t, q, u) passes zero. A start on the root is "
     "no crossing.\n"
     "* A run that cannot go on (no contact force, Ctrl-C, max_events, an error in a function, "
     "contacts that the law does not take, a force that switches without end) ends there, keeps "
     "what it has, and says why in run.status and run.message.",
     "local run = k.simulate(k.particle{ position = {0, 1}, velocity = {0, 0}, gravity = 9.8 }, "
     "k.law.newton{ e = 0 }, { t_end = 1 }) print(('%.9f'):format(run.events[1].t)) --> "
     "0.451753951"},
};

static const bind_function methods[] = {
    {"at", at, "run:at(t[, 'before']) -> state",
     "State at any time from the dense output: t, q, u, gap, force, mode, kinetic, potential, "
     "energy, work, sliding, lost and the model itself; redundant: contacts depend on each other "
     "and "
     "other forces would do the same (normal forces are the smallest, friction is shared by what "
     "each contact has of it); unique: whether the laws allow this motion of the closed contacts "
     "only (nil: not known; in the plane up to 4 contacts). At the time of an event the state "
     "after "
     "it, or before it when asked.",
     "local run = k.simulate(k.particle{ position = {0, 1}, velocity = {2, 0} }, k.law.newton{}, "
     "{ t_end = 0.4 }) print(run:at(0.25).q[1]) --> 0.5"},
    {"sample", sample, "run:sample([n]) -> columns",
     "Columns at n even times and at all events (before and after each impact): t, q1 ..., u1 "
     "..., gap, f_n ..., kinetic, potential, energy, work, sliding, lost; names and units as in "
     "hit.path.",
     "local run = k.simulate(k.particle{ position = {0, 1}, velocity = {0, 0} }, k.law.newton{ e = "
     "1 }, { t_end = 1 }) print(#run:sample(11).t) --> 13"},
};

void bind_open_run(lua_State *L) {
  bind_run_document(L);
  bind_option_schema(L, "k.simulate", &option_schema);
  static const luaL_Reg meta[] = {{"__gc", collect},
                                  {"__index", get_field},
                                  {"__newindex", refuse_write},
                                  {"__tostring", bind_page},
                                  {NULL, NULL}};
  bind_metatable(L, "run", meta, &key);
  bind_methods(L, "run");
  bind_register(L, "run", methods, sizeof methods / sizeof *methods);
  lua_pop(L, 1);
  bind_register(L, "k", functions, sizeof functions / sizeof *functions);
  bind_open_run_events(L);
  bind_open_run_progress();
}
