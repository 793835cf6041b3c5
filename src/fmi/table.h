/* SPDX-License-Identifier: MIT */
/* The variables of an exported FMU: its description (both versions) and its image follow from this table. The
 * position of a row is its value reference. */
#pragma once

#include <interfield/fmi.h>

#include "fmi/image.h"

typedef struct ifd__fmu_variable {
    ifd__fmu_class kind;
    int index;
    const char *name, *unit, *text;
    double start;
    ifd_range range; /* of a parameter, as in its element */
    double min, max;
    bool feels; /* depends directly on inputs */
} ifd__fmu_variable;

typedef struct ifd__fmu_table {
    int count, tunables, channels, grounds;
    ifd__fmu_channel *channel;
    ifd__fmu_variable *row;
    ifd__fmu_tunable *tunable;
    int ground[3];
} ifd__fmu_table;

ifd_status ifd__fmu_table_make(ifd_arena *arena, const ifd_fmu_options *o, ifd__fmu_table *out);

/* The name of the SI unit of a dimension, defined in every description; NULL if it depends on the use. */
const char *ifd__fmu_unit(ifd_dimension dim);

/* modelDescription.xml; NULL: no memory. */
const char *ifd__fmu_describe(ifd_arena *arena, const ifd_fmu_options *o, const ifd__fmu_table *t, const char *token);
