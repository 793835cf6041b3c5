/* SPDX-License-Identifier: MIT */
/* Files that are installed with the library: the host of isolated FMUs, the runtimes of exported ones. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Searches the folder that this code was loaded from, the build folder and the installation folder of the library. */
bool ifd__installed_file(const char *name, char *out, size_t size);
