/* SPDX-License-Identifier: MIT */
/* Steps substructures with individual steps in the order of their stages. */
#include "couple/events.h"

#include <string.h>

#include "couple/coupled.h"
#include "method/stepper.h"

static int gcd(int a, int b)
{
    while (b) {
        int r = a % b;
        a = b;
        b = r;
    }
    return a;
}

enum { MOST_SLOTS = 1000000 };

/* Instants are multiples of 1/(2 L), L the least common multiple of all subcycles. Returns 0 if L is beyond the
 * limit. */
static int common(const ifd__events *e)
{
    long L = 1;
    for (int p = 0; p < e->I->parts && L <= MOST_SLOTS; p++)
        if (e->active[p])
            L = L / gcd((int)L, e->subcycles[p]) * e->subcycles[p];
    return L <= MOST_SLOTS ? (int)L : 0;
}

static int stages_of(const ifd__events *e, int p)
{
    return e->couple->part[p].step.method->stages; /* also of a stepper in another process */
}

/* True if a stage of substructure p is due at slot j of 2 L; *out receives the stage. */
static bool due_at(const ifd__events *e, int p, int j, int L, ifd__due_stage *out)
{
    int stages = stages_of(e, p);
    int slots = 2 * L / (e->subcycles[p] * stages); /* slots between two stages of this substructure */
    if (j % slots)
        return false;
    int index = j / slots;
    *out = (ifd__due_stage){.part = p, .substep = index / stages, .stage = index % stages};
    return true;
}

static ifd_status schedule(ifd_arena *arena, ifd__events *e, ifd_note *note)
{
    int L = common(e), total = 0;
    if (!L)
        return ifd_note_add(
            note, IFD_TOO_LARGE, &e->couple->place,
            "the numbers of subcycles of the substructures have no common multiple up to %d: use numbers that "
            "divide each other",
            MOST_SLOTS);
    for (int p = 0; p < e->I->parts; p++)
        if (e->active[p])
            total += e->subcycles[p] * stages_of(e, p);
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(e->instant, total), IFD__ARRAY(e->due, total)));
    int used = 0;
    for (int j = 0; j < 2 * L; j++) {
        int first = used;
        for (int p = 0; p < e->I->parts; p++)
            if (e->active[p] && due_at(e, p, j, L, &e->due[used]))
                used++;
        if (used > first)
            e->instant[e->instants++] = (ifd__instant){.at = j / (2.0 * L), .first = first, .count = used - first};
    }
    return IFD_OK;
}

static ifd_status check_measured(const ifd__events *e, ifd_note *note)
{
    for (int p = 0; p < e->I->parts; p++) {
        const ifd_part_options *part = &e->couple->part[p];
        if (!e->active[p] || !part->measured)
            continue;
        int stages = e->subcycles[p] * stages_of(e, p);
        if (stages < e->instants)
            return ifd_note_add(note, IFD_CONFLICT, &part->place,
                                "substructure '%s' has a specimen: its force is measured %d times per step, "
                                "but the coupling needs it at %d instants; give this substructure the most "
                                "subcycles",
                                part->name, stages, e->instants);
    }
    return IFD_OK;
}

ifd_status ifd__events_make(ifd_arena *arena, ifd__events *e, ifd_note *note)
{
    int parts = e->I->parts;
    size_t most = 1;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(e->segment, parts), IFD__ARRAY(e->from, parts), IFD__ARRAY(e->to, parts),
                      IFD__ARRAY(e->theta, parts)));
    for (int p = 0; p < parts; p++) {
        size_t y = 2 * (size_t)e->I->part[p].m->n + (size_t)e->I->part[p].m->ns;
        most = y > most ? y : most;
        ifd__segment *g = &e->segment[p];
        IFD_TRY(ifd__sight_make(arena, e->I, p, &g->sight[0]));
        IFD_TRY(ifd__sight_make(arena, e->I, p, &g->sight[1]));
        g->from = &g->sight[0];
        g->to = &g->sight[1];
    }
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(e->y, most), IFD__ARRAY(e->lambda, e->I->rows)));
    IFD_TRY(schedule(arena, e, note));
    return check_measured(e, note);
}

void ifd__events_aim(const ifd__events *e, int k, const double *x, int p, double *u, double *v)
{
    const ifd__instant *at = &e->instant[k];
    for (int i = at->first; i < at->first + at->count; i++)
        if (e->due[i].part == p)
            ifd_stepper_aim(e->stepper[p], e->due[i].stage, 0.0, x + e->at[p], u, v);
}

void ifd__events_begin(ifd__events *e, const double *x)
{
    for (int p = 0; p < e->I->parts; p++)
        if (e->stepper[p])
            ifd__interface_see(e->I, p, x + e->at[p], e->segment[p].to);
}

/* Runs a stage and starts the next segment of the substructure at its result. */
static void advance(ifd__events *e, const ifd__due_stage *d, double at, double t, const double *lambda, double *x)
{
    const ifd_stepper *s = e->stepper[d->part];
    ifd__segment *g = &e->segment[d->part];
    int n = e->I->part[d->part].m->n, stages = ifd_stepper_stages(s);
    double *y = x + e->at[d->part], h = ifd_stepper_step(s);
    ifd__interface_load(e->I, d->part, lambda, e->y);
    ifd_stepper_stage(s, d->stage, t + d->substep * h, e->y, y);
    ifd__sight *old = g->from;
    g->from = g->to;
    g->to = old;
    g->begins = at;
    g->ends = at + 1.0 / (e->subcycles[d->part] * stages);
    if (stages == 2 && d->stage == 0) { /* the state in the middle of the step */
        ifd__rosenbrock_middle(s, y, e->y, e->y + n, e->y + 2 * n);
        y = e->y;
    }
    ifd__interface_see(e->I, d->part, y, g->to);
}

bool ifd__events_instant(ifd__events *e, int k, double t, double *x, double *lambda)
{
    const ifd__instant *now = &e->instant[k];
    for (int p = 0; p < e->I->parts; p++) {
        const ifd__segment *g = &e->segment[p];
        e->from[p] = g->from;
        e->to[p] = g->to;
        e->theta[p] = (now->at - g->begins) / (g->ends - g->begins);
    }
    for (int i = now->first; i < now->first + now->count; i++) { /* their segments end here */
        int p = e->due[i].part;
        e->from[p] = e->to[p];
        e->theta[p] = 0.0;
    }
    bool ok = ifd__interface_solve(e->I, t + now->at * e->h, e->from, e->to, e->theta, e->lambda);
    for (int i = now->first; i < now->first + now->count; i++)
        if (!e->I->part[e->due[i].part].away)
            advance(e, &e->due[i], now->at, t, e->lambda, x);
    if (lambda)
        memcpy(lambda, e->lambda, sizeof(double) * (size_t)e->I->rows);
    return ok;
}

void ifd__events_latch(const ifd__events *e, const double *x, double *fault)
{
    for (int p = 0; p < e->I->parts; p++)
        if (e->stepper[p])
            ifd__raise(fault, ifd_stepper_fault(e->stepper[p], x + e->at[p]));
}

bool ifd__events_tick(ifd__events *e, ifd__coupled *c, int k, double t, double *x)
{
    if (!ifd__events_instant(e, k, t, x, c->measured && k == 0 ? x + c->lambda : NULL))
        ifd__raise(&x[c->fault], IFD_STEP_SINGULAR);
    if (k < c->ticks - 1)
        return false;
    ifd__events_latch(e, x, &x[c->fault]);
    ifd__interface_rest(&c->I);
    return true;
}
