# SPDX-License-Identifier: MIT
# What the library loads only when it is asked for, so that it does not need what these need: CVODE, which may bring MPI.
ifd_find(cvode_parts HEADER cvode/cvode.h
         LIBRARIES sundials_cvode sundials_nvecserial sundials_sunmatrixdense sundials_sunlinsoldense)
if(NOT cvode_parts_FOUND)
  message(FATAL_ERROR "CVODE was not found: run tools/setup demo, which installs what the build needs")
endif()
# From SUNDIALS 7 on the common part is a library of its own, and its headers ask for those of the MPI it was built with.
add_library(sundials_common INTERFACE)
find_library(SUNDIALS_CORE sundials_core)
mark_as_advanced(SUNDIALS_CORE)
if(SUNDIALS_CORE)
  target_link_libraries(sundials_common INTERFACE ${SUNDIALS_CORE})
  file(STRINGS ${cvode_parts_INCLUDE_DIR}/sundials/sundials_config.h with_mpi REGEX "^#define SUNDIALS_MPI_ENABLED 1")
  if(with_mpi)
    find_package(MPI REQUIRED COMPONENTS C)
    target_link_libraries(sundials_common INTERFACE MPI::MPI_C)
  endif()
endif()

add_library(cvode MODULE modules/cvode.c)
target_include_directories(cvode PRIVATE src)
target_link_libraries(cvode PRIVATE flags cvode_parts sundials_common PkgConfig::LAPACKE PkgConfig::OPENBLAS m)
set_target_properties(cvode PROPERTIES PREFIX "")
# Loaded, not linked: whatever runs the library's code must still wait for it.
add_dependencies(shared cvode)
add_dependencies(static cvode)
install(TARGETS cvode LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/interfield)
