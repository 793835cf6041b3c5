/* SPDX-License-Identifier: MIT */
/* The sections of a test's day. */
#include <stddef.h>

#include "io/keys_day.h"

#define BETWEEN(n, low, high, p, text)                                                                               \
    {                                                                                                                \
        .param = {.name = n, .range = IFD_RANGE_WITHIN, .min = low, .max = high, .preset = p, .doc = text }          \
    }

const ifd__key ifd__preload_keys[] = {
    WITHIN("tolerance", LENGTH, 1e-12, 10, 0, "1e-6 of the stroke",
           "largest correction that is left, besides three standard errors of the measured force"),
    BETWEEN("iterations", 1, 1000, 20, "each a ramp and a rest, at most"), END};

const ifd__key ifd__characterise_keys[] = {
    BETWEEN("stroke-share", 1e-4, 0.5, 0.02, "amplitude, of the way to the nearer end of the stroke"),
    BETWEEN("velocity-share", 1e-3, 0.9, 0.3, "peak velocity, of its limit"),
    BETWEEN("acceleration-share", 1e-3, 0.9, 0.5, "peak acceleration, of its limit"),
    WITHIN("slowest", FREQUENCY, 1e-4, 1e4, 0.5, NULL, "lowest frequency of the sweep; its period is the sweep's"),
    WITHIN("fastest", FREQUENCY, 1e-3, 1e5, 10, NULL, "highest frequency of the sweep"),
    BETWEEN("periods", 2, 100, 4, "of the sweep, after one that is not used"),
    WITHIN("quiet", TIME, 1e-3, 1e5, 1, NULL, "rest in which the noise is measured"),
    WITHIN("cycle", TIME, 1e-3, 1e5, 4, NULL, "duration of the slow cycle"),
    WORD("compensation", "polynomial|taylor|inverse-1|inverse-2|inverse-3|none", "that the fragment chooses"),
    END};
