# SPDX-License-Identifier: MIT
# Manual pages and shell completion, which the program prints from its table of commands.
if(NOT TARGET program OR IFD_SANITIZE OR CMAKE_CROSSCOMPILING)
  return()
endif()
set(manual ${PROJECT_BINARY_DIR}/manual)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS app/commands.def)
file(STRINGS app/commands.def names REGEX "^COMMAND")
list(TRANSFORM names REPLACE "COMMAND\\((.*)\\)" "\\1")
list(TRANSFORM names REPLACE _ -)
add_custom_command(OUTPUT ${manual}/interfield DEPENDS program tools/manual VERBATIM
                   COMMAND ${PROJECT_SOURCE_DIR}/tools/manual $<TARGET_FILE:program> ${manual} ${names}
                   COMMENT "Writing manual pages and completion")
add_custom_target(manual ALL DEPENDS ${manual}/interfield)

install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${manual}/interfield DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${manual}/_interfield DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
