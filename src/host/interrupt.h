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
 * C code that has an answer all the same may take it instead (core_interrupt_take). A Ctrl-C while
 * another one is under way kills the process.
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

/* In a session the second Ctrl-C only says what the third will do: end it. */
void host_interrupt_patient(int patient);

/* what the resumer does around lua_resume: returns the one that was running before */
lua_State *host_interrupt_switch(lua_State *to);

/* replaces resume, wrap and close in the coroutine library */
void host_open_coroutine(lua_State *L);

#endif
