# SPDX-License-Identifier: MIT
include(CMakePackageConfigHelpers)

install(TARGETS shared EXPORT interfield-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The static library is for those who ask pkg-config with --static; its needs are listed in interfield.pc.
install(TARGETS static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET program)
  install(TARGETS program reproduce RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY include/interfield DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
if(EXISTS ${PROJECT_SOURCE_DIR}/cases)
  install(DIRECTORY cases DESTINATION ${CMAKE_INSTALL_DATADIR}/interfield)
endif()
install(DIRECTORY python/interfield DESTINATION ${CMAKE_INSTALL_DATADIR}/interfield/python FILES_MATCHING PATTERN "*.py" PATTERN "py.typed")
install(FILES python/pyproject.toml python/setup.py python/build_backend.py python/README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/interfield/python)
install(FILES matlab/interfield_read.m matlab/interfield_wire.m DESTINATION ${CMAKE_INSTALL_DATADIR}/interfield/matlab)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/interfield)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/interfield PATTERN site EXCLUDE)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/interfield)
install(EXPORT interfield-targets NAMESPACE interfield:: DESTINATION ${package_dir})
file(WRITE ${PROJECT_BINARY_DIR}/interfield-config.cmake
     "include(\"\${CMAKE_CURRENT_LIST_DIR}/interfield-targets.cmake\")\n")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/interfield-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/interfield-config.cmake ${PROJECT_BINARY_DIR}/interfield-config-version.cmake
        DESTINATION ${package_dir})

# The prefix in the .pc file is relative to the file, so an installed tree may be moved.
file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
configure_file(cmake/interfield.pc.in interfield.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/interfield.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
