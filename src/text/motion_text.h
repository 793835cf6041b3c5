/* SPDX-License-Identifier: MIT */
/* The numbers of a record while its file is read; shared by the formats. */
#ifndef IFD_TEXT_MOTION_TEXT_H
#define IFD_TEXT_MOTION_TEXT_H

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
    ifd__column time, value; /* time is empty when dt says it */
    double dt;               /* s; 0 when times are given */
    char unit[32];           /* that the file states; "" when it does not */
} ifd__record_text;

ifd_status ifd__column_push(ifd__record_text *r, ifd__column *column, double x);

/* Adds an error at a line of the file. */
ifd_status ifd__record_error(ifd__record_text *r, ifd_status code, int line, const char *format, ...)
    IFD_PRINTF(4, 5);

/* Adds the error that a number was expected where first stands. */
ifd_status ifd__record_no_number(ifd__record_text *r, int line, const char *first, const char *last);

/* Whether text occurs between first and last, in any case; where, or NULL. */
const char *ifd__record_find(const char *first, const char *last, const char *text);

/* Keeps text as the file's unit, in our spelling (CM/SEC/SEC: cm/s/s), when it is one that fits. */
void ifd__record_unit(ifd__record_text *r, const char *first, const char *last);

/* The readers of the formats: fill time or dt, value and unit. */
ifd_status ifd__record_at2(ifd__record_text *r);
ifd_status ifd__record_csv(ifd__record_text *r);

#endif
