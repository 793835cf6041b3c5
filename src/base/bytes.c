/* SPDX-License-Identifier: MIT */
/* Writes numbers and texts as bytes and reads them with checked lengths. */
#include "base/bytes.h"

#include <string.h>

static bool make_room(ifd__bytes *b, size_t size)
{
    size_t room = b->room ? b->room : 4096;
    if (b->failed || size > SIZE_MAX / 4 - b->length)
        return false;
    while (room < b->length + size)
        room *= 2;
    if (room == b->room)
        return true;
    unsigned char *data = ifd_arena_take(b->arena, room);
    if (!data)
        return false;
    if (b->length)
        memcpy(data, b->data, b->length);
    b->data = data;
    b->room = room;
    return true;
}

void ifd__put(ifd__bytes *b, const void *data, size_t size)
{
    if (!make_room(b, size)) {
        b->failed = true;
        return;
    }
    if (size)
        memcpy(b->data + b->length, data, size);
    b->length += size;
}

void ifd__put_int(ifd__bytes *b, int64_t value)
{
    ifd__put(b, &value, sizeof value);
}

void ifd__put_double(ifd__bytes *b, double value)
{
    ifd__put(b, &value, sizeof value);
}

void ifd__put_text(ifd__bytes *b, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    ifd__put_int(b, text ? (int64_t)length : -1);
    ifd__put(b, text, length);
}

void ifd__put_doubles(ifd__bytes *b, size_t count, const double *x)
{
    ifd__put_int(b, x ? (int64_t)count : -1);
    ifd__put(b, x, x ? count * sizeof *x : 0);
}

void ifd__put_ints(ifd__bytes *b, size_t count, const int *x)
{
    ifd__put_int(b, x ? (int64_t)count : -1);
    ifd__put(b, x, x ? count * sizeof *x : 0);
}

void ifd__put_values(ifd__bytes *b, const ifd_param *params, const ifd_value *values)
{
    for (int i = 0; i < ifd_param_count(params); i++) {
        const ifd_value *v = &values[i];
        ifd__put_double(b, v->number);
        ifd__put_int(b, v->given);
        ifd__put_int(b, v->rows);
        ifd__put_int(b, v->cols);
        ifd__put_text(b, v->word);
        ifd__put_doubles(b, v->data ? (size_t)v->rows * (size_t)v->cols : 0, v->data);
    }
}

void *ifd__take(ifd__taking *t, size_t size)
{
    void *copy = NULL;
    if (!t->bad && size <= (size_t)(t->end - t->at))
        copy = ifd_arena_take(t->arena, size + 1);
    if (!copy) {
        t->bad = true;
        return NULL;
    }
    memcpy(copy, t->at, size);
    t->at += size;
    return copy;
}

static bool take_into(ifd__taking *t, void *out, size_t size)
{
    if (t->bad || size > (size_t)(t->end - t->at)) {
        t->bad = true;
        return false;
    }
    memcpy(out, t->at, size);
    t->at += size;
    return true;
}

int64_t ifd__take_int(ifd__taking *t, int64_t low, int64_t high)
{
    int64_t value;
    if (!take_into(t, &value, sizeof value))
        return 0;
    if (value < low || value > high) {
        t->bad = true;
        return 0;
    }
    return value;
}

double ifd__take_double(ifd__taking *t)
{
    double value;
    return take_into(t, &value, sizeof value) ? value : 0.0;
}

const char *ifd__take_text(ifd__taking *t)
{
    int64_t length = ifd__take_int(t, -1, INT32_MAX);
    return t->bad || length < 0 ? NULL : ifd__take(t, (size_t)length);
}

/* Whether an array of exactly count numbers follows. A count of -1 means NULL. */
static bool array_follows(ifd__taking *t, size_t count)
{
    int64_t found = ifd__take_int(t, -1, INT64_MAX);
    if (!t->bad && found >= 0 && (size_t)found != count)
        t->bad = true;
    return !t->bad && found >= 0;
}

double *ifd__take_doubles(ifd__taking *t, size_t count)
{
    bool fits = count <= (size_t)(t->end - t->at) / sizeof(double);
    return array_follows(t, count) && fits ? ifd__take(t, count * sizeof(double)) : NULL;
}

int *ifd__take_ints(ifd__taking *t, size_t count, int low, int high)
{
    bool fits = count <= (size_t)(t->end - t->at) / sizeof(int);
    int *x = array_follows(t, count) && fits ? ifd__take(t, count * sizeof(int)) : NULL;
    for (size_t i = 0; x && i < count; i++)
        t->bad = t->bad || x[i] < low || x[i] > high;
    return x;
}

ifd_value *ifd__take_values(ifd__taking *t, const ifd_param *params)
{
    int count = ifd_param_count(params);
    ifd_value *values = ifd_arena_array(t->arena, (size_t)count + 1, sizeof *values);
    for (int i = 0; values && i < count; i++) {
        ifd_value *v = &values[i];
        v->number = ifd__take_double(t);
        v->given = ifd__take_int(t, 0, 1) != 0;
        v->rows = (int)ifd__take_int(t, 0, INT16_MAX);
        v->cols = (int)ifd__take_int(t, 0, INT32_MAX);
        v->word = ifd__take_text(t);
        int64_t count_of = ifd__take_int(t, -1, INT32_MAX);
        if (!t->bad && count_of >= 0 && count_of != (int64_t)v->rows * v->cols)
            t->bad = true;
        if (!t->bad && count_of >= 0)
            v->data = ifd__take(t, (size_t)count_of * sizeof *v->data);
    }
    return values;
}

ifd_value *ifd__values_copy(ifd_arena *arena, const ifd_param *params, const ifd_value *values)
{
    int count = ifd_param_count(params);
    ifd_value *copy = ifd_arena_array(arena, (size_t)count + 1, sizeof *copy);
    for (int i = 0; copy && i < count; i++) {
        copy[i] = values[i];
        if (values[i].word && !(copy[i].word = ifd_arena_text(arena, values[i].word)))
            return NULL;
        size_t numbers = values[i].data ? (size_t)values[i].rows * (size_t)values[i].cols : 0;
        double *data = ifd_arena_array(arena, numbers, sizeof *data);
        if (!data)
            return NULL;
        if (numbers)
            memcpy(data, values[i].data, numbers * sizeof *data);
        copy[i].data = values[i].data ? data : NULL;
    }
    return copy;
}
