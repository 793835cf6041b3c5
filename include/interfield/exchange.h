/* SPDX-License-Identifier: MIT */
/* Exchange: the data between the engine and a rig in one tick, and the functions of a rig.
 *
 * A rig moves specimens and measures forces: the virtual rig in this process, another process, or a plug-in
 * for the hardware of a laboratory. Before the first tick the engine calls warm until the rig is ready; warm gives
 * power to nothing. In each tick the engine calls sense once and command once. Neither of them waits; only wait does,
 * for a test that the clock of the rig paces:
 *
 *     sense    the newest measurement: positions, forces, auxiliary and digital inputs, its time and the command that
 *              it answers
 *     command  positions for the next tick, the state of the test, digital outputs, a heartbeat
 *
 * A command with `commanded` 0 contains no position. The rig then keeps its last commanded position, or remains
 * unpowered before the first; it must not use position and velocity. Tick, heartbeat, state and outputs remain valid:
 * they reset the watchdog of the rig, and the rig acknowledges the tick. The engine commands no position in the state
 * idle, with the hydraulics off and without a valid position. The first commanded position is the measured position
 * of the rig.
 *
 * A rig must have a watchdog that brings it to rest when no commands arrive, independently of this program. The rig
 * of a laboratory is a shared object that exports
 *
 *     const ifd_rig_ops ifd_user_rig = {.abi = IFD_RIG_ABI, .name = "my-lab", ...};
 *
 * An emergency stop is always implemented in hardware; the inputs here only report its state. */
#ifndef INTERFIELD_EXCHANGE_H
#define INTERFIELD_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include <interfield/arena.h>
#include <interfield/param.h>

IFD_BEGIN_DECLS

#define IFD_RIG_ABI 1 /* a rig of another interface is refused */
enum { IFD_RIG_ACTUATORS = 16, IFD_RIG_AUX = 32 };

/* States of a test: name, word, sentence. */
#define IFD_MACHINE_LIST(X)                                                                                          \
    X(IDLE, "idle", "no position is commanded; the test waits for the order arm")                                    \
    X(READY, "ready", "holds the measured position; waits for the order run")                                        \
    X(RAMP_IN, "ramp-in", "moves to the starting position")                                                          \
    X(RUN, "run", "the test runs")                                                                                   \
    X(HOLD, "hold", "simulated time is stopped; waits for resume or ramp-out")                                       \
    X(RAMP_OUT, "ramp-out", "moves to the final position that the case defines")                                     \
    X(STOPPED, "stopped", "finished; holds its position")                                                            \
    X(TRIPPED, "tripped", "a fault stopped the test; holds its position until reset")                                \
    X(RETURN, "return", "moves slowly from outside the stroke into it")

typedef enum ifd_machine {
#define IFD_MACHINE_ENUM(name, word, text) IFD_MACHINE_##name,
    IFD_MACHINE_LIST(IFD_MACHINE_ENUM)
#undef IFD_MACHINE_ENUM
        IFD_MACHINE_COUNT
} ifd_machine;

/* Orders to a running test. */
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
    X(PARK, "park")                                                                                                  \
    X(QUIT, "quit")                                                                                                  \
    X(RETURN, "return")                                                                                              \
    X(UPDATE_OFF, "update-off")                                                                                      \
    X(UPDATE_ON, "update-on")                                                                                        \
    X(SLOWER, "slower")                                                                                              \
    X(FASTER, "faster")                                                                                              \
    X(STOP, "stop")                                                                                                  \
    X(UNLOAD, "unload")                                                                                              \
    X(LOW, "low")                                                                                                    \
    X(HIGH, "high")                                                                                                  \
    X(OFF, "off")

typedef enum ifd_order {
#define IFD_ORDER_ENUM(name, text) IFD_ORDER_##name,
    IFD_ORDER_LIST(IFD_ORDER_ENUM)
#undef IFD_ORDER_ENUM
        IFD_ORDER_COUNT
} ifd_order;

/* The words of the lists above. */
IFD_API const char *ifd_machine_name(ifd_machine state);
IFD_API const char *ifd_order_name(ifd_order order);

/* Digital inputs. Motion requires the first two set, RIG_STOPPED, UNPOWERED and NOT_ALLOWED not set. */
enum {
    IFD_INPUT_NO_STOP = 1,      /* the emergency stop is not pressed */
    IFD_INPUT_HYDRAULICS = 2,   /* pressure is on */
    IFD_INPUT_RIG_STOPPED = 4,  /* the rig stopped by itself (watchdog or limits) and ignores commands */
    IFD_INPUT_RIG_WAITING = 8,  /* no commands arrive: the rig waits at rest and will follow again (elastic) */
    IFD_INPUT_START = 16,       /* the start button is pressed: its rising edge in the state ready is the order run */
    IFD_INPUT_UNPOWERED = 32,   /* drives are off until IFD_OUTPUT_ENABLE and not all on yet: the order arm waits */
    IFD_INPUT_NOT_ALLOWED = 64, /* the operator of the rig server has not typed allow for this connection */
    IFD_INPUT_KEPT = 128 /* the rig server keeps the pressure of an earlier test: a new test in idle takes it over */
};

/* Clocks of the stamp of a measurement. */
typedef enum ifd_clock {
    IFD_CLOCK_NONE,      /* the measurement has no stamp */
    IFD_CLOCK_MONOTONIC, /* CLOCK_MONOTONIC of this machine */
    IFD_CLOCK_TAI,       /* TAI, synchronised by PTP or otherwise */
    IFD_CLOCK_OWN        /* a clock of the rig with an arbitrary zero */
} ifd_clock;

/* Digital outputs: for recorders, cameras and lamps, then requests to the power supply. These requests are in series
 * with the hardware chain, which may refuse each of them. */
enum {
    IFD_OUTPUT_TRIGGER = 1, /* in run and hold: from t = 0 until ramp-out or a trip */
    IFD_OUTPUT_RUNNING = 2, /* in the state run */
    IFD_OUTPUT_ENABLE = 4,  /* from arm to the end of motion: drives may have power */
    IFD_OUTPUT_LOW = 8,     /* low pressure, by the order low */
    IFD_OUTPUT_HIGH = 16,   /* high pressure, by the order high */
    IFD_OUTPUT_BEAT = 32    /* changes in every tick */
};

typedef struct ifd_command {
    uint64_t tick;      /* counts from 1 */
    double time;        /* s, simulated time of the positions */
    uint32_t state;     /* ifd_machine */
    uint32_t heartbeat; /* changes in every tick */
    uint32_t actuators;
    uint32_t outputs;                   /* IFD_OUTPUT_... */
    uint32_t commanded;                 /* 1: move to these positions; 0: keep the last position */
    uint32_t zero;                      /* padding */
    double position[IFD_RIG_ACTUATORS]; /* m, or raw units of a channel map (channels.h) */
    double velocity[IFD_RIG_ACTUATORS]; /* per s, for rigs with velocity feedforward */
} ifd_command;

typedef struct ifd_measure {
    uint64_t tick;   /* of the newest command at the time of measurement; 0: none yet */
    double time;     /* s, on the clock of the rig */
    uint32_t inputs; /* IFD_INPUT_... */
    uint32_t actuators;
    uint32_t aux;                       /* number of auxiliary inputs */
    uint32_t clock;                     /* ifd_clock, of the member taken */
    double position[IFD_RIG_ACTUATORS]; /* m, or raw units of a channel map (channels.h) */
    double force[IFD_RIG_ACTUATORS];    /* N, positive if it resists positive position; or raw */
    double auxiliary[IFD_RIG_AUX];      /* raw: accelerometers, strain gauges and others */
    int64_t taken; /* ns on that clock, when the sample was taken. Recorded; no effect on a test */
} ifd_measure;

typedef struct ifd_rig_ops ifd_rig_ops;

/* Whether a test uses every measurement, not only the newest: sense of a rig that sets GIVEN in its open function
 * returns them one by one, in the order of arrival, until it returns false. */
typedef enum ifd_each { IFD_EACH_NONE, IFD_EACH_ASKED, IFD_EACH_GIVEN } ifd_each;

/* What a rig is opened for. READ: only its sensors are read; nothing receives power, nothing moves, and missing power
 * is no fault. MOVE: warm brings up communication and clocks only; drives receive power with IFD_OUTPUT_ENABLE. */
typedef enum ifd_purpose { IFD_PURPOSE_READ, IFD_PURPOSE_MOVE } ifd_purpose;

typedef struct ifd_beat ifd_beat; /* supervisor.h */

typedef struct ifd_rig {
    const ifd_rig_ops *ops;
    int actuators;
    double tick; /* s of wall-clock time between commands */
    int size;    /* doubles of state in the array of the run; 0 for rigs outside this process */
    void *data;
    const char *folder; /* of the case file; file names in parameters are relative to it. NULL: the working folder */
    ifd_each each;      /* ASKED when open is called, or NONE */
    /* s, of a test with elastic simulated time (hybrid.h): without commands the rig comes to rest within `brake` and
     * waits for `give_up`. 0: such a rig stops. */
    double brake, give_up;
    ifd_purpose purpose; /* set when open is called */
    /* Bit k: actuator k is free after the end of the test, since its drive loses its power without a brake. Set by
     * open. A specimen must not be left loaded on it. */
    uint32_t free_at_end;
    /* IFD_OUTPUT_LOW, IFD_OUTPUT_HIGH that switch pressure at this rig: arm then needs the orders low and high. Set
     * by open; others are passed on as well. */
    uint32_t outputs;
    double late_after; /* s, set by open: a tick that starts later cannot be taken in time; 0: no bound */
    /* ns, CLOCK_MONOTONIC: an instant of a tick, for rigs with a clock of their own. Set before the first call of
     * warm; 0: not known, or no clock. */
    int64_t grid;
    double
        acceleration[IFD_RIG_ACTUATORS]; /* limits, per s2 in the units of position, for a rig that brakes by itself;
                                            * 0: not known */
    ifd_beat *beat; /* of the program, which marks the calls of a rig for its supervisor; NULL: none */
    int number;     /* of the rig in these marks, from 1 */
} ifd_rig;

/* Fraction of a tick: a tick that starts later than this is late, unless a test states another time. */
#define IFD_LATE_AFTER 0.5

/* The smallest whole number of ticks that last `time` (s), and at least `least`. */
IFD_API double ifd_rig_ticks(double time, double tick, double least);

struct ifd_rig_ops {
    int abi;
    const char *name, *summary;
    const ifd_param *params;
    /* actuators and tick are set and values are checked. Sets size and data. */
    ifd_status (*open)(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note);
    /* Starts at rest in the present position. x: state of the rig, NULL if size is 0. May be NULL. */
    IFD_RT void (*begin)(ifd_rig *rig, double *x);
    /* The newest measurement, without waiting. out holds the previous one. False: no new measurement since the last
     * call. A rig that has stopped by itself and cannot measure sets IFD_INPUT_RIG_STOPPED in out->inputs and returns
     * false: the test then trips in this tick. */
    IFD_RT bool (*sense)(ifd_rig *rig, ifd_measure *out, double *x);
    IFD_RT void (*command)(ifd_rig *rig, const ifd_command *command, double *x);
    void (*close)(ifd_rig *rig); /* may be NULL */

    /* Each of the following may be NULL. */

    /* Waits until the sample of this tick exists, at most until `latest` (ns, CLOCK_MONOTONIC). Returns the instant
     * of the sample on CLOCK_MONOTONIC, or -1 after a wait in vain. Called before sense, in tests with
     * `pace: rig`. */
    IFD_RT int64_t (*wait)(ifd_rig *rig, int64_t latest);
    /* Prepares communication and clocks, without power to any drive: called once per tick period before the first
     * tick until the rig is ready (1). 0: not yet; -1: never, with an error in note. May wait. The first tick follows
     * one period later. */
    int (*warm)(ifd_rig *rig, ifd_note *note);
    /* The reason for which the rig has stopped, is silent or is not ready yet, for people: a constant text, without
     * waiting, from any thread. NULL: nothing to report. */
    IFD_RT const char *(*why)(const ifd_rig *rig);
    /* After open, and again after warm: whether the rig moves no iron, so that rules about people and machines do not
     * apply. NULL: a real rig. */
    bool (*simulated)(const ifd_rig *rig);
};

IFD_END_DECLS
#endif
