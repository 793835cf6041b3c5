/* SPDX-License-Identifier: MIT */
/* Rigid floors and links: a master moves its nodes as a rigid body. */
#pragma once

#include "case/reader.h"

typedef struct ifd__rigid {
    struct ifd__rigid *next;
    const char *name;  /* of its master, or of the node that is its master */
    const char *title; /* "rigid floor1", for messages */
    bool own;          /* the master is a new node */
    bool level;        /* `floor`: no rotation but that about the vertical moves the nodes */
    unsigned in;       /* IFD_FIX_...: directions that are tied */
    int count, *node;  /* of the frame */
    bool placed;       /* `at` is given */
    double at[3];      /* m, of the master */
    double mass, inertia;
    ifd_place place;
} ifd__rigid;

/* `ties`: first the masters that are new nodes, whose names are then known; then, when the nodes have their masses,
 * all equations. */
void ifd__read_masters(ifd__model_read *m, const ifd__node *list);
void ifd__read_ties(ifd__model_read *m, const ifd__node *list);

/* Whether a dof is the slave of a tie. */
bool ifd__is_slave(const ifd__model_read *m, int ref);
/* Refuses the slave of a tie with an error; user: subject and verb of the message. */
bool ifd__refuse_slave(const ifd__model_read *m, int ref, const ifd_place *place, const char *user);

/* Refuses a coordinate that the ties do not let change; what: its element. */
bool ifd__ties_permit(ifd__model_read *m, const ifd_coordinate *q, const char *what, const ifd_place *place);

/* The rigid floors of a grid that is made, as a list; NULL: none. Then, when the model has the frame: their dofs. */
ifd__rigid *ifd__read_floors(ifd__model_read *m, const ifd__fields *grid, const ifd_frame *f);
void ifd__add_floors(ifd__model_read *m, ifd__rigid *floors);

/* A rigid body; a new node gets its dofs. */
void ifd__add_rigid(ifd__model_read *m, const ifd__rigid *rigid);
unsigned ifd__floor_directions(const ifd_frame *f);
