/* SPDX-License-Identifier: MIT */
/* Reads resources/model.bin (layout in fmi/image.h). */
#pragma once

#include <interfield/method.h>

#include "fmi/image.h"
#include "model/serialise.h"

typedef struct fmu_row {
    int from, to;
    double devices; /* number of devices; the input is the force of one */
} fmu_row;

typedef struct fmu_variable {
    ifd__fmu_class kind;
    int index;
    double start;
    ifd_range range; /* of inputs and parameters, with min and max */
    double min, max;
} fmu_variable;

typedef struct fmu_image {
    ifd_arena *arena; /* of the following members */
    unsigned char *bytes;
    size_t length, body; /* start of factors and model */
    uint64_t identity;   /* hash of the token */
    int dofs, coordinates, rows, grounds, channels, tunables, variables;
    const fmu_row *row;
    const int *ground; /* directions */
    const ifd__fmu_channel *channel;
    const ifd__fmu_tunable *tunable;
    const fmu_variable *variable;
} fmu_image;

/* resources: a folder, or a file: URI of one. */
bool fmu_image_open(fmu_image *image, const char *resources, const char *token, const char **why);
void fmu_image_close(fmu_image *image);
/* Model and options of the method, in an arena. */
bool fmu_image_model(const fmu_image *image, ifd_arena *arena, ifd__change_values *change, void *who, ifd_model **m,
                     ifd_step_options *opt);
