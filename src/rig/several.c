/* SPDX-License-Identifier: MIT */
/* Several rigs as one: opens, senses and commands each. */
#include "rig/several.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "rig/rehearse.h"
#include "rig/rig.h"

/* Calls of warm for which a rig remains ready: one that answers every second call is ready. All are called until the
 * last one is ready, as their watchdogs already run. */
enum { STAYS_READY = 8, MOST_AT_ONCE = 64 };

typedef struct part {
    const ifd_rig_part *o;
    ifd_rig rig;
    int at;            /* offset of its state */
    ifd_measure raw;   /* newest, as received */
    ifd_measure use;   /* the measurement in use */
    uint32_t inputs;   /* the newest ones: a stop is not delayed by `equalise` */
    int delay;         /* ticks, with `equalise`; 0: none */
    ifd_measure *line; /* as many measurements, that of tick k at k modulo this number */
    uint64_t ready;    /* until this call of warm */
} part;

typedef struct several {
    int rigs;
    part *part;
    ifd__rig_heard *heard;
    uint64_t sent;   /* tick of the last command */
    uint64_t warmed; /* calls of warm */
    int cold;        /* the last rig that is not ready; `rigs`: none */
} several;

const ifd_several *ifd_several_of(const ifd_rig_ops *rig, const void *setup)
{
    return rig == &ifd_several_rig ? setup : NULL;
}

bool ifd_rigs_are_virtual(const ifd_rig_ops *rig, const void *setup)
{
    const ifd_several *s = ifd_several_of(rig, setup);
    bool all = s || ifd_rig_is_virtual(rig);
    for (int r = 0; s && r < s->rigs; r++)
        all = all && ifd_rig_is_virtual(s->rig[r].ops);
    return all;
}

bool ifd__several_leads(const ifd_several *s)
{
    bool leads = false;
    for (int r = 0; r < s->rigs; r++)
        leads = leads || s->rig[r].leads;
    return leads;
}

int ifd__several_delay(const ifd_rig_part *o, double tick)
{
    return (int)fmin(fmax(round(o->equalise / tick), 1.0), IFD__EQUALISE_MOST);
}

static ifd_status make_line(part *p, double tick, ifd_arena *arena, ifd_note *note)
{
    double ticks = p->o->equalise / tick;
    if (!(p->o->equalise > 0.0))
        return IFD_OK;
    if (!(ticks >= 0.5) || ticks > IFD__EQUALISE_MOST)
        return ifd_note_add(note, IFD_RANGE, NULL, "rig '%s': 'equalise' is %g s, expected 1 to %d ticks of %g s",
                            p->o->name, p->o->equalise, IFD__EQUALISE_MOST, tick);
    p->delay = ifd__several_delay(p->o, tick);
    return IFD__TAKE(arena, IFD__ARRAY(p->line, p->delay));
}

static void close_those(several *s, bool answering)
{
    for (int r = 0; r < s->rigs; r++) {
        bool answers = s->sent < s->part[r].raw.tick + 2;
        if (answers == answering)
            ifd__rig_close(&s->part[r].rig);
    }
}

static void close_parts(several *s)
{
    close_those(s, true); /* first: the farewell to a lost rig takes time */
    close_those(s, false);
}

static ifd_status open_part(several *s, const ifd_several *setup, ifd_rig *all, ifd_arena *arena, ifd_note *note)
{
    const ifd_rig_part *o = &setup->rig[s->rigs];
    part *p = &s->part[s->rigs];
    *p = (part){.o = o};
    if (o->ops->abi != IFD_RIG_ABI)
        return ifd_note_add(note, IFD_PLUGIN, NULL,
                            "rig '%s' was built for version %d of the rig interface; this program has %d", o->name,
                            o->ops->abi, IFD_RIG_ABI);
    IFD_TRY(make_line(p, all->tick, arena, note));
    p->rig = (ifd_rig){.ops = o->ops,
                       .actuators = o->actuators,
                       .tick = all->tick,
                       .data = o->setup,
                       .folder = all->folder,
                       .each = p->delay ? IFD_EACH_ASKED : IFD_EACH_NONE,
                       .brake = all->brake,
                       .give_up = all->give_up,
                       .purpose = all->purpose,
                       .beat = all->beat,
                       .number = s->rigs + 1};
    for (int k = 0; k < o->actuators; k++)
        p->rig.acceleration[k] = all->acceleration[o->actuator[k]];
    if (o->leads && !ifd__rig_paces(&p->rig))
        return ifd_note_add(note, IFD_CONFLICT, NULL, "rig '%s' has no clock for a test: expected 'pace: own'",
                            o->name);
    if (setup->rehearse && !o->twin)
        return ifd_note_add(note, IFD_INTERNAL, NULL, "rig '%s' has no twin for a rehearsal", o->name);
    if (setup->rehearse)
        IFD_TRY(ifd__rehearse(arena, o->twin, &p->rig));
    ifd_status status = ifd__rig_open(&p->rig, o->values, arena, note);
    all->outputs |= p->rig.outputs;
    for (int k = 0; k < o->actuators; k++)
        all->free_at_end |= (p->rig.free_at_end >> k & 1u) << o->actuator[k];
    if (p->rig.late_after > 0.0)
        all->late_after = all->late_after > 0.0 ? fmin(all->late_after, p->rig.late_after) : p->rig.late_after;
    return status == IFD_OK ? IFD_OK
                            : ifd_note_add(note, status, NULL, "rig '%s' of the case does not open", o->name);
}

ifd_status ifd__several_check(const ifd_several *setup, int actuators, ifd_note *note)
{
    int owner[IFD_RIG_ACTUATORS] = {0}, paces = 0;
    if (!setup || setup->rigs < 1 || setup->rigs > IFD__RIGS)
        return ifd_note_add(note, IFD_RANGE, NULL, "a test has 1 to %d rigs", IFD__RIGS);
    for (int r = 0; r < setup->rigs; r++) {
        const ifd_rig_part *o = &setup->rig[r];
        paces += o->leads;
        bool fits = o->actuators > 0 && o->actuators <= IFD_RIG_ACTUATORS && o->aux >= 0 && o->aux <= IFD_RIG_AUX;
        for (int i = 0; fits && i < o->aux; i++)
            fits = o->input[i] >= 0 && o->input[i] < IFD_RIG_AUX;
        if (!fits)
            return ifd_note_add(note, IFD_RANGE, NULL, "rig '%s' has no actuators, or too many", o->name);
        for (int j = 0; j < o->actuators; j++)
            if (o->actuator[j] < 0 || o->actuator[j] >= actuators || owner[o->actuator[j]]++)
                return ifd_note_add(note, IFD_CONFLICT, NULL,
                                    "rig '%s': each actuator of a test belongs to exactly one rig", o->name);
    }
    for (int a = 0; a < actuators; a++)
        if (!owner[a])
            return ifd_note_add(note, IFD_CONFLICT, NULL, "actuator %d of the test belongs to no rig", a + 1);
    if (paces > 1)
        return ifd_note_add(note, IFD_CONFLICT, NULL, "%d rigs have 'pace: rig', expected at most one", paces);
    return IFD_OK;
}

static ifd_status open_all(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd_several *setup = rig->data;
    several *s;
    (void)values;
    IFD_TRY(ifd__several_check(setup, rig->actuators, note));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s, 1)));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s->part, setup->rigs), IFD__ARRAY(s->heard, setup->rigs)));
    rig->size = 0;
    for (; s->rigs < setup->rigs; s->rigs++) {
        ifd_status status = open_part(s, setup, rig, arena, note);
        if (status != IFD_OK) {
            close_parts(s);
            return status;
        }
        s->part[s->rigs].at = rig->size;
        rig->size += s->part[s->rigs].rig.size;
    }
    rig->data = s;
    return IFD_OK;
}

IFD_RT static double *state_of(const part *p, double *x)
{
    return p->rig.size ? x + p->at : NULL;
}

static void begin_all(ifd_rig *rig, double *x)
{
    several *s = rig->data;
    for (int r = 0; r < s->rigs; r++)
        if (s->part[r].rig.ops->begin)
            s->part[r].rig.ops->begin(&s->part[r].rig, state_of(&s->part[r], x));
}

/* Keeps a measurement until its tick. Of several that answer the same command, the first one that the rig took. */
IFD_RT static void keep(part *p, uint64_t sent)
{
    const ifd_measure *m = &p->raw;
    uint64_t places = (uint64_t)p->delay;
    ifd_measure *place = &p->line[m->tick % places];
    bool in_time = sent - m->tick < places; /* false also for a tick that was never sent: the difference wraps */
    if (in_time && (place->tick != m->tick || m->time < place->time))
        *place = *m;
}

/* The measurement that answers the command of `delay` ticks before this tick; false: it is not there. */
IFD_RT static bool sense_late(part *p, uint64_t sent, ifd__rig_heard *h, double *x)
{
    uint64_t now = sent + 1, delay = (uint64_t)p->delay;
    int most = p->rig.each == IFD_EACH_GIVEN ? MOST_AT_ONCE : 1;
    double newest = h->arrived < (double)sent ? h->arrived : 0.0; /* a tick that was not sent is reported once */
    for (int i = 0; i < most && ifd__rig_sense(&p->rig, &p->raw, x); i++) {
        if ((double)p->raw.tick >= newest) /* otherwise another one has overtaken it */
            p->inputs = p->raw.inputs;
        newest = fmax(newest, (double)p->raw.tick);
        keep(p, sent);
    }
    h->arrived = newest;
    p->inputs |= p->raw.inputs & IFD_INPUT_RIG_STOPPED;
    const ifd_measure *m = now > delay ? &p->line[now % delay] : NULL;
    bool there = m && m->tick == now - delay;
    if (there)
        p->use = *m;
    return there;
}

IFD_RT static bool sense_now(part *p, ifd__rig_heard *h, double *x)
{
    bool fresh = ifd__rig_sense(&p->rig, &p->use, x);
    p->raw.tick = p->use.tick;
    p->inputs = p->use.inputs;
    h->arrived = (double)p->use.tick;
    return fresh;
}

/* Its values in the common measurement. */
IFD_RT static void place(const part *p, ifd_measure *out)
{
    for (int j = 0; j < p->o->actuators; j++) {
        out->position[p->o->actuator[j]] = p->use.position[j];
        out->force[p->o->actuator[j]] = p->use.force[j];
    }
    for (int i = 0; i < p->o->aux; i++) {
        int at = p->o->input[i];
        out->auxiliary[at] = (uint32_t)i < p->use.aux ? p->use.auxiliary[i] : (double)NAN;
        if (out->aux <= (uint32_t)at)
            out->aux = (uint32_t)at + 1;
    }
    if (p->use.tick < out->tick)
        out->tick = p->use.tick;
}

static bool sense_all(ifd_rig *rig, ifd_measure *out, double *x)
{
    several *s = rig->data;
    uint32_t all = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS, stopped = 0;
    bool any = false;
    *out = (ifd_measure){.tick = UINT64_MAX, .actuators = (uint32_t)rig->actuators};
    for (int r = 0; r < s->rigs; r++) {
        part *p = &s->part[r];
        ifd__rig_heard *h = &s->heard[r];
        bool fresh = p->delay ? sense_late(p, s->sent, h, state_of(p, x)) : sense_now(p, h, state_of(p, x));
        any = any || fresh;
        if (fresh) {
            h->fresh = 1.0;
            h->answered = (double)p->use.tick;
            h->time = p->use.time;
            h->taken = 1e-9 * (double)p->use.taken;
            h->clock = p->use.clock;
        }
        h->inputs = p->inputs;
        all &= p->inputs;
        stopped |= p->inputs & (IFD_INPUT_RIG_STOPPED | IFD_INPUT_START | IFD_INPUT_UNPOWERED |
                                IFD_INPUT_NOT_ALLOWED); /* of one of them */
        place(p, out);
    }
    out->inputs = all | stopped;
    out->time = s->part[0].use.time;
    return any;
}

static void command_all(ifd_rig *rig, const ifd_command *c, double *x)
{
    several *s = rig->data;
    s->sent = c->tick;
    for (int r = 0; r < s->rigs; r++) {
        part *p = &s->part[r];
        ifd_command one = *c;
        one.actuators = (uint32_t)p->o->actuators;
        memset(one.position, 0, sizeof one.position);
        memset(one.velocity, 0, sizeof one.velocity);
        for (int j = 0; j < p->o->actuators; j++) {
            one.position[j] = c->position[p->o->actuator[j]];
            one.velocity[j] = c->velocity[p->o->actuator[j]];
        }
        ifd__rig_command(&p->rig, &one, state_of(p, x));
    }
}

static void close_all(ifd_rig *rig)
{
    close_parts(rig->data);
}

static int64_t wait_for_one(ifd_rig *rig, int64_t latest)
{
    several *s = rig->data;
    for (int r = 0; r < s->rigs; r++)
        if (s->part[r].o->leads)
            return ifd__rig_wait(&s->part[r].rig, latest);
    return -1;
}

static int warm_all(ifd_rig *rig, ifd_note *note)
{
    several *s = rig->data;
    s->warmed++;
    s->cold = s->rigs;
    for (int r = 0; r < s->rigs; r++) {
        part *p = &s->part[r];
        p->rig.grid = rig->grid;
        int now = ifd__rig_warm(&p->rig, note);
        if (now < 0) {
            s->cold = r;
            ifd_note_add(note, IFD_PEER, NULL, "rig '%s' does not become ready", p->o->name);
            return now;
        }
        if (now > 0)
            p->ready = s->warmed + STAYS_READY;
        if (p->ready <= s->warmed)
            s->cold = r;
    }
    return s->cold == s->rigs;
}

/* One real rig decides. */
static bool simulated(const ifd_rig *rig)
{
    const several *s = rig->data;
    for (int r = 0; r < s->rigs; r++)
        if (!ifd__rig_simulated(&s->part[r].rig))
            return false;
    return true;
}

static const char *why_of_first(const ifd_rig *rig)
{
    const several *s = rig->data;
    const char *why = NULL;
    for (int r = 0; r < s->rigs && !why; r++)
        why = ifd__rig_why(&s->part[r].rig);
    return why;
}

const ifd_rig *ifd__several_rig(const ifd_rig *rig, int r)
{
    const several *s = rig->data;
    return r >= 0 && r < s->rigs ? &s->part[r].rig : NULL;
}

int ifd__several_cold(const ifd_rig *rig)
{
    return ((const several *)rig->data)->cold;
}

ifd__rig_heard *ifd__several_heard(const ifd_rig *rig)
{
    return ((several *)rig->data)->heard;
}

ifd_status ifd__several_rehearse(ifd_arena *arena, ifd_rig *rig)
{
    ifd_several *copy;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(copy, 1)));
    *copy = *(const ifd_several *)rig->data;
    copy->rehearse = true;
    rig->data = copy;
    return IFD_OK;
}

static const ifd_param no_params[] = {{0}};

const ifd_rig_ops ifd_several_rig = {
    .abi = IFD_RIG_ABI,
    .name = "several",
    .summary = "several rigs, each with some of the actuators of a test",
    .params = no_params,
    .open = open_all,
    .begin = begin_all,
    .sense = sense_all,
    .command = command_all,
    .close = close_all,
    .wait = wait_for_one,
    .warm = warm_all,
    .why = why_of_first,
    .simulated = simulated,
};
