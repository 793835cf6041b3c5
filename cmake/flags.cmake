# SPDX-License-Identifier: MIT
# One interface target holds how every file of the project is compiled.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()
# Assertions stay on: they detect callers that violate a rule, and none is in an inner loop.
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")
if(BUILD_TESTING)
  # The lines of a backtrace and no more: a fifth of the time of a compilation. The code is the same.
  set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g1")
endif()
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(flags INTERFACE)
target_compile_definitions(flags INTERFACE _GNU_SOURCE)
# No contraction of a*b+c: a replay must give the bits of the run, whatever the compiler.
# clang's -Wdouble-promotion also objects to NAN and INFINITY, which are float in math.h; gcc sees the same code.
# From clang 19 on its -Wconversion objects to a whole number written as an enumerator that meets a double: constants are
# enumerators throughout, and every int is a double exactly.
target_compile_options(flags INTERFACE -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                       -Wvla $<$<C_COMPILER_ID:GNU>:-Wdouble-promotion>
                                       $<$<C_COMPILER_ID:Clang>:-Wno-enum-float-conversion> $<$<BOOL:${IFD_WERROR}>:-Werror>)
# gcc's -O2 alone leaves loops of unknown length scalar. No sum is reordered by this: the bits stay.
target_compile_options(flags INTERFACE $<$<C_COMPILER_ID:GNU>:-ftree-vectorize> $<$<C_COMPILER_ID:GNU>:-fvect-cost-model=dynamic>)
# Not of `flags`: tests break what is constant, and switch it off.
add_compile_options(-Wcast-qual)
# A library that is linked but not used does not become a need of the product.
target_link_options(flags INTERFACE -Wl,--as-needed)
if(IFD_SANITIZE)
  # -g1: the lines that a report names, and no more.
  add_compile_options(-fsanitize=${IFD_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${IFD_SANITIZE})
  # Half the time of the longest compilations: in long functions the checks of addresses are called instead of inserted. The plain
  # kernels and lanes, the same templates without vectors, have every check.
  set(vectors -O1)
  if(IFD_SANITIZE MATCHES "address.*undefined")
    list(APPEND vectors -fno-sanitize=undefined "$<$<C_COMPILER_ID:Clang>:-mllvm;-asan-instrumentation-with-call-threshold=500>")
  endif()
  set_source_files_properties(src/algebra/kernels_avx2.c src/algebra/kernels_avx512.c src/algebra/lanes_avx2.c
                              src/algebra/lanes_avx512.c PROPERTIES COMPILE_OPTIONS "${vectors}")
else()
  target_link_options(flags INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>:-Wl,-z,defs>)
endif()
if(IFD_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
