/* SPDX-License-Identifier: MIT */
/* Keys of a test that say when a position is believed: frozen, and enough to be armed. */
#ifndef IFD_IO_KEYS_ARM_H
#define IFD_IO_KEYS_ARM_H

#include "io/keys_rows.h"

#define IFD__ARM_KEYS                                                                                                \
    WITHIN("frozen-limit", NONE, 1, 1e9, 200, NULL, "ticks in a row with one position or force before a trip"),      \
        WITHIN("arm-timeout", TIME, 0.01, 1e6, 60, NULL, "after which a test ends that cannot be armed"),            \
        WITHIN("arm-samples", NONE, 2, 1e6, 10, "10, and those of 0.1 s at least",                                   \
               "measured positions in a row that must agree before a test is armed"),                                \
        WITHIN("arm-spread", NONE, 1e-6, 0.1, 0.005, NULL, "by which they may scatter, as a fraction of the stroke")

#endif
