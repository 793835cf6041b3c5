/* SPDX-License-Identifier: MIT */
/* Finds sections and keys of a case file in their tables. */
#include "case/keys.h"

#include <string.h>

const ifd__key ifd__no_keys[] = {END};

const ifd__section ifd__section_units = {
    "units",
    "Units",
    "",
    "A number may have a unit of its dimension: products and quotients of known units with SI prefixes, exponents "
    "as in `m2` or `m^2`. `g` is the acceleration of gravity, 9.80665 m/s2. A frequency is in Hz; a value in rad/s "
    "is divided by 2 pi. A plain number may be in per cent (`2 %`). Every number is 0, or its magnitude is in the "
    "range of its dimension, in SI units; most keys have a narrower range.",
    ifd__no_keys,
    "loads: [{at: x1, force: 2 kN}]\n"};

#define SECTION(name) extern const ifd__section ifd__section_##name;
#include "case/sections.def"
#undef SECTION

#define SECTION(name) &ifd__section_##name,
const ifd__section *const ifd__sections[] = {
#include "case/sections.def"
    NULL};
#undef SECTION

const ifd__section *ifd__section_find(const char *topic)
{
    for (int i = 0; ifd__sections[i]; i++)
        if (strcmp(ifd__sections[i]->topic, topic) == 0)
            return ifd__sections[i];
    return NULL;
}

const ifd__key *ifd__key_find(const ifd__key *keys, const char *name)
{
    for (; keys->param.name; keys++)
        if (strcmp(keys->param.name, name) == 0)
            return keys;
    return NULL;
}

bool ifd__param_hidden(const ifd_param *p)
{
    return p->doc && strncmp(p->doc, "set from ", 9) == 0;
}
