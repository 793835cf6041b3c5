/* SPDX-License-Identifier: MIT */
/* Freshness, acknowledgement and inputs of one or several rigs: rigs.h. */
#include "hybrid/rigs.h"

#include <math.h>
#include <string.h>

#include "hybrid/columns.h"
#include "hybrid/orders.h"
#include "rig/replay.h"

_Static_assert(offsetof(ifd__rig_state, round_trip) == sizeof(ifd__rig_heard),
               "a block begins with what the rig reported");

/* Each drive is on one rig, as all its actuators are. */
static ifd_status find_owners(ifd_hybrid *h, ifd_note *note)
{
    ifd__rigs *g = &h->rigs;
    for (int r = 1; r < g->several->rigs; r++) /* the others are of rig 0 */
        for (int j = 0; j < g->several->rig[r].actuators; j++)
            g->of_actuator[g->several->rig[r].actuator[j]] = r;
    for (int a = 0; a < h->actuators; a++) {
        const ifd__owner o = ifd__owner_of(h, h->interfaces + a);
        if (!o.drive)
            g->of_interface[o.interface] = g->of_actuator[a];
        else if (g->of_actuator[a] != g->of_actuator[o.drive->first])
            return ifd_note_add(note, IFD_CONFLICT, NULL, "drive '%s' has actuators on several rigs, expected one",
                                o.drive->o->drive.name);
        for (int i = 0; o.drive && i < o.drive->o->drive.dofs; i++)
            g->of_interface[o.drive->o->interface[i]] = g->of_actuator[a];
    }
    return IFD_OK;
}

ifd_status ifd__rigs_make(ifd_hybrid *h, ifd_note *note)
{
    ifd__rigs *g = &h->rigs;
    bool replays = h->opt.rig == &ifd__replay_rig && h->opt.rig_setup;
    g->several =
        replays ? ((const ifd__replay *)h->opt.rig_setup)->several : ifd_several_of(h->opt.rig, h->opt.rig_setup);
    g->limit[0] = h->opt.stale_limit;
    if (!g->several)
        return IFD_OK;
    IFD_TRY(ifd__several_check(g->several, h->actuators, note));
    for (int r = 0; r < g->several->rigs; r++) {
        const ifd_rig_part *o = &g->several->rig[r];
        g->delay[r] = ifd__several_delay(o, h->period);
        g->limit[r] = o->stale_time > 0.0 ? ifd_rig_ticks(o->stale_time, h->period, 1) : h->opt.stale_limit;
    }
    h->opt.rig_leads = ifd__several_leads(g->several);
    return find_owners(h, note);
}

void ifd__rigs_layout(ifd_hybrid *h)
{
    ifd__rigs *g = &h->rigs;
    if (g->several)
        ifd__state_reserve(h, g->several->rigs * IFD__DOUBLES(ifd__rig_state), &g->block);
}

void ifd__rigs_opened(ifd_hybrid *h)
{
    if (h->rigs.several)
        h->rigs.heard =
            h->opt.rig == &ifd__replay_rig ? ((ifd__replay *)h->opt.rig_setup)->heard : ifd__several_heard(&h->rig);
}

static const ifd__column_row of_rig[] = {
    IFD__COLUMN(RIG_FRESH, ifd__rig_state, fresh),     IFD__COLUMN(RIG_ANSWERED, ifd__rig_state, answered),
    IFD__COLUMN(RIG_ARRIVED, ifd__rig_state, arrived), IFD__COLUMN(RIG_INPUTS, ifd__rig_state, inputs),
    IFD__COLUMN(RIG_TIME, ifd__rig_state, time),       IFD__COLUMN(RIG_TAKEN, ifd__rig_state, taken),
    IFD__COLUMN(RIG_CLOCK, ifd__rig_state, clock),     IFD__COLUMN(RIG_ROUND_TRIP, ifd__rig_state, round_trip),
    IFD__COLUMN(RIG_AGE, ifd__rig_state, age),         IFD__COLUMN(RIG_LOST, ifd__rig_state, lost)};

ifd_status ifd__rigs_columns(ifd_hybrid *h, ifd_arena *arena)
{
    for (int r = 0; h->rigs.several && r < h->rigs.several->rigs; r++) {
        const ifd__column_set set = {
            .owner = h->rigs.several->rig[r].name, .block = &h->rigs.block[r], IFD__ROWS(of_rig)};
        IFD_TRY(ifd__columns_add(h, arena, &set));
    }
    return IFD_OK;
}

bool ifd__rigs_continue(const ifd_hybrid *h)
{
    const ifd_several *s = h->rigs.several;
    bool here = true, outside = true;
    for (int r = 0; s && r < s->rigs; r++) {
        bool own = ifd_rig_is_virtual(s->rig[r].ops);
        here = here && own && !(s->rig[r].equalise > 0.0);
        outside = outside && !own;
    }
    return here || outside;
}

/* The rig with an auxiliary input of the test. */
IFD_RT static int rig_of_aux(const ifd_several *s, int input)
{
    int rig = 0;
    for (int r = 1; r < s->rigs; r++)
        for (int i = 0; i < s->rig[r].aux; i++)
            rig = s->rig[r].input[i] == input ? r : rig;
    return rig;
}

int ifd__rigs_owner(const ifd_hybrid *h, int who)
{
    int actuator = who - h->interfaces, row = actuator - h->actuators;
    const ifd_channel_map *map = h->opt.map;
    if (who < 0)
        return 0;
    if (actuator < h->actuators)
        return actuator < 0 ? h->rigs.of_interface[who] : h->rigs.of_actuator[actuator];
    if (!map || row >= map->rows)
        return row - (map ? map->rows : 0);
    const ifd_channel_row *c = &map->row[row];
    return c->source == IFD_SOURCE_AUX ? rig_of_aux(h->rigs.several, c->input) : h->rigs.of_actuator[c->input];
}

const char *ifd_hybrid_rig_name(const ifd_hybrid *h, int channel)
{
    const ifd_several *s = h->rigs.several;
    int r = ifd__rigs_of(h, channel);
    return s && channel >= 0 && r < s->rigs ? s->rig[r].name : NULL;
}

const ifd_rig *ifd_hybrid_rig(const ifd_hybrid *h, int number)
{
    if (h->rig.ops == &ifd_several_rig)
        return ifd__several_rig(&h->rig, number);
    return number == 0 && h->rig.ops ? &h->rig : NULL;
}

/* The command of this tick is not yet sent: an answer to the last one has the age of one tick. */
IFD_RT static void time_rig(const ifd_hybrid *h, ifd__rig_state *b, double arrived_before)
{
    double now = (double)h->command.tick + 1.0;
    if (b->arrived > arrived_before)
        b->round_trip = (now - b->arrived) * h->period;
    b->age = b->answered > 0.0 ? (now - b->answered) * h->period : 0.0;
    b->lost += b->heard > 0.0 && b->fresh == 0.0;
}

void ifd__rigs_take(ifd_hybrid *h)
{
    bool all = true, sampled = true;
    for (int r = 0; r < h->rigs.several->rigs; r++) {
        ifd__rig_state *b = &h->rigs.block[r];
        double before = b->arrived;
        memcpy(b, &h->rigs.heard[r], sizeof h->rigs.heard[r]);
        h->rigs.heard[r].fresh = 0.0;
        if (b->fresh > 0.0)
            b->heard = b->sample = b->fresh;
        time_rig(h, b, before);
        all = all && b->heard > 0.0;
        sampled = sampled && b->sample > 0.0;
    }
    for (int r = 0; r < h->rigs.several->rigs && sampled; r++)
        h->rigs.block[r].sample = 0.0;
    h->rigs.sampled = sampled;
    h->test->rig.heard = all;
}

void ifd__rigs_reported(ifd_hybrid *h, const double *old)
{
    for (int r = 0; h->rigs.several && r < h->rigs.several->rigs; r++) {
        ifd__rig_state *b = &h->rigs.block[r];
        memcpy(b, old + ifd__place_of(h, b), sizeof(ifd__rig_heard));
    }
}

void ifd__rigs_summarise(ifd_hybrid *h)
{
    ifd__test_state *t = h->test;
    t->rig.stale = t->rig.silent = t->rig.leads = 0.0;
    t->rig.acknowledged = (double)INFINITY;
    for (int r = 0; r < h->rigs.several->rigs; r++) {
        const ifd__rig_state *b = &h->rigs.block[r];
        t->rig.stale = fmax(t->rig.stale, b->stale);
        t->rig.silent = fmax(t->rig.silent, b->silent);
        t->rig.leads = fmax(t->rig.leads, b->leads);
        t->rig.acknowledged = fmin(t->rig.acknowledged, b->acknowledged);
    }
}
