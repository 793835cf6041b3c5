/* SPDX-License-Identifier: MIT */
/* Interface of an integrator with variable steps and root-finding, used by the reference solution. The only one,
 * CVODE, is a separate module (modules/cvode.c, installed as interfield/cvode.so beside the library). It is loaded
 * for nonlinear models only: SUNDIALS may be built with MPI, which the library must not require. */
#pragma once

#include <stdbool.h>

/* y' = f(t, y), with functions whose sign changes are events. */
typedef struct ifd__equations {
    int size, roots; /* size of y, number of events */
    bool stiff;
    void *data;                                                      /* first argument of the functions below */
    bool (*rate)(void *data, double t, const double *y, double *yd); /* false: gives up */
    void (*weights)(void *data, const double *y, double *w); /* weights of the error norm: 1 / tolerated error */
    void (*root)(void *data, double t, const double *y, double *root);
} ifd__equations;

typedef enum ifd__integrated {
    IFD__ARRIVED,     /* t == end */
    IFD__INTERRUPTED, /* at an event, or at stop */
    IFD__GAVE_UP,
} ifd__integrated;

enum { IFD__INTEGRATOR_VERSION = 2 };

typedef struct ifd__integrator {
    int version;                             /* IFD__INTEGRATOR_VERSION */
    void *(*open)(const ifd__equations *eq); /* NULL without memory; eq is copied */
    void (*close)(void *one);
    double *(*state)(void *one);          /* y, of eq->size */
    bool (*restart)(void *one, double t); /* restarts at t from the y in state */
    /* Integrates to end, interrupted at events and at stop (infinite: never). t becomes the time reached. */
    ifd__integrated (*run)(void *one, double stop, double end, double *t);
} ifd__integrator;

#define IFD__INTEGRATOR_FILE "cvode.so"
#define IFD__INTEGRATOR_SYMBOL "ifd__cvode_integrator"
