# preloaded into knock by tests/cli: what would a script do that has broken out of Lua; and a kernel
# that cannot hold one
add_library(escape MODULE fault/escape.c)
set_target_properties(escape PROPERTIES PREFIX "")
add_executable(without fault/without.c)
