/* SPDX-License-Identifier: MIT */
/* The inside of a builder: what was collected, as it was given. Lists grow in the arena by doubling. */
#ifndef IFD_MODEL_BUILD_BUILDER_H
#define IFD_MODEL_BUILD_BUILDER_H

#include <interfield/model.h>

typedef struct ifd__list {
    int count, room;
    void *data;
} ifd__list;

typedef struct ifd__dof {
    const char *name;
    ifd_dof_kind kind;
    double u0, v0;
    bool given; /* the initial state */
} ifd__dof;

typedef struct ifd__support {
    const char *name;
    const ifd_signal *signal;
} ifd__support;

/* Row i is a dof, column j a dof or a support's reference. Entries of one member, spring or linear element have one
 * group and stay together when a structure is cut; 0 is for those that were given one by one. */
typedef struct ifd__entry {
    int i, j;
    double value;
    int group;
} ifd__entry;

/* One element with its coordinates; all references of a coordinate c stand at [start[c], start[c + 1]). */
typedef struct ifd__attached {
    ifd_element element;
    const ifd_value *values; /* it was made of; a copy */
    const int *start, *ref;
    const double *coefficient;
} ifd__attached;

typedef struct ifd__force {
    int dof;
    const ifd_signal *signal;
} ifd__force;

/* A mass that is coupled to the ground (an inerter to the ground, a member with consistent mass at a fixed node): the
 * load per unit of ground acceleration that comes on top of -M iota, and the mass that moves with the ground besides
 * what the loads of the dofs show. */
typedef struct ifd__grounded {
    int dof, direction;
    double load, mass;
    int group;
} ifd__grounded;

struct ifd_builder {
    ifd_arena *arena;
    bool failed; /* memory was out once: every later call does nothing */
    ifd__list dof, support, entry[3], element, force, grounded;
    ifd__list held[3]; /* entries between supports: nothing but their reactions depends on them */
    int group, groups; /* of what is added now; how many there are */
    int *slot;         /* hash of names: index of dof + 1, -(index of support + 1), 0 = free */
    int slots;
    double ray_m, ray_k;
    int nzeta;
    const double *zeta;
    bool zeta_rest;
    const ifd_signal *ground[3];
    bool bare; /* may have no dofs but its supports: what they hold has no mass of its own */
    bool condense;
    const int *keep;
    int nkeep;
    const ifd_reduction *reduction; /* NULL: none */
};

/* The name of a dof or a support. */
const char *ifd__builder_name(const ifd_builder *b, int ref);

/* A new zeroed place at the end of a list; NULL when memory is out. */
void *ifd__builder_push(ifd_builder *b, ifd__list *list, size_t size);

/* One more ifd__grounded; nothing where the ground does not drive, or has no effect. */
void ifd__builder_grounded(ifd_builder *b, int dof, int direction, double load, double mass);

/* The ground's share of a coordinate: its coefficient, and the direction it moves in: that of the coordinate's first
 * translational dof, along x when it is on the ground alone. A coordinate of rotations has no share. */
double ifd__ground_share(const ifd_builder *b, const ifd__attached *a, int coordinate, int *direction);

/* What is added from here to the next call with false belongs together. */
static inline void ifd__builder_group(ifd_builder *b, bool begins)
{
    b->group = begins ? ++b->groups : 0;
}

static inline bool ifd__builder_failed(const ifd_builder *b)
{
    return !b || b->failed;
}

#define IFD__AT(list, type, index) (((type *)(list).data)[index])

#endif
