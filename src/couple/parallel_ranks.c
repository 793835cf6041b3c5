/* SPDX-License-Identifier: MIT */
/* Coupling `parallel` in several processes. During a cycle neither side reads what the other computes in it, so one
 * exchange at its start suffices for both: the terms of the fine substructures at both stages of the coarse step, and
 * those of the coarse ones, which are linear in time, at every instant of the fine side. Processes with substructures
 * of the same side exchange their terms among each other at every further stage. */
#include <string.h>

#include "couple/distributed.h"
#include "couple/parallel.h"

typedef ifd__parallel_ranks ranks;

/* Vectors of a substructure: its term at stage 0 of the job; then, of a fine one at stage 1 and at instant 0; of a
 * coarse one at every instant. */
enum { STAGE_0, STAGE_1, FINE_0, COARSE_AT = 1 };

static ifd_status check(const ifd_couple_options *opt, ifd_note *note)
{
    for (int p = 0; p < opt->parts; p++)
        if (opt->part[p].model->inertial)
            return ifd_note_add(
                note, IFD_UNSUPPORTED, &opt->part[p].place,
                "the mass of substructure '%s' depends on its motion: with coupling parallel it cannot "
                "be distributed over processes; use pg-alpha",
                opt->part[p].name);
    return IFD_OK;
}

static IFD_RT bool job_sum(ifd__coupled *c, ifd__interface *I, const ifd__views *at, double *y);

ifd_status ifd__parallel_ranks_make(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, ifd_note *note)
{
    ifd__parallel_coupling *l = c->data;
    ranks *r;
    size_t parts = (size_t)c->parts;
    IFD_TRY(check(opt, note));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r, 1)));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r->coarse, parts), IFD__ARRAY(r->fine, parts), IFD__ARRAY(l->pair[0], parts),
                      IFD__ARRAY(l->pair[1], parts), IFD__ARRAY(l->at, parts)));
    r->columns = COARSE_AT + l->fine.instants > FINE_0 + 1 ? COARSE_AT + l->fine.instants : FINE_0 + 1;
    for (int p = 0; p < c->parts; p++) {
        bool coarse = opt->part[p].coarse, mine = ifd__coupled_mine(c, p);
        r->coarse[p] = coarse;
        r->fine[p] = !coarse;
        *(coarse ? &r->coarse_here : &r->fine_here) |= mine;
        *(coarse ? &r->coarse_others : &r->fine_others) |= !mine;
    }
    l->ranks = r;
    l->twin.sum = job_sum;
    IFD_TRY(ifd__distributed_room(arena, c, &(ifd__exchange){.columns = r->columns}));
    r->ahead = ifd_arena_array(arena, c->distributed->room, sizeof *r->ahead);
    if (!r->ahead)
        return IFD_NO_MEMORY;
    const ifd__exchange one = {.columns = 1}; /* opens the groups, so that the first cycle does not */
    bool ok = !r->coarse_here || !r->coarse_others || ifd__distributed_among(c, &one, r->coarse);
    ok = (!r->fine_here || !r->fine_others || ifd__distributed_among(c, &one, r->fine)) && ok;
    return ok ? IFD_OK : ifd_note_add(note, IFD_PEER, &opt->place, "a process does not answer");
}

/* The term of substructure p between two sights, into a vector of its block. */
static void put_term(ifd__coupled *c, int p, double t, const ifd__sight *const pair[2], double theta, int column)
{
    ifd__parallel_coupling *l = c->data;
    const ifd__exchange e = {.columns = l->ranks->columns};
    l->pair[0][p] = pair[0];
    l->pair[1][p] = pair[1];
    l->at[p] = theta;
    const ifd__views at = {t, l->pair[0], l->pair[1], l->at};
    (void)ifd__interface_term(&c->I, p, &at, c->I.term);
    ifd__distributed_pick(c, p, c->I.term,
                          ifd__distributed_block(c, &e, p) + (ptrdiff_t)column * c->distributed->own_rows[p]);
}

void ifd__parallel_exchange(ifd__coupled *c, double t)
{
    ifd__parallel_coupling *l = c->data;
    const ifd__events *f = &l->fine;
    const ifd__exchange e = {.columns = l->ranks->columns};
    for (int p = 0; p < c->parts; p++) {
        const ifd__parallel_side *a = &l->side[p];
        const ifd__segment *g = &f->segment[p];
        if (!ifd__coupled_mine(c, p))
            continue;
        put_term(c, p, l->job_time, (const ifd__sight *[]){&a->at2, &a->at2}, 0.0, STAGE_0);
        if (!a->coarse) {
            put_term(c, p, l->job_time + 2.0 * l->dt, (const ifd__sight *[]){&a->at0, &a->at0}, 0.0, STAGE_1);
            put_term(c, p, t + f->instant[0].at * f->h, (const ifd__sight *[]){g->to, g->to}, 0.0, FINE_0);
        }
        for (int k = 0; k < f->instants && a->coarse; k++)
            put_term(c, p, t + f->instant[k].at * f->h, (const ifd__sight *[]){g->from, g->to},
                     (f->instant[k].at - g->begins) / (g->ends - g->begins), COARSE_AT + k);
    }
    (void)ifd__distributed_share(c, &e); /* a process that is gone appears at the end of the cycle */
    memcpy(l->ranks->ahead, c->distributed->block, sizeof(double) * c->distributed->room);
}

static void add_ahead(const ifd__coupled *c, int p, int column, double *y)
{
    const ifd__parallel_coupling *l = c->data;
    const ifd__exchange e = {.columns = l->ranks->columns};
    ptrdiff_t at = ifd__distributed_block(c, &e, p) - c->distributed->block;
    ifd__distributed_add(c, p, l->ranks->ahead + at + (ptrdiff_t)column * c->distributed->own_rows[p], y);
}

/* The terms of one side at an instant, computed now. */
static bool share_side(ifd__coupled *c, ifd__interface *I, const ifd__views *at, const bool *part, bool others)
{
    const ifd__exchange one = {.columns = 1};
    for (int p = 0; p < c->parts; p++)
        if (part[p] && !I->part[p].away) {
            (void)ifd__interface_term(I, p, at, I->term);
            ifd__distributed_pick(c, p, I->term, ifd__distributed_block(c, &one, p));
        }
    return !others || ifd__distributed_among(c, &one, part);
}

/* y := the sum over all substructures in their order: those of `part` were shared now, the others at the start of the
 * cycle in this vector; of `part` too if it has a vector, mine >= 0. */
static void add_all(const ifd__coupled *c, const bool *part, int mine, int theirs, double *y)
{
    const ifd__exchange one = {.columns = 1};
    memset(y, 0, sizeof(double) * (size_t)c->I.rows);
    for (int p = 0; p < c->parts; p++)
        if (!part[p] || mine >= 0)
            add_ahead(c, p, part[p] ? mine : theirs, y);
        else
            ifd__distributed_add(c, p, ifd__distributed_block(c, &one, p), y);
}

/* On the coarse side. */
static bool job_sum(ifd__coupled *c, ifd__interface *I, const ifd__views *at, double *y)
{
    const ranks *r = ((ifd__parallel_coupling *)c->data)->ranks;
    bool ok = r->stage == 0 || share_side(c, I, at, r->coarse, r->coarse_others);
    add_all(c, r->coarse, r->stage == 0 ? STAGE_0 : -1, r->stage == 0 ? STAGE_0 : STAGE_1, y);
    return ok;
}

bool ifd__parallel_fine_sum(ifd__coupled *c, ifd__interface *I, const ifd__views *at, double *y)
{
    const ranks *r = ((ifd__parallel_coupling *)c->data)->ranks;
    bool ok = r->instant == 0 || share_side(c, I, at, r->fine, r->fine_others);
    add_all(c, r->fine, r->instant == 0 ? FINE_0 : -1, COARSE_AT + r->instant, y);
    return ok;
}
