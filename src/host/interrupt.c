#include "host/interrupt.h"

#include <lauxlib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/interrupt.h"

enum { ALL_EVENTS = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT };

static const double GRACE = 0.5; /* s, between the first error and no mercy */
enum { DEAF = 2 };               /* s, between a Ctrl-C and giving up what does not listen */

/* a signal handler has no context, so these must be global */
static lua_State *volatile running;
static volatile double deadline; /* s, end of the grace; 0: not set */
static int taken;                /* an interruption was taken in an earlier call */

static void hook(lua_State *L, lua_Debug *ar);

/* sets the hook that the present stage wants */
static void arm(lua_State *L) {
  if (core_interrupt_flag == CORE_INTERRUPT_RAISED)
    lua_sethook(L, hook, LUA_MASKCOUNT, 1000);
  else
    lua_sethook(L, hook, ALL_EVENTS, 1);
}

static int raise_interrupted(lua_State *L) {
  luaL_where(L, 0);
  lua_pushliteral(L, "interrupted!");
  lua_concat(L, 2);
  return lua_error(L);
}

static void hook(lua_State *L, lua_Debug *ar) {
  (void)ar;
  switch (core_interrupt_flag) {
    case CORE_INTERRUPT_ASKED:
    case CORE_INTERRUPT_AGAIN:
      core_interrupt_flag = CORE_INTERRUPT_RAISED;
      deadline = core_seconds() + GRACE;
      arm(L);
      raise_interrupted(L);
      return;
    case CORE_INTERRUPT_RAISED:
      if (deadline == 0) deadline = core_seconds() + GRACE;
      if (core_seconds() >= deadline) core_interrupt_flag = CORE_INTERRUPT_ENDING;
      arm(L);
      return;
    case CORE_INTERRUPT_ENDING:
      arm(L);
      raise_interrupted(L);
      return;
    default: lua_sethook(L, NULL, 0, 0); /* it is over, or somebody took it */
  }
}

static volatile sig_atomic_t patience; /* what a Ctrl-C that nobody listened to does: HOST_... */
static pid_t owner;                    /* the process that gives up; workers of sweeps do not */

void host_interrupt_patience(int what) {
  patience = what;
}

/* nobody listened to the first: in a session this one says what the next one does */
static int warned(void) {
  static const char lost[] =
      "\nknock: still busy in a library; Ctrl-C once more ends the session\n";
  static const char back[] =
      "\nknock: still busy in a library; Ctrl-C once more gives this line up at once, and the "
      "session is as it was before the line\n";
  int spare = patience == HOST_GIVES_UP_LINE;
  if (patience == HOST_KILLS) return 0;
  patience = HOST_KILLS;
  return write(STDERR_FILENO, spare ? back : lost, (spare ? sizeof back : sizeof lost) - 1) > 0;
}

static volatile sig_atomic_t ended_by; /* SIGTERM, SIGHUP: the process is to end */

static void die_of(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

/* the process ends as by a signal that nobody caught; a session has a spare (spare.h) */
static void give_up(void) {
  die_of(ended_by ? ended_by : SIGINT);
}

/* the last of all exit handlers: the first that was asked for */
static void at_exit(void) {
  if (!ended_by || getpid() != owner) return;
  fflush(NULL);
  die_of(ended_by);
}

/* DEAF s after a Ctrl-C: has anybody listened? A session that would be lost waits for more. */
static void on_alarm(int number) {
  (void)number;
  int deaf =
      core_interrupt_flag == CORE_INTERRUPT_ASKED || core_interrupt_flag == CORE_INTERRUPT_AGAIN;
  if (!deaf || patience == HOST_ENDS_SESSION || getpid() != owner) return;
  if (core_interrupt_listening)
    alarm(DEAF);
  else
    give_up();
}

/* the flag is up: who runs looks at it, and is given up when nobody does */
static void watch_running(void) {
  deadline = 0;
  lua_State *L = running;
  if (L) lua_sethook(L, hook, ALL_EVENTS, 1);
  alarm(DEAF);
}

static void on_signal(int number) {
  (void)number;
  if (core_interrupted() && warned()) return;
  if (core_interrupted()) { /* nobody listened: this one kills */
    give_up();
    return;
  }
  core_interrupt_flag = core_interrupt_flag ? CORE_INTERRUPT_AGAIN : CORE_INTERRUPT_ASKED;
  watch_running();
}

/* As Ctrl-C that nobody can take: scripts tidy up, files under way are taken away. Then the process
 * ends by that signal, at once when it comes a second time. */
static void on_end(int number) {
  if (ended_by || getpid() != owner) {
    die_of(number);
    return;
  }
  ended_by = number;
  patience = HOST_KILLS;
  if (core_interrupt_flag < CORE_INTERRUPT_RAISED) core_interrupt_flag = CORE_INTERRUPT_AGAIN;
  watch_running();
}

/* --cpu-limit is reached: as Ctrl-C, and a few seconds later the kernel kills */
static void on_time(int number) {
  static const char words[] = "knock: the limit of computing time is reached (--cpu-limit)\n";
  (void)number;
  if (write(STDERR_FILENO, words, sizeof words - 1) < 0) _exit(1);
  if (!core_interrupted()) on_signal(SIGINT);
}

lua_State *host_interrupt_switch(lua_State *to) {
  lua_State *before = running;
  running = to;
  if (core_interrupted() && to) {
    if (lua_gethook(to) != hook || core_interrupt_flag != CORE_INTERRUPT_RAISED) arm(to);
  }
  return before;
}

/* what ends a process, unless it is ignored (nohup): handled, or as by default */
static void handle_ends(int handled) {
  static const int ends[] = {SIGTERM, SIGHUP};
  struct sigaction ours = {.sa_handler = on_end}, none = {.sa_handler = SIG_DFL}, old;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    sigaction(ends[i], NULL, &old);
    if (old.sa_handler == (handled ? SIG_DFL : on_end))
      sigaction(ends[i], handled ? &ours : &none, NULL);
  }
}

void host_interrupt_begin(lua_State *L) {
  struct sigaction action = {.sa_handler = on_signal}, old;
  if (!owner) atexit(at_exit);
  running = L;
  deadline = 0;
  owner = getpid();
  core_interrupt_flag = 0;
  core_interrupt_listening = 0;
  sigaction(SIGINT, NULL, &old);
  if (old.sa_handler != SIG_IGN) sigaction(SIGINT, &action, NULL);
  action.sa_flags = SA_RESTART;
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, NULL);
  action.sa_flags = 0;
  action.sa_handler = on_time;
  sigaction(SIGXCPU, &action, NULL);
  handle_ends(1);
}

int host_interrupt_end(lua_State *L) {
  struct sigaction action = {.sa_handler = SIG_DFL}, old;
  sigaction(SIGINT, NULL, &old);
  if (old.sa_handler == on_signal) sigaction(SIGINT, &action, NULL);
  handle_ends(0);
  alarm(0);
  if (ended_by) exit(128 + ended_by);
  running = NULL;
  int interrupted = core_interrupted();
  taken |= core_interrupt_flag == CORE_INTERRUPT_TAKEN;
  core_interrupt_flag = 0;
  if (lua_gethook(L) == hook) lua_sethook(L, NULL, 0, 0);
  return interrupted;
}

int host_interrupt_taken(void) {
  return taken;
}
