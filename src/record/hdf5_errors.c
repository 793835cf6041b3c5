/* SPDX-License-Identifier: MIT */
/* Keeps HDF5 quiet and turns its errors into one sentence. */
#include "record/result.h"

#include <string.h>

void ifd__hdf5_quiet_begin(ifd__hdf5_quiet *q)
{
    H5Eget_auto2(H5E_DEFAULT, &q->function, &q->data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void ifd__hdf5_quiet_end(const ifd__hdf5_quiet *q)
{
    H5Eset_auto2(H5E_DEFAULT, q->function, q->data);
}

/* Called from the innermost error outwards: the message with the text of the operating system has priority over the
 * first one. */
static herr_t visit(unsigned n, const H5E_error2_t *error, void *data)
{
    char *text = data;
    const char *words = error->desc ? strstr(error->desc, "error message = '") : NULL;
    if (words) {
        words += strlen("error message = '");
        size_t length = strcspn(words, "'");
        snprintf(text, 200, "%.*s", (int)(length < 190 ? length : 190), words);
        return 1;
    }
    if (n == 0 && error->desc)
        snprintf(text, 200, "%.190s", error->desc);
    return 0;
}

const char *ifd__hdf5_reason(ifd_arena *arena)
{
    char text[200] = "the file could not be read or written";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, visit, text);
    if (strcmp(text, "file signature not found") == 0)
        snprintf(text, sizeof text, "it is not an HDF5 file");
    const char *copy = ifd_arena_text(arena, text);
    return copy ? copy : "no memory";
}
