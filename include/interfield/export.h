/* SPDX-License-Identifier: MIT */
/* Export: a result as plain files for other programs, with names, units and a README.
 *
 *     IFD_TRY(ifd_table_read(arena, "runs/bridge-001", &table, note));
 *     IFD_TRY(ifd_export(arena, &table, "for-colleagues", IFD_EXPORT_MAT, note));
 *
 * csv: channels.csv, the first line with names and units, numbers that read back to the same doubles. mat:
 * result.mat, a MATLAB file of level 5 (MATLAB, Octave, scipy.io): one column per channel under a name that is an
 * identifier, and the cell arrays `names`, `units` and `variables` that say what each is. All in SI units. */
#ifndef INTERFIELD_EXPORT_H
#define INTERFIELD_EXPORT_H

#include <interfield/result.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ifd_export_kind { IFD_EXPORT_CSV, IFD_EXPORT_MAT } ifd_export_kind;

/* The identifier of each channel in a MATLAB file: letters, digits and underlines, at most 63, no two the same. */
IFD_API ifd_status ifd_export_names(ifd_arena *arena, const ifd_table *table, const char *const **out);

/* folder must not hold an export already (IFD_CONFLICT); it is made where it is missing. */
IFD_API ifd_status ifd_export(ifd_arena *arena, const ifd_table *table, const char *folder, ifd_export_kind kind,
                              ifd_note *note);

#ifdef __cplusplus
}
#endif
#endif
