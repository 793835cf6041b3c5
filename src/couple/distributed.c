/* SPDX-License-Identifier: MIT */
#include "couple/distributed.h"

#include <string.h>

static int columns_of(const ifd__distributed *d, const ifd__exchange *e, int p)
{
    return e->columns < 0 ? d->own_rows[p] : e->columns;
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

static ifd_status find_rows(ifd_arena *arena, const ifd__coupled *c, ifd__distributed *d)
{
    for (int p = 0; p < c->parts; p++) {
        const int *start = c->I.part[p].G.start;
        d->own[p] = ifd_arena_array(arena, (size_t)c->I.rows + 1, sizeof **d->own);
        if (!d->own[p])
            return IFD_NO_MEMORY;
        for (int row = 0; row < c->I.rows; row++)
            if (start[row + 1] > start[row])
                d->own[p][d->own_rows[p]++] = row;
    }
    return IFD_OK;
}

ifd_status ifd__distributed_make(ifd_arena *arena, const ifd_couple_options *opt, ifd__coupled *c, ifd_note *note)
{
    ifd__distributed *d;
    size_t parts = (size_t)opt->parts, room = 1, states = 1;
    for (int p = 0; p < opt->parts; p++)
        if (opt->part[p].measured)
            return ifd_note_add(note, IFD_UNSUPPORTED, &opt->part[p].place,
                                "substructure '%s' has a specimen: it cannot be distributed over processes",
                                opt->part[p].name);
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    d->to = opt->ranks;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d->owner, parts), IFD__ARRAY(d->own_rows, parts), IFD__ARRAY(d->own, parts),
                      IFD__ARRAY(d->counts, d->to->ranks)));
    c->distributed = d;
    IFD_TRY(find_rows(arena, c, d));
    for (int p = 0; p < opt->parts; p++) {
        d->owner[p] = (int)((long)p * d->to->ranks / opt->parts);
        room += (size_t)size_of(d, &(ifd__exchange){2, -1}, p);
        room += (size_t)size_of(d, &(ifd__exchange){2, 1}, p);
        states += (size_t)recorded(c, p);
    }
    return IFD__TAKE(arena, IFD__ARRAY(d->block, room), IFD__ARRAY(d->gathered, states));
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

void ifd__distributed_rows(const ifd__coupled *c, int p, const double *x, double *block, double *scratch)
{
    const ifd__distributed *d = c->distributed;
    memset(scratch, 0, sizeof *scratch * (size_t)c->I.rows);
    ifd__interface_gap(&c->I, p, x, scratch);
    for (int k = 0; k < d->own_rows[p]; k++)
        block[k] = scratch[d->own[p][k]];
}

void ifd__distributed_add(const ifd__coupled *c, int p, const double *block, double *y)
{
    const ifd__distributed *d = c->distributed;
    for (int k = 0; k < d->own_rows[p]; k++)
        y[d->own[p][k]] += block[k];
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
