/* SPDX-License-Identifier: MIT */
/* Ground-motion files: PEER AT2 in the variants found in the wild, and CSV of one column (values at a constant
 * interval) or two (time, value). What kind a file is, its text says: a line with NPTS makes it an AT2.
 *
 *     ifd__record r;
 *     ifd__record_options opt = {.dim = IFD_DIM_ACCELERATION};
 *     IFD_TRY(ifd__record_read(arena, "elcentro.AT2", &opt, &r, note));
 *
 * Times that are equally spaced to 2 % of the interval, which is what printed times are, give a constant interval;
 * others are kept as they are. */
#ifndef IFD_TEXT_MOTION_FILE_H
#define IFD_TEXT_MOTION_FILE_H

#include <interfield/arena.h>
#include <interfield/signal.h>

typedef struct ifd__record_options {
    ifd_place place;  /* where the record was asked for, the unit and the interval: for messages */
    const char *unit; /* of the values; NULL: as the file says, SI when it does not (g in an AT2) */
    ifd_place unit_place;
    double dt; /* s, for a file of one column; 0: not given */
    ifd_place dt_place;
    ifd_dimension dim;          /* of the values: an acceleration, a displacement, a force */
    struct ifd__bundle *bundle; /* that keeps the file; may be NULL */
} ifd__record_options;

typedef struct ifd__record {
    ifd_samples samples; /* SI */
    double peak;         /* largest |value|, SI */
    const char *unit;    /* that the file was taken to be in; "" for SI because nobody said */
} ifd__record;

/* Errors, with file and line: IFD_FILE, IFD_RECORD, IFD_NOT_FINITE, IFD_UNIT, IFD_MISSING_KEY (dt), IFD_CONFLICT (dt
 * or unit differs from what the file says). */
ifd_status ifd__record_read(ifd_arena *arena, const char *path, const ifd__record_options *options, ifd__record *out,
                            ifd_note *note);

#endif
