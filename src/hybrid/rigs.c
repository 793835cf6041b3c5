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

IFD_RT static ifd__rig_state *block(const ifd_hybrid *h, int r)
{
    return (ifd__rig_state *)(h->x + h->rigs.at) + r;
}

/* Each drive is on one rig, as all its actuators are. */
static ifd_status find_owners(ifd_hybrid *h, ifd_note *note)
{
    ifd__rigs *g = &h->rigs;
    for (int r = 1; r < g->several->rigs; r++) /* the others are of rig 0 */
        for (int j = 0; j < g->several->rig[r].channels; j++)
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
    g->at = h->size;
    if (!g->several)
        return;
    h->size += g->several->rigs * IFD__DOUBLES(ifd__rig_state);
    g->heard =
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
        const ifd__column_set set = {.owner = h->rigs.several->rig[r].name,
                                     .block = block(h, r),
                                     .row = of_rig,
                                     .rows = sizeof of_rig / sizeof *of_rig};
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

int ifd__rigs_count(const ifd_hybrid *h)
{
    return h->rigs.several ? h->rigs.several->rigs : 1;
}

ifd__rig_link ifd__rigs_link(const ifd_hybrid *h, int r)
{
    ifd__test_state *t = ifd__test_of(h);
    const int first = h->interfaces + h->actuators + (h->opt.map ? h->opt.map->rows : 0);
    if (!h->rigs.several)
        return (ifd__rig_link){.heard = &t->heard,
                               .stale = &t->stale,
                               .acknowledged = &t->acknowledged,
                               .silent = &t->silent,
                               .leads = &t->leads,
                               .limit = h->rigs.limit[0],
                               .who = -1,
                               .delay = 1,
                               .fresh = h->trace.fresh,
                               .answers = h->trace.fresh,
                               .arrived = (double)h->measure.tick,
                               .inputs = h->measure.inputs};
    ifd__rig_state *b = block(h, r);
    return (ifd__rig_link){.heard = &b->heard,
                           .stale = &b->stale,
                           .acknowledged = &b->acknowledged,
                           .silent = &b->silent,
                           .leads = &b->leads,
                           .limit = h->rigs.limit[r],
                           .who = first + r,
                           .delay = h->rigs.delay[r],
                           .fresh = b->fresh > 0.0,
                           .answers = b->fresh > 0.0 || b->arrived > b->acknowledged,
                           .arrived = b->arrived,
                           .inputs = (uint32_t)b->inputs};
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

int ifd__rigs_of(const ifd_hybrid *h, int who)
{
    int actuator = who - h->interfaces, row = actuator - h->actuators;
    const ifd_channel_map *map = h->opt.map;
    if (!h->rigs.several || who < 0)
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
        ifd__rig_state *b = block(h, r);
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
        block(h, r)->sample = 0.0;
    h->rigs.sampled = sampled;
    ifd__test_of(h)->heard = all;
}

void ifd__rigs_reported(ifd_hybrid *h, const double *old)
{
    for (int r = 0; h->rigs.several && r < h->rigs.several->rigs; r++) {
        ifd__rig_state *b = block(h, r);
        memcpy(b, old + ((double *)b - h->x), sizeof(ifd__rig_heard));
    }
}

void ifd__rigs_summarise(ifd_hybrid *h)
{
    ifd__test_state *t = ifd__test_of(h);
    if (!h->rigs.several)
        return;
    t->stale = t->silent = t->leads = 0.0;
    t->acknowledged = (double)INFINITY;
    for (int r = 0; r < h->rigs.several->rigs; r++) {
        const ifd__rig_state *b = block(h, r);
        t->stale = fmax(t->stale, b->stale);
        t->silent = fmax(t->silent, b->silent);
        t->leads = fmax(t->leads, b->leads);
        t->acknowledged = fmin(t->acknowledged, b->acknowledged);
    }
}

bool ifd__rigs_fresh(const ifd_hybrid *h, int who, bool fresh)
{
    return h->rigs.several ? block(h, ifd__rigs_of(h, who))->fresh > 0.0 : fresh;
}

double ifd__rigs_stale(const ifd_hybrid *h, int who)
{
    return *ifd__rigs_link(h, ifd__rigs_of(h, who)).stale;
}

int ifd__rigs_unheard(const ifd_hybrid *h, double tick)
{
    int r = 0;
    while (r < ifd__rigs_count(h) && *ifd__rigs_link(h, r).acknowledged > tick)
        r++;
    return r;
}

int ifd__rigs_refuse(const ifd_hybrid *h)
{
    for (int r = 0; r < ifd__rigs_count(h); r++)
        if (ifd__rigs_link(h, r).inputs & IFD_INPUT_NOT_ALLOWED)
            return r;
    return -1;
}

/* Ticks without a new measurement. */

static const double window = 1.0; /* s */

/* Ticks of a tenth of the window. */
static IFD_RT double tenth(const ifd_hybrid *h)
{
    return fmax(1.0, ceil(window / IFD__FRESH_TENTHS / h->period * (1.0 - 1e-12)));
}

static IFD_RT bool heard(ifd_hybrid *h)
{
    bool all = true;
    for (int r = 0; r < ifd__rigs_count(h); r++)
        all = all && *ifd__rigs_link(h, r).heard > 0.0;
    return all;
}

/* The oldest tenth leaves. */
static IFD_RT void turn(ifd__orders *o)
{
    for (int i = IFD__FRESH_TENTHS - 1; i > 0; i--)
        o->stale_tenth[i] = o->stale_tenth[i - 1];
    o->stale_tenth[0] = o->stale_now;
    o->stale_tenths = fmin(o->stale_tenths + 1.0, IFD__FRESH_TENTHS);
    o->stale_now = o->stale_of = 0.0;
}

void ifd__fresh_count(ifd_hybrid *h)
{
    const ifd__test_state *t = ifd__test_of(h);
    ifd__orders *o = ifd__orders_of(h);
    double stale = t->stale > 0.0;
    if (!heard(h))
        return;
    if (o->stale_of >= tenth(h))
        turn(o);
    o->stale_now += stale;
    o->stale_of += 1.0;
    if ((int)t->state != IFD_MACHINE_RUN)
        return;
    o->run_stale += stale;
    o->run_ticks += 1.0;
}

double ifd__fresh_missed(const ifd_hybrid *h)
{
    const ifd__orders *o = ifd__orders_of(h);
    double stale = o->stale_now, ticks = o->stale_of + o->stale_tenths * tenth(h);
    for (int i = 0; i < (int)o->stale_tenths; i++)
        stale += o->stale_tenth[i];
    return ticks > 0.0 ? stale / ticks : 0.0;
}

bool ifd__fresh_enough(const ifd_hybrid *h)
{
    return h->pace->awaits || ifd__fresh_missed(h) <= h->opt.stale_fraction;
}

double ifd_hybrid_stale_fraction(const ifd_hybrid *h)
{
    const ifd__orders *o = ifd__orders_of(h);
    return o->run_ticks > 0.0 ? o->run_stale / o->run_ticks : 0.0;
}
