/* SPDX-License-Identifier: MIT */
/* Appends and checks the checksum of a finished result. */
#include "record/result.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "text/file.h"

static const char MAGIC[8] = "ifdseal\n";
enum { BUFFER = 1 << 18 };

typedef struct seal {
    char magic[8];
    uint64_t bytes;
    uint32_t crc, own;
} seal;
_Static_assert(sizeof(seal) == IFD__SEAL_BYTES, "no gaps");

/* CRC-32 of the first bytes of a file; false if it has fewer. */
static bool sum_file(int file, uint64_t bytes, uint32_t *out)
{
    uLong crc = 0;
    unsigned char *buffer IFD__FREED = malloc(BUFFER);
    uint64_t done = 0;
    while (buffer && done < bytes) {
        size_t want = bytes - done < BUFFER ? (size_t)(bytes - done) : BUFFER;
        size_t got = ifd__file_get(file, buffer, want, done);
        crc = crc32_z(crc, buffer, got);
        done += got;
        if (got < want)
            break;
    }
    *out = (uint32_t)crc;
    return buffer && done == bytes;
}

static uint32_t own_sum(const seal *s)
{
    return (uint32_t)crc32_z(0, (const unsigned char *)s, offsetof(seal, own));
}

bool ifd__seal_put(const char *path)
{
    struct stat facts;
    seal s = {.bytes = 0};
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return false;
    bool good = fstat(file, &facts) == 0;
    s.bytes = good ? (uint64_t)facts.st_size : 0;
    memcpy(s.magic, MAGIC, sizeof s.magic);
    good = good && sum_file(file, s.bytes, &s.crc);
    s.own = own_sum(&s);
    good = good && pwrite(file, &s, sizeof s, facts.st_size) == (ssize_t)sizeof s;
    int error = errno;
    good = close(file) == 0 && good;
    errno = error;
    return good;
}

/* A damaged seal must not count as none: most of its first word is sufficient. */
static bool looks_sealed(const seal *s)
{
    int same = 0;
    for (size_t i = 0; i < sizeof MAGIC; i++)
        same += s->magic[i] == MAGIC[i];
    return same >= 5;
}

ifd__seal ifd__seal_check(const char *path)
{
    struct stat facts;
    seal s;
    uint32_t crc;
    ifd__seal found = IFD__SEAL_NONE;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return found;
    if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size >= (off_t)sizeof s &&
        pread(file, &s, sizeof s, facts.st_size - (off_t)sizeof s) == (ssize_t)sizeof s && looks_sealed(&s)) {
        bool holds = memcmp(s.magic, MAGIC, sizeof MAGIC) == 0 && s.own == own_sum(&s) &&
                     s.bytes == (uint64_t)facts.st_size - sizeof s && sum_file(file, s.bytes, &crc) && crc == s.crc;
        found = holds ? IFD__SEAL_HOLDS : IFD__SEAL_BROKEN;
    }
    close(file);
    return found;
}
