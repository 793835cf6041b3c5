/* SPDX-License-Identifier: MIT */
/* The columns of a test: their list at set-up. */
#include "hybrid/columns.h"

#include "hybrid/chain/effective_force.h"
#include "hybrid/units.h"

static ifd_status add(ifd_hybrid *h, ifd_arena *arena, const void *self, const ifd__column_set *set)
{
    for (int i = 0; i < set->rows; i++, h->columns++) {
        const ifd__column_row *row = &set->row[i];
        if (!arena)
            continue;
        h->column_source[h->columns] = (ifd__column_source){.value = row->value,
                                                            .io = &h->io,
                                                            .self = self,
                                                            .block = set->block,
                                                            .index = row->value ? set->index : row->member,
                                                            .steps = set->steps};
        IFD_TRY(ifd_column_make(arena, set->owner, row->quantity, 0, set->rotates, &h->column[h->columns]));
    }
    return IFD_OK;
}

ifd_status ifd__columns_add(ifd_hybrid *h, ifd_arena *arena, const ifd__column_set *set)
{
    return add(h, arena, h, set);
}

int ifd__columns_next(const ifd__unit_columns *to)
{
    return to->test->columns;
}

ifd_status ifd__columns_of_unit(const ifd__unit_columns *to, const ifd__column_set *set)
{
    return add(to->test, to->arena, to->data, set);
}

ifd_status ifd__columns_of_interfaces(const ifd__unit_columns *to, const void *block, int apart,
                                      const ifd__column_row *row, int rows)
{
    for (int k = 0; k < to->io->f->interfaces; k++) {
        const ifd__column_set set = {.owner = to->io->f->interface[k].o->name,
                                     .block = block ? (const double *)block + k * apart : NULL,
                                     .index = k,
                                     .row = row,
                                     .rows = rows};
        IFD_TRY(ifd__columns_of_unit(to, &set));
    }
    return IFD_OK;
}

enum { MOST_DOFS = 50 };

static int dofs_of(const ifd_hybrid *h)
{
    int dofs = 0;
    for (int p = 0; p < h->numerical.models; p++)
        dofs += h->numerical.model[p].m->n;
    return dofs;
}

/* All dofs of a small model; the requested dofs of a large one. */
static bool is_shown(const ifd_hybrid *h, int dof)
{
    bool shown = dofs_of(h) <= MOST_DOFS;
    for (int i = 0; i < h->opt.dofs && !shown; i++)
        shown = h->opt.dof[i] == dof;
    return shown;
}

/* A massless dof follows from the state at the end of the last complete step. */
static double first_order(const ifd_hybrid *h, int number)
{
    const ifd__numerical_model *b = h->numerical.model;
    for (; number >= b->m->ngone; b++)
        number -= b->m->ngone;
    const double *u = h->x + b->at;
    return ifd__model_gone(b->m, number, h->numerical.step * h->test->step, u, u + 2 * b->m->n);
}

double ifd__columns_shown(const ifd_hybrid *h, int i)
{
    return h->shown[i] >= 0 ? h->x[h->shown[i]] : first_order(h, -1 - h->shown[i]);
}

static double shown(const ifd__column_source *source)
{
    return ifd__columns_shown(source->self, source->index);
}

/* Adds a computed value at `at` (as in `shown`), and its column unless it belongs to the response. */
static ifd_status show(ifd_hybrid *h, ifd_arena *arena, int at, const char *owner, ifd_quantity quantity,
                       bool rotates)
{
    const ifd__column_row row = {quantity, 0, shown};
    if (arena)
        h->shown[h->shows] = at;
    int i = h->shows++;
    const ifd__column_set set = {
        .owner = owner, .index = i, .rotates = rotates, .steps = true, .row = &row, .rows = !h->local};
    return ifd__columns_add(h, arena, &set);
}

static ifd_status show_displacement(ifd_hybrid *h, ifd_arena *arena, int at, const char *part, const char *dof,
                                    ifd_dof_kind kind)
{
    const char *owner = part && arena ? ifd_arena_print(arena, "%s.%s", part, dof) : dof;
    bool rotates = kind > IFD_DOF_Z && kind != IFD_DOF_DEFORMATION;
    return owner ? show(h, arena, at, owner, IFD_COLUMN_DISPLACEMENT, rotates) : IFD_NO_MEMORY;
}

static ifd_status show_displacements(ifd_hybrid *h, ifd_arena *arena)
{
    for (int p = 0, dof = 0; p < h->numerical.models; p++) {
        const ifd__numerical_model *b = &h->numerical.model[p];
        for (int i = 0; i < b->m->n; i++, dof++)
            if (is_shown(h, dof))
                IFD_TRY(show_displacement(h, arena, b->at + i, b->name, b->m->dof_name[i], b->m->dof_kind[i]));
    }
    for (int p = 0, number = 0; p < h->numerical.models; p++) { /* slaves of ties, and first-order states */
        const ifd__numerical_model *b = &h->numerical.model[p];
        for (int i = 0; i < b->m->ngone; i++, number++)
            if (ifd__model_gone_recorded(b->m, i) && is_shown(h, IFD__RECORD_GONE + number))
                IFD_TRY(show_displacement(h, arena, -1 - number, b->name, b->m->gone[i], b->m->gone_kind[i]));
    }
    h->moves = h->shows;
    return IFD_OK;
}

/* Without a recorded response: displacements at the ends of steps, and the targets of another program. */
static ifd_status step_columns(ifd_hybrid *h, ifd_arena *arena)
{
    int first = h->columns;
    IFD_TRY(show_displacements(h, arena));
    h->step_columns = h->columns - first;
    h->step_values = arena ? h->values + first : NULL;
    return h->pace->targets ? h->pace->targets(h, arena) : IFD_OK;
}

static ifd_status all_columns(ifd_hybrid *h, ifd_arena *arena)
{
    h->columns = h->shows = 0;
    IFD_TRY(ifd__tick_columns(h, arena));
    IFD_TRY(ifd__exchange_columns(h, arena));
    IFD_TRY(ifd__drives_columns(h, arena));
    IFD_TRY(ifd__rigs_columns(h, arena));
    IFD_TRY(step_columns(h, arena));
    IFD_TRY(ifd__units_columns(h, arena));
    IFD_TRY(ifd__push_columns(h, arena));
    return h->pace->columns ? h->pace->columns(h, arena) : IFD_OK;
}

ifd_status ifd__columns_make(ifd_hybrid *h, ifd_arena *arena)
{
    IFD_TRY(all_columns(h, NULL)); /* counts */
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(h->column, h->columns), IFD__ARRAY(h->values, h->columns),
                      IFD__ARRAY(h->column_source, h->columns), IFD__ARRAY(h->shown, h->shows)));
    return all_columns(h, arena);
}
