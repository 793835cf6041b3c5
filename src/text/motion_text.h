/* SPDX-License-Identifier: MIT */
/* The numbers of a record during reading; shared by the formats. */
#pragma once

#include "text/file.h"
#include "text/motion_file.h"

typedef struct ifd__column {
    double *x;
    int count, room;
} ifd__column;

typedef struct ifd__record_text {
    ifd_arena *arena;
    const ifd__record_options *ask;
    ifd__file file;
    ifd_note *note;
    ifd__column time, value; /* time is empty if dt is set */
    double dt;               /* s; 0 if times are given */
    char unit[32];           /* the unit in the file; "" without one */
    char other[32];          /* one of another quantity, not of time, or an unknown one; "" without */
    bool other_known;
} ifd__record_text;

ifd_status ifd__column_push(ifd__record_text *r, ifd__column *column, double x);

/* Adds an error at a line of the file. */
ifd_status ifd__record_error(ifd__record_text *r, ifd_status code, int line, const char *format, ...)
    IFD_PRINTF(4, 5);

/* Adds the error that a number is expected at first. */
ifd_status ifd__record_no_number(ifd__record_text *r, int line, const char *first, const char *last);

/* First occurrence of text between first and last, ignoring case; NULL: none. */
const char *ifd__record_find(const char *first, const char *last, const char *text);

/* Stores text as the unit of the file, in the spelling of this program (CM/SEC/SEC: cm/s/s), if it is a unit of the
 * dimension; otherwise as another unit. */
void ifd__record_unit(ifd__record_text *r, const char *first, const char *last);

/* Readers of the formats: they set time or dt, value and unit. */
ifd_status ifd__record_at2(ifd__record_text *r);
ifd_status ifd__record_csv(ifd__record_text *r);
