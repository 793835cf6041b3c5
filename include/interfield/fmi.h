/* SPDX-License-Identifier: MIT */
/* FMI: a model with its method as a co-simulation FMU of version 2.0 or 3.0 (docs/fmi.md).
 *
 *     ifd_fmu_options o = {
 *         .version = 2, .identifier = "bridge", .runtime = ".../fmu_runtime2.so", .model = model, .step = step};
 *     IFD_TRY(ifd_fmu_export(arena, &o, "bridge.fmu", note));
 *
 * The FMU carries the runtime, renamed, and the model as data with its factors: no compiler is needed, and its steps
 * give the bits that a run gives on the same kind of processor. What stands outside meets the model at interface
 * rows: the FMU puts out the stretch u_to - u_from with its rates and takes the force that resists it. */
#ifndef INTERFIELD_FMI_H
#define INTERFIELD_FMI_H

#include <interfield/method.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ifd_fmu_row {
    const char *name;
    int from, to; /* dofs or IFD_GROUND */
} ifd_fmu_row;

typedef struct ifd_fmu_options {
    int version;            /* 2 or 3 */
    const char *identifier; /* a C identifier: the name of the binary */
    const char *title;      /* for people; NULL: the identifier */
    const char *runtime;    /* the file fmu_runtime2.so or fmu_runtime3.so */
    const ifd_model *model;
    ifd_step_options step;
    double end; /* s, of the default experiment; 0: none */
    int rows;
    const ifd_fmu_row *row;
    const double *devices; /* per row, or NULL: how many devices stand there, each of them with the force f[i] */
    int dofs; /* whose displacement, velocity and acceleration are put out besides */
    const int *dof;
} ifd_fmu_options;

/* Writes the archive; a file that exists is refused. IFD_UNSUPPORTED for methods and elements
 * that need a library at run time. */
IFD_API ifd_status ifd_fmu_export(ifd_arena *arena, const ifd_fmu_options *o, const char *path, ifd_note *note);

#ifdef __cplusplus
}
#endif
#endif
