/* SPDX-License-Identifier: MIT */
/* Drive: several actuators that move one specimen together.
 *
 * Actuators with extensions s move the dofs q of a specimen (at most six). Either s = A q with a constant matrix, or
 * by geometry: each actuator extends from a fixed base point b to a point p of a rigid block, and
 *
 *     s_j(q) = |c + d(q) + R(q) (p_j - c) - b_j| - |p_j - b_j|
 *
 * where d and R are displacement and rotation of the block, both exact, and q is the motion of point c. Rotations in
 * space are a rotation vector: R = exp([theta]x). Forces follow from virtual work, f_q = J^T f_s with J = ds/dq.
 *
 *     ifd_drive *d;
 *     IFD_TRY(ifd_drive_make(arena, &options, &d, note));
 *     ifd_drive_reach(d, q, s);                        // IFD_RT: extensions of the actuators
 *     ok = ifd_drive_pose(d, s, q);                    // IFD_RT: pose of the block; q holds a guess before
 *     ifd_drive_force(d, q, f_s, f_q);                 // IFD_RT
 *
 * There are at least as many actuators as dofs. With more actuators the pose is a least-squares fit. */
#ifndef INTERFIELD_DRIVE_H
#define INTERFIELD_DRIVE_H

#include <stdbool.h>

#include <interfield/arena.h>
#include <interfield/status.h>

IFD_BEGIN_DECLS

enum { IFD_DRIVE_DOFS = 6, IFD_DRIVE_ACTUATORS = 12 };

/* Direction of a dof of a block. */
#define IFD_AXIS_LIST(ROW) ROW(X, "x") ROW(Y, "y") ROW(Z, "z") ROW(RX, "rx") ROW(RY, "ry") ROW(RZ, "rz")
typedef enum ifd_axis {
#define IFD_AXIS_ENUM(name, text) IFD_AXIS_##name,
    IFD_AXIS_LIST(IFD_AXIS_ENUM)
#undef IFD_AXIS_ENUM
        IFD_AXES
} ifd_axis;

/* "x|y|z|rx|ry|rz" */
IFD_API const char *ifd_axis_words(void);

typedef struct ifd_drive_options {
    const char *name;
    int dofs, actuators;
    const double *matrix;          /* actuators x dofs by rows; NULL: by geometry */
    const ifd_axis *axis;          /* of each dof; directions without a dof do not move */
    const double (*base)[3];       /* m, of each actuator */
    const double (*attachment)[3]; /* m, on the block in its position of q = 0 */
    double point[3];               /* m, c */
} ifd_drive_options;

typedef struct ifd_drive ifd_drive;

/* Refuses a drive that does not restrain all dofs of its block at q = 0. */
IFD_API ifd_status ifd_drive_make(ifd_arena *arena, const ifd_drive_options *o, ifd_drive **out, ifd_note *note);

/* s(q), exact. */
IFD_API IFD_RT void ifd_drive_reach(const ifd_drive *d, const double *q, double *s);
/* J(q) = ds/dq, by rows. */
IFD_API IFD_RT void ifd_drive_jacobian(const ifd_drive *d, const double *q, double *J);
/* Solves s(q) = s by a fixed number of Newton steps from the guess in q. False, with q unchanged, without
 * convergence: the guess is too far away, or s is out of reach. */
IFD_API IFD_RT bool ifd_drive_pose(const ifd_drive *d, const double *s, double *q);
/* f_q = J(q)^T f_s. */
IFD_API IFD_RT void ifd_drive_force(const ifd_drive *d, const double *q, const double *f_s, double *f_q);
/* The smallest f_s with J(q)^T f_s = f_q; false if the drive is singular. */
IFD_API IFD_RT bool ifd_drive_share(const ifd_drive *d, const double *q, const double *f_q, double *f_s);

IFD_END_DECLS
#endif
