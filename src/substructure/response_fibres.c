/* SPDX-License-Identifier: MIT */
/* Columns of sections and fibres, and of factors in single precision; members that turn. */
#include "substructure/response_fibres.h"

#include <string.h>

#include "base/arena.h"
#include "model/element/large_member.h"
#include "model/equilibrium/relax.h"
#include "model/fibre/element.h"

bool ifd__frame_names(const ifd_recorded_frame *f, const char *member)
{
    int i = 0;
    while (f->name && i < f->names && strcmp(f->name[i], member) != 0)
        i++;
    return !f->name || i < f->names;
}

/* The same for the frames of a model. */
static bool names(const ifd__response *r, int p, const char *member)
{
    const char *part = r->model[p].name;
    bool some = !r->opt.frame;
    for (const ifd_recorded_frame *f = r->opt.frame; f; f = f->next)
        some = some || ((!f->part || (part && strcmp(part, f->part) == 0)) && ifd__frame_names(f, member));
    return some;
}

bool ifd__fibres_recorded(const ifd__response *r, int p, int e)
{
    const unsigned some = IFD_RECORD_MEMBERS | IFD_RECORD_SECTIONS | IFD_RECORD_FIBRES;
    const ifd_element *of = &r->model[p].m->element[e];
    return ifd__fibre_member_of(of) &&
           (r->opt.what & IFD_RECORD_ELEMENTS || (r->opt.what & some && names(r, p, of->name)));
}

static ifd_status section_columns(ifd__response *r, ifd_arena *arena, const ifd__response_fibres *of, int point)
{
    static const ifd_quantity deformation[] = {IFD_COLUMN_SECTION_STRAIN, IFD_COLUMN_SECTION_CURVATURE},
                              force[] = {IFD_COLUMN_SECTION_FORCE, IFD_COLUMN_SECTION_MOMENT};
    const ifd__response_model *b = &r->model[of->model];
    const ifd__fibre_member *f = ifd__fibre_member_of(&b->m->element[of->element]);
    int size = f->section->size, at = b->at + 2 * b->m->n + b->m->s_of[of->element] + ifd__fibre_point(f, point);
    const char *name = ifd__response_owner(arena, b, b->m->element[of->element].name),
               *owner = name ? ifd_arena_print(arena, "%s.%d", name, point + 1) : NULL;
    for (int k = 0; k < 2 * size; k++) {
        int a = k % size;
        r->place[r->columns] =
            k < size ? (ifd__column_place){.model = of->model, .index = at + a}
                     : (ifd__column_place){.model = of->model, .index = of->force + point * size + a, .gauged = true};
        if (!owner)
            return IFD_NO_MEMORY;
        IFD_TRY(ifd_column_make(arena, owner, (k < size ? deformation : force)[a > 0], size > 2 && a > 0 ? a : 0,
                                false, &r->column[r->columns++]));
    }
    return IFD_OK;
}

/* Strain and stress of the fibres of a point, "column.1.12": the first numbers of their memory. */
static ifd_status stress_columns(ifd__response *r, ifd_arena *arena, const ifd__response_fibres *of, int point)
{
    const ifd__response_model *b = &r->model[of->model];
    const ifd__fibre_member *f = ifd__fibre_member_of(&b->m->element[of->element]);
    const char *name = ifd__response_owner(arena, b, b->m->element[of->element].name);
    int at = b->at + 2 * b->m->n + b->m->s_of[of->element] + ifd__fibre_point(f, point + 1) - f->section->states;
    for (int j = 0; j < f->section->fibres; j++) {
        const char *owner = name ? ifd_arena_print(arena, "%s.%d.%d", name, point + 1, j + 1) : NULL;
        for (int k = 0; k < 2; k++)
            IFD_TRY(ifd__response_column(r, arena, owner, k ? IFD_COLUMN_FIBRE_STRESS : IFD_COLUMN_FIBRE_STRAIN,
                                         false, (ifd__column_place){.model = of->model, .index = at + k}));
        at += ifd__fibre_states(&f->section->law[f->section->fibre[j].law]);
    }
    return IFD_OK;
}

ifd_status ifd__fibre_columns(ifd__response *r, ifd_arena *arena)
{
    for (int i = 0; i < r->fibred; i++) {
        const ifd__response_fibres *of = &r->fibres[i];
        const ifd__response_model *b = &r->model[of->model];
        const ifd__fibre_member *f = ifd__fibre_member_of(&b->m->element[of->element]);
        const char *name = ifd__response_owner(arena, b, b->m->element[of->element].name);
        bool named = names(r, of->model, b->m->element[of->element].name);
        for (int d = 0; r->opt.what & (IFD_RECORD_ELEMENTS | IFD_RECORD_MEMBERS) && d < ifd__fibre_basic(f); d++) {
            r->place[r->columns] =
                (ifd__column_place){.model = of->model, .index = of->remainder + d, .gauged = true};
            IFD_TRY(name ? ifd_column_make(arena, name, IFD_COLUMN_MEMBER_REMAINDER, d + 1, d > 0,
                                           &r->column[r->columns++])
                         : IFD_NO_MEMORY);
        }
        for (int p = 0; named && r->opt.what & IFD_RECORD_SECTIONS && p < f->points; p++)
            IFD_TRY(section_columns(r, arena, of, p));
        for (int p = 0; named && r->opt.what & IFD_RECORD_FIBRES && p < f->points; p++)
            IFD_TRY(stress_columns(r, arena, of, p));
    }
    return IFD_OK;
}

size_t ifd__fibre_columns_most(const ifd__response *r)
{
    size_t most = 0;
    for (int i = 0; i < r->fibred; i++) {
        const ifd__fibre_member *f =
            ifd__fibre_member_of(&r->model[r->fibres[i].model].m->element[r->fibres[i].element]);
        most += IFD__BASIC + (size_t)f->points * (2 * IFD__SECTION_FORCES + 2 * (size_t)f->section->fibres);
    }
    return most;
}

bool ifd__has_column(const ifd__response *r, const ifd_element *e, ifd_quantity what)
{
    const ifd_element_ops *ops = e->ops;
    if ((ifd__fibre_member_of(e) || ifd__large_member_of(e)) &&
        (what == IFD_COLUMN_ELEMENT_STATE || r->opt.what & IFD_RECORD_MEMBERS))
        return false;
    bool fibres = what == IFD_COLUMN_ELEMENT_STATE && ops->flags & IFD_ELEMENT_FIBRES;
    return ops != &ifd__relaxation && (!fibres || r->opt.what & IFD_RECORD_STATES);
}

int ifd__large_element(const ifd_model *m, const char *name)
{
    for (int e = 0; e < m->ne; e++)
        if (ifd__large_member_of(&m->element[e]) && strcmp(m->element[e].name, name) == 0)
            return e;
    return -1;
}

void ifd__large_gauges(const ifd__response *r)
{
    for (int i = 0; i < r->members; i++) {
        const ifd__response_member *out = &r->member[i];
        const ifd__response_model *b = &r->model[out->model];
        if (out->large < 0)
            continue;
        int at = b->m->q_of[out->large];
        ifd__large_member_ends(&b->m->element[out->large], b->q + at, b->r + at, r->gauge.now + out->deformation,
                               r->gauge.now + out->force);
    }
}

/* Model that owns offset `at` of the state. */
static const char *owner_at(const ifd__response *r, int at)
{
    int owner = 0;
    for (int p = 1; p < r->s->models; p++)
        if (r->model[p].at <= at && r->model[p].at > r->model[owner].at)
            owner = p;
    return r->s->models > 1 ? r->model[owner].name : "model";
}

/* Of every factor in single precision. */
ifd_status ifd__factor_columns(ifd__response *r, ifd_arena *arena)
{
    for (int k = 0; k < r->s->rows; k++) {
        const ifd_state_row *row = &r->s->row[k];
        if (strcmp(row->name, IFD__LAST_ROW) == 0)
            IFD_TRY(ifd__response_column(r, arena, owner_at(r, row->offset), IFD_COLUMN_FACTOR_RESIDUAL, false,
                                         (ifd__column_place){.index = row->offset + IFD__LAST_RESIDUAL}));
    }
    return IFD_OK;
}
