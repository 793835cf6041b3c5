/* SPDX-License-Identifier: MIT */
#include "record/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scratch.h"

static char folder[SCRATCH_PATH], path[512];

int files_open(void **state)
{
    (void)state;
    return scratch_make(folder) ? 0 : -1;
}

int files_close(void **state)
{
    (void)state;
    return scratch_remove(folder);
}

const char *files_path(const char *name)
{
    snprintf(path, sizeof path, "%s/%.200s", folder, name);
    return path;
}

const char *files_write_n(const char *name, const char *text, size_t length)
{
    FILE *f = folder[0] ? fopen(files_path(name), "wb") : NULL; /* a test without files_open */
    if (!f || fwrite(text, 1, length, f) != length || fclose(f) != 0)
        abort();
    return path;
}

const char *files_write(const char *name, const char *text)
{
    return files_write_n(name, text, strlen(text));
}

const char *files_data(const char *name)
{
    const char *given = getenv("INTERFIELD_DATA");
    if (given)
        snprintf(path, sizeof path, "%.300s/%.200s", given, name);
    else
        snprintf(path, sizeof path, "%.300s/../shared/data/%.180s", IFD_SOURCE_DIR, name);
    return access(path, R_OK) == 0 ? path : NULL;
}
