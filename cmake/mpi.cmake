# SPDX-License-Identifier: MIT
# interfield-mpi, where OpenMPI is installed. The library and the other programs do without MPI.
option(IFD_MPI "Build interfield-mpi if MPI is found" ON)
if(IFD_MPI AND app_sources AND NOT IFD_SANITIZE)
  find_package(MPI QUIET COMPONENTS C)
  if(MPI_C_FOUND)
    # MUMPS is CeCILL-C and linked dynamically, into this program only.
    ifd_find(mumps HEADER dmumps_c.h LIBRARIES dmumps)
    set(mumps_sources)
    if(mumps_FOUND)
      set(mumps_sources mpi/mumps.c app/commands/reduce.c)
    endif()
    add_executable(mpi mpi/main.c mpi/study.c app/commands/run.c app/commands/study.c app/report/study_answer.c
                    ${mumps_sources} $<TARGET_OBJECTS:app>)
    if(mumps_FOUND)
      target_compile_definitions(mpi PRIVATE IFD_WITH_MUMPS)
      target_link_libraries(mpi PRIVATE mumps)
    endif()
    # Of the answers of a study only the printed text is needed, not the pictures of a report.
    target_compile_options(mpi PRIVATE -ffunction-sections)
    target_link_options(mpi PRIVATE -Wl,--gc-sections)
    target_include_directories(mpi PRIVATE app ${PROJECT_SOURCE_DIR})
    target_link_libraries(mpi PRIVATE flags shared MPI::MPI_C Threads::Threads m)
    set_target_properties(mpi PROPERTIES OUTPUT_NAME interfield-mpi INSTALL_RPATH "$ORIGIN/${lib_from_bin}")
    install(TARGETS mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mpi)
  endif()
endif()
