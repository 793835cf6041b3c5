/* SPDX-License-Identifier: MIT */
/* Ground-motion files: PEER AT2 in its common variants, and CSV with one column (values at a constant interval) or
 * two (time, value). The content identifies the kind: a line with NPTS marks an AT2 file.
 *
 *     ifd__record r;
 *     ifd__record_options opt = {.dim = IFD_DIM_ACCELERATION};
 *     IFD_TRY(ifd__record_read(arena, "elcentro.AT2", &opt, &r, note));
 *
 * Times that are equally spaced within 2 % of the interval, the precision of printed times, give a constant
 * interval. Other times do not change. */
#pragma once

#include <interfield/arena.h>
#include <interfield/signal.h>

typedef struct ifd__record_options {
    ifd_place place;  /* positions of the record, unit and interval in the case, for messages */
    const char *unit; /* of the values; NULL: the unit in the file, or SI without one (g in an AT2) */
    ifd_place unit_place;
    double dt; /* s, for a file of one column; 0: not given */
    ifd_place dt_place;
    ifd_dimension dim;          /* of the values: acceleration, displacement or force */
    struct ifd__bundle *bundle; /* contains the file; may be NULL */
} ifd__record_options;

typedef struct ifd__record {
    ifd_samples samples; /* SI */
    double peak;         /* largest |value|, SI */
    const char *unit;    /* the unit of the file that was used; "" for SI by default */
} ifd__record;

/* Errors, with file and line: IFD_FILE, IFD_RECORD, IFD_NOT_FINITE, IFD_UNIT, IFD_MISSING_KEY (dt), IFD_CONFLICT (dt
 * or unit differs from the file). */
ifd_status ifd__record_read(ifd_arena *arena, const char *path, const ifd__record_options *options, ifd__record *out,
                            ifd_note *note);
