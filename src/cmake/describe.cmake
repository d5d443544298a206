# writes HEADER with what `git describe` says about SOURCE, only when that has changed
execute_process(COMMAND git -C ${SOURCE} describe --tags --always --dirty
                OUTPUT_VARIABLE describe OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(text "#define KNOCK_DESCRIBE \"${describe}\"\n")
set(before "")
if(EXISTS ${HEADER})
  file(READ ${HEADER} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${HEADER} ${text})
endif()
