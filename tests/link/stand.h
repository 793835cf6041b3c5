/* SPDX-License-Identifier: MIT */
/* A small test and its laboratory, in one process or in two: one mass on a spring, a second spring tested,
 *
 *     m u'' + c u' + k u + f = 0,   u(0) = 10 mm
 *
 * with the commands recorded where they reach the rig. */
#pragma once

#include <interfield/hybrid.h>
#include <interfield/rig_server.h>
#include <interfield/virtual.h>

#include <sys/types.h>

enum { MOST_TICKS = 4000, LINK_VALUES = 8 };
static const double mass = 1000.0, stiffness = 4e5, damping = 800.0, tested = 2e5, start = 0.010, tick_length = 0.002;

/* Commands received by a rig. */
typedef struct spy {
    _Atomic double last; /* atomic members are used while the rig moves */
    double step;
    double worst_position, worst_acceleration;
    _Atomic double worst_velocity;
    double at;           /* m, last measurement; before the first command the position of the rig */
    bool measured;       /* at is set: the rig measures in addition to commands */
    long samples, wrong; /* number of wrong first samples, with the error shift */
    double shift;        /* m */
    long nothing;        /* commands without positions */
    long count, known;   /* commands: all, and those since the last command without a position */
    double last_velocity;
    _Atomic uint32_t inputs;   /* reported by the rig; 0: its own */
    _Atomic double force_gain; /* 0: 1 */
} spy;

/* A laboratory: a spring on an ideal actuator at position `at`. */
typedef struct lab {
    ifd_value spring[8];
    ifd_virtual_actuator bench;
    ifd_laboratory laboratory;
    ifd_limits limits;
    ifd_rig_server_options o;
    spy *watch; /* of every command to the rig */
} lab;

/* watch may be NULL. */
void lab_prepare(lab *l, spy *watch);

/* A server in a separate process. */
typedef struct far {
    pid_t pid;
    int keep; /* the child ends when this is closed */
    int port;
    spy *watch;                    /* shared */
    ifd_rig_server_report *report; /* shared, updated by the child every few ms, and at its end */
} far;

/* Serves by datagrams, or by shared memory when shm is given. */
void far_open(far *f, const char *shm);
void far_kill(far *f);
void far_close(far *f); /* lets it end and checks its exit status */

/* The engine's side. */
typedef struct stand {
    ifd_arena *arena;
    ifd_note note;
    lab near; /* for a test with its rig in this process */
    ifd_value actuator[IFD_RIG_PARAMS], link[LINK_VALUES];
    ifd_interface_options channel;
    ifd_estimate estimate;
    ifd_hybrid_options opt;
    ifd_rig_ops ops; /* opened ops, with observation */
    spy watch;       /* of every command of the engine */
    ifd_rig *rig;    /* as opened */
    ifd_hybrid *h;
    ifd_ticked t;
    int ticks;            /* in the state run */
    double u[MOST_TICKS]; /* displacement at each of them */
    double irregular;     /* weighted count of ticks without a measurement, and of missed ticks */
} stand;

void stand_prepare(stand *s);
/* The rig in this process; optionally with one tick of delay, as for a rig with a clock. */
void stand_near(stand *s, bool delayed);
void stand_udp(stand *s, int port, bool lockstep);
void stand_shm(stand *s, const char *name, bool lockstep);
ifd_status stand_make(stand *s);
/* Ticks until the end, or this number; with or without a clock. */
ifd_run_state stand_run(stand *s, long most, bool clock);
void stand_close(stand *s);

/* The same on the heap, prepared; and its release. */
stand *stand_take(void);
void stand_leave(stand *s);
/* The complete test with its rig in this process. */
stand *stand_here(bool delayed);
/* The complete test over a link, closed at the end. */
void stand_through(stand *s, bool clock, ifd_link_counts *counts);
double worst_difference(const stand *a, const stand *b);
/* A tick without a measurement, or a tick that either side missed, shifts the specimen or its force by at most v h.
 * The governor of the rig corrects this within three more ticks: twice sqrt(v h/a) of them, with v = w u0 and a = 100
 * m/s2. Each has an impulse of k v h^2 and moves the structure by k v h^2/(m w) = k u0 h^2/m. The factor two is for
 * the change of the other forces. */
double of_one_irregular_tick(void);
/* For a rig that has ended. */
double irregular_ticks(const stand *s, const far *f);

void assert_limits_kept(const spy *watch, const ifd_limits *l);
void sleep_for(double seconds);
