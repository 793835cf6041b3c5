/* SPDX-License-Identifier: MIT */
/* The real inputs and outputs of an FMU in a trial. */
#pragma once

#include <interfield/fmu.h>

enum { IFD__FMU_PORTS = 32 };

typedef struct ifd__fmu_ports {
    int in[IFD__FMU_PORTS], out[IFD__FMU_PORTS], ins, outs;
    int time; /* the variable of its time, -1: none */
} ifd__fmu_ports;

/* Marks it as unable to restore a state. */
void ifd__fmu_renounce_back(ifd_fmu *f);
/* The open file of its archive; NULL: identified by its path. */
const int *ifd__fmu_file(const ifd_fmu *f);
