/* SPDX-License-Identifier: MIT */
#include "text/file_kind.h"

#include <string.h>
#include <strings.h>

#include "text/units.h"

static bool begins(const ifd__file *file, const char *text)
{
    size_t length = strlen(text);
    return file->length >= length && strncasecmp(file->text, text, length) == 0;
}

/* The first line that is neither empty nor a comment begins with a number. */
static bool is_table(const ifd__file *file)
{
    ifd__lines lines = ifd__lines_of(file);
    const char *first, *last;
    double x;
    while (ifd__lines_next(&lines, &first, &last)) {
        while (first < last && (*first == ' ' || *first == '\t'))
            first++;
        if (first < last && *first != '#' && *first != '%')
            return ifd__number_read(&first, last, &x) || memchr(first, ',', (size_t)(last - first));
    }
    return false;
}

static bool is_record(const ifd__file *file)
{
    ifd__lines lines = ifd__lines_of(file);
    const char *first, *last;
    while (ifd__lines_next(&lines, &first, &last) && lines.number <= 20)
        for (; last - first >= 4; first++)
            if (strncasecmp(first, "NPTS", 4) == 0)
                return true;
    return false;
}

ifd__file_kind ifd__file_kind_of(const ifd__file *file)
{
    if (begins(file, "%%MatrixMarket"))
        return IFD__KIND_MATRIX;
    if (begins(file, "\x89HDF"))
        return IFD__KIND_HDF5;
    if (begins(file, "PK\3\4"))
        return IFD__KIND_ZIP;
    if (begins(file, "\x7f"
                     "ELF"))
        return IFD__KIND_PROGRAM;
    if (memchr(file->text, '\0', file->length))
        return IFD__KIND_BINARY;
    if (begins(file, "{"))
        return IFD__KIND_JSON;
    return is_record(file) ? IFD__KIND_RECORD : is_table(file) ? IFD__KIND_NUMBERS : IFD__KIND_TEXT;
}

const char *ifd__file_kind_text(ifd__file_kind kind)
{
    static const char *const text[] = {"a text file",   "a table of numbers (CSV)", "a ground-motion file (PEER)",
                                       "a JSON file",   "a Matrix Market file",     "an HDF5 file",
                                       "a ZIP archive", "a program or library",     "a binary file"};
    return text[kind];
}
