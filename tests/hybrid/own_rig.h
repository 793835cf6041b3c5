/* SPDX-License-Identifier: MIT */
/* A rig that a test writes itself, without settings and without state in the array of the test: only its measurements
 * and commands matter. */
#pragma once

#include <interfield/exchange.h>

__attribute__((unused)) static ifd_status own_rig_open(ifd_rig *r, const ifd_value *values, ifd_arena *memory,
                                                       ifd_note *errors)
{
    (void)values, (void)memory, (void)errors;
    r->size = 0;
    return IFD_OK;
}

/* word: "virtual" where limits may be absent, as nothing moves iron. */
#define OWN_RIG(word, measures, receives)                                                                            \
    {                                                                                                                \
        .abi = IFD_RIG_ABI, .name = word, .summary = "a rig of this test", .open = own_rig_open, .sense = measures,  \
        .command = receives                                                                                          \
    }
