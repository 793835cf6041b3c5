# SPDX-License-Identifier: MIT
# Drivers: rigs that ship as plug-ins. drivers/NAME/*.c becomes rigs/NAME.so, found beside the library; NAME.c exports
# ifd_user_rig.
# drivers/NAME/needs.cmake (optional) looks for what the driver needs. It sets
#     needs     libraries to link
#     missing   the reason why the driver cannot be built; then rigs/NAME.missing holds it, and `interfield list rigs` prints it
file(GLOB driver_folders LIST_DIRECTORIES true CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/drivers drivers/*)
set(rigs ${PROJECT_BINARY_DIR}/rigs)
file(MAKE_DIRECTORY ${rigs})
foreach(name ${driver_folders})
  file(GLOB driver_sources CONFIGURE_DEPENDS drivers/${name}/*.c)
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/drivers/${name}/${name}.c)
    continue()
  endif()
  set(needs)
  set(missing)
  include(drivers/${name}/needs.cmake OPTIONAL)
  file(REMOVE ${rigs}/${name}.missing)
  if(missing)
    message(STATUS "driver ${name} is not built: ${missing}")
    file(REMOVE ${rigs}/${name}.so)
    file(WRITE ${rigs}/${name}.missing "${missing}\n")
    install(FILES ${rigs}/${name}.missing DESTINATION ${CMAKE_INSTALL_LIBDIR}/interfield/rigs)
    continue()
  endif()
  add_library(driver_${name} MODULE ${driver_sources})
  target_include_directories(driver_${name} PRIVATE include ${PROJECT_SOURCE_DIR}/drivers/${name})
  target_link_libraries(driver_${name} PRIVATE flags ${needs} m)
  set_target_properties(driver_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${rigs})
  # Loaded, not linked: whatever runs the library's code must still wait for it.
  add_dependencies(shared driver_${name})
  add_dependencies(static driver_${name})
  install(TARGETS driver_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/interfield/rigs)
endforeach()
