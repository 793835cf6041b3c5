/* SPDX-License-Identifier: MIT */
/* The exchange of a hybrid test with its specimens: sense > load > solve, from the measured force to the load on the
 * structure and to the targets of the next exchange. drives.c: specimens with several actuators; pace/scaled.c:
 * exchanges between two ticks. */
#include <math.h>
#include <string.h>

#include "hybrid/chain/effective_force.h"
#include "hybrid/response.h"
#include "hybrid/units.h"
#include "rig/rig.h"

/* Of a parked test: receives without using the measurement. */
void ifd__exchange_listen(ifd_hybrid *h)
{
    ifd_measure m = h->news ? h->heard : h->raw;
    bool fresh = ifd__rig_sense(&h->rig, &m, h->rig.size ? h->x + h->rig_at : NULL);
    if (fresh || h->news)
        h->heard = m;
    else
        h->raw.inputs = m.inputs; /* it can stop without a measurement */
    h->news = h->news || fresh;
    h->listened = true;
}

/* Without a drive, an interface is an actuator of the rig. */
static void sense_interfaces(ifd_hybrid *h)
{
    for (int k = 0; k < h->interfaces; k++) {
        ifd__interface_state *s = h->each[k];
        int a = h->interface[k].actuator;
        s->last_x = s->measured_x;
        s->last_f = s->measured_f;
        if (a < 0)
            continue;
        s->measured_x = h->measure.position[a];
        s->measured_f = h->measure.force[a];
    }
}

/* sense: converts a measurement of the rig to m and N at the interfaces. */
bool ifd__exchange_sense(ifd_hybrid *h)
{
    ifd__test_state *t = h->test;
    if (!h->listened)
        ifd__exchange_listen(h);
    bool fresh = h->news;
    h->news = h->listened = false;
    h->trace.fresh = fresh;
    if (fresh) {
        h->trace.measure = h->raw = h->measure = h->heard;
        if (h->opt.map)
            ifd_channel_map_sense(h->opt.map, &h->raw, &h->measure, h->value);
        t->rig.heard = 1.0;
    }
    h->trace.measure.inputs |= h->raw.inputs & IFD_INPUT_RIG_STOPPED;
    h->measure.inputs |= h->raw.inputs & IFD_INPUT_RIG_STOPPED;
    t->inputs = t->rig.inputs = h->measure.inputs;
    t->rig.fresh = fresh;
    t->rig.arrived = (double)h->measure.tick;
    if (h->rigs.several)
        ifd__rigs_take(h);
    sense_interfaces(h);
    if (h->drives)
        ifd__drives_sense(h);
    return fresh;
}

/* With elastic time a measurement is compared with the command that it answers. */
static void take_target(ifd_hybrid *h, int k)
{
    ifd__interface_state *s = h->each[k];
    s->target = s->next_target;
    s->target_v = s->next_target_v;
    if (h->pace->answered && h->test->commanded > 0.0) {
        double command[2];
        h->pace->answered(h, k, command);
        s->target = command[0];
        s->target_v = command[1] / h->period;
    }
}

/* Energy added to the structure by the tracking error: integral of the measured force over measured minus target
 * motion. */
static void add_energy(ifd__interface_state *s, double target_before)
{
    double f = 0.5 * (s->measured_f + s->last_f);
    double measured = s->measured_x - s->last_x;
    double target_change = s->target - target_before;
    s->energy += f * (measured - target_change);
}

void ifd__exchange_motion(ifd_hybrid *h)
{
    bool runs = ifd__state_of(h) == IFD_MACHINE_RUN;
    for (int k = 0; k < h->interfaces; k++) {
        ifd__interface_state *s = h->each[k];
        double before = s->target, *line = s->past_x;
        take_target(h, k);
        memmove(line, line + 1, sizeof *line * (IFD__FITTED - 1));
        line[IFD__FITTED - 1] = s->measured_x;
        if (runs && !h->interface[k].o->force && isfinite(s->measured_x) && isfinite(s->measured_f))
            add_energy(s, before);
    }
}

void ifd__measured_rest(ifd_hybrid *h, int k)
{
    for (int i = 0; i < IFD__FITTED; i++)
        h->each[k]->past_x[i] = h->each[k]->measured_x;
}

static double tracking_error(const ifd__column_source *source)
{
    const ifd__interface_state *s = (const ifd__interface_state *)source->block;
    return s->measured_x - s->target;
}

static const ifd__column_row of_interface[] = {IFD__COLUMN(INTERFACE_TARGET, ifd__interface_state, target),
                                               IFD__COLUMN(INTERFACE_COMMAND, ifd__interface_state, command),
                                               IFD__COLUMN(INTERFACE_DEFORMATION, ifd__interface_state, measured_x),
                                               IFD__COLUMN(INTERFACE_FORCE, ifd__interface_state, measured_f),
                                               {IFD_COLUMN_INTERFACE_TRACKING, 0, tracking_error},
                                               IFD__COLUMN(INTERFACE_ENERGY, ifd__interface_state, energy)};

ifd_status ifd__exchange_columns(ifd_hybrid *h, ifd_arena *arena)
{
    for (int k = 0; k < h->interfaces; k++) {
        const ifd_interface_options *o = h->interface[k].o;
        const ifd__specimen_link link = {.part = o->part, .from = o->from, .to = o->to};
        const ifd__column_set set = {.owner = o->name,
                                     .block = h->each[k],
                                     .rotates = ifd__link_rotates(&h->numerical, &link),
                                     IFD__ROWS(of_interface)};
        IFD_TRY(ifd__columns_add(h, arena, &set));
    }
    return IFD_OK;
}

int ifd__rig_accelerometer(const ifd_interface_options *c)
{
    return c->taken_out || (c->compensator && c->compensator->accelerometer) ? c->accelerometer : -1;
}

bool ifd__rig_mass_known(const ifd_hybrid *h, int k)
{
    int input = ifd__rig_accelerometer(h->interface[k].o);
    bool seen = input < 0 || (h->measure.aux > (uint32_t)input && isfinite(h->measure.auxiliary[input]));
    return seen && (!h->io.pushed[k] || ifd__push_known(&h->io, k));
}

double ifd__rig_acceleration(const ifd_hybrid *h, int k)
{
    int input = ifd__rig_accelerometer(h->interface[k].o);
    return input >= 0 && ifd__rig_mass_known(h, k) ? h->measure.auxiliary[input] : 0.0;
}

/* load: the force at the instant of the exchange, at this tick or between the last tick and this one. */
void ifd__exchange_load(ifd_hybrid *h)
{
    ifd__substructure_unload(&h->numerical);
    for (int k = 0; k < h->interfaces; k++) {
        const ifd_interface_options *o = h->interface[k].o;
        if (o->force && !ifd__pushes(&h->interface[k]))
            continue;
        double f = h->pace->force ? h->pace->force(h, k) : ifd__chain_force(&h->io, k);
        double share = h->pace->share ? h->pace->share(h, k) : 1.0;
        double old = h->each[k]->force;
        f = share == 0.0 ? old : share == 1.0 ? f : old + share * (f - old);
        if (h->local)
            h->work[k].force = f;
        double *load = h->numerical.model[o->part].load;
        if (ifd__between_walls(&h->io, k)) {
            double first = h->io.walled[k]->work.force = ifd__wall_first(&h->io, k, share);
            ifd__wall_load(&h->io, k, f, first, load);
        } else
            ifd__add_restoring_force(IFD__ENDS(o), f, load);
    }
}

/* A load that is not finite would destroy the state of the structure. */
static bool loads_finite(const ifd_hybrid *h)
{
    bool finite = true;
    for (int k = 0; k < h->interfaces; k++) {
        const ifd_interface_options *o = h->interface[k].o;
        const double *load = h->numerical.model[o->part].load;
        for (int i = 0; i < ifd__ends_count(IFD__ENDS(o)); i++) {
            double c;
            int dof = ifd__end(IFD__ENDS(o), i, &c);
            finite = finite && (dof < 0 || isfinite(load[dof]));
        }
    }
    return finite;
}

/* The path to the next exchange starts at the end of the last one. */
static void new_paths(ifd_hybrid *h)
{
    const ifd__substructure *s = &h->numerical;
    s->ops->target(s, (int)h->test->exchange, h->test->step, h->x);
    for (int k = 0; k < h->interfaces; k++) {
        ifd__interface_state *c = h->each[k];
        const ifd_interface_options *o = h->interface[k].o;
        if (o->force && !ifd__pushes(&h->interface[k]))
            continue;
        c->from_u = c->to_u;
        c->from_v = c->to_v;
        c->to_u = IFD__ELONGATION(o, s->model[o->part].u);
        c->to_v = ifd__deformation(IFD__ENDS(o), s->model[o->part].v);
        if (h->local)
            h->work[k].to = ifd__between_walls(&h->io, k) ? s->model[o->part].u[o->to] : c->to_u;
        if (h->interface[k].ground)
            ifd__floor_motion_now(h, k, &c->to_u, &c->to_v);
        if (ifd__on_wall(&h->interface[k]))
            ifd__wall_path(&h->io, k, s->model[o->part].u, s->model[o->part].v, c);
    }
}

void ifd__exchange_begin(ifd_hybrid *h)
{
    for (int k = 0; k < h->interfaces; k++)
        if (h->interface[k].corrects) /* the first force is the one measured at the start */
            ifd__compensator_of(h, k)[IFD_COMPENSATOR_F] = h->each[k]->measured_f;
    ifd__exchange_load(h);
    ifd__response_begin(h);
    ifd__substructure_begin(&h->numerical, h->x);
    if (h->numerical.lead_in)
        new_paths(h);
}

bool ifd__exchange_prepare(ifd_hybrid *h, ifd_action *worst)
{
    ifd__exchange_load(h);
    if (!loads_finite(h)) {
        *worst = ifd__fault_note(&h->faults, IFD_TRIP_SOLVER, -1, 0.0, 0.0, *worst);
        return false;
    }
    ifd__units_step(h);
    return true;
}

/* A target beyond this many strokes: the loop diverges, whatever else is observed only. */
static const double strokes = 100.0;

static ifd_action ran_away(ifd_hybrid *h, ifd_action worst)
{
    for (int k = 0; k < h->interfaces; k++) {
        const ifd__bounds *b = &h->interface[k].bounds;
        double far = strokes * fmax(fabs(b->low), fabs(b->high)), u = h->each[k]->to_u;
        if (!h->interface[k].o->force && fabs(u) > far)
            return ifd__fault_note(&h->faults, IFD_TRIP_SOLVER, k, u, far, worst);
    }
    return worst;
}

ifd_action ifd__exchange_finish(ifd_hybrid *h, int due, ifd_action worst)
{
    const ifd__substructure *s = &h->numerical;
    h->test->exchange = (double)((due + 1) % s->exchanges);
    new_paths(h);
    ifd_fault fault = ifd__substructure_fault(s, h->x);
    bool sound = fault != IFD_FAULT_SINGULAR && fault != IFD_FAULT_TANGENT && fault != IFD_FAULT_PRECISION &&
                 fault != IFD_FAULT_LENGTH && fault != IFD_FAULT_ROTATION;
    for (int k = 0; k < h->interfaces; k++)
        sound = sound && isfinite(h->each[k]->to_u) && isfinite(h->each[k]->to_v);
    if (sound)
        worst = ran_away(h, worst);
    if (fault == IFD_FAULT_LATE)
        return ifd__fault_act(&h->faults, IFD_TRIP_LATE_JOB, IFD_ACTION_RAMP_OUT, -1, (const double[]){0.0, 0.0},
                              worst); /* abandoned within a step: there is no state for continuation */
    double missed = ifd__substructure_residual(s, h->x);
    if (sound && missed > 1.0)
        worst = ifd__fault_note(&h->faults, IFD_TRIP_UNCONVERGED, -1, missed, 1.0, worst);
    return sound ? worst : ifd__fault_note(&h->faults, IFD_TRIP_SOLVER, -1, 0.0, 0.0, worst);
}
