/* SPDX-License-Identifier: MIT */
/* Which process steps which substructure, and what they exchange. */
#include "couple/distributed.h"

#include <string.h>

static int columns_of(const ifd__distributed *d, const ifd__exchange *e, int p)
{
    return e->columns < 0 ? d->own_rows[p] - 1 - e->columns : e->columns;
}

static int size_of(const ifd__distributed *d, const ifd__exchange *e, int p)
{
    return e->extra + columns_of(d, e, p) * d->own_rows[p];
}

/* Numbers of substructure p that rank 0 needs for the record. */
static int recorded(const ifd__coupled *c, int p)
{
    const ifd_ranks *to = c->distributed->to;
    const ifd_model *m = c->member[p].model;
    int count = 0, first = 0;
    if (to->whole)
        return 2 * m->n + m->ns;
    for (int i = 0; i < p; i++)
        first += c->member[i].model->n;
    for (int i = 0; i < to->dofs; i++)
        count += to->dof[i] >= first && to->dof[i] < first + m->n;
    return 2 * count;
}

static bool joins(const ifd_joint *joint, int p)
{
    for (int k = 0; k < joint->terms; k++)
        if (joint->term[k].part == p && joint->term[k].coefficient != 0.0)
            return true;
    return false;
}

static ifd_status find_rows(ifd_arena *arena, const ifd_couple_options *opt, ifd__distributed *d)
{
    for (int p = 0; p < opt->parts; p++) {
        d->own[p] = ifd_arena_array(arena, (size_t)opt->joints + 1, sizeof **d->own);
        if (!d->own[p])
            return IFD_NO_MEMORY;
        for (int row = 0; row < opt->joints; row++)
            if (joins(&opt->joint[row], p))
                d->own[p][d->own_rows[p]++] = row;
    }
    return IFD_OK;
}

ifd_status ifd__distributed_room(ifd_arena *arena, ifd__coupled *c, const ifd__exchange *e)
{
    ifd__distributed *d = c->distributed;
    size_t room = 1;
    for (int p = 0; p < c->parts; p++)
        room += (size_t)size_of(d, e, p);
    if (room <= d->room)
        return IFD_OK;
    d->room = room;
    return IFD__TAKE(arena, IFD__ARRAY(d->block, room));
}

ifd_status ifd__distributed_make(ifd_arena *arena, const ifd_couple_options *opt, ifd__coupled *c, ifd_note *note)
{
    ifd__distributed *d;
    size_t parts = (size_t)opt->parts, states = 1;
    for (int p = 0; p < opt->parts; p++)
        if (opt->part[p].measured)
            return ifd_note_add(note, IFD_UNSUPPORTED, &opt->part[p].place,
                                "substructure '%s' has a specimen: it cannot be distributed over processes",
                                opt->part[p].name);
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    d->to = opt->ranks;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d->owner, parts), IFD__ARRAY(d->own_rows, parts), IFD__ARRAY(d->own, parts),
                      IFD__ARRAY(d->counts, d->to->ranks), IFD__ARRAY(d->member, d->to->ranks)));
    c->distributed = d;
    IFD_TRY(find_rows(arena, opt, d));
    for (int p = 0; p < opt->parts; p++) {
        d->owner[p] = ifd__rank_of(p, opt->parts, d->to->ranks);
        states += (size_t)recorded(c, p);
    }
    IFD_TRY(ifd__distributed_room(arena, c, &(ifd__exchange){.extra = 2, .columns = -2}));
    return IFD__TAKE(arena, IFD__ARRAY(d->gathered, states));
}

double *ifd__distributed_block(const ifd__coupled *c, const ifd__exchange *e, int p)
{
    double *at = c->distributed->block;
    for (int i = 0; i < p; i++)
        at += size_of(c->distributed, e, i);
    return at;
}

bool ifd__distributed_share(ifd__coupled *c, const ifd__exchange *e)
{
    ifd__distributed *d = c->distributed;
    memset(d->counts, 0, sizeof *d->counts * (size_t)d->to->ranks);
    for (int p = 0; p < c->parts; p++)
        d->counts[d->owner[p]] += size_of(d, e, p);
    d->broken = d->broken || !d->to->share(d->to->self, d->counts, d->block);
    return !d->broken;
}

bool ifd__distributed_among(ifd__coupled *c, const ifd__exchange *e, const bool *part)
{
    ifd__distributed *d = c->distributed;
    memset(d->counts, 0, sizeof *d->counts * (size_t)d->to->ranks);
    memset(d->member, 0, sizeof *d->member * (size_t)d->to->ranks);
    for (int p = 0; p < c->parts; p++) {
        d->counts[d->owner[p]] += size_of(d, e, p);
        d->member[d->owner[p]] = d->member[d->owner[p]] || part[p];
    }
    d->broken = d->broken || !d->to->among(d->to->self, d->member, d->counts, d->block);
    return !d->broken;
}

void ifd__distributed_pick(const ifd__coupled *c, int p, const double *y, double *block)
{
    const ifd__distributed *d = c->distributed;
    for (int k = 0; k < d->own_rows[p]; k++)
        block[k] = y[d->own[p][k]];
}

void ifd__distributed_rows(const ifd__coupled *c, int p, const double *x, double *block, double *scratch)
{
    memset(scratch, 0, sizeof *scratch * (size_t)c->I.rows);
    ifd__interface_gap(&c->I, p, x, scratch);
    ifd__distributed_pick(c, p, scratch, block);
}

void ifd__distributed_add(const ifd__coupled *c, int p, const double *block, double *y)
{
    const ifd__distributed *d = c->distributed;
    for (int k = 0; k < d->own_rows[p]; k++)
        y[d->own[p][k]] += block[k];
}

/* Adds blocks of own rows x own rows to a matrix, in the order of the substructures. */
static void add_square(const ifd__coupled *c, const ifd__exchange *e, int p, int first, double *H)
{
    const ifd__distributed *d = c->distributed;
    const double *block = ifd__distributed_block(c, e, p) + e->extra + (ptrdiff_t)first * d->own_rows[p];
    for (int k = 0; k < d->own_rows[p]; k++)
        ifd__distributed_add(c, p, block + (ptrdiff_t)k * d->own_rows[p],
                             H + (size_t)d->own[p][k] * (size_t)c->I.rows);
}

void ifd__distributed_column(const ifd__coupled *c, const ifd__interface *I, int p, int row, const double *x)
{
    const ifd__distributed *d = c->distributed;
    const ifd__exchange e = {.columns = -1};
    for (int k = 0; k < d->own_rows[p]; k++)
        if (d->own[p][k] == row)
            ifd__distributed_rows(c, p, x, ifd__distributed_block(c, &e, p) + (ptrdiff_t)k * d->own_rows[p], I->term);
}

bool ifd__distributed_inertia(ifd__coupled *c, ifd__interface *I)
{
    const ifd__exchange e = {.columns = -1};
    size_t square = (size_t)I->rows * (size_t)I->rows;
    bool ok = ifd__distributed_share(c, &e);
    memset(I->H0, 0, sizeof(double) * square);
    if (I->inertial)
        memset(I->H, 0, sizeof(double) * square);
    for (int p = 0; p < c->parts; p++) {
        add_square(c, &e, p, 0, I->H0);
        if (I->inertial && !I->part[p].m->inertial)
            add_square(c, &e, p, 0, I->H);
    }
    return ok;
}

bool ifd__distributed_sum(ifd__coupled *c, ifd__interface *I, const ifd__views *at, double *y)
{
    const ifd__distributed *d = c->distributed;
    const ifd__exchange e = {.extra = 1, .columns = I->inertial ? -2 : 1};
    size_t square = (size_t)I->rows * (size_t)I->rows;
    for (int p = 0; p < c->parts; p++) {
        double *block = ifd__distributed_block(c, &e, p);
        if (I->part[p].away)
            continue;
        if (I->inertial)
            memset(I->Hnow, 0, sizeof(double) * square);
        block[0] = ifd__interface_term(I, p, at, I->term);
        ifd__distributed_pick(c, p, I->term, block + 1);
        for (int k = 0; I->inertial && k < d->own_rows[p]; k++)
            ifd__distributed_pick(c, p, I->Hnow + (size_t)d->own[p][k] * (size_t)I->rows,
                                  block + 1 + (ptrdiff_t)(k + 1) * d->own_rows[p]);
    }
    bool ok = ifd__distributed_share(c, &e);
    memset(y, 0, sizeof(double) * (size_t)I->rows);
    if (I->inertial)
        memcpy(I->Hnow, I->H, sizeof(double) * square);
    for (int p = 0; p < c->parts; p++) {
        const double *block = ifd__distributed_block(c, &e, p);
        ok = block[0] != 0.0 && ok;
        ifd__distributed_add(c, p, block + 1, y);
        if (I->inertial)
            add_square(c, &e, p, 1, I->Hnow);
    }
    return ok;
}

bool ifd__distributed_gap(ifd__coupled *c, const int *at, int derivative, const double *x, double *gap)
{
    const ifd__exchange e = {.columns = 1};
    for (int p = 0; p < c->parts; p++)
        if (ifd__coupled_mine(c, p))
            ifd__distributed_rows(c, p, x + (at ? at[p] : c->member[p].at) + derivative * c->member[p].model->n,
                                  ifd__distributed_block(c, &e, p), c->I.term);
    bool ok = ifd__distributed_share(c, &e);
    memset(gap, 0, sizeof(double) * (size_t)c->I.rows);
    for (int p = 0; p < c->parts; p++)
        ifd__distributed_add(c, p, ifd__distributed_block(c, &e, p), gap);
    return ok;
}

/* Copies the recorded numbers of substructure p between its state y and the list; returns their number. */
static int copy_recorded(const ifd__coupled *c, int p, double *y, double *list, bool into)
{
    const ifd_ranks *to = c->distributed->to;
    const ifd_model *m = c->member[p].model;
    int first = 0, at = 0;
    if (to->whole) {
        size_t bytes = sizeof *y * (size_t)(2 * m->n + m->ns);
        memcpy(into ? y : list, into ? list : y, bytes);
        return 2 * m->n + m->ns;
    }
    for (int i = 0; i < p; i++)
        first += c->member[i].model->n;
    for (int i = 0; i < to->dofs; i++) {
        int dof = to->dof[i] - first;
        for (int k = 0; k < 2 && dof >= 0 && dof < m->n; k++, at++)
            *(into ? &y[dof + k * m->n] : &list[at]) = into ? list[at] : y[dof + k * m->n];
    }
    return at;
}

void ifd__distributed_gather(ifd__coupled *c, double *x)
{
    ifd__distributed *d = c->distributed;
    double *at = d->gathered;
    memset(d->counts, 0, sizeof *d->counts * (size_t)d->to->ranks);
    for (int p = 0; p < c->parts; p++) {
        int count = recorded(c, p);
        d->counts[d->owner[p]] += count;
        if (ifd__coupled_mine(c, p))
            copy_recorded(c, p, x + c->member[p].at, at, false);
        at += count;
    }
    d->broken = d->broken || !d->to->gather(d->to->self, d->counts, d->gathered);
    at = d->gathered;
    for (int p = 0; p < c->parts && d->to->rank == 0 && !d->broken; p++)
        at += copy_recorded(c, p, x + c->member[p].at, at, true);
    if (d->broken)
        ifd__raise(&x[c->fault], IFD_STEP_LATE);
}
