/* SPDX-License-Identifier: MIT */
/* What the monitor of stability may do to the loop: retune a compensator, damp. */
#include "hybrid/monitor_actions.h"

#include <math.h>

#include "model/dof_pair.h"
#include "rig/quintic.h"

static const double at_once = 1e-3, pause = 1.0, ease = 0.5; /* s: largest change, between two, duration of one */
static const double least = 1e-5;                            /* s, of a change */
static const double within = 0.2, rise = 0.1, memory = 0.5;  /* s: of the deficit, of c, of the mean square */
static const double of_mass = 0.2;                           /* most of c in the mass over the time of a stage */

static bool asks(const ifd_monitor_options *o, ifd_monitor_action what)
{
    return o && (o->caution == what || o->act == what || o->hold == what || o->passivity == what);
}

static bool retunes(const ifd__facts *f)
{
    return asks(f->opt->monitor, IFD_MONITOR_RETUNE);
}

static bool damps(const ifd__facts *f)
{
    return asks(f->opt->monitor, IFD_MONITOR_DAMP);
}

bool ifd__remedy_asked(const ifd__facts *f)
{
    return retunes(f) || damps(f);
}

static ifd_status check_lead(const ifd__facts *f, int k, ifd_note *note)
{
    const ifd_compensator *c = f->interface[k].compensator;
    if (!(f->opt->monitor->most_lead >= 0.0) || !isfinite(f->opt->monitor->most_lead))
        return ifd_note_add(note, IFD_RANGE, NULL, "monitor: 'most-lead' is %g s, expected 0 or more",
                            f->opt->monitor->most_lead);
    if (c && c->kind->fixed)
        return IFD_OK;
    return ifd_note_add(note, IFD_CONFLICT, NULL,
                        "monitor: 'retune' corrects the delay of a compensator, and specimen '%s' has %s%s. Expected "
                        "inverse-1, inverse-2, inverse-3, polynomial, taylor or phase-lead",
                        f->interface[k].o->name, c ? "compensation " : "no compensation", c ? c->kind->name : "");
}

/* The mass that the specimen moves in the structure. */
static double mass_of(const ifd__facts *f, int k)
{
    const ifd_interface_options *o = f->interface[k].o;
    return ifd__ends_mass(f->numerical->model[o->part].m, IFD__ENDS(o));
}

/* Whether two specimens have a dof in common. */
static bool meet(const ifd_interface_options *a, const ifd_interface_options *b)
{
    bool some = false;
    for (int i = 0; i < ifd__ends_count(IFD__ENDS(a)); i++) {
        double c;
        some = some || ifd__ends_have(IFD__ENDS(b), ifd__end(IFD__ENDS(a), i, &c));
    }
    return some;
}

/* Devices at the dofs of specimen k: their damping adds up. */
static double devices_at(const ifd__facts *f, int k)
{
    const ifd_interface_options *o = f->interface[k].o;
    double sum = 0.0;
    for (int j = 0; j < f->interfaces; j++) {
        const ifd_interface_options *other = f->interface[j].o;
        if (!other->force && other->part == o->part && meet(o, other))
            sum += f->interface[j].factor;
    }
    return sum;
}

static ifd_status check_damping(const ifd__facts *f, int k, ifd_note *note)
{
    const ifd_monitor_options *o = f->opt->monitor;
    const ifd__test_interface *i = &f->interface[k];
    if (!(i->stiffness > 0.0))
        return ifd_note_add(note, IFD_CONFLICT, NULL,
                            "monitor: 'damp' needs the stiffness with which specimen '%s' stores energy: expected "
                            "`estimate: {stiffness: ...}`",
                            i->o->name);
    double most = of_mass * mass_of(f, k) / (devices_at(f, k) * f->stage_time);
    if (!(o->most_damping > 0.0 && o->most_damping <= most))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "monitor: 'most-damping' is %g N s/m, expected more than 0 and at most %.4g N s/m for "
                            "specimen '%s': 0.2 of the mass that it moves, divided by the time between two forces "
                            "and by the number of devices there",
                            o->most_damping, most, i->o->name);
    if (!(o->damp_energy > 0.0 && o->damp_energy <= 1.0))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "monitor: 'damp-energy' is %g, expected more than 0 and at most 1 (100 %%)",
                            o->damp_energy);
    return IFD_OK;
}

ifd_status ifd__remedy_check(const ifd__facts *f, ifd_note *note)
{
    for (int k = 0; k < f->interfaces; k++) {
        if (f->interface[k].o->force)
            continue;
        if (retunes(f))
            IFD_TRY(check_lead(f, k, note));
        if (damps(f))
            IFD_TRY(check_damping(f, k, note));
    }
    return IFD_OK;
}

void ifd__remedy_again(const ifd__facts *f, ifd__remedy *r)
{
    for (int k = 0; k < f->interfaces; k++)
        r[k].paid = r[k].moves = 0.0;
}

ifd__retuning ifd__remedy_retune(const ifd__facts *f, ifd__remedy *all, const double *late, int who)
{
    ifd__retuning out = IFD__RETUNE_SPENT;
    for (int k = 0; k < f->interfaces; k++)
        if ((who < 0 || who == k) && all[k].tuned > 0.0 && all[k].since < pause)
            return IFD__RETUNE_WAITS;
    for (int k = 0; k < f->interfaces; k++) {
        ifd__remedy *r = &all[k];
        double to = fmin(r->lead_to + fmin(late[k], at_once), f->opt->monitor->most_lead);
        if (f->interface[k].o->force || (who >= 0 && who != k) || !(to - r->lead_to > least))
            continue;
        r->lead_from = r->lead_to;
        r->lead_to = to;
        r->tuned += 1.0;
        r->since = 0.0;
        out = IFD__RETUNED;
    }
    return out;
}

bool ifd__remedy_damp(const ifd__facts *f, ifd__remedy *r, int who)
{
    bool any = false;
    for (int k = 0; k < f->interfaces; k++) {
        if (f->interface[k].o->force || (who >= 0 && who != k) || r[k].damps > 0.0)
            continue;
        r[k].damps = 1.0;
        any = true;
    }
    return any;
}

static IFD_RT void lead_on(const ifd__facts *f, ifd__remedy *r)
{
    r->since += f->period;
    r->lead = ifd__rest_to_rest(r->lead_from, r->lead_to, fmin(r->since / ease, 1.0));
}

/* True: the energy is used up for the first time. */
static IFD_RT bool damp_on(const ifd__io *io, int k, const double *lack, ifd__remedy *r)
{
    const ifd_monitor_options *o = io->f->opt->monitor;
    const ifd__interface_state *s = io->interface[k];
    const double period = io->f->period;
    double scale =
        fmax(ifd__io_rate(io) / io->f->opt->lambda, 0.0); /* time that goes back is no motion of the loop */
    double v = scale > 0.0 ? s->target_v / scale : 0.0;
    double step = r->moves > 0.0 ? s->target - r->x : 0.0, keep = exp(-period * scale / memory);
    double f = s->measured_f - s->force_offset - ifd__io_mass_force(io, k), done = r->force * step;
    r->x = s->target;
    r->moves = 1.0;
    r->work += done;
    r->paid += done;
    r->square = keep * r->square + (1.0 - keep) * v * v;
    if (lack)
        r->turnover += fabs(f * step);
    bool spent = r->work > o->damp_energy * r->turnover, first = spent && r->damps == 1.0;
    if (first)
        r->damps = 2.0;
    double deficit = lack ? -(lack[k] + r->paid) : 0.0, goal = 0.0;
    if (r->damps > 0.0 && !spent && deficit > 0.0 && r->square > 0.0)
        goal = fmin(deficit / (within * r->square), o->most_damping);
    double most = o->most_damping * period / rise;
    r->c += fmin(fmax(goal - r->c, -most), most);
    r->force = r->c * v;
    return first;
}

int ifd__remedy_tick(const ifd__io *io, ifd__remedy *r, const double *lack)
{
    int spent = -1;
    for (int k = 0; k < io->f->interfaces && ifd__remedy_asked(io->f); k++) {
        if (io->f->interface[k].o->force)
            continue;
        lead_on(io->f, &r[k]);
        if (damps(io->f) && damp_on(io, k, lack, &r[k]))
            spent = k;
    }
    return spent;
}

void ifd__remedy_stop(const ifd__facts *f, ifd__remedy *r)
{
    for (int k = 0; k < f->interfaces; k++)
        r[k].c = r[k].force = 0.0;
}

double ifd__remedy_work(const ifd__facts *f, const ifd__remedy *r)
{
    double sum = 0.0;
    for (int k = 0; k < f->interfaces; k++)
        sum += f->interface[k].factor * r[k].work;
    return sum;
}

double ifd__remedy_force(const ifd__io *io, int k)
{
    return io->remedy && !io->f->frozen ? io->remedy[k].force : 0.0;
}

static double damping(const ifd__column_source *source)
{
    return ifd__remedy_force(source->io, source->index);
}

static const ifd__column_row retuned[] = {IFD__COLUMN(LOOP_LEAD, ifd__remedy, lead)},
                             damped[] = {{IFD_COLUMN_LOOP_DAMPING, 0, damping},
                                         IFD__COLUMN(LOOP_DAMPING_WORK, ifd__remedy, work)};

ifd_status ifd__remedy_columns(const ifd__unit_columns *to, const ifd__facts *f, const ifd__remedy *r)
{
    for (int k = 0; k < f->interfaces; k++) {
        ifd__column_set set = {
            .owner = f->interface[k].o->name, .block = &r[k], .index = k, .row = retuned, .rows = retunes(f)};
        IFD_TRY(ifd__columns_of_unit(to, &set));
        set.row = damped;
        set.rows = damps(f) ? 2 : 0;
        IFD_TRY(ifd__columns_of_unit(to, &set));
    }
    return IFD_OK;
}
