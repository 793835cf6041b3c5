/* SPDX-License-Identifier: MIT */
/* Keys of `test` and of a specimen that belong to the day of a test: who, what, how much of it, and how it begins. */
#ifndef IFD_IO_KEYS_DAY_H
#define IFD_IO_KEYS_DAY_H

#include <math.h>

#include "io/keys_rows.h"

#define IFD__DAY_KEYS                                                                                                \
    TEXT("operator", false, "none", "who runs the test; for the record"),                                            \
        TEXT("specimen-id", false, "none", "which piece stands on the rig; for the record"),                         \
        TEXT("notes", false, "none", "for the record"),                                                              \
        WITHIN("scale", NONE, 1e-9, 1e6, 1, NULL,                                                                    \
               "factor on ground and support motions, loads and initial state, as of a shakedown; loads of "         \
               "preload stay as they are"),                                                                          \
        FORM("preload", false, "yes, no, or a mapping (help preload)", "no",                                         \
             "begins at the static equilibrium under the constant loads"),                                           \
        WITHIN("checkpoint-every", TIME, 1e-3, 1e7, (double)INFINITY, "on hold and on order only",                   \
               "of wall clock: the state from which --continue goes on"),                                            \
        WITHIN("missed-deadlines", NONE, 0, 1e15, INFINITY, "any number",                                            \
               "late ticks that a completed test may have; above it the exit status is 3 (help exit)"),              \
        FORM("characterise", false, "a mapping (help characterise)", "presets",                                      \
             "the motions of `interfield characterise`")

#define IFD__FORCE_OFFSET_KEY                                                                                        \
    FORM("force-offset", false, "keep or tare", "must be said where there is a preload",                             \
         "whether the force measured at the static position counts, or is taken off")

extern const ifd__key ifd__preload_keys[], ifd__characterise_keys[];

#endif
