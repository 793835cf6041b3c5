/* SPDX-License-Identifier: MIT */
/* The real inputs and outputs of an FMU that is tried, all driven and read at once. */
#ifndef IFD_FMI_PORTS_H
#define IFD_FMI_PORTS_H

#include <interfield/fmu.h>

enum { IFD__FMU_PORTS = 32 };

typedef struct ifd__fmu_ports {
    int in[IFD__FMU_PORTS], out[IFD__FMU_PORTS], ins, outs;
    int time; /* the variable of its own time, -1: none */
} ifd__fmu_ports;

ifd__fmu_ports ifd__fmu_ports_of(const ifd_fmu *f);
/* Inputs of step k: each swings between +-amplitude. */
void ifd__fmu_swing(const ifd__fmu_ports *p, double amplitude, long k, double *in);
/* Set, step, get. */
bool ifd__fmu_once(ifd_fmu *f, const ifd__fmu_ports *p, double now, double h, const double *in, double *out);
/* Counts from now on as one that does not offer to go back. */
void ifd__fmu_renounce_back(ifd_fmu *f);
/* The open file that it was made of; NULL: known by its path. */
const int *ifd__fmu_file(const ifd_fmu *f);

#endif
