/* knock: Lua with impact mechanics in it. */
#include <errno.h>
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bind/bind.h"
#include "host/run.h"
#include "host/version.h"

/* What was printed must have arrived: a full disk is an error. A terminal is no disk: signals may
 * cut off what readline writes to it. */
static int flush_output(int code) {
  if (!fflush(stdout) && !ferror(stdout)) return code;
  int why = errno;
  if (isatty(STDOUT_FILENO)) return code;
  fprintf(stderr, "knock: cannot write the standard output: %s\n", strerror(why));
  return code ? code : HOST_SCRIPT_ERROR;
}

static int run_state(const host_options *o) {
  host_memory memory = {0};
  lua_State *L = host_memory_state(&memory);
  if (L) bind_begin(L);
  if (!L) {
    fputs("knock: not enough memory\n", stderr);
    return HOST_SCRIPT_ERROR;
  }
  host_memory_limit(&memory, L, o->mem_limit);
  int code = host_run(L, o, &memory);
  host_memory_close(&memory, L);
  return code;
}

int main(int argc, char **argv) {
  host_options options;
  char problem[256];
  if (host_options_parse(&options, argc, argv, problem, sizeof problem)) {
    fprintf(stderr, "knock: %s; knock --help lists what there is\n", problem);
    return HOST_USAGE;
  }
  int code = HOST_OK;
  if (options.given[HOST_HELP])
    host_options_usage(stdout);
  else if (options.given[HOST_VERSION])
    host_version_report();
  else
    code = run_state(&options);
  return flush_output(code);
}
