/* SPDX-License-Identifier: MIT */
/* The part that records the structure and its energy balance: response.h. */
#include "hybrid/response.h"
#include "hybrid/start_test.h"

#include <string.h>

#include "hybrid/chain/effective_force.h"
#include "hybrid/part.h"

ifd_status ifd__response_of_test(ifd_hybrid *h, ifd_arena *arena, ifd_note *note)
{
    h->local = h->numerical.stepper || h->numerical.coupled;
    if (!h->local)
        return IFD_OK;
    const int at = h->size;
    ifd__state_reserve(h, IFD__DOUBLES(ifd__response_state), &h->recorded);
    ifd__state_reserve(h, h->interfaces * IFD__DOUBLES(ifd__work), &h->work);
    ifd__specimen_link *link;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(link, h->interfaces), IFD__ARRAY(h->force, h->interfaces)));
    for (int k = 0; k < h->interfaces; k++) {
        const ifd_interface_options *o = h->interface[k].o;
        link[k] = (ifd__specimen_link){.part = o->part,
                                       .from = o->from,
                                       .to = o->to,
                                       .row = o->row,
                                       .carried = o->carried,
                                       .mass = o->taken_out ? 0.0 : o->mass};
    }
    const unsigned large = IFD_RECORD_GROUND | IFD_RECORD_JOINTS; /* negligible cost relative to the step */
    const unsigned what = ifd__response_what(&h->numerical, h->opt.what, large);
    const ifd__response_options of = {.what = what,
                                      .balanced = (what & IFD_RECORD_ENERGY) != 0 || h->opt.monitor,
                                      .dofs = h->opt.dofs,
                                      .dof = h->opt.dof,
                                      .drift = h->opt.drift,
                                      .frame = h->opt.frame,
                                      .couple = h->opt.couple,
                                      .links = h->interfaces,
                                      .link = link,
                                      .balance = at + IFD__MEMBER_AT(ifd__response_state, balance)};
    return ifd__response_make(arena, &h->numerical, &of, &h->response, note);
}

void ifd__response_restart(ifd_hybrid *h)
{
    memset(h->recorded, 0, sizeof *h->recorded);
    memset(h->work, 0, (size_t)h->interfaces * sizeof *h->work);
}

void ifd__response_begin(ifd_hybrid *h)
{
    if (!h->local)
        return;
    for (int k = 0; k < h->interfaces; k++) {
        const ifd_interface_options *o = h->interface[k].o;
        ifd__work *w = &h->work[k];
        w->from = w->to = IFD__ELONGATION(o, h->x + h->numerical.model[o->part].at);
        w->last_force = w->force;
        if (ifd__between_walls(&h->io, k)) { /* its dofs start at 0 */
            w->from = w->to = 0.0;
            h->io.walled[k]->work.last_force = h->io.walled[k]->work.force;
        }
    }
}

static double work_of(ifd__work *w)
{
    double done = 0.5 * (w->last_force + w->force) * (w->to - w->from);
    w->from = w->to;
    w->last_force = w->force;
    return done;
}

/* Along the motion of the structure, which the specimens follow. */
static void add_work(ifd_hybrid *h)
{
    for (int k = 0; k < h->interfaces; k++) {
        h->recorded->balance.specimens += work_of(&h->work[k]);
        if (ifd__between_walls(&h->io, k))
            h->recorded->balance.specimens += work_of(&h->io.walled[k]->work);
    }
}

/* The forces of the last or the present exchange as loads: the gaps are those of the joints at that exchange. */
static void load(ifd_hybrid *h, bool last)
{
    const ifd__substructure *s = &h->numerical;
    ifd__substructure_unload(s);
    for (int k = 0; k < h->interfaces; k++) {
        const ifd_interface_options *o = h->interface[k].o;
        const ifd__work *w = &h->work[k];
        const ifd__work *first = ifd__between_walls(&h->io, k) ? &h->io.walled[k]->work : w;
        if (!o->force || o->force->computed)
            ifd__wall_load(&h->io, k, last ? w->last_force : w->force, last ? first->last_force : first->force,
                           s->model[o->part].load);
    }
    for (int p = 0; p < s->models && last; p++)
        if (s->model[p].measured)
            ifd__coupled_measured(s->coupled, p, s->model[p].load);
}

/* The state is that of the end of a step, with known forces. */
static void take(ifd_hybrid *h)
{
    double step = h->test->step;
    if (h->numerical.coupled)
        load(h, true);
    if (h->recorded->taken <= step)
        ifd__response_energy(&h->response, h->x, step * h->numerical.step, h->recorded->taken == 0.0);
    h->recorded->taken = step + 1.0;
    if (h->numerical.coupled)
        load(h, false);
    add_work(h);
    for (int k = 0; k < h->interfaces; k++)
        h->force[k] = h->work[k].force;
    ifd__response_values(&h->response, h->x, step * h->numerical.step, h->force, h->step_values);
}

/* The forces of an exchange are loaded: adds their work; at the first exchange of a step also publishes its row. */
static IFD_RT void exchange(ifd_hybrid *h)
{
    if (h->test->exchange == 0.0)
        take(h);
    else
        add_work(h);
}

void ifd__response_idle(ifd_hybrid *h)
{
    if (!h->local || h->test->exchange != 0.0)
        return;
    double taken = h->recorded->taken;
    if (taken == 0.0 || taken > h->test->step)
        return;
    bool ended = h->test->step >= (double)h->steps;
    if (ended || (ifd__state_of(h) == IFD_MACHINE_HOLD && h->pace->rests(h) && h->pace->due(h))) {
        if (!ended)
            ifd__exchange_load(h);
        exchange(h);
    }
}

double ifd__response_time(const ifd_hybrid *h)
{
    double taken = h->local && !ifd__start_rehearses(h) ? h->recorded->taken : 0.0;
    return h->local ? h->numerical.step * (taken > 0.0 ? taken - 1.0 : 0.0) : ifd_hybrid_time(h);
}

bool ifd_hybrid_energy(const ifd_hybrid *h, ifd_energy *out)
{
    if (!h->local || !h->response.opt.balanced)
        return false;
    *out = ifd__balance_energy(&h->recorded->balance);
    return true;
}

void ifd__hybrid_doubts(const ifd_hybrid *h, ifd__doubts *d)
{
    ifd_energy e;
    d->measured = true;
    d->stale = h->pace->awaits ? 0.0 : ifd_hybrid_stale_fraction(h);
    d->stale_permitted = h->opt.stale_fraction;
    if (!h->local)
        return;
    ifd__substructure_doubts(&h->numerical, h->x, d);
    d->unconverged = d->unconverged || ifd_hybrid_count(h, IFD_TRIP_UNCONVERGED) > 0;
    if (ifd_hybrid_energy(h, &e))
        d->made = ifd__energy_made(&e);
}

static bool asked(const ifd_hybrid *h)
{
    return h->numerical.stepper || h->numerical.coupled;
}

/* They are written when a step ends (take). */
static ifd_status columns(ifd_hybrid *h, ifd_arena *arena)
{
    int n = h->step_columns = h->response.columns;
    if (arena) {
        h->step_values = h->values + h->columns;
        memcpy(h->column + h->columns, h->response.column, (size_t)n * sizeof *h->column);
    }
    h->columns += n;
    return IFD_OK;
}

const ifd__part ifd__part_response = {.name = "response",
                                      .about = "recorded response of the structure, energy balance",
                                      .asked = asked,
                                      .columns = columns,
                                      .restart = ifd__response_restart,
                                      .step = exchange};
