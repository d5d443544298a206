/* The command line: what stock lua takes, and knock's own long options.
 *
 * Short options are lua's: -e -l -i -v -E -W - --. A long option is one row of the table in
 * options.c and one name in host_long. Options end at the script (or command) name.
 */
#ifndef HOST_OPTIONS_H
#define HOST_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

typedef enum host_long {
  HOST_HELP,
  HOST_VERSION,
  HOST_LAX,
  HOST_NO_INIT,
  HOST_JOBS,
  HOST_RESUME,
  HOST_SHARD,
  HOST_JOIN,
  HOST_SEED,
  HOST_OUT,
  HOST_TERM,
  HOST_MEM_LIMIT,
  HOST_CPU_LIMIT,
  HOST_SANDBOX,
  HOST_LONG_COUNT
} host_long;

typedef struct host_options {
  int argc;
  char **argv;
  int script;         /* index of the script or command in argv; argc when there is none */
  int interactive;    /* -i */
  int banner;         /* -v or -i */
  int no_environment; /* -E */
  int has_code;       /* -e was given */
  const char *given[HOST_LONG_COUNT]; /* NULL: not given; "": a flag; otherwise the value */
  size_t mem_limit;                   /* bytes, 0: none */
  long cpu_limit;                     /* s for each process, 0: none */
} host_options;

/* 0, or -1 with the complaint in `problem`: "unrecognized option '-x'" */
int host_options_parse(host_options *o, int argc, char **argv, char *problem, size_t size);

/* the name of a long option without its dashes, for the table that scripts see */
const char *host_option_name(host_long which);

/* "--mem-limit SIZE" into text; and what it does, for help */
void host_option_usage(host_long which, char *text, size_t size);
const char *host_option_doc(host_long which);

void host_options_usage(FILE *out);

#endif
