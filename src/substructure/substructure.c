/* SPDX-License-Identifier: MIT */
/* Makes and ends a numerical substructure of any kind. */
#include "substructure/substructure.h"

#include <string.h>

#include "base/arena.h"
#include "model/dof_pair.h"

/* Links specimens to dofs of the computed structure. */

static bool linked(const ifd_rts_options *rts, int first, int part, int dof)
{
    for (int l = first; l < rts->links; l++)
        if (rts->link[l].leader == part && rts->link[l].dof == dof)
            return true;
    return false;
}

static ifd_status add_links(ifd_arena *arena, const ifd_couple_options *opt, int count,
                            const ifd__specimen_link *specimen, ifd_couple_options *out)
{
    ifd_rts_options *rts = ifd_arena_take(arena, sizeof *rts);
    int first = opt->rts->links;
    int ends = 0;
    for (int k = 0; k < count; k++)
        ends += ifd__ends_count(IFD__ENDS(&specimen[k]));
    ifd_rts_link *link = ifd_arena_array(arena, (size_t)first + (size_t)ends, sizeof *link);
    if (!rts || !link)
        return IFD_NO_MEMORY;
    *rts = *opt->rts;
    memcpy(link, rts->link, sizeof *link * (size_t)first);
    rts->link = link;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < ifd__ends_count(IFD__ENDS(&specimen[k])); i++) {
            double c;
            int dof = ifd__end(IFD__ENDS(&specimen[k]), i, &c);
            if (dof >= 0 && !linked(rts, first, specimen[k].part, dof))
                link[rts->links++] = (ifd_rts_link){.name = "specimen",
                                                    .leader = specimen[k].part,
                                                    .dof = dof,
                                                    .follower = IFD_RTS_SPECIMEN,
                                                    .place = opt->place};
        }
    out->rts = rts;
    return IFD_OK;
}

ifd_status ifd__couple_linked(ifd_arena *arena, const ifd_couple_options *opt, int count,
                              const ifd__specimen_link *specimen, ifd_couple_options *out, ifd_note *note)
{
    ifd_part_options *part;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(part, opt->parts)));
    memcpy(part, opt->part, sizeof *part * (size_t)opt->parts);
    for (int p = 0; p < opt->parts; p++)
        part[p].measured = false;
    for (int k = 0; k < count; k++) {
        if (specimen[k].part < 0 || specimen[k].part >= opt->parts)
            return ifd_note_add(note, IFD_UNKNOWN_NAME, NULL,
                                "a specimen acts on substructure %d, which does not exist", specimen[k].part);
        part[specimen[k].part].measured = true;
    }
    *out = *opt;
    out->part = part;
    return opt->rts && count ? add_links(arena, opt, count, specimen, out) : IFD_OK;
}

ifd_status ifd__numerical_models(ifd_arena *arena, ifd__substructure *s, int models)
{
    s->models = models;
    s->model = ifd_arena_array(arena, (size_t)models, sizeof *s->model);
    return s->model ? IFD_OK : IFD_NO_MEMORY;
}

ifd_status ifd__substructure_room(ifd_arena *arena, ifd__substructure *s)
{
    for (int p = 0; p < s->models; p++) {
        ifd__numerical_model *model = &s->model[p];
        size_t n = (size_t)model->m->n;
        if (!model->measured)
            continue;
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(model->load, n), IFD__ARRAY(model->u, n), IFD__ARRAY(model->v, n)));
    }
    return IFD_OK;
}

ifd_status ifd__substructure_make(ifd_arena *arena, const ifd__substructure_options *opt, ifd__substructure *s,
                                  ifd_note *note)
{
    *s = (ifd__substructure){.period = 1};
    IFD_TRY((opt->couple ? ifd__substructure_coupled : ifd__substructure_model)(arena, opt, s, note));
    return ifd__substructure_room(arena, s);
}

double ifd__ends_mass(const ifd_model *m, ifd__ends ends)
{
    double inverse = 0.0;
    for (int i = ifd__ends_count(ends) - 1; i >= 0; i--) {
        double c;
        int dof = ifd__end(ends, i, &c);
        if (dof >= 0)
            inverse += c * c / ifd__sparse_get(&m->M, dof, dof);
    }
    return 1.0 / inverse;
}

void ifd__substructure_unload(const ifd__substructure *s)
{
    for (int p = 0; p < s->models; p++)
        if (s->model[p].measured)
            memset(s->model[p].load, 0, sizeof(double) * (size_t)s->model[p].m->n);
}

ifd_fault ifd__fault_of_step(ifd_step_fault fault)
{
    static const ifd_fault of[] = {[IFD_STEP_OK] = IFD_FAULT_NONE,
                                   [IFD_STEP_SINGULAR] = IFD_FAULT_SINGULAR,
                                   [IFD_STEP_ITERATIONS] = IFD_FAULT_ITERATIONS,
                                   [IFD_STEP_SOLVER] = IFD_FAULT_SOLVER,
                                   [IFD_STEP_LATE] = IFD_FAULT_LATE,
                                   [IFD_STEP_TANGENT] = IFD_FAULT_TANGENT,
                                   [IFD_STEP_PRECISION] = IFD_FAULT_PRECISION,
                                   [IFD_STEP_LENGTH] = IFD_FAULT_LENGTH,
                                   [IFD_STEP_ROTATION] = IFD_FAULT_ROTATION,
                                   [IFD_STEP_WORK] = IFD_FAULT_WORK};
    return of[fault];
}

double ifd__substructure_residual(const ifd__substructure *s, const double *x)
{
    double most = 0.0;
    for (int p = 0; p < s->models; p++) {
        const ifd_model *m = s->model[p].m;
        for (int e = 0; m && e < m->ne; e++) {
            const ifd_element *el = &m->element[e];
            double left = el->ops->residual ? el->ops->residual(el, x + s->model[p].at + 2 * m->n + m->s_of[e]) : 0.0;
            most = left > most ? left : most;
        }
    }
    return most;
}

void ifd__substructure_close(ifd__substructure *s)
{
    ifd__coupled_close(s->coupled);
}
