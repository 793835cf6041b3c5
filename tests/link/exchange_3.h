/* SPDX-License-Identifier: MIT */
/* The rig interface 3 as plug-ins of that version were compiled: never changed again. */
#ifndef TESTS_LINK_EXCHANGE_3_H
#define TESTS_LINK_EXCHANGE_3_H

#include <stdbool.h>
#include <stdint.h>

#include <interfield/arena.h>
#include <interfield/param.h>

enum { IFD_RIG_CHANNELS = 16, IFD_RIG_AUX = 32 };
enum { IFD_INPUT_NO_STOP = 1, IFD_INPUT_HYDRAULICS = 2, IFD_INPUT_RIG_STOPPED = 4 };

typedef struct ifd_command {
    uint64_t tick;      /* counts from 1 */
    double time;        /* s, simulated time of the positions */
    uint32_t state;     /* ifd_machine */
    uint32_t heartbeat; /* changes in every tick */
    uint32_t channels;
    uint32_t outputs;                  /* IFD_OUTPUT_... */
    uint32_t commanded;                /* 1: move to these positions; 0: keep the last position */
    uint32_t zero;                     /* padding */
    double position[IFD_RIG_CHANNELS]; /* m, or raw units of a channel map (channels.h) */
    double velocity[IFD_RIG_CHANNELS]; /* per s, for rigs with velocity feedforward */
} ifd_command;

typedef struct ifd_measure {
    uint64_t tick;   /* of the newest command at the time of measurement; 0: none yet */
    double time;     /* s, on the clock of the rig */
    uint32_t inputs; /* IFD_INPUT_... */
    uint32_t channels;
    uint32_t aux, zero;                /* number of auxiliary inputs; padding */
    double position[IFD_RIG_CHANNELS]; /* m, or raw units of a channel map (channels.h) */
    double force[IFD_RIG_CHANNELS];    /* N, positive if it resists positive position; or raw */
    double auxiliary[IFD_RIG_AUX];     /* raw: accelerometers, strain gauges and others */
} ifd_measure;

typedef struct ifd_rig_ops ifd_rig_ops;

typedef struct ifd_rig {
    const ifd_rig_ops *ops;
    int channels;
    double tick; /* s of wall-clock time between commands */
    int size;    /* doubles of state in the array of the run; 0 for rigs outside this process */
    void *data;
} ifd_rig;

struct ifd_rig_ops {
    int abi;
    const char *name, *summary;
    const ifd_param *params;
    /* channels and tick are set and values are checked. Sets size and data. */
    ifd_status (*open)(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note);
    /* Starts at rest in the present position. x: state of the rig, NULL if size is 0. May be NULL. */
    IFD_RT void (*begin)(ifd_rig *rig, double *x);
    /* The newest measurement; waits at most one tick. False: no new measurement since the last call. */
    IFD_RT bool (*sense)(ifd_rig *rig, ifd_measure *out, double *x);
    IFD_RT void (*command)(ifd_rig *rig, const ifd_command *command, double *x);
    void (*close)(ifd_rig *rig); /* may be NULL */
};

#endif
