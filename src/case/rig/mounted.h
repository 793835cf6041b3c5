/* SPDX-License-Identifier: MIT */
/* Reading of specimens that are models. */
#pragma once

#include <interfield/hybrid.h>
#include <interfield/virtual.h>

#include "case/reader.h"

/* `force-command` of a specimen. */
typedef struct ifd__push {
    const ifd__node *node; /* NULL: none */
    ifd_value on;          /* name of a dof */
    ifd_force_command law;
    ifd_force_control control;
    ifd_value *sensor;
    ifd_value *wall[IFD_WALLS]; /* their sensors */
    int support;                /* on a wall: the end of the actuator, a support of the model on the rig */
} ifd__push;

typedef struct ifd__mount {
    struct ifd__mount *next;
    const char *name;
    ifd_place place;
    int drives;
    const ifd__node *support[IFD_RIG_ACTUATORS]; /* that follow a dof of the structure, and which */
    const ifd__node *to[IFD_RIG_ACTUATORS];
    int number[IFD_RIG_ACTUATORS];   /* of the supports */
    int actuator[IFD_RIG_ACTUATORS]; /* that moves it */
    int actuators;                   /* how many have one */
    ifd_virtual_model model;
    ifd__push push;
    const ifd_model *whole; /* in a run, where it differs from the one in the laboratory; NULL: the same */
} ifd__mount;

/* Number of its channels: one for each support that follows, on walls one for all; none while no support follows. */
static inline int ifd__mount_channels(const ifd__mount *m)
{
    return m->push.law.walls && m->drives > 1 ? 1 : m->drives;
}

/* An entry that is written like an element, as one with a model of its own (standing.c): every dof that
 * the element names is a support of it. NULL: no memory. The same for a list of elements, `parallel`. */
struct ifd__entry_of;
const ifd__node *ifd__standing_element(ifd__reader *r, const ifd__structure *st, const ifd__node *item,
                                       const struct ifd__entry_of *e);
const ifd__node *ifd__standing_parallel(ifd__reader *r, const ifd__structure *st, const ifd__node *item);
/* The substructure of a chord; false: it is none, or no single one has it, with an error. */
bool ifd__chord_part(ifd__reader *r, const ifd__structure *st, const char *what, const ifd__node *between, int *part);
/* Reads an entry `series: {between: [a, b], of: [...]}`; keys: permitted beside it. False after an error. */
bool ifd__series_take(ifd__reader *r, const ifd__structure *st, const ifd__node *item, const char *keys,
                      struct ifd__entry_of *e);
/* Whether an element needs such a model: it has mass, own dofs or several coordinates. */
bool ifd__needs_model(const struct ifd__entry_of *e, const ifd_value *values);
/* Whether an entry of the list is a model or another channel of one. */
bool ifd__is_mounted(const ifd__node *item);
/* Such an entry, which is channel k of the rig. */
void ifd__read_mounted(ifd__reader *r, const ifd__structure *st, ifd__lab *lab, const ifd__node *item, int k,
                       ifd_specimen *s);
/* `mass-on-rig` and `accelerometer` of channel k; perfect: an accelerometer without faults. */
void ifd__read_mass(ifd__reader *r, const ifd__node *item, int k, ifd_interface_options *c,
                    ifd_virtual_actuator *bench);
/* force_command.c. The key; then, with the model in its builder, the models of rig and run (NULL: only of the rig);
 * then the data of channel k. */
void ifd__read_push(ifd__reader *r, const ifd__node *node, ifd__push *out);
/* On walls: the form of the force, and whether it has the stiffness that it needs. */
void ifd__check_walls(ifd__reader *r, bool force, ifd__push *p);
void ifd__push_models(ifd__model_read *own, ifd__model_read *again, ifd__mount *m);
void ifd__take_push(ifd__reader *r, const ifd__lab *lab, const ifd__node *item, int k, ifd_interface_options *c,
                    ifd_virtual_actuator *bench);
/* Its sensor on the virtual rig. */
void ifd__place_push(ifd__reader *r, const ifd__mount *m, ifd_laboratory *laboratory);
/* When all are read: every support that follows has its channel. */
void ifd__check_mounted(ifd__reader *r, const ifd__lab *lab);
/* Adds the models to the virtual rig; if the ground moves, their actuators follow it. */
void ifd__place_mounted(ifd__reader *r, const ifd__structure *st, const ifd__lab *lab, ifd_laboratory *laboratory,
                        ifd_interface_options *channel);
/* When the structure is made: a run computes structure and specimens as one. False when it cannot. */
bool ifd__join_mounted(ifd__reader *r, const ifd__lab *lab);
