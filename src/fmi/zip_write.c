/* SPDX-License-Identifier: MIT */
/* Local header, data, ...; central directory; end record. Nothing is compressed, dates are those of the format's
 * beginning, so the same content gives the same bytes. */
#include "fmi/zip_write.h"

#include <string.h>

#include "link/wire.h"

enum { VERSION = 20, DATE = 0x21, LARGEST = 0x7fffffff }; /* 1 January 1980 */

static void put16(ifd__bytes *b, unsigned v)
{
    const unsigned char bytes[] = {(unsigned char)v, (unsigned char)(v >> 8)};
    ifd__put(b, bytes, sizeof bytes);
}

static void put32(ifd__bytes *b, size_t v)
{
    put16(b, (unsigned)(v & 0xffff));
    put16(b, (unsigned)(v >> 16 & 0xffff));
}

void ifd__zip_init(ifd__zip *z, ifd_arena *arena)
{
    *z = (ifd__zip){.data = {.arena = arena}, .directory = {.arena = arena}};
}

/* What local header and directory entry share. */
static void put_facts(ifd__bytes *b, uint32_t crc, size_t size, size_t name)
{
    put16(b, VERSION);
    put16(b, 0); /* flags */
    put16(b, 0); /* stored */
    put16(b, 0); /* time */
    put16(b, DATE);
    put32(b, crc);
    put32(b, size);
    put32(b, size);
    put16(b, (unsigned)name);
    put16(b, 0); /* extra */
}

void ifd__zip_add(ifd__zip *z, const char *name, const void *data, size_t size)
{
    size_t at = z->data.length, length = strlen(name);
    uint32_t crc = ifd__crc32(data, size);
    if (size > LARGEST - z->data.length) {
        z->data.failed = true;
        return;
    }
    put32(&z->data, 0x04034b50);
    put_facts(&z->data, crc, size, length);
    ifd__put(&z->data, name, length);
    ifd__put(&z->data, data, size);
    put32(&z->directory, 0x02014b50);
    put16(&z->directory, VERSION);
    put_facts(&z->directory, crc, size, length);
    put16(&z->directory, 0); /* comment */
    put16(&z->directory, 0); /* disk */
    put16(&z->directory, 0); /* attributes */
    put32(&z->directory, 0);
    put32(&z->directory, at);
    ifd__put(&z->directory, name, length);
    z->entries++;
}

bool ifd__zip_finish(ifd__zip *z)
{
    size_t at = z->data.length, size = z->directory.length;
    ifd__put(&z->data, z->directory.data, size);
    put32(&z->data, 0x06054b50);
    put32(&z->data, 0); /* disks */
    put16(&z->data, (unsigned)z->entries);
    put16(&z->data, (unsigned)z->entries);
    put32(&z->data, size);
    put32(&z->data, at);
    put16(&z->data, 0);
    return !z->data.failed && !z->directory.failed && z->data.length < LARGEST;
}
