#include "host/command.h"

#include <string.h>

#include "core/param.h"

static const host_command commands[] = {
    {"gallery", "[-o DIR]", "every figure of the papers, and an index page",
     "knock.command.gallery"},
    {"help", "[topic]", "show this, or what a topic is: knock help ball", "knock.command.help"},
    {"list", "[--json]", "models, laws and scenarios", "knock.command.list"},
    {"tutorial", "", "ten steps from dropping a ball to a figure", "knock.command.tutorial"},
    {"reproduce", "[paper]", "every number the papers print, beside knock's",
     "knock.command.reproduce"},
    {"new", "FILE.lua", "write a starter scenario", "knock.command.new"},
    {"doctor", "", "what this machine has of what knock can use", "knock.command.doctor"},
    {"manual", "FORM", "the manual: man, markdown, luals, bash or zsh", "knock.command.manual"},
    {"merge", "FILE...", "join the journals of a sweep's shards", "knock.command.merge"},
    {"test", "", "pass the tests (in a checkout: ./knock test)", "knock.command.test"},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

const host_command *host_command_find(const char *word) {
  for (int i = 0; i < COMMANDS; i++)
    if (!strcmp(commands[i].name, word)) return &commands[i];
  return NULL;
}

const char *host_command_nearest(const char *word) {
  const char *best = NULL;
  int limit = strlen(word) < 4 ? 1 : 2;
  for (int i = 0; i < COMMANDS; i++) {
    int d = core_distance(word, commands[i].name, limit);
    if (d > limit) continue;
    best = commands[i].name;
    limit = d - 1;
  }
  return best;
}

void host_commands_usage(FILE *out) {
  fputs("\nCommands:\n", out);
  for (int i = 0; i < COMMANDS; i++) {
    char head[40];
    snprintf(head, sizeof head, "%s %s", commands[i].name, commands[i].args);
    fprintf(out, "  %-18s %s\n", head, commands[i].doc);
  }
}
