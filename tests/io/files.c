/* SPDX-License-Identifier: MIT */
#include "io/files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64], path[512];

int files_open(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/interfield-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

int files_close(void **state)
{
    (void)state;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.')
            unlink(files_path(e->d_name));
    if (d)
        closedir(d);
    return rmdir(folder);
}

const char *files_path(const char *name)
{
    snprintf(path, sizeof path, "%s/%.200s", folder, name);
    return path;
}

const char *files_write_n(const char *name, const char *text, size_t length)
{
    FILE *f = fopen(files_path(name), "wb");
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
