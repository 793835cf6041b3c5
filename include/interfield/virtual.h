/* SPDX-License-Identifier: MIT */
/* Virtual laboratory: a rig in this process, made of actuators, specimens and sensors (rig.h).
 *
 * A command is held for one tick while actuator and specimen move; the measurement that follows is taken at its end. The specimen
 * of a channel is any element that acts between two points, besides the mass, damping and stiffness an actuator may carry
 * itself. Its own watchdog brings the commands to rest when none arrives.
 *
 *     ifd_rig rig = {.ops = &ifd_virtual_rig, .channels = 1, .tick = 1e-3, .data = &laboratory};
 *     IFD_TRY(rig.ops->open(&rig, NULL, arena, note)); */
#ifndef INTERFIELD_VIRTUAL_H
#define INTERFIELD_VIRTUAL_H

#include <interfield/element.h>
#include <interfield/exchange.h>
#include <interfield/rig.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ifd_virtual_channel {
    const ifd_actuator_kind *actuator; /* NULL: ideal */
    ifd_value *actuator_values;
    const ifd_element_ops *specimen; /* NULL: only what the actuator carries */
    const ifd_value *specimen_values;
    ifd_value *position_sensor, *force_sensor; /* values of ifd_sensor_params; NULL: perfect */
    double start;                              /* m, where it stands before the test */
} ifd_virtual_channel;

typedef struct ifd_laboratory {
    int channels;
    const ifd_virtual_channel *channel;
    bool linear; /* probing: nothing saturates, no noise */
} ifd_laboratory;

/* open expects rig->data to point to an ifd_laboratory. */
IFD_API extern const ifd_rig_ops ifd_virtual_rig;

/* The true position and force of a channel, without sensors (for comparison). */
IFD_API IFD_RT void ifd_virtual_truth(const ifd_rig *rig, const double *x, int channel, double *position, double *force);

#ifdef __cplusplus
}
#endif
#endif
