/* Commands: `knock list`, `knock help` ... Each is one row of the table and one Lua file.
 *
 * A word is a command only when it has no slash and does not end in .lua: `knock ./list` and
 * `knock list.lua` are always scripts.
 */
#ifndef HOST_COMMAND_H
#define HOST_COMMAND_H

#include <stdio.h>

typedef struct host_command {
  const char *name;    /* the word */
  const char *args;    /* "[paper]", for the list of commands */
  const char *doc;     /* one line */
  const char *module;  /* Lua module that returns a function(...) -> exit status or nil */
  const char *usage;   /* all its arguments; NULL: args says it */
  const char *about;   /* what it does, a paragraph */
  const char *options; /* one line each, two blanks before the meaning; NULL: none */
  const char *example; /* lines of a shell */
} host_command;

const host_command *host_command_find(const char *word); /* or NULL */
const char *host_command_nearest(const char *word);      /* a name that looks alike, or NULL */
const host_command *host_command_at(int i);              /* in order; NULL behind the last */
void host_commands_usage(FILE *out);

#endif
