/* Errors from C: plain strings for scripts, with the status kept for the host's exit code. */
#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

#include "bind/bind.h"
#include "core/interrupt.h"
#include "unity.h"

static lua_State *L;

/* fail(status, text) as a binding would */
static int fail(lua_State *state) {
  core_error err;
  core_fail(&err, (core_status)luaL_checkinteger(state, 1), "%s", luaL_checkstring(state, 2));
  return bind_raise(state, &err);
}

void setUp(void) {
  L = luaL_newstate();
  bind_begin(L);
  luaL_openlibs(L);
  lua_register(L, "fail", fail);
#define SET_GLOBAL(name, word, text)                                                               \
  lua_pushinteger(L, name);                                                                        \
  lua_setglobal(L, #name + 5);
  CORE_STATUS_LIST(SET_GLOBAL) /* SINGULAR = CORE_SINGULAR ... */
}

void tearDown(void) {
  lua_close(L);
  core_interrupt_flag = 0;
}

/* runs code and gives the message of the error that ended it */
static const char *message_of(const char *code, const char *name) {
  TEST_ASSERT_EQUAL(LUA_OK, luaL_loadbuffer(L, code, strlen(code), name));
  TEST_ASSERT_EQUAL(LUA_ERRRUN, lua_pcall(L, 0, 0, 0));
  TEST_ASSERT_EQUAL(LUA_TSTRING, lua_type(L, -1));
  return lua_tostring(L, -1);
}

static void a_raised_error_is_a_string_with_the_line(void) {
  const char *message = message_of("\n\nfail(SINGULAR, 'the mass is singular')", "@x.lua");
  TEST_ASSERT_EQUAL_STRING("x.lua:3: the mass is singular", message);
  TEST_ASSERT_EQUAL(CORE_SINGULAR, bind_status_of(L, message));
}

static void the_status_survives_catching_and_throwing_again(void) {
  const char *message = message_of("local ok, e = pcall(fail, JAM, 'it jams') assert(not ok)\n"
                                   "error('while running: ' .. e)",
                                   "@x.lua");
  TEST_ASSERT_EQUAL(CORE_JAM, bind_status_of(L, message));
}

static void a_coroutine_passes_it_on(void) {
  const char *message =
      message_of("coroutine.wrap(function() fail(NO_TOOL, 'no gnuplot') end)()", "@x");
  TEST_ASSERT_EQUAL(CORE_NO_TOOL, bind_status_of(L, message));
}

static void another_error_later_has_no_status(void) {
  const char *message = message_of("pcall(fail, JAM, 'it jams') error 'mine'", "@x.lua");
  TEST_ASSERT_EQUAL(CORE_OK, bind_status_of(L, message));
}

static void the_line_is_the_scripts_not_that_of_our_own_lua(void) {
  static const char own[] = "return function() fail(BAD_INPUT, 'bad mass') end";
  TEST_ASSERT_EQUAL(LUA_OK, luaL_loadbuffer(L, own, strlen(own), "=knock.sugar"));
  lua_call(L, 0, 1);
  lua_setglobal(L, "sugar");
  TEST_ASSERT_EQUAL_STRING("x.lua:2: bad mass", message_of("\nsugar()", "@x.lua"));
}

static void an_interruption_stays_until_the_host_ends_it(void) {
  core_interrupt_flag = CORE_INTERRUPT_ASKED;
  const char *message = message_of("fail(INTERRUPTED, '')", "@x.lua");
  TEST_ASSERT_EQUAL_STRING("x.lua:1: interrupted", message);
  TEST_ASSERT_EQUAL(CORE_INTERRUPT_RAISED, core_interrupt_flag);
  TEST_ASSERT_TRUE(core_interrupted());
}

static void only_the_first_interruption_can_be_taken(void) {
  core_interrupt_flag = CORE_INTERRUPT_ASKED;
  TEST_ASSERT_EQUAL(1, core_interrupt_take());
  TEST_ASSERT_FALSE(core_interrupted());
  core_interrupt_flag = CORE_INTERRUPT_AGAIN;
  TEST_ASSERT_EQUAL(0, core_interrupt_take());
  TEST_ASSERT_TRUE(core_interrupted());
}

static void nothing_raised_means_no_status(void) {
  TEST_ASSERT_EQUAL(CORE_OK, bind_status_of(L, "anything"));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(a_raised_error_is_a_string_with_the_line);
  RUN_TEST(the_status_survives_catching_and_throwing_again);
  RUN_TEST(a_coroutine_passes_it_on);
  RUN_TEST(another_error_later_has_no_status);
  RUN_TEST(the_line_is_the_scripts_not_that_of_our_own_lua);
  RUN_TEST(an_interruption_stays_until_the_host_ends_it);
  RUN_TEST(only_the_first_interruption_can_be_taken);
  RUN_TEST(nothing_raised_means_no_status);
  return UNITY_END();
}
