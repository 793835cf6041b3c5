/* SPDX-License-Identifier: MIT */
/* Learning during the test: options of the identification of a specimen and of the updates of its copies.
 *
 *     ifd_identify_options o;
 *     ifd_identify_defaults(&o);
 *     o.interface = 0;
 *     o.copies = 1;
 *     o.copy = (const char *const[]){"bearing2"};
 *     o.force_noise = 500;
 *     o.position_noise = 5e-6;
 *     options.identified = 1; // of an ifd_hybrid_options (hybrid.h)
 *     options.identify = &o; */
#ifndef INTERFIELD_IDENTIFY_H
#define INTERFIELD_IDENTIFY_H

#include <stdbool.h>

#include <interfield/status.h>

IFD_BEGIN_DECLS

/* Identification of a specimen during the test, and copies of it in the numerical substructure. An unscented Kalman
 * filter estimates the parameters of the law of the copies from the measured position and force; at the beginning of
 * a step the parameters of the copies then approach the estimate, as long as it is certain and consistent
 * (docs/guide/learning.md). Only for a structure that is one model of this program. */
typedef struct ifd_identify_options {
    int interface; /* of the specimen */
    int copies;
    const char *const *copy; /* elements of the model, of one kind that can be updated, with equal parameters */
    double force_noise;      /* N, standard deviation of the measured force about the law */
    double position_noise;   /* m, standard deviation of the measured position */
    double uncertainty;      /* of the parameters at the start: standard deviation relative to the value (0.3) */
    double drift;            /* assumed change of a parameter in a second of the test, relative (0.002) */
    double range;            /* parameters remain between start/range and start*range (2) */
    double interval;         /* s, simulated, between decisions to update (0.05) */
    double confidence;       /* relative standard deviation of every parameter above which nothing is updated (0.1) */
    double rate;             /* largest relative change of a parameter of a copy in a step (0.005) */
    bool update;             /* false: the specimen is identified and the copies keep their parameters */
} ifd_identify_options;

/* The values in parentheses above, and update. The caller sets interface, copies and the noise. */
IFD_API void ifd_identify_defaults(ifd_identify_options *o);

/* State of the updates of an identified specimen: name, sentence. The number is a column. */
#define IFD_UPDATE_LIST(X)                                                                                           \
    X(ON, "the copies follow the identified parameters")                                                             \
    X(OFF, "updates are switched off")                                                                               \
    X(WAITS, "the innovations have not been consistent for 0.5 s yet")                                               \
    X(NOT_RUNNING, "the test does not run")                                                                          \
    X(UNCERTAIN, "a standard deviation exceeds `confidence`")                                                        \
    X(INCONSISTENT, "measured forces do not fit the law and its noise")                                              \
    X(AT_BOUND, "a parameter is at the end of its range")                                                            \
    X(NO_MEASUREMENT, "a measurement is missing or not a finite number")                                             \
    X(STOPPED, "the covariance was not positive definite repeatedly: the identification has ended")

typedef enum ifd_update {
#define IFD_UPDATE_ENUM(name, text) IFD_UPDATE_##name,
    IFD_UPDATE_LIST(IFD_UPDATE_ENUM)
#undef IFD_UPDATE_ENUM
        IFD_UPDATE_COUNT
} ifd_update;

/* The compression of a friction-pendulum of the structure, made with its parameter `measured`, follows the measured
 * force of an interface in force control: load times force / reference, from zero to the force limit of the
 * interface. */
typedef struct ifd_measured_load {
    const char *element;
    int part; /* its substructure; -1: the first with an element of this name */
    int interface;
    double reference; /* N, not zero */
} ifd_measured_load;

IFD_END_DECLS
#endif
