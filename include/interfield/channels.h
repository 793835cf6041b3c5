/* SPDX-License-Identifier: MIT */
/* Channels: calibration of the inputs and outputs of the hardware of a rig.
 *
 * A rig measures raw numbers: volts, counts, millimetres. A row converts one of them to a quantity:
 *
 *     value = sign sensitivity raw + offset - zero        in the unit of the row
 *
 * offset is from the calibration, zero from taring before a test (`interfield zero`). A row is the position or the
 * force of an actuator, or it is only recorded. Commands are converted inversely by the row of the position of the
 * actuator. The controller closes its loop on that sensor, so a tare shifts both. For a sensor outside the loop of
 * the controller (loop = false) the tare does not affect commands. Inputs without a row are in m and N.
 *
 *     ifd_channel_map map = {.rows = 2, .row = rows};
 *     IFD_TRY(ifd_channel_map_check(&map, actuators, note));
 *     ifd_channel_map_sense(&map, &raw, &measure, value);     // IFD_RT: raw -> m, N, and every row in its unit
 *     ifd_channel_map_command(&map, &command, &raw_command);  // IFD_RT */
#ifndef INTERFIELD_CHANNELS_H
#define INTERFIELD_CHANNELS_H

#include <interfield/exchange.h>

IFD_BEGIN_DECLS

enum { IFD_CHANNEL_ROWS = 2 * IFD_RIG_ACTUATORS + IFD_RIG_AUX };

/* Source of a row: an array of ifd_measure. */
typedef enum ifd_source { IFD_SOURCE_POSITION, IFD_SOURCE_FORCE, IFD_SOURCE_AUX } ifd_source;
/* Use of a row. */
typedef enum ifd_meaning { IFD_MEANS_RECORD, IFD_MEANS_POSITION, IFD_MEANS_FORCE } ifd_meaning;

typedef struct ifd_channel_row {
    const char *name, *unit;
    const char *calibrated; /* date; NULL: not given */
    const char *tared;      /* date of the tare; NULL: never */
    ifd_source source;
    int input; /* index in the source, from 0 */
    ifd_meaning meaning;
    int actuator;             /* of the rig, from 0; -1: only recorded */
    double sensitivity;       /* unit per raw unit */
    double offset;            /* unit, at raw 0 */
    double zero;              /* unit, subtracted by a tare */
    double sign;              /* 1 or -1 */
    double si;                /* SI units (m, N) per unit; 1 for an unknown unit */
    double low, high;         /* unit, range, low < high; the test trips outside. -INFINITY, INFINITY: none */
    double zero_limit;        /* unit, largest total tare; 0: no taring */
    bool loop;                /* of a position: sensor of the control loop */
    double arm_low, arm_high; /* unit, interlock: the test is not armed outside. -INFINITY, INFINITY: none */
    const char *valid_until;  /* last day of its calibration, "2027-09-01"; NULL: not given */
    int64_t expires;          /* s since 1970, UTC: the end of that day; 0: not given */
} ifd_channel_row;

/* Only recorded, one unit per raw unit, no range, no taring. The caller sets name, source and input. */
IFD_API void ifd_channel_row_defaults(ifd_channel_row *row);

/* Whether a value, in the unit of the row, prevents arming. */
IFD_API IFD_RT bool ifd_channel_locked(const ifd_channel_row *row, double value);

typedef struct ifd_channel_map {
    int rows;
    const ifd_channel_row *row;
} ifd_channel_map;

/* Checks that names, inputs and actuators are distinct and exist, and that sensitivities are not 0. */
IFD_API ifd_status ifd_channel_map_check(const ifd_channel_map *map, int actuators, ifd_note *note);

/* One row: conversion of a raw number, and its inverse. untared: without the tare. */
IFD_API IFD_RT double ifd_channel_value(const ifd_channel_row *row, double raw);
IFD_API IFD_RT double ifd_channel_raw(const ifd_channel_row *row, double value, bool untared);
/* Whether a value is outside its range; NaN is outside if there is a range. */
IFD_API IFD_RT bool ifd_channel_outside(const ifd_channel_row *row, double value);
/* The raw number of a row; NaN if the rig does not measure it. */
IFD_API IFD_RT double ifd_channel_read(const ifd_channel_row *row, const ifd_measure *raw);

/* out: positions in m, forces in N. value: one per row, in its unit; may be NULL. */
IFD_API IFD_RT void ifd_channel_map_sense(const ifd_channel_map *map, const ifd_measure *raw, ifd_measure *out,
                                          double *value);
/* Positions and velocities in raw units. */
IFD_API IFD_RT void ifd_channel_map_command(const ifd_channel_map *map, const ifd_command *command, ifd_command *out);
/* Inverse for simulated hardware: commands in m, and raw values of its sensors. Tares are not applied. A bias (m) of
 * the sensor in the control loop shifts the commanded position. */
IFD_API IFD_RT double ifd_channel_map_position(const ifd_channel_map *map, int actuator, double raw, double bias);
IFD_API IFD_RT void ifd_channel_map_show(const ifd_channel_map *map, ifd_measure *measure);

IFD_END_DECLS
#endif
