/* SPDX-License-Identifier: MIT */
/* sources: src/fmi/archive.c src/base/object.c src/base/arena.c src/base/status.c src/base/param.c
 * src/base/choice.c
 * libraries: -lzip
 * runs: 50000
 *
 * Every archive is unpacked or refused with a sentence. All output is inside the folder created for it, and is
 * removed. */
#include <assert.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fmi/archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int plain(const char *path, const struct stat *facts, int type, struct FTW *where)
{
    (void)path;
    (void)where;
    assert(type == FTW_D || type == FTW_F);
    assert(S_ISDIR(facts->st_mode) || (S_ISREG(facts->st_mode) && facts->st_nlink == 1));
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    const char *folder = NULL;
    int file = memfd_create("fuzz", MFD_CLOEXEC);
    assert(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_note_init(&note, arena);
    ifd_status status = ifd__fmu_unpack(arena, path, NULL, &folder, &note);
    assert((status == IFD_OK) == (note.errors == 0));
    char kept[200] = "";
    if (folder) {
        assert(nftw(folder, plain, 16, FTW_PHYS) == 0);
        snprintf(kept, sizeof kept, "%s", folder);
    }
    ifd_arena_close(arena);
    assert(!*kept || access(kept, F_OK) != 0);
    close(file);
    return 0;
}
