/* SPDX-License-Identifier: MIT */
/* What a file is by its content, for messages about a file of a wrong kind. */
#pragma once

#include "text/file.h"

typedef enum ifd__file_kind {
    IFD__KIND_TEXT,
    IFD__KIND_NUMBERS, /* CSV and other tables */
    IFD__KIND_RECORD,  /* PEER */
    IFD__KIND_WORDS,   /* no line begins with a number */
    IFD__KIND_YAML,    /* the same, and its first line is "key: ..." */
    IFD__KIND_JSON,
    IFD__KIND_MATRIX, /* Matrix Market */
    IFD__KIND_HDF5,
    IFD__KIND_ZIP,
    IFD__KIND_PROGRAM,
    IFD__KIND_BINARY
} ifd__file_kind;

ifd__file_kind ifd__file_kind_of(const ifd__file *file);
/* "a Matrix Market file" */
const char *ifd__file_kind_text(ifd__file_kind kind);
