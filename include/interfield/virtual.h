/* SPDX-License-Identifier: MIT */
/* Virtual rig: a rig in this process, with actuators, specimens and sensors (rig.h).
 *
 * During one tick a command is held, or varies linearly from the previous one; the next measurement is at the end of
 * the tick. The specimen of an actuator is any element between two points, in addition to mass, damping and stiffness
 * of the actuator. Alternatively, actuators move supports of a complete model, which returns their reactions. A
 * watchdog brings the commands to rest if none arrives.
 *
 *     ifd_rig rig = {.ops = &ifd_virtual_rig, .actuators = 1, .tick = 1e-3, .data = &laboratory};
 *     IFD_TRY(rig.ops->open(&rig, NULL, arena, note)); */
#ifndef INTERFIELD_VIRTUAL_H
#define INTERFIELD_VIRTUAL_H

#include <interfield/channels.h>
#include <interfield/drive.h>
#include <interfield/element.h>
#include <interfield/exchange.h>
#include <interfield/method.h>
#include <interfield/rig.h>

IFD_BEGIN_DECLS

/* One actuator with its sensors and its specimen. */
typedef struct ifd_virtual_actuator {
    const ifd_actuator_kind *actuator; /* NULL: ideal */
    ifd_value *actuator_values;
    const ifd_element_ops *specimen; /* NULL: only the linear specimen of the actuator */
    const ifd_value *specimen_values;
    ifd_value *position_sensor, *force_sensor; /* values of ifd_sensor_params; NULL: ideal */
    ifd_value *accelerometer;   /* at the specimen end, auxiliary input with the number of the actuator; NULL: none */
    double start;               /* m, position before the test */
    ifd_value *specimen_sensor; /* of IFD_VIRTUAL_SPECIMEN; NULL: ideal */
    ifd_value *wall_sensor[2];  /* of IFD_VIRTUAL_WALL and IFD_VIRTUAL_WALL_2; NULL: ideal */
    /* 1 + the actuator whose force compresses the specimen, a friction-pendulum; negative: its negative force. 0: the
     * compression is that of the specimen's parameters. */
    int pressed_by;
} ifd_virtual_actuator;

/* A model with moving supports, as a specimen with dofs, elements, mass and hysteresis. */
typedef struct ifd_virtual_model {
    const char *name;
    const ifd_model *model;
    ifd_step_options step; /* its method; the rig sets h */
    int substeps;          /* steps per tick; 0 = 1 */
    double scale;          /* factor on its reactions: a specimen of this multiple of strength and mass; 0 = 1 */
    int drives;
    const int
        *support; /* per drive: the support of the model, and the actuator that moves it; on a block: the first */
    const int *actuator; /* actuator of the block + the number of the dof */
    int observed;        /* dof whose position IFD_VIRTUAL_SPECIMEN shows */
    int wall[2];         /* 1 + the support whose reaction IFD_VIRTUAL_WALL or IFD_VIRTUAL_WALL_2 shows; 0: none */
} ifd_virtual_model;

/* A rigid block moved by several actuators, with a specimen or a support of a model on each dof. */
typedef struct ifd_virtual_block {
    const ifd_drive_options *drive;
    int first;                                       /* first of its actuators: an actuator of the laboratory */
    const ifd_element_ops *specimen[IFD_DRIVE_DOFS]; /* NULL: none */
    const ifd_value *specimen_values[IFD_DRIVE_DOFS];
    double stiffness; /* N/m, between actuators in parallel, if there are more actuators than dofs */
} ifd_virtual_block;

/* Quantity of an auxiliary input: an actual value of one actuator, in SI units. */
typedef enum ifd_virtual_quantity {
    IFD_VIRTUAL_NOTHING,
    IFD_VIRTUAL_POSITION,
    IFD_VIRTUAL_VELOCITY,
    IFD_VIRTUAL_ACCELERATION,
    IFD_VIRTUAL_FORCE,
    IFD_VIRTUAL_SPECIMEN, /* position of the observed dof of the model on this actuator */
    IFD_VIRTUAL_WALL,     /* force of the wall on this model */
    IFD_VIRTUAL_WALL_2    /* of its second wall */
} ifd_virtual_quantity;

typedef struct ifd_virtual_aux {
    ifd_virtual_quantity what;
    int actuator;
} ifd_virtual_aux;

typedef struct ifd_laboratory {
    int actuators;
    const ifd_virtual_actuator *actuator;
    int models;
    const ifd_virtual_model *model;
    int blocks;
    const ifd_virtual_block *block;
    ifd_virtual_aux *aux;       /* IFD_RIG_AUX of them; NULL: none */
    const ifd_channel_map *map; /* conversion to raw numbers; NULL: m and N */
    bool ramps;                 /* commands vary linearly between ticks; otherwise each is held for one tick */
    bool linear;                /* probing: no saturation, no noise */
} ifd_laboratory;

/* rig->data of open is an ifd_laboratory. */
IFD_API extern const ifd_rig_ops ifd_virtual_rig;
/* Whether a rig is simulated in this process: this one, with or without an additional delay. Others are real. */
IFD_API bool ifd_rig_is_virtual(const ifd_rig_ops *rig);

/* Actual position and force of an actuator, without sensors (for comparison). */
IFD_API IFD_RT void ifd_virtual_actual(const ifd_rig *rig, const double *x, int actuator, double *position,
                                       double *force);

IFD_END_DECLS
#endif
