/* SPDX-License-Identifier: MIT */
#include <interfield/version.h>

const char *ifd_version(void)
{
    return IFD_VERSION;
}
