# SPDX-License-Identifier: MIT
# The runtime that becomes the binary of an exported FMU: the model and method code of the library and nothing it links to but
# libc, libm and AMD (linked in). One for each version of FMI, since each may export the names of its own only.
find_library(AMD_ARCHIVE libamd.a)
find_library(SUITESPARSE_CONFIG_ARCHIVE libsuitesparseconfig.a)
mark_as_advanced(AMD_ARCHIVE SUITESPARSE_CONFIG_ARCHIVE)
target_link_libraries(static_alone INTERFACE ${AMD_ARCHIVE} ${SUITESPARSE_CONFIG_ARCHIVE} m)
foreach(version 2 3)
  add_library(fmu_runtime${version} MODULE fmu/fmi${version}.c fmu/runtime.c fmu/steps.c fmu/values.c fmu/image.c
              fmu/plain_algebra.c fmu/old_libc.c)
  target_include_directories(fmu_runtime${version} PRIVATE include src fmu)
  target_link_libraries(fmu_runtime${version} PRIVATE flags static_alone)
  target_compile_options(fmu_runtime${version} PRIVATE -ffunction-sections -fdata-sections)
  target_link_options(fmu_runtime${version} PRIVATE -Wl,--gc-sections -Wl,-s -Wl,--exclude-libs,ALL -Wl,-z,defs -Wl,-z,now -Wl,--as-needed -Wl,--wrap=hypot
                      -Wl,--version-script=${PROJECT_SOURCE_DIR}/fmu/fmi${version}.map)
  set_target_properties(fmu_runtime${version} PROPERTIES PREFIX "" OUTPUT_NAME fmu_runtime${version}
                        LINK_DEPENDS ${PROJECT_SOURCE_DIR}/fmu/fmi${version}.map)
  install(TARGETS fmu_runtime${version} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/interfield)
endforeach()
