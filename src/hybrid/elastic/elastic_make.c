/* SPDX-License-Identifier: MIT */
/* Set-up of elastic simulated time. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include <interfield/several.h>

#include "hybrid/elastic/elastic.h"
#include "hybrid/columns.h"
#include "hybrid/elastic/elastic_state.h"

/* Brake times in which a rate comes to rest: (1 + wt) e^-wt is 1e-6 at wt = 16.7, and w = 3/brake. */
static const double brakes_to_rest = 6.0;
static const double radians = 3.0; /* w brake */
/* Ticks of the window, at least, and of a ring, at most. */
static const double least_window = 4.0, longest_ring = 1e6;

void ifd_elastic_defaults(ifd_elastic *e)
{
    *e = (ifd_elastic){.brake = 0.2, .patience = 1.0, .give_up = 30.0};
}

static ifd_status check_numbers(const ifd_elastic *e, ifd_note *note)
{
    const struct {
        const char *name;
        double value;
    } rows[] = {{"delay", e->delay}, {"brake", e->brake}, {"patience", e->patience}, {"give-up", e->give_up}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!(rows[i].value > 0.0) || !isfinite(rows[i].value))
            return ifd_note_add(note, IFD_RANGE, NULL, "elastic: '%s' is %g s, expected a time above zero",
                                rows[i].name, rows[i].value);
    if (!(e->give_up > e->patience + e->brake))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "elastic: 'give-up' is %g s, expected more than 'patience' and 'brake' together (%g s): "
                            "the test would trip before it is at rest",
                            e->give_up, e->patience + e->brake);
    return IFD_OK;
}

static ifd_status refuse(ifd_note *note, const char *what, const char *instead)
{
    return ifd_note_add(note, IFD_UNSUPPORTED, NULL, "a test with 'elastic' cannot have %s: %s", what, instead);
}

static ifd_status check_interface(const ifd_interface_options *c, ifd_note *note)
{
    if (c->force)
        return refuse(note, "force control", "its loop would oscillate with the delay of the network");
    if (c->compensator && (c->compensator->correct || c->compensator->learn))
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "interface '%s': with 'elastic' the compensator must not use measurements, but '%s' "
                            "does. Use one with a fixed delay, such as polynomial",
                            c->name, c->compensator->name);
    return IFD_OK;
}

static ifd_status check_rigs(const ifd_hybrid_options *o, ifd_note *note)
{
    const ifd_several *s = ifd_several_of(o->rig, o->rig_setup);
    for (int r = 0; s && r < s->rigs; r++) {
        if (s->rig[r].equalise > 0.0)
            return refuse(note, "'equalise'", "the delay of every answer is constant already");
        if (s->rig[r].stale_time > 0.0)
            return refuse(note, "a 'stale-for' of a rig", "'give-up' is the limit of all of them");
    }
    return IFD_OK;
}

ifd_status ifd__elastic_check(const ifd_hybrid_options *o, ifd_note *note)
{
    const ifd_elastic *e = o->elastic;
    if (!e)
        return IFD_OK;
    IFD_TRY(check_numbers(e, note));
    if (o->rate_dependent && !e->allow_rate_dependent)
        return ifd_note_add(note, IFD_CONFLICT, NULL,
                            "a specimen is rate-dependent, and 'elastic' changes the rate of the motion with the "
                            "network. Its force would be wrong. Permit it with `elastic: {allow-rate-dependent: "
                            "yes}` if this effect is small");
    if (o->remote)
        return refuse(note, "a structure that another program computes", "that program has its own time");
    IFD_TRY(check_rigs(o, note));
    if (o->protocol)
        return refuse(note, "a loading protocol", "characterise the rig beside the rig");
    if (o->drives > 0)
        return refuse(note, "a drive of several actuators", "only specimens with one actuator each are supported");
    if (o->preload)
        return refuse(note, "'preload'", "its corrections need present forces");
    if (o->identified > 0)
        return refuse(note, "'identify'", "measurements and structure belong to different instants");
    if (o->monitor)
        return refuse(note, "'monitor'", "it compares present measurements with the structure");
    if (o->hold_relaxation > 0.0)
        return refuse(note, "'hold-relaxation'", "forces arrive late");
    if (isfinite(o->checkpoint_every))
        return refuse(note, "'checkpoint-every'",
                      "while it moves, commands are under way and no instant is complete. A hold has a checkpoint");
    for (int k = 0; k < o->interfaces; k++)
        IFD_TRY(check_interface(&o->interface[k], note));
    return IFD_OK;
}

static void begin_with(const ifd_compensator *c, double *x)
{
    memset(x, 0, (size_t)c->size * sizeof *x);
    ifd_compensator_begin(c, 0.0, x);
}

/* Two measurements that differ must not change the command. */
static ifd_status check_compensator(const ifd_hybrid *h, int k, ifd_arena *arena, ifd_note *note)
{
    const ifd_compensator *c = h->interface[k].compensator;
    enum { TICKS = 8 };
    double *a, *b, u = 0.0, w = 0.0;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(a, c->size), IFD__ARRAY(b, c->size)));
    begin_with(c, a);
    begin_with(c, b);
    for (int i = 0; i < TICKS && u == w; i++) {
        const ifd_compensator_in quiet = {.x = 1e-4 * i, .v = 1e-4 / h->period};
        ifd_compensator_in loud = quiet;
        loud.xm = 1e-3;
        loud.fm = 1e3;
        u = ifd_compensator_step(c, &quiet, a);
        w = ifd_compensator_step(c, &loud, b);
    }
    if (u == w)
        return IFD_OK;
    return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                        "interface '%s': with 'elastic' the compensator must not use measurements, but '%s' does. "
                        "Use one with a fixed delay, such as polynomial",
                        h->interface[k].o->name, c->kind->name);
}

static ifd_status ring_of(double ticks, int width, ifd__ring *out, ifd_note *note)
{
    if (!(ticks <= longest_ring))
        return ifd_note_add(note, IFD_TOO_LARGE, NULL,
                            "elastic: 'patience' and 'brake' together are %.3g ticks, at most %g are possible. Use "
                            "fewer ticks per stage",
                            ticks, longest_ring);
    *out = (ifd__ring){.size = (int)ceil(ticks) + 16, .width = width};
    return IFD_OK;
}

ifd_status ifd__elastic_make(ifd_hybrid *h, ifd_arena *arena, ifd_note *note)
{
    const ifd_elastic *o = h->opt.elastic;
    if (!o)
        return IFD_OK;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(h->elastic, 1)));
    ifd__elastic *c = h->elastic;
    c->filter = ifd__damped_of(radians * h->period / o->brake);
    c->window = o->delay * h->opt.lambda / h->period;
    c->patience = o->patience / h->period;
    if (!(c->window >= least_window))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "elastic: 'delay' is %g s of simulated time, which is %.2g ticks. Expected %g or more: "
                            "use more ticks per stage",
                            o->delay, c->window, least_window);
    IFD_TRY(ring_of(c->patience + brakes_to_rest * o->brake / h->period, 2 + h->interfaces, &c->sent, note));
    for (int r = 0; r < ifd__rigs_count(h); r++)
        IFD_TRY(ring_of(IFD__ELASTIC_DENSITY * c->window, 1 + h->interfaces, &c->answers[r], note));
    for (int k = 0; k < h->interfaces; k++)
        if (h->interface[k].compensator)
            IFD_TRY(check_compensator(h, k, arena, note));
    h->rig.brake = o->brake;
    h->rig.give_up = o->give_up;
    c->at = h->size;
    h->size += IFD__DOUBLES(ifd__elastic_state) + h->interfaces * IFD__DOUBLES(ifd__elastic_interface);
    h->size += h->rigs.several ? h->rigs.several->rigs * IFD__DOUBLES(ifd__elastic_rig) : 0;
    return IFD_OK;
}

void ifd__elastic_limit(ifd_hybrid *h)
{
    if (h->opt.elastic)
        h->opt.stale_limit = (int)fmin(ceil(h->opt.elastic->give_up / h->period), INT_MAX);
}

void ifd__elastic_layout_rings(ifd_hybrid *h)
{
    ifd__elastic *c = h->elastic;
    if (!c)
        return;
    c->rings_at = h->size;
    h->size += c->sent.size * c->sent.width;
    for (int r = 0; r < ifd__rigs_count(h); r++)
        h->size += c->answers[r].size * c->answers[r].width;
}

void ifd__elastic_place_rings(ifd_hybrid *h)
{
    ifd__elastic *c = h->elastic;
    if (!c)
        return;
    c->sent.entry = h->x + c->rings_at;
    double *next = c->sent.entry + (size_t)c->sent.size * (size_t)c->sent.width;
    for (int r = 0; r < ifd__rigs_count(h); r++) {
        c->answers[r].entry = next;
        next += (size_t)c->answers[r].size * (size_t)c->answers[r].width;
    }
}

static double age(const ifd__column_source *source)
{
    return ifd__elastic_age(source->self);
}

ifd_status ifd__elastic_columns(ifd_hybrid *h, ifd_arena *arena)
{
    static const ifd__column_row row = {IFD_COLUMN_TEST_AGE, 0, age};
    return ifd__columns_add(h, arena, &(ifd__column_set){.owner = "", .row = &row, .rows = h->elastic != NULL});
}
