# SPDX-License-Identifier: MIT
# Harnesses that need the whole library, built by tools/fuzz with IFD_SANITIZE=fuzzer-no-link,address,undefined.
if(IFD_SANITIZE MATCHES fuzzer)
  foreach(name auth case journal result saved)
    add_executable(fuzz_${name} EXCLUDE_FROM_ALL fuzz/fuzz_${name}.c)
    target_include_directories(fuzz_${name} PRIVATE src)
    target_link_libraries(fuzz_${name} PRIVATE flags static dependencies)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  endforeach()
endif()
