/* SPDX-License-Identifier: MIT */
/* resources/model.bin of an exported FMU: what the exporter writes and the runtime (fmu/) reads.
 *
 *     mark, schema, token
 *     factors                          algebra/factors.h
 *     model                            model/serialise.h
 *     method: name, values, step, estimates
 *     interface rows, ground directions, channels, element parameters, variables
 *
 * A variable is a row (class, index, start, range, min, max) at the place of its value reference. */
#ifndef IFD_FMI_IMAGE_H
#define IFD_FMI_IMAGE_H

#include "base/bytes.h"

#define IFD__FMU_MARK "IFDMODEL"
enum { IFD__FMU_SCHEMA = 4 };

typedef enum ifd__fmu_class {
    IFD__FMU_TIME,
    IFD__FMU_FORCE,        /* input: force of what stands outside, resisting the stretch of interface row i, N */
    IFD__FMU_GROUND,       /* input: acceleration of the ground besides the model's own, direction i, m/s2 */
    IFD__FMU_DISPLACEMENT, /* outputs: motion of interface row i */
    IFD__FMU_VELOCITY,
    IFD__FMU_ACCELERATION,
    IFD__FMU_CHANNEL,    /* output: channel i */
    IFD__FMU_SCALE,      /* parameter: of the model's own ground motion */
    IFD__FMU_ELEMENT,    /* parameter: element parameter i */
    IFD__FMU_COMPLIANCE, /* calculated parameter: G[i / m, i % m], displacement by a force held for a step, m/N */
    IFD__FMU_CLASSES
} ifd__fmu_class;

/* Of a dof, or of a coordinate of the model's elements: how far it is stretched, and the force that resists. */
typedef enum ifd__fmu_channel_kind {
    IFD__FMU_DOF_U,
    IFD__FMU_DOF_V,
    IFD__FMU_DOF_A,
    IFD__FMU_ELEMENT_Q,
    IFD__FMU_ELEMENT_R
} ifd__fmu_channel_kind;

typedef struct ifd__fmu_tunable {
    int element, parameter;
} ifd__fmu_tunable;

typedef struct ifd__fmu_channel {
    ifd__fmu_channel_kind kind;
    int at; /* dof or coordinate */
} ifd__fmu_channel;

#endif
