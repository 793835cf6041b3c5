/* SPDX-License-Identifier: MIT */
/* Quantities in text: a number with an optional unit. "1 ms", "0.2 g", "6.67e7 N/m", "25 kN s/m", "5 %".
 *
 * A unit is a product of known units with SI prefixes, each with an exponent (m2, m^2, s^-1). A slash divides by the
 * one unit, or the one pair of brackets, after it. `g` is the acceleration of gravity, 9.80665 m/s2, never the gram.
 * A frequency is in Hz: a value in rad/s is divided by 2 pi; an angular rate in Hz is multiplied by 2 pi. */
#pragma once

#include <stdbool.h>

#include <interfield/param.h>

typedef struct ifd__unit {
    double factor;            /* to SI */
    int m, kg, s, rad, cycle; /* exponents; Hz is cycle / s */
} ifd__unit;

/* Parses a unit; "" is dimensionless. On failure, bad (at least 32 characters) gets the unknown part. */
bool ifd__unit_parse(const char *text, ifd__unit *out, char *bad);

/* Whether a unit fits a dimension, and the factor to SI for that dimension. */
bool ifd__unit_fits(const ifd__unit *unit, ifd_dimension dim, double *factor);

/* A decimal number at *at, not past limit, in any locale; the Fortran exponent letter D is accepted. Moves *at past
 * it. If there is no number, returns false and does not change *at. */
bool ifd__number_read(const char **at, const char *limit, double *out);
/* Whether the text is a word for a number that is not finite, such as nan, -inf or .inf. */
bool ifd__number_not_finite(const char *first, const char *last);

/* A number with or without unit, in SI. what is its name in messages. Errors: IFD_NUMBER, IFD_NOT_FINITE,
 * IFD_UNIT. */
ifd_status ifd__quantity_read(const char *text, ifd_dimension dim, const char *what, const ifd_place *place,
                              double *out, ifd_note *note);
