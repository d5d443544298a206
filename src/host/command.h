/* Commands: `knock list`, `knock help` ... Each is one row of the table and one Lua file.
 *
 * A word is a command only when it has no slash and does not end in .lua: `knock ./list` and
 * `knock list.lua` are always scripts.
 */
#ifndef HOST_COMMAND_H
#define HOST_COMMAND_H

#include <stdio.h>

typedef struct host_command {
  const char *name;   /* the word */
  const char *args;   /* "[paper]", for the usage */
  const char *doc;    /* one line */
  const char *module; /* Lua module that returns a function(...) -> exit status or nil */
} host_command;

const host_command *host_command_find(const char *word); /* or NULL */
const char *host_command_nearest(const char *word);      /* a name that looks alike, or NULL */
void host_commands_usage(FILE *out);

#endif
