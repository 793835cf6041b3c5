/* SPDX-License-Identifier: MIT */
/* Sense, limits, commands and load sharing of drives: drives.h. */
#include "hybrid/drives/drives.h"

#include <math.h>
#include <stdio.h>

#include "hybrid/columns.h"
#include "hybrid/hybrid.h"
#include "hybrid/observe.h"
#include "rig/compensator/compensator.h"

ifd__actuator_state *ifd__actuator_of(const ifd_hybrid *h, const ifd__driven *d, int j)
{
    return (ifd__actuator_state *)(h->pose[d - h->drive] + 1) + j;
}

/* Pose and forces of the block from its actuators. The last pose is the guess; without a solution it remains, and the
 * test trips. */
static void sense_drive(ifd_hybrid *h, const ifd__driven *d)
{
    double s[IFD_DRIVE_ACTUATORS], f[IFD_DRIVE_ACTUATORS], q[IFD_DRIVE_DOFS], fq[IFD_DRIVE_DOFS];
    for (int j = 0; j < d->o->drive.actuators; j++) {
        ifd__actuator_state *a = ifd__actuator_of(h, d, j);
        a->last_x = a->measured_x;
        a->last_f = a->measured_f;
        a->measured_x = s[j] = h->measure.position[d->first + j];
        a->measured_f = f[j] = h->measure.force[d->first + j];
    }
    ifd__io_gather(&h->io, d, IFD__MEMBER_AT(ifd__interface_state, measured_x), q);
    *h->pose[d - h->drive] = ifd_drive_pose(d->drive, s, q) ? 0.0 : 1.0;
    ifd_drive_force(d->drive, q, f, fq);
    for (int i = 0; i < d->o->drive.dofs; i++) {
        h->each[d->o->interface[i]]->measured_x = q[i];
        h->each[d->o->interface[i]]->measured_f = fq[i];
    }
}

void ifd__drives_sense(ifd_hybrid *h)
{
    for (int d = 0; d < h->drives; d++)
        sense_drive(h, &h->drive[d]);
}

/* Whether the case contains the stiffness of a dof of the block, so that its motion must change the force of its
 * actuators. */
IFD_RT static bool stiffness_known(const ifd_hybrid *h, const ifd__driven *d)
{
    bool known = false;
    for (int i = 0; i < d->o->drive.dofs; i++)
        known = known || h->interface[d->o->interface[i]].stiffness > 0.0;
    return known;
}

/* s, the largest lag of the dofs of the block. */
IFD_RT static double slowest(const ifd_hybrid *h, const ifd__driven *d)
{
    double lag = 0.0;
    for (int i = 0; i < d->o->drive.dofs; i++)
        lag = fmax(lag, h->interface[d->o->interface[i]].o->lag);
    return lag;
}

static ifd_action guard_actuator(ifd_hybrid *h, const ifd__driven *d, int j, double ticks, ifd_action worst)
{
    ifd__actuator_state *a = ifd__actuator_of(h, d, j);
    const ifd__watched w = {.who = h->interfaces + d->first + j,
                            .limits = &d->o->limits[j],
                            .owes = h->facts.real || stiffness_known(h, d),
                            .known = true,
                            .actuator = true,
                            .xm = a->measured_x,
                            .xm_old = a->last_x,
                            .fm = a->measured_f,
                            .force_rate = (a->measured_f - a->last_f) / (ticks * h->period),
                            .off = a->error,
                            .step = a->step,
                            .slow_lag = &a->slow_lag,
                            .lag = slowest(h, d),
                            .reading = &a->reading,
                            .load_cell = &a->load_cell,
                            .peak_tracking = &a->peak_tracking,
                            .peak_force = &a->peak_force};
    return ifd__guard_watched(h, &w, worst);
}

static ifd_action guard_drive(ifd_hybrid *h, const ifd__driven *d, double ticks, ifd_action worst)
{
    double q[IFD_DRIVE_DOFS], s[IFD_DRIVE_ACTUATORS];
    ifd__io_gather(&h->io, d, IFD__MEMBER_AT(ifd__interface_state, target), q);
    ifd_drive_reach(d->drive, q, s);
    for (int j = 0; j < d->o->drive.actuators; j++) {
        ifd__actuator_state *a = ifd__actuator_of(h, d, j);
        a->error = a->measured_x - s[j] - a->sharing;
        worst = guard_actuator(h, d, j, ticks, worst);
    }
    if (*h->pose[d - h->drive] > 0.0)
        worst = ifd__fault_note(&h->faults, IFD_TRIP_POSE, d->o->interface[0], 0.0, 0.0, worst);
    return worst;
}

ifd_action ifd__drives_guard(ifd_hybrid *h, const double *ticks, ifd_action worst)
{
    for (int d = 0; d < h->drives; d++)
        worst = guard_drive(h, &h->drive[d], ticks[ifd__rigs_of(h, h->drive[d].o->interface[0])], worst);
    return worst;
}

void ifd__drives_couple(const ifd_hybrid *h, ifd_compensator_in *in, ifd_compensator_in *coupled)
{
    for (int d = 0; d < h->drives; d++) {
        const ifd_driven *o = h->drive[d].o;
        for (int i = 0; i < o->drive.dofs; i++) {
            coupled[i] = in[o->interface[i]];
            in[o->interface[i]].axes = o->drive.dofs;
            in[o->interface[i]].axis = coupled;
        }
        coupled += o->drive.dofs;
    }
}

/* Load sharing. More actuators than dofs can act against each other. With J = ds/dq, extensions d with J^T d = 0
 * cause no motion and forces f with J^T f = 0 cause no load: both are residuals of a least-squares fit. The loop
 * changes these extensions until these forces vanish. The measured forces are then J (J^T J)^-1 f_q, the smallest
 * that balance f_q. */

/* y := y - J (J^T J)^-1 J^T y; false if the drive is singular. */
static IFD_RT bool leave_over(const ifd__driven *d, const double *q, double *y)
{
    double carried[IFD_DRIVE_DOFS], part[IFD_DRIVE_ACTUATORS];
    ifd_drive_force(d->drive, q, y, carried);
    if (!ifd_drive_share(d->drive, q, carried, part))
        return false;
    for (int j = 0; j < d->o->drive.actuators; j++)
        y[j] -= part[j];
    return true;
}

/* Scales all by the same factor, so that they still cause no motion. Inconsistent sensors can show more than the
 * limit when the drive is found. An immediate reduction to the limit would then cause large forces. */
static IFD_RT void keep(ifd_hybrid *h, const ifd__driven *d, bool anew, double *y)
{
    double most = 0.0, limit = d->o->sharing ? d->o->sharing->limit : 0.0;
    for (int j = 0; j < d->o->drive.actuators; j++) {
        double *found = &ifd__actuator_of(h, d, j)->found_off;
        *found = anew ? y[j] : *found;
        limit = fmax(limit, fabs(*found));
        most = fmax(most, fabs(y[j]));
    }
    if (most > limit)
        ifd__fault_note(&h->faults, IFD_TRIP_GOVERNED, h->interfaces + d->first, most, limit, IFD_ACTION_NOTE);
    for (int j = 0; j < d->o->drive.actuators; j++)
        ifd__actuator_of(h, d, j)->sharing = most > limit ? y[j] * limit / most : y[j];
}

void ifd__sharing_step(ifd_hybrid *h, const ifd__driven *d, bool anew)
{
    const ifd_sharing *o = d->o->sharing;
    double q[IFD_DRIVE_DOFS], y[IFD_DRIVE_ACTUATORS], f[IFD_DRIVE_ACTUATORS];
    ifd_machine state = (ifd_machine)(int)h->test->state;
    bool moves = state == IFD_MACHINE_RAMP_IN || state == IFD_MACHINE_RUN || state == IFD_MACHINE_HOLD ||
                 state == IFD_MACHINE_RAMP_OUT;
    bool shares = o && moves && ifd__rigs_stale(h, d->o->interface[0]) == 0.0;
    if (*h->pose[d - h->drive] > 0.0 || d->o->drive.actuators == d->o->drive.dofs || !(anew || shares))
        return;
    ifd__io_gather(
        &h->io, d,
        anew ? IFD__MEMBER_AT(ifd__interface_state, command) : IFD__MEMBER_AT(ifd__interface_state, measured_x), q);
    ifd_drive_reach(d->drive, q, y);
    for (int j = 0; j < d->o->drive.actuators; j++) {
        const ifd__actuator_state *a = ifd__actuator_of(h, d, j);
        f[j] = a->measured_f;
        y[j] = anew ? a->command - y[j] : a->sharing; /* loaded when found: arming causes no motion */
    }
    if (!leave_over(d, q, f))
        return;
    for (int j = 0; j < d->o->drive.actuators && !anew; j++)
        y[j] -= 6.28318530717958647693 * o->bandwidth * h->period / o->stiffness * f[j];
    if (leave_over(d, q, y)) /* J has changed slightly */
        keep(h, d, anew, y);
}

ifd_status ifd__sharing_check(const ifd_driven *o, ifd_note *note)
{
    const ifd_sharing *s = o->sharing;
    if (!s)
        return IFD_OK;
    if (o->drive.actuators <= o->drive.dofs)
        return ifd_note_add(
            note, IFD_CONFLICT, NULL,
            "drive '%s' has %d actuators for %d dofs: their forces are statically determinate, so no load can "
            "be shared. Remove 'sharing'",
            o->drive.name, o->drive.actuators, o->drive.dofs);
    if (!(s->stiffness > 0.0) || !(s->bandwidth > 0.0) || !(s->limit > 0.0))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "drive '%s': sharing needs a stiffness, a bandwidth and a limit above zero",
                            o->drive.name);
    return IFD_OK;
}

static void command_drive(ifd_hybrid *h, const ifd__driven *d, ifd_command *c)
{
    double q[IFD_DRIVE_DOFS], s[IFD_DRIVE_ACTUATORS];
    bool first = h->test->armed_tick == h->test->tick; /* exactly the position found */
    ifd__sharing_step(h, d, false);
    ifd__io_gather(&h->io, d, IFD__MEMBER_AT(ifd__interface_state, command), q);
    ifd_drive_reach(d->drive, q, s);
    for (int j = 0; j < d->o->drive.actuators; j++) {
        const int at = d->first + j; /* index among the actuators of the rig */
        ifd__actuator_state *a = ifd__actuator_of(h, d, j);
        s[j] += a->sharing;
        ifd__governed g = {a->command, a->step};
        const ifd__bounds b = ifd__return_bounds(ifd__state_of(h), &d->bounds[j], h->finding[at].at);
        if (!first && !ifd__governor_step(&b, s[j], s[j] - a->requested, &g)) {
            ifd__fault_note(&h->faults, IFD_TRIP_GOVERNED, h->interfaces + at, s[j], g.p, IFD_ACTION_NOTE);
            if (h->opt.observe && isfinite(s[j]))
                g = (ifd__governed){s[j], s[j] - a->command};
        }
        a->requested = s[j];
        ifd__observe_motion(&h->io, g.w, a->step, &a->a, &a->peak_a, &a->peak_v);
        c->position[at] = a->command = g.p;
        a->step = g.w;
        c->velocity[at] = g.w / h->period;
        a->peak_command = fmax(a->peak_command, fabs(g.p));
    }
}

void ifd__drives_command(ifd_hybrid *h, ifd_command *c)
{
    for (int d = 0; d < h->drives; d++)
        command_drive(h, &h->drive[d], c);
}

void ifd__drives_still(ifd_hybrid *h)
{
    for (int d = 0; d < h->drives; d++)
        for (int j = 0; j < h->drive[d].o->drive.actuators; j++)
            ifd__actuator_of(h, &h->drive[d], j)->step = 0.0;
}

IFD_RT static bool met(const ifd_hybrid *h, const ifd__driven *d, int j)
{
    const ifd__actuator_state *a = ifd__actuator_of(h, d, j);
    return fabs(a->command - a->requested) <= IFD__MET_ROUNDING * (d->bounds[j].high - d->bounds[j].low);
}

/* Whether a dof is moved to a position. */
IFD_RT static bool positions(const ifd_hybrid *h, const ifd__driven *d)
{
    bool any = false;
    for (int i = 0; i < d->o->drive.dofs; i++)
        any = any || !h->interface[d->o->interface[i]].o->force;
    return any;
}

int ifd__drives_awaited(const ifd_hybrid *h, bool all)
{
    for (int d = 0; d < h->drives; d++)
        for (int j = 0; j < h->drive[d].o->drive.actuators && (all || positions(h, &h->drive[d])); j++)
            if (!met(h, &h->drive[d], j))
                return h->interfaces + h->drive[d].first + j;
    return -1;
}

/* Set-up, columns and owners of channels. */

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
    ifd__state_reserve(h, 1 + o->drive.actuators * IFD__DOUBLES(ifd__actuator_state), &h->pose[d]);
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
    int seen[IFD_RIG_ACTUATORS] = {0};
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
    if (h->actuators > IFD_RIG_ACTUATORS)
        return ifd_note_add(note, IFD_TOO_LARGE, NULL, "the test has %d actuators, but a rig has at most %d",
                            h->actuators, IFD_RIG_ACTUATORS);
    if (!h->opt.map)
        return IFD_OK;
    IFD_TRY(ifd_channel_map_check(h->opt.map, h->actuators, note));
    return IFD__TAKE(arena, IFD__ARRAY(h->value, h->opt.map->rows));
}

static const ifd__column_row of_actuator[] = {IFD__COLUMN(ACTUATOR_COMMAND, ifd__actuator_state, command),
                                              IFD__COLUMN(ACTUATOR_POSITION, ifd__actuator_state, measured_x),
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
                                   IFD__ROWS(of_actuator)};
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

ifd__owner ifd__drives_owner(const ifd_hybrid *h, int who)
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

const char *ifd_hybrid_owner_kind(const ifd_hybrid *h, int owner)
{
    int row = owner - h->interfaces - h->actuators;
    if (owner < 0 || row < 0)
        return owner >= 0 && ifd__owner_of(h, owner).drive ? "actuator" : "specimen";
    return h->opt.map && row < h->opt.map->rows ? "channel" : "rig";
}

const char *ifd_hybrid_owner_name(const ifd_hybrid *h, int owner)
{
    int row = owner - h->interfaces - h->actuators;
    if (owner < 0)
        return NULL;
    if (row >= 0)
        return h->opt.map && row < h->opt.map->rows ? h->opt.map->row[row].name : ifd_hybrid_rig_name(h, owner);
    const ifd__owner o = ifd__owner_of(h, owner);
    return o.drive ? o.drive->o->name[o.j] : h->interface[o.interface].o->name;
}

void ifd_hybrid_peaks(const ifd_hybrid *h, int channel, double out[3])
{
    const ifd__owner o = ifd__owner_of(h, channel);
    const ifd__actuator_state *a = o.drive ? ifd__actuator_of(h, o.drive, o.j) : NULL;
    const ifd__interface_state *s = h->each[o.interface];
    out[0] = a ? a->peak_tracking : s->peak_tracking;
    out[1] = a ? a->peak_force : s->peak_force;
    out[2] = a ? a->peak_command : s->peak_command;
}

double ifd_hybrid_force_error(const ifd_hybrid *h, int channel)
{
    return h->each[channel]->peak_force_error;
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
