/* SPDX-License-Identifier: MIT */
#include "hybrid/monitor_actions.h"
#include "hybrid/columns.h"

#include <math.h>
#include <string.h>

#include "hybrid/quintic.h"
#include "hybrid/simulated_time.h"
#include "rig/compensator/compensator.h"

static const double at_once = 1e-3, pause = 1.0, ease = 0.5; /* s: largest change, between two, duration of one */
static const double least = 1e-5;                            /* s, of a change */
static const double within = 0.2, rise = 0.1, memory = 0.5;  /* s: of the deficit, of c, of the mean square */
static const double of_mass = 0.2;                           /* most of c in the mass over the time of a stage */

static bool asks(const ifd_monitor_options *o, ifd_monitor_action what)
{
    return o && (o->caution == what || o->act == what || o->hold == what || o->passivity == what);
}

static bool retunes(const ifd_hybrid *h)
{
    return asks(h->opt.monitor, IFD_MONITOR_RETUNE);
}

static bool damps(const ifd_hybrid *h)
{
    return asks(h->opt.monitor, IFD_MONITOR_DAMP);
}

static IFD_RT ifd__remedy *of(const ifd_hybrid *h, int k)
{
    return (ifd__remedy *)(h->x + h->remedy_at) + k;
}

static ifd_status check_lead(const ifd_hybrid *h, int k, ifd_note *note)
{
    const ifd_compensator *c = h->interface[k].compensator;
    if (!(h->opt.monitor->most_lead >= 0.0) || !isfinite(h->opt.monitor->most_lead))
        return ifd_note_add(note, IFD_RANGE, NULL, "monitor: 'most-lead' is %g s, expected 0 or more",
                            h->opt.monitor->most_lead);
    if (c && c->kind->fixed)
        return IFD_OK;
    return ifd_note_add(note, IFD_CONFLICT, NULL,
                        "monitor: 'retune' corrects the delay of a compensator, and specimen '%s' has %s%s. Expected "
                        "inverse-1, inverse-2, inverse-3, polynomial, taylor or phase-lead",
                        h->interface[k].o->name, c ? "compensation " : "no compensation", c ? c->kind->name : "");
}

/* The mass that the specimen moves in the structure. */
static double mass_of(const ifd_hybrid *h, int k)
{
    const ifd_interface_options *o = h->interface[k].o;
    const ifd_model *m = h->numerical.model[o->part].m;
    double inverse = 0.0;
    for (int i = 0; i < 2; i++) {
        int dof = i ? o->from : o->to;
        if (dof >= 0)
            inverse += 1.0 / ifd__sparse_get(&m->M, dof, dof);
    }
    return 1.0 / inverse;
}

static bool moves(const ifd_interface_options *o, int dof)
{
    return dof >= 0 && (o->from == dof || o->to == dof);
}

/* Devices at the dofs of specimen k: their damping adds up. */
static double devices_at(const ifd_hybrid *h, int k)
{
    const ifd_interface_options *o = h->interface[k].o;
    double sum = 0.0;
    for (int j = 0; j < h->interfaces; j++) {
        const ifd_interface_options *other = h->interface[j].o;
        if (!other->force && other->part == o->part && (moves(other, o->from) || moves(other, o->to)))
            sum += h->interface[j].factor;
    }
    return sum;
}

static ifd_status check_damping(const ifd_hybrid *h, int k, ifd_note *note)
{
    const ifd_monitor_options *o = h->opt.monitor;
    const ifd__test_interface *i = &h->interface[k];
    if (!(i->stiffness > 0.0))
        return ifd_note_add(note, IFD_CONFLICT, NULL,
                            "monitor: 'damp' needs the stiffness with which specimen '%s' stores energy: expected "
                            "`estimate: {stiffness: ...}`",
                            i->o->name);
    double most = of_mass * mass_of(h, k) / (devices_at(h, k) * h->stage_time);
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

ifd_status ifd__remedy_make(const ifd_hybrid *h, ifd_note *note)
{
    for (int k = 0; k < h->interfaces; k++) {
        if (h->interface[k].o->force)
            continue;
        if (retunes(h))
            IFD_TRY(check_lead(h, k, note));
        if (damps(h))
            IFD_TRY(check_damping(h, k, note));
    }
    return IFD_OK;
}

void ifd__remedy_layout(ifd_hybrid *h)
{
    if (!retunes(h) && !damps(h))
        return;
    h->remedy_at = h->size;
    h->size += h->interfaces * IFD__DOUBLES(ifd__remedy);
}

void ifd__remedy_begin(ifd_hybrid *h)
{
    if (h->remedy_at > 0)
        memset(h->x + h->remedy_at, 0, sizeof(ifd__remedy) * (size_t)h->interfaces);
}

void ifd__remedy_again(ifd_hybrid *h)
{
    for (int k = 0; k < h->interfaces && h->remedy_at > 0; k++)
        of(h, k)->paid = of(h, k)->moves = 0.0;
}

ifd__retuning ifd__remedy_retune(ifd_hybrid *h, const double *late, int who)
{
    ifd__retuning out = IFD__RETUNE_SPENT;
    for (int k = 0; k < h->interfaces; k++)
        if ((who < 0 || who == k) && of(h, k)->tuned > 0.0 && of(h, k)->since < pause)
            return IFD__RETUNE_WAITS;
    for (int k = 0; k < h->interfaces; k++) {
        ifd__remedy *r = of(h, k);
        double to = fmin(r->lead_to + fmin(late[k], at_once), h->opt.monitor->most_lead);
        if (h->interface[k].o->force || (who >= 0 && who != k) || !(to - r->lead_to > least))
            continue;
        r->lead_from = r->lead_to;
        r->lead_to = to;
        r->tuned += 1.0;
        r->since = 0.0;
        out = IFD__RETUNED;
    }
    return out;
}

bool ifd__remedy_damp(ifd_hybrid *h, int who)
{
    bool any = false;
    for (int k = 0; k < h->interfaces; k++) {
        if (h->interface[k].o->force || (who >= 0 && who != k) || of(h, k)->damps > 0.0)
            continue;
        of(h, k)->damps = 1.0;
        any = true;
    }
    return any;
}

static IFD_RT void lead_on(const ifd_hybrid *h, ifd__remedy *r)
{
    r->since += h->period;
    r->lead = ifd__rest_to_rest(r->lead_from, r->lead_to, fmin(r->since / ease, 1.0));
}

/* True: the energy is used up for the first time. */
static IFD_RT bool damp_on(const ifd_hybrid *h, int k, const double *lack, ifd__remedy *r)
{
    const ifd_monitor_options *o = h->opt.monitor;
    const ifd__interface_state *s = ifd__interface_of(h, k);
    double scale = fmax(ifd__time_rate(h) / h->opt.lambda, 0.0); /* time that goes back is no motion of the loop */
    double v = scale > 0.0 ? s->target_v / scale : 0.0;
    double step = r->moves > 0.0 ? s->target - r->x : 0.0, keep = exp(-h->period * scale / memory);
    double f = s->measured_f - s->force_offset - ifd__rig_mass_force(h, k), done = r->force * step;
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
    double most = o->most_damping * h->period / rise;
    r->c += fmin(fmax(goal - r->c, -most), most);
    r->force = r->c * v;
    return first;
}

int ifd__remedy_tick(ifd_hybrid *h, const double *lack)
{
    int spent = -1;
    for (int k = 0; k < h->interfaces && h->remedy_at > 0; k++) {
        if (h->interface[k].o->force)
            continue;
        lead_on(h, of(h, k));
        if (damps(h) && damp_on(h, k, lack, of(h, k)))
            spent = k;
    }
    return spent;
}

void ifd__remedy_stop(ifd_hybrid *h)
{
    for (int k = 0; k < h->interfaces && h->remedy_at > 0; k++)
        of(h, k)->c = of(h, k)->force = 0.0;
}

void ifd__remedy_lead(const ifd_hybrid *h, int k, ifd_compensator_in *in)
{
    if (h->remedy_at > 0 && of(h, k)->lead > 0.0)
        in->x += of(h, k)->lead * in->v;
}

double ifd__remedy_work(const ifd_hybrid *h)
{
    double sum = 0.0;
    for (int k = 0; k < h->interfaces && h->remedy_at > 0; k++)
        sum += h->interface[k].factor * of(h, k)->work;
    return sum;
}

double ifd__remedy_force(const ifd_hybrid *h, int k)
{
    return h->remedy_at > 0 && !h->facts.frozen ? of(h, k)->force : 0.0;
}

static double damping(const ifd__column_source *source)
{
    return ifd__remedy_force(source->self, source->index);
}

static const ifd__column_row retuned[] = {IFD__COLUMN(LOOP_LEAD, ifd__remedy, lead)},
                             damped[] = {{IFD_COLUMN_LOOP_DAMPING, 0, damping},
                                         IFD__COLUMN(LOOP_DAMPING_WORK, ifd__remedy, work)};

ifd_status ifd__remedy_columns(ifd_hybrid *h, ifd_arena *arena, int k)
{
    ifd__column_set set = {
        .owner = h->interface[k].o->name, .block = of(h, k), .index = k, .row = retuned, .rows = retunes(h)};
    IFD_TRY(ifd__columns_add(h, arena, &set));
    set.row = damped;
    set.rows = damps(h) ? 2 : 0;
    return ifd__columns_add(h, arena, &set);
}
