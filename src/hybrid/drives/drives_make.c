/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "hybrid/drives/drives.h"
#include "hybrid/columns.h"
#include "hybrid/hybrid.h"
#include "hybrid/limits/limits.h"
#include "rig/compensator/compensator.h"

static ifd_status check_limits(const ifd_hybrid *h, const ifd_driven *o, int j, ifd_note *note)
{
    char who[IFD__WHO];
    snprintf(who, sizeof who, "actuator '%s'", o->name[j]);
    return ifd__limits_check(&o->limits[j], who, IFD__KEPT_ACTUATOR, ifd__hybrid_real(&h->opt), note);
}

static ifd_status make_drive(ifd_hybrid *h, ifd_arena *arena, int d, ifd_note *note)
{
    ifd__driven *g = &h->drive[d];
    const ifd_driven *o = g->o = &h->opt.drive[d];
    IFD_TRY(ifd_drive_make(arena, &o->drive, &g->drive, note));
    IFD_TRY(ifd__sharing_check(o, note));
    for (int j = 0; j < o->drive.actuators; j++) {
        IFD_TRY(check_limits(h, o, j, note));
        g->bounds[j] = ifd__limits_bounds(&o->limits[j], h->period);
    }
    g->at = h->size;
    h->size += 1 + o->drive.actuators * IFD__DOUBLES(ifd__actuator_state);
    return IFD_OK;
}

/* The drive of interface k; -1: none. */
static int drive_of(const ifd_hybrid *h, int k)
{
    for (int d = 0; d < h->drives; d++)
        for (int i = 0; i < h->opt.drive[d].drive.dofs; i++)
            if (h->opt.drive[d].interface[i] == k)
                return d;
    return -1;
}

static ifd_status check_dofs(const ifd_hybrid *h, ifd_note *note)
{
    int seen[IFD_RIG_CHANNELS] = {0};
    for (int d = 0; d < h->drives; d++)
        for (int i = 0; i < h->opt.drive[d].drive.dofs; i++) {
            int k = h->opt.drive[d].interface[i];
            if (k < 0 || k >= h->interfaces || seen[k]++)
                return ifd_note_add(note, IFD_CONFLICT, NULL,
                                    "drive '%s': each of its dofs must be one interface of the test, "
                                    "which belongs to no other drive",
                                    h->opt.drive[d].drive.name);
        }
    return IFD_OK;
}

/* A compensator that couples dofs: its matrices and its row belong to the drive of interface k. */
static ifd_status check_coupling(const ifd_hybrid *h, int k, ifd_note *note)
{
    const ifd_compensator *c = h->interface[k].compensator;
    int d = drive_of(h, k), row, axes = c ? ifd__decoupling_axes(c, &row) : 0;
    int dofs = d < 0 ? 1 : h->opt.drive[d].drive.dofs, own = 0;
    const char *name = h->opt.interface[k].name;
    if (c && d >= 0 && c->kind->accelerometer)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "compensation '%s' of '%s' needs the acceleration of a table with one actuator, but "
                            "several actuators move it (drive '%s'): use another compensation",
                            c->kind->name, name, h->opt.drive[d].drive.name);
    if (!axes)
        return IFD_OK;
    if (axes != dofs)
        return ifd_note_add(note, IFD_SHAPE, NULL,
                            "compensation '%s' of '%s' has matrices with %d rows, expected %d, one per dof of its "
                            "drive%s",
                            c->kind->name, name, axes, dofs, d < 0 ? "; without a drive there is one" : "");
    for (int i = 0; d >= 0 && i < dofs; i++) {
        int other = h->opt.drive[d].interface[i];
        own = other == k ? i : own;
        if (h->opt.interface[other].force)
            return ifd_note_add(
                note, IFD_CONFLICT, NULL,
                "compensation '%s' of '%s': dof '%s' of the same drive is in force control and has no "
                "target; use a compensation of single dofs",
                c->kind->name, name, h->opt.interface[other].name);
    }
    if (row != own + 1)
        return ifd_note_add(note, IFD_CONFLICT, NULL,
                            "compensation '%s' of '%s' is row %d, but this is dof %d of its drive: write the "
                            "compensation in the drive, which numbers the rows",
                            c->kind->name, name, row, own + 1);
    return IFD_OK;
}

/* In the order of the interfaces; a drive is placed at its first interface. */
static void seat(ifd_hybrid *h)
{
    for (int k = 0; k < h->interfaces; k++) {
        int d = drive_of(h, k);
        h->interface[k].actuator = d < 0 ? h->actuators++ : -1;
        if (d < 0 || h->drive[d].first >= 0)
            continue;
        h->drive[d].first = h->actuators;
        h->actuators += h->drive[d].o->drive.actuators;
    }
}

ifd_status ifd__drives_make(ifd_hybrid *h, ifd_arena *arena, ifd_note *note)
{
    h->drives = h->opt.drives;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(h->drive, h->drives)));
    for (int d = 0; d < h->drives; d++) {
        h->drive[d].first = -1;
        IFD_TRY(make_drive(h, arena, d, note));
    }
    IFD_TRY(check_dofs(h, note));
    for (int k = 0; k < h->interfaces; k++)
        IFD_TRY(check_coupling(h, k, note));
    seat(h);
    if (h->actuators > IFD_RIG_CHANNELS)
        return ifd_note_add(note, IFD_TOO_LARGE, NULL, "the test has %d actuators, but a rig has at most %d",
                            h->actuators, IFD_RIG_CHANNELS);
    if (!h->opt.map)
        return IFD_OK;
    IFD_TRY(ifd_channel_map_check(h->opt.map, h->actuators, note));
    return IFD__TAKE(arena, IFD__ARRAY(h->value, h->opt.map->rows));
}

static const ifd__column_row of_actuator[] = {IFD__COLUMN(ACTUATOR_COMMAND, ifd__actuator_state, command),
                                              IFD__COLUMN(ACTUATOR_MEASURED, ifd__actuator_state, measured_x),
                                              IFD__COLUMN(ACTUATOR_FORCE, ifd__actuator_state, measured_f),
                                              IFD__COLUMN(ACTUATOR_TRACKING, ifd__actuator_state, error)},
                             shared[] = {IFD__COLUMN(ACTUATOR_SHARING, ifd__actuator_state, sharing)};

static double raw(const ifd__column_source *source)
{
    const ifd_hybrid *h = source->self;
    return ifd_channel_read(&h->opt.map->row[source->index], &h->raw);
}

static const ifd__column_row of_channel[] = {{IFD_COLUMN_CHANNEL_RAW, 0, raw}, {IFD_COLUMN_CHANNEL_VALUE, 0, NULL}};

ifd_status ifd__drives_columns(ifd_hybrid *h, ifd_arena *arena)
{
    for (int d = 0; d < h->drives; d++)
        for (int j = 0; j < h->drive[d].o->drive.actuators; j++) {
            ifd__column_set set = {.owner = h->drive[d].o->name[j],
                                   .block = ifd__actuator_of(h, &h->drive[d], j),
                                   .row = of_actuator,
                                   .rows = sizeof of_actuator / sizeof *of_actuator};
            IFD_TRY(ifd__columns_add(h, arena, &set));
            set.row = shared;
            set.rows = h->drive[d].o->sharing != NULL;
            IFD_TRY(ifd__columns_add(h, arena, &set));
        }
    for (int i = 0; h->opt.map && i < h->opt.map->rows; i++) {
        const ifd_channel_row *row = &h->opt.map->row[i];
        const ifd__column_set set = {
            .owner = row->name, .block = &h->value[i], .index = i, .row = of_channel, .rows = 2};
        IFD_TRY(ifd__columns_add(h, arena, &set));
        if (arena)
            h->column[h->columns - 1].unit = row->unit;
    }
    return IFD_OK;
}

int ifd_hybrid_actuators(const ifd_hybrid *h)
{
    return h->actuators;
}

ifd__owner ifd__owner_of(const ifd_hybrid *h, int who)
{
    int actuator = who - h->interfaces;
    for (int d = 0; d < h->drives; d++) {
        int j = actuator - h->drive[d].first;
        if (j >= 0 && j < h->drive[d].o->drive.actuators)
            return (ifd__owner){.drive = &h->drive[d], .j = j};
    }
    for (int k = 0; k < h->interfaces; k++)
        if (actuator >= 0 && h->interface[k].actuator == actuator)
            return (ifd__owner){.interface = k};
    return (ifd__owner){.interface = who};
}

const char *ifd_hybrid_channel_name(const ifd_hybrid *h, int channel)
{
    int row = channel - h->interfaces - h->actuators;
    if (channel < 0)
        return NULL;
    if (row >= 0)
        return h->opt.map && row < h->opt.map->rows ? h->opt.map->row[row].name : ifd_hybrid_rig_name(h, channel);
    const ifd__owner o = ifd__owner_of(h, channel);
    return o.drive ? o.drive->o->name[o.j] : h->interface[o.interface].o->name;
}

void ifd_hybrid_peaks(const ifd_hybrid *h, int channel, double out[3])
{
    const ifd__owner o = ifd__owner_of(h, channel);
    const ifd__actuator_state *a = o.drive ? ifd__actuator_of(h, o.drive, o.j) : NULL;
    const ifd__interface_state *s = ifd__interface_of(h, o.interface);
    out[0] = a ? a->peak_tracking : s->peak_tracking;
    out[1] = a ? a->peak_force : s->peak_force;
    out[2] = a ? a->peak_command : s->peak_command;
}

double ifd_hybrid_force_error(const ifd_hybrid *h, int channel)
{
    return ifd__interface_of(h, channel)->peak_force_error;
}

static void raw_position(const ifd_channel_row *row, ifd_limits *l)
{
    double a = ifd_channel_raw(row, l->low / row->si, !row->loop),
           b = ifd_channel_raw(row, l->high / row->si, !row->loop);
    double scale = 1.0 / fabs(row->si * row->sensitivity);
    l->low = fmin(a, b);
    l->high = fmax(a, b);
    l->velocity *= scale;
    l->acceleration *= scale;
    l->tracking *= scale;
}

/* With an offset, the load cell reaches its limit sooner on one side; the rig uses the larger absolute value. */
static void raw_force(const ifd_channel_row *row, ifd_limits *l)
{
    double f = l->force / row->si;
    if (isfinite(f))
        l->force = fmax(fabs(ifd_channel_raw(row, f, false)), fabs(ifd_channel_raw(row, -f, false)));
}

void ifd_hybrid_rig_limits(const ifd_hybrid *h, int actuator, ifd_limits *out)
{
    const ifd__owner o = ifd__owner_of(h, h->interfaces + actuator);
    *out = o.drive ? o.drive->o->limits[o.j] : h->interface[o.interface].o->limits;
    out->force_rate = out->energy = out->measured_velocity = out->measured_acceleration = (double)INFINITY;
    for (int i = 0; h->opt.map && i < h->opt.map->rows; i++) {
        const ifd_channel_row *row = &h->opt.map->row[i];
        if (row->meaning == IFD_MEANS_POSITION && row->actuator == actuator)
            raw_position(row, out);
        if (row->meaning != IFD_MEANS_FORCE || row->actuator != actuator)
            continue;
        if (row->source == IFD_SOURCE_FORCE && row->input == actuator)
            raw_force(row, out);
        else
            out->force = (double)INFINITY; /* another input measures it: the test checks it, not the rig */
    }
}

/* From the velocity v away from its end: v/a to rest, within v^2/2a. Then D + v^2/2a with at most v: v/a more than at
 * constant velocity. The governor loses less than a tick at each of the four corners. */
double ifd__drives_longest(const ifd_hybrid *h)
{
    double longest = 0.0;
    for (int d = 0; d < h->drives; d++)
        for (int j = 0; j < h->drive[d].o->drive.actuators; j++) {
            const ifd__bounds *b = &h->drive[d].bounds[j];
            double time = (b->high - b->low) / b->velocity + 2.5 * b->velocity / b->acceleration + 4.0 * b->dt;
            longest = fmax(longest, time);
        }
    return longest;
}
