/* SPDX-License-Identifier: MIT */
/* Channels: what the numbers of a rig's hardware mean.
 *
 * A rig measures raw numbers: volts, counts, millimetres. A row says which quantity one of them is:
 *
 *     value = sign sensitivity raw + offset - zero        in the row's unit
 *
 * offset comes from the calibration, zero from taring the sensor on the day (`interfield zero`). A row is the
 * position or the force of an actuator, or only recorded. Commands go the other way, through the row of the
 * actuator's position: a controller closes its loop on that sensor, so a tare moves both. Where the sensor stands
 * outside of the controller's loop (loop = false) commands do not know its tare. What no row speaks of is taken as it
 * comes, in m and N.
 *
 *     ifd_channel_map map = {.rows = 2, .row = rows};
 *     IFD_TRY(ifd_channel_map_check(&map, actuators, note));
 *     ifd_channel_map_sense(&map, &raw, &measure, value);     // IFD_RT: raw -> m, N, and every row in its unit
 *     ifd_channel_map_command(&map, &command, &raw_command);  // IFD_RT */
#ifndef INTERFIELD_CHANNELS_H
#define INTERFIELD_CHANNELS_H

#include <interfield/exchange.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { IFD_CHANNEL_ROWS = 2 * IFD_RIG_CHANNELS + IFD_RIG_AUX };

/* Where a rig says it: an array of ifd_measure. */
typedef enum ifd_source { IFD_SOURCE_POSITION, IFD_SOURCE_FORCE, IFD_SOURCE_AUX } ifd_source;
/* What it is. */
typedef enum ifd_meaning { IFD_MEANS_RECORD, IFD_MEANS_POSITION, IFD_MEANS_FORCE } ifd_meaning;

typedef struct ifd_channel_row {
    const char *name, *unit;
    const char *calibrated; /* date, NULL when not given */
    const char *tared;      /* when zero was found, NULL: never */
    ifd_source source;
    int input; /* in the source, from 0 */
    ifd_meaning meaning;
    int actuator;       /* of the rig, from 0; -1 when only recorded */
    double sensitivity; /* unit per raw unit */
    double offset;      /* unit, at raw 0 */
    double zero;        /* unit, taken away by a tare */
    double sign;        /* 1 or -1 */
    double si;          /* SI units in one unit: m, N; 1 where the unit is not known */
    double low, high;   /* unit, range, low < high; outside of it the test trips. -INFINITY, INFINITY: none */
    double zero_limit;  /* unit, what a tare may take away in all; 0: it cannot be tared */
    bool loop;          /* of a position: the controller's own sensor */
} ifd_channel_row;

/* Recorded only, one unit per raw unit, no range, cannot be tared: name, source and input must be given. */
IFD_API void ifd_channel_row_defaults(ifd_channel_row *row);

typedef struct ifd_channel_map {
    int rows;
    const ifd_channel_row *row;
} ifd_channel_map;

/* Names, inputs and actuators are distinct and exist; sensitivities are not 0. */
IFD_API ifd_status ifd_channel_map_check(const ifd_channel_map *map, int actuators, ifd_note *note);

/* One row: its value of a raw number, and back. untared: as if it had never been tared. */
IFD_API IFD_RT double ifd_channel_value(const ifd_channel_row *row, double raw);
IFD_API IFD_RT double ifd_channel_raw(const ifd_channel_row *row, double value, bool untared);
/* Whether a value is outside its range; what is no number is, where there is a range. */
IFD_API IFD_RT bool ifd_channel_outside(const ifd_channel_row *row, double value);
/* The raw number of a row, NaN when the rig does not measure it. */
IFD_API IFD_RT double ifd_channel_read(const ifd_channel_row *row, const ifd_measure *raw);

/* out: positions in m, forces in N. value: one per row, in its unit; NULL: not wanted. */
IFD_API IFD_RT void ifd_channel_map_sense(const ifd_channel_map *map, const ifd_measure *raw, ifd_measure *out,
                                          double *value);
/* Positions and velocities as the hardware wants them. */
IFD_API IFD_RT void ifd_channel_map_command(const ifd_channel_map *map, const ifd_command *command, ifd_command *out);
/* The way back, of hardware that is simulated: its commands in m, and what its sensors show in raw numbers. Tares are
 * not its business; the sensor of a controller's loop (bias: m that it shows too much) moves what is commanded. */
IFD_API IFD_RT double ifd_channel_map_position(const ifd_channel_map *map, int actuator, double raw, double bias);
IFD_API IFD_RT void ifd_channel_map_show(const ifd_channel_map *map, ifd_measure *measure);

#ifdef __cplusplus
}
#endif
#endif
