/* SPDX-License-Identifier: MIT */
/* Each member of an object is on a separate line; the numbers and words of a list are on one line. */
#include <interfield/json.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/file.h"

void ifd_json_init(ifd_json *j, ifd_arena *arena)
{
    memset(j, 0, sizeof *j);
    j->arena = arena;
}

static void put_n(ifd_json *j, const char *text, size_t length)
{
    if (j->failed)
        return;
    if (j->length + length + 1 > j->size) {
        size_t size = 2 * (j->length + length) + 1024;
        char *larger = ifd_arena_take(j->arena, size);
        if (!larger) {
            j->failed = true;
            return;
        }
        if (j->length)
            memcpy(larger, j->text, j->length);
        j->text = larger;
        j->size = size;
    }
    memcpy(j->text + j->length, text, length);
    j->length += length;
    j->text[j->length] = '\0';
}

static void put(ifd_json *j, const char *text)
{
    put_n(j, text, strlen(text));
}

static void indent(ifd_json *j)
{
    put(j, "\n");
    for (int i = 0; i < j->depth; i++)
        put(j, "  ");
}

static void quote(ifd_json *j, const char *text)
{
    static const char escaped[] = "\"\"\\\\\nn\rr\tt\bb\ff"; /* pairs: character, letter after the backslash */
    put(j, "\"");
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        size_t n = ifd__utf8_size(p);
        const char *pair = NULL;
        for (const char *e = escaped; *e; e += 2)
            if ((unsigned char)*e == *p)
                pair = e;
        char buffer[8];
        if (pair) {
            put_n(j, (const char[]){'\\', pair[1]}, 2);
        } else if (*p < 0x20 || *p == 0x7f) {
            snprintf(buffer, sizeof buffer, "\\u%04x", (unsigned)*p);
            put(j, buffer);
        } else if (n == 0) {
            put(j, "\xef\xbf\xbd"); /* U+FFFD */
        } else {
            put_n(j, (const char *)p, n);
        }
        p += n ? n : 1;
    }
    put(j, "\"");
}

/* Writes the text before a value: comma, line end, key. */
static void lead(ifd_json *j, const char *key, bool container)
{
    if (j->depth == 0) {
        assert(!key && "the top value has no key");
        return;
    }
    int level = j->depth - 1;
    bool in_list = j->closer[level] == ']';
    assert((key == NULL) == in_list && "members of an object have keys, those of a list have none");
    if (j->count[level]++)
        put(j, ",");
    if (!in_list || container)
        indent(j);
    else if (j->count[level] > 1)
        put(j, " ");
    if (key) {
        quote(j, key);
        put(j, ": ");
    }
}

static void open_level(ifd_json *j, const char *key, const char *opener, char closer)
{
    lead(j, key, true);
    put(j, opener);
    assert(j->depth < IFD_JSON_DEPTH);
    j->closer[j->depth] = closer;
    j->count[j->depth] = 0;
    j->depth++;
    j->inside = false;
}

void ifd_json_object(ifd_json *j, const char *key)
{
    open_level(j, key, "{", '}');
}

void ifd_json_list(ifd_json *j, const char *key)
{
    open_level(j, key, "[", ']');
}

void ifd_json_end(ifd_json *j)
{
    assert(j->depth > 0);
    j->depth--;
    char closer = j->closer[j->depth];
    if (j->count[j->depth] && (closer == '}' || j->inside))
        indent(j);
    put_n(j, &closer, 1);
    j->inside = true; /* for the outer level, which now contains a container */
}

void ifd_json_number(ifd_json *j, const char *key, double value)
{
    lead(j, key, false);
    if (!isfinite(value)) {
        put(j, "null");
        return;
    }
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    char *comma = strchr(text, ','); /* the decimal sign of some locales */
    if (comma)
        *comma = '.';
    put(j, text);
}

void ifd_json_integer(ifd_json *j, const char *key, long value)
{
    char text[32];
    snprintf(text, sizeof text, "%ld", value);
    lead(j, key, false);
    put(j, text);
}

void ifd_json_text(ifd_json *j, const char *key, const char *value)
{
    lead(j, key, false);
    if (value)
        quote(j, value);
    else
        put(j, "null");
}

void ifd_json_flag(ifd_json *j, const char *key, bool value)
{
    lead(j, key, false);
    put(j, value ? "true" : "false");
}

void ifd_json_numbers(ifd_json *j, const char *key, int count, const double *value)
{
    ifd_json_list(j, key);
    for (int i = 0; i < count; i++)
        ifd_json_number(j, NULL, value[i]);
    ifd_json_end(j);
}

const char *ifd_json_done(ifd_json *j)
{
    assert(j->failed || j->depth == 0);
    return j->failed ? NULL : j->text;
}
