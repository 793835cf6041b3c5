/* SPDX-License-Identifier: MIT */
/* An entry of a list of elements or specimens, divided into its parts. */
#pragma once

#include "case/reader.h"

enum { IFD__ELEMENT_PARAMS = 24 };

typedef struct ifd__entry_of {
    const ifd_element_ops *ops;
    const char *name, *what; /* "element 'storey1'" */
    const ifd__node *body;   /* parameters and attachment */
    ifd_place place;         /* of the kind */
} ifd__entry_of;

/* outer: keys that are permitted beside the kind; noun: "element". False after an error. */
bool ifd__entry_take(ifd__reader *r, const ifd__node *item, const char *outer, const char *noun, ifd__entry_of *e);

/* A copy of an identified specimen becomes an element whose parameters can be updated (identify.c). */
void ifd__copy_ops(const ifd__model_read *m, ifd__entry_of *e);

/* The elongation of the line between two nodes of a frame, or a point of the ground and a node, as a sum over dofs,
 * supports and directions of the ground. */
typedef struct ifd__chord {
    ifd_coordinate row;
    int from, to; /* along one direction: as the difference of two dofs, and row.count is 0. Otherwise the ground, and
                   * one of the dofs */
    double length, X[3]; /* m; from the first end to the second */
    double at[2][3];     /* m, its ends */
    const char *end[2];  /* names of the nodes; NULL: a point of the ground */
    bool loaded;         /* its elongation counts from the gravity state */
    ifd_place place;     /* of that key */
} ifd__chord;

/* Whether the ends are those of a chord: one of them is a node, or a point. The chord; false after an error; what:
 * its user in messages. */
bool ifd__is_chord(const ifd__model_read *m, const ifd__node *between);
bool ifd__read_chord(const ifd__model_read *m, const char *what, const ifd__node *between, ifd__chord *out);
/* The chord of nodes by their names; texts: both. */
bool ifd__node_chord(const ifd__model_read *m, const char *what, const char *const name[2], const ifd_place *place,
                     ifd__chord *out);
/* Whether the model has all dofs of its nodes: one of several parts of a frame may not. */
bool ifd__has_chord(const ifd__model_read *m, const ifd__node *between);
/* q[0..2] := displacements of its second end against the first, of a chord that was read; their number. */
int ifd__chord_axes(const ifd__model_read *m, const ifd__node *between, ifd_coordinate *q);
/* A copy of the row of a chord for a specimen, without the ground; NULL: along one direction. */
const ifd_coordinate *ifd__chord_row(const ifd__model_read *m, const ifd__chord *c);
bool ifd__is_node(const ifd__model_read *m, const char *name);
/* The same for an element, which may not act on condensed dofs unless it is linear; and keeps it. origin: of
 * ifd__keep_chord. */
bool ifd__entry_chord(const ifd__model_read *m, const ifd__entry_of *e, ifd__chord *out, const double **origin);
/* Keeps a chord for `check` and drawings; where its elongation in the gravity state will be if it counts from there,
 * otherwise NULL. And its terms for columns. */
const double *ifd__keep_chord(const ifd__model_read *m, const char *name, const ifd__chord *c);
void ifd__chord_drift(const ifd__model_read *m, const ifd__chord *c, ifd_storey_drift *d);

/* The parameters below the kind, with the soil of p-y; also: keys read elsewhere. rotational: the numbers are moments
 * and angles. */
bool ifd__entry_params(ifd__reader *r, const ifd__entry_of *e, const char *also, bool rotational, ifd_value *values);

/* `between: [from, to]` or `at: to`, which does not change from. False after an error. */
bool ifd__entry_pair(const ifd__model_read *m, const ifd__entry_of *e, int *from, int *to, bool *rotational);

/* Whether the element has lists of pairs or of ends: several coordinates. */
bool ifd__entry_several(const ifd__entry_of *e);

/* An element between two points. */
void ifd__read_pair_element(ifd__model_read *m, const ifd__entry_of *e);

/* Refuses a condensed dof, unless the element is linear: linear elements enter the matrices before condensation. */
void ifd__entry_kept(const ifd__model_read *m, const ifd__entry_of *e, int ref, const ifd_place *place);

/* Remarks on an mr-damper whose step, or part of a step where it is followed (`follow`), is too long for its law. */
void ifd__remark_fast(ifd__reader *r, const ifd_element *e, double h, bool followed, const ifd_place *place);

/* `control` of a damper: the parameter `law` and one coordinate for each input, at most IFD__CONTROL_INPUTS; returns
 * their number, -1 after an error. */
int ifd__read_control(ifd__model_read *m, const ifd__entry_of *e, ifd_coordinate *q, ifd_value *value);

/* An element with inputs and outputs. */
void ifd__read_block(ifd__model_read *m, const ifd__entry_of *e);

/* Whether `sand` or `clay` describes the soil of the element; this soil, false after an error. */
bool ifd__soil_element(const ifd_element_ops *ops);
bool ifd__soil_numbers(ifd__reader *r, const ifd__node *body, const char *what, const ifd_place *place,
                       ifd_value *out);

/* Keeps the points of a soil spring, but not of another element, for `check`. */
void ifd__keep_spring(const ifd__model_read *m, const ifd_element_ops *ops, const char *name,
                      const ifd_value *values);

/* `far-field` of a soil spring, otherwise NULL; its dof NAME.near, made with the names of all dofs; its spring and
 * dashpot between *from and this dof, which becomes *from. False after an error. */
const ifd__node *ifd__far_field(const ifd__entry_of *e);
void ifd__far_field_dof(ifd__model_read *m, const ifd__entry_of *e);
bool ifd__read_far_field(ifd__model_read *m, const ifd__entry_of *e, int *from);
/* Whether the kind of element is p-y, t-z or q-z. */
bool ifd__soil_spring(const ifd_element_ops *ops);
