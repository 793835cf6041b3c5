/* SPDX-License-Identifier: MIT */
#ifndef IFD_RECORD_EXPORT_H
#define IFD_RECORD_EXPORT_H

#include <stdio.h>

#include <interfield/export.h>

/* Whole files; false when something could not be written. name: identifiers of the channels. */
bool ifd__export_csv(FILE *out, const ifd_table *t);
bool ifd__export_mat(FILE *out, const ifd_table *t, const char *const *name);

/* datapackage.json, when the file that it describes is there. */
bool ifd__export_package(ifd_arena *arena, FILE *out, const ifd_table *t, const ifd_export_options *o,
                         const char *const *name);
bool ifd__export_readme(FILE *out, const ifd_table *t, const ifd_export_options *o, const char *const *name);
/* "channels.csv", "result.mat" */
const char *ifd__export_file(ifd_export_kind kind);

/* Files of an export: the folder is made where it is missing; a new file never takes the place of one that is there
 * (IFD_CONFLICT); finish closes it, and fails when something was not written. */
ifd_status ifd__export_folder(const char *folder, ifd_note *note);
ifd_status ifd__export_create(ifd_arena *arena, const char *folder, const char *name, FILE **out, const char **path,
                              ifd_note *note);
ifd_status ifd__export_finish(FILE *file, bool good, const char *path, ifd_note *note);

#endif
