/* SPDX-License-Identifier: MIT */
/* The inside of a rig server, shared by rig_server.c (set-up, thread, clock), server_hear.c (the conversation) and
 * server_move.c (what moves, and what stops it) and server_find.c (where the rig stands before it does). */
#ifndef IFD_LINK_SERVER_H
#define IFD_LINK_SERVER_H

#include <interfield/rig_server.h>

#include <pthread.h>
#include <stdatomic.h>

#include "link/sequence_lock.h"
#include "link/stream.h"
#include "hybrid/find.h"
#include "rig/governor.h"

/* Of the stroke: how far the first command of a test may be from where the rig stands, without a tracking limit.
 * Four times the scatter with which a test is armed (IFD__ARM_SPREAD): its sensor and the rig's need not agree. */
#define IFD__FIRST_MATCH 0.02
/* Of the stroke: how far a measured position may be outside before the rig stops by itself. A command at the very
 * end of the stroke, with the overshoot and the noise of a good servo, must not stop it. */
#define IFD__STROKE_MARGIN 0.01
/* Silences of the watchdog after which a rig that stopped and came to rest is free for another test. */
enum { IFD__FREED_AFTER = 2 };

struct ifd_rig_server {
    ifd_rig_server_options o;
    ifd_rig rig;
    double *x; /* state of the rig, NULL when it has none */
    int port_number;
    int64_t period, watchdog;             /* ns */
    ifd__bounds bounds[IFD_RIG_CHANNELS]; /* of the options */
    ifd__bounds now[IFD_RIG_CHANNELS];    /* in force: wider for a rig that is moved back into its stroke */
    double match[IFD_RIG_CHANNELS];       /* m */
    ifd_limits watched[IFD_RIG_CHANNELS]; /* as the measurement is judged by */

    ifd__stream stream;
    bool lockstep;
    bool commanded; /* a command of this session has arrived */
    bool armed;     /* and one beyond idle */
    bool news;      /* one arrived since the last tick */
    bool aligned;   /* ticks lie half way between commands */
    int missed;     /* ticks since the newest command */
    int64_t heard;  /* ns, when the last command came, or the greeting */
    int64_t due;    /* ns, of the next tick */
    ifd__message target;

    int samples; /* of a series that agrees, out of `enough`; nothing is commanded before */
    int enough;
    bool found;
    ifd__finding finding[IFD_RIG_CHANNELS];
    bool leads; /* positions are commanded to the rig */

    ifd__governed g[IFD_RIG_CHANNELS];
    uint64_t applied; /* tick of the newest command the rig has had */
    ifd_command command;
    ifd_measure measure;

    ifd_rig_server_report report; /* the thread's own copy */
    ifd__sequence_lock published;
    pthread_t thread;
    bool open, rig_open;
    atomic_bool leave;
};

/* Takes what has arrived. */
IFD_RT void ifd__server_hear(ifd_rig_server *s);
/* Sends the last measurement to the test that is served. */
IFD_RT void ifd__server_tell(ifd_rig_server *s);
/* The test is over; the rig is free as soon as it is at rest. */
IFD_RT void ifd__server_release(ifd_rig_server *s, ifd_rig_stop why);

/* Bounds of the commands, and what the measurement is judged by, from the limits of the options. */
void ifd__server_limits(ifd_rig_server *s);
/* Measures, and looks at limits and inputs; false when the rig has nothing new. */
IFD_RT bool ifd__server_sense(ifd_rig_server *s);
/* The watchdog. */
IFD_RT void ifd__server_watch(ifd_rig_server *s);
/* One tick of motion: towards the newest command, or braking. */
IFD_RT void ifd__server_move(ifd_rig_server *s);
IFD_RT void ifd__server_stop(ifd_rig_server *s, ifd_rig_stop why);
IFD_RT bool ifd__server_at_rest(const ifd_rig_server *s);

/* Adds the measurement to the series from which the rig's place is found, as in a test (hybrid/find.h). */
IFD_RT void ifd__server_add_sample(ifd_rig_server *s);
/* Nothing is commanded from now on, and the rig has to be found anew. */
IFD_RT void ifd__server_let_go(ifd_rig_server *s);
/* Commands begin where the rig was found; false when it was not, or outside its bounds and not to be moved back. */
IFD_RT bool ifd__server_begin(ifd_rig_server *s);
/* At set-up: waits until the rig is found. */
ifd_status ifd__server_find(ifd_rig_server *s, ifd_note *note);

#endif
