/* SPDX-License-Identifier: MIT */
/* Reads and sets parameters of an FMU that a case names. */
#include "fmi/arrays.h"
#include "fmi/preset.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *blanks(const char *p)
{
    while (isspace((unsigned char)*p))
        p++;
    return p;
}

static int find(const ifd_fmu *f, const char *name, size_t length)
{
    const ifd_fmu_facts *facts = ifd_fmu_facts_of(f);
    for (int i = 0; i < facts->variables; i++) {
        const ifd_fmu_variable *v = &facts->variable[i];
        if (strlen(v->name) == length && strncmp(v->name, name, length) == 0)
            return v->real && v->role == IFD_FMU_PARAMETER ? i : -1;
    }
    return -1;
}

/* One "name = value" at *p; p moves past it. Names of matrix elements contain commas: k[1,2]. */
static ifd_status read_one(const ifd_fmu *f, const char **p, const ifd_place *place, ifd__fmu_presets *out,
                           ifd_note *note)
{
    const char *name = blanks(*p);
    size_t length = strcspn(name, "=");
    const char *equals = name + length;
    while (length > 0 && isspace((unsigned char)name[length - 1]))
        length--;
    char *end = NULL;
    double value = *equals == '=' ? strtod(equals + 1, &end) : 0.0;
    *p = end ? blanks(end) : equals;
    if (!end || end == equals + 1 || length == 0 || (**p && **p != ',') || !isfinite(value))
        return ifd_note_add(note, IFD_SYNTAX, place,
                            "found '%.60s' in the parameters of an FMU, expected 'name = number, ...'", name);
    int at = find(f, name, length);
    if (at < 0) {
        ifd_note_add(note, IFD_UNKNOWN_NAME, place, "the FMU '%s' has no parameter '%.*s' that is one real number%s",
                     ifd_fmu_facts_of(f)->name, (int)length, name,
                     ifd_fmu_array_why(ifd_fmu_facts_of(f), name, length));
        ifd_note_hint(note, "interfield fmu FILE lists its variables");
        return IFD_UNKNOWN_NAME;
    }
    if (out->count == IFD__FMU_PRESETS)
        return ifd_note_add(note, IFD_TOO_LARGE, place, "there are more than %d parameters for one FMU",
                            IFD__FMU_PRESETS);
    out->variable[out->count] = at;
    out->value[out->count++] = value;
    return IFD_OK;
}

ifd_status ifd__fmu_presets_read(const ifd_fmu *f, const char *text, const ifd_place *place, ifd__fmu_presets *out,
                                 ifd_note *note)
{
    out->count = 0;
    for (const char *p = text ? text : ""; *p; p += *p == ',')
        IFD_TRY(read_one(f, &p, place, out, note));
    return IFD_OK;
}

bool ifd__fmu_presets_apply(ifd_fmu *f, const ifd__fmu_presets *p)
{
    return p->count == 0 || ifd_fmu_set(f, p->count, p->variable, p->value);
}

ifd_status ifd_fmu_preset_text(ifd_fmu *f, const char *text, const ifd_place *place, ifd_note *note)
{
    ifd__fmu_presets presets;
    IFD_TRY(ifd__fmu_presets_read(f, text, place, &presets, note));
    return ifd__fmu_presets_apply(f, &presets)
               ? IFD_OK
               : ifd_note_add(note, IFD_PLUGIN, place, "the FMU '%s' refuses its parameters: %s",
                              ifd_fmu_facts_of(f)->name, ifd_fmu_why(f));
}
