# SPDX-License-Identifier: MIT
# Every bench/*.c is a program of its own, built by the target benches only. The libraries compared against are used where
# they are found and reach the source as HAVE_CHOLMOD, HAVE_ARKODE, HAVE_PETSC. CHOLMOD's fast modules are GPL: they are
# linked here and nowhere else, and no bench program is installed.

add_custom_target(benches)
file(GLOB bench_sources CONFIGURE_DEPENDS bench/*.c)
if(NOT bench_sources)
  return()
endif()

add_library(rivals INTERFACE)
ifd_find(cholmod HEADER cholmod.h SUFFIXES suitesparse LIBRARIES cholmod)
ifd_find(arkode HEADER arkode/arkode_arkstep.h
         LIBRARIES sundials_arkode sundials_sunlinsolklu sundials_sunmatrixsparse)
if(cholmod_FOUND)
  target_link_libraries(rivals INTERFACE cholmod)
  target_compile_definitions(rivals INTERFACE HAVE_CHOLMOD)
endif()
if(arkode_FOUND)
  target_link_libraries(rivals INTERFACE arkode sundials_common)
  target_compile_definitions(rivals INTERFACE HAVE_ARKODE)
endif()
pkg_check_modules(PETSC QUIET IMPORTED_TARGET PETSc)
find_package(MPI QUIET COMPONENTS C)
if(PETSC_FOUND AND MPI_C_FOUND)
  target_link_libraries(rivals INTERFACE PkgConfig::PETSC MPI::MPI_C)
  target_compile_definitions(rivals INTERFACE HAVE_PETSC)
endif()

foreach(source ${bench_sources})
  cmake_path(GET source STEM name)
  add_executable(bench_${name} EXCLUDE_FROM_ALL ${source})
  target_include_directories(bench_${name} PRIVATE include src bench tests)
  target_link_libraries(bench_${name} PRIVATE flags static dependencies rivals)
  set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  add_dependencies(benches bench_${name})
endforeach()

file(GLOB rival_sources CONFIGURE_DEPENDS bench/rivals/*.c)
target_sources(bench_bench_rivals PRIVATE ${rival_sources})
