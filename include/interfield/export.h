/* SPDX-License-Identifier: MIT */
/* Export: a result as plain files for other programs and for data repositories, with names, units and a README.
 *
 *     ifd_export_options o;
 *     ifd_export_defaults(&o);
 *     o.folder = "for-colleagues";
 *     IFD_TRY(ifd_table_read(arena, "runs/bridge-001", &table, note));
 *     IFD_TRY(ifd_export(arena, &table, &o, note));
 *
 * csv: channels.csv, the first line with names and units, numbers that read back to the same doubles. mat:
 * result.mat, a MATLAB file of level 5 (MATLAB, Octave, scipy.io): one variable per column under a name that is an
 * identifier, and the cell arrays `names`, `units` and `variables` that say what each is. All in SI units. Time is
 * simulated time; a test has wall-clock time as its first column.
 *
 * datapackage.json describes the files for machines: a Data Package (specs.frictionlessdata.io) with title, authors,
 * licence and keywords, every column with its unit, and under `sensors` the calibration of the channels. */
#ifndef INTERFIELD_EXPORT_H
#define INTERFIELD_EXPORT_H

#include <interfield/result.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ifd_export_kind { IFD_EXPORT_CSV, IFD_EXPORT_MAT } ifd_export_kind;

/* Texts and pointers are NULL where nothing is known. */
typedef struct ifd_export_options {
    ifd_export_kind kind;
    const char *folder;                 /* must not hold an export already; it is made where it is missing */
    const char *name;                   /* of the package, as its result is called */
    const ifd_publication *publication; /* authors, licence, ... */
    const ifd_channel_map *sensors;
    const char *started;             /* UTC */
    const char *operated, *specimen; /* by whom, and which piece stood on the rig */
} ifd_export_options;
IFD_API void ifd_export_defaults(ifd_export_options *o);

/* The identifier of each column in a MATLAB file: letters, digits and underlines, at most 63, no two the same. */
IFD_API ifd_status ifd_export_names(ifd_arena *arena, const ifd_table *table, const char *const **out);

/* IFD_CONFLICT when one of the files is there already. */
IFD_API ifd_status ifd_export(ifd_arena *arena, const ifd_table *table, const ifd_export_options *o, ifd_note *note);

#ifdef __cplusplus
}
#endif
#endif
