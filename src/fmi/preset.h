/* SPDX-License-Identifier: MIT */
/* Parameters of an FMU in a case: "k = 20, c = 1.5". */
#pragma once

#include <interfield/fmu.h>

enum { IFD__FMU_PRESETS = 32 };

typedef struct ifd__fmu_presets {
    int count;
    int variable[IFD__FMU_PRESETS];
    double value[IFD__FMU_PRESETS];
} ifd__fmu_presets;

/* text may be NULL: none. The numbers have the units of the FMU. */
ifd_status ifd__fmu_presets_read(const ifd_fmu *f, const char *text, const ifd_place *place, ifd__fmu_presets *out,
                                 ifd_note *note);
/* Call it before the FMU begins, and again after a reset. */
bool ifd__fmu_presets_apply(ifd_fmu *f, const ifd__fmu_presets *p);
