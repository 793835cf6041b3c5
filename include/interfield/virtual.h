/* SPDX-License-Identifier: MIT */
/* Virtual laboratory: a rig in this process, made of actuators, specimens and sensors (rig.h).
 *
 * A command is held for one tick while actuator and specimen move, or runs linearly from the last one; the
 * measurement that follows is taken at the tick's end. The specimen of a channel is any element that acts between two
 * points, besides the mass, damping and stiffness an actuator may carry itself; or channels move supports of a whole
 * model, which answers with their reactions. Its own watchdog brings the commands to rest when none arrives.
 *
 *     ifd_rig rig = {.ops = &ifd_virtual_rig, .channels = 1, .tick = 1e-3, .data = &laboratory};
 *     IFD_TRY(rig.ops->open(&rig, NULL, arena, note)); */
#ifndef INTERFIELD_VIRTUAL_H
#define INTERFIELD_VIRTUAL_H

#include <interfield/channels.h>
#include <interfield/drive.h>
#include <interfield/element.h>
#include <interfield/exchange.h>
#include <interfield/method.h>
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
    ifd_value *accelerometer; /* of the specimen's end, auxiliary input of the channel's number; NULL: none */
    double start;             /* m, where it stands before the test */
} ifd_virtual_channel;

/* A model whose supports are moved: dofs, elements, mass and hysteresis of its own. */
typedef struct ifd_virtual_model {
    const char *name;
    const ifd_model *model;
    ifd_step_options step; /* its method; the rig sets h */
    int substeps;          /* steps in a tick; 0 = 1 */
    double scale;          /* of its reactions: a specimen so many times as strong and heavy; 0 = 1 */
    int drives;
    const int *support; /* per drive: the model's support, and the channel that moves it */
    const int *channel;
} ifd_virtual_model;

/* A rigid block that several actuators move, with a specimen on each of its dofs. */
typedef struct ifd_virtual_block {
    const ifd_drive_options *drive;
    int first;                                       /* of its actuators: a channel of the laboratory */
    const ifd_element_ops *specimen[IFD_DRIVE_DOFS]; /* NULL: none */
    const ifd_value *specimen_values[IFD_DRIVE_DOFS];
    double stiffness; /* N/m, of actuators that push against each other, when there are more than dofs */
} ifd_virtual_block;

/* What an auxiliary input shows: truth of one actuator, in SI units. */
typedef enum ifd_virtual_quantity {
    IFD_VIRTUAL_NOTHING,
    IFD_VIRTUAL_POSITION,
    IFD_VIRTUAL_VELOCITY,
    IFD_VIRTUAL_ACCELERATION,
    IFD_VIRTUAL_FORCE
} ifd_virtual_quantity;

typedef struct ifd_virtual_aux {
    ifd_virtual_quantity what;
    int actuator;
} ifd_virtual_aux;

typedef struct ifd_laboratory {
    int channels;
    const ifd_virtual_channel *channel;
    int models;
    const ifd_virtual_model *model;
    int blocks;
    const ifd_virtual_block *block;
    ifd_virtual_aux *aux;       /* IFD_RIG_AUX of them; NULL: none */
    const ifd_channel_map *map; /* its hardware speaks raw numbers; NULL: m and N */
    bool ramps;                 /* commands run linearly from one to the next; otherwise each is held for its tick */
    bool linear;                /* probing: nothing saturates, no noise */
} ifd_laboratory;

/* open expects rig->data to point to an ifd_laboratory. */
IFD_API extern const ifd_rig_ops ifd_virtual_rig;
/* Whether a rig is simulated in this process: it is this one, or this one behind a delay. Others are real. */
IFD_API bool ifd_rig_is_virtual(const ifd_rig_ops *rig);

/* The true position and force of a channel, without sensors (for comparison). */
IFD_API IFD_RT void ifd_virtual_actual(const ifd_rig *rig, const double *x, int channel, double *position,
                                       double *force);

#ifdef __cplusplus
}
#endif
#endif
