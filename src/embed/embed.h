/* SPDX-License-Identifier: MIT */
/* Internal data of a simulation that is embedded in another program. */
#pragma once

#include <interfield/case.h>
#include <interfield/embed.h>
#include <interfield/preflight.h>

enum { IFD__SIM_SPECIMENS = 64 };

/* A specimen as an element. ops is the first member, so that an element leads to the function that computes its
 * force. */
typedef struct ifd__answerer {
    ifd_element_ops ops;
    const char *name;
    const char *from, *to; /* names of dofs, for a structure from arrays; NULL for a case */
    double stiffness, damping;
    ifd_sim_force_of *force_of; /* NULL: the force follows from the estimate, or from the element of the case */
    void *self;
} ifd__answerer;

struct ifd_sim {
    ifd_arena *arena;
    ifd_note note;
    ifd_status failed; /* the first failure */
    ifd_case *c;       /* NULL: structure from arrays */
    ifd_builder *b;    /* NULL: structure from a case */
    ifd_run_options run;
    const ifd_specimen *quiet; /* specimens without functions of the caller, for analyses */
    ifd__answerer *specimen;
    int specimens;
    ifd_run *r; /* set by make */
    ifd_run_state state;
    bool pending; /* a recorded row that take has not yet returned */
    ifd_preflight *preflight;
    char *message; /* allocated with malloc */
    char fault[200], caution[2000];
};

/* Latches the first failure; returns status. */
ifd_status ifd__sim_latch(ifd_sim *s, ifd_status status);

/* Initialises the ops of a specimen: its force follows from the estimate or from a function of the caller. */
void ifd__answerer_init(ifd__answerer *a, const char *name);
