/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "io/keys_mounted.h"

const ifd__key ifd__mass_keys[] = {
    {.param = {.name = "mass",
               .dim = IFD_DIM_ANY,
               .range = IFD_RANGE_WITHIN,
               .min = 1e-9,
               .max = 1e12,
               .required = true,
               .doc = "kg, or kg m2 of a rotation: between load cell and specimen, and the specimen's own"}},
    WORD("handled", "left|taken-out", "who feels its inertia: the load cell alone, or the computed part alone"),
    {.param = {.name = "input",
               .range = IFD_RANGE_WITHIN,
               .min = 0,
               .max = 31,
               .preset = -1,
               .doc = "auxiliary input of the rig that shows its acceleration in m/s2; taken-out needs it"},
     .preset = "that of the channel's own accelerometer on the virtual rig"},
    END};
