/* Options of k.impact, and the way from a model to a problem. */
#ifndef BIND_IMPACT_H
#define BIND_IMPACT_H

#include <lua.h>

#include "impact/assemble.h"

typedef struct bind_options {
  core_list contacts; /* indices from 1; n = 0: those that touch */
  double touch;       /* [m] */
  int status;         /* give a failed hit back instead of raising */
  int in_run;         /* contacts that are open close under load only */
} bind_options;

void bind_options_read(lua_State *L, int index, bind_options *o); /* raises */
void bind_options_free(bind_options *o);

/* W, v- and J of the contacts that take part; touch is set to what counts as closed. o may be NULL.
 */
core_status bind_set_up(const model *m, const law *l, const bind_options *o, double *touch,
                        core_scratch *s, impact_setup *setup, core_error *err);

#endif
