#include "host/command.h"

#include <string.h>

static const host_command commands[] = {
    {"help", "[topic]", "show this, or what a topic is: knock help ball", "knock.command.help"},
    {"list", "", "models, laws and scenarios", "knock.command.list"},
    {"merge", "FILE...", "join the journals of a sweep's shards", "knock.command.merge"},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

const host_command *host_command_find(const char *word) {
  for (int i = 0; i < COMMANDS; i++)
    if (!strcmp(commands[i].name, word)) return &commands[i];
  return NULL;
}

void host_commands_usage(FILE *out) {
  fputs("\nCommands:\n", out);
  for (int i = 0; i < COMMANDS; i++) {
    char head[40];
    snprintf(head, sizeof head, "%s %s", commands[i].name, commands[i].args);
    fprintf(out, "  %-18s %s\n", head, commands[i].doc);
  }
}
