/* SPDX-License-Identifier: MIT */
/* Export: a result as plain files for other programs and data repositories, with names, units and a README.
 *
 *     ifd_export_options o;
 *     ifd_export_defaults(&o);
 *     o.folder = "for-colleagues";
 *     IFD_TRY(ifd_table_read(arena, "runs/bridge-001", &table, note));
 *     IFD_TRY(ifd_export(arena, &table, &o, note));
 *
 * csv: columns.csv, with names and units in the first line and exact decimal numbers. mat: result.mat, a MATLAB file
 * of level 5 (MATLAB, Octave, scipy.io), with one variable per column. The cell arrays `names`, `units` and
 * `variables` describe the variables. All in SI units. Time is simulated time; the first column of a test is
 * wall-clock time.
 *
 * datapackage.json describes the files in machine-readable form: a Data Package (specs.frictionlessdata.io) with
 * title, authors, licence, keywords, the unit of every column, and under `sensors` the calibration of the
 * channels. */
#ifndef INTERFIELD_EXPORT_H
#define INTERFIELD_EXPORT_H

#include <interfield/result.h>

IFD_BEGIN_DECLS

typedef enum ifd_export_kind { IFD_EXPORT_CSV, IFD_EXPORT_MAT } ifd_export_kind;

/* Texts and pointers are NULL if unknown. */
typedef struct ifd_export_options {
    ifd_export_kind kind;
    const char *folder;                 /* created if missing; must not contain an export */
    const char *name;                   /* of the package: the name of the result */
    const ifd_publication *publication; /* authors, licence, ... */
    const ifd_channel_map *sensors;
    const char *started;             /* UTC */
    const char *operated, *specimen; /* operator; identification of the specimen */
} ifd_export_options;
IFD_API void ifd_export_defaults(ifd_export_options *o);

/* The identifier of each column in a MATLAB file: letters, digits and underscores, at most 63 characters, unique. */
IFD_API ifd_status ifd_export_names(ifd_arena *arena, const ifd_table *table, const char *const **out);

/* IFD_CONFLICT: one of the files already exists. */
IFD_API ifd_status ifd_export(ifd_arena *arena, const ifd_table *table, const ifd_export_options *o, ifd_note *note);

IFD_END_DECLS
#endif
