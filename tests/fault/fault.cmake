# preloaded into knock by tests/cli: what would a script do that has broken out of Lua; and a kernel
# that cannot hold one
add_library(escape MODULE fault/escape.c)
set_target_properties(escape PROPERTIES PREFIX "")
add_library(skew MODULE fault/skew.c)
set_target_properties(skew PROPERTIES PREFIX "")
target_link_libraries(skew PRIVATE ${CMAKE_DL_LIBS})
add_executable(without fault/without.c)

# every allocation, every call for input and output fails once: tests/cli/test_faults.lua
add_library(fault MODULE fault/fault.c fault/fault_calls.c)
set_target_properties(fault PROPERTIES PREFIX "")
target_link_libraries(fault PRIVATE ${CMAKE_DL_LIBS})
if(NOT KNOCK_SANITIZE)
  knock_long(cli.faults_long tests/cli/test_faults.lua)
  knock_long(cli.fuzz_long tests/cli/test_fuzz.lua)
endif()
