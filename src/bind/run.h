/* The answer to k.simulate: the run itself is C's, all else is computed when it is asked for. */
#ifndef BIND_RUN_H
#define BIND_RUN_H

#include <lua.h>

#include "bind/bind.h"
#include "sim/sim.h"

/* user values; the cache is a table: "events", "columns" */
enum { BIND_RUN_MODEL = 1, BIND_RUN_LAW, BIND_RUN_CALLS, BIND_RUN_CACHE };

typedef struct bind_run {
  const void *is;   /* names the type, see bind_object_of */
  sim_run *r;       /* NULL until it is there */
  int samples;      /* evenly spaced rows of run.t, run.q ...; besides the events */
  const char *note; /* what is true of the whole run, or NULL */
} bind_run;

/* pushes an empty run, safe to collect; model, law and calls are the values at those indices */
bind_run *bind_run_new(lua_State *L, int model_index, int law_index, int calls_index);
bind_run *bind_run_check(lua_State *L, int index, const char *who);

/* run_call.c: functions of the script that a simulation calls. Pushes a userdata that keeps them
 * and fills in watches, force and force_self; the options are at `index`. */
void bind_run_calls(lua_State *L, int index, const model *m, sim_options *o);

/* run_live.c: pushes what draws while the run goes on (nil without `live`) and sets it in the
 * options; `end` draws the last picture */
void bind_run_live(lua_State *L, int index, int model_index, const model *m, sim_options *o);
void bind_run_live_end(lua_State *L, int index);

/* run_progress.c: pushes what tells how far a long run is, and sets it in the options */
void bind_run_progress(lua_State *L, sim_options *o);
void bind_run_progress_end(lua_State *L, int index);
void bind_open_run_progress(void);

/* run_event.c: pushes the list of events; the run is at index 1 */
void bind_run_events(lua_State *L, const bind_run *b);
void bind_open_run_events(lua_State *L);       /* core, with impact in it, is on top */
const char *bind_run_mode_word(sim_mode mode); /* of a contact that starts */

/* run_table.c: pushes the events as a table of columns */
void bind_run_event_table(lua_State *L, const sim_run *r);

/* run_column.c: pushes a table of columns at n even times and at all events */
void bind_run_columns(lua_State *L, const bind_run *b, int samples);

/* run_field.c: pushes a field by its name; 0 when there is none. The run is at index 1 */
int bind_run_field(lua_State *L, const bind_run *b, const char *name);
void bind_run_at(lua_State *L, const bind_run *b, double t, int before);
extern const char *const bind_run_fields[]; /* ends with NULL */

void bind_run_document(lua_State *L); /* its fields, for help */

#endif
