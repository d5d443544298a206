#include "host/version.h"

#include <lua.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/lin.h"
#include "describe.h"

extern char **environ;

const char *host_version(void) {
  return KNOCK_VERSION;
}

const char *host_describe(void) {
  return KNOCK_DESCRIBE;
}

static void print_name(const char *after) {
  printf("knock %s", host_version());
  if (*host_describe()) printf(" (%s)", host_describe());
  fputs(after, stdout);
}

void host_version_banner(void) {
  print_name(", " LUA_RELEASE "\n");
  fflush(stdout);
}

/* Runs `tool --version` without a shell and keeps its first line; 0 when there is no such program
 */
static int tool_version(const char *tool, char *line, size_t size) {
  int ends[2];
  pid_t child;
  char *argv[] = {(char *)tool, "--version", NULL};
  if (pipe(ends)) return 0;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  int failed = posix_spawnp(&child, tool, &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  FILE *out = fdopen(ends[0], "r");
  if (!out || !fgets(line, (int)size, out)) *line = 0;
  line[strcspn(line, "\n")] = 0;
  if (out) fclose(out);
  if (!failed) waitpid(child, NULL, 0);
  return !failed && *line;
}

void host_version_report(void) {
  char gnuplot[128];
  print_name("\n");
  printf("Lua: %s.%s\n", LUA_VERSION_MAJOR "." LUA_VERSION_MINOR, LUA_VERSION_RELEASE);
  printf("LAPACK: %s\n", core_lin_backend());
  if (tool_version("gnuplot", gnuplot, sizeof gnuplot))
    printf("gnuplot: %s\n", gnuplot);
  else
    puts("gnuplot: not found (plots need it)");
}
