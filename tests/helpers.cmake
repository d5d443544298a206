# Names of tests of the sanitizer build start with "asan.", so that ./knock test can run both
# builds as one suite.
if(KNOCK_SANITIZE)
  set(knock_prefix "asan.")
  set(slower ${CMAKE_COMMAND} -E env KNOCK_TEST_SLOWER=1) # for tests that look at the clock
endif()

# knock_test(<name> <label> <seconds> command...): one CTest case; run from the build folder. Those
# that tend to take long start first, so that no core waits for them at the end. The sanitizer build
# leaves out what is slow or a benchmark.
function(knock_test name labels seconds)
  if(KNOCK_SANITIZE AND labels MATCHES "slow|bench")
    return()
  endif()
  add_test(NAME ${knock_prefix}${name} COMMAND ${ARGN})
  set_tests_properties(${knock_prefix}${name} PROPERTIES LABELS "${labels}" TIMEOUT ${seconds})
  if(labels MATCHES "cli|slow")
    set_tests_properties(${knock_prefix}${name} PROPERTIES COST 10)
  endif()
endfunction()

# knock_unit(<name> [SLOW] [BENCH] [VALGRIND] [libraries...]): tests/test_<name>.c as one case with
# the label `unit`. VALGRIND adds a second case valgrind.unit.<name>.
function(knock_unit name)
  cmake_parse_arguments(ARG "SLOW;BENCH;VALGRIND" "" "" ${ARGN})
  set(labels unit)
  foreach(word SLOW BENCH)
    if(ARG_${word})
      string(TOLOWER ${word} label)
      list(APPEND labels ${label})
    endif()
  endforeach()
  add_executable(test_${name} test_${name}.c)
  target_link_libraries(test_${name} PRIVATE unity ${ARG_UNPARSED_ARGUMENTS})
  knock_test(unit.${name} "${labels}" 300 test_${name})
  if(ARG_VALGRIND)
    knock_valgrind(unit.${name} $<TARGET_FILE:test_${name}>)
  endif()
endfunction()

# knock_valgrind(<name> command...): the command under valgrind; errors and leaks fail
find_program(VALGRIND valgrind)
function(knock_valgrind name)
  if(VALGRIND AND NOT KNOCK_SANITIZE)
    knock_test(valgrind.${name} "valgrind;slow" 300 ${VALGRIND} -q --error-exitcode=99
               --leak-check=full --errors-for-leak-kinds=definite,indirect ${ARGN})
  endif()
endfunction()

# knock_lua(<kind> <file>): a Lua file of tests, run by knock itself
function(knock_lua kind file)
  string(REGEX REPLACE ".*/test_(.*)\\.lua" "\\1" name ${file})
  file(STRINGS ${file} first LIMIT_COUNT 1)
  set(labels ${kind})
  if(first MATCHES "^-- labels: (.*)")
    string(REGEX MATCHALL "[a-z]+" more "${CMAKE_MATCH_1}")
    list(APPEND labels ${more})
  endif()
  knock_test(${kind}.${name} "${labels}" 300 ${slower} $<TARGET_FILE:knock>
             ${CMAKE_SOURCE_DIR}/tests/lua/runner.lua ${file})
endfunction()

# knock_long(<name> <file>): the same file with KNOCK_TEST_LONG=1, where loops are exhaustive. Only
# ./knock test --long runs these.
function(knock_long name file)
  knock_test(${name} "slow;long" 7200 ${CMAKE_COMMAND} -E env KNOCK_TEST_LONG=1 $<TARGET_FILE:knock>
             ${CMAKE_SOURCE_DIR}/tests/lua/runner.lua ${CMAKE_SOURCE_DIR}/${file})
endfunction()

# knock_budget(<name> <most> <function> command...): the command takes at most so many instructions inside the function;
# the budget is a good day's count + 10 %
function(knock_budget name most function)
  if(VALGRIND AND NOT KNOCK_SANITIZE)
    knock_test(budget.${name} "budget;slow" 120 ${CMAKE_CURRENT_SOURCE_DIR}/bench/budget_of.sh ${most} ${function} ${ARGN})
  endif()
endfunction()
