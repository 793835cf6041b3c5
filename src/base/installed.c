/* SPDX-License-Identifier: MIT */
/* Finds files that are installed beside the library. */
#include "base/installed.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool ifd__installed_file(const char *name, char *out, size_t size)
{
    static const char *const below[] = {"", "../", "interfield/"};
    Dl_info where;
    if (!dladdr((const void *)(uintptr_t)&ifd__installed_file, &where) || !where.dli_fname)
        return false;
    /* the name of a program that was found by PATH has no folder */
    char *full = realpath(strchr(where.dli_fname, '/') ? where.dli_fname : "/proc/self/exe", NULL);
    char *slash = full ? strrchr(full, '/') : NULL;
    bool found = false;
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < sizeof below / sizeof *below && slash && !found; i++) {
        int n = snprintf(out, size, "%s/%s%s", full, below[i], name);
        found = n > 0 && (size_t)n < size && access(out, R_OK) == 0;
    }
    free(full);
    return found;
}
