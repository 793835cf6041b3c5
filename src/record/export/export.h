/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>

#include <interfield/export.h>

/* Write whole files; false if a write failed. name: identifiers of the columns. */
bool ifd__export_mat(FILE *out, const ifd_table *t, const char *const *name);

/* datapackage.json, written after the file that it describes. */
bool ifd__export_package(ifd_arena *arena, FILE *out, const ifd_table *t, const ifd_export_options *o,
                         const char *const *name);
bool ifd__export_readme(FILE *out, const ifd_table *t, const ifd_export_options *o, const char *const *name);
/* "columns.csv", "result.mat" */
const char *ifd__export_file(ifd_export_kind kind);

/* Files of an export. The folder is made if it is missing. An existing file is never replaced (IFD_CONFLICT). finish
 * closes the file, and fails if a write failed. */
ifd_status ifd__export_folder(const char *folder, ifd_note *note);
ifd_status ifd__export_create(ifd_arena *arena, const char *folder, const char *name, FILE **out, const char **path,
                              ifd_note *note);
ifd_status ifd__export_finish(FILE *file, bool good, const char *path, ifd_note *note);
