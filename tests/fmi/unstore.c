/* SPDX-License-Identifier: MIT */
#include "unstore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static unsigned little(const unsigned char *p, int bytes)
{
    unsigned value = 0;
    for (int k = bytes; k-- > 0;)
        value = value << 8 | p[k];
    return value;
}

static int write_entry(const char *folder, const char *name, const unsigned char *data, size_t size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *p = path + strlen(folder) + 1; (p = strchr(p, '/')); *p++ = '/') {
        *p = '\0';
        mkdir(path, 0777);
    }
    FILE *out = fopen(path, "wb");
    int good = out && fwrite(data, 1, size, out) == size;
    return (out && fclose(out) == 0 && good) ? 0 : -1;
}

int unstore(const char *archive, const char *folder)
{
    FILE *in = fopen(archive, "rb");
    unsigned char *all = NULL;
    size_t room = 0;
    int entries = 0;
    if (!in || fseek(in, 0, SEEK_END) != 0)
        return -1;
    room = (size_t)ftell(in);
    all = malloc(room);
    rewind(in);
    if (fread(all, 1, room, in) != room)
        entries = -1;
    fclose(in);
    for (size_t at = 0; entries >= 0 && at + 30 < room && little(all + at, 4) == 0x04034b50u; entries++) {
        size_t size = little(all + at + 18, 4), name = little(all + at + 26, 2), extra = little(all + at + 28, 2);
        char text[256] = "";
        memcpy(text, all + at + 30, name < 255 ? name : 255);
        at += 30 + name + extra;
        if (at + size > room || write_entry(folder, text, all + at, size) != 0)
            entries = -2;
        at += size;
    }
    free(all);
    return entries;
}
