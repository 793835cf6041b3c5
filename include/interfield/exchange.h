/* SPDX-License-Identifier: MIT */
/* Exchange: what passes between the engine and a rig in one tick, and the functions a rig consists of.
 *
 * A rig is whatever moves specimens and measures forces: the virtual laboratory in this process, another process, a
 * plug-in with a laboratory's hardware. Each tick the engine senses once and commands once:
 *
 *     sense    the newest measurement: positions, forces, auxiliary and digital inputs; when it was taken and which
 *              command it answers
 *     command  positions to be reached at the next tick, the state of the machine, digital outputs, a heartbeat
 *
 * A command whose member `commanded` is 0 commands no position. The rig then keeps the position it was commanded
 * last, or stays unpowered when there was none; it must not use position and velocity. Tick, heartbeat, state and
 * outputs count as always: they feed the rig's watchdog, and the rig acknowledges the tick. The engine commands
 * nothing in the state idle, with the hydraulics off and without a valid position. The first position that it
 * commands is the one where it found the rig.
 *
 * A rig must bring itself to rest when commands stop coming (its own watchdog), whatever this program does. A
 * laboratory's own rig is a shared object that exports
 *
 *     const ifd_rig_ops ifd_user_rig = {.abi = IFD_RIG_ABI, .name = "my-lab", ...};
 *
 * An emergency stop is never software only: the inputs here are a copy of what the hardware does by itself. */
#ifndef INTERFIELD_EXCHANGE_H
#define INTERFIELD_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include <interfield/arena.h>
#include <interfield/param.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IFD_RIG_ABI 3
enum { IFD_RIG_CHANNELS = 16, IFD_RIG_AUX = 32 };

/* The states of a test, one list. */
#define IFD_MACHINE_LIST(X)                                                                                          \
    X(IDLE, "idle", "nothing is commanded; waits to be armed")                                                       \
    X(READY, "ready", "holds the position it found; waits for run")                                                  \
    X(RAMP_IN, "ramp-in", "moves to the starting position")                                                          \
    X(RUN, "run", "the test runs")                                                                                   \
    X(HOLD, "hold", "simulated time stands still; waits for resume or ramp-out")                                     \
    X(RAMP_OUT, "ramp-out", "moves to where the case wants the specimen left")                                       \
    X(STOPPED, "stopped", "finished; holds its position")                                                            \
    X(TRIPPED, "tripped", "a fault stopped the test; holds its position until reset")                                \
    X(RETURN, "return", "moves slowly from outside the stroke into it")

typedef enum ifd_machine {
#define IFD_MACHINE_ENUM(name, word, text) IFD_MACHINE_##name,
    IFD_MACHINE_LIST(IFD_MACHINE_ENUM)
#undef IFD_MACHINE_ENUM
        IFD_MACHINE_COUNT
} ifd_machine;

/* The one word that comes back to a running test: an order. */
#define IFD_ORDER_LIST(X)                                                                                            \
    X(NONE, "none")                                                                                                  \
    X(ARM, "arm")                                                                                                    \
    X(RUN, "run")                                                                                                    \
    X(HOLD, "hold")                                                                                                  \
    X(RESUME, "resume")                                                                                              \
    X(RAMP_OUT, "ramp-out")                                                                                          \
    X(TRIP, "trip")                                                                                                  \
    X(RESET, "reset")                                                                                                \
    X(CHECKPOINT, "checkpoint")                                                                                      \
    X(STOP, "stop")                                                                                                  \
    X(QUIT, "quit")                                                                                                  \
    X(RETURN, "return")

typedef enum ifd_order {
#define IFD_ORDER_ENUM(name, text) IFD_ORDER_##name,
    IFD_ORDER_LIST(IFD_ORDER_ENUM)
#undef IFD_ORDER_ENUM
        IFD_ORDER_COUNT
} ifd_order;

/* The words of the lists above. */
IFD_API const char *ifd_machine_name(ifd_machine state);
IFD_API const char *ifd_order_name(ifd_order order);

/* Digital inputs: the first two must be set, and the third must not, for anything to move. */
enum {
    IFD_INPUT_NO_STOP = 1,    /* the emergency stop is not pressed */
    IFD_INPUT_HYDRAULICS = 2, /* pressure is on */
    IFD_INPUT_RIG_STOPPED = 4 /* the rig came to rest by itself (its watchdog, its limits) and ignores commands */
};

/* Digital outputs: for recorders, cameras and lamps beside the rig. */
enum {
    IFD_OUTPUT_TRIGGER = 1, /* from t = 0 until the test is led out or trips: run and hold */
    IFD_OUTPUT_RUNNING = 2  /* in the state run */
};

typedef struct ifd_command {
    uint64_t tick;      /* counts from 1 */
    double time;        /* s, simulated instant the positions are meant for */
    uint32_t state;     /* ifd_machine */
    uint32_t heartbeat; /* changes every tick */
    uint32_t channels;
    uint32_t outputs;                  /* IFD_OUTPUT_... */
    uint32_t commanded;                /* 1: go to these positions; 0: no command, keep the last position */
    uint32_t zero;                     /* padding */
    double position[IFD_RIG_CHANNELS]; /* m, or raw units of a channel map (channels.h) */
    double velocity[IFD_RIG_CHANNELS]; /* per s, for rigs that feed it forward */
} ifd_command;

typedef struct ifd_measure {
    uint64_t tick;   /* of the newest command the rig had when it measured; 0 before the first */
    double time;     /* s, on the rig's own clock */
    uint32_t inputs; /* IFD_INPUT_... */
    uint32_t channels;
    uint32_t aux, zero;                /* how many auxiliary inputs; padding */
    double position[IFD_RIG_CHANNELS]; /* m, or raw units of a channel map (channels.h) */
    double force[IFD_RIG_CHANNELS];    /* N, resisting positive position; or raw */
    double auxiliary[IFD_RIG_AUX];     /* raw: accelerometers, strain gauges, whatever else is measured */
} ifd_measure;

typedef struct ifd_rig_ops ifd_rig_ops;

typedef struct ifd_rig {
    const ifd_rig_ops *ops;
    int channels;
    double tick; /* s of wall clock between commands */
    int size;    /* doubles of state in the run's array; rigs outside this process have none */
    void *data;
} ifd_rig;

struct ifd_rig_ops {
    int abi;
    const char *name, *summary;
    const ifd_param *params;
    /* channels and tick are set; values checked. Sets size and data. */
    ifd_status (*open)(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note);
    /* At rest where it stands. x: its state, NULL when size is 0. May be NULL. */
    IFD_RT void (*begin)(ifd_rig *rig, double *x);
    /* The newest measurement, waiting no longer than a tick for it. False when there is
     * nothing newer than last time. */
    IFD_RT bool (*sense)(ifd_rig *rig, ifd_measure *out, double *x);
    IFD_RT void (*command)(ifd_rig *rig, const ifd_command *command, double *x);
    void (*close)(ifd_rig *rig); /* may be NULL */
};

#ifdef __cplusplus
}
#endif
#endif
