/* SPDX-License-Identifier: MIT */
/* The inside of a simulation that another program holds. */
#ifndef IFD_EMBED_EMBED_H
#define IFD_EMBED_EMBED_H

#include <interfield/case.h>
#include <interfield/embed.h>
#include <interfield/preflight.h>

enum { IFD__SIM_SPECIMENS = 64 };

/* A specimen as an element: embedding the ops first leads from the element back to who answers. */
typedef struct ifd__answerer {
    ifd_element_ops ops;
    const char *name;
    const char *from, *to; /* of the arrays; NULL of a case */
    double stiffness, damping;
    ifd_sim_force_of *force_of; /* NULL: the estimate itself, or the case's own element */
    void *self;
} ifd__answerer;

struct ifd_sim {
    ifd_arena *arena;
    ifd_note note;
    ifd_status failed; /* the first failure */
    ifd_case *c;       /* NULL: arrays */
    ifd_builder *b;    /* NULL: a case */
    ifd_run_options run;
    const ifd_specimen *quiet; /* specimens with nobody who answers, for analyses */
    ifd__answerer *specimen;
    int specimens;
    ifd_run *r; /* after make */
    ifd_run_state state;
    bool pending; /* a row that take has not given yet */
    ifd_preflight *preflight;
    char *message; /* malloc'd */
    char fault[200];
};

/* Latches the first failure; returns status. */
ifd_status ifd__sim_latch(ifd_sim *s, ifd_status status);

/* Ops of a specimen that is its estimate, or that somebody answers for. */
void ifd__answerer_init(ifd__answerer *a, const char *name);

#endif
