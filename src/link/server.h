/* SPDX-License-Identifier: MIT */
/* Internal data of a rig server, shared by rig_server.c (set-up, thread, clock), server_hear.c (messages),
 * server_move.c (motion and stops) and server_find.c (initial position). */
#pragma once

#include <interfield/rig_server.h>

#include <pthread.h>
#include <stdatomic.h>

#include "rig/follower.h"
#include "link/sequence_lock.h"
#include "link/stream.h"
#include "hybrid/position_search.h"
#include "rig/governor.h"

/* Fraction of the stroke: largest distance between the first command of a test and the position of the rig, without a
 * tracking limit. Four times the scatter for arming a test (IFD__ARM_SPREAD), as both sensors can differ. */
#define IFD__FIRST_MATCH 0.02
/* Fraction of the stroke: distance outside of it at which the rig stops by itself. Overshoot and noise of a good
 * servo at the end of the stroke must not stop it. */
#define IFD__STROKE_MARGIN 0.01
/* Watchdog times without messages after which a stopped rig at rest is free for another test. */
enum { IFD__FREED_AFTER = 2 };

struct ifd_rig_server {
    ifd_rig_server_options o;
    ifd_rig rig;
    double *x; /* state of the rig; NULL: none */
    int port_number;
    int64_t period, watchdog;              /* ns */
    ifd__bounds bounds[IFD_RIG_ACTUATORS]; /* of the options */
    ifd__bounds now[IFD_RIG_ACTUATORS];    /* in use: wider for a rig that returns into its stroke */
    double match[IFD_RIG_ACTUATORS];       /* m */
    ifd_limits watched[IFD_RIG_ACTUATORS]; /* limits of the measurement */

    ifd__stream stream;
    bool lockstep;
    bool elastic;    /* the test waits for late answers, and this rig for late commands */
    int64_t give_up; /* ns without a command after which it no longer does */
    ifd__follower follower;
    double followed[IFD_RIG_ACTUATORS], last_followed[IFD_RIG_ACTUATORS]; /* m, its positions, now and before */
    bool greeted;   /* a greeting was answered since the last measurement was sent */
    int told;       /* ticks since the last message why */
    bool commanded; /* a command of this session has arrived */
    bool armed;     /* and one in a state beyond idle */
    bool news;      /* a command arrived since the last tick */
    bool aligned;   /* ticks are half way between commands */
    int missed;     /* ticks since the newest command */
    int64_t heard;  /* ns, arrival of the last command or greeting */
    int64_t due;    /* ns, of the next tick */
    ifd__message target;

    int samples; /* of a series that agrees, out of `enough`; no command before */
    int enough;
    bool found;
    ifd__finding finding[IFD_RIG_ACTUATORS];
    bool leads;        /* positions are commanded to the rig */
    bool powered;      /* its drives keep their power */
    uint32_t pressure; /* requests of pressure, kept with it: IFD_OUTPUT_LOW, IFD_OUTPUT_HIGH */
    uint32_t asked;    /* the last ones of this test */
    bool inherited;    /* they are of an earlier test */

    ifd__governed g[IFD_RIG_ACTUATORS];
    uint64_t applied; /* tick of the newest applied command */
    ifd_command command;
    ifd_measure measure;

    ifd_rig_server_report report; /* copy of the thread */
    ifd__sequence_lock published;
    pthread_t thread;
    bool open, rig_open;
    atomic_bool leave;
    bool asks;                     /* a connection moves the rig only when its operator has allowed it */
    atomic_uint_least64_t allowed; /* the last allowed connection, as report.clients counts them; 0: none */
};

/* Takes received messages. */
IFD_RT void ifd__server_hear(ifd_rig_server *s);
/* Sends the last measurement to the test. */
IFD_RT void ifd__server_tell(ifd_rig_server *s);
/* The test has ended; the rig is free when it is at rest. */
IFD_RT void ifd__server_release(ifd_rig_server *s, ifd_rig_stop why);

/* Bounds of the commands and limits of the measurement from the options. */
void ifd__server_limits(ifd_rig_server *s);
/* Measures and checks limits and inputs; false: no new measurement. */
IFD_RT bool ifd__server_sense(ifd_rig_server *s);
IFD_RT static inline bool ifd__server_serves(const ifd_rig_server *s)
{
    return s->report.state == IFD_RIG_SERVER_SERVES || s->report.state == IFD_RIG_SERVER_WAITING;
}

/* Whether this connection may move the rig and ask for power. */
IFD_RT static inline bool ifd__server_allowed(const ifd_rig_server *s)
{
    return !s->asks || atomic_load_explicit(&s->allowed, memory_order_relaxed) == s->report.clients;
}

/* ns without messages after which a stopped rig is free. */
IFD_RT static inline int64_t ifd__server_freed(const ifd_rig_server *s, int64_t watchdog)
{
    return IFD__FREED_AFTER * watchdog + (s->elastic ? s->give_up : 0);
}

/* The watchdog. */
IFD_RT void ifd__server_watch(ifd_rig_server *s);
/* One tick of motion: towards the newest command, or braking. */
IFD_RT void ifd__server_move(ifd_rig_server *s);
IFD_RT void ifd__server_stop(ifd_rig_server *s, ifd_rig_stop why);
IFD_RT bool ifd__server_at_rest(const ifd_rig_server *s);

/* Adds the measurement to the series for the position of the rig, as in a test (hybrid/position_search.h). */
IFD_RT void ifd__server_add_sample(ifd_rig_server *s);
/* Stops commands; the position of the rig must be found again. */
IFD_RT void ifd__server_let_go(ifd_rig_server *s);
/* Starts commands at the found position; false: not found, or outside its bounds without the order return. */
IFD_RT bool ifd__server_begin(ifd_rig_server *s);
/* At set-up: waits until the position of the rig is found. */
ifd_status ifd__server_find(ifd_rig_server *s, ifd_note *note);
/* ns: the next instant of a tick. */
int64_t ifd__server_on_grid(const ifd_rig_server *s, int64_t after);
