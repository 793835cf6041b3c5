/* SPDX-License-Identifier: MIT */
/* A text read as if it stood in a file of that name. */
#pragma once

#include "text/bundle.h"
#include "text/yaml.h"

static inline ifd_status yaml_text(ifd_arena *a, const char *name, const char *text, size_t length, ifd__yaml *out,
                                   ifd_note *n)
{
    ifd__bundle *shelf = ifd_arena_take(a, sizeof *shelf);
    const char *copy = ifd_arena_text_n(a, text, length);
    if (!shelf || !copy || !ifd__bundle_put(shelf, a, name, copy))
        return IFD_NO_MEMORY;
    return ifd__yaml_read_from(shelf, a, name, out, n);
}
