/* SPDX-License-Identifier: MIT */
/* Version: the only definition of the version number and of its date; build, packages and manual pages read it here.
 *
 * While the major number is 0, a new minor number can change the API and the ABI; the soname contains both. */
#ifndef INTERFIELD_VERSION_H
#define INTERFIELD_VERSION_H

#include <interfield/status.h>

IFD_BEGIN_DECLS

#define IFD_VERSION_MAJOR 0
#define IFD_VERSION_MINOR 1
#define IFD_VERSION_PATCH 0
#define IFD_VERSION "0.1.0"
#define IFD_RELEASED "2026-11-18" /* date of this version, as CHANGELOG.md has it */

/* The version of the library in use, which can differ from that of the header of the caller. */
IFD_API const char *ifd_version(void);

IFD_END_DECLS
#endif
