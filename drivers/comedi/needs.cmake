# SPDX-License-Identifier: MIT
# libcomedi (LGPL-2.1), linked dynamically and only by this plug-in.
pkg_check_modules(COMEDI QUIET IMPORTED_TARGET comedilib)
if(COMEDI_FOUND)
  set(needs PkgConfig::COMEDI)
else()
  set(missing "libcomedi was not found when the program was built (Debian: libcomedi-dev)")
endif()
