/* SPDX-License-Identifier: MIT */
/* resources/model.bin of an exported FMU; the exporter writes it and the runtime (fmu/) reads it.
 *
 *     mark, schema, token
 *     factors                          algebra/factors.h
 *     model                            model/serialise.h
 *     method: name, values, step, estimates
 *     interface rows, ground directions, channels, element parameters, variables
 *
 * A variable is a row (class, index, start, range, min, max); its position is its value reference. */
#pragma once

#include "base/bytes.h"

#define IFD__FMU_MARK "IFDMODEL"
enum { IFD__FMU_SCHEMA = 1 };

typedef enum ifd__fmu_class {
    IFD__FMU_TIME,
    IFD__FMU_FORCE,        /* input: external force that resists the deformation of interface row i, N */
    IFD__FMU_GROUND,       /* input: acceleration of the ground in addition to that of the model, direction i, m/s2 */
    IFD__FMU_DISPLACEMENT, /* outputs: motion of interface row i */
    IFD__FMU_VELOCITY,
    IFD__FMU_ACCELERATION,
    IFD__FMU_CHANNEL,    /* output: channel i */
    IFD__FMU_SCALE,      /* parameter: factor of the ground motion of the model */
    IFD__FMU_ELEMENT,    /* parameter: element parameter i */
    IFD__FMU_COMPLIANCE, /* calculated parameter: G[i / m, i % m], displacement by a force held for a step, m/N */
    IFD__FMU_CLASSES
} ifd__fmu_class;

/* For a dof, or for a coordinate of an element: its deformation and its resisting force. */
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
