/* SPDX-License-Identifier: MIT */
/* Superelement: a large linear structure reduced to a small one, stable and passive by construction, with a bound on
 * its error (certificate.h). The order grows until the bound meets the tolerance. */
#pragma once

#include "superelement/certificate.h"
#include "superelement/diagonal.h"

typedef struct ifd__superelement_goal {
    double frequency; /* Hz, of the range 0 .. frequency */
    double tolerance; /* of the certificate's bound */
    double shift;     /* Hz; 0: 0.3 of the frequency, or 0.75 of it where that needs a smaller order */
    int order;        /* 0: the smallest that meets the tolerance; else this one */
    int most;         /* largest order; the static shapes of interface, inputs and rows may exceed it */
} ifd__superelement_goal;

typedef struct ifd__superelement {
    ifd__physical form;
    ifd__certificate certificate;
    double shift;  /* Hz */
    bool complete; /* exact for its inputs */
} ifd__superelement;

/* Set-up only. A tolerance that is not met at the largest order is no error: compare the certificate. */
ifd_status ifd__superelement_make(ifd_arena *arena, const ifd__linear_structure *of,
                                  const ifd__superelement_goal *goal, ifd__superelement *out, ifd_note *note);
