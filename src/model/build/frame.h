/* SPDX-License-Identifier: MIT */
/* Deformations and end forces of a member of a frame. */
#pragma once

#include <limits.h>

#include <interfield/structures.h>

enum { IFD__MEMBER_ENDS = 12, IFD__MEMBER_DEFORMATIONS = 6 };

/* deformation: elongation, twist, rotations of the first and the second end against the chord about local z, then
 * about local y; rows over the directions x, y, z, rx, ry, rz of the first node and then of the second.
 * force: of the ends in local axes (x, y, z and moments about them; first end, second end), against a positive
 * displacement there; rows over the deformations. load: of the member on its ends in the same directions; the end
 * forces are force times deformations less load. */
typedef struct ifd__member_rows {
    double deformation[IFD__MEMBER_DEFORMATIONS][IFD__MEMBER_ENDS];
    double force[IFD__MEMBER_ENDS][IFD__MEMBER_DEFORMATIONS];
    double load[IFD__MEMBER_ENDS];
    double statics[IFD__MEMBER_DEFORMATIONS][IFD__MEMBER_ENDS]; /* end forces of a unit basic force */
} ifd__member_rows;

/* Rows of member i of a frame that was added to a builder. */
void ifd__frame_member(const ifd_frame *f, int i, ifd__member_rows *out);

/* Matrices of a member in global directions: x, y, z, rx, ry, rz of the first node and then of the second. */
typedef struct ifd__matrix12 {
    double at[IFD__MEMBER_ENDS][IFD__MEMBER_ENDS];
} ifd__matrix12;

void ifd__frame_stiffness(const ifd_frame *f, int i, ifd__matrix12 *out);
void ifd__frame_mass(const ifd_frame *f, int i, ifd__matrix12 *out);
/* What the axial force N (N, tension positive) adds to the stiffness. False: released ends let the member buckle. */
bool ifd__frame_geometric(const ifd_frame *f, int i, double N, ifd__matrix12 *out);

/* Its load on the nodes in global directions. */
void ifd__frame_load(const ifd_frame *f, int i, double out[IFD__MEMBER_ENDS]);
bool ifd__frame_loaded(const ifd_frame_member *b);

/* Axes of a member: rows of R along its axis, and the two across it. Returns its length (m); 0 without axes. */
double ifd__frame_axes(const ifd_frame *f, int i, double R[3][3]);
/* The same; false if the member has no length or its depth is parallel to its axis. */
bool ifd__frame_make_axes(const ifd_frame *f, int i, double R[3][3], double *length);

/* Deformations of a member in a plane, among the six. */
enum { IFD__PLANAR_DEFORMATIONS = 3 };
extern const int ifd__planar_deformation[IFD__PLANAR_DEFORMATIONS];

/* Its name, or "a-b" of its nodes; "a-b-2" if two members connect the same nodes. */
const char *ifd__frame_member_name(ifd_arena *arena, const ifd_frame *f, int member);
/* The name of deformation d as a watched row of a reduced model; arena: of the result. */
const char *ifd__member_row_name(ifd_arena *arena, const char *member, int d);

/* True if a direction (0 to 5) of a node is fixed: it has no dof. */
bool ifd__frame_held(const ifd_frame *f, int node, int direction);

/* A direction of a node: its dof in b, the support that moves it, or IFD__GROUND_ALONG; IFD__NOWHERE if b, one of the
 * parts of a frame, does not have it. */
enum { IFD__NOWHERE = INT_MAX };
int ifd__frame_ref(const ifd_builder *b, const ifd_frame *f, int node, int direction);

/* Suffixes of the names of the dofs of a node: "x" to "rz". */
extern const char *const ifd__frame_suffix[6];
