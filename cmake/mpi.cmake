# SPDX-License-Identifier: MIT
# interfield-mpi, where OpenMPI is installed. The library and the other programs do without MPI.
option(IFD_MPI "Build interfield-mpi if MPI is found" ON)
if(IFD_MPI AND app_sources AND NOT IFD_SANITIZE)
  find_package(MPI QUIET COMPONENTS C)
  if(MPI_C_FOUND)
    add_executable(mpi mpi/main.c app/commands/run.c $<TARGET_OBJECTS:app>)
    target_include_directories(mpi PRIVATE app ${PROJECT_SOURCE_DIR})
    target_link_libraries(mpi PRIVATE flags shared MPI::MPI_C Threads::Threads m)
    set_target_properties(mpi PROPERTIES OUTPUT_NAME interfield-mpi INSTALL_RPATH "$ORIGIN/${lib_from_bin}")
    install(TARGETS mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mpi)
  endif()
endif()
