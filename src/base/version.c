/* SPDX-License-Identifier: MIT */
/* The version of the library. */
#include <interfield/version.h>

const char *ifd_version(void)
{
    return IFD_VERSION;
}
