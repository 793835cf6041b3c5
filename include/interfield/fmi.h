/* SPDX-License-Identifier: MIT */
/* FMI: export of a model with its method as a co-simulation FMU of version 2.0 or 3.0 (docs/guide/fmi.md).
 *
 *     ifd_fmu_options o = {
 *         .version = 2, .identifier = "bridge", .runtime = ".../fmu_runtime2.so", .model = model, .step = step};
 *     IFD_TRY(ifd_fmu_export(arena, &o, "bridge.fmu", note));
 *
 * The FMU contains the renamed runtime, and the model with its factors as data; no compiler is needed. Its steps are
 * bit-identical to those of a run on the same kind of processor. External components act at interface rows: the FMU
 * outputs the deformation u_to - u_from with its rates, and its input is the force that resists it. */
#ifndef INTERFIELD_FMI_H
#define INTERFIELD_FMI_H

#include <interfield/method.h>

IFD_BEGIN_DECLS

typedef struct ifd_fmu_row {
    const char *name;
    int from, to;              /* dofs or IFD_GROUND */
    const ifd_coordinate *row; /* of a chord, as in ifd_specimen; NULL: from and to */
} ifd_fmu_row;

typedef struct ifd_fmu_options {
    int version;            /* 2 or 3 */
    const char *identifier; /* a C identifier: name of the binary */
    const char *title;      /* human-readable; NULL: the identifier */
    const char *runtime;    /* the file fmu_runtime2.so or fmu_runtime3.so */
    const ifd_model *model;
    ifd_step_options step;
    double end; /* s, of the default experiment; 0: none */
    int rows;
    const ifd_fmu_row *row;
    const double *devices; /* number of devices per row, each with the force f[i]; NULL: one */
    int dofs;              /* number of dofs with displacement, velocity and acceleration as additional outputs */
    const int *dof;
} ifd_fmu_options;

/* Writes the archive; an existing file is refused. IFD_UNSUPPORTED for methods and elements that need a library at
 * run time. */
IFD_API ifd_status ifd_fmu_export(ifd_arena *arena, const ifd_fmu_options *o, const char *path, ifd_note *note);

IFD_END_DECLS
#endif
