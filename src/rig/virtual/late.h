/* SPDX-License-Identifier: MIT */
/* Late rig: the virtual laboratory behind a command that comes late and too large or too small,
 *
 *     u'(t) = g u(t - tau).
 *
 * What a loop stands of either before it becomes unstable is its margin. With tau = 0 and g = 1 it is the
 * laboratory, bit for bit. */
#ifndef IFD_RIG_VIRTUAL_LATE_H
#define IFD_RIG_VIRTUAL_LATE_H

#include <interfield/virtual.h>

/* What is added to a measurement, of every channel; may change from tick to tick. */
typedef struct ifd__disturbance {
    double position[IFD_RIG_CHANNELS], force[IFD_RIG_CHANNELS]; /* m, N */
} ifd__disturbance;

/* open expects rig->data to point to one. */
typedef struct ifd__late {
    ifd_laboratory *laboratory;          /* is only read */
    double delay;                        /* s of wall clock, fractions of a tick by a cubic */
    double gain;                         /* 0 = 1 */
    const ifd__disturbance *disturbance; /* NULL: none */
} ifd__late;

extern const ifd_rig_ops ifd__late_rig;

/* As ifd__virtual_states. */
int ifd__late_states(const ifd_rig *rig, int at, int *state);

#endif
