/* SPDX-License-Identifier: MIT */
/* Assembles specimens that connect several substructures into one structure. */
#include "couple/assemble_links.h"

#include "model/build/derive.h"
#include "model/reaction.h"
#include "model/equilibrium/release.h"

typedef struct linking {
    ifd_arena *arena, *scratch;
    const ifd_couple_options *opt;
    int n;      /* number of dofs of all substructures */
    int *first; /* first dof of each substructure */
    const ifd_model **substructure;
    const char **name; /* of each substructure */
    const char **dof_name;
    ifd_dof_kind *kind;
    double *u0, *v0;
    ifd_note *note;
} linking;

/* Substructure p with its linked supports released, in the order of links. */
static ifd_status release_part(linking *a, int p)
{
    const ifd_rts_options *rts = a->opt->rts;
    const ifd_model *m = a->opt->part[p].model;
    int count = 0, *support = ifd_arena_array(a->scratch, (size_t)rts->links, sizeof *support);
    ifd_model *copy = ifd_arena_take(a->arena, sizeof *copy);
    if (!support || !copy)
        return IFD_NO_MEMORY;
    *copy = *m;
    for (int l = 0; l < rts->links; l++)
        if (rts->link[l].follower == p) {
            const ifd_rts_link *link = &rts->link[l];
            support[count++] = link->support;
            IFD_TRY(ifd__model_share_ground(a->arena, copy, link->support,
                                            a->opt->part[link->leader].model->dof_kind[link->dof]));
        }
    a->substructure[p] = m;
    if (!count)
        return IFD_OK;
    IFD_TRY(ifd__model_reaction_check(m, a->opt->part[p].name, a->note));
    ifd_model *released;
    IFD_TRY(ifd__model_release(a->arena, copy, count, support, &released));
    a->substructure[p] = released;
    return IFD_OK;
}

/* Maps every dof to a dof of the whole structure; a released support maps to the dof that moves it. */
static ifd_status map(const linking *a, ifd__rows *T)
{
    const ifd_couple_options *opt = a->opt;
    int at = 0, rows = a->n + opt->rts->links;
    IFD_TRY(ifd__rows_take(a->arena, rows, (size_t)rows, T));
    for (int p = 0; p < opt->parts; p++) {
        for (int i = 0; i < opt->part[p].model->n; i++)
            T->column[at++] = a->first[p] + i;
        for (int l = 0; l < opt->rts->links; l++)
            if (opt->rts->link[l].follower == p)
                T->column[at++] = a->first[opt->rts->link[l].leader] + opt->rts->link[l].dof;
    }
    T->count = at;
    for (int i = 0; i < at; i++) {
        T->start[i + 1] = i + 1;
        T->value[i] = 1.0;
    }
    return IFD_OK;
}

static ifd_status describe(linking *a)
{
    for (int p = 0; p < a->opt->parts; p++) {
        const ifd_model *m = a->opt->part[p].model;
        a->name[p] = a->opt->part[p].name;
        for (int i = 0; i < m->n; i++) {
            int z = a->first[p] + i;
            a->dof_name[z] =
                *a->name[p] ? ifd_arena_print(a->arena, "%s.%s", a->name[p], m->dof_name[i]) : m->dof_name[i];
            if (!a->dof_name[z])
                return IFD_NO_MEMORY;
            a->kind[z] = m->dof_kind[i];
            a->u0[z] = m->u0[i];
            a->v0[z] = m->v0[i];
        }
        IFD_TRY(release_part(a, p));
    }
    return IFD_OK;
}

static ifd_status assemble(linking *a, ifd_assembly *out)
{
    const ifd_couple_options *opt = a->opt;
    size_t parts = (size_t)opt->parts;
    a->first = ifd_arena_array(a->scratch, parts + 1, sizeof *a->first);
    if (!a->first)
        return IFD_NO_MEMORY;
    for (int p = 0; p < opt->parts; p++)
        a->first[p + 1] = a->first[p] + opt->part[p].model->n;
    a->n = a->first[opt->parts];
    size_t n = (size_t)a->n;
    ifd__rows own;
    IFD_TRY(IFD__TAKE(a->scratch, IFD__ARRAY(a->substructure, parts), IFD__ARRAY(a->name, parts)));
    IFD_TRY(IFD__TAKE(a->arena, IFD__ARRAY(a->dof_name, n), IFD__ARRAY(a->kind, n), IFD__ARRAY(a->u0, n),
                      IFD__ARRAY(a->v0, n)));
    IFD_TRY(ifd__rows_take(a->arena, a->n, n, &own));
    IFD_TRY(describe(a));
    ifd__rows T;
    IFD_TRY(map(a, &T));
    ifd__derivation how = {.substructures = opt->parts,
                           .substructure = a->substructure,
                           .substructure_name = a->name,
                           .T = T,
                           .n = a->n,
                           .dof_name = a->dof_name,
                           .dof_kind = a->kind,
                           .u0 = a->u0,
                           .v0 = a->v0};
    ifd_model *whole;
    IFD_TRY(ifd__model_derive(a->arena, &how, &whole, a->note));
    for (int i = 0; i < a->n; i++) {
        own.start[i + 1] = i + 1;
        own.column[i] = i;
        own.value[i] = 1.0;
    }
    *out = (ifd_assembly){.model = whole, .dofs = a->n, .start = own.start, .dof = own.column, .value = own.value};
    return IFD_OK;
}

ifd_status ifd__assemble_links(ifd_arena *arena, const ifd_couple_options *opt, ifd_assembly *out, ifd_note *note)
{
    for (int l = 0; l < opt->rts->links; l++) {
        const ifd_rts_link *link = &opt->rts->link[l];
        if (link->leader < 0 || link->leader >= opt->parts || link->follower < 0 || link->follower >= opt->parts ||
            link->dof < 0 || link->dof >= opt->part[link->leader].model->n || link->support < 0 ||
            link->support >= opt->part[link->follower].model->nsupport)
            return ifd_note_add(note, IFD_UNKNOWN_NAME, NULL,
                                "link '%s' refers to a dof or support that does not exist", link->name);
    }
    linking a = {.arena = arena, .scratch = ifd_arena_open(), .opt = opt, .note = note};
    ifd_status status = a.scratch ? assemble(&a, out) : IFD_NO_MEMORY;
    ifd_arena_close(a.scratch);
    return status;
}
