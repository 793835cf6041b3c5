/* SPDX-License-Identifier: MIT */
/* Structures: shear buildings and Euler-Bernoulli frames for a builder.
 *
 *     ifd_grid grid;
 *     ifd_grid_defaults(&grid);                                    // planar, one bay of 6 m, one storey of 3 m
 *     grid.bays_x = 3;
 *     grid.storeys = 10;
 *     grid.column = ifd_section_rectangle(0.5, 0.5);
 *     grid.beam = ifd_section_rectangle(0.3, 0.6);
 *     ifd_frame frame;
 *     IFD_TRY(ifd_frame_grid(arena, &grid, &frame, note));
 *     IFD_TRY(ifd_builder_frame(builder, &frame, note));           // dofs "s1c1.x", "s1c1.y", "s1c1.rz", ...
 *
 * A planar frame is in the x-y plane, y upwards, with dofs x, y, rz at every node. A frame in space has z upwards and
 * dofs x, y, z, rx, ry, rz. A fixed direction of a node has no dof. */
#ifndef INTERFIELD_STRUCTURES_H
#define INTERFIELD_STRUCTURES_H

#include <interfield/model.h>

IFD_BEGIN_DECLS

typedef struct ifd_storey {
    const char *name; /* of the dof; NULL: "floor1" at the bottom, "floor2", ... */
    double mass;      /* kg, of the floor */
    double stiffness; /* N/m, of the storey below it */
    double damping;   /* N s/m, likewise */
} ifd_storey;

typedef struct ifd_building {
    int storeys;
    const ifd_storey *storey; /* bottom to top */
    ifd_dof_kind direction;   /* IFD_DOF_X by default */
    int base;                 /* reference below the first storey: IFD_GROUND by default, or a support */
    const char *prefix;       /* of default names; NULL: "floor" */
} ifd_building;

/* No storeys; defaults for the other members. */
IFD_API void ifd_building_defaults(ifd_building *building);
/* One dof per floor, and between adjacent floors a spring and a dashpot, so that drift is the difference of two dofs.
 * dof: storeys indices, or NULL. */
IFD_API ifd_status ifd_builder_building(ifd_builder *b, const ifd_building *building, int *dof, ifd_note *note);

struct ifd_fibres;
struct ifd_material;

/* Bending about local z is in the local x-y plane; local y is the direction of the depth. */
typedef struct ifd_section {
    double A;                            /* m2 */
    double Iz, Iy;                       /* m4; Iy and J are used in space only */
    double J;                            /* m4, torsion constant */
    double Asy, Asz;                     /* m2, shear areas for forces along local y and z; 0: rigid in shear */
    const struct ifd_fibres *fibres;     /* of a case file, with the stiffness above at rest; NULL: elastic */
    const struct ifd_material *material; /* of a case file, instead of that of the member; NULL: none */
} ifd_section;

/* Iz = width depth^3 / 12; J by Saint-Venant's series, two terms (0.5 %). */
IFD_API ifd_section ifd_section_rectangle(double width, double depth);

typedef struct ifd_material {
    double E;       /* Pa */
    double G;       /* Pa; 0: E / (2 (1 + nu)) */
    double nu;      /* Poisson's ratio */
    double density; /* kg/m3 */
} ifd_material;

typedef struct ifd_frame_node {
    const char *name;
    double x, y, z; /* m */
} ifd_frame_node;

/* Local x is the direction from one node to the other. Local y, the direction of the depth, is the component of
 * depth[] normal to the member. Depth 0, 0, 0 means: in space, upwards (z), and for a vertical member the global x;
 * in the plane, local x rotated by 90 degrees counterclockwise. Local z completes the right-handed system. */
typedef struct ifd_frame_member {
    int from, to; /* nodes */
    ifd_section section;
    ifd_material material;
    double added_mass; /* kg/m, in addition to that of the material: slabs */
    double depth[3];
    const char *name; /* of its recorded forces and deformations; NULL: "a-b", of its nodes */
    /* Of both ends: IFD_FIX_RX, RY, RZ about local axes do not transmit the rotation of the node, except through a
     * spring (N m/rad) about that axis. RX at one end at most. */
    unsigned released[2];
    double spring[2][3];
    double load[3]; /* N/m, per length of the member, along global x, y, z */
} ifd_frame_member;

enum {
    IFD_FIX_X = 1,
    IFD_FIX_Y = 2,
    IFD_FIX_Z = 4,
    IFD_FIX_RX = 8,
    IFD_FIX_RY = 16,
    IFD_FIX_RZ = 32,
    IFD_FIX_ALL = 63,
    IFD_FIX_LOOSE = 64 /* no support: rotations that no member holds (ifd_frame_loosen) */
};

/* Fixed directions of a node; the others are free. */
typedef struct ifd_frame_support {
    int node;
    unsigned fixed; /* IFD_FIX_... */
} ifd_frame_support;

/* A fixed direction of a node that moves with a support of the builder instead of the ground. */
typedef struct ifd_frame_motion {
    int node;
    ifd_dof_kind direction;
    int support; /* IFD_SUPPORT(k) */
} ifd_frame_motion;

typedef struct ifd_frame {
    bool planar;
    bool lumped; /* half of the mass of each member at either end, no rotational inertia; otherwise consistent mass */
    bool large;  /* members turn with their nodes; planar and lumped only */
    int nodes, members, supports, motions;
    const ifd_frame_node *node;
    const ifd_frame_member *member;
    const ifd_frame_support *support;
    const ifd_frame_motion *motion;
} ifd_frame;

/* An empty planar frame with consistent mass; a concrete member: 30 GPa, nu 0.2, 2,500 kg/m3, 0.3 x 0.3 m. */
IFD_API void ifd_frame_defaults(ifd_frame *frame);
IFD_API void ifd_frame_member_defaults(ifd_frame_member *member);
/* Before a frame with releases is added: rotations of nodes that no member holds any more get no dof. */
IFD_API ifd_status ifd_frame_loosen(ifd_arena *arena, ifd_frame *frame, ifd_note *note);
IFD_API ifd_status ifd_builder_frame(ifd_builder *b, const ifd_frame *frame, ifd_note *note);

/* Regular frames. Nodes: planar "s<storey>c<column>", in space "s<storey>x<i>y<j>"; storey 0 is the base, columns are
 * numbered from 1. */
typedef struct ifd_grid {
    bool planar, lumped;
    int bays_x, bays_y, storeys;
    double bay_x, bay_y, storey; /* m */
    ifd_section column, beam;
    ifd_material material;
    double beam_mass; /* kg/m, added to every beam */
    double beam_load; /* N/m, downwards, on every beam */
    unsigned base;    /* fixed directions at the base: IFD_FIX_ALL by default */
} ifd_grid;

/* Planar, one bay, one storey. frame_grid makes the nodes and members of a grid. */
IFD_API void ifd_grid_defaults(ifd_grid *grid);
IFD_API ifd_status ifd_frame_grid(ifd_arena *arena, const ifd_grid *grid, ifd_frame *out, ifd_note *note);

IFD_END_DECLS
#endif
