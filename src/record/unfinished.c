/* SPDX-License-Identifier: MIT */
/* A file in the folder of a result that exists until the result is complete. If it remains, the program did not
 * finish; its text states what to do. */
#include "record/result.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <interfield/version.h>

#include "text/file.h"

static const char *path_of(ifd_arena *arena, const char *folder)
{
    return ifd_arena_print(arena, "%s/" IFD__UNFINISHED, folder);
}

ifd_status ifd__unfinished_begin(ifd_result *res, ifd_note *note)
{
    const char *path = path_of(res->arena, res->folder);
    if (!path)
        return IFD_NO_MEMORY;
    FILE *file = fopen(path, "w");
    bool good =
        file && fprintf(file,
                        "interfield %s started to write a result here at %s (process %ld).\nThis file is removed "
                        "when the result is complete. If that process has ended, it was killed or the machine "
                        "stopped:\n`interfield recover` with the name of this folder makes a result from the "
                        "recorded data, or reports that there are none.\n",
                        ifd_version(), res->started, (long)getpid()) > 0;
    if (file && fclose(file) != 0)
        good = false;
    return good ? IFD_OK : ifd_note_add(note, IFD_OUTPUT, NULL, "'%s' cannot be written: %s", path, strerror(errno));
}

void ifd__unfinished_end(const ifd_result *res)
{
    const char *path = path_of(res->arena, res->folder);
    if (path)
        (void)unlink(path);
}

bool ifd__unfinished_beside(ifd_arena *arena, const char *file)
{
    const char *path = ifd__file_relative(arena, &(ifd_place){.file = file}, IFD__UNFINISHED);
    return path && access(path, F_OK) == 0;
}
