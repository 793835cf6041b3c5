/* SPDX-License-Identifier: MIT */
/* Expands arrays of FMI 3 to single variables and packs them again. */
#include "fmi/arrays.h"
#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sizes of all dimensions and the number of elements; 0 if they are unknown or too many. */
static int count_of(const ifd__fmu_shape *s, const ifd__fmu_shape *all, const ifd_fmu_facts *facts, int *size)
{
    uint64_t count = 1;
    if (s->dimensions > IFD__FMU_DIMENSIONS)
        return 0;
    for (int d = 0; d < s->dimensions; d++) {
        uint64_t n = s->of[d].fixed ? s->of[d].size : 0;
        for (int i = 0; i < facts->variables && !s->of[d].fixed; i++)
            if (all[i].structural && facts->variable[i].reference == s->of[d].size)
                n = all[i].its_number;
        if (n == 0 || n > IFD__FMU_AT_ONCE || (count *= n) > IFD__FMU_AT_ONCE)
            return 0;
        size[d] = (int)n;
    }
    return (int)count;
}

/* "u[2]", "A[1,2]": the name of an element. */
static const char *name_of(ifd_arena *arena, const char *name, const int *size, int dimensions, int place)
{
    int index[IFD__FMU_DIMENSIONS];
    for (int d = dimensions - 1; d >= 0; d--) {
        index[d] = place % size[d] + 1;
        place /= size[d];
    }
    for (int d = 0; d < dimensions && name; d++)
        name = ifd_arena_print(arena, "%s%c%d%s", name, d == 0 ? '[' : ',', index[d], d == dimensions - 1 ? "]" : "");
    return name;
}

/* The next number of a list in *text; the last one is used for the remaining elements. */
static void take_start(const char **text, ifd_fmu_variable *v)
{
    char *end = NULL;
    double number = *text ? strtod(*text, &end) : 0.0;
    if (end && end != *text && isfinite(number)) {
        v->start = number;
        *text = end;
    }
}

ifd_status ifd__fmu_arrays_expand(ifd_arena *arena, const ifd__fmu_shape *shape, ifd_fmu_facts *facts)
{
    size_t total = 0;
    int size[IFD__FMU_DIMENSIONS];
    for (int i = 0; i < facts->variables; i++) {
        int n = shape[i].dimensions > 0 && facts->variable[i].real ? count_of(&shape[i], shape, facts, size) : 1;
        total += n > 0 ? (size_t)n : 1;
    }
    ifd_fmu_variable *list;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(list, total + 1)));
    int at = 0;
    for (int i = 0; i < facts->variables; i++) {
        const ifd_fmu_variable *v = &facts->variable[i];
        int n = shape[i].dimensions > 0 && v->real ? count_of(&shape[i], shape, facts, size) : 0;
        const char *start = shape[i].start;
        for (int k = 0; k < (n > 0 ? n : 1); k++) {
            ifd_fmu_variable *w = &list[at++];
            *w = *v;
            w->real = v->real && (n > 0 || shape[i].dimensions == 0);
            w->elements = n > 0 ? n : shape[i].dimensions > 0 ? 0 : 1;
            w->element = k;
            if (n == 0)
                continue;
            w->name = name_of(arena, v->name, size, shape[i].dimensions, k);
            w->start = k > 0 ? w[-1].start : 0.0;
            take_start(&start, w);
            if (!w->name)
                return IFD_NO_MEMORY;
        }
    }
    facts->variable = list;
    facts->variables = at;
    return IFD_OK;
}

const char *ifd_fmu_array_why(const ifd_fmu_facts *facts, const char *name, size_t length)
{
    const char *bracket = memchr(name, '[', length);
    size_t base = bracket ? (size_t)(bracket - name) : length;
    for (int i = 0; i < facts->variables; i++) {
        const ifd_fmu_variable *v = &facts->variable[i];
        if (v->elements == 0 && strlen(v->name) == base && strncmp(v->name, name, base) == 0)
            return ": it is an array of more than 64 numbers, of unknown size or of another type";
    }
    return "";
}

bool ifd__fmu_pack_make(const ifd_fmu_facts *facts, int count, const int *variable, bool single, ifd__fmu_pack *out)
{
    out->references = out->values = 0;
    for (int i = 0; i < count; i++) {
        const ifd_fmu_variable *v = &facts->variable[variable[i]];
        int k = 0;
        if (v->single != single)
            continue;
        while (k < out->references && out->reference[k] != v->reference)
            k++;
        if (k < out->references)
            continue;
        if (out->values + v->elements > IFD__FMU_AT_ONCE)
            return false;
        out->reference[k] = v->reference;
        out->first[k] = out->values;
        out->variable[k] = variable[i] - v->element;
        out->values += v->elements;
        out->references++;
    }
    return true;
}

double *ifd__fmu_pack_at(ifd__fmu_pack *p, const ifd_fmu_variable *v)
{
    int k = 0;
    while (k < p->references && p->reference[k] != v->reference)
        k++;
    return &p->value[(k < p->references ? p->first[k] : 0) + v->element];
}
