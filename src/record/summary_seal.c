/* SPDX-License-Identifier: MIT */
/* The checksum of summary.json: its last member, over all bytes before it,
 *
 *     ,
 *       "checksum": "crc32 01234567"
 *     }
 *
 * so that a changed number or word is detected and any reader of JSON can still read it. */
#include <stdio.h>
#include <string.h>

#include <zlib.h>

#include <interfield/certificate.h>

#include "record/result.h"
#include "text/file.h"

#define MARK ",\n  \"checksum\": \"crc32 "
#define TAIL "\"\n}"
enum { DIGITS = 8, SEALED = sizeof MARK - 1 + DIGITS + sizeof TAIL - 1 };

const char *ifd__summary_sealed(ifd_arena *arena, const char *text)
{
    size_t n = strlen(text);
    if (n < 2 || strcmp(text + n - 2, "\n}") != 0)
        return NULL;
    unsigned crc = (unsigned)crc32_z(0, (const unsigned char *)text, n - 2);
    return ifd_arena_print(arena, "%.*s" MARK "%08x" TAIL, (int)n - 2, text, crc);
}

/* Trailing blanks do not count, because editors add them. */
static ifd__seal check(const char *text, size_t length)
{
    while (length && strchr(" \t\r\n", text[length - 1]))
        length--;
    if (length < SEALED || memcmp(text + length - SEALED, MARK, sizeof MARK - 1) != 0)
        return IFD__SEAL_NONE;
    char wanted[DIGITS + sizeof TAIL];
    snprintf(wanted, sizeof wanted, "%08x" TAIL, (unsigned)crc32_z(0, (const unsigned char *)text, length - SEALED));
    return memcmp(text + length - (sizeof wanted - 1), wanted, sizeof wanted - 1) == 0 ? IFD__SEAL_HOLDS
                                                                                       : IFD__SEAL_BROKEN;
}

ifd_status ifd_summary_read(ifd_arena *arena, const char *path, bool *sealed, ifd_json_node **out, ifd_note *note)
{
    ifd__file file;
    *sealed = false;
    IFD_TRY(ifd__file_read(arena, path, NULL, &file, note));
    ifd__seal seal = check(file.text, file.length);
    *sealed = seal == IFD__SEAL_HOLDS;
    if (seal == IFD__SEAL_BROKEN)
        return ifd_note_add(note, IFD_DAMAGED, NULL,
                            "'%s' is damaged or was changed: its checksum is wrong (interfield recover writes the "
                            "summary of a test again)",
                            path);
    return ifd_json_read(arena, path, file.text, file.length, out, note);
}
