/* SPDX-License-Identifier: MIT */
/* A network of controlled delay, jitter, loss and cuts between a test and a specimen, without a clock: time counts in
 * ticks of the test. Every message has its own delay, so that messages overtake each other. Uses nothing of the
 * engine but the interface of a rig. */
#pragma once

#include <interfield/exchange.h>

enum { RELAY_FLIGHT = 2048 };

typedef struct relay {
    double round_trip, jitter, loss; /* ticks; fraction of it, up and down; fraction of the messages */
    double cut_from, cut_to;         /* ticks: nothing passes in either direction */
    double commands_cut_from;        /* no commands pass from then on; 0: never */
    double stiffness;                /* N/m */
    double viscosity;                /* N s/m, per tick of the test */
    int ignores_after;               /* the site answers no newer command than this tick; 0: all */

    uint64_t random;
    double now;
    struct {
        double due;
        ifd_command c;
    } there[RELAY_FLIGHT];
    struct {
        double due;
        ifd_measure m;
    } back[RELAY_FLIGHT];
    int theres, backs;
    ifd_command applied; /* newest command at the site */
    ifd_measure newest;
    uint64_t answers; /* numbers the answers */
    uint64_t newest_answer, passed_on;

    /* What an independent rig saw of the commands sent: */
    int sent;
    double last[2], most_velocity, most_acceleration; /* m, m/s, m/s2 */
    double tick;                                      /* s */
    double most_age;                                  /* ticks: of the command that a measurement answers */
} relay;

extern const ifd_rig_ops relay_rig;
