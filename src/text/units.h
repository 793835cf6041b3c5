/* SPDX-License-Identifier: MIT */
/* Quantities as people write them: a number, perhaps a unit. "1 ms", "0.2 g", "6.67e7 N/m", "25 kN s/m", "5 %".
 *
 * A unit is a product of known units with SI prefixes, each with an exponent (m2, m^2, s^-1); a slash
 * divides by the one unit, or the one pair of brackets, behind it. `g` is the acceleration of gravity,
 * 9.80665 m/s2, never the gram. A frequency is in Hz: one written in rad/s is divided by 2 pi, an angular
 * rate written in Hz is multiplied by it. */
#ifndef IFD_TEXT_UNITS_H
#define IFD_TEXT_UNITS_H

#include <stdbool.h>

#include <interfield/param.h>

typedef struct ifd__unit {
    double factor;            /* to SI */
    int m, kg, s, rad, cycle; /* exponents; Hz counts as cycle / s */
} ifd__unit;

/* Reads a unit ("" is the plain one). When it fails, bad (at least 32 characters) gets the part that is not known. */
bool ifd__unit_parse(const char *text, ifd__unit *out, char *bad);

/* Whether a unit fits a dimension, and the factor to SI for that dimension. */
bool ifd__unit_fits(const ifd__unit *unit, ifd_dimension dim, double *factor);

/* A decimal number at *at, not beyond limit, in any locale; Fortran's exponent letter D is taken too. Moves *at
 * behind it. False, and *at untouched, when there is none. */
bool ifd__number_read(const char **at, const char *limit, double *out);
/* Whether a word for what is no finite number stands there, as nan, -inf or .inf. */
bool ifd__number_not_finite(const char *first, const char *last);

/* A number with or without unit, in SI. what names it in messages. Errors: IFD_NUMBER, IFD_NOT_FINITE, IFD_UNIT. */
ifd_status ifd__quantity_read(const char *text, ifd_dimension dim, const char *what, const ifd_place *place,
                              double *out, ifd_note *note);

#endif
