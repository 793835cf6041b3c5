/* SPDX-License-Identifier: MIT */
/* A MATLAB file of level 5, little-endian, not compressed ("MAT-File Format", The MathWorks): a header of 128 bytes,
 * then one element per variable. An element is a type, a number of bytes and the data, padded to 8 bytes. An array
 * is an element that contains four elements: flags, dimensions, name, values. A cell contains arrays without names
 * instead of values. */
#include "record/export/export.h"

#include <stdint.h>
#include <string.h>

enum { MI_INT8 = 1, MI_UINT16 = 4, MI_INT32 = 5, MI_UINT32 = 6, MI_DOUBLE = 9, MI_MATRIX = 14 };
enum { MX_CELL = 1, MX_CHAR = 4, MX_DOUBLE = 6 };

static uint32_t padded(uint32_t bytes)
{
    return (bytes + 7) & ~7u;
}

static void put_u16(FILE *out, uint32_t v)
{
    fputc((int)(v & 255), out);
    fputc((int)(v >> 8 & 255), out);
}

static void put_u32(FILE *out, uint32_t v)
{
    put_u16(out, v & 65535);
    put_u16(out, v >> 16);
}

static void put_double(FILE *out, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    put_u32(out, (uint32_t)(bits & 0xffffffffu));
    put_u32(out, (uint32_t)(bits >> 32));
}

static void put_tag(FILE *out, uint32_t type, uint32_t bytes)
{
    put_u32(out, type);
    put_u32(out, bytes);
}

static void put_padding(FILE *out, uint32_t bytes)
{
    for (uint32_t i = bytes; i < padded(bytes); i++)
        fputc(0, out);
}

/* Flags, dimensions and name: 16 + 16 + 8 and the name. */
static uint32_t head_bytes(const char *name)
{
    return 40 + padded((uint32_t)strlen(name));
}

static void put_head(FILE *out, uint32_t class, uint32_t rows, uint32_t columns, const char *name)
{
    uint32_t length = (uint32_t)strlen(name);
    put_tag(out, MI_UINT32, 8);
    put_u32(out, class);
    put_u32(out, 0);
    put_tag(out, MI_INT32, 8);
    put_u32(out, rows);
    put_u32(out, columns);
    put_tag(out, MI_INT8, length);
    fwrite(name, 1, length, out);
    put_padding(out, length);
}

static void put_column(FILE *out, const char *name, long rows, const double *value)
{
    uint32_t bytes = 8 * (uint32_t)rows;
    put_tag(out, MI_MATRIX, head_bytes(name) + 8 + bytes);
    put_head(out, MX_DOUBLE, (uint32_t)rows, 1, name);
    put_tag(out, MI_DOUBLE, bytes);
    for (long r = 0; r < rows; r++)
        put_double(out, value[r]);
}

/* Bytes of a text that are not ASCII become question marks: level 5 supports UTF-16 only. */
static uint32_t text_bytes(const char *name, const char *text)
{
    return head_bytes(name) + 8 + padded(2 * (uint32_t)strlen(text));
}

static void put_text(FILE *out, const char *name, const char *text)
{
    uint32_t length = (uint32_t)strlen(text);
    put_tag(out, MI_MATRIX, text_bytes(name, text));
    put_head(out, MX_CHAR, length ? 1 : 0, length, name);
    put_tag(out, MI_UINT16, 2 * length);
    for (uint32_t i = 0; i < length; i++)
        put_u16(out, (unsigned char)text[i] < 128 ? (unsigned char)text[i] : '?');
    put_padding(out, 2 * length);
}

/* time first, then the columns. which: 0 variables, 1 names, 2 units. */
static const char *cell_text(const ifd_table *t, const char *const *name, int which, int i)
{
    if (i == 0)
        return which == 2 ? "s" : "time";
    const ifd_column *c = &t->column[i - 1];
    return which == 0 ? name[i - 1] : which == 1 ? c->name : *c->unit ? c->unit : "1";
}

static void put_cell(FILE *out, const char *label, const ifd_table *t, const char *const *name, int which)
{
    uint32_t bytes = head_bytes(label);
    for (int i = 0; i <= t->columns; i++)
        bytes += 8 + text_bytes("", cell_text(t, name, which, i));
    put_tag(out, MI_MATRIX, bytes);
    put_head(out, MX_CELL, (uint32_t)t->columns + 1, 1, label);
    for (int i = 0; i <= t->columns; i++)
        put_text(out, "", cell_text(t, name, which, i));
}

bool ifd__export_mat(FILE *out, const ifd_table *t, const char *const *name)
{
    char text[117];
    if (t->rows > INT32_MAX / 8)
        return false; /* an element has 32 bits for its size */
    snprintf(text, sizeof text, "%-116s", "MATLAB 5.0 MAT-file, written by interfield");
    fwrite(text, 1, 116, out);
    for (int i = 0; i < 8; i++)
        fputc(0, out);
    put_u16(out, 0x0100);
    fputs("IM", out);
    put_text(out, "title", t->title);
    put_text(out, "method", t->method);
    put_text(out, "outcome", t->outcome);
    put_cell(out, "variables", t, name, 0);
    put_cell(out, "names", t, name, 1);
    put_cell(out, "units", t, name, 2);
    put_column(out, "time", t->rows, t->time);
    for (int i = 0; i < t->columns && !ferror(out); i++)
        put_column(out, name[i], t->rows, t->value[i]);
    return !ferror(out);
}
