/* SPDX-License-Identifier: MIT */
/* Cuts one structure into substructures. */
#include "model/build/cut.h"
#include "base/arena.h"

#include <string.h>

#include "model/build/builder.h"

typedef struct cutting {
    ifd_arena *arena;
    const ifd_builder *whole;
    const ifd__cut *how;
    ifd_builder **out;
    uint64_t *group; /* groups + 1: substructures that contain all dofs of a group */
    int *number;     /* substructures x dofs: index in the substructure, -1 if it does not contain the dof */
    ifd_note *note;
} cutting;

static const uint64_t ALL = ~(uint64_t)0;

static const char *name_of(const cutting *c, int dof)
{
    return ifd_builder_dof_name(c->whole, dof);
}

static double share(const cutting *c, uint64_t holders, int substructure)
{
    int count = __builtin_popcountll(holders);
    if (count == 1)
        return 1.0;
    return __builtin_ctzll(holders) == substructure ? c->how->ratio : (1.0 - c->how->ratio) / (count - 1);
}

static int number_in(const cutting *c, int substructure, int ref)
{
    return ref < 0 ? ref : c->number[(size_t)substructure * (size_t)c->whole->dof.count + (size_t)ref];
}

static ifd_status make_dofs(cutting *c)
{
    int lost = 0, first = -1, dofs = c->whole->dof.count;
    for (int i = 0; i < dofs; i++) {
        const ifd__dof *dof = &IFD__AT(c->whole->dof, ifd__dof, i);
        if (!c->how->in[i]) {
            first = lost++ ? first : i;
            continue;
        }
        for (int p = 0; p < c->how->substructures; p++) {
            int *place = &c->number[(size_t)p * (size_t)dofs + (size_t)i];
            *place = -1;
            if (!(c->how->in[i] >> p & 1))
                continue;
            *place = ifd_builder_dof(c->out[p], dof->name, dof->kind);
            if (dof->given)
                ifd_builder_initial(c->out[p], *place, dof->u0, dof->v0);
        }
    }
    if (lost == 1)
        return ifd_note_add(c->note, IFD_CONFLICT, NULL, "dof '%s' is in no substructure", name_of(c, first));
    if (lost)
        return ifd_note_add(c->note, IFD_CONFLICT, NULL, "%d dofs are in no substructure; the first is '%s'", lost,
                            name_of(c, first));
    return IFD_OK;
}

/* Supports and the ground are the same for every substructure; Rayleigh damping a M + b K divides as M and K do. */
static void copy_common(cutting *c)
{
    const ifd_builder *b = c->whole;
    for (int p = 0; p < c->how->substructures; p++) {
        for (int k = 0; k < b->support.count; k++) {
            const ifd__support *s = &IFD__AT(b->support, ifd__support, k);
            ifd_builder_support(c->out[p], s->name, s->signal);
        }
        for (int d = 0; d < 3; d++)
            ifd_builder_ground(c->out[p], (ifd_dof_kind)d, b->ground[d]);
        ifd_builder_rayleigh(c->out[p], b->ray_m, b->ray_k);
    }
}

static uint64_t substructures_of(const cutting *c, const ifd__entry *e)
{
    return c->how->in[e->i] & (e->j >= 0 ? c->how->in[e->j] : ALL);
}

static ifd_status torn(const cutting *c, const char *what, int i, int j)
{
    return ifd_note_add(c->note, IFD_CONFLICT, NULL,
                        "%s connects '%s' and '%s', but no substructure contains "
                        "both",
                        what, name_of(c, i), name_of(c, j));
}

/* Reports two dofs of a group that no substructure contains together. */
static ifd_status torn_group(const cutting *c, int group)
{
    for (int which = 0; which < 3; which++)
        for (int k = 0; k < c->whole->entry[which].count; k++) {
            const ifd__entry *e = &IFD__AT(c->whole->entry[which], ifd__entry, k);
            if (e->group == group && !substructures_of(c, e))
                return torn(c, "a member or element", e->i, e->j);
        }
    return ifd_note_add(c->note, IFD_CONFLICT, NULL,
                        "a member or element has dofs that no substructure "
                        "contains together");
}

/* The substructures that contain all dofs of each group; none is an error. */
static ifd_status find_groups(cutting *c)
{
    memset(c->group, 0xff, sizeof *c->group * ((size_t)c->whole->groups + 1));
    for (int which = 0; which < 3; which++)
        for (int k = 0; k < c->whole->entry[which].count; k++) {
            const ifd__entry *e = &IFD__AT(c->whole->entry[which], ifd__entry, k);
            uint64_t *group = &c->group[e->group];
            if (e->group)
                *group &= substructures_of(c, e);
            if (e->group && !*group)
                return torn_group(c, e->group);
        }
    return IFD_OK;
}

static bool alike(const cutting *c, int i, int j)
{
    return IFD__AT(c->whole->dof, ifd__dof, i).kind == IFD__AT(c->whole->dof, ifd__dof, j).kind;
}

static void add(cutting *c, int p, ifd_matrix_kind which, uint64_t holders, const ifd__entry *e)
{
    if (holders >> p & 1)
        ifd_builder_add(c->out[p], which, number_in(c, p, e->i), number_in(c, p, e->j),
                        share(c, holders, p) * e->value);
}

/* A spring from a shared dof to a neighbour: its part of the diagonal moves with it, out of the shared diagonal. */
static void move_diagonal(cutting *c, int p, ifd_matrix_kind which, uint64_t holders, const ifd__entry *e)
{
    uint64_t all = c->how->in[e->i];
    if (e->j < 0 || e->i == e->j || holders == all || !alike(c, e->i, e->j))
        return;
    add(c, p, which, holders, &(ifd__entry){.i = e->i, .j = e->i, .value = -e->value});
    add(c, p, which, all, &(ifd__entry){.i = e->i, .j = e->i, .value = e->value});
}

/* The entries of substructure p. */
static ifd_status cut_matrix(cutting *c, int p, ifd_matrix_kind which)
{
    static const char *const name[] = {"the mass matrix", "the damping matrix", "the stiffness matrix"};
    for (int k = 0; k < c->whole->entry[which].count; k++) {
        const ifd__entry *e = &IFD__AT(c->whole->entry[which], ifd__entry, k);
        uint64_t holders = e->group ? c->group[e->group] : substructures_of(c, e);
        if (!holders)
            return torn(c, name[which], e->i, e->j);
        add(c, p, which, holders, e);
        if (!e->group && which != IFD_MASS)
            move_diagonal(c, p, which, holders, e);
    }
    return IFD_OK;
}

/* One substructure after the other, so that the entries of those with an outline do not add up. */
static ifd_status cut_matrices(cutting *c)
{
    for (int p = 0; p < c->how->substructures; p++) {
        for (int which = 0; which < 3; which++)
            IFD_TRY(cut_matrix(c, p, (ifd_matrix_kind)which));
        if (c->how->outlined >> p & 1)
            (void)ifd__builder_outline(c->out[p]);
    }
    return IFD_OK;
}

static void cut_grounded(cutting *c)
{
    for (int k = 0; k < c->whole->grounded.count; k++) {
        const ifd__grounded *g = &IFD__AT(c->whole->grounded, ifd__grounded, k);
        uint64_t holders = g->group ? c->group[g->group] : c->how->in[g->dof];
        for (int p = 0; p < c->how->substructures; p++) {
            ifd__grounded *to = holders >> p & 1 && !ifd__builder_failed(c->out[p])
                                    ? ifd__builder_push(c->out[p], &c->out[p]->grounded, sizeof *to)
                                    : NULL;
            if (to)
                *to = (ifd__grounded){number_in(c, p, g->dof), g->direction, share(c, holders, p) * g->load,
                                      share(c, holders, p) * g->mass, 0};
        }
    }
}

/* An element is not divided: the first substructure that contains all its dofs takes it. */
static ifd_status cut_element(cutting *c, const ifd__attached *a)
{
    int refs = a->start[a->element.nq], last = -1;
    uint64_t holders = ALL >> (64 - c->how->substructures);
    for (int k = 0; k < refs; k++) {
        if (a->ref[k] < 0)
            continue;
        holders &= c->how->in[a->ref[k]];
        if (!holders)
            return torn(c, ifd_arena_print(c->arena, "element '%s'", a->element.name), last, a->ref[k]);
        last = a->ref[k];
    }
    int p = __builtin_ctzll(holders);
    int *ref = ifd_arena_array(c->arena, (size_t)refs, sizeof *ref);
    ifd__attached *to = ref ? ifd__builder_push(c->out[p], &c->out[p]->element, sizeof *to) : NULL;
    if (!to)
        return IFD_NO_MEMORY;
    *to = *a;
    to->ref = ref;
    for (int k = 0; k < refs; k++)
        ref[k] = number_in(c, p, a->ref[k]);
    return IFD_OK;
}

static ifd_status cut_loads(cutting *c)
{
    for (int k = 0; k < c->whole->force.count; k++) {
        const ifd__force *f = &IFD__AT(c->whole->force, ifd__force, k);
        int p = __builtin_ctzll(c->how->in[f->dof[0]]);
        ifd_builder_force(c->out[p], number_in(c, p, f->dof[0]), f->signal);
    }
    for (int k = 0; k < c->whole->weight.count; k++) {
        const ifd__weight *w = &IFD__AT(c->whole->weight, ifd__weight, k);
        int p = __builtin_ctzll(c->how->in[w->dof]);
        ifd__builder_weight(c->out[p], number_in(c, p, w->dof), 0, w->value);
    }
    for (int p = 0; p < c->how->substructures && c->whole->weighs; p++)
        for (int d = 0; d < 3; d++)
            ifd__builder_weight(c->out[p], IFD_GROUND, d, p ? 0.0 : c->whole->weight_past[d]);
    for (int k = 0; k < c->whole->element.count; k++)
        IFD_TRY(cut_element(c, &IFD__AT(c->whole->element, ifd__attached, k)));
    cut_grounded(c);
    return IFD_OK;
}

/* Every substructure with a slave has its masters. */
static ifd_status cut_ties(const cutting *c)
{
    const ifd_builder *b = c->whole;
    for (int k = 0; k < b->tie.count; k++) {
        ifd_tie tie = IFD__AT(b->tie, ifd_tie, k);
        const int *master = tie.of.ref;
        int *ref = ifd_arena_array(c->arena, (size_t)tie.of.count, sizeof *ref), slave = tie.slave;
        if (!ref)
            return IFD_NO_MEMORY;
        tie.of.ref = ref;
        for (int p = 0; p < c->how->substructures; p++) {
            if (!(c->how->in[slave] >> p & 1))
                continue;
            for (int i = 0; i < tie.of.count; i++) {
                if (!(c->how->in[master[i]] >> p & 1))
                    return torn(c, ifd_arena_print(c->arena, "tie '%s'", tie.name), slave, master[i]);
                ref[i] = number_in(c, p, master[i]);
            }
            tie.slave = number_in(c, p, slave);
            ifd_builder_tie(c->out[p], &tie);
        }
    }
    for (int k = 0; k < b->hub.count; k++) {
        ifd__hub hub = IFD__AT(b->hub, ifd__hub, k);
        int dof = hub.dof;
        for (int p = 0; p < c->how->substructures; p++) {
            hub.dof = number_in(c, p, dof);
            if (c->how->in[dof] >> p & 1)
                ifd__builder_hub(c->out[p], &hub);
        }
    }
    return IFD_OK;
}

static ifd_status cut(cutting *c)
{
    for (int p = 0; p < c->how->substructures; p++) {
        c->out[p] = ifd_builder_make(c->arena);
        if (!c->out[p])
            return IFD_NO_MEMORY;
    }
    IFD_TRY(make_dofs(c));
    copy_common(c);
    IFD_TRY(cut_ties(c));
    IFD_TRY(find_groups(c));
    IFD_TRY(cut_matrices(c));
    IFD_TRY(cut_loads(c));
    for (int p = 0; p < c->how->substructures; p++)
        if (ifd__builder_failed(c->out[p]))
            return IFD_NO_MEMORY;
    return IFD_OK;
}

ifd_status ifd__builder_cut(ifd_arena *arena, const ifd_builder *b, const ifd__cut *how, ifd_builder **out,
                            ifd_note *note)
{
    if (ifd__builder_failed(b))
        return IFD_NO_MEMORY;
    if (b->nzeta || b->condense || b->reduction)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            b->nzeta      ? "modal damping couples all dofs and cannot be divided among "
                                            "substructures; use rayleigh"
                            : b->condense ? "a condensed model cannot be divided; define its substructures separately"
                                          : "a reduced model cannot be divided; define its substructures separately");
    cutting c = {.arena = arena, .whole = b, .how = how, .out = out, .note = note};
    c.group = ifd_arena_array(arena, (size_t)b->groups + 1, sizeof *c.group);
    c.number = ifd_arena_array(arena, (size_t)how->substructures * (size_t)b->dof.count, sizeof *c.number);
    return c.group && c.number ? cut(&c) : IFD_NO_MEMORY;
}

/* The diagonal of the mass; NULL if a dof has none. */
static const double *masses(ifd_arena *scratch, const ifd_builder *b)
{
    double *mass = scratch ? ifd_arena_array(scratch, (size_t)b->dof.count, sizeof *mass) : NULL;
    for (int k = 0; k < b->entry[IFD_MASS].count && mass; k++) {
        const ifd__entry *e = &IFD__AT(b->entry[IFD_MASS], ifd__entry, k);
        if (e->i == e->j)
            mass[e->i] += e->value;
    }
    for (int i = 0; i < b->dof.count && mass; i++)
        if (!(mass[i] > 0.0))
            return NULL;
    return mass;
}

bool ifd__builder_heavy(const ifd_builder *b)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    return masses(scratch, b) != NULL;
}

bool ifd__builder_outline(ifd_builder *b)
{
    if (ifd__builder_failed(b) || b->nzeta || b->condense || b->reduction || b->tie.count)
        return false;
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    const double *mass = masses(scratch, b);
    if (mass)
        ifd__builder_release(b);
    for (int i = 0; i < b->dof.count && mass; i++)
        ifd_builder_add(b, IFD_MASS, i, i, mass[i]);
    return mass != NULL;
}
