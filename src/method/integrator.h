/* SPDX-License-Identifier: MIT */
/* What the reference solution asks of an integrator with variable steps and root-finding. The one there is, CVODE, is
 * a module of its own (modules/cvode.c, installed as interfield/cvode.so beside the library) and is loaded when a
 * nonlinear model is to be integrated: SUNDIALS may be built with MPI, which the library must not need. */
#ifndef IFD_METHOD_INTEGRATOR_H
#define IFD_METHOD_INTEGRATOR_H

#include <stdbool.h>

/* y' = f(t, y) with the functions whose sign changes are events. */
typedef struct ifd__equations {
    int size, roots; /* of y, and number of events that are watched */
    bool stiff;
    void *data; /* first argument of the functions below */
    void (*rate)(void *data, double t, const double *y, double *yd);
    void (*weights)(void *data, const double *y, double *w); /* of the norm of an error: 1 / what is tolerated */
    void (*root)(void *data, double t, const double *y, double *root);
} ifd__equations;

typedef enum ifd__integrated {
    IFD__ARRIVED,     /* t == end */
    IFD__INTERRUPTED, /* at an event, or at stop */
    IFD__GAVE_UP,
} ifd__integrated;

enum { IFD__INTEGRATOR_VERSION = 1 };

typedef struct ifd__integrator {
    int version;                             /* IFD__INTEGRATOR_VERSION */
    void *(*open)(const ifd__equations *eq); /* NULL when memory is out; eq is copied */
    void (*close)(void *one);
    double *(*state)(void *one);          /* y, of eq->size */
    bool (*restart)(void *one, double t); /* from the y that stands in state, at t */
    /* On to end, interrupted at events and at stop (infinite: nowhere); t becomes the instant that was reached. */
    ifd__integrated (*run)(void *one, double stop, double end, double *t);
} ifd__integrator;

#define IFD__INTEGRATOR_FILE "cvode.so"
#define IFD__INTEGRATOR_SYMBOL "ifd__cvode_integrator"

#endif
