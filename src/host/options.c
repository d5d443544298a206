#include "host/options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "bind/object.h"
#include "core/param.h"
#include "host/command.h"

typedef struct long_option {
  const char *name;
  const char *value; /* what it takes, NULL for a flag; "=WHAT": a flag that can take it */
  const char *doc;
} long_option;

static const long_option long_options[HOST_LONG_COUNT] = {
    [HOST_HELP] = {"help", NULL, "show this and stop"},
    [HOST_VERSION] = {"version", NULL, "show versions, the LAPACK behind it and gnuplot, and stop"},
    [HOST_LAX] = {"lax", NULL, "reading an undefined global gives nil, as in stock lua"},
    [HOST_NO_INIT] = {"no-init", NULL, "sessions do not run the start-up file"},
    [HOST_JOBS] = {"jobs", "N", "workers of a sweep; all cores by default"},
    [HOST_RESUME] = {"resume", NULL, "sweeps go on where they were stopped"},
    [HOST_SHARD] = {"shard", "I/N", "sweeps run the I-th of N parts; `knock merge` joins them"},
    [HOST_JOIN] = {"join", NULL,
                   "sweeps share their work with all who join, on any machine: knock help cluster"},
    [HOST_SEED] = {"seed", "N", "seed of sweeps that do not set their own"},
    [HOST_OUT] = {"out", "DIR", "folder for figures; it is made when it is not there"},
    [HOST_TERM] = {"term", "FORMATS",
                   "formats of figures: pdf, svg, png, tex, txt (or dumb); several with commas"},
    [HOST_MEM_LIMIT] = {"mem-limit", "SIZE",
                        "at most SIZE bytes (64M, 2G) for Lua and C, in each process"},
    [HOST_CPU_LIMIT] = {"cpu-limit", "SEC", "stop after SEC seconds of computing, in each process"},
    [HOST_SANDBOX] = {"sandbox", "=lua",
                      "no programs, no files elsewhere, for scripts of others: knock help sandbox"},
};

static const char short_options[] =
    "  -e CODE            run CODE\n"
    "  -l MOD, -l G=MOD   require MOD into a global of its name, or into G\n"
    "  -i                 enter the interactive mode after the script\n"
    "  -v                 show the version\n"
    "  -E                 ignore environment variables\n"
    "  -W                 turn warnings on\n"
    "  --                 stop handling options\n"
    "  -                  stop handling options and run standard input\n";

const char *host_option_name(host_long which) {
  return long_options[which].name;
}

void host_option_usage(host_long which, char *text, size_t size) {
  const char *name = long_options[which].name, *value = long_options[which].value;
  if (value && *value == '=')
    snprintf(text, size, "--%s[%s]", name, value);
  else
    snprintf(text, size, "--%s%s%s", name, value ? " " : "", value ? value : "");
}

const char *host_option_doc(host_long which) {
  return long_options[which].doc;
}

void host_options_usage(FILE *out) {
  fputs("usage: knock [options] [script [args]]\n"
        "       knock [options] command [args]\n"
        "Without a script: an interactive session, or standard input when it is no terminal.\n\n",
        out);
  fputs(short_options, out);
  for (int i = 0; i < HOST_LONG_COUNT; i++) {
    char name[32];
    host_option_usage(i, name, sizeof name);
    fprintf(out, "  %-18s %s\n", name, long_options[i].doc);
  }
  host_commands_usage(out);
  fputs("\nExit status: 0 ok, 1 error in the script, 2 wrong usage, 3 numerical failure,\n"
        "4 a needed program is missing, 130 interrupted.\n",
        out);
}

/* "64M" in bytes; 0 when it is no size */
static size_t parse_size(const char *text) {
  char *end;
  double size = strtod(text, &end);
  static const char units[] = "KMGT";
  const char *unit = *end ? strchr(units, *end & ~0x20) : NULL;
  if (unit && end > text) {
    for (const char *u = units; u <= unit; u++) size *= 1024;
    end++;
  }
  if (end > text && (*end & ~0x20) == 'B') end++;
  if (end == text || *end || !(size >= 1) || size > 1e15) return 0;
  return (size_t)size;
}

/* index of the long option whose name is text[0..length), or -1 */
static int find_long(const char *text, size_t length) {
  for (int i = 0; i < HOST_LONG_COUNT; i++)
    if (strlen(long_options[i].name) == length && !strncmp(long_options[i].name, text, length))
      return i;
  return -1;
}

/* the name that text[0..length) was meant to be, or NULL */
static const char *nearest_long(const char *text, size_t length) {
  char name[24];
  const char *best = NULL;
  if (length >= sizeof name) return NULL;
  memcpy(name, text, length);
  name[length] = '\0';
  int limit = bind_guess(name);
  for (int i = 0; i < HOST_LONG_COUNT; i++) {
    int d = core_distance(name, long_options[i].name, limit);
    if (d > limit) continue;
    best = long_options[i].name;
    limit = d - 1;
  }
  return best;
}

/* --name, --name value, --name=value at argv[i]; returns the last index used, or -1 */
static int parse_long(host_options *o, int i, char *problem, size_t size) {
  const char *word = o->argv[i];
  size_t length = strcspn(word + 2, "=");
  int which = find_long(word + 2, length);
  const char *value = word[2 + length] ? word + 3 + length : NULL;
  const char *takes = which < 0 ? NULL : long_options[which].value;
  if (which < 0 || (value && !takes)) {
    const char *near = which < 0 ? nearest_long(word + 2, length) : NULL;
    snprintf(problem, size,
             near ? "unrecognized option '%.80s' (did you mean '--%s'?)"
                  : "unrecognized option '%.80s'%s",
             word, near ? near : "");
    return -1;
  }
  int needed = takes && *takes != '=';
  if (!value && needed) value = o->argv[++i];
  if (!value && needed) {
    snprintf(problem, size, "'%s' needs argument", word);
    return -1;
  }
  o->given[which] = value ? value : "";
  return i;
}

/* one of lua's options at argv[i]; returns the last index used, or -1 */
static int parse_short(host_options *o, int i, char *problem, size_t size) {
  const char *word = o->argv[i];
  char letter = word[1];
  if (letter == 'e' || letter == 'l') {
    o->has_code |= letter == 'e';
    if (word[2]) return i;
    const char *next = o->argv[i + 1];
    if (next && next[0] != '-') return i + 1;
    snprintf(problem, size, "'%s' needs argument", word);
    return -1;
  }
  if (word[2] || !strchr("ivEWh", letter)) {
    snprintf(problem, size, "unrecognized option '%s'", word);
    return -1;
  }
  o->interactive |= letter == 'i';
  o->banner |= letter == 'i' || letter == 'v';
  o->no_environment |= letter == 'E';
  if (letter == 'h') o->given[HOST_HELP] = "";
  return i;
}

/* a whole number of at least `low`, and nothing else */
static int is_whole(const char *text, long long low) {
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  return end != text && !*end && !errno && value >= low;
}

/* "pdf,svg": the files that figures become, or how they are shown */
static int are_formats(const char *text) {
  static const char *const formats[] = {"pdf",  "svg",  "png",   "tex",   "txt",
                                        "dumb", "text", "sixel", "window"};
  for (const char *word = text;; word++) {
    size_t n = strcspn(word, ","), i = 0, count = sizeof formats / sizeof *formats;
    while (i < count && (strlen(formats[i]) != n || strncmp(formats[i], word, n))) i++;
    if (i == count) return 0;
    word += n;
    if (!*word) return 1;
  }
}

/* what is wrong with the values, or NULL; *which is the option */
static const char *bad_value(const host_options *o, host_long *which) {
  const char *const *given = o->given;
  *which = HOST_JOBS;
  if (given[HOST_JOBS] && !is_whole(given[HOST_JOBS], 0)) return "a whole number of at least 0";
  *which = HOST_SEED;
  if (given[HOST_SEED] && !is_whole(given[HOST_SEED], LLONG_MIN)) return "a whole number";
  *which = HOST_TERM;
  if (given[HOST_TERM] && !are_formats(given[HOST_TERM])) return "of pdf, svg, png, tex, txt, dumb";
  *which = HOST_MEM_LIMIT;
  if (given[HOST_MEM_LIMIT] && o->mem_limit < 1 << 20) return "a size of at least 1M";
  *which = HOST_CPU_LIMIT;
  if (given[HOST_CPU_LIMIT] && !is_whole(given[HOST_CPU_LIMIT], 1))
    return "whole seconds, at least 1";
  *which = HOST_SANDBOX;
  const char *kind = given[HOST_SANDBOX];
  if (kind && *kind && strcmp(kind, "lua")) return "alone, or 'lua'";
  return NULL;
}

static const size_t SANDBOX_MEMORY = (size_t)2 << 30; /* bytes, of a sandbox without --mem-limit */

static int parse_values(host_options *o, char *problem, size_t size) {
  const char *limit = o->given[HOST_MEM_LIMIT];
  const char *cpu = o->given[HOST_CPU_LIMIT];
  o->mem_limit = limit ? parse_size(limit) : o->given[HOST_SANDBOX] ? SANDBOX_MEMORY : 0;
  o->cpu_limit = cpu ? strtol(cpu, NULL, 10) : 0;
  host_long which;
  const char *expected = bad_value(o, &which);
  if (!expected) return 0;
  snprintf(problem, size, "--%s must be %s, got '%s'", host_option_name(which), expected,
           o->given[which]);
  return -1;
}

/* `knock script.lua -i`: a session afterwards; what comes before it are the script's arguments */
static void take_last_i(host_options *o) {
  if (o->script + 1 >= o->argc || strcmp(o->argv[o->argc - 1], "-i")) return;
  o->interactive = o->banner = 1;
  o->argc--;
}

int host_options_parse(host_options *o, int argc, char **argv, char *problem, size_t size) {
  *o = (host_options){.argc = argc, .argv = argv};
  int i = 1;
  for (; i < argc; i++) {
    const char *word = argv[i];
    if (word[0] != '-' || !word[1]) break; /* a script, or "-" for standard input */
    if (!strcmp(word, "--")) {
      i++;
      break;
    }
    i = word[1] == '-' ? parse_long(o, i, problem, size) : parse_short(o, i, problem, size);
    if (i < 0) return -1;
  }
  o->script = i < argc ? i : argc;
  take_last_i(o);
  return parse_values(o, problem, size);
}
