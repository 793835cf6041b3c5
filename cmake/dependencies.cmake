# SPDX-License-Identifier: MIT
# Libraries that are linked dynamically; none is GPL. docs/develop/design.md gives the reason for each.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(FYAML REQUIRED IMPORTED_TARGET libfyaml)
pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke)
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
pkg_check_modules(ZIP REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(EXPAT REQUIRED IMPORTED_TARGET expat)
pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium)

add_library(dependencies INTERFACE)

# ifd_find(<target> HEADER <file> [SUFFIXES <folder>...] LIBRARIES <name>...): a library without a description of its
# own; sets <target>_FOUND and makes the interface target <target>.
function(ifd_find target)
  cmake_parse_arguments(arg "" "HEADER" "SUFFIXES;LIBRARIES" ${ARGN})
  find_path(${target}_INCLUDE_DIR ${arg_HEADER} PATH_SUFFIXES ${arg_SUFFIXES})
  set(found ${${target}_INCLUDE_DIR})
  add_library(${target} INTERFACE)
  foreach(name ${arg_LIBRARIES})
    find_library(${target}_${name} ${name})
    mark_as_advanced(${target}_${name} ${target}_INCLUDE_DIR)
    if(${target}_${name})
      target_link_libraries(${target} INTERFACE ${${target}_${name}})
    else()
      set(found FALSE)
    endif()
  endforeach()
  if(found)
    target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE_DIR})
    set(${target}_FOUND TRUE PARENT_SCOPE)
  else()
    set(${target}_FOUND FALSE PARENT_SCOPE)
  endif()
endfunction()

ifd_find(amd HEADER amd.h SUFFIXES suitesparse LIBRARIES amd)
ifd_find(metis HEADER metis.h LIBRARIES metis)
ifd_find(arpack HEADER arpack.h SUFFIXES arpack LIBRARIES arpack)
foreach(name amd metis arpack)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${name} was not found: run tools/setup demo, which installs what the build needs")
  endif()
endforeach()

# Debian keeps the serial and the MPI flavour of HDF5 side by side; only the serial one will do.
pkg_check_modules(HDF5 QUIET IMPORTED_TARGET hdf5-serial)
if(HDF5_FOUND)
  add_library(hdf5 ALIAS PkgConfig::HDF5)
  set(hdf5_module hdf5-serial)
else()
  find_package(HDF5 REQUIRED COMPONENTS C)
  add_library(hdf5 ALIAS HDF5::HDF5)
  set(hdf5_library -lhdf5)
endif()

target_link_libraries(dependencies INTERFACE PkgConfig::FYAML PkgConfig::LAPACKE PkgConfig::OPENBLAS PkgConfig::ZIP PkgConfig::ZLIB PkgConfig::EXPAT PkgConfig::SODIUM amd metis arpack hdf5
                                             Threads::Threads ${CMAKE_DL_LIBS} m)

# The live page's; of the program, not of the library.
pkg_check_modules(MICROHTTPD REQUIRED IMPORTED_TARGET libmicrohttpd)
add_library(microhttpd ALIAS PkgConfig::MICROHTTPD)
