/* SPDX-License-Identifier: MIT */
/* Converts channels of the hardware to m and N, and back. */
#include "rig/rig.h"

#include <math.h>
#include <string.h>

void ifd_channel_row_defaults(ifd_channel_row *row)
{
    *row = (ifd_channel_row){.actuator = -1,
                             .sensitivity = 1.0,
                             .sign = 1.0,
                             .si = 1.0,
                             .low = -(double)INFINITY,
                             .high = (double)INFINITY,
                             .arm_low = -(double)INFINITY,
                             .arm_high = (double)INFINITY};
}

double ifd_channel_value(const ifd_channel_row *row, double raw)
{
    return row->sign * row->sensitivity * raw + row->offset - row->zero;
}

double ifd_channel_raw(const ifd_channel_row *row, double value, bool untared)
{
    return (value - row->offset + (untared ? 0.0 : row->zero)) / (row->sign * row->sensitivity);
}

bool ifd_channel_locked(const ifd_channel_row *row, double value)
{
    bool ranged = isfinite(row->arm_low) || isfinite(row->arm_high);
    return ranged && !(value >= row->arm_low && value <= row->arm_high);
}

bool ifd_channel_outside(const ifd_channel_row *row, double value)
{
    bool ranged = isfinite(row->low) || isfinite(row->high);
    return ranged && !(value >= row->low && value <= row->high);
}

static double *place_of(const ifd_channel_row *row, ifd_measure *m)
{
    double *const inputs[] = {
        [IFD_SOURCE_POSITION] = m->position, [IFD_SOURCE_FORCE] = m->force, [IFD_SOURCE_AUX] = m->auxiliary};
    return &inputs[row->source][row->input];
}

double ifd_channel_read(const ifd_channel_row *row, const ifd_measure *raw)
{
    const double *const inputs[] = {
        [IFD_SOURCE_POSITION] = raw->position, [IFD_SOURCE_FORCE] = raw->force, [IFD_SOURCE_AUX] = raw->auxiliary};
    uint32_t there = row->source == IFD_SOURCE_AUX ? raw->aux : raw->actuators;
    return (uint32_t)row->input < there ? inputs[row->source][row->input] : (double)NAN;
}

void ifd_channel_map_sense(const ifd_channel_map *map, const ifd_measure *raw, ifd_measure *out, double *value)
{
    *out = *raw;
    for (int i = 0; i < map->rows; i++) {
        const ifd_channel_row *row = &map->row[i];
        double v = ifd_channel_value(row, ifd_channel_read(row, raw));
        if (row->meaning == IFD_MEANS_POSITION)
            out->position[row->actuator] = v * row->si;
        if (row->meaning == IFD_MEANS_FORCE)
            out->force[row->actuator] = v * row->si;
        if (value)
            value[i] = v;
    }
}

void ifd_channel_map_command(const ifd_channel_map *map, const ifd_command *command, ifd_command *out)
{
    *out = *command;
    for (int i = 0; i < map->rows; i++) {
        const ifd_channel_row *row = &map->row[i];
        if (row->meaning != IFD_MEANS_POSITION)
            continue;
        int k = row->actuator;
        out->position[k] = ifd_channel_raw(row, command->position[k] / row->si, !row->loop);
        out->velocity[k] = command->velocity[k] / (row->si * row->sign * row->sensitivity);
    }
}

static const ifd_channel_row *position_row(const ifd_channel_map *map, int actuator)
{
    for (int i = 0; i < map->rows; i++)
        if (map->row[i].meaning == IFD_MEANS_POSITION && map->row[i].actuator == actuator)
            return &map->row[i];
    return NULL;
}

double ifd_channel_map_position(const ifd_channel_map *map, int actuator, double raw, double bias)
{
    const ifd_channel_row *row = position_row(map, actuator);
    if (!row)
        return raw;
    double shown = (row->sign * row->sensitivity * raw + row->offset) * row->si;
    return row->loop ? shown - bias : shown;
}

/* Quantities without a row remain; a quantity at another input is first copied from its original place. */
void ifd_channel_map_show(const ifd_channel_map *map, ifd_measure *measure)
{
    const ifd_measure truth = *measure;
    for (int i = 0; i < map->rows; i++) {
        const ifd_channel_row *row = &map->row[i];
        double v = row->meaning == IFD_MEANS_POSITION ? truth.position[row->actuator]
                   : row->meaning == IFD_MEANS_FORCE  ? truth.force[row->actuator]
                                                      : *place_of(row, measure);
        *place_of(row, measure) = ifd_channel_raw(row, v / row->si, true);
        if (row->source == IFD_SOURCE_AUX && measure->aux <= (uint32_t)row->input)
            measure->aux = (uint32_t)row->input + 1;
    }
}

static bool row_exists(const ifd_channel_row *row, int actuators)
{
    int most = row->source == IFD_SOURCE_AUX ? IFD_RIG_AUX : actuators;
    bool named = row->meaning == IFD_MEANS_RECORD || (row->actuator >= 0 && row->actuator < actuators);
    return row->input >= 0 && row->input < most && named;
}

static ifd_status compare(const ifd_channel_row *a, const ifd_channel_row *b, ifd_note *note)
{
    if (strcmp(a->name, b->name) == 0)
        return ifd_note_add(note, IFD_DUPLICATE, NULL, "two channels have the name '%s'", a->name);
    if (a->source == b->source && a->input == b->input)
        return ifd_note_add(note, IFD_DUPLICATE, NULL, "channels '%s' and '%s' read the same input", a->name,
                            b->name);
    if (a->meaning != IFD_MEANS_RECORD && a->meaning == b->meaning && a->actuator == b->actuator)
        return ifd_note_add(note, IFD_DUPLICATE, NULL, "channels '%s' and '%s' are the same quantity of one actuator",
                            a->name, b->name);
    return IFD_OK;
}

ifd_status ifd_channel_map_check(const ifd_channel_map *map, int actuators, ifd_note *note)
{
    if (map->rows > IFD_CHANNEL_ROWS)
        return ifd_note_add(note, IFD_TOO_LARGE, NULL, "the channel map has %d channels, expected at most %d",
                            map->rows, IFD_CHANNEL_ROWS);
    for (int i = 0; i < map->rows; i++) {
        const ifd_channel_row *row = &map->row[i];
        if (!row_exists(row, actuators))
            return ifd_note_add(note, IFD_RANGE, NULL,
                                "channel '%s' refers to an input or an actuator that does not exist", row->name);
        if (!(row->low < row->high))
            return ifd_note_add(note, IFD_RANGE, NULL,
                                "channel '%s' has a range of %g to %g, expected low < high. "
                                "ifd_channel_row_defaults() sets no range",
                                row->name, row->low, row->high);
        if (!isfinite(row->sensitivity) || row->sensitivity == 0.0 || !isfinite(row->offset) || !isfinite(row->zero))
            return ifd_note_add(note, IFD_RANGE, NULL, "channel '%s' needs a sensitivity that is not 0", row->name);
        for (int j = 0; j < i; j++)
            IFD_TRY(compare(&map->row[j], row, note));
    }
    return IFD_OK;
}

void ifd__channel_map_rates(const ifd_channel_map *map, double rate[IFD_RIG_ACTUATORS])
{
    ifd_command c = {0}, raw;
    memcpy(c.velocity, rate, sizeof c.velocity);
    ifd_channel_map_command(map, &c, &raw);
    for (int k = 0; k < IFD_RIG_ACTUATORS; k++)
        rate[k] = fabs(raw.velocity[k]);
}
