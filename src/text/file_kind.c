/* SPDX-License-Identifier: MIT */
/* Recognises the kind of a file by its content. */
#include "text/file_kind.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "text/units.h"

static bool begins(const ifd__file *file, const char *text)
{
    size_t length = strlen(text);
    return file->length >= length && strncasecmp(file->text, text, length) == 0;
}

/* Begin and end of the next line that is neither empty nor a comment. */
static bool next_content(ifd__lines *lines, const char **first, const char **last)
{
    while (ifd__lines_next(lines, first, last)) {
        while (*first < *last && (**first == ' ' || **first == '\t'))
            (*first)++;
        if (*first < *last && **first != '#' && **first != '%')
            return true;
    }
    return false;
}

/* A table: its first line begins with a number, or has a comma and a line below begins with one. Without any such
 * line text, or YAML if the first line is "key: ...". */
static ifd__file_kind text_kind(const ifd__file *file)
{
    ifd__lines lines = ifd__lines_of(file);
    const char *first, *last;
    double x;
    if (!next_content(&lines, &first, &last))
        return IFD__KIND_TEXT;
    if (ifd__number_read(&first, last, &x))
        return IFD__KIND_NUMBERS;
    bool comma = memchr(first, ',', (size_t)(last - first)) != NULL;
    const char *key = first;
    while (key < last && (isalnum((unsigned char)*key) || *key == '-' || *key == '_'))
        key++;
    bool yaml = key > first && key < last && *key == ':' && (key + 1 == last || strchr(" \t\r", key[1]));
    while (next_content(&lines, &first, &last))
        if (ifd__number_read(&first, last, &x))
            return comma ? IFD__KIND_NUMBERS : IFD__KIND_TEXT;
    return yaml ? IFD__KIND_YAML : IFD__KIND_WORDS;
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
    return is_record(file) ? IFD__KIND_RECORD : text_kind(file);
}

const char *ifd__file_kind_text(ifd__file_kind kind)
{
    static const char *const text[] = {"a text file",
                                       "a table of numbers (CSV)",
                                       "a ground-motion file (PEER)",
                                       "a text file without numbers",
                                       "a YAML file",
                                       "a JSON file",
                                       "a Matrix Market file",
                                       "an HDF5 file",
                                       "a ZIP archive",
                                       "a program or library",
                                       "a binary file"};
    return text[kind];
}
