/* SPDX-License-Identifier: MIT */
/* Internal data of a builder: the input in its given form. Lists grow in the arena by doubling. */
#pragma once

#include <limits.h>

#include <interfield/model.h>

typedef struct ifd__list {
    int count, room;
    void *data;
} ifd__list;

typedef struct ifd__dof {
    const char *name;
    ifd_dof_kind kind;
    double u0, v0;
    bool given; /* the initial state is given */
    bool tied;  /* the slave of a tie */
} ifd__dof;

typedef struct ifd__support {
    const char *name;
    const ifd_signal *signal;
} ifd__support;

/* Row i is a dof, column j a dof or the reference of a support. Entries of one member, spring or linear element have
 * the same group and remain together if a structure is divided; group 0 is for single entries. */
typedef struct ifd__entry {
    int i, j;
    double value;
    int group;
} ifd__entry;

/* In a coordinate, instead of IFD_GROUND: the ground along a direction, IFD_DOF_X to _Z. */
#define IFD__GROUND_ALONG(direction) (INT_MIN + (int)(direction))

/* One element with its coordinates; all references of a coordinate c are at [start[c], start[c + 1]). share[3 c + d]:
 * contribution of the ground along direction d; NULL: none. */
typedef struct ifd__attached {
    ifd_element element;
    const ifd_value *values; /* its parameters; a copy */
    const int *start, *ref;
    const double *coefficient, *share;
    bool later; /* erected in the gravity state */
} ifd__attached;

/* A signal that acts on dofs. */
typedef struct ifd__force {
    const ifd_signal *signal;
    int count;
    const int *dof;
    const double *value;
    bool weight;    /* the loads under which the model starts in equilibrium; the signal is 1 */
    double past[3]; /* N, of these: on fixed directions x, y, z */
} ifd__force;

/* A part of that load. */
typedef struct ifd__weight {
    int dof;
    double value;
} ifd__weight;

/* A mass that is coupled to the ground (an inerter to the ground, a member with consistent mass at a fixed node): the
 * load per unit of ground acceleration in addition to -M iota, and the mass that moves with the ground in addition to
 * the loads of the dofs. */
typedef struct ifd__grounded {
    int dof, direction;
    double load, mass;
    int group;
} ifd__grounded;

/* A sum over dofs that a reduced model computes: the deformation of an element whose dofs it does not have. */
typedef struct ifd__watched_row {
    const char *name;
    int count;
    const int *ref; /* dofs */
    const double *coefficient;
} ifd__watched_row;

/* A rotation of a rigid body that ties made. Without inertia the model is refused; why: ends the message. */
typedef struct ifd__hub {
    int dof;
    const char *why;
    ifd_place place;
} ifd__hub;

struct ifd_builder {
    ifd_arena *arena, *bulk; /* bulk: entries, until they are released; NULL: none */
    bool failed;             /* an allocation failed: later calls have no effect */
    ifd__list dof, support, entry[3], element, force, grounded;
    ifd__list weight; /* constant loads that become one force (ifd__builder_weigh) */
    double weight_past[3];
    bool weighs;        /* there are some, possibly on fixed directions only */
    ifd__list tie, hub; /* ifd_tie, ifd__hub */
    ifd__list gravity;  /* entries of the geometric stiffness, which entry[] contains too (model/gravity.h) */
    ifd__list held[3];  /* entries between supports: only reactions depend on them */
    int group, groups;  /* current group; number of groups */
    bool later;         /* the next elements are erected in the gravity state (model.h, origin) */
    int *slot;          /* hash of names: index of dof + 1, -(index of support + 1), 0 = free */
    int slots;
    double ray_m, ray_k;
    bool ray_elements; /* ray_k acts on the stiffness at rest of elements too */
    int nzeta;
    const double *zeta;
    bool zeta_rest;
    int modal_count; /* modes with a ratio of their own; 0: by the size of the model */
    const ifd_signal *ground[3];
    bool stay; /* dofs without mass under nonlinear elements remain (model/equilibrium/massless.h) */
    bool bare; /* may consist of supports only, without dofs and mass */
    bool condense;
    const int *keep;
    int nkeep;
    const ifd_reduction *reduction; /* NULL: none */
    ifd__list row;                  /* watched rows of the reduction */
    bool alone; /* nothing but a stored superelement, with unit masses and stiffnesses in its place */
};

/* The name of a dof or a support. */
const char *ifd__builder_name(const ifd_builder *b, int ref);

/* A new zeroed entry at the end of a list; NULL without memory. */
/* The row is copied, its arrays are not; a second one of the same name is ignored. */
void ifd__builder_watch(ifd_builder *b, const ifd__watched_row *row);
void *ifd__builder_push(ifd_builder *b, ifd__list *list, size_t size);

/* Adds an ifd__grounded; no effect if the ground does not drive the dof, or if both values are zero. */
void ifd__builder_grounded(ifd_builder *b, int dof, int direction, double load, double mass);

/* The sum `in` over dofs and supports as one over masters and supports. An error of the ties gives no message: it
 * comes when the model is made. */
ifd_status ifd__tied_row(ifd_arena *arena, const ifd_builder *b, const ifd_coordinate *in, ifd_coordinate *out);

/* why: NULL is out of memory. */
void ifd__builder_hub(ifd_builder *b, const ifd__hub *hub);
/* A constant load (N, N m) on a reference, in direction 0 to 5 of a node, under which the structure starts in
 * equilibrium. weigh makes one force of all of them. */
void ifd__builder_weight(ifd_builder *b, int ref, int direction, double value);
ifd_status ifd__builder_weigh(ifd_builder *b);

/* Frees the entries: no model can be made any more, the names remain. */
void ifd__builder_release(ifd_builder *b);

/* Starts (true) or ends (false) a group of entries that belong together. */
static inline void ifd__builder_group(ifd_builder *b, bool begins)
{
    b->group = begins ? ++b->groups : 0;
}

static inline bool ifd__builder_failed(const ifd_builder *b)
{
    return !b || b->failed;
}

#define IFD__AT(list, type, index) (((type *)(list).data)[index])
