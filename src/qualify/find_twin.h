/* SPDX-License-Identifier: MIT */
/* The twin of an actuator from its measured response. */
#pragma once

#include <interfield/characterise.h>

/* U/X = re + i im at the angular frequencies w. */
typedef struct ifd__response {
    int count;
    const double *w, *re, *im;
} ifd__response;

/* delay: s, of the whole response at low frequency, the scale of the search. */
void ifd__find_twin(const ifd__response *r, const ifd_motion_record *record, double delay, ifd_found_twin *out);

/* The step of a converter in a record of count values; 0: the values are no multiples of one. */
double ifd__find_resolution(const double *value, long count);
