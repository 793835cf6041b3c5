/* SPDX-License-Identifier: MIT */
#ifndef IFD_IO_EXPORT_H
#define IFD_IO_EXPORT_H

#include <stdio.h>

#include <interfield/export.h>

/* Whole files; false when something could not be written. name: identifiers of the channels. */
bool ifd__export_csv(FILE *out, const ifd_table *t);
bool ifd__export_mat(FILE *out, const ifd_table *t, const char *const *name);

#endif
