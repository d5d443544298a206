#include "host/command.h"

#include <string.h>

#include "bind/object.h"
#include "core/param.h"

static const host_command commands[] = {
    {"gallery", "[-o DIR]", "every figure of the papers, and an index page",
     "knock.command.gallery", .usage = "[-o DIR] [NAME...]",
     .about =
         "Runs the scenarios that draw figures and leaves each picture as SVG, PDF and PNG, with "
         "DIR/index.html that shows them all. With names, only scenarios whose name holds one of "
         "them. Ends with 1 when a scenario failed.",
     .options = "-o DIR, --out DIR  folder to write to, made when missing; gallery by default",
     .example = "knock gallery -o pictures\nknock gallery -o pictures y_fig1 show_"},
    {"help", "[topic]", "what a topic is: knock help ball; without one, this and the topics",
     "knock.command.help", .usage = "[TOPIC] [--json]",
     .about = "A topic is a model, a law, a function, a field, an option, a command, or one of "
              "those that `knock help` lists. In a session: help \"ball\" or ?ball.",
     .options = "--json  for machines: parameters, units and defaults",
     .example = "knock help ball\nknock help law.compliant\nknock help gallery"},
    {"list", "[--json]", "models, laws and scenarios", "knock.command.list",
     .about = "One line for each model, law and scenario.",
     .options = "--json  for machines: with parameters, units and defaults",
     .example = "knock list"},
    {"tutorial", "", "from dropping a ball to a figure, step by step", "knock.command.tutorial",
     .about = "Shows the tutorial: short pieces to type into a session, and what they print.",
     .example = "knock tutorial | less"},
    {"reproduce", "[paper]", "every number the papers print, beside knock's",
     "knock.command.reproduce", .usage = "[PAPER...] [--json | --markdown]",
     .about =
         "A table of printed | computed | difference | verdict for every number in the papers J "
         "(johnson), Y (jia), B (batlle), F (manipulator) and M (morgan), all of them by default. "
         "Ends with 1 when a verdict is not the expected one.",
     .options = "--json      for machines\n--markdown  as tables in Markdown",
     .example = "knock reproduce\nknock reproduce Y morgan --markdown >numbers.md"},
    {"new", "FILE.lua", "write a starter scenario", "knock.command.new",
     .about =
         "Writes a small scenario that runs, to be changed. A file that exists stays as it is.",
     .example = "knock new mine.lua\nknock mine.lua"},
    {"doctor", "", "what this machine has of what knock can use", "knock.command.doctor",
     .about =
         "Looks for gnuplot and its terminals, fonts, LAPACK, a folder that can be written and a "
         "UTF-8 locale, and says what to install. Ends with 4 when something is missing.",
     .example = "knock doctor"},
    {"manual", "FORM", "the manual: man, markdown, luals, bash or zsh", "knock.command.manual",
     .usage = "man|markdown|luals|bash|zsh",
     .about = "Prints the manual in one of its forms, all made from the same tables as the help.",
     .options = "man       the man page\nmarkdown  the reference\n"
                "luals     annotations for editors with the Lua language server\n"
                "bash      completion for bash\nzsh       completion for zsh",
     .example = "knock manual man | man -l -\nknock manual bash "
                ">~/.local/share/bash-completion/completions/knock"},
    {"merge", "FILE...", "join the journals of a sweep's shards", "knock.command.merge",
     .about =
         "A sweep whose result goes to FILE leaves a journal beside it for each --shard; when all "
         "parts are done, this writes FILE as one machine would have. See also: knock help "
         "cluster.",
     .example =
         "knock --shard 1/2 sweep.lua; knock --shard 2/2 sweep.lua\nknock merge results.csv"},
    {"submit", "SCRIPT", "run a sweep as an array of Slurm jobs: --slurm N", "knock.command.submit",
     .usage = "SCRIPT [ARGS] --slurm N [--cpus N] [--time T] [--partition P] [--dry-run] [-- ...]",
     .about =
         "Writes SCRIPT's job script beside it and submits an array of N jobs that share the "
         "sweep's work, and one that depends on them and merges. The script must have a sweep with "
         "a file, in a folder that all machines share. See also: knock help cluster.",
     .options = "--slurm N      jobs of the array\n--cpus N       cores of each, 1 by default\n"
                "--time T       time limit of each, as sbatch takes it\n--partition P  where\n"
                "--name NAME    name of the job\n--knock PATH   the program, `knock` by default\n"
                "--dry-run      print what would be submitted\n"
                "-- ...         the rest goes to sbatch as it is",
     .example = "knock submit sweep.lua --slurm 16 --cpus 8 --time 2:00:00"},
    {"watch", "FILE", "how far a sweep is that runs elsewhere", "knock.command.watch",
     .usage = "FILE [--once] [--plot X,Y]",
     .about =
         "Shows samples that are done and that failed, workers, chunks, rate and time left of the "
         "sweep whose result goes to FILE, every two seconds until it is done; while jobs run and "
         "after.",
     .options =
         "--once      show it once\n--plot X,Y  a figure of two columns, drawn anew each time",
     .example = "knock watch results.csv"},
    {"test", "", "run the tests (in a checkout: ./knock test)", "knock.command.test",
     .usage = "[--long] [CTEST OPTIONS]",
     .about =
         "Builds and runs the unit tests, the Lua tests and those of the program, in a checkout.",
     .options =
         "--long  also the loops that take hours: every allocation and every write fails once,\n"
         "        every function gets garbage, files are mutated\n"
         "-R lin  only tests of that name; other options go to ctest as well",
     .example = "./knock test\n./knock test --long -L long"},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

const host_command *host_command_find(const char *word) {
  for (int i = 0; i < COMMANDS; i++)
    if (!strcmp(commands[i].name, word)) return &commands[i];
  return NULL;
}

const char *host_command_nearest(const char *word) {
  const char *best = NULL;
  int limit = bind_guess(word);
  for (int i = 0; i < COMMANDS; i++) {
    int d = core_distance(word, commands[i].name, limit);
    if (d > limit) continue;
    best = commands[i].name;
    limit = d - 1;
  }
  return best;
}

const host_command *host_command_at(int i) {
  return i < COMMANDS ? &commands[i] : NULL;
}

void host_commands_usage(FILE *out) {
  fputs("\nCommands:\n", out);
  for (int i = 0; i < COMMANDS; i++) {
    char head[40];
    snprintf(head, sizeof head, "%s %s", commands[i].name, commands[i].args);
    fprintf(out, "  %-18s %s\n", head, commands[i].doc);
  }
}
