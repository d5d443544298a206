/* Ctrl-C stops any script: in a coroutine, inside pcall, and in C loops that poll.
 *
 * The signal handler raises core_interrupt_flag and arms a debug hook on the running coroutine;
 * without a signal there is no hook and no cost. Which coroutine runs is known because resume,
 * wrap and close are ours (coroutine.c). The flag then goes through these stages:
 *
 *   CORE_INTERRUPT_ASKED    nobody has reacted yet
 *   CORE_INTERRUPT_RAISED   one error was raised; scripts have half a second to tidy up
 *   CORE_INTERRUPT_ENDING   every instruction raises, so that no pcall keeps the script alive
 *
 * C code that has an answer all the same may take it instead (core_interrupt_take). Libraries that
 * never look (LAPACK, Lua's patterns, a write to a slow disk) are given up after two seconds, or at
 * once by another Ctrl-C: the process ends, and a session goes on in its spare (spare.h).
 *
 * SIGTERM and SIGHUP do the same while a script runs, but no C code takes them, and the process
 * ends by them when all has tidied up.
 */
#ifndef HOST_INTERRUPT_H
#define HOST_INTERRUPT_H

#include <lua.h>

/* from here on Ctrl-C interrupts L (a main state) and what it resumes */
void host_interrupt_begin(lua_State *L);

/* Ctrl-C has its default meaning again; returns 1 when the run was interrupted */
int host_interrupt_end(lua_State *L);

/* 1 when C code took an interruption in any call so far: the run is not what it should be */
int host_interrupt_taken(void);

/* What a Ctrl-C does while another one is under way. In a session the second only says what the
 * third will do. */
enum {
  HOST_KILLS,         /* ends the process */
  HOST_ENDS_SESSION,  /* a session without a spare: says so first */
  HOST_GIVES_UP_LINE, /* a session with a spare: says so first */
};
void host_interrupt_patience(int what);

/* what the resumer does around lua_resume: returns the one that was running before */
lua_State *host_interrupt_switch(lua_State *to);

/* replaces resume, wrap and close in the coroutine library */
void host_open_coroutine(lua_State *L);

#endif
