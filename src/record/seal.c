/* SPDX-License-Identifier: MIT */
#include "record/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text/file.h"

static const char MAGIC[8] = "ifdseal\n";
enum { SLICES = 8, BUFFER = 1 << 18 };

typedef struct seal {
    char magic[8];
    uint64_t bytes;
    uint32_t crc, own;
} seal;
_Static_assert(sizeof(seal) == IFD__SEAL_BYTES, "no gaps");

/* Eight bytes at a time (Kounavis and Berry, 2005); the tables take as long to make as a kilobyte takes to sum. */
static void tables_make(uint32_t t[SLICES][256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
        t[0][i] = c;
    }
    for (int s = 1; s < SLICES; s++)
        for (int i = 0; i < 256; i++)
            t[s][i] = t[s - 1][i] >> 8 ^ t[0][t[s - 1][i] & 255];
}

static uint32_t sum(const uint32_t t[SLICES][256], uint32_t crc, const unsigned char *p, size_t n)
{
    for (; n >= 8; n -= 8, p += 8) {
        uint32_t low, high;
        memcpy(&low, p, 4);
        memcpy(&high, p + 4, 4);
        low ^= crc;
        crc = t[7][low & 255] ^ t[6][low >> 8 & 255] ^ t[5][low >> 16 & 255] ^ t[4][low >> 24] ^ t[3][high & 255] ^
              t[2][high >> 8 & 255] ^ t[1][high >> 16 & 255] ^ t[0][high >> 24];
    }
    for (; n; n--, p++)
        crc = crc >> 8 ^ t[0][(crc ^ *p) & 255];
    return crc;
}

uint32_t ifd__seal_crc(uint32_t crc, const void *bytes, size_t count)
{
    uint32_t t[SLICES][256];
    tables_make(t);
    return ~sum((const uint32_t(*)[256])t, ~crc, bytes, count);
}

/* Of the first bytes of a file; false when it has fewer. */
static bool sum_file(int file, uint64_t bytes, uint32_t *out)
{
    uint32_t t[SLICES][256], crc = ~0u;
    unsigned char *buffer = malloc(BUFFER);
    uint64_t done = 0;
    tables_make(t);
    while (buffer && done < bytes) {
        size_t want = bytes - done < BUFFER ? (size_t)(bytes - done) : BUFFER;
        size_t got = ifd__file_get(file, buffer, want, done);
        crc = sum((const uint32_t(*)[256])t, crc, buffer, got);
        done += got;
        if (got < want)
            break;
    }
    free(buffer);
    *out = ~crc;
    return buffer && done == bytes;
}

static uint32_t own_sum(const seal *s)
{
    return ifd__seal_crc(0, s, offsetof(seal, own));
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

/* A seal that is itself damaged must not pass for none: most of its first word is enough. */
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
