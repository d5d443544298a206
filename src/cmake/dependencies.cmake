# Outside packages: Lua 5.4, LAPACKE, and (for the tests) Unity.
find_package(PkgConfig REQUIRED)
pkg_search_module(LUA REQUIRED IMPORTED_TARGET lua5.4 lua-5.4 lua54)

# Reference LAPACK from its archives: no shared objects to load at start, no BLAS threads.
add_library(knock_lapack INTERFACE)
if(KNOCK_STATIC_LAPACK)
  find_library(LAPACKE_A NAMES liblapacke.a)
  find_library(LAPACK_A NAMES liblapack.a PATH_SUFFIXES lapack)
  find_library(BLAS_A NAMES libblas.a PATH_SUFFIXES blas)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libgfortran.a
                  OUTPUT_VARIABLE GFORTRAN_A OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libquadmath.a
                  OUTPUT_VARIABLE QUADMATH_A OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(LAPACKE_A AND LAPACK_A AND BLAS_A AND EXISTS "${GFORTRAN_A}" AND EXISTS "${QUADMATH_A}")
  target_link_libraries(knock_lapack INTERFACE ${LAPACKE_A} ${LAPACK_A} ${BLAS_A} ${GFORTRAN_A}
                        ${QUADMATH_A} m)
  set(KNOCK_LAPACK_KIND "reference, static")
else()
  find_library(LAPACKE_SO NAMES lapacke REQUIRED)
  target_link_libraries(knock_lapack INTERFACE ${LAPACKE_SO} m)
  set(KNOCK_LAPACK_KIND "system, shared")
endif()
find_path(LAPACKE_INCLUDE lapacke.h REQUIRED)
target_include_directories(knock_lapack INTERFACE ${LAPACKE_INCLUDE})
