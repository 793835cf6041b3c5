/* SPDX-License-Identifier: MIT */
#include "replay.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static void replay_file(const char *path, int (*try_one)(const uint8_t *data, size_t size))
{
    enum { MOST = 1 << 20 };
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(MOST);
    if (!file || !data)
        abort();
    size_t size = fread(data, 1, MOST, file);
    fclose(file);
    printf("%s\n", path);
    fflush(stdout); /* the last line names the input that failed */
    try_one(data, size);
    free(data);
}

int replay(const char *name, int (*try_one)(const uint8_t *data, size_t size))
{
    char folder[4096], path[8192];
    int count = 0;
    snprintf(folder, sizeof folder, IFD_SOURCE_DIR "/fuzz/found/%s", name);
    DIR *list = opendir(folder);
    for (const struct dirent *e; list && (e = readdir(list));) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        replay_file(path, try_one);
        count++;
    }
    if (list)
        closedir(list);
    return count;
}
