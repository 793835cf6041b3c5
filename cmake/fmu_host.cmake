# SPDX-License-Identifier: MIT
# The process of isolated FMUs. Never with sanitizers: it loads machine code that was built without them.
add_executable(fmu_host fmu/host.c src/fmi/calls.c)
target_include_directories(fmu_host PRIVATE src)
target_link_libraries(fmu_host PRIVATE flags ${CMAKE_DL_LIBS})
if(IFD_SANITIZE)
  target_compile_options(fmu_host PRIVATE -fno-sanitize=all)
  target_link_options(fmu_host PRIVATE -fno-sanitize=all)
endif()
if(TARGET program)
  add_dependencies(program fmu_host)
endif()
install(TARGETS fmu_host RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/interfield)
