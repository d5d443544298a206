/* A sweep that a script runs: the engine, and what runs its units. Not for other bindings. */
#ifndef BIND_SWEEP_H
#define BIND_SWEEP_H

#include <lua.h>

#include "sweep/axes.h"
#include "sweep/engine.h"
#include "sweep/lane.h"

enum { BIND_MAX_PORTS = 64 };

/* the fast lane: which axis sets what, and which numbers are kept */
typedef struct bind_lane {
  sweep_lane lane;
  sweep_input inputs[BIND_MAX_PORTS];
  sweep_output outputs[BIND_MAX_PORTS];
  const char *names[BIND_MAX_PORTS]; /* of the output columns; alive in the script's table */
  const char *units[BIND_MAX_PORTS];
} bind_lane;

typedef struct bind_sweep {
  lua_State *L;
  sweep_engine engine;
  sweep_axes axes;
  size_t *keep;     /* axes.keep, owned */
  int names;        /* stack index of the list of field names of the sample before */
  int body;         /* stack index of the function of a sample, 0: the fast lane */
  int seeder;       /* stack index of math.randomseed */
  int watcher;      /* stack index of progress(done, n), 0: none */
  int message;      /* stack index of what watch said when it failed */
  lua_Integer seed; /* of its random samples */
  sweep_bytes *out; /* where the sample that is running puts its result */
  bind_lane *lane;  /* owned by a userdata on the stack */
} bind_sweep;

/* a sweep whose memory goes with the Lua stack, whatever happens */
bind_sweep *bind_sweep_push(lua_State *L);

/* fields of a table of options */
lua_Integer bind_integer_field(lua_State *L, int index, const char *name, lua_Integer otherwise);
int bind_flag_field(lua_State *L, int index, const char *name);

/* samples of a unit of the fast lane: so few that a killed worker loses 1/4000 of the whole at
 * most, so many that handing them out costs nothing; the same for every run of a sweep */
size_t bind_lane_block(size_t samples);

/* pushes {done =, failed =, lost =, interrupted =, complete =, terminated =, watch_error =} */
void bind_sweep_info(lua_State *L, const bind_sweep *s, int interrupted);

void bind_open_sweep_merge(lua_State *L); /* by bind_open_sweep */

/* the body of a sweep that calls a function for each sample */
void bind_sweep_sample(void *self, size_t i, sweep_bytes *out);

/* Reads {model =, law =, inputs =, outputs =} on top of the stack, pushes a lane as userdata. Axes
 * are numbered as in `axes`. Raises what is wrong. */
bind_lane *bind_lane_push(lua_State *L, const sweep_axes *axes);

/* The parameter called `key` of the model at `of_model` (unless of = "law"), else of the law at
 * `of_law` (unless of = "model"), as the script gave it: "mu.foot" is an entry of a list by name.
 * 0: there is none. */
int bind_lane_input(lua_State *L, int of_model, int of_law, const char *of, const char *key,
                    sweep_input *in);

/* a figure of the hit, or a group of the model's speeds; 0 when the key is neither */
int bind_lane_output(const model *m, const char *key, sweep_output *o);
/* which of them a wrong key was meant to be, as bind_guess_text */
void bind_lane_guess(const model *m, const char *key, char *text, size_t size);
core_status bind_lane_columns(const bind_lane *lane, record_table *t); /* adds the outputs */
void bind_lane_unit(void *self, size_t i, sweep_bytes *out);

/* reads {samples =, keep =, {values, inner} ...} at index into s->axes */
void bind_sweep_axes(lua_State *L, int index, bind_sweep *s);

#endif
