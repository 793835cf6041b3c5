/* SPDX-License-Identifier: MIT */
/* Matrix Market files (Boisvert, Pozo, Remington 1996): coordinate and array format, real and integer numbers,
 * general and symmetric storage. pattern, complex, skew-symmetric and hermitian are refused. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include <interfield/arena.h>
#include <interfield/status.h>

#include "text/file.h"

typedef struct ifd__mtx {
    int rows, cols, count;
    const int *row, *col; /* count, from 0; both triangles of a symmetric matrix; sorted by column, then row */
    const double *value;
    bool symmetric;       /* stored as symmetric, or equal to its transpose within 1e-12 of its largest entry */
    int odd_row, odd_col; /* an entry without an equal transposed entry, if the matrix is square and not symmetric */
    int digits;           /* largest number of significant digits of an entry */
} ifd__mtx;

/* Parses a file that has been read. Zero entries of an array are omitted; duplicate entries are added. Errors with
 * file and line: IFD_MATRIX, IFD_NOT_FINITE, IFD_UNSUPPORTED, IFD_TOO_LARGE. */
ifd_status ifd__mtx_parse(ifd_arena *arena, const ifd__file *file, ifd__mtx *out, ifd_note *note);

/* The same of a full matrix in a CSV file: its rows below an optional header line, numbers separated by commas or
 * semicolons, with decimal commas only between semicolons. Zero entries are omitted. Errors with file and line:
 * IFD_MATRIX, IFD_NOT_FINITE. */
ifd_status ifd__matrix_csv_parse(ifd_arena *arena, const ifd__file *file, ifd__mtx *out, ifd_note *note);

/* Significant digits of a number as written, without trailing zeros. */
int ifd__mtx_digits(const char *first, const char *last);

/* Writes coordinate format with all digits; only the lower triangle if symmetric. comment may be NULL. False if the
 * stream fails. */
bool ifd__mtx_write(FILE *stream, const ifd__mtx *matrix, const char *comment);
